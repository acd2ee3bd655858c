"""The task in every sense, for one model: what was made is put together, and what is missing is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hesperus.errors import SenseError, UnknownNameError
from hesperus.models import Model
from hesperus.senses import SenseMaker, instruction_parts, recompose
from hesperus.studies.asked.answering import Fault, Senses
from hesperus.studies.asked.making_items import Remade, Texts, put_in, remade_items, whole_texts
from hesperus.studies.asked.material import LoadedItems, gather, golds_of, originals_of, override
from hesperus.studies.asked.session import ModelSession, models_named
from hesperus.studies.multisense.design import Design
from hesperus.studies.multisense.making import (
    Made,
    Wanted,
    make_texts,
    rewords_instructions,
    steps_of,
    texts_of,
)
from hesperus.studies.multisense.multisense_study import MultisenseStudy
from hesperus.types import Instruction, Item, Sense


def models_of(study: MultisenseStudy, plan: Design) -> dict[str, Model]:
    """Every model that the study asks, by name.

    Raises:
        UnknownNameError: A model, or a maker behind `@`, that does not exist.
    """
    for sense in plan.made:
        if sense.maker and "/" not in sense.maker:
            raise UnknownNameError(
                "maker", sense.maker, study.models, f"in the sense {sense.code!r}; write provider/name"
            )
    makers = [sense.maker for sense in plan.made if sense.maker]
    return models_named([*study.models, *makers], study)


def gathered(study: MultisenseStudy, plan: Design) -> LoadedItems:
    """Task, items and original instructions of a study.

    Raises:
        UnknownNameError: No such task, language or sense.
        UsageError: The task has no instruction in a language that is asked.
        DataError: The items break their contract.
    """
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
        makers: Further sense-makers by the name of their variant.
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

        Args:
            name: The model; it makes its own senses but for those whose code names another.
            session: Who asks.

        Returns:
            The task in every sense, and all that was made with what could not be.
        """
        plan, material = self.plan, self.material
        wanted = self.wanted(name)
        made = make_texts(
            wanted,
            lambda requests: session.ask(requests, f"{name}: making senses"),
            system=self.study.system,
            settings=self.study.making.settings(),
        )
        instructions: dict[Sense, Instruction | Fault] = {}
        inputs: dict[Sense, Mapping[str, Item | Fault]] = {}
        for language, instruction in material.instructions.items():
            instructions[Sense(language)] = instruction
        for language in plan.originals:
            inputs[Sense(language)] = originals_of(material, language)
        for part in wanted:
            texts = {text: made[part.sense, text] for text in part.texts}
            instructions[part.sense] = self._instruction(part.sense, texts)
            inputs[part.sense] = self._items(part.sense, texts)
        senses = Senses(
            material.task.layout,
            material.task.form,
            instructions,
            inputs,
            golds_of(material),
            material.labels,
            material.accepted,
        )
        return senses, made

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
