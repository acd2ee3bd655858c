"""Records for other tools: tables, a data set folder, Every Eval Ever, tasks for Inspect and lm-evaluation-harness.

The parts are loaded when they are first used; importing this room costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.records.exporters.asked import AskedItem, aligned, write_inspect_task, write_lm_eval_task
    from hesperus.records.exporters.dataset import DatasetCard, write_dataset
    from hesperus.records.exporters.every_eval import EvaluationSource, write_every_eval
    from hesperus.records.exporters.tables_for_people import answers_table, write_table

__all__ = [
    "AskedItem", "DatasetCard", "EvaluationSource", "aligned", "answers_table", "write_dataset",
    "write_every_eval", "write_inspect_task", "write_lm_eval_task", "write_table",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
