"""The library as short as the command: load items, ask a model, run a study, measure, compare, check, report, verify."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.api.asking import ask, load_items, read_answers
    from hesperus.api.auditing import audit
    from hesperus.api.bundling import bundle
    from hesperus.api.calibrating import calibrate
    from hesperus.api.checking import check
    from hesperus.api.evaluating import evaluate
    from hesperus.api.figures import figure
    from hesperus.api.file_translating import translate
    from hesperus.api.importing import import_logs
    from hesperus.api.measured_run import read_records
    from hesperus.api.measuring import measure
    from hesperus.api.merging import MergeResult, merge
    from hesperus.api.pages import report
    from hesperus.api.record_exporting import export
    from hesperus.api.reply_rereading import reread
    from hesperus.api.representing import represent
    from hesperus.api.results import RunResult, open_run, plan, run
    from hesperus.api.run_comparison import compare
    from hesperus.api.translation_scoring import score
    from hesperus.api.verifying import verify

__all__ = [
    "MergeResult", "RunResult", "ask", "audit", "bundle", "calibrate", "check", "compare", "evaluate",
    "export", "figure", "import_logs", "load_items", "measure", "merge", "open_run",
    "plan", "read_answers", "read_records", "report", "represent", "reread", "run", "score",
    "translate", "verify",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
