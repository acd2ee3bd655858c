"""Rows of a comparison: every statistic of the pairs that two runs share, with its ceiling on each side."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from hesperus.measures import Bootstrap, Statistic
from hesperus.reports.open_answers.differences import Difference, paired_differences
from hesperus.reports.open_answers.matching import Matched, matched, silence_said
from hesperus.reports.open_answers.statistics import (
    ANSWERED,
    MUTE,
    NO_SHARE,
    SILENT,
    has_ceiling,
    mute,
    over_ceiling,
    statistics_of,
)
from hesperus.reports.table import ESTIMATE_COLUMNS, estimate_cells

Row = dict[str, object]

TESTED = ("p", "p_holm", "p_bh", "detectable")
OVER = ("relative_a", "relative_b", "relative", "relative_low", "relative_high")
"""Score over ceiling on both sides, and its difference."""

CONTRAST_COLUMNS = (
    "statistic", "value_a", "value_b", *ESTIMATE_COLUMNS[:3], *TESTED, "n", "prompts", "excluded", "reason",
    "ceiling_a", "ceiling_b", *OVER,
)  # fmt: skip

_POINTS = Bootstrap(resamples=0)


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Which matched pairs a set of statistics rests on, and why others are left out."""

    ending: str
    kept: pl.Series
    excluded: int
    reason: str


def contrast_rows(
    sides: tuple[pl.DataFrame, pl.DataFrame],
    *,
    reworded: Collection[str],
    bootstrap: Bootstrap,
    remark: str = "",
) -> Iterator[Row]:
    """A row for each statistic, by the rule and again (ending ANSWERED) of pairs that are answered on all sides.

    Args:
        sides: Pairs of side a and of side b, with the column matching.WAY.
        reworded: Prompts that are left out since their words differ.
        bootstrap: How prompts are resampled.
        remark: What to say in every row.

    Raises:
        DataError: The tables have the values of no evaluator.
    """
    match = matched(sides, reworded)
    silent, said = silence_said(match, pl.col("state").is_in(SILENT))
    everything = pl.repeat(True, match.first.height, dtype=pl.Boolean, eager=True)
    answered = match.on_both(pl.col("state") == "compared")
    if mute(match.first) or mute(match.second):
        lost = match.first.height
        reason = "; ".join(filter(None, (match.reason, f"{lost} {MUTE}")))
        match, silent, said = replace(match, excluded=match.excluded + lost, reason=reason), 0, ""
        everything = answered = pl.repeat(False, lost, dtype=pl.Boolean, eager=True)
    for counted in (
        _Counted("", everything, match.excluded, match.reason),
        _Counted(ANSWERED, answered, match.excluded + silent, "; ".join(filter(None, (match.reason, said)))),
    ):
        yield from _rows(match, counted, bootstrap, remark)


def _rows(match: Matched, counted: _Counted, bootstrap: Bootstrap, remark: str) -> Iterator[Row]:
    rows = match.stacked(counted.kept)
    reason = "; ".join(filter(None, (counted.reason, remark)))
    own = {
        name: replace(_of_pairs(one), excluded=counted.excluded, reason=reason)
        for name, one in statistics_of(rows, "").items()
    }
    ceilings, over = _beside(match, counted, bootstrap)
    prompts = match.first.filter(counted.kept)["item"].n_unique()
    for name, found in paired_differences(own, bootstrap).items():
        ceiling, share = ceilings.get(name), over.get(name)
        yield {
            "statistic": f"{name}{counted.ending}",
            "value_a": found.first,
            "value_b": found.second,
            **estimate_cells(found.estimate),
            "p": found.p,
            "p_holm": None,
            "p_bh": None,
            "detectable": found.detectable,
            "prompts": prompts,
            "ceiling_a": ceiling.first if ceiling else None,
            "ceiling_b": ceiling.second if ceiling else None,
            **_over_cells(share),
        }


def _beside(
    match: Matched, counted: _Counted, bootstrap: Bootstrap
) -> tuple[Mapping[str, Difference], Mapping[str, Difference]]:
    """Ceilings, and scores over them, of the pairs that have a ceiling on both sides."""
    answered = bool(counted.ending)
    there = [side.with_columns(has_ceiling(side, answered=answered).alias("held"))["held"]
             for side in (match.first, match.second)]  # fmt: skip
    rows = match.stacked(counted.kept & there[0] & there[1])
    if rows.is_empty():
        return {}, {}
    ceilings = {name: _of_pairs(one) for name, one in statistics_of(rows, "ceiling_").items()}
    scores = statistics_of(rows, "")
    over = {
        name: over_ceiling(scores[name], one)
        for name, one in ceilings.items()
        if name in scores and not name.startswith(NO_SHARE)
    }
    return paired_differences(ceilings, _POINTS, tested=False), paired_differences(
        over, bootstrap, tested=False
    )


def _of_pairs(one: Statistic) -> Statistic:
    """A statistic of stacked sides counts each pair twice."""
    return replace(one, n=one.n // 2)


def _over_cells(found: Difference | None) -> dict[str, object]:
    if found is None:
        return dict.fromkeys(OVER)
    apart = found.estimate
    return dict(zip(OVER, (found.first, found.second, apart.value, apart.low, apart.high), strict=True))
