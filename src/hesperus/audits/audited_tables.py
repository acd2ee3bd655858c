"""Files without a task: their rows brought to one shape, one row per item and language.

Three layouts are known: a table with a column that tells the language; a file for each language, named for it; and
rows that hold all languages, keyed by language inside a column (``{"q": {"de": …, "en": …}}``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import languages as known_languages
from hesperus.languages import normalise
from hesperus.tables import LANGUAGE_COLUMNS
from hesperus.tasks.readers import ENDINGS, is_data_file, read_rows
from hesperus.tasks.rows import Rows, text_of

_ITEMS_FILE = "items.parquet"
_RECORDS_FILE = "records.parquet"
_RECORDS_COLUMNS = frozenset({"model", "task", "item", "instruction", "input", "answer"})
_MADE_COLUMNS = frozenset({"item", "language", "input", "model"})
_ANSWERS_ALONE = "holds answers and no questions; audit the task by its name, the benchmark's files, or the folder of a run that asked"
_TOKEN = re.compile(r"[A-Za-z]+|\d+")
_MOST_FILES = 2_000


@dataclass(frozen=True, slots=True)
class Row:
    """A row in one language.

    Attributes:
        language: BCP-47 tag.
        place: File and line, for errors.
        number: 0-based number of the row in its file.
        values: Column to value.
    """

    language: str
    place: str
    number: int
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LongTable:
    """Rows of all files.

    Attributes:
        rows: One per item and language.
        keyed: Columns that were keyed by language in the files.
        notes: What was not read.
    """

    rows: tuple[Row, ...]
    keyed: frozenset[str]
    notes: tuple[str, ...] = ()


def read_tables(paths: Sequence[Path], *, language_column: str | None = None) -> LongTable:
    """Read files, and bring their rows to one shape.

    Folders represent the data files in them, a run folder its items; without a `language_column` one is looked for by
    its name.
    """
    rows: list[Row] = []
    keyed: set[str] = set()
    unknown: dict[str, int] = {}
    said: list[str] = []
    for path in _files(paths):
        table = read_rows(path)
        if set(table.columns) >= _RECORDS_COLUMNS:
            raise UsageError(f"{path}: {_ANSWERS_ALONE}")
        if set(table.columns) >= _MADE_COLUMNS:
            table = _one_wording_each(table, said)
        columns = _keyed_columns(table)
        keyed |= columns
        rows += _keyed_rows(table, columns, unknown) if columns else _plain_rows(table, path, language_column)
    notes = tuple(
        f"{code!r} is no known language: {count} rows were skipped" for code, count in unknown.items()
    )
    return LongTable(tuple(rows), frozenset(keyed), (*said, *notes))


def _one_wording_each(table: Rows, said: list[str]) -> Rows:
    """Of a run's items the originals; in a language without one, what a model made, if there is only one such sense."""
    senses = [
        tuple(None if value is None else str(value) for value in row)
        for row in zip(*(table.columns[name] for name in ("language", "input", "model")), strict=True)
    ]
    originals = {language for language, _, model in senses if model is None}
    made: dict[str | None, dict[tuple[str | None, str | None], None]] = {}
    for language, sense, model in senses:
        if model is not None and language not in originals:
            made.setdefault(language, {})[sense, model] = None
    for language, ways in made.items():
        if len(ways) == 1:
            ((sense, model),) = ways
            said.append(f"{language}: no original in the run; audited is {sense}, as {model} made it")
        else:
            said.append(
                f"{language}: no original in the run, and {len(ways)} senses made by models, of which none is audited; "
                "`hesperus run multisense --originals` adds the original"
            )
    kept = [
        row
        for row, (language, _, model) in enumerate(senses)
        if model is None or len(made.get(language, ())) == 1
    ]
    return table.only(kept)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        if (path / _ITEMS_FILE).is_file():
            yield path / _ITEMS_FILE
            continue
        if (path / _RECORDS_FILE).is_file():
            raise UsageError(f"{path}: {_ANSWERS_ALONE}")
        found = [file for file in sorted(path.rglob("*")) if file.is_file() and is_data_file(file)]
        if not found:
            raise UsageError(f"{path} holds no data file")
        if len(found) > _MOST_FILES:
            raise UsageError(f"{path} holds more than {_MOST_FILES} data files; name a folder further down")
        yield from found


