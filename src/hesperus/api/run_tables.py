"""Every table that a run has, by name: what a record of all its numbers is made of."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hesperus.analysis.measure_names import OF_RUNS, TAX_MEASURES
from hesperus.analysis.run_kinds import described
from hesperus.analysis.table import Table
from hesperus.api.measuring import measure
from hesperus.errors import DataError, HesperusWarning, UsageError


@dataclass(frozen=True, slots=True)
class RunTables:
    """What can be measured of a run.

    Attributes:
        tables: Name of the measure to its table, in the order of OF_RUNS.
        absent: Name of each other measure to the reason why the run does not have it.
    """

    tables: Mapping[str, Table]
    absent: Mapping[str, str]


def run_tables(run: Path, only: Sequence[str] = OF_RUNS, **settings: Any) -> RunTables:
    """Measure everything that a run has."""
    tables: dict[str, Table] = {}
    absent: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HesperusWarning)
        measure("outcomes", run, resamples=0)  # any run has it: a broken run fails here
        is_audit = described(run).study.get("study") == "translation_tax"
        for what in only:
            if what in TAX_MEASURES and not is_audit:
                absent[what] = f"{what} is claimed of a run folder of translation_tax"
                continue
            try:
                tables[what] = measure(what, run, **settings)
            except (UsageError, DataError) as error:
                absent[what] = str(error)
    return RunTables(tables, absent)
