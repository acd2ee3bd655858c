"""Which column of a file without a task is what: id, gold, options, text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hesperus.audits.audit import Contract
from hesperus.audits.audited_items import Material
from hesperus.audits.audited_tables import LongTable, Row, places, read_tables
from hesperus.errors import UsageError, refuse_unknown
from hesperus.languages import normalise
from hesperus.tables import LANGUAGE_COLUMNS
from hesperus.tasks.definition import LETTERS
from hesperus.tasks.rows import text_of
from hesperus.types import Item

ROLES = ("item", "language", "gold", "options", "field", "ignore")
"""What ``--map COLUMN=ROLE`` can say of a column."""

_KEYS = (
    ("link", "question_number"), ("item",), ("id",), ("idx",), ("index",), ("sample_id",), ("question_id",), ("qid",),
    ("guid",), ("pairid",), ("key",), ("row",),
)  # fmt: skip
_GOLD = (
    "gold", "label", "answerkey", "answer_key", "correct_answer_num", "correct_answer", "correct_option", "correct",
    "target", "gold_index", "answer", "answer_number",
)  # fmt: skip
_OPTIONS = ("options", "choices", "mc_answers", "endings", "candidates", "option_list", "mc1_targets")
_ONE_OPTION = re.compile(
    r"(?:(?:option|choice|mc_answer|answer|opt|sol|ending)[ _.]?)?([A-Ja-j]|\d{1,2})", re.IGNORECASE
)
_IGNORED = frozenset(
    {"url", "source", "split", "ds", "dialect", "licence", "license", "subject", "category", "task"}
)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table by what they are.

    Attributes:
        key: Columns that make the id; none counts rows.
        gold: Column of the right answer.
        options: One column that holds the options, or one for each.
        fields: Columns of text.
    """

    key: tuple[str, ...]
    gold: str | None
    options: tuple[str, ...]
    fields: tuple[str, ...]


def file_items(
    paths: Sequence[Path], languages: Sequence[str] = (), *, roles: Mapping[str, str] | None = None
) -> Material:
    """Read items from files that no task describes.

    Args:
        paths: Files, folders or run folders; see hesperus.audits.audited_tables for their layouts.
        languages: Which to audit, tags in any style; none for all.
        roles: Column to one of ROLES, where the name does not tell; several of ``item`` make the id together.

    Raises:
        UsageError: No file, nothing that is text, an unknown role, or a language that is not there.
        UnknownNameError: A column or a role that does not exist.
        DataError: A file cannot be read.
    """
    roles = dict(roles or {})
    refuse_unknown("role of a column", roles.values(), ROLES)
    told = [name for name, role in roles.items() if role == "language"]
    table = read_tables(paths, language_column=told[0] if told else None)
    wanted = [normalise(tag) for tag in languages]
    there = tuple(dict.fromkeys(row.language for row in table.rows))
    refuse_unknown("language of these files", wanted, there)
    columns = _columns(table, {name: role for name, role in roles.items() if role != "language"})
    items: dict[str, list[Item]] = {tag: [] for tag in wanted or there}
    golds = _Golds.of(table, columns)
    for row in table.rows:
        if row.language in items:
            item = _item(row, columns, golds)
            if item is not None:
                items[row.language].append(item)
    return Material(places(table.rows), items, Contract(), notes=table.notes)


def _item(row: Row, columns: Columns, golds: _Golds) -> Item | None:
    texts = {name.removeprefix("field:"): text_of(row.values.get(name)) for name in columns.fields}
    if all(text is None for text in texts.values()):
        return None
    options = _options(row, columns)
    parts = [(text_of(row.values.get(name)) or "").strip() for name in columns.key]
    key = "/".join(parts) if columns.key else str(row.number)
    if columns.key and not all(parts):
        key = f"(no id, line {row.place.rpartition(' ')[2]})"
    gold = golds.read(text_of(row.values.get(columns.gold)) if columns.gold else None, options)
    return Item(
        key,
        row.language,
        {name: text or "" for name, text in texts.items()},
        gold,
        tuple(options) if options else None,
    )


