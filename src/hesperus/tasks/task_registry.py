"""The catalogue: one data file per benchmark, and the same door for a user's own."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus import plugins
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.tasks.building import build_task
from hesperus.tasks.task_validation import parsed
from hesperus.tasks.taskfile import TaskFile

if TYPE_CHECKING:
    from hesperus.tasks.definition import Task

_ENDINGS = (".yaml", ".yml")


def tasks() -> tuple[str, ...]:
    """Names of the benchmarks in the catalogue, sorted."""
    return tuple(sorted(_files()))


def task(name_or_path: str) -> Task:
    """A task by its name in the catalogue, or from a task file.

    Args:
        name_or_path: ``paws-x``, or the path of a YAML file of the same form (ending ``.yaml`` or ``.yml``). Behind an
            ``@`` stands the wording that is asked before the others: ``xnli@natural``.

    Raises:
        UnknownNameError: The catalogue has no such task, or the task no such wording; or a key in the file does not
            exist.
        UsageError: There is no such file.
        DataError: The file breaks the form of a task file.

    Example:
        >>> task("paws-x").labels
        ('same', 'different')
    """
    known = _files()
    name, wording = _parted(name_or_path)
    if name in known:
        return _catalogued(name, wording)
    if not name.endswith(_ENDINGS):
        offered = plugins.maker("hesperus.tasks", name, known)
        if offered is not None:
            return task(f"{offered}@{wording}" if wording else str(offered))
        raise UnknownNameError(
            "task", name, known, "`hesperus tasks` lists them; a file of your own ends in .yaml"
        )
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError("not UTF-8", file=path) from None
    except OSError as error:
        raise UsageError(f"cannot read the task file {path}: {error.strerror or error}") from None
    return build_task(parsed(TaskFile, text, path), file=path, wording=wording)


def _parted(name_or_path: str) -> tuple[str, str | None]:
    """A name or path and the wording behind its last ``@``; a path may hold that mark as well."""
    name, mark, wording = name_or_path.rpartition("@")
    if mark and (name in _files() or name.endswith(_ENDINGS)):
        return name, wording
    return name_or_path, None


@lru_cache(maxsize=1)
def _files() -> dict[str, Traversable]:
    folder = files("hesperus.tasks") / "catalogue"
    return {
        entry.name.removesuffix(".yaml"): entry for entry in folder.iterdir() if entry.name.endswith(".yaml")
    }


@lru_cache(maxsize=128)
def _catalogued(name: str, wording: str | None) -> Task:
    entry = _files()[name]
    read = parsed(TaskFile, entry.read_text(encoding="utf-8"), entry.name)
    return build_task(read, file=entry.name, wording=wording)
