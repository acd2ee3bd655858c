"""Tables of the audit of a translated benchmark; all of them only read records and what stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.reports.tax.back_translation import back_translation_table
    from hesperus.reports.tax.checklist import Checklist, checklist_of
    from hesperus.reports.tax.conditions import Senses, conditions_of
    from hesperus.reports.tax.evidence import Evidence, tax_tables
    from hesperus.reports.tax.native_control import native_control_table
    from hesperus.reports.tax.naturalisation import naturalisation_table
    from hesperus.reports.tax.rating import rating_table
    from hesperus.reports.tax.report import TaxReport, tax_report
    from hesperus.reports.tax.settings import Gate, TaxSettings, parse_groups
    from hesperus.reports.tax.sides import Compared, Side, compared, gate_scores
    from hesperus.reports.tax.validity import bounds_table, fragile_cells, unchecked_cells, validity_table

__all__ = [
    "Checklist",
    "Compared",
    "Evidence",
    "Gate",
    "Senses",
    "Side",
    "TaxReport",
    "TaxSettings",
    "back_translation_table",
    "bounds_table",
    "checklist_of",
    "compared",
    "conditions_of",
    "fragile_cells",
    "gate_scores",
    "native_control_table",
    "naturalisation_table",
    "parse_groups",
    "rating_table",
    "tax_report",
    "tax_tables",
    "unchecked_cells",
    "validity_table",
]

_HOMES = {
    "Checklist": "checklist",
    "Compared": "sides",
    "Evidence": "evidence",
    "Gate": "settings",
    "Senses": "conditions",
    "Side": "sides",
    "TaxReport": "report",
    "TaxSettings": "settings",
    "back_translation_table": "back_translation",
    "bounds_table": "validity",
    "checklist_of": "checklist",
    "compared": "sides",
    "conditions_of": "conditions",
    "fragile_cells": "validity",
    "gate_scores": "sides",
    "native_control_table": "native_control",
    "naturalisation_table": "naturalisation",
    "parse_groups": "settings",
    "rating_table": "rating",
    "tax_report": "report",
    "tax_tables": "evidence",
    "unchecked_cells": "validity",
    "validity_table": "validity",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
