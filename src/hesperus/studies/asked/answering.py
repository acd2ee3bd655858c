"""Every cell of a design is asked, and every reply is read into a row of the records table."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from hesperus.answers import KNOWN_GOLD_RULES, Reader, answer_from_logprobs, read, reader_for
from hesperus.errors import DataError, SenseError, UsageError
from hesperus.languages import reply_language
from hesperus.normalization import comparable
from hesperus.senses import render
from hesperus.studies.asked.declaring import AskedModels
from hesperus.studies.asked.material import LoadedItems, originals_of
from hesperus.studies.asked.study_cells import Cell
from hesperus.tasks.packed import Golds
from hesperus.types import Answer, Failure, Instruction, Item, Prompt, Reply, Request, Sense, Settings

_CUT_OFF = "the reply was cut off before any answer; give more tokens: answers.max_tokens, or answers.max_tokens_again"
_ONLY_THINKING = "the reply holds thinking and no answer; give more tokens: answers.max_tokens, or answers.max_tokens_again"


Ask = Callable[[Sequence[Request]], Sequence[Reply | Failure]]
"""Sends requests to the model that they name; results in their order."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What keeps a question from being put, and why."""

    kind: str
    message: str


@dataclass(frozen=True)
class Senses:
    """The task in every sense, for one model.

    Attributes:
        material: What it is made of: the task, its golds, labels and accepted answers.
        instructions: Sense to instruction, or to the Fault that kept it from being made.
        inputs: Sense to items by id, each an Item or a Fault.
    """

    material: LoadedItems
    instructions: Mapping[Sense, Instruction | Fault]
    inputs: Mapping[Sense, Mapping[str, Item | Fault]]

    @cached_property
    def golds(self) -> Mapping[str, Golds]:
        """Item id to gold, by language: gold follows the language of the original."""
        return {language: Golds(originals_of(self.material, language)) for language in self.material.items}


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How answers are drawn and read.

    Attributes:
        system: System text.
        settings: How replies are drawn.
        by_logprobs: Score the options instead of generating.
        parser: How replies are read (see hesperus.answers.PRESETS).
        tokens_again: Longest reply, in tokens, of a second try where the first was cut off; None tries once.
    """

    system: str | None
    settings: Settings
    by_logprobs: bool = False
    parser: str = "default"
    tokens_again: int | None = None

    @classmethod
    def of(cls, study: AskedModels, *, by_logprobs: bool = False, parser: str = "default") -> AskSettings:
        """As a study declares it."""
        drawn = study.answers
        return cls(study.system, drawn.settings(), by_logprobs, parser, drawn.max_tokens_again)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a cell, without its request; with the Fault that keeps it from being put, if there is one."""

    cell: Cell
    item: str
    fault: Fault | None = None


ReadRow = Callable[[Asked, Reply | Failure | Fault, Senses, AskSettings, str], dict[str, object]]
"""Makes a row of the records of a question and what came back; the last argument is the name of the task."""


def senses_of(material: LoadedItems) -> Senses:
    """The task in the benchmark's own versions, where no sense is made."""
    return Senses(
        material,
        {Sense(language): instruction for language, instruction in material.instructions.items()},
        {Sense(language): originals_of(material, language) for language in material.items},
    )


def questions(
    model: str, cells: Sequence[Cell], senses: Senses, how: AskSettings
) -> Iterator[tuple[Asked, Request | None]]:
    """Every question of every cell, in the order of cells and items, with its request where it can be put."""
    for cell in cells:
        instruction = senses.instructions[cell.instruction]
        for item_id, item in senses.inputs[cell.input].items():
            asked: Request | Fault
            if isinstance(instruction, Fault):
                asked = instruction
            elif isinstance(item, Fault):
                asked = item
            else:
                asked = _question(model, cell, instruction, item, senses, how)
            if isinstance(asked, Fault):
                yield Asked(cell, item_id, asked), None
            else:
                yield Asked(cell, item_id), asked


def _question(
    model: str, cell: Cell, instruction: Instruction, item: Item, senses: Senses, how: AskSettings
) -> Request | Fault:
    try:
        text = render(senses.material.task.layout, instruction, item)
    except (DataError, SenseError) as error:
        if cell.instruction.is_original and cell.input.is_original:
            raise
        return Fault("sense", str(error))
    options = scored_options(instruction, item) if how.by_logprobs else None
    return Request(model, Prompt(text, how.system), how.settings, options, cell.repeat)


def scored_options(instruction: Instruction, item: Item) -> tuple[str, ...]:
    """What is scored when options are: the first word of each label, or the texts where labels are the texts.

    Raises:
        UsageError: There are neither labels nor options.
    """
    words = [words[0] for words in instruction.answers.values()]
    if not words and item.options is None:
        raise UsageError(
            f"item {item.id!r} has no options to score: its answer is written. Have the model write it: --scoring generate "
            "(`scoring: generate` in a study file)"
        )
    if item.options is not None:
        return tuple(words[: len(item.options)]) if words else item.options
    return tuple(words)


def rows_of_replies(
    asked: deque[Asked],
    replies: Iterable[Reply | Failure],
    senses: Senses,
    how: AskSettings,
    *,
    task: str,
    row: ReadRow,
) -> list[dict[str, object]]:
    """A row of the records table for every question up to the first for which there is no reply yet.

    Args:
        asked: Questions in their order; those of the rows are taken away.
        replies: What came back of the first of them that could be put, in their order.
        senses: The task in every sense.
        how: How answers are drawn and read.
        task: Name of the task.
        row: Reads a reply into a row.

    Returns:
        Rows in the order of `asked`; where no reply came, the outcome is `error` and `note` says why.
    """
    left, rows = iter(replies), list[dict[str, object]]()
    while asked:
        result = asked[0].fault or next(left, None)
        if result is None:
            break
        rows.append(row(asked.popleft(), result, senses, how, task))
    return rows


