"""The rows of one language as a task's columns name them: ids, fields, options, gold and groups, not judged yet.

A run (``items``) is strict with what this gives; an audit looks for what is wrong in it.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hesperus.errors import DataError
from hesperus.tables import LANGUAGE_COLUMNS
from hesperus.tasks.definition import LETTERS, Task
from hesperus.tasks.rows import DataColumn, Rows, cell_text, shortened, text_of
from hesperus.tasks.task_parts import Options
from hesperus.tasks.text_lists import list_from_text

_MARK = re.compile(r"\s*[(（\[]?\s*(\w)\s*[.)．）\]:：、。।]\s*")
"""A letter or digit that counts an option, at its beginning: ``A.``, ``(b)``, ``3)``, ``๑.``."""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One row as the task's columns name it.

    Attributes:
        file: The file in which it is.
        line: Its line or row number there, 1-based.
        key: Id of the item; None if a key column is empty.
        texts: Field to text; None if the row has none.
        options: Texts of the options, empty ones at the end cut where the task allows fewer; None for a task without.
        option_names: Column or path of each option, for errors.
        no_options: Why a cell holds no option, or the text that should hold them is no list; ``option_names`` is then
            the cell alone.
        gold: Cell of the gold column.
        aliases: Cell of the column of aliases.
        groups: Group to text.
    """

    file: str
    line: int
    key: str | None
    texts: Mapping[str, str | None]
    options: tuple[str, ...] | None
    option_names: tuple[str, ...]
    no_options: str | None
    gold: object
    aliases: object
    groups: Mapping[str, str]

    @property
    def is_empty(self) -> bool:
        """Whether no field holds anything."""
        return all(text is None for text in self.texts.values())


@dataclass(frozen=True, slots=True)
class TaskRows:
    """The rows of one language.

    Attributes:
        rows: Those that are items, in their order; each is read as it comes.
        place: Where they came from.
        total: How many rows the language has.
        unmet: How many of them do not meet the task's ``where``.
        key_column: First column of the key; None if rows are counted.
    """

    rows: Iterator[TaskRow]
    place: str
    total: int
    unmet: int
    key_column: str | None


def read_task_rows(task: Task, rows: Rows, language: str, code: str) -> TaskRows:
    """Read the rows of one language.

    Args:
        task: Says which column holds what.
        rows: The data.
        language: BCP-47 tag.
        code: The benchmark's own code of the language.

    Raises:
        DataError: A column is missing, a cell holds something that is no text, a list written as text is malformed, an id
            does not have the text that is cut out of it, or no row is of the language or meets ``where``.
    """
    rows = _of_language(task, rows, code)
    columns = task.columns
    fields = {
        name: rows.texts(rows.find(column, code, key=f"columns.fields.{name}"))
        for name, column in columns.fields.items()
    }
    where = columns.options
    options = (
        [
            rows.find(column, code, key="columns.options" if where.column else f"columns.options.{letter}")
            for letter, column in zip(LETTERS, where.every, strict=False)
        ]
        if where is not None
        else []
    )
    gold = rows.find(columns.gold, code, key="columns.gold") if columns.gold else None
    aliases = rows.find(columns.aliases, code, key="columns.aliases") if columns.aliases else None
    groups = {
        name: rows.texts(rows.find(column, code, key=f"columns.groups.{name}"))
        for name, column in columns.groups.items()
    }
    keys = [rows.find(column, code, key="key.columns") for column in task.key.columns]
    id_of = _id_of(task, rows, keys, language, code)
    kept = _kept(task, rows)

    def read(row: int) -> TaskRow:
        choices, names, no_options = _options(where, options, row) if where is not None else (None, (), None)
        return TaskRow(
            file=rows.file(row),
            line=rows.line(row),
            key=id_of(row),
            texts={name: texts[row] for name, texts in fields.items()},
            options=choices,
            option_names=names,
            no_options=no_options,
            gold=gold.values[row] if gold else None,
            aliases=aliases.values[row] if aliases else None,
            groups={name: texts[row] or "" for name, texts in groups.items()},
        )

    return TaskRows(
        map(read, kept), rows.place, len(rows), len(rows) - len(kept), keys[0].name if keys else None
    )


def _of_language(task: Task, rows: Rows, code: str) -> Rows:
    """The rows of one language, where a column tells it."""
    name = task.source.language_column
    if name is None:
        _refuse_several(task, rows, code)
        return rows
    spoken = rows.texts(rows.find((name,), key="source.language_column"))
    kept = [row for row, text in enumerate(spoken) if text == code]
    if not kept:
        there = ", ".join(shortened(text) for text in sorted({text or "" for text in spoken})[:20])
        raise DataError(f"no row has {code!r} there; it holds {there}", file=rows.place, field=name)
    return rows.only(kept)


def _refuse_several(task: Task, rows: Rows, code: str) -> None:
    """A column of languages that the task does not name: every language would be given the rows of all."""
    if any("{language}" in name for names in task.columns.fields.values() for name in names):
        return
    known = {code, *task.source.languages, *task.source.languages.values()}
    for column in (name for name in rows.columns if name.casefold() in LANGUAGE_COLUMNS):
        there = sorted({text for text in rows.texts(DataColumn(column, rows.columns[column])) if text})
        if len(there) > 1 and known.intersection(there):
            shown = ", ".join(map(shortened, there[:20]))
            raise DataError(
                f"the rows are in several languages ({shown}), and the task does not say so: add `language_column: "
                f"{column}` under `source`; if the column tells something else, rename it",
                file=rows.place,
                field=column,
            )