def _options(row: Row, columns: Columns) -> list[str] | None:
    if len(columns.options) > 1:
        found = [text_of(row.values.get(name)) for name in columns.options]
        while found and found[-1] is None:
            found.pop()
        return [text or "" for text in found] or None
    value = row.values.get(columns.options[0]) if columns.options else None
    if isinstance(value, Mapping):
        value = value.get("text") or value.get("choices")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [text_of(part) or "" for part in value]
    return None


def _columns(table: LongTable, roles: Mapping[str, str]) -> Columns:
    names = dict.fromkeys(name for row in table.rows for name in row.values)
    refuse_unknown("column of these files", roles, names)
    lower = {name.casefold(): name for name in names if name not in roles}
    key = tuple(name for name, role in roles.items() if role == "item")
    key = key or next((tuple(lower[n] for n in k) for k in _KEYS if all(n in lower for n in k)), ())
    options = tuple(name for name, role in roles.items() if role == "options") or _option_columns(lower)
    golds = [name for name, role in roles.items() if role == "gold"]
    # An answer that each language has in its own words is text, unless options tell what it refers to.
    golds += [lower[n] for n in _GOLD if n in lower and (options or lower[n] not in table.keyed)]
    gold = next((name for name in golds if name not in options), None)
    taken = {*key, *options, gold}
    fields = tuple(name for name, role in roles.items() if role == "field")
    free = [name for name in names if name not in taken and name not in roles]
    fields = fields or tuple(name for name in free if name.startswith("field:")) or _texts(table, free)
    if not fields:
        raise UsageError(
            f"no column holds text; name one with --map COLUMN=field (the columns are {', '.join(names)})"
        )
    return Columns(key, gold, options, fields)


def _option_columns(lower: Mapping[str, str]) -> tuple[str, ...]:
    for name in _OPTIONS:
        if name in lower:
            return (lower[name],)
    single = [
        (found[1].casefold(), name) for low, name in lower.items() if (found := _ONE_OPTION.fullmatch(low))
    ]
    single.sort(key=lambda pair: (len(pair[0]), pair[0]))
    return tuple(name for _, name in single) if len(single) > 1 else ()


def _texts(table: LongTable, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that hold text that varies, and are not known to be something else."""
    found = []
    for name in names:
        if name.casefold() in (*_IGNORED, *LANGUAGE_COLUMNS) or name.startswith("group:"):
            continue
        values = {
            value
            for row in table.rows
            if (value := row.values.get(name)) is not None and isinstance(value, str)
        }
        numbers = sum(value.strip().isdecimal() for value in values)
        if len(values) > 1 and numbers < len(values):
            found.append(name)
    keyed = [name for name in found if name in table.keyed]
    return tuple(keyed or found)


@dataclass(frozen=True, slots=True)
class _Golds:
    """How the golds of these files are written: as letters, as places from 0 or 1, as options, or as labels."""

    reading: str

    @classmethod
    def of(cls, table: LongTable, columns: Columns) -> _Golds:
        """The reading by which most golds make sense; of equally many, the first."""
        if columns.gold is None:
            return cls("label")
        counts = dict.fromkeys(("letter", "position0", "position1", "option", "label"), 0)
        for row in table.rows:
            gold, options = text_of(row.values.get(columns.gold)), _options(row, columns)
            if not gold or not options:
                continue
            for reading in ("letter", "position0", "position1", "option"):
                counts[reading] += _place(reading, gold, options) is not None
        best = max(counts, key=lambda reading: counts[reading])
        return cls(best if counts[best] else "label")

    def read(self, gold: str | None, options: list[str] | None) -> str | None:
        """The letter of the right option, or the value as it is if absent."""
        if gold is None or not gold.strip():
            return None
        place = _place(self.reading, gold.strip(), options) if options else None
        return LETTERS[place] if place is not None else gold.strip()


def _place(reading: str, gold: str, options: Sequence[str]) -> int | None:
    if reading == "option":
        return options.index(gold) if gold in options else None
    if reading == "letter":
        place = LETTERS.find(gold.strip().upper()) if len(gold.strip()) == 1 else -1
    else:
        place = int(gold) - (reading == "position1") if gold.isdecimal() else -1
    return place if 0 <= place < min(len(options), len(LETTERS)) else None
