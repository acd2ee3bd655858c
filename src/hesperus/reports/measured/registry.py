"""Measures by name, for the command line and for requirements; a new table joins by one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from hesperus.errors import UnknownNameError, UsageError
from hesperus.reports.measured.agreement import agreement_table
from hesperus.reports.measured.paired import consistency_table, decomposition_table, directions_table
from hesperus.reports.measured.settings import MeasureSettings
from hesperus.reports.measured.single import accuracy_table, labels_table, outcomes_table, validity_table
from hesperus.reports.table import Table

MEASURES: Mapping[str, Callable[[pl.DataFrame, MeasureSettings], Table]] = {
    "accuracy": lambda records, s: accuracy_table(records, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap),
    "agreement": lambda records, s: agreement_table(
        records, a=s.a, b=s.b, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap
    ),
    "consistency": lambda records, s: consistency_table(
        records, a=s.a, b=s.b, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap
    ),
    "decomposition": lambda records, s: decomposition_table(
        records, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap
    ),
    "directions": lambda records, s: directions_table(
        records, a=s.a, b=s.b, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap
    ),
    "labels": lambda records, s: labels_table(records, by=s.by, bootstrap=s.bootstrap),
    "outcomes": lambda records, s: outcomes_table(records, by=s.by, bootstrap=s.bootstrap),
    "validity": lambda records, s: validity_table(records, by=s.by, bootstrap=s.bootstrap),
}
"""Name to the function that makes its table from records and settings."""

PAIRED = ("agreement", "consistency", "directions")
"""Measures that compare two cells, hence take `a` and `b`."""


def measure_table(what: str, records: pl.DataFrame, settings: MeasureSettings | None = None) -> Table:
    """Make the table of a measure by its name.

    Args:
        what: One of MEASURES.
        records: The records table.
        settings: What to compare, group and resample; None takes the defaults.

    Raises:
        UnknownNameError: No such measure, cell or column.
        UsageError: The measure is about single cells and `a` is given.
    """
    if what not in MEASURES:
        raise UnknownNameError("measure", what, MEASURES)
    settings = settings or MeasureSettings()
    if settings.a is not None and what not in PAIRED:
        raise UsageError(f"{what} takes no pair of cells; a and b are for {', '.join(PAIRED)}")
    return MEASURES[what](records, settings)
