"""Tables, figures, the card and the report of a run; all of them only read records.

Importing this room costs nothing: a name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.reports.card import Card, card_of
    from hesperus.reports.drawings import write_figures
    from hesperus.reports.findings import Findings, findings_of
    from hesperus.reports.formats import FORMATS, format_table, print_table
    from hesperus.reports.html import ReportSettings, open_run, report_html, write_report
    from hesperus.reports.table import Table
    from hesperus.reports.theme import FIGURE_FORMATS, render

__all__ = [
    "FIGURE_FORMATS",
    "FORMATS",
    "Card",
    "Findings",
    "ReportSettings",
    "Table",
    "card_of",
    "findings_of",
    "format_table",
    "open_run",
    "print_table",
    "render",
    "report_html",
    "write_figures",
    "write_report",
]

_HOMES = {
    "FIGURE_FORMATS": "theme",
    "FORMATS": "formats",
    "Card": "card",
    "Findings": "findings",
    "ReportSettings": "html",
    "Table": "table",
    "card_of": "card",
    "findings_of": "findings",
    "format_table": "formats",
    "open_run": "html",
    "print_table": "formats",
    "render": "theme",
    "report_html": "html",
    "write_figures": "drawings",
    "write_report": "html",
}


def __getattr__(name: str) -> object:
    """Load the file in which a public name lives."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
