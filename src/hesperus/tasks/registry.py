"""The catalogue: one data file per benchmark, and the same door for a user's own."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.tasks.building import build_task
from hesperus.tasks.taskfile import parse_task_file

if TYPE_CHECKING:
    from hesperus.tasks.definition import Task

_ENDINGS = (".yaml", ".yml")


def tasks() -> tuple[str, ...]:
    """Names of the benchmarks in the catalogue, sorted."""
    return tuple(sorted(_files()))


def task(name_or_path: str) -> Task:
    """A task by its name in the catalogue, or from a task file.

    Args:
        name_or_path: ``paws-x``, or the path of a YAML file of the same form (ending ``.yaml`` or ``.yml``).

    Raises:
        UnknownNameError: The catalogue has no such task; or a key in the file does not exist.
        UsageError: There is no such file.
        DataError: The file breaks the form of a task file.

    Example:
        >>> task("paws-x").labels
        ('same', 'different')
    """
    known = _files()
    if name_or_path in known:
        return _catalogued(name_or_path)
    if not name_or_path.endswith(_ENDINGS):
        raise UnknownNameError(
            "task", name_or_path, known, "`hesperus tasks` lists them; a file of your own ends in .yaml"
        )
    path = Path(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError("not UTF-8", file=path) from None
    except OSError as error:
        raise UsageError(f"cannot read the task file {path}: {error.strerror or error}") from None
    return build_task(parse_task_file(text, path), file=path)


@lru_cache(maxsize=1)
def _files() -> dict[str, Traversable]:
    folder = files("hesperus.tasks") / "catalogue"
    return {
        entry.name.removesuffix(".yaml"): entry for entry in folder.iterdir() if entry.name.endswith(".yaml")
    }


@lru_cache(maxsize=64)
def _catalogued(name: str) -> Task:
    entry = _files()[name]
    return build_task(parse_task_file(entry.read_text(encoding="utf-8"), entry.name), file=entry.name)
