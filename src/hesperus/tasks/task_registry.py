"""The catalogue: one data file per benchmark, and the same door for a user's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus import plugins
from hesperus.errors import UnknownNameError
from hesperus.tasks.building import build_task
from hesperus.tasks.task_validation import described_editions, edition_names, parsed
from hesperus.tasks.taskfile import TaskFile
from hesperus.text_files import read_text

if TYPE_CHECKING:
    from hesperus.tasks.definition import Task

_ENDINGS = (".yaml", ".yml")


def tasks() -> tuple[str, ...]:
    """Names of the benchmarks in the catalogue, sorted; of one with editions, each edition."""
    return tuple(sorted(_entries()))


def family(name: str) -> str:
    """The benchmark of which a task of the catalogue is an edition, or its own name: ``blend`` for ``blend-kr``."""
    entry = _entries().get(name)
    return entry.stem if entry else name


def family_description(name: str) -> str:
    """What all editions of a benchmark ask, with an ellipsis where they differ.

    Args:
        name: A task of the catalogue that is one of the editions.
    """
    entry = _entries()[name]
    return described_editions(entry.file.read_text(encoding="utf-8"), entry.file.name)


def task(name_or_path: str) -> Task:
    """A task by its name in the catalogue, or from a task file.

    Args:
        name_or_path: ``paws-x``, or the path of a YAML file of the same form (ending ``.yaml`` or ``.yml``). Behind an
            ``@`` comes the wording that is asked before the others: ``xnli@natural``.

    Raises:
        UnknownNameError: The catalogue has no such task, or the task no such wording; or a key in the file does not
            exist.
        UsageError: There is no such file.
        DataError: The file breaks the form of a task file.

    Example:
        >>> task("paws-x").labels
        ('same', 'different')
    """
    known = _entries()
    name, wording = _parted(name_or_path)
    if name in known:
        return _catalogued(name, wording)
    if not name.endswith(_ENDINGS):
        offered = plugins.maker("hesperus.tasks", name, known)
        if offered is not None:
            return task(f"{offered}@{wording}" if wording else str(offered))
        raise UnknownNameError("task", name, *_hint(name))
    path = Path(name)
    return build_task(parsed(TaskFile, read_text(path, "task file"), path), file=path, wording=wording)


def _parted(name_or_path: str) -> tuple[str, str | None]:
    """A name or path and the wording behind its last ``@``; a path may hold that mark as well."""
    name, mark, wording = name_or_path.rpartition("@")
    if mark and (name in _entries() or name.endswith(_ENDINGS)):
        return name, wording
    return name_or_path, None


def _hint(name: str) -> tuple[tuple[str, ...], str]:
    """The names near to one that is unknown, and what to do next."""
    editions = tuple(known for known, entry in _entries().items() if entry.edition and entry.stem == name)
    if editions:
        return editions, f"it has {len(editions)} editions: {', '.join(editions)}"
    return tasks(), "`hesperus tasks` lists them; a file of your own ends in .yaml"


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where the description of a task lies.

    Attributes:
        file: The file of the catalogue.
        stem: Its name without ending.
        edition: Which of the file's editions the task is, if it has any.
    """

    file: Traversable
    stem: str
    edition: str | None = None


@lru_cache(maxsize=1)
def _entries() -> dict[str, _Entry]:
    """Every task of the catalogue by its name."""
    folder = files("hesperus.tasks") / "catalogue"
    entries = {entry.stem: entry for entry in _yaml_files(folder)}
    for entry in _yaml_files(folder / "editions"):
        for name in edition_names(entry.file.read_text(encoding="utf-8"), entry.file.name):
            entries[f"{entry.stem}-{name}"] = replace(entry, edition=name)
    return entries


def _yaml_files(folder: Traversable) -> Iterator[_Entry]:
    for file in folder.iterdir():
        if file.name.endswith(".yaml"):
            yield _Entry(file, file.name.removesuffix(".yaml"))


@lru_cache(maxsize=128)
def _catalogued(name: str, wording: str | None) -> Task:
    entry = _entries()[name]
    text = entry.file.read_text(encoding="utf-8")
    read = parsed(TaskFile, text, entry.file.name, edition=entry.edition)
    return build_task(read, file=entry.file.name, wording=wording)
