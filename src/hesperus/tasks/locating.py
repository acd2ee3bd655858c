"""Finding the data of each language: on the hub, among the built-in items, or in files that a user names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UsageError
from hesperus.languages import normalise
from hesperus.tasks.configurations import SHARD, of_folder, of_pattern
from hesperus.tasks.definition import Task
from hesperus.tasks.readers import is_data_file, read_rows, rows_of_frame
from hesperus.tasks.rows import Rows, joined

Place = str | Path | pl.DataFrame
Given = Place | Mapping[str, Place]
"""A file, a folder, a pattern with ``{language}``, a frame, or one of these for each language."""

_MOST_FILES = 20_000


def find_rows(task: Task, languages: Sequence[str], given: Given | None) -> dict[str, Rows]:
    """The rows of each language.

    Args:
        task: Says where its data lie, how they name languages, and whether one table holds several.
        languages: BCP-47 tags.
        given: Where to look instead of the task's own source.

    Raises:
        UsageError: Nothing is given and the task has no hub; no such file; one file for several languages that cannot
            hold them.
        DataError: A folder in which the file of a language cannot be told; or what the readers raise.
    """
    if given is None:
        return {language: _from_source(task, task.source.code(language)) for language in languages}
    if isinstance(given, Mapping):
        return _from_mapping(task, languages, given)
    cache: dict[Path, Rows] = {}

    def read(path: Path) -> Rows:
        if path not in cache:
            cache[path] = read_rows(path, task.source)
        return cache[path]

    found: dict[str, Rows] = {}
    for language in languages:
        code = task.source.code(language)
        if isinstance(given, pl.DataFrame):
            found[language] = rows_of_frame(given, "the given frame")
        elif "{config}" in str(given):
            find = partial(_by_pattern, code=code, language=language)
            found[language] = of_pattern(task.source, str(given), find, read)
        elif "{language}" in str(given):
            found[language] = read(_by_pattern(str(given), code, language))
        elif Path(given).is_dir():
            found[language] = _in_folder(task, Path(given), (code, language), read)
        else:
            found[language] = read(Path(given))
    places = {rows.place for rows in found.values()}
    if len(languages) > 1 and len(places) == 1:
        _refuse_one_for_all(task, next(iter(found.values())))
    return found


def each_rows(task: Task, languages: Sequence[str], given: Given | None) -> Iterator[tuple[str, Rows]]:
    """As find_rows, one language after the other: what is in files of its own is read when its turn comes.

    Raises:
        UsageError: See find_rows.
        DataError: See find_rows.
    """
    codes = {task.source.code(language) for language in languages}
    own_files = isinstance(given, str | Path) and "{language}" in str(given) and len(codes) == len(languages)
    if given is None or own_files:
        for language in languages:
            yield language, find_rows(task, [language], given)[language]
        return
    found = find_rows(task, languages, given)
    for language in languages:
        yield language, found.pop(language)


def _from_source(task: Task, code: str) -> Rows:
    if task.source.hub is None:
        how = task.source.obtain or "its task file names no hub"
        raise UsageError(
            f"the data of {task.name!r} must be named: {how}. Then give the folder or file (--data)"
        )
    from hesperus.tasks.hub import read_hub

    return read_hub(task.source, code)


def _from_mapping(task: Task, languages: Sequence[str], given: Mapping[str, Place]) -> dict[str, Rows]:
    by_tag = {normalise(tag): place for tag, place in given.items()}
    for language in languages:
        if language not in by_tag:
            raise UsageError(
                f"no data are named for {language!r}; there are some for {', '.join(sorted(by_tag))}"
            )
    return {language: find_rows(task, [language], by_tag[language])[language] for language in languages}


def _by_pattern(pattern: str, code: str, language: str) -> Path:
    paths = list(dict.fromkeys(Path(pattern.replace("{language}", name)) for name in (code, language)))
    for path in paths:
        if path.is_file():
            return path
    raise UsageError(f"no such data file: {' or '.join(map(str, paths))}")


def _in_folder(task: Task, folder: Path, names: tuple[str, str], read: Callable[[Path], Rows]) -> Rows:
    """The file of one language in a folder: where it is published, or by the language's code in its path, or one for all.

    Of a task of several configurations it is the file of each of them.
    """
    if task.source.files is not None:
        published = folder / task.source.files.replace("{language}", names[0])
        if published.is_file():
            return read(published)
    every = []
    for path in sorted(folder.rglob("*")):
        if is_data_file(path) and path.is_file():
            every.append(path)
        if len(every) > _MOST_FILES:
            raise UsageError(f"{folder} holds more than {_MOST_FILES} data files; name a folder further down")
    if not every:
        raise UsageError(f"{folder} holds no data file")
    configured = of_folder(task.source, folder, every, read) if task.source.is_configured else None
    if configured is not None:
        return configured
    for name in dict.fromkeys(names):
        matching = [path for path in every if _names(path.relative_to(folder), name)]
        if matching:
            return _one_of(task, folder, name, matching, read)
    alike = _of_split(task, folder, every)
    if len(alike) == 1 and _holds_many(task):
        return read(alike[0])
    shown = ", ".join(str(path.relative_to(folder)) for path in every[:8])
    raise DataError(
        f"no file there has {names[0]!r} in its path; the files are {shown}{', …' if len(every) > 8 else ''}. Give a "
        "pattern with {language} instead",
        file=folder,
    )


def _one_of(task: Task, folder: Path, name: str, matching: list[Path], read: Callable[[Path], Rows]) -> Rows:
    chosen = _of_split(task, folder, matching)
    if len({SHARD.sub("", str(path)) for path in chosen}) == 1:
        return joined([read(path) for path in chosen])
    shown = ", ".join(str(path.relative_to(folder)) for path in chosen[:8])
    raise DataError(
        f"several files there have {name!r} in their path: {shown}. Give a pattern with {{language}}",
        file=folder,
    )


def _of_split(task: Task, folder: Path, paths: list[Path]) -> list[Path]:
    """Those that name the task's split, if any does."""
    split = task.source.split
    named = [path for path in paths if split and _names(path.relative_to(folder), split)]
    return named or paths


def _names(path: Path, word: str) -> bool:
    """Whether a word is a word of its own in a path; ``AR_XY`` and ``AR-XY`` are one."""
    plain = re.escape(word.casefold().replace("-", "_"))
    return (
        re.search(rf"(?<![a-z0-9]){plain}(?![a-z0-9])", path.as_posix().casefold().replace("-", "_"))
        is not None
    )


def _holds_many(task: Task) -> bool:
    """Whether the task's columns can find several languages in one table."""
    options = task.columns.options
    columns = (*task.columns.fields.values(), *(options.every if options is not None else ()))
    return task.source.language_column is not None or any(
        "{language}" in name for names in columns for name in names
    )


def _refuse_one_for_all(task: Task, rows: Rows) -> None:
    if not _holds_many(task):
        raise UsageError(
            f"one file for several languages ({rows.place}): the task must say where each language is, by "
            "source.language_column or by {language} in its columns; or give a pattern with {language}"
        )