def _keyed_columns(table: Rows) -> set[str]:
    """Columns with values that are mappings from language to something."""
    found = set()
    for name, values in table.columns.items():
        keys = {str(key) for value in values[:200] if isinstance(value, Mapping) for key in value}
        known = [key for key in keys if _tag(key)]
        if len(known) > 1 and len(known) * 2 > len(keys):
            found.add(name)
    return found


def _keyed_rows(table: Rows, keyed: set[str], unknown: dict[str, int]) -> Iterator[Row]:
    shared = [name for name in table.columns if name not in keyed]
    for number in range(len(table)):
        base = {name: table.columns[name][number] for name in shared}
        by_code: dict[str, dict[str, object]] = {}
        for name in (name for name in table.columns if name in keyed):
            value = table.columns[name][number]
            for code, inner in value.items() if isinstance(value, Mapping) else ():
                if inner is not None:
                    by_code.setdefault(str(code), {}).update(_inner(name, inner))
        for code, values in by_code.items():
            tag = _tag(code)
            if tag is not None:
                yield Row(tag, f"{table.place}, line {table.line(number)}", number, base | values)
            else:
                unknown[code] = unknown.get(code, 0) + 1


def _inner(name: str, value: object) -> dict[str, object]:
    """What a language has in a keyed column: a text, a text and its options, or columns of its own."""
    if isinstance(value, Mapping):
        return {str(key): inner for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {name: value[0] if value else "", "options": list(value[1:])}
    return {name: value}


def _plain_rows(table: Rows, path: Path, language_column: str | None) -> Iterator[Row]:
    lower = {name.casefold(): name for name in table.columns}
    names = [language_column] if language_column else [lower[n] for n in LANGUAGE_COLUMNS if n in lower]
    column = names[0] if names else None
    if column is not None and column not in table.columns:
        raise UnknownNameError(f"column of {path}", column, table.columns)
    of_file = None if column else language_of_path(path)
    if column is None and of_file is None:
        raise UsageError(
            f"{path}: its language cannot be told; name the file for it (questions_sw.jsonl), or give it a column "
            "'language'"
        )
    for number in range(len(table)):
        tag = of_file
        if column is not None:
            code = text_of(table.columns[column][number])
            if not code or not code.strip():
                raise DataError("the row names no language", file=path, line=table.line(number), field=column)
            tag = normalise(code)
        assert tag is not None
        values = {name: column_[number] for name, column_ in table.columns.items() if name != column}
        yield Row(tag, f"{path}, line {table.line(number)}", number, values)


def language_of_path(path: Path) -> str | None:
    """The language that a file is named for, at the end of its name or at its beginning; else its folder's name."""
    name = path.name
    for suffix in reversed(path.suffixes):
        if suffix.casefold() in (*ENDINGS, ".gz"):
            name = name.removesuffix(suffix)
    tokens = _TOKEN.findall(name)
    plain = name.replace("_", "-")
    pairs = (
        [f"{a}-{b}" for a, b in (tokens[-2:], tokens[:2]) if f"{a}-{b}" in plain] if len(tokens) > 1 else []
    )
    for candidate in (*pairs, *tokens[-1:], *tokens[:1], path.parent.name):
        tag = _tag(candidate) if candidate else None
        if tag is not None:
            return tag
    return None


@lru_cache(maxsize=4096)
def _tag(code: str) -> str | None:
    """The tag of a code or name, if it is that of a language in the table; ``dev`` and ``test`` are not."""
    try:
        tag = normalise(code)
    except UnknownNameError:
        return None
    base, _, rest = tag.partition("-")
    given = code.replace("_", "-").partition("-")[2]
    is_pair = bool(given) and not (len(given) in (2, 4) and given.isalpha())
    return None if base not in _known() or is_pair or (given and not rest and len(given) == 2) else tag


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return frozenset(known_languages())


def places(rows: Iterable[Row]) -> str:
    """Names of the files, for a title."""
    return ", ".join(dict.fromkeys(row.place.rpartition(", line ")[0] for row in rows))
