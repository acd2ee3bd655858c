"""The table of all senses of a model at once: consistency of subsets, AC3, Krippendorff's α."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hesperus.analysis.agreement import same_gold, without
from hesperus.analysis.settings import DEFAULT_BOOTSTRAP, MeasureSettings
from hesperus.analysis.summary import language_cells
from hesperus.analysis.table import ESTIMATE_COLUMNS, Table, estimate_cells, table
from hesperus.analysis.views import views
from hesperus.measures import MISSING, Bootstrap, InvalidRule, Statistic, estimates
from hesperus.measures.several import together_statistics

SIZES = (2, 3, 4, 5, 6)
"""Senses in a subset; the number of all senses comes besides."""


def together_table(
    records: pl.DataFrame,
    *,
    by: Sequence[str] = (),
    invalid: InvalidRule = "disagree",
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP,
) -> Table:
    """How far all languages of a model agree, over the items with gold that is the same in every one.

    A language is a sense in which instruction and input are the same, or any sense where every input was asked under
    one instruction only; of repeats, the first.

    Args:
        records: The records table.
        by: Columns of the records to group by.
        invalid: How unreadable answers compare.
        bootstrap: How intervals are made.

    Returns:
        For each model and task ``krippendorff_alpha`` (nominal) and ``accuracy`` over all languages, and for subsets of
        2 to 6 and of all languages ``subset_consistency`` (share of subsets and items on which all give one answer) and
        ``ac3``, its harmonic mean with accuracy. A model with one language has no rows.

    Raises:
        DataError: The table is empty, or an item has different numbers of options in different senses.
        UnknownNameError: A column that the records do not have.
        UsageError: An unknown rule.

    Reference:
        Wang et al. (2024), SeaEval for multilingual foundation models; Krippendorff (2011).
    """
    settings = MeasureSettings(by=tuple(by), invalid=invalid, bootstrap=bootstrap)
    rows: list[dict[str, object]] = []
    for view in views(records, by=by):
        common = same_gold(view)
        chosen = [view.arrays.row(cell) for cell in language_cells(view.arrays.cells)]
        if len(chosen) < 2:
            continue
        lost = int(((view.arrays.answers[chosen] != MISSING).any(axis=0) & ~common.kept).sum())
        sizes = sorted({*SIZES, len(chosen)})
        named = together_statistics(common.answers[chosen], key=common.key, sizes=sizes, invalid=invalid)
        statistics: list[Statistic] = [without(statistic, lost) for _, _, statistic in named]
        head = {"model": view.model, "task": view.task, **view.groups, "languages": len(chosen)}
        for (size, name, _), found in zip(named, estimates(statistics, bootstrap), strict=True):
            rows.append({**head, "size": size, "statistic": name, **estimate_cells(found)})
    columns = ("model", "task", *by, "languages", "size", "statistic", *ESTIMATE_COLUMNS)
    return table("together", columns, rows=rows, signature=settings.signed())
