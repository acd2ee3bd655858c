"""Consistency by how well an item was translated: the share of same answers in bins of a score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.scores import check_scores, item_scores
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, Table, table
from hesperus.analysis.views import View, estimated, views
from hesperus.errors import DataError
from hesperus.measures import Bootstrap, InvalidRule, Statistic, compare
from hesperus.measures.statistic import ratio, share_corners
from hesperus.records import CellPair, implied_pairs

ALL = "all"
"""Stands in the column ``sense`` where all made senses of a model are taken together."""

COLUMNS = ("model", "task", "sense", "score", "from", "to", "answers", "statistic", *ESTIMATE_COLUMNS)
_BINS = 10

Floats = npt.NDArray[np.float64]


def translation_bins(
    records: pl.DataFrame,
    scores: pl.DataFrame,
    *,
    invalid: InvalidRule = "disagree",
    bootstrap: Bootstrap | None = None,
) -> Table:
    """Share of same answers, original against translated input (X), by bin of the item's translation score.

    Scores from 0 to 100 (BLEU, chrF) or 0 to 1 (ROUGE) fall into ten bins of one width; others (COMET) into five that
    hold as many items each. A bin takes in its lower edge, the last its upper one too. Intervals resample items: the
    answers to an item in all languages travel together.

    Returns:
        A row a model, task, sense (and ``all`` of them), score and bin that has answers.

    Raises:
        DataError: The scores have the wrong shape, or none of them belongs to the records.
    """
    settings = MeasureSettings(invalid=invalid, bootstrap=bootstrap or Bootstrap())
    checked = check_scores(scores)
    # Those of single fields are left out.
    names = [
        name for name in checked.columns if name not in ("task", "model", "sense", "item") and ":" not in name
    ]
    rows: list[NewRow] = []
    for view in views(records):
        for name in names:
            rows += _rows(view, checked, name, settings)
    if not rows:
        raise DataError(
            "no score belongs to a made input of these records; scores are joined by sense and item"
        )
    return table("consistency by translation score", COLUMNS, rows=rows, signature=settings.signed())


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """One sense: which items count, on which the answers agree, and their scores (NaN if absent)."""

    sense: str
    agree: npt.NDArray[np.bool_]
    counted: npt.NDArray[np.bool_]
    score: Floats


def _rows(view: View, scores: pl.DataFrame, name: str, settings: MeasureSettings) -> Iterator[NewRow]:
    senses = [
        scored
        for made in implied_pairs(view.arrays.cells)
        if made.condition == "X"
        and (scored := _scored(view, made, scores, name, settings.invalid)).counted.any()
    ]
    if not senses:
        return
    held = np.concatenate([one.score[one.counted] for one in senses])
    edges = _edges(held)
    groups = [(one.sense, [one]) for one in senses] + ([(ALL, senses)] if len(senses) > 1 else [])

    def found() -> Iterator[tuple[NewRow, Statistic]]:
        for sense, members in groups:
            for low, high, last in edges:
                statistic, answers = _share(members, low, high, last)
                if answers:
                    head = {"sense": sense, "score": name, "from": low, "to": high, "answers": answers}
                    yield {**head, "statistic": "consistency"}, statistic

    yield from estimated({"model": view.model, "task": view.task}, found(), settings.bootstrap)


def _scored(view: View, made: CellPair, scores: pl.DataFrame, name: str, invalid: InvalidRule) -> _Scored:
    score = item_scores(view, made.b.input, scores, name)
    both = compare(view.answers(made.a), view.answers(made.b), invalid=invalid)
    return _Scored(made.b.input, both.agree, both.counted & np.isfinite(score), score)


def _edges(held: Floats) -> list[tuple[float, float, bool]]:
    """Lower and upper edge of each bin, and whether it is the last."""
    low, high = float(held.min()), float(held.max())
    if low >= 0 and high <= 100.0001:
        top = 1.0 if high <= 1.0001 else 100.0
        edges = [round(top * step / _BINS, 6) for step in range(_BINS + 1)]
    else:
        edges = sorted({float(edge) for edge in np.quantile(held, np.linspace(0, 1, 6))})
    if len(edges) == 1:
        edges = [edges[0], edges[0]]
    return [
        (below, above, index == len(edges) - 2)
        for index, (below, above) in enumerate(zip(edges, edges[1:], strict=False))
    ]


def _share(members: Sequence[_Scored], low: float, high: float, last: bool) -> tuple[Statistic, int]:
    """Agreeing over counted answers of a bin, item by item over all members."""
    agree = np.zeros(len(members[0].agree))
    counted = np.zeros(len(members[0].agree))
    for one in members:
        filled = np.where(one.counted, one.score, np.nan)
        # chrF of a perfect text may be a rounding above 100
        inside = (filled >= low) & ((filled < high) | (last & (filled >= high)))
        counted += inside
        agree += inside & one.agree
    return Statistic((agree, counted), ratio, share_corners(counted), int((counted > 0).sum())), int(
        counted.sum()
    )
