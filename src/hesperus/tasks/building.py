"""From a validated task file to a Task: languages, labels and words resolved, and the layout checked for loss."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from types import ModuleType

from hesperus.errors import DataError, UnknownNameError
from hesperus.languages import normalise
from hesperus.tasks.definition import LETTERS, Columns, Fault, Gold, GoldAcross, Key, Source, Task
from hesperus.tasks.taskfile import InstructionPart, TaskFile
from hesperus.types import Instruction

_BUILTIN = {"atlas": "hesperus.tasks.atlas", "prompts": "hesperus.tasks.prompts"}

_SLOT = re.compile(r"(?<!\{)\{([A-Za-z_]\w*)(?:\.(\w+))?(?:\|\w+)?\}(?!\})")


def build_task(read: TaskFile, *, file: object) -> Task:
    """Turn a task file into a Task.

    Args:
        read: The validated file.
        file: Named in errors.

    Raises:
        DataError: Parts that do not fit together: a field that the layout leaves out, an answer for a label that does
            not exist, a gold label that is none.
        UnknownNameError: A label of an answer, or a key of the language packs, that does not exist.
    """
    labels = tuple(LETTERS[: read.options]) if read.form == "choice" else tuple(read.labels)
    gold = read.gold
    _known_labels(gold.labels.values(), labels, "label under gold.labels", file)
    _known_labels(read.answers, labels, "label under answers", file)
    answers = {
        label: given if isinstance(given, str) else tuple(given) for label, given in read.answers.items()
    }
    # Each language spells free text; a label, a letter or a number is the same in all.
    shared: GoldAcross = "error" if read.key.row else "shared"
    across: GoldAcross = gold.across or ("per_language" if read.form == "text" else shared)
    task = Task(
        name=read.name,
        description=read.description,
        form=read.form,
        fields=tuple(read.fields),
        labels=labels,
        layout=read.layout,
        instructions={},
        answers=answers,
        source=_source(read),
        columns=_columns(read),
        gold=Gold(gold.read, gold.labels, gold.separator, across),
        key=Key(tuple(map(tuple, read.key.columns)), tuple(read.key.normalised), read.key.parallel),
        faults=tuple(Fault(fault.item, normalise(fault.language), fault.reason) for fault in read.faults),
        licence=read.licence,
        citation=read.citation,
        url=read.url,
        notes=tuple(read.notes),
    )
    if task.source.builtin is not None:
        return _builtin(task, file)
    written = {tag: _instruction(task, tag, part, file) for tag, part in read.instructions.items()}
    task = replace(task, instructions=written)
    _check_layout(task, file)
    return task


def _builtin(task: Task, file: object) -> Task:
    """Layout, instructions and languages of items that come with hesperus; their own folder says them."""
    assert task.source.builtin is not None
    home = builtin_items(task.source.builtin[0], file)
    asking = home.asking(task.name)
    if (asking.form, asking.fields, asking.labels) != (task.form, task.fields, task.labels):
        raise DataError(f"form, fields and options must be those of the built-in {task.name!r}", file=file)
    languages = {tag: tag for tag in home.languages()}
    return replace(
        task,
        layout=asking.layout,
        instructions=asking.instructions,
        source=replace(task.source, languages=languages),
    )


def builtin_items(name: str, file: object) -> ModuleType:
    """The module that holds a set of built-in items.

    Raises:
        UnknownNameError: There is no such set; a task file cannot name a module of its own.
    """
    if name not in _BUILTIN:
        raise UnknownNameError(f"source.builtin of {file}", name, _BUILTIN)
    return import_module(_BUILTIN[name])


def _known_labels(given: Iterable[str], labels: tuple[str, ...], kind: str, file: object) -> None:
    for label in given:
        if label not in labels:
            raise UnknownNameError(f"{kind} of {file}", label, labels)


def _instruction(task: Task, tag: str, part: InstructionPart, file: object) -> Instruction:
    """The instruction of one language; its answers are the file's own, else those of the language pack."""
    where = f"instructions.{tag}"
    if part.answers is None:
        answers = task.answer_words(tag)
    else:
        _known_labels(part.answers, task.labels, f"label under {where}.answers", file)
        answers = {label: tuple(words) for label, words in part.answers.items()}
    missing = [label for label in task.labels if not any(word.strip() for word in answers.get(label, ()))]
    if missing:
        raise DataError(
            f"no word stands for the label {missing[0]!r} in {tag!r}; add it under {where}.answers",
            file=file,
            field=f"{where}.answers",
        )
    return Instruction(tag, part.prefix.strip(), part.words, part.suffix.strip(), answers)


def _check_layout(task: Task, file: object) -> None:
    """Refuse a layout that names what is not there, or leaves out what is.

    The whole grammar is checked where prompts are rendered; this finds what can be seen without an item.
    """
    slots = [(match[1], match[2]) for match in _SLOT.finditer(task.layout)]
    shown = {name for name, part in slots if part is None}
    groups = set(task.columns.groups)
    known = {*task.fields, *groups, "prefix", "suffix", "options", "option"}
    for name, part in slots:
        if name not in known or (part is None and name in groups - set(task.fields)):
            names = [f"{{{field}}}" for field in sorted(known - groups - {"option"})]
            raise UnknownNameError(f"placeholder of the layout of {file}", f"{{{name}}}", names)
    for name in task.fields:
        if name not in shown:
            raise DataError(
                f"the layout leaves out the field {name!r}: it has no {{{name}}}", file=file, field="layout"
            )
    for instruction in task.instructions.values():
        for name, text in (("prefix", instruction.prefix), ("suffix", instruction.suffix)):
            if text and name not in shown:
                raise DataError(
                    f"the layout has no {{{name}}}, and the instruction in {instruction.language!r} has one",
                    file=file,
                    field="layout",
                )
        _check_words(task, instruction, slots, file)


def _check_words(
    task: Task, instruction: Instruction, slots: list[tuple[str, str | None]], file: object
) -> None:
    for name, part in slots:
        if part == "word" and name in task.fields and name not in instruction.words:
            raise DataError(
                f"the layout asks for {{{name}.word}}, and the instruction in {instruction.language!r} has no such word",
                file=file,
                field=f"instructions.{instruction.language}.words",
            )
    used = {name for name, part in slots if part == "word"}
    for key in instruction.words:
        if key.split("=")[0] not in used:
            raise UnknownNameError(
                f"word of the instruction in {instruction.language!r} of {file}",
                key,
                used,
                "the layout does not use it",
            )


def _source(read: TaskFile) -> Source:
    part = read.source
    return Source(
        languages=part.languages,
        hub=part.hub,
        revision=part.revision,
        revision_note=part.revision_note,
        config=part.config,
        split=part.split,
        files=part.files,
        builtin=(part.builtin, part.form or "") if part.builtin else None,
        language_column=part.language_column,
        header=tuple(part.header) if part.header is not None else None,
        quoted=part.quoted,
        where=part.where,
    )


def _columns(read: TaskFile) -> Columns:
    part = read.columns
    options = part.options
    listed = options is not None and options.column is not None
    columns = [] if options is None else [options.column] if options.column is not None else options.columns
    return Columns(
        fields={name: tuple(column) for name, column in part.fields.items()},
        gold=tuple(part.gold) if part.gold is not None else None,
        options=tuple(map(tuple, columns)),
        listed=listed,
        separator=options.separator if options else None,
        shuffled=options.shuffled if options else False,
        aliases=tuple(part.aliases) if part.aliases is not None else None,
        groups={name: tuple(column) for name, column in part.groups.items()},
    )
