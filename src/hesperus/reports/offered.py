"""Measures of plug-ins as people see them: by the statistics that each declares."""

from __future__ import annotations

from collections.abc import Iterator

from hesperus.analysis.measure import Measure
from hesperus.analysis.measure_names import offered_measures
from hesperus.analysis.registry import measure_of, measure_table
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.settings import GivenSettings
from hesperus.analysis.table import Table
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import Run
from hesperus.records.packed import unpacked
from hesperus.reports.blocks import Block, Section, note
from hesperus.reports.columns import RESTS_ON, Column
from hesperus.reports.grid import Grid
from hesperus.reports.tabulated import tabulated


def offered_grid(table: Table) -> Grid | None:
    """The table of a measure of a plug-in, its statistics side by side; None if it declares none."""
    if table.measure not in offered_measures():
        return None
    declared = measure_of(table.measure)
    return None if declared is None or not declared.statistics else _grid(declared, table)


def offered_blocks(run: Run, given: GivenSettings) -> Iterator[Block | None]:
    """A section with every measure of a plug-in, for the end of a page; nothing without any."""
    names = offered_measures()
    if not names or run.records.is_empty():
        return
    yield Section("Measures of plug-ins", "plug-ins", listed="Plug-ins")
    described = Described(run.study, run.signature)
    # Another package may read any column.
    run = unpacked(run)
    for name in names:
        declared = measure_of(name)
        try:
            found = measure_table(name, run.records, given.of_whole(), described=described)
        except (DataError, UsageError, UnknownNameError) as error:
            yield note(f"{name}: {error}", level="aside")
            continue
        if declared is not None and found.rows:
            yield _grid(declared, found)


def _grid(declared: Measure, table: Table) -> Grid | None:
    keys = table.columns[: table.columns.index("statistic")]
    heads = [Column(name, one.heading, one.unit, one.help) for name, one in declared.statistics.items()]
    return tabulated(
        declared.help, table.rows, keys, [*heads, *RESTS_ON] if heads else ["statistic", "value", *RESTS_ON]
    )
