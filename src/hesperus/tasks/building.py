"""From a validated task file to a Task: languages, labels and words resolved, and the layout checked for loss."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from types import ModuleType

from hesperus.errors import DataError, UnknownNameError
from hesperus.tasks.definition import LETTERS, Task
from hesperus.tasks.task_wordings import ChosenWordings, choose_wordings, written_instruction
from hesperus.tasks.taskfile import TaskFile
from hesperus.types import Instruction

_BUILTIN = {"atlas": "hesperus.tasks.atlas", "prompts": "hesperus.tasks.prompts"}

_SLOT = re.compile(r"(?<!\{)\{([A-Za-z_]\w*)(?:\.(\w+))?(?:\|\w+)?\}(?!\})")


def build_task(read: TaskFile, *, file: object, wording: str | None = None) -> Task:
    """Turn a task file into a Task.

    Args:
        read: The validated file.
        file: Named in errors.
        wording: Wording that is asked before the others; it becomes part of the task's name.

    Raises:
        DataError: Parts that do not fit together: a field that the layout leaves out, an answer for a label that does
            not exist, an unknown gold label.
        UnknownNameError: A label of an answer, a key of the language packs, or a wording that does not exist.
    """
    chosen = choose_wordings(read, wording, file=file)
    labels = tuple(LETTERS[: read.options]) if read.form == "choice" else tuple(read.labels)
    _known_labels(read.gold.labels.values(), labels, "label under gold.labels", file)
    _known_labels(read.answers, labels, "label under answers", file)
    task = _described(read, chosen, labels)
    if wording is not None:
        task = replace(task, name=f"{read.name}@{wording}")
    if task.source.builtin is not None:
        return _builtin(task, file)
    options = task.columns.options
    fixed = options is None or options.at_least in (None, len(task.labels))
    written = {
        tag: written_instruction(task, tag, part, fixed=fixed, file=file)
        for tag, part in chosen.parts.items()
    }
    task = replace(task, instructions=written)
    _check_layout(task, file)
    return task


def _described(read: TaskFile, chosen: ChosenWordings, labels: tuple[str, ...]) -> Task:
    """The task as its file describes it, without instructions."""
    return Task(
        name=read.name,
        description=read.description,
        form=read.form,
        fields=tuple(read.fields),
        labels=labels,
        layout=chosen.layout,
        instructions={},
        answers={
            label: given if isinstance(given, str) else tuple(given) for label, given in read.answers.items()
        },
        source=read.source,
        columns=read.columns,
        gold=read.gold,
        key=read.key,
        faults=read.faults,
        wordings=chosen.wordings,
        presets=chosen.presets,
        size=read.size,
        licence=read.licence,
        licence_note=read.licence_note,
        share=read.share,
        citation=read.citation,
        url=read.url,
        notes=tuple(read.notes),
        unverified=(*read.unverified, *_unreviewed(chosen)),
        example=read.example,
    )


def _unreviewed(chosen: ChosenWordings) -> Iterator[str]:
    for name, tags in chosen.unreviewed.items():
        yield f"the wording {name!r} in {' '.join(tags)}: no native reader has confirmed it"


def _builtin(task: Task, file: object) -> Task:
    """Layout, instructions and languages of items that come with hesperus; their own folder says them."""
    assert task.source.builtin is not None
    home = builtin_items(task.source.builtin, file)
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
