"""Where the relative paths of a study file start: in the working directory, or in a folder at or above the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

_FILES = ("data", "records", "exclude", "prices", "plugins")
_LISTS = ("records", "plugins")
_NAMES_OR_FILES = ("task", "grouping")
"""Keys that hold a name, or a file whose name ends in one of _ENDINGS."""
_ENDINGS = (".yaml", ".yml")
_PARTS = ("native",)
"""Parts of a study file that name files of their own."""


def home_of(values: Mapping[str, Any], file: Path) -> Path | None:
    """The folder from which the files that a study names are found, where that is not the working directory.

    A run folder lies below the folder from which its study was run, and a study that somebody wrote lies next to its
    files: the nearest folder at or above the study file that has everything it names is taken.

    Args:
        values: Keys as in the file, not yet validated.
        file: The study file.

    Returns:
        None if everything is found from the working directory, or some file is found nowhere.
    """
    named = [path for path in _named(values) if not Path(path).is_absolute()]
    if all(_is_there(Path(), path) for path in named):
        return None
    # The path as it was given: a linked run folder belongs where its link lies.
    for folder in Path(os.path.abspath(file)).parents:  # noqa: PTH100
        if all(_is_there(folder, path) for path in named):
            return folder
    return None


def with_relative_files(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The keys of a study as they are kept in its run folder, which is passed on: no file by its absolute path.

    Where some file is named by an absolute path, all files are named from the run folder, where `home_of` looks first.

    Args:
        values: Keys of a validated study, as plain values.
        folder: The run folder.
    """
    if not any(Path(path).is_absolute() for path in _named(values)):
        return dict(values)
    return _placed(values, lambda path: Path(os.path.relpath(path, folder)).as_posix())


def with_found_files(values: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The keys of a study file whose files are found from the working directory, wherever they start in the file."""
    home = home_of(values, file)
    return (
        dict(values)
        if home is None
        else _placed(values, lambda path: os.path.normpath(home.absolute() / path))
    )


def _placed(values: Mapping[str, Any], place: Callable[[str], str]) -> dict[str, Any]:
    def placed(key: str, value: Any) -> Any:
        is_file = key in _FILES or (key in _NAMES_OR_FILES and str(value).endswith(_ENDINGS))
        return place(value) if is_file and isinstance(value, str) and value else value

    kept: dict[str, Any] = {}
    for key, value in values.items():
        if key in _PARTS and isinstance(value, Mapping):
            kept[key] = _placed(value, place)
        elif key in _LISTS and isinstance(value, list | tuple):
            kept[key] = [placed(key, one) for one in value]
        else:
            kept[key] = placed(key, value)
    return kept


def _named(values: Mapping[str, Any]) -> Iterator[str]:
    """Every file that a study names."""
    for key, value in values.items():
        if key in _PARTS and isinstance(value, Mapping):
            yield from _named(value)
        for one in value if isinstance(value, list | tuple) and key in _LISTS else (value,):
            is_file = key in _FILES or (key in _NAMES_OR_FILES and str(one).endswith(_ENDINGS))
            if is_file and isinstance(one, str) and one:
                yield one


def _is_there(folder: Path, path: str) -> bool:
    """Whether a file or folder is there; of a pattern with {language}, the folder before the language."""
    before, language, _ = path.partition("{language}")
    place = folder / (before.rpartition("/")[0] if language else path)
    try:
        return place.exists()
    except (OSError, ValueError):
        return False
