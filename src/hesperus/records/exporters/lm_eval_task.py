"""An aligned item set as tasks of lm-evaluation-harness: a YAML file for each language, and a group."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from hesperus.records.exporters.asked import (
    NAME_FIELD,
    AskedItem,
    aligned,
    file_tag,
    task_name,
    write_items,
    write_text,
)


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
        write_text(folder / f"{task}.yaml", text)
        names.append(task)
    group = {"group": stem, "task": names, "metadata": {"version": 1.0}}
    write_text(folder / f"{stem}.yaml", yaml.safe_dump(group, allow_unicode=True, sort_keys=False))
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
