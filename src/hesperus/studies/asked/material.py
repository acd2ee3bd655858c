"""What a study starts from: the task, its items in the original languages, and their instructions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hesperus.asking.shards import Shard
from hesperus.errors import UnknownNameError, UsageError, refuse_unknown
from hesperus.fingerprint import JSON, plain
from hesperus.memory import give_back
from hesperus.senses import item_texts
from hesperus.studies.asked.declaring import Declared, Instructed, InstructionOverride
from hesperus.studies.asked.exclusions import Excluded, dropped_by_alignment, excluded_of, without_items
from hesperus.tasks import ItemSet, Sample, Task, load_items, task
from hesperus.tasks.packed import ItemsById, PackedItems
from hesperus.tasks.sampling import draw
from hesperus.types import Instruction, Item, Sense


@dataclass(frozen=True, slots=True)
class LoadedItems:
    """All that is there before a model is asked.

    Attributes:
        task: The task.
        items: The items, aligned by id, with what was dropped and why.
        instructions: Original instructions by language, of the languages in which one is needed.
        labels: Item id to its canonical labels in the order of its options, where an answer is free text with options:
            the option texts in the language in which gold is written.
        excluded: What a list of exclusions did, or None if there was none.
        accepted: Language and item id to what the benchmark accepts there as an open answer (see Item.accepted), also
            in languages in which a model only asks what it made itself.
    """

    task: Task
    items: ItemSet
    instructions: Mapping[str, Instruction]
    labels: Mapping[str, tuple[str, ...]]
    excluded: Excluded | None = None
    accepted: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def dropped_note(self, *, sampled: bool) -> str:
        """What alignment left out, as one line for people; empty where it left out nothing.

        Args:
            sampled: Whether the items are a sample.
        """
        kept = len(next(iter(self.items.values()), ()))
        return dropped_by_alignment((drop.reason for drop in self.items.dropped), kept, sampled=sampled)

    def instruction_note(self, languages: Collection[str]) -> str:
        """That a model makes the instructions, as one line for people; empty where people wrote them.

        Args:
            languages: Those in which questions are asked.
        """
        made = sorted({language for language in languages if language} - {"en"})
        if not (self.task.asks_in_english_only and made):
            return ""
        return (
            f"{self.task.name} has its instruction in English only; a model makes that in {', '.join(made)}"
        )

    def signed(self) -> dict[str, JSON]:
        """For the signature of a run: the task, what was dropped, notes on its items, what a list of exclusions did."""
        signed: dict[str, JSON] = {
            "task": self.task.name,
            "dropped": plain(list(self.items.dropped)),
            "notes": list(self.items.notes),
        }
        return signed if self.excluded is None else {**signed, "excluded": self.excluded.signed()}


def gather(
    study: Declared,
    languages: Sequence[str],
    *,
    by_hand: Mapping[str, InstructionOverride] | None = None,
    senses: Collection[str] | None = None,
    instructed: Sequence[str] | None = None,
) -> LoadedItems:
    """Load task, items and original instructions.

    Args:
        study: What is asked about.
        languages: Languages in which the benchmark's own version is read.
        by_hand: Sense code to parts of instructions that were written by hand.
        senses: Codes of the senses in which instructions will be put, for which parts may be written by hand; None
            takes the languages.
        instructed: Languages in which an original instruction is needed; None takes the study's language of instruction,
            or the languages.

    Raises:
        UnknownNameError: No such task, language or sense.
        UsageError: The task has no instruction in a language in which one is needed.
        DataError: The items break their contract, or a list of exclusions leaves none.
    """
    written = by_hand or {}
    what = task(study.task)
    items = _items(what, study, languages)
    give_back()
    only = study.instruction_language if isinstance(study, Instructed) else None
    needed = instructed or (languages if only is None else (only,))
    known = languages if senses is None else senses
    for code in written:
        if code not in (needed if senses is None else senses):
            raise UnknownNameError("sense under instructions", code, known)
    instructions = {language: _original(what, language, written.get(language)) for language in needed}
    excluded = excluded_of(items, study.exclude)
    accepted = _accepted(what, items, known, study.data)
    return LoadedItems(what, items, instructions, _labels(what, items, study.data), excluded, accepted)


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
        refuse_unknown(f"{kind} under instructions", given, known)
    return replace(
        instruction,
        prefix=instruction.prefix if by_hand.prefix is None else by_hand.prefix,
        words={**instruction.words, **by_hand.words},
        suffix=instruction.suffix if by_hand.suffix is None else by_hand.suffix,
        answers={**instruction.answers, **by_hand.answers},
    )


def originals_of(material: LoadedItems, language: str) -> Mapping[str, Item]:
    """The items of one language by id, in their order."""
    return ItemsById(material.items.by_language[language])


def _items(what: Task, study: Declared, languages: Sequence[str]) -> ItemSet:
    """The items, sampled after those of the list of exclusions are out, so that a sample keeps its size."""
    size = study.sample
    sample = Sample(n=size.n, by=size.by, per_group=size.per_group, seed=size.seed) if size else None
    items = without_items(load_items(what, languages, source=study.data), study.exclude)
    drawn = items if sample is None else draw(items, sample, parallel=what.key.parallel)
    return _of_shard(drawn, study.shard)


def _original(what: Task, language: str, by_hand: InstructionOverride | None) -> Instruction:
    written = what.find_instruction(language)
    if written is not None:
        return override(replace(written, language=language), by_hand)
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


def _accepted(
    what: Task, items: ItemSet, senses: Collection[str], data: str | None
) -> dict[tuple[str, str], Mapping[str, tuple[str, ...]]]:
    """What each language accepts as an open answer, under the labels of the items that are asked."""
    if what.form != "text":
        return {}
    accepted = {
        (language, item.id): item.accepted
        for language, many in items.items()
        for item in many
        if item.accepted
    }
    labels = {item.id: item.gold for many in reversed(list(items.values())) for item in many if item.gold}
    made = {Sense.parse(code).language for code in senses} - set(items)
    for language in sorted(made & set(what.languages)):
        try:
            there = load_items(what, [language], source=data)[language]
        except UsageError:
            continue
        for item in there:
            label = labels.get(item.id)
            if item.gold is not None and label is not None:
                own = dict(item.accepted)
                accepted[language, item.id] = {label: own.pop(item.gold, (item.gold,)), **own}
    return accepted


def _labels(what: Task, items: ItemSet, data: str | None) -> dict[str, tuple[str, ...]]:
    """Option texts in the language with options that hold the gold; English if no asked language has them."""
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


def _of_shard(items: ItemSet, shard: str | None) -> ItemSet:
    """The items of one shard; all if absent.

    Raises:
        UsageError: There are fewer items than shards.
    """
    if shard is None:
        return items
    texts: dict[str, list[str]] = {}
    for language, many in items.items():
        for item in many:
            texts.setdefault(item.id, []).extend(f"{language} {text}" for text in item_texts(item))
    kept = Shard.parse(shard).items(texts)
    chosen = {
        language: PackedItems(item for item in many if item.id in kept) for language, many in items.items()
    }
    return replace(items, by_language=chosen)
