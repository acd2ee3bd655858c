"""One table of a similarity study by its name, as the run's own study wants it, unless a flag says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from hesperus.analysis.description import Described
from hesperus.analysis.settings import GivenSettings, resolve
from hesperus.analysis.similarity.all_pairs import similarity_tables
from hesperus.analysis.similarity.similarity_settings import groups_of, settings_of
from hesperus.analysis.table import Table
from hesperus.errors import DataError


def similarity_table(
    what: str, records: pl.DataFrame | Path, given: GivenSettings, *, described: Described | None = None
) -> Table:
    """Make one table.

    Args:
        what: One of hesperus.analysis.similarity.all_pairs.SIMILARITY_TABLES.
        records: The records table, or where it lies.
        given: What was asked for; it wins over the run's study.
        described: What the run says of itself.

    Raises:
        DataError: Nothing to compare, or `scoring` is wanted and no record has probabilities.
        UnknownNameError: No such column.
        UsageError: The study's comparison cannot be used.
    """
    run = described or Described()
    by = resolve(given.by, groups_of(run.study), ())
    tables = similarity_tables(
        records, settings_of(run.study, given), by=by if what == "means" else (), only=(what,)
    )
    if what not in tables:
        raise DataError(
            "no record has probabilities, which `scoring` sets beside labels; ask with scoring: both"
        )
    return _signed(tables[what], run.signature)


def _signed(made: Table, signature: Mapping[str, object]) -> Table:
    """The table, with what a list of exclusions took out of the run in its signature."""
    excluded = signature.get("excluded")
    return made if excluded is None else replace(made, signature={**made.signature, "excluded": excluded})
