"""Every text of every sense that the design needs: made by asking or by rule, put together, what is missing named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hesperus.errors import SenseError, UnknownNameError
from hesperus.models import Model
from hesperus.senses import (
    SenseMaker,
    instruction_parts,
    item_texts,
    naturalise,
    paraphrase,
    recompose,
    translate,
)
from hesperus.studies.asked.answering import Ask, Fault, Senses, senses_of
from hesperus.studies.asked.making import (
    Remade,
    Step,
    Texts,
    not_made,
    put_in,
    refuse_unaskable,
    remade_items,
    whole_texts,
)
from hesperus.studies.asked.material import LoadedItems, gather, override
from hesperus.studies.asked.session import ModelSession, models_named
from hesperus.studies.multisense.multisense_study import Design, MultisenseStudy
from hesperus.types import Instruction, Request, Sense, Settings

Made = Mapping[tuple[Sense, str], str | Fault]
"""(sense, original text) to the made text, or to what kept it from being made."""


BUILT_IN: Mapping[str, SenseMaker] = {"paraphrase": paraphrase, "natural": naturalise}
"""Variant to its maker."""


def steps_of(sense: Sense, model: str, makers: Mapping[str, SenseMaker]) -> tuple[Step, ...]:
    """The makings that lead from the original to a sense.

    ``de_from_en`` is one translation; ``en_via_zh`` is two; ``en~paraphrase`` is one rewording; ``de_from_en~natural``
    is a translation and then a rewording. ``@provider/name`` names another model as the maker.
    """
    by = sense.maker or model
    steps = []
    if sense.source:
        steps.append(Step(translate, sense.source, sense.language, by))
    elif sense.via:
        steps.append(Step(translate, sense.language, sense.via, by))
        steps.append(Step(translate, sense.via, sense.language, by))
    if sense.variant:
        known = {**BUILT_IN, **makers}
        if sense.variant not in known:
            raise UnknownNameError("sense maker", sense.variant, known, f"in the sense {sense.code!r}")
        steps.append(Step(known[sense.variant], sense.language, sense.language, by))
    return tuple(steps)


def refuse_unaskable_senses(plan: Design, model: str, makers: Mapping[str, SenseMaker]) -> None:
    """Before anything is asked: every sense of a design can be asked for in its language."""
    steps = [step for sense in plan.made for step in steps_of(sense, model, makers)]
    refuse_unaskable((step.maker, (step.source, step.target)) for step in steps)


def rewords_instructions(sense: Sense, makers: Mapping[str, SenseMaker]) -> bool:
    """Whether a sense puts instructions anew too; a maker by rule knows inputs only."""
    return sense.variant is None or sense.variant not in makers or makers[sense.variant].request is not None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Texts of one sense that are to be made."""

    sense: Sense
    steps: tuple[Step, ...]
    texts: tuple[str, ...]


def texts_of(material: LoadedItems, sense: Sense, plan: Design, *, inputs_only: bool) -> tuple[str, ...]:
    """The texts that a sense needs, each once: parts of the instruction, fields and options of the items."""
    texts: dict[str, None] = {}
    if not inputs_only and any(cell.instruction == sense for cell in plan.cells):
        texts.update(dict.fromkeys(instruction_parts(material.instructions[sense.origin])))
    if any(cell.input == sense for cell in plan.cells):
        for item in material.items.by_language[sense.origin]:
            texts.update(dict.fromkeys(item_texts(item)))
    return tuple(texts)


def make_texts(
    wanted: Sequence[Wanted], ask: Ask, *, system: str | None, settings: Settings
) -> dict[tuple[Sense, str], str | Fault]:
    """Make all texts of all senses, step by step; what fails becomes a Fault and stays one.

    By (sense, original text); a text that is in many items is made once.
    """
    state: dict[tuple[Sense, str], str | Fault] = {
        (part.sense, text): text for part in wanted for text in part.texts
    }
    for depth in range(max((len(part.steps) for part in wanted), default=0)):
        keys: list[tuple[Sense, str]] = []
        requests: list[Request] = []
        for part in wanted:
            if depth >= len(part.steps):
                continue
            step = part.steps[depth]
            for text in part.texts:
                now = state[part.sense, text]
                if isinstance(now, Fault):
                    continue
                request = step.request(now, system, settings)
                if request is None:
                    state[part.sense, text] = step.read(now, now)
                else:
                    keys.append((part.sense, text))
                    requests.append(request)
        steps = {part.sense: part.steps[depth] for part in wanted if depth < len(part.steps)}
        for key, reply in zip(keys, ask(requests) if requests else (), strict=True):
            before = state[key]
            assert isinstance(before, str)
            state[key] = steps[key[0]].made(reply, before)
    return state


