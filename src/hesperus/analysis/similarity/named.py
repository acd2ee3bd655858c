"""One table of a similarity study by its name, as the run's own study wants it, unless a flag says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from hesperus.analysis.description import Described
from hesperus.analysis.settings import GivenSettings, resolve
from hesperus.analysis.similarity.all_pairs import similarity_tables
from hesperus.analysis.similarity.designs import BETWEEN, PIVOT, WITHIN
from hesperus.analysis.similarity.similarity_settings import groups_of, settings_of
from hesperus.analysis.table import Table
from hesperus.errors import DataError

_QUESTIONS = {
    WITHIN: "one model, two languages",
    PIVOT: "one model, {pivot} and another language",
    BETWEEN: "two models, one language",
}

_TITLE = "how alike runs err, beyond what their accuracy explains"
_TITLES = {
    "raw": "how often runs give the same answer",
    "cohen_kappa": "how alike runs answer, beyond what their shares of labels explain",
    "scott_pi": "how alike runs answer, beyond what their shares of labels explain",
    "rank_consistency": "how alike runs rank the options",
}


def similarity_table(
    what: str, records: pl.DataFrame, given: GivenSettings, *, described: Described | None = None
) -> Table:
    """Make one table.

    Args:
        what: One of hesperus.analysis.similarity.all_pairs.SIMILARITY_TABLES.
        records: The records table.
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
        records, settings_of(run.study, given), by=by if what == "designs" else (), only=(what,)
    )
    if what not in tables:
        raise DataError(
            "no record has probabilities, which `scoring` sets beside labels; ask with scoring: both"
        )
    return _signed(tables[what], run.signature)


def similarity_summary(designs: Table, tests: Table) -> Table:
    """What a similarity study found, for people: the mean of each design, by model and by language, and how far they differ.

    Args:
        designs: The table `designs`.
        tests: The table `tests`.
    """
    signed = designs.signature.get("SimilaritySettings")
    pivot = signed.get("pivot", "the pivot") if isinstance(signed, Mapping) else "the pivot"
    columns = ("compared", "of", "pairs", "statistic", "value", "low", "high", "n", "excluded", "reason")
    rows: list[dict[str, object]] = []
    for row in designs.rows:
        if row["by"] is None and row["design"] in _QUESTIONS:
            question = _QUESTIONS[str(row["design"])].format(pivot=pivot)
            rows.append({**row, "compared": question, "of": row["group"], "reason": _why(row)})
    for row in tests.rows:
        if row["model"] is None:
            compared = f"{_QUESTIONS[WITHIN]}, less {_QUESTIONS[BETWEEN]}"
            rows.append({**row, "compared": compared, "of": "all", "pairs": None, "reason": _why(row)})
    shown = tuple({name: row[name] for name in columns} for row in rows)
    title = _TITLES.get(str(shown[0]["statistic"]).removesuffix("_soft"), _TITLE) if shown else _TITLE
    return Table(f"similarity: {title}", columns, shown, {})


def _why(row: Mapping[str, object]) -> object:
    """Why there is no value; what merely left items out of one that is there is in the table itself."""
    return row["reason"] if row["value"] is None else ""


def _signed(made: Table, signature: Mapping[str, object]) -> Table:
    """The table, with what a list of exclusions took out of the run in its signature."""
    excluded = signature.get("excluded")
    return made if excluded is None else replace(made, signature={**made.signature, "excluded": excluded})
