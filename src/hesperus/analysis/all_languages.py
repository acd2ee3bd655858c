"""The table of all senses of a model at once: consistency of subsets, AC3, Krippendorff's α."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from hesperus.analysis.agreement import same_gold, without
from hesperus.analysis.measure import measure
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.summary import language_cells
from hesperus.analysis.table import NewRow, Table
from hesperus.analysis.view_rows import view_table
from hesperus.analysis.views import View
from hesperus.measures import MISSING, Statistic
from hesperus.measures.several import together_statistics

SIZES = (2, 3, 4, 5, 6)
"""Senses in a subset; the number of all senses comes besides."""


@measure(
    "all_languages",
    help="How far all languages of a model agree at once.",
    takes=("by", "invalid"),
    rests_on_answers=True,
)
def all_languages_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """How far all languages of a model agree, over the items with gold that is the same in every one.

    A language is a sense in which instruction and input are the same, or any sense where every input was asked under
    one instruction only; of repeats, the first.

    Returns:
        For each model and task ``krippendorff_alpha`` (nominal) and ``accuracy`` over all languages, and for subsets of
        2 to 6 and of all languages ``subset_consistency`` (share of subsets and items on which all give one answer) and
        ``ac3``, its harmonic mean with accuracy. A model with one language has no rows.

    Raises:
        DataError: The table is empty, or an item has different numbers of options in different senses.

    Reference:
        Wang et al. (2024), SeaEval for multilingual foundation models; Krippendorff (2011).
    """

    def measured(view: View) -> Iterator[tuple[NewRow, Statistic]]:
        chosen = [view.arrays.row(cell) for cell in language_cells(view.arrays.cells)]
        if len(chosen) < 2:
            return
        common = same_gold(view)
        lost = int(((view.arrays.answers[chosen] != MISSING).any(axis=0) & ~common.kept).sum())
        sizes = sorted({*SIZES, len(chosen)})
        named = together_statistics(
            common.answers[chosen], key=common.key, sizes=sizes, invalid=settings.invalid
        )
        for size, name, statistic in named:
            yield {"languages": len(chosen), "size": size, "statistic": name}, without(statistic, lost)

    return view_table("all_languages", records, settings, columns=("languages", "size"), measured=measured)
