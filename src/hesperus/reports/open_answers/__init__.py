"""Tables and the page of open answers: what each language says of what the reference says, and the ceiling beside it.

All numbers are made from the table of pairs that an evaluation writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.reports.open_answers.comparing import Comparison, compare_open_answers
    from hesperus.reports.open_answers.counting import counts_table
    from hesperus.reports.open_answers.evidence import Evaluated
    from hesperus.reports.open_answers.grouping import GROUPINGS, groups_table
    from hesperus.reports.open_answers.report import OpenAnswersReport, OpenEvidence, open_answers_report
    from hesperus.reports.open_answers.runs import (
        RUN_TABLES,
        TABLES,
        TableSettings,
        evaluation_table,
        run_summary,
        run_table,
    )
    from hesperus.reports.open_answers.scores import scores_summary, scores_table
    from hesperus.reports.open_answers.sides import Chosen

__all__ = [
    "GROUPINGS",
    "RUN_TABLES",
    "TABLES",
    "Chosen",
    "Comparison",
    "Evaluated",
    "OpenAnswersReport",
    "OpenEvidence",
    "TableSettings",
    "compare_open_answers",
    "counts_table",
    "evaluation_table",
    "groups_table",
    "open_answers_report",
    "run_summary",
    "run_table",
    "scores_summary",
    "scores_table",
]

_HOMES = {
    "Chosen": "sides",
    "Comparison": "comparing",
    "compare_open_answers": "comparing",
    "GROUPINGS": "grouping",
    "Evaluated": "evidence",
    "OpenAnswersReport": "report",
    "OpenEvidence": "report",
    "RUN_TABLES": "runs",
    "TABLES": "runs",
    "TableSettings": "runs",
    "counts_table": "counting",
    "evaluation_table": "runs",
    "groups_table": "grouping",
    "open_answers_report": "report",
    "run_summary": "runs",
    "run_table": "runs",
    "scores_summary": "scores",
    "scores_table": "scores",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