def lost_texts(model: str, made: Made) -> list[str]:
    """Texts that could not be made, counted by sense and reason."""
    return not_made(model, "texts", ((sense.code, result) for (sense, _), result in made.items()))


def models_of(study: MultisenseStudy, plan: Design) -> dict[str, Model]:
    """Every model that the study asks, by name."""
    for sense in plan.made:
        if sense.maker and "/" not in sense.maker:
            raise UnknownNameError(
                "maker", sense.maker, study.models, f"in the sense {sense.code!r}; write provider/name"
            )
    makers = [sense.maker for sense in plan.made if sense.maker]
    return models_named([*study.models, *makers], study)


def gathered(study: MultisenseStudy, plan: Design) -> LoadedItems:
    """Task, items and original instructions of a study."""
    return gather(
        study,
        plan.originals,
        by_hand=study.instructions,
        senses={cell.instruction.code for cell in plan.cells},
        instructed=tuple(dict.fromkeys(cell.instruction.origin for cell in plan.cells)),
    )


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a study is made of, for every model alike.

    Attributes:
        study: The design as declared.
        plan: The design spelled out.
        material: Items and original instructions.
        makers: Further sense makers by the name of their variant.
    """

    study: MultisenseStudy
    plan: Design
    material: LoadedItems
    makers: Mapping[str, SenseMaker]

    def wanted(self, name: str) -> list[Wanted]:
        """The senses that a model makes, with the steps that lead to each and the texts that it needs."""
        return [
            Wanted(
                sense,
                steps_of(sense, name, self.makers),
                texts_of(
                    self.material, sense, self.plan, inputs_only=not rewords_instructions(sense, self.makers)
                ),
            )
            for sense in self.plan.made
        ]

    def make(self, name: str, session: ModelSession) -> tuple[Senses, Made]:
        """Make every sense with one model, and put the task together in each.

        It makes its own senses, except those with another maker in their code. Given back is the task in every sense,
        and all that was made with what could not be.
        """
        material = self.material
        wanted = self.wanted(name)
        made = make_texts(
            wanted,
            lambda requests: session.ask(requests, f"{name}: making senses"),
            system=self.study.system,
            settings=self.study.making.settings(),
        )
        originals = senses_of(material)
        instructions, inputs = dict(originals.instructions), dict(originals.inputs)
        for part in wanted:
            texts = {text: made[part.sense, text] for text in part.texts}
            instructions[part.sense] = self._instruction(part.sense, texts)
            inputs[part.sense] = self._items(part.sense, texts)
        return Senses(material, instructions, inputs), made

    def _instruction(self, sense: Sense, made: Texts) -> Instruction | Fault:
        if not any(cell.instruction == sense for cell in self.plan.cells):
            return Fault("sense", f"{sense.code}: no cell has this instruction")
        original = self.material.instructions[sense.origin]
        if not rewords_instructions(sense, self.makers):
            return replace(original, language=sense.language)
        by_hand = self.study.instructions.get(sense.code)
        texts = whole_texts(made)
        if by_hand is not None:
            # A part written by hand is not asked to hold what the model's own version lost.
            parts = [(original.prefix, by_hand.prefix), (original.suffix, by_hand.suffix)]
            parts += [(word, by_hand.words.get(field)) for field, word in original.words.items()]
            texts |= {part.strip(): hand for part, hand in parts if hand is not None}
        lost = [made[part] for part in instruction_parts(original) if part not in texts]
        try:
            answers = {
                **self.material.task.answer_words(sense.language),
                **(by_hand.answers if by_hand else {}),
            }
            return override(recompose(original, texts, sense.language, answers), by_hand)
        except SenseError as error:
            reason = next((fault.message for fault in lost if isinstance(fault, Fault)), str(error))
            return Fault("sense", f"{sense.code}: {reason}")

    def _items(self, sense: Sense, made: Texts) -> Remade:
        if not any(cell.input == sense for cell in self.plan.cells):
            return {}
        return remade_items(self.material.items.by_language[sense.origin], made, put_in(sense.language))
