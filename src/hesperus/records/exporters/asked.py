"""Items as other tools ask them: a task of Inspect, or tasks of lm-evaluation-harness; aligned over languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from string import ascii_uppercase

import yaml

from hesperus.errors import DataError, UsageError
from hesperus.records.files import write_content

NAME_FIELD = "hesperus_task"
"""Where an exported task says in its metadata what it is called here: the tools allow fewer characters in a name."""


@dataclass(frozen=True, slots=True)
class AskedItem:
    """One item in one language, put into words.

    Attributes:
        item: Its id, the same in every language.
        language: BCP-47 tag.
        prompt: What is asked, without the options if any.
        choices: Texts of the options, or the words that represent the labels; empty where the answer is free.
        labels: Canonical labels of the choices, in the same order.
        gold: Right label, or the right text of a free answer; None if absent.
        groups: Group columns.
    """

    item: str
    language: str
    prompt: str
    choices: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    gold: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> int | None:
        """Place of the right choice, from 0."""
        return self.labels.index(self.gold) if self.gold in self.labels else None


def aligned(items: Iterable[AskedItem]) -> dict[str, tuple[AskedItem, ...]]:
    """Items by language, the same ids in the same order in each.

    Raises:
        UsageError: Nothing found.
        DataError: An item is twice in a language, is not in all, has another number of choices or other labels in
            one, or its choices and labels do not fit; the message names it.
    """
    by_language: dict[str, dict[str, AskedItem]] = {}
    for one in items:
        many = by_language.setdefault(one.language, {})
        if one.item in many:
            raise DataError(f"occurs twice in {one.language!r}", item=one.item)
        if len(one.choices) != len(one.labels):
            raise DataError(f"{len(one.choices)} choices for {len(one.labels)} labels", item=one.item)
        many[one.item] = one
    if not by_language:
        raise UsageError("there are no items to export")
    first_language, first = next(iter(by_language.items()))
    for language, many in by_language.items():
        apart = sorted(first.keys() ^ many.keys())
        if apart:
            raise DataError(f"is not in both {first_language!r} and {language!r}", item=apart[0])
        for item, one in many.items():
            if one.labels != first[item].labels:
                raise DataError(
                    f"labels {one.labels} in {language!r}, {first[item].labels} in {first_language!r}",
                    item=item,
                )
    return {language: tuple(many[item] for item in first) for language, many in by_language.items()}


def task_name(name: str) -> str:
    """A name that is safe as a file, as a task of either tool, and as a Python word."""
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    if not plain or not plain[0].isalpha():
        raise UsageError(f"{name!r} gives no name for a task; let it begin with a letter")
    return plain


def file_tag(language: str) -> str:
    """A language tag as the end of a task's name, which importers read back: ``zh_Hant``."""
    return language.replace("-", "_")


def write_items(items: Sequence[AskedItem], path: Path) -> None:
    """JSON lines: item, language, prompt, choices, labels, gold (place, -1 if absent), answer, groups."""
    lines = [
        json.dumps(
            {
                "item": one.item,
                "language": one.language,
                "prompt": one.prompt,
                "choices": list(one.choices),
                "labels": list(one.labels),
                "gold": -1 if one.place is None else one.place,
                "answer": one.gold or "",
                **dict(one.groups),
            },
            ensure_ascii=False,
        )
        for one in items
    ]
    write_content(path, "".join(f"{line}\n" for line in lines))


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
    template = files("hesperus.records.exporters") / "inspect_task.txt"
    text = template.read_text(encoding="utf-8").format(
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
    write_content(folder / file, text)
    return folder / file


def write_lm_eval_task(items: Iterable[AskedItem], folder: Path | str, name: str) -> tuple[str, ...]:
    """Write tasks that lm-evaluation-harness loads with ``--include_path FOLDER --tasks NAME``.

    Where items have choices, their log-likelihoods after the prompt are compared; otherwise text is generated up to the
    end of the line. The logs of such a run come back through `hesperus import` with the same ids.

    Args:
        items: Items of all languages.
        folder: Where the files go; it has to stay in its place, since the harness wants whole paths.
        name: Name of the group; tasks are NAME_LANGUAGE.

    Returns:
        The names of the tasks.

    Raises:
        UsageError: No items, or no name.
        DataError: See aligned.

    Reference:
        EleutherAI, lm-evaluation-harness, docs/task_guide.md (0.4).
    """
    folder = Path(folder).resolve()
    stem = task_name(name)
    metadata = {"metadata": {"version": 1.0, NAME_FIELD: name}}
    names = []
    for language, many in aligned(items).items():
        task = f"{stem}_{file_tag(language)}"
        data = folder / f"{task}.jsonl"
        write_items(many, data)
        text = yaml.safe_dump(_task(task, data, many) | metadata, allow_unicode=True, sort_keys=False)
        write_content(folder / f"{task}.yaml", text)
        names.append(task)
    group = {"group": stem, "task": names, "metadata": {"version": 1.0}}
    write_content(folder / f"{stem}.yaml", yaml.safe_dump(group, allow_unicode=True, sort_keys=False))
    return tuple(names)


def _task(task: str, data: Path, items: tuple[AskedItem, ...]) -> dict[str, object]:
    shared: dict[str, object] = {
        "task": task,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "doc_to_text": "{{prompt}}",
    }
    if all(one.choices for one in items):
        return shared | {
            "output_type": "multiple_choice",
            "doc_to_choice": "{{choices}}",
            "doc_to_target": "gold",
            "target_delimiter": " ",
            "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        }
    return shared | {
        "output_type": "generate_until",
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {"until": ["\n"], "do_sample": False},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
    }
