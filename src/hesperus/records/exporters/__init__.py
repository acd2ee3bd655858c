"""Records for other tools: tables, a Hugging Face data set folder, tasks for Inspect and lm-evaluation-harness.

The parts are loaded when they are first used; importing this room costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.records.exporters.asked import AskedItem, aligned
    from hesperus.records.exporters.dataset import DatasetCard, write_dataset
    from hesperus.records.exporters.inspect_task import write_inspect_task
    from hesperus.records.exporters.lm_eval_task import write_lm_eval_task
    from hesperus.records.exporters.tables import answers_table, write_table

__all__ = [
    "AskedItem",
    "DatasetCard",
    "aligned",
    "answers_table",
    "write_dataset",
    "write_inspect_task",
    "write_lm_eval_task",
    "write_table",
]

_HOMES = {
    "AskedItem": "asked",
    "DatasetCard": "dataset",
    "aligned": "asked",
    "answers_table": "tables",
    "write_dataset": "dataset",
    "write_inspect_task": "inspect_task",
    "write_lm_eval_task": "lm_eval_task",
    "write_table": "tables",
}


def __getattr__(name: str) -> object:
    """Load the file in which a public name lives."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
