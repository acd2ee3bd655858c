"""From the rows of one language to its items: fields, options, gold, groups and id."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hesperus.errors import DataError
from hesperus.tasks.definition import LETTERS, Task
from hesperus.tasks.gold import Trouble, accepted_texts, read_gold
from hesperus.tasks.itemset import Dropped
from hesperus.tasks.packed import ItemsById
from hesperus.tasks.row_reader import TaskRow, TaskRows, read_task_rows
from hesperus.tasks.rows import Rows
from hesperus.types import Item

ABSENT = "missing"
"""Why an item is left out whose row is empty, or is not there."""


@dataclass(frozen=True, slots=True)
class LanguageItems:
    """What the data of one language gave.

    Attributes:
        language: BCP-47 tag.
        items: By id, in the order of the data.
        dropped: Rows that cannot be used.
        rows: How many rows the data have.
        place: Where they came from.
        lines: The line or row of each item.
        unmet: Rows that do not meet the task's ``where`` and are no items.
    """

    language: str
    items: ItemsById
    dropped: tuple[Dropped, ...]
    rows: int
    place: str
    lines: Sequence[int]
    unmet: int = 0


def items_of(task: Task, rows: Rows, language: str, code: str) -> LanguageItems:
    """Build the items of one language.

    Args:
        task: Says which column holds what.
        rows: The data.
        language: BCP-47 tag.
        code: The benchmark's own code of the language.

    Raises:
        DataError: What read_task_rows raises; an id is twice or is empty; the options are no list, or one is empty
            and a later one is not; or a gold value is unknown to the task.
    """
    read = read_task_rows(task, rows, language, code)
    lines, dropped = array("q"), list[Dropped]()
    items = ItemsById(_made(task, read, language, lines, dropped))
    unusable = [drop.item for drop in dropped if drop.reason != ABSENT]
    if not items and not unusable:
        raise DataError(f"no row holds anything in {language!r} (code {code!r})", file=read.place)
    if items.has_doubles or len(set(unusable)) < len(unusable) or any(map(items.__contains__, unusable)):
        _refuse_doubles(read_task_rows(task, rows, language, code))
    return LanguageItems(language, items, tuple(dropped), read.total, read.place, lines, read.unmet)


def _made(
    task: Task, read: TaskRows, language: str, lines: array[int], dropped: list[Dropped]
) -> Iterator[Item]:
    """The items of the rows; notes the lines where they are, and the rows that cannot be used."""
    for row in read.rows:
        if row.key is None:
            raise DataError("the id is empty", file=row.file, line=row.line, field=read.key_column)
        if row.is_empty:
            # A blank line, or an item that this language lacks, where one table holds several
            if task.key.columns:
                dropped.append(Dropped(row.key, ABSENT, (language,), "the row is empty"))
            continue
        made = _item(task, row, row.key, language)
        if isinstance(made, Dropped):
            dropped.append(made)
        else:
            lines.append(row.line)
            yield made


def _refuse_doubles(read: TaskRows) -> None:
    """Refuse the first row with the id of another, by their lines, of which nothing is held while all is well."""
    lines: dict[str | None, int] = {}
    for row in read.rows:
        if row.is_empty:
            continue
        if row.key in lines:
            raise DataError(
                f"this id stands twice, here and at {lines[row.key]}; ids must be unique",
                file=row.file,
                line=row.line,
                item=row.key,
            )
        lines[row.key] = row.line


def _item(task: Task, row: TaskRow, key: str, language: str) -> Item | Dropped:
    """The item of one row, or why it cannot be used."""
    trouble = _trouble(task, key, language, row)
    if trouble is None:
        gold, accepted, trouble = _gold(task, row)
    if trouble is not None:
        return Dropped(key, trouble[0], (language,), trouble[1])
    options, gold = _shuffled(task, key, row.options, gold)
    return Item(
        id=key,
        language=language,
        fields={name: text or "" for name, text in row.texts.items()},
        gold=gold,
        options=options,
        groups=row.groups,
        accepted=accepted,
    )


def _gold(task: Task, row: TaskRow) -> tuple[str | None, dict[str, tuple[str, ...]], Trouble | None]:
    """The label of a row, the texts by which an open answer may give it, and what is wrong with them."""
    at = (row.file, row.line)
    if task.form not in ("text", "number"):
        label, trouble = read_gold(task, row.gold, row.options, *at)
        return label, {}, trouble
    labels = []
    for text in accepted_texts(task, row.gold, row.aliases, *at):
        label, trouble = read_gold(task, text, row.options, *at)
        if trouble is not None or label is None:
            return None, {}, trouble
        labels.append(label)
    if not labels:
        return None, {}, None
    return labels[0], {labels[0]: tuple(dict.fromkeys(labels))}, None


def _trouble(task: Task, key: str, language: str, row: TaskRow) -> Trouble | None:
    """Why a row cannot be used, or None.

    Raises:
        DataError: The options are no list; or an option is empty and a later one is not, so that letters would
            represent other options than the benchmark means.
    """
    for fault in task.faults:
        if fault.language in (language, language.split("-")[0]) and fnmatchcase(key, fault.item):
            return "known fault", fault.reason
    empty = [name for name, text in row.texts.items() if text is None or not text.strip()]
    if empty:
        return "empty field", f"{empty[0]} is empty"
    return None if row.options is None else _option_trouble(task, key, row, row.options)


def _option_trouble(task: Task, key: str, row: TaskRow, options: tuple[str, ...]) -> Trouble | None:
    if row.no_options is not None:
        raise DataError(row.no_options, file=row.file, line=row.line, field=row.option_names[0], item=key)
    filled = [place for place, text in enumerate(options) if text.strip()]
    blank = [place for place, text in enumerate(options) if not text.strip()]
    if blank and filled and blank[0] < filled[-1]:
        raise DataError(
            f"option {blank[0] + 1} of {len(options)} is empty and a later one is not; name the item under `faults` of a "
            "task file to leave it out",
            file=row.file,
            line=row.line,
            field=row.option_names[blank[0]],
            item=key,
        )
    columns = task.columns.options
    least = (columns.at_least if columns is not None else None) or 2
    if len(filled) < least:
        return "too few options", "1 option" if len(filled) == 1 else f"{len(filled)} options"
    most = len(task.labels) if task.form == "choice" else len(LETTERS)
    if len(options) > most:
        return "too many options", f"{len(options)} options; the task has letters for {most}"
    return ("empty option", f"option {LETTERS[blank[0]]} is empty") if blank else None


def _shuffled(
    task: Task, key: str, options: tuple[str, ...] | None, gold: str | None
) -> tuple[tuple[str, ...] | None, str | None]:
    """Options in an order that depends on the item alone, so that it is the same in every language."""
    if options is None or task.columns.options is None or not task.columns.options.shuffled:
        return options, gold

    # The wording that is asked is no part of it, so that one wording shuffles as another does
    name = task.name.partition("@")[0]

    def rank(place: int) -> bytes:
        return hashlib.blake2b(f"{name}\x00{key}\x00{place}".encode(), digest_size=8).digest()

    order = sorted(range(len(options)), key=rank)
    if gold is not None:
        gold = LETTERS[order.index(LETTERS.index(gold))]
    return tuple(options[place] for place in order), gold
