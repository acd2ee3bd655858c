"""What is asked: tasks, the catalogue of benchmarks, readers of their data, and aligned, stratified item sets.

A *task* says what an item looks like, where its data lie and how a model is asked. The same door serves the benchmarks
of the catalogue and a user's own YAML file. Items of several languages come back aligned: the same id is the same
question everywhere, and what had to be left out is listed with its reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.tasks.definition import Task
    from hesperus.tasks.frames import items_frame, items_from_frame
    from hesperus.tasks.itemset import Dropped, ItemSet
    from hesperus.tasks.loading import load_items
    from hesperus.tasks.sampling import Sample
    from hesperus.tasks.task_parts import Columns, Gold, Key, Options, Source
    from hesperus.tasks.task_registry import task, tasks

__all__ = [
    "Columns", "Dropped", "Gold", "ItemSet", "Key", "Options", "Sample", "Source", "Task", "items_frame",
    "items_from_frame", "load_items", "task", "tasks",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