def answer_row(
    one: Asked, result: Reply | Failure | Fault, senses: Senses, how: AskSettings, task: str
) -> dict[str, object]:
    """A row of the records: the answer that a reply holds, or why it is absent."""
    row, sense = asked_row(one, task), one.cell.input
    if isinstance(result, Failure | Fault):
        return {**row, "gold": senses.golds[sense.origin].get(one.item), **lost_reply(result)}
    instruction = senses.instructions[one.cell.instruction]
    item = senses.inputs[sense][one.item]
    assert isinstance(instruction, Instruction) and isinstance(item, Item)
    labels = labels_on_offer(senses, instruction, item)
    if result.option_logprobs is not None:
        answer = answer_from_logprobs(result.option_logprobs, labels)
    else:
        answer = _canonical(
            read(_reader(senses, instruction, item, how.parser), result), item, senses.material.task.form
        )
    thought = result.reasoning
    return {
        **row,
        "gold": item.gold if sense.is_original else senses.golds[sense.origin].get(one.item),
        "outcome": answer.outcome,
        "answer": answer.label,
        "note": None if result.text.strip() or result.option_logprobs else _without_text(result),
        "options": list(labels) if labels else None,
        "probs": list(answer.probs) if answer.probs is not None else None,
        "reply": result.text if result.option_logprobs is None else None,
        "rule": answer.rule,
        "reply_language": reply_language(result.text, instruction.language),
        "reasoning": thought,
        "reasoning_language": reply_language(thought, instruction.language) if thought else None,
        "tokens_in": result.tokens_in,
        "tokens_out": result.tokens_out,
    }


def _without_text(reply: Reply) -> str | None:
    """Why a reply has no text, where that can be mended."""
    if reply.reasoning:
        return _ONLY_THINKING
    return _CUT_OFF if reply.finish == "length" else None


def asked_row(one: Asked, task: str) -> dict[str, object]:
    """What was asked, as every row of the records says it."""
    return {
        "task": task,
        "item": one.item,
        "instruction": one.cell.instruction.code,
        "input": one.cell.input.code,
        "repeat": one.cell.repeat,
    }


def lost_reply(why: Failure | Fault) -> dict[str, object]:
    """The outcome of a question without a reply."""
    return {"outcome": "error", "note": f"{why.kind}: {why.message}"}


def _canonical(answer: Answer, item: Item, form: str) -> Answer:
    """A number that is one of several right ones gets their label."""
    if form != "number" or answer.label is None:
        return answer
    label = next((label for label, texts in item.accepted.items() if answer.label in texts), answer.label)
    return replace(answer, label=label)


def labels_on_offer(senses: Senses, instruction: Instruction, item: Item) -> tuple[str, ...]:
    """The canonical labels that an item can have, in order: as many as it has options."""
    labels = tuple(instruction.answers) or senses.material.labels.get(item.id) or item.options or ()
    return labels if item.options is None else labels[: len(item.options)]


def text_reader(
    item: Item, labels: Sequence[str], further: Mapping[str, tuple[str, ...]], preset: str
) -> Reader:
    """Who reads free text: it knows the options where the item has some, else the right answers alone.

    Args:
        item: The item in the sense in which it was asked.
        labels: Canonical labels of its options.
        further: What the benchmark itself accepts in the item's language; of use where a model made the item.
        preset: Preset of the reader.
    """
    names: dict[str, tuple[str, ...]] = {}
    if item.options is not None:
        names = {label: (text,) for label, text in zip(labels, item.options, strict=True)}
    for accepted in (further, item.accepted):
        for label, texts in accepted.items():
            names[label] = (*names.get(label, ()), *texts)
    found = _reader_of("text", item.language, _unambiguous(names), preset)
    known_gold_only = item.options is None and bool(names) and preset == "default"
    return replace(found, rules=KNOWN_GOLD_RULES) if known_gold_only else found


def _unambiguous(names: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Labels with their texts, each once; a further text that represents two labels represents neither."""
    owners: dict[str, set[str]] = {}
    for label, texts in names.items():
        for text in texts:
            owners.setdefault(comparable(text), set()).add(label)
    return tuple(
        (
            label,
            tuple(
                text
                for place, text in enumerate(dict.fromkeys(texts))
                if place == 0 or len(owners[comparable(text)]) == 1
            ),
        )
        for label, texts in names.items()
    )


@lru_cache(maxsize=4096)
def _reader_of(
    form: str, language: str, answers: tuple[tuple[str, tuple[str, ...]], ...], preset: str
) -> Reader:
    return reader_for(form, language, answers=dict(answers), preset=preset)


def _reader(senses: Senses, instruction: Instruction, item: Item, preset: str) -> Reader:
    """Templates follow the instruction's language; free text is looked up among the answers that the item accepts."""
    if senses.material.task.form == "text":
        labels = labels_on_offer(senses, instruction, item)
        return text_reader(item, labels, senses.material.accepted.get((item.language, item.id), {}), preset)
    reader = _reader_of(
        senses.material.task.form, instruction.language, tuple(instruction.answers.items()), preset
    )
    return reader.with_options(item.options) if senses.material.task.form == "choice" else reader
