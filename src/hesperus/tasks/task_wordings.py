"""How a task is asked: its instructions, from the task file and from the wordings that many tasks share.

A *wording* is a set of instructions, one in each of several languages, such as those of a paper. A task names its
wordings in order, and each language takes the first that has it. ``NAME@WORDING`` puts another first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from hesperus.errors import DataError, UnknownNameError
from hesperus.tasks.definition import Task
from hesperus.tasks.task_validation import parsed
from hesperus.tasks.taskfile import InstructionPart, TaskFile, WordingFile
from hesperus.types import Instruction

OWN = "own"
"""Name of the wording that a task file gives under ``instructions``."""


@dataclass(frozen=True, slots=True)
class ChosenWordings:
    """The instructions of a task before labels are resolved.

    Attributes:
        layout: Layout of the prompt.
        parts: BCP-47 tag to the instruction.
        wordings: BCP-47 tag to the name of its wording.
        presets: Names to choose from, those asked by default first.
        unreviewed: Wording to the tags in which no native reader has confirmed it; the shared ones only.
    """

    layout: str
    parts: Mapping[str, InstructionPart]
    wordings: Mapping[str, str]
    presets: tuple[str, ...]
    unreviewed: Mapping[str, tuple[str, ...]]


def choose_wordings(read: TaskFile, preset: str | None, *, file: object) -> ChosenWordings:
    """Take the instruction of each language from the first wording that has it.

    Args:
        read: The task file.
        preset: Wording that comes first; None for the file's own order.
        file: Named in errors.

    Raises:
        UnknownNameError: No such wording.
        DataError: A shared wording is for other fields than the task's.
    """
    own = [OWN] if read.instructions and OWN not in read.wording else []
    by_default = [*own, *read.wording]
    presets = tuple(dict.fromkeys([*by_default, *read.wordings]))
    if preset is not None and preset not in presets:
        raise UnknownNameError(f"wording of {read.name!r}", preset, presets)
    order = by_default if preset is None else [preset, *(name for name in by_default if name != preset)]
    parts: dict[str, InstructionPart] = {}
    wordings: dict[str, str] = {}
    unreviewed: dict[str, tuple[str, ...]] = {}
    layout = read.layout
    for name in order:
        shared = None
        if name == OWN and read.instructions:
            found: Mapping[str, InstructionPart] = read.instructions
        elif name in read.wordings:
            found = read.wordings[name]
        else:
            shared = _shared_for(read, name, file)
            found = shared.instructions
            layout = layout or shared.layout
        new = [tag for tag in found if tag not in parts]
        parts |= {tag: found[tag] for tag in new}
        wordings |= dict.fromkeys(new, name)
        doubtful = tuple(tag for tag in new if shared is not None and tag not in shared.reviewed)
        if doubtful:
            unreviewed[name] = doubtful
    return ChosenWordings(layout, parts, wordings, presets, unreviewed)


def shared_wordings() -> tuple[str, ...]:
    """Names of the wordings that come with hesperus, sorted."""
    folder = files("hesperus.tasks") / "wordings"
    return tuple(
        sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    )


@lru_cache(maxsize=64)
def shared_wording(name: str) -> WordingFile:
    """A wording that comes with hesperus, with the suffixes that it takes from another.

    Raises:
        UnknownNameError: No such name.
        DataError: The wording that should have a suffix has none in a language.
    """
    if name not in shared_wordings():
        raise UnknownNameError("wording", name, shared_wordings())
    file = f"{name}.yaml"
    read = parsed(
        WordingFile, (files("hesperus.tasks") / "wordings" / file).read_text(encoding="utf-8"), file
    )
    if read.suffixes is None:
        return read
    others = shared_wording(read.suffixes).instructions
    parts = dict(read.instructions)
    for tag, part in parts.items():
        if not part.suffix:
            if tag not in others:
                raise DataError(
                    f"{read.suffixes!r} has no suffix in {tag!r}", file=file, field=f"instructions.{tag}"
                )
            parts[tag] = part.model_copy(update={"suffix": others[tag].suffix})
    return read.model_copy(update={"instructions": parts})


def written_instruction(
    task: Task, tag: str, part: InstructionPart, *, fixed: bool, file: object
) -> Instruction:
    """The instruction of one language; its answers are the file's own, else those of the language pack.

    Args:
        task: Its labels and answers are used.
        tag: BCP-47 tag.
        part: As the file has it.
        fixed: Whether every item has as many options as the task has labels, so that a suffix may name the letters.
        file: Named in errors.

    Raises:
        UnknownNameError: An answer for a label that the task does not have.
        DataError: No word represents a label, or no suffix is for the task's number of options.
    """
    where = f"instructions.{tag}"
    if part.answers is None:
        answers = task.answer_words(tag)
    else:
        for label in part.answers:
            if label not in task.labels:
                raise UnknownNameError(f"label under {where}.answers of {file}", label, task.labels)
        answers = {label: tuple(words) for label, words in part.answers.items()}
    missing = [label for label in task.labels if not any(word.strip() for word in answers.get(label, ()))]
    if missing:
        raise DataError(
            f"no word stands for the label {missing[0]!r} in {tag!r}; add it under {where}.answers",
            file=file,
            field=f"{where}.answers",
        )
    number = str(len(task.labels)) if fixed else "any"
    if part.suffix and not {number, "any"} & set(part.suffix):
        raise DataError(
            f"the instruction in {tag!r} has no suffix for {number} options and none for any number",
            file=file,
            field=f"{where}.suffix",
        )
    suffix = part.suffix.get(number, part.suffix.get("any", ""))
    return Instruction(tag, part.prefix.strip(), part.words, suffix.strip(), answers)


def _shared_for(read: TaskFile, name: str, file: object) -> WordingFile:
    if name not in shared_wordings():
        raise UnknownNameError(f"wording of {file}", name, (*read.wordings, *shared_wordings()))
    shared = shared_wording(name)
    if shared.fields != read.fields:
        raise DataError(
            f"the wording {name!r} is for the fields {', '.join(shared.fields)}; the task has {', '.join(read.fields)}",
            file=file,
            field="wording",
        )
    return shared
