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
from hesperus.tasks.locating import Given, find_rows
from hesperus.tasks.row_reader import TaskRow, read_task_rows
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
        gold_by_language=task.gold_across == "per_language",
        gold_is_spelled=task.form == "text" and task.gold_across == "per_language",
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
    items: list[Item] = []
    known: list[Finding] = []
    for row in read_task_rows(task, rows, tag, code).rows:
        if row.is_empty:
            continue
        # A run refuses a row without an id; an audit names it by its line
        key = row.key or f"{'' if task.key.parallel else f'{tag}/'}(no id, line {row.line})"
        items.append(
            Item(
                key,
                tag,
                {name: text or "" for name, text in row.texts.items()},
                _gold(task, row),
                row.options,
            )
        )
        for fault in task.faults:
            if fault.language in (tag, tag.split("-")[0]) and fnmatchcase(key, fault.item):
                known.append(Finding("known_fault", "exclude", key, (tag,), fault.reason))
    if not items:
        raise DataError(f"no row holds anything in {tag!r} (code {code!r})", file=rows.place)
    return items, known


def _gold(task: Task, row: TaskRow) -> str | None:
    """The canonical label; if absent for it, the value as it is, which the check of golds then finds."""
    value = row.gold
    try:
        if task.form in ("text", "number"):
            value = next(iter(accepted_texts(task, value, None, row.file, row.line)), None)
        label, trouble = read_gold(task, value, row.options, row.file, row.line)
    except DataError:
        return text_of(value)
    return text_of(value) if trouble is not None else label
