"""Stage one: every text of every sense that the design needs, made by asking or by rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hesperus.errors import UnknownNameError
from hesperus.senses import SenseMaker, instruction_parts, item_texts, naturalise, paraphrase, translate
from hesperus.studies.asked.answering import Ask, Fault
from hesperus.studies.asked.making import made_text, making_request, not_made, read_text, refuse_unaskable
from hesperus.studies.asked.material import LoadedItems
from hesperus.studies.multisense.design import Design
from hesperus.types import Request, Sense, Settings

Made = Mapping[tuple[Sense, str], str | Fault]
"""(sense, original text) to the made text, or to what kept it from being made."""


BUILT_IN: Mapping[str, SenseMaker] = {"paraphrase": paraphrase, "natural": naturalise}
"""Variant to its maker."""


@dataclass(frozen=True, slots=True)
class Step:
    """One making of a text: by which maker, from which language into which, by which model."""

    maker: SenseMaker
    source: str
    target: str
    model: str


def steps_of(sense: Sense, model: str, makers: Mapping[str, SenseMaker]) -> tuple[Step, ...]:
    """The makings that lead from the original to a sense.

    ``de_from_en`` is one translation; ``en_via_zh`` is two; ``en~paraphrase`` is one rewording; ``de_from_en~natural``
    is a translation and then a rewording. ``@provider/name`` names another model as the maker.

    Raises:
        UnknownNameError: The variant has no maker.
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
            raise UnknownNameError("sense-maker", sense.variant, known, f"in the sense {sense.code!r}")
        steps.append(Step(known[sense.variant], sense.language, sense.language, by))
    return tuple(steps)


def refuse_unaskable_senses(plan: Design, model: str, makers: Mapping[str, SenseMaker]) -> None:
    """Before anything is asked: every sense of a design can be asked for in its language.

    Raises:
        UnknownNameError: A variant without a maker, or a language without a pack.
        UsageError: A language without requests in its pack.
    """
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


def make_request(step: Step, text: str, system: str | None, settings: Settings) -> Request | None:
    """The exact request of one making, or None if a rule does it."""
    if step.maker.request is None:
        return None
    return making_request(
        step.maker, text, (step.source, step.target), model=step.model, system=system, settings=settings
    )


def make_texts(
    wanted: Sequence[Wanted], ask: Ask, *, system: str | None, settings: Settings
) -> dict[tuple[Sense, str], str | Fault]:
    """Make all texts of all senses, step by step; what fails becomes a Fault and stays one.

    Args:
        wanted: Senses with their texts; a text that is in many items is made once.
        ask: Sends requests.
        system: System text of each request.
        settings: How the replies are drawn.

    Returns:
        (sense, original text) to the made text, or to a Fault.
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
                request = make_request(step, now, system, settings)
                if request is None:
                    state[part.sense, text] = read_text(step.maker, now, now)
                else:
                    keys.append((part.sense, text))
                    requests.append(request)
        steps = {part.sense: part.steps[depth] for part in wanted if depth < len(part.steps)}
        for key, reply in zip(keys, ask(requests) if requests else (), strict=True):
            before = state[key]
            assert isinstance(before, str)
            step = steps[key[0]]
            state[key] = made_text(step.maker, reply, before, (step.source, step.target))
    return state


def lost_texts(model: str, made: Made) -> list[str]:
    """Texts that could not be made, counted by sense and reason."""
    return not_made(model, "texts", ((sense.code, result) for (sense, _), result in made.items()))
