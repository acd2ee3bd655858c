"""Loading items: the data of each language found, read, aligned and sampled."""

from __future__ import annotations

from collections.abc import Sequence

from hesperus.errors import UsageError
from hesperus.languages import normalise
from hesperus.tasks.aligning import align
from hesperus.tasks.building import builtin_items
from hesperus.tasks.definition import Task
from hesperus.tasks.items import LanguageItems, items_of
from hesperus.tasks.itemset import ItemSet
from hesperus.tasks.locating import Given, each_rows
from hesperus.tasks.packed import ItemsById
from hesperus.tasks.sampling import Sample, draw
from hesperus.tasks.task_registry import task as find_task


def load_items(
    task: Task | str,
    languages: Sequence[str] | str,
    *,
    source: Given | None = None,
    sample: Sample | None = None,
) -> ItemSet:
    """The items of a task in some languages, aligned by id.

    Args:
        task: A task, its name in the catalogue, or the path of a task file.
        languages: Language tags in any style; their order is kept.
        source: Where the data are, instead of the task's own source: a file, a folder, a pattern with ``{language}``,
            a polars frame, or a mapping from language to one of these.
        sample: Which items to draw; None takes all.

    Returns:
        Language to items, the same ids in the same order in each; ``dropped`` lists what was left out and why.

    Raises:
        UsageError: No language, one given twice, or no data to be found.
        UnknownNameError: A task, language or group that does not exist.
        DataError: The data break their contract: see the readers, items_of and align.
        MissingExtraError: The hub's libraries are needed and not installed.
    """
    task = find_task(task) if isinstance(task, str) else task
    tags = [normalise(tag) for tag in ([languages] if isinstance(languages, str) else languages)]
    if not tags:
        raise UsageError("no language was given")
    if len(set(tags)) < len(tags):
        raise UsageError(
            f"a language is given twice: {', '.join(sorted({t for t in tags if tags.count(t) > 1}))}"
        )
    if task.source.builtin is not None and source is None:
        found = [_builtin(task, tag) for tag in tags]
    else:
        found = []
        for tag, rows in each_rows(task, tags, source):
            found.append(items_of(task, rows, tag, task.source.code(tag)))
            del rows  # before those of the next language are read
    items = align(task, found)
    return items if sample is None else draw(items, sample, parallel=task.key.parallel)


def _builtin(task: Task, language: str) -> LanguageItems:
    """Items that come with hesperus, through the same door as those of a file."""
    assert task.source.builtin is not None
    name = task.source.builtin
    items = ItemsById(builtin_items(name, task.name).items(task.source.form, task.source.code(language)))
    return LanguageItems(language, items, (), len(items), f"the built-in {name}", range(1, len(items) + 1))
