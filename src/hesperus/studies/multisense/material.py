"""What a study starts from: the task, its items in the original languages, and their instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hesperus.errors import UnknownNameError, UsageError
from hesperus.senses import instruction_parts, item_texts
from hesperus.studies.multisense.config import InstructionOverride, MultisenseStudy
from hesperus.studies.multisense.design import Design
from hesperus.tasks import ItemSet, Sample, Task, load_items, task
from hesperus.types import Instruction, Item, Sense


@dataclass(frozen=True, slots=True)
class Material:
    """All that is there before a model is asked.

    Attributes:
        task: The task.
        items: The items, aligned by id, with what was dropped and why.
        instructions: Original instructions by language.
        labels: Item id to its canonical labels in the order of its options, where an answer is free text with options:
            the option texts in the language in which gold is written.
    """

    task: Task
    items: ItemSet
    instructions: Mapping[str, Instruction]
    labels: Mapping[str, tuple[str, ...]]


def gather(study: MultisenseStudy, plan: Design) -> Material:
    """Load task, items and original instructions of a study.

    Raises:
        UnknownNameError: No such task, language or sense.
        UsageError: The task has no instruction in a language that is asked.
        DataError: The items break their contract.
    """
    what = task(study.task)
    size = study.sample
    sample = Sample(n=size.n, by=size.by, per_group=size.per_group, seed=size.seed) if size else None
    items = load_items(what, plan.originals, source=study.data, sample=sample)
    _check_overrides(study, plan)
    instructions = {language: _original(what, language, study) for language in plan.originals}
    return Material(what, items, instructions, _labels(what, items, study.data))


def texts_of(material: Material, sense: Sense, plan: Design, *, inputs_only: bool) -> tuple[str, ...]:
    """The texts that a sense needs, each once: parts of the instruction, fields and options of the items."""
    texts: dict[str, None] = {}
    if not inputs_only and any(cell.instruction == sense for cell in plan.cells):
        texts.update(dict.fromkeys(instruction_parts(material.instructions[sense.origin])))
    if any(cell.input == sense for cell in plan.cells):
        for item in material.items.by_language[sense.origin]:
            texts.update(dict.fromkeys(item_texts(item)))
    return tuple(texts)


def override(instruction: Instruction, by_hand: InstructionOverride | None) -> Instruction:
    """Put hand-written parts in place of those of an instruction.

    Raises:
        UnknownNameError: A word or label that the instruction does not have.
    """
    if by_hand is None:
        return instruction
    for given, known, kind in (
        (by_hand.words, instruction.words, "field word"),
        (by_hand.answers, instruction.answers, "label"),
    ):
        for name in given:
            if name not in known:
                raise UnknownNameError(f"{kind} under instructions", name, known)
    return replace(
        instruction,
        prefix=instruction.prefix if by_hand.prefix is None else by_hand.prefix,
        words={**instruction.words, **by_hand.words},
        suffix=instruction.suffix if by_hand.suffix is None else by_hand.suffix,
        answers={**instruction.answers, **by_hand.answers},
    )


def golds_of(material: Material) -> dict[str, dict[str, str | None]]:
    """Item id to gold, by language: gold follows the language of the original."""
    return {language: {item.id: item.gold for item in many} for language, many in material.items.items()}


def originals_of(material: Material, language: str) -> dict[str, Item]:
    """The items of one language by id, in their order."""
    return {item.id: item for item in material.items.by_language[language]}


def _original(what: Task, language: str, study: MultisenseStudy) -> Instruction:
    by_hand = study.instructions.get(language)
    if language in what.instructions:
        return override(what.instructions[language], by_hand)
    model = next(iter(what.instructions.values()), None)
    if model is not None and by_hand is not None and by_hand.suffix is not None:
        missing = [
            *(model.words.keys() - by_hand.words.keys()),
            *(model.answers.keys() - by_hand.answers.keys()),
        ]
        if not missing:
            words, answers = dict(by_hand.words), dict(by_hand.answers)
            return Instruction(language, by_hand.prefix or "", words, by_hand.suffix, answers)
    raise UsageError(
        f"the task {what.name!r} has no instruction in {language!r} (it has {', '.join(what.instructions)}); write one "
        f"under `instructions: {{{language}: {{prefix: …, words: …, suffix: …, answers: …}}}}` of the study"
    )


def _labels(what: Task, items: ItemSet, data: str | None) -> dict[str, tuple[str, ...]]:
    """Option texts in the language whose options hold the gold; English is looked at where no asked language does."""
    if what.form != "text" or not any(item.options for item in next(iter(items.values()))):
        return {}
    others = [language for language in ("en",) if language not in items and language in what.languages]
    candidates = [
        *items.values(),
        *(load_items(what, [language], source=data)[language] for language in others),
    ]
    for many in candidates:
        if all(item.gold is None or item.gold in (item.options or ()) for item in many):
            return {item.id: item.options or () for item in many}
    return {}


def _check_overrides(study: MultisenseStudy, plan: Design) -> None:
    known = {cell.instruction.code for cell in plan.cells}
    for code in study.instructions:
        if code not in known:
            raise UnknownNameError("sense under instructions", code, known)