def _kept(task: Task, rows: Rows) -> Sequence[int]:
    """The rows that meet every condition of ``where``."""
    kept: Sequence[int] = range(len(rows))
    for name, wanted in task.source.where.items():
        texts = rows.texts(rows.find((name,), key=f"source.where.{name}"))
        kept = array("q", (row for row in kept if (texts[row] or "") in wanted))
        if not kept and len(rows):
            there = Counter(text or "" for text in texts)
            shown = ", ".join(f"{shortened(text)!r} ({count})" for text, count in there.most_common(10))
            raise DataError(
                f"no row has {' or '.join(map(repr, wanted))} there; it holds {shown}",
                file=rows.place,
                field=name,
            )
    return kept


def _id_of(
    task: Task, rows: Rows, columns: Sequence[DataColumn], language: str, code: str
) -> Callable[[int], str | None]:
    """What gives the id of a row: its key columns joined by ``/``, or its number from 0, or both."""
    prefix = "" if task.key.parallel else f"{language}/"
    if not columns:
        return lambda row: f"{prefix}{row}"
    parts = [_key_text(task, rows, place, column, (language, code)) for place, column in enumerate(columns)]

    def joined(row: int) -> str | None:
        values = [part(row) for part in parts]
        return prefix + "/".join(values) if all(values) else None

    if not task.key.row:
        return joined
    ids: list[str | None] = []
    count: Counter[str | None] = Counter()
    for name in map(joined, range(len(rows))):
        ids.append(None if name is None else f"{name}/{count[name]}")
        count[name] += 1
    return ids.__getitem__


def _key_text(
    task: Task, rows: Rows, place: int, column: DataColumn, names: tuple[str, str]
) -> Callable[[int], str]:
    """What gives the part of an id that a column has; empty where the row has none. The names are tag and code."""
    (language, code), texts, cut = names, rows.texts(column), None
    if place == 0 and task.key.without is not None:
        cut = task.key.without.replace("{language}", code).replace("{tag}", language)
    is_normalised = bool(set(task.key.columns[place]) & set(task.key.normalised))

    def found(row: int) -> str:
        text = (texts[row] or "").strip()
        if cut is not None and text:
            if text.count(cut) != 1:
                raise DataError(
                    f"the id {shortened(text)!r} should hold {cut!r} once, which is cut out of it (key.without)",
                    file=rows.file(row),
                    line=rows.line(row),
                    field=column.name,
                )
            text = text.replace(cut, "")
        return (
            "_".join(text.casefold().replace("_", " ").replace("-", " ").split()) if is_normalised else text
        )

    return found


def _options(
    where: Options, columns: Sequence[DataColumn], row: int
) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """The texts of the options of one row, their names, and why it has no options."""
    if where.column is not None:
        name = columns[0].name
        try:
            cells = _cells(where.separator, columns[0].values[row])
        except ValueError as error:
            alone = (text_of(columns[0].values[row]) or "",)
            return (
                alone,
                (name,),
                f"the options are {error}; a text with something else between its options needs columns.options.separator",
            )
        names = tuple(f"{name}.{place}" for place in range(len(cells)))
    else:
        cells = [column.values[row] for column in columns]
        names = tuple(column.name for column in columns)
    texts = []
    for cell, name in zip(cells, names, strict=True):
        try:
            texts.append(cell_text(cell) or "")
        except ValueError as error:
            return tuple(text_of(one) or "" for one in cells), (name,), str(error)
    if where.lettered:
        texts = _without_marks(texts)
    while where.at_least is not None and texts and not texts[-1].strip():
        texts.pop()
    return tuple(texts), names, None


def _cells(separator: str | None, value: object) -> Sequence[object]:
    """The options of a row that lie in one cell; none if it is empty.

    Raises:
        ValueError: The cell holds a text that is no list.
    """
    if isinstance(value, str):
        if separator:
            return [part.strip() for part in value.split(separator)]
        return list_from_text(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return value
    return [] if value is None else [value]


def _without_marks(texts: Sequence[str]) -> list[str]:
    """Options without the letter or number that counts them, if each of those that are filled has its own."""
    found = [_MARK.match(text) if text.strip() else None for text in texts]
    filled = [
        (place, mark) for place, (text, mark) in enumerate(zip(texts, found, strict=True)) if text.strip()
    ]
    if not filled or not _count_up([(place, mark[1]) for place, mark in filled if mark], len(filled)):
        return list(texts)
    return [text[mark.end() :] if mark else text for text, mark in zip(texts, found, strict=True)]


def _count_up(marks: Sequence[tuple[int, str]], filled: int) -> bool:
    """Whether the marks are at every filled option and count up from the first of their kind."""
    if len(marks) != filled:
        return False
    return any(
        all(place < len(series) and mark.casefold() == series[place].casefold() for place, mark in marks)
        for series in _SERIES
    )


def _series() -> Iterator[str]:
    yield LETTERS
    yield "АБВГДЕЖЗ"
    yield "أبجدهوزح"
    yield "กขคงจฉชซ"
    for zero in "0٠۰०০๐":
        yield "".join(chr(ord(zero) + number) for number in range(1, 10))


_SERIES = tuple(_series())
"""The series in which options are counted: letters and digits of several scripts."""
