"""Tables, figures, the card and the report of a run; all of them only read records.

Importing this room costs nothing: a name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.reports.card import Card, card_of
    from hesperus.reports.drawing import Drawing, write_drawings
    from hesperus.reports.drawings import write_figures
    from hesperus.reports.findings import Findings, findings_of
    from hesperus.reports.formats import FORMATS, format_table, print_table
    from hesperus.reports.html import (
        ReportSettings,
        open_run,
        report_drawings,
        report_findings,
        report_html,
        scores_of,
        write_report,
    )
    from hesperus.reports.kinds import study_kind
    from hesperus.reports.one_figure import FigureChoice, one_figure, write_figure
    from hesperus.reports.similarity.findings import SimilarityFindings, similarity_findings
    from hesperus.reports.table import Table
    from hesperus.reports.theme import FIGURE_FORMATS, render

__all__ = [
    "FIGURE_FORMATS",
    "FORMATS",
    "Card",
    "Drawing",
    "FigureChoice",
    "Findings",
    "ReportSettings",
    "SimilarityFindings",
    "Table",
    "card_of",
    "findings_of",
    "format_table",
    "one_figure",
    "open_run",
    "print_table",
    "render",
    "report_drawings",
    "report_findings",
    "report_html",
    "scores_of",
    "similarity_findings",
    "study_kind",
    "write_drawings",
    "write_figure",
    "write_figures",
    "write_report",
]

_HOMES = {
    "FIGURE_FORMATS": "theme",
    "FORMATS": "formats",
    "Card": "card",
    "Drawing": "drawing",
    "FigureChoice": "one_figure",
    "Findings": "findings",
    "ReportSettings": "html",
    "SimilarityFindings": "similarity.findings",
    "Table": "table",
    "card_of": "card",
    "findings_of": "findings",
    "format_table": "formats",
    "one_figure": "one_figure",
    "open_run": "html",
    "print_table": "formats",
    "render": "theme",
    "report_drawings": "html",
    "report_findings": "html",
    "report_html": "html",
    "scores_of": "html",
    "similarity_findings": "similarity.findings",
    "study_kind": "kinds",
    "write_drawings": "drawing",
    "write_figure": "one_figure",
    "write_figures": "drawings",
    "write_report": "html",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
