"""Several configurations of a data set as one table: a file for each subject, and a column that says which."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from hesperus.errors import DataError, UsageError
from hesperus.tasks.rows import Rows, joined
from hesperus.tasks.task_parts import Source

SHARD = re.compile(r"-\d{5}-of-\d{5}")
"""What parts the name of one file of a data set that lies in several."""

_SUFFIXES = re.compile(r"(\.[A-Za-z]+)+$")


def with_configuration(rows: Rows, source: Source, name: str) -> Rows:
    """Rows with a column that holds the name of their configuration; a column of that name that is there stays."""
    column = source.config_column or ""
    if column in rows.columns:
        return rows
    return Rows(rows.place, {**rows.columns, column: [name] * len(rows)}, rows.lines, rows.places)


def of_pattern(
    source: Source, pattern: str, find: Callable[[str], Path], read: Callable[[Path], Rows]
) -> Rows:
    """The files of every configuration, by a pattern that holds ``{config}``.

    Args:
        source: Names the configurations.
        pattern: Path with ``{config}``, and perhaps ``{language}``.
        find: Finds the file of a pattern in which only ``{language}`` is left.
        read: Reads a file.

    Raises:
        UsageError: The task has no configurations, or a file is not there.
    """
    if not source.is_configured:
        raise UsageError(f"{pattern} names {{config}}, and the task has one configuration only")
    parts = [(name, read(find(pattern.replace("{config}", name)))) for name in source.config]
    return joined([with_configuration(rows, source, name) for name, rows in parts])


def of_folder(
    source: Source, folder: Path, files: Sequence[Path], read: Callable[[Path], Rows]
) -> Rows | None:
    """The files of every configuration in a folder, each told by its name; None if no file is named for one.

    Args:
        source: Names the configurations and the split.
        folder: The folder.
        files: Its data files.
        read: Reads a file.

    Raises:
        DataError: Some configurations have a file and others have none, or several files are named for one.
    """
    by_name = {
        name: [path for path in files if _is_named(path.relative_to(folder), source, name)]
        for name in source.config
    }
    missing = [name for name, paths in by_name.items() if not paths]
    if len(missing) == len(by_name):
        return None
    if missing:
        shown = ", ".join(map(repr, missing[:8]))
        raise DataError(
            f"{len(by_name) - len(missing)} configurations of {len(by_name)} have a file there; none is named for {shown}"
            f"{', …' if len(missing) > 8 else ''}",
            file=folder,
        )
    parts: list[Rows] = []
    for name, paths in by_name.items():
        if len({SHARD.sub("", str(path)) for path in paths}) > 1:
            shown = ", ".join(str(path.relative_to(folder)) for path in paths[:8])
            raise DataError(f"several files are named for the configuration {name!r}: {shown}", file=folder)
        parts += [with_configuration(read(path), source, name) for path in paths]
    return joined(parts)


def _is_named(path: Path, source: Source, name: str) -> bool:
    """Whether a folder or the file itself bears exactly the configuration's name, with or without that of the split.

    Parts of a name do not count: ``Criminal-Law-test.csv`` is no file of ``Law``. Files of another split do not either,
    where folders or names tell the split.
    """
    split = (source.split or "").casefold()
    plain = _folded(name)
    steps = [_folded(step) for step in path.parts[:-1]] + [
        _folded(SHARD.sub("", _SUFFIXES.sub("", path.name)))
    ]
    forms = {plain, f"{plain}_{split}", f"{split}_{plain}"}
    named = [place for place, step in enumerate(steps) if step in forms]
    if not named:
        return False
    others = {"train", "dev", "validation", "val", "test"} - {split}
    return not any(step in others or step in {f"{plain}_{other}" for other in others} for step in steps)


def _folded(text: str) -> str:
    return text.casefold().replace("-", "_").replace(" ", "_")
