"""Tables of measures from records: what `hesperus measure`, `compare` and `check` show, and what reports are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.reports.measured.agreement import agreement_table
from hesperus.reports.measured.description import Described, described
from hesperus.reports.measured.paired import consistency_table, decomposition_table, directions_table
from hesperus.reports.measured.registry import MEASURES, PAIRED, SIMILARITY, measure_columns, measure_table
from hesperus.reports.measured.requirements import (
    Requirement,
    check_table,
    failures_first,
    junit_xml,
    markdown_summary,
    passed_sentence,
)
from hesperus.reports.measured.scores import check_scores, read_scores, translation_table
from hesperus.reports.measured.single import accuracy_table, labels_table, outcomes_table, validity_table
from hesperus.reports.measured.views import narrowed

if TYPE_CHECKING:
    from hesperus.reports.measured.compared import COMPARED, compare_table

__all__ = [
    "COMPARED",
    "MEASURES",
    "PAIRED",
    "SIMILARITY",
    "Described",
    "Requirement",
    "accuracy_table",
    "agreement_table",
    "check_scores",
    "check_table",
    "compare_table",
    "consistency_table",
    "decomposition_table",
    "described",
    "directions_table",
    "junit_xml",
    "labels_table",
    "markdown_summary",
    "failures_first",
    "passed_sentence",
    "measure_columns",
    "measure_table",
    "narrowed",
    "outcomes_table",
    "read_scores",
    "translation_table",
    "validity_table",
]

_COMPARED = {"COMPARED", "compare_table"}


def __getattr__(name: str) -> object:
    # The tests behind a comparison need scipy, which measuring does not.
    if name not in _COMPARED:
        raise AttributeError(f"module 'hesperus.reports.measured' has no attribute {name!r}")
    from hesperus.reports.measured import compared

    return getattr(compared, name)


def __dir__() -> list[str]:
    return __all__
