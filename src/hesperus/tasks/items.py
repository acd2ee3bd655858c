"""From the rows of one language to its items: fields, options, gold, groups and id."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hesperus.errors import DataError
from hesperus.tasks.definition import LETTERS, Task
from hesperus.tasks.gold import Trouble, accepted_texts, read_gold
from hesperus.tasks.itemset import Dropped
from hesperus.tasks.rows import Rows, text_of
from hesperus.types import Item


@dataclass(frozen=True, slots=True)
class LanguageItems:
    """What the data of one language gave.

    Attributes:
        language: BCP-47 tag.
        items: By id, in the order of the data.
        dropped: Rows that cannot be used.
        rows: How many rows the data have.
        place: Where they came from.
        lines: Id to the line or row where it stands.
    """

    language: str
    items: dict[str, Item]
    dropped: tuple[Dropped, ...]
    rows: int
    place: str
    lines: dict[str, int]


def items_of(task: Task, rows: Rows, language: str, code: str) -> LanguageItems:
    """Build the items of one language.

    Args:
        task: Says which column holds what.
        rows: The data.
        language: BCP-47 tag.
        code: The benchmark's own code of the language.

    Raises:
        DataError: A column is missing, an id stands twice or is empty, or a gold value is none that the task knows.
    """
    rows = _of_language(task, rows, code)
    fields = {name: rows.values(column, code) for name, column in task.columns.fields.items()}
    options = [rows.values(column, code) for column in task.columns.options]
    golds = rows.values(task.columns.gold, code) if task.columns.gold else None
    aliases = rows.values(task.columns.aliases, code) if task.columns.aliases else None
    groups = {name: rows.values(column, code) for name, column in task.columns.groups.items()}
    ids = _ids(task, rows, language, code)

    items: dict[str, Item] = {}
    lines: dict[str, int] = {}
    dropped: list[Dropped] = []
    for row, key in enumerate(ids):
        texts = {name: text_of(values[row]) for name, values in fields.items()}
        if all(text is None for text in texts.values()):
            continue
        line = rows.line(row)
        if key in lines:
            raise DataError(
                f"this id stands twice, here and at {lines[key]}; ids must be unique",
                file=rows.place,
                line=line,
                item=key,
            )
        lines[key] = line
        choices = _options(task, [column[row] for column in options])
        trouble = _trouble(task, key, language, texts, choices)
        if trouble is None:
            gold, accepted, trouble = _gold(
                task,
                golds[row] if golds else None,
                aliases[row] if aliases else None,
                choices,
                (rows.place, line),
            )
        if trouble is not None:
            dropped.append(Dropped(key, trouble[0], (language,), trouble[1]))
            continue
        choices, gold = _shuffled(task, key, choices, gold)
        items[key] = Item(
            id=key,
            language=language,
            fields={name: text or "" for name, text in texts.items()},
            gold=gold,
            options=tuple(choices) if choices is not None else None,
            groups={name: text_of(values[row]) or "" for name, values in groups.items()},
            accepted=accepted,
        )
    if not lines:
        raise DataError(f"no row holds anything in {language!r} (code {code!r})", file=rows.place)
    return LanguageItems(language, items, tuple(dropped), len(rows), rows.place, lines)


def _gold(
    task: Task, value: object, aliases: object, choices: list[str] | None, at: tuple[str, int]
) -> tuple[str | None, dict[str, tuple[str, ...]], Trouble | None]:
    """The label of a row, the texts by which an open answer may give it, and what is wrong with them."""
    place, line = at
    if task.form not in ("text", "number"):
        label, trouble = read_gold(task, value, choices, place, line)
        return label, {}, trouble
    texts = accepted_texts(task, value, aliases, place, line)
    labels = []
    for text in texts:
        label, trouble = read_gold(task, text, choices, place, line)
        if trouble is not None or label is None:
            return None, {}, trouble
        labels.append(label)
    if not labels:
        return None, {}, None
    return labels[0], {labels[0]: tuple(dict.fromkeys(labels))}, None


def spoken_languages(task: Task, rows: Rows) -> Sequence[object]:
    """The values of the column that tells the language of each row.

    Raises:
        DataError: The table has no such column; without it every language would get every row.
    """
    name = task.source.language_column or ""
    try:
        return rows.values((name,))
    except DataError as error:
        raise DataError(
            f"{error}; the task names it as source.language_column (leave that out where each file holds one language)"
        ) from None


def _of_language(task: Task, rows: Rows, code: str) -> Rows:
    """The rows of one language, where a column tells it."""
    name = task.source.language_column
    if name is None:
        return rows
    spoken = spoken_languages(task, rows)
    kept = [row for row, value in enumerate(spoken) if text_of(value) == code]
    if not kept:
        there = sorted({text_of(value) or "" for value in spoken})
        raise DataError(
            f"no row has {code!r} there; it holds {', '.join(there[:20])}", file=rows.place, field=name
        )
    return rows.only(kept)


def _ids(task: Task, rows: Rows, language: str, code: str) -> Sequence[str]:
    """The id of each row: its key columns joined by ``/``, or its number from 0."""
    key = task.key
    prefix = "" if key.parallel else f"{language}/"
    if not key.columns:
        return [f"{prefix}{row}" for row in range(len(rows))]
    parts: list[list[str]] = []
    for column in key.columns:
        texts = [text_of(value) for value in rows.values(column, code)]
        for row, text in enumerate(texts):
            if text is None or not text.strip():
                raise DataError("the id is empty", file=rows.place, line=rows.line(row), field=column[0])
        plain = [text.strip() for text in texts if text is not None]
        if set(column) & set(key.normalised):
            plain = ["_".join(text.casefold().replace("_", " ").replace("-", " ").split()) for text in plain]
        parts.append(plain)
    return [prefix + "/".join(values) for values in zip(*parts, strict=True)]


def _options(task: Task, values: Sequence[object]) -> list[str] | None:
    """The texts of the options of one row, or None for a task without options."""
    if not values:
        return None
    if not task.columns.listed:
        return [text_of(value) or "" for value in values]
    value = values[0]
    if isinstance(value, str):
        separator = task.columns.separator
        return [part.strip() for part in value.split(separator)] if separator else [value]
    if isinstance(value, Sequence):
        return [text_of(part) or "" for part in value]
    return []


def _trouble(
    task: Task, key: str, language: str, texts: dict[str, str | None], options: list[str] | None
) -> tuple[str, str] | None:
    """Why a row cannot be used, or None."""
    for fault in task.faults:
        if fault.language in (language, language.split("-")[0]) and fnmatchcase(key, fault.item):
            return "known fault", fault.reason
    empty = [name for name, text in texts.items() if text is None or not text.strip()]
    if empty:
        return "empty field", f"{empty[0]} is empty"
    if options is None:
        return None
    if len(options) < 2:
        return "too few options", f"{len(options)} options"
    if len(options) > len(LETTERS):
        return "too many options", f"{len(options)} options; there are letters for {len(LETTERS)}"
    blank = [LETTERS[place] for place, text in enumerate(options) if not text.strip()]
    return ("empty option", f"option {blank[0]} is empty") if blank else None


def _shuffled(
    task: Task, key: str, options: list[str] | None, gold: str | None
) -> tuple[list[str] | None, str | None]:
    """Options in an order that depends on the item alone, so that it is the same in every language."""
    if not task.columns.shuffled or options is None:
        return options, gold

    def rank(place: int) -> bytes:
        return hashlib.blake2b(f"{task.name}\x00{key}\x00{place}".encode(), digest_size=8).digest()

    order = sorted(range(len(options)), key=rank)
    if gold is not None:
        gold = LETTERS[order.index(LETTERS.index(gold))]
    return [options[place] for place in order], gold
