"""The items of a task as its data have them, faults and all.

A run reads items strictly: what does not fit is left out or refused. An audit reads them leniently, for what does not
fit is what it looks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hesperus.audits.audit import Contract
from hesperus.audits.finding import Finding
from hesperus.errors import DataError, UsageError
from hesperus.languages import normalise
from hesperus.tasks import Task, load_items
from hesperus.tasks.gold import accepted_texts, read_gold
from hesperus.tasks.items import spoken_languages
from hesperus.tasks.locating import Given, find_rows
from hesperus.tasks.rows import Rows, text_of
from hesperus.types import Item


@dataclass(frozen=True, slots=True)
class Material:
    """What an audit is about.

    Attributes:
        name: Of the task, or of the files.
        items: BCP-47 tag to items, unaligned.
        contract: What is known of them.
        known: Findings that reading gave.
        notes: What was not read.
    """

    name: str
    items: Mapping[str, Sequence[Item]]
    contract: Contract
    known: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def task_items(task: Task, languages: Sequence[str] = (), *, source: Given | None = None) -> Material:
    """Read the items of a task without aligning them.

    Args:
        task: The task.
        languages: Tags in any style; none for all that the task has.
        source: Where the data are, instead of the task's own source (as for load_items).

    Raises:
        UsageError: No language is named where the task does not list any, one is named twice, or there are no data.
        UnknownNameError: No such language.
        DataError: A file cannot be read, or a column is not there.
    """
    tags = [normalise(tag) for tag in languages] or list(task.languages)
    if not tags:
        raise UsageError(f"the task {task.name!r} lists no languages: name them with --language")
    if len(set(tags)) < len(tags):
        twice = sorted({tag for tag in tags if tags.count(tag) > 1})
        raise UsageError(f"a language is given twice: {', '.join(twice)}")
    contract = Contract(
        labels=task.labels if task.form == "label" else (),
        parallel=task.key.parallel,
        gold_by_language=task.gold.across == "per_language",
    )
    if task.source.builtin is not None and source is None:
        return Material(task.name, load_items(task, tags), contract)
    rows = find_rows(task, tags, source)
    items: dict[str, list[Item]] = {}
    known: list[Finding] = []
    for tag in tags:
        items[tag], found = _items(task, rows[tag], tag)
        known += found
    return Material(task.name, items, contract, tuple(known))


def _items(task: Task, rows: Rows, tag: str) -> tuple[list[Item], list[Finding]]:
    code = task.source.code(tag)
    fields = {name: rows.values(column, code) for name, column in task.columns.fields.items()}
    options = [rows.values(column, code) for column in task.columns.options]
    golds = rows.values(task.columns.gold, code) if task.columns.gold else None
    spoken = spoken_languages(task, rows) if task.source.language_column is not None else None
    items: list[Item] = []
    known: list[Finding] = []
    for row, key in enumerate(_ids(task, rows, tag, code)):
        if spoken is not None and text_of(spoken[row]) != code:
            continue
        texts = {name: text_of(values[row]) for name, values in fields.items()}
        if all(text is None for text in texts.values()):
            continue
        choices = _options(task, [column[row] for column in options])
        gold = _gold(task, golds[row] if golds else None, choices, rows, row)
        items.append(
            Item(
                key,
                tag,
                {name: text or "" for name, text in texts.items()},
                gold,
                tuple(choices) if choices is not None else None,
            )
        )
        for fault in task.faults:
            if fault.language in (tag, tag.split("-")[0]) and fnmatchcase(key, fault.item):
                known.append(Finding("known_fault", "exclude", key, (tag,), fault.reason))
    if not items:
        raise DataError(f"no row holds anything in {tag!r} (code {code!r})", file=rows.place)
    return items, known


def _ids(task: Task, rows: Rows, tag: str, code: str) -> list[str]:
    """The id of each row, as a run makes it; a row whose id is empty is named by its line."""
    key = task.key
    prefix = "" if key.parallel else f"{tag}/"
    if not key.columns:
        return [f"{prefix}{row}" for row in range(len(rows))]
    parts: list[list[str]] = []
    for column in key.columns:
        plain = [(text_of(value) or "").strip() for value in rows.values(column, code)]
        if set(column) & set(key.normalised):
            plain = ["_".join(text.casefold().replace("_", " ").replace("-", " ").split()) for text in plain]
        parts.append(plain)
    return [
        prefix + "/".join(values) if all(values) else f"{prefix}(no id, line {rows.line(row)})"
        for row, values in enumerate(zip(*parts, strict=True))
    ]


def _options(task: Task, values: Sequence[object]) -> list[str] | None:
    if not values:
        return None
    if not task.columns.listed:
        return [text_of(value) or "" for value in values]
    value = values[0]
    if isinstance(value, str):
        separator = task.columns.separator
        return [part.strip() for part in value.split(separator)] if separator else [value]
    return [text_of(part) or "" for part in value] if isinstance(value, Sequence) else []


def _gold(task: Task, value: object, options: list[str] | None, rows: Rows, row: int) -> str | None:
    """The canonical label; where there is none for it, the value as it stands, which the check of golds then finds."""
    try:
        if task.form in ("text", "number"):
            value = next(iter(accepted_texts(task, value, None, rows.place, rows.line(row))), None)
        label, trouble = read_gold(task, value, options, rows.place, rows.line(row))
    except DataError:
        return text_of(value)
    return text_of(value) if trouble is not None else label
