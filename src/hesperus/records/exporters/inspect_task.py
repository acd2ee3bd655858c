"""An aligned item set as a task of Inspect: a Python file and the items next to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from string import ascii_uppercase

from hesperus.errors import DataError
from hesperus.records.exporters.asked import (
    NAME_FIELD,
    AskedItem,
    aligned,
    task_name,
    write_items,
    write_text,
)

_CHOICE = '''"""{title}: run with `inspect eval {file} -T language=TAG --model PROVIDER/NAME`."""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import {scorer}
from inspect_ai.solver import {solver}

ITEMS = Path(__file__).with_name("{items}")
LANGUAGES = {languages}


def samples(language: str) -> list[Sample]:
    """The items of one language; ids are the same in every language."""
    if language not in LANGUAGES:
        raise ValueError(f"no items in {{language!r}}; there are {{', '.join(LANGUAGES)}}")
    found = []
    for line in ITEMS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["language"] == language:
            found.append({sample})
    return found


@task
def {name}(language: str = "{first}") -> Task:
    """{title} in one language."""
    return Task(
        dataset=MemoryDataset(samples(language), name="{name}"),
        solver={solver}(),
        scorer={scorer}(),
        metadata={metadata},
    )
'''

_SAMPLES = {
    True: """
                Sample(
                    id=row["item"],
                    input=row["prompt"],
                    choices=row["choices"],
                    target="ABCDEFGHIJKLMNOPQRSTUVWXYZ"[row["gold"]],
                    metadata={key: row[key] for key in row if key not in ("prompt", "choices")},
                )
            """,
    False: """
                Sample(
                    id=row["item"],
                    input=row["prompt"],
                    target=row["answer"],
                    metadata={key: row[key] for key in row if key != "prompt"},
                )
            """,
}


def write_inspect_task(items: Iterable[AskedItem], folder: Path | str, name: str) -> Path:
    """Write a task that Inspect runs with ``inspect eval FOLDER/NAME.py -T language=TAG``.

    Where items have choices they are asked as a multiple choice; otherwise the end of the reply is matched with the
    right answer. The logs of such a run come back through `hesperus import` with the same ids and languages.

    Args:
        items: Items of all languages.
        folder: Where the two files go.
        name: Name of the task.

    Returns:
        The Python file.

    Raises:
        UsageError: No items, or no name.
        DataError: See aligned; or an item with choices has no right one, which Inspect's scorer needs.

    Reference:
        UK AI Security Institute, Inspect documentation, "Datasets" and "Tasks".
    """
    folder = Path(folder)
    stem = task_name(name)
    by_language = aligned(items)
    every = [one for many in by_language.values() for one in many]
    choice = all(one.choices for one in every)
    for one in every if choice else ():
        if one.place is None or len(one.choices) > len(ascii_uppercase):
            raise DataError(f"needs a right choice among at most 26 (in {one.language!r})", item=one.item)
    data, file = f"{stem}.jsonl", f"{stem}.py"
    write_items(every, folder / data)
    text = _CHOICE.format(
        title=stem.replace("_", " ").capitalize(),
        file=file,
        name=stem,
        items=data,
        languages=repr(tuple(by_language)),
        first=next(iter(by_language)),
        scorer="choice" if choice else "match",
        solver="multiple_choice" if choice else "generate",
        sample=_SAMPLES[choice],
        metadata=repr({NAME_FIELD: name}),
    )
    write_text(folder / file, text)
    return folder / file
