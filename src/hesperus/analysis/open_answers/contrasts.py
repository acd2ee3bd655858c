"""Rows of a comparison: every statistic of the pairs that two runs share, with its ceiling on each side."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from hesperus.analysis.answered import coverage_of_pairs
from hesperus.analysis.open_answers.differences import Difference, paired_differences
from hesperus.analysis.open_answers.sides import Matched, matched, silence_said
from hesperus.analysis.open_answers.statistics import (
    MUTE,
    NO_SHARE,
    RIGHT_LANGUAGE,
    SILENT,
    WHERE_ANSWERED,
    has_ceiling,
    in_wrong_language,
    mute,
    over_ceiling,
    statistics_of,
)
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, estimate_cells
from hesperus.measures import Bootstrap, Statistic

TESTED = ("p", "p_holm", "p_bh", "detectable")
OVER = ("relative_a", "relative_b", "relative", "relative_low", "relative_high")
"""Score over ceiling on both sides, and its difference."""

ANSWERED_SIDES = ("answered_a", "answered_b")
"""Share of the replies behind the pairs of either side that are answers."""

CONTRAST_COLUMNS = (
    "statistic", "value_a", "value_b", *ANSWERED_SIDES, *ESTIMATE_COLUMNS[:3], *TESTED, "n", "prompts", "excluded", "reason",
    "ceiling_a", "ceiling_b", *OVER,
)  # fmt: skip

_POINTS = Bootstrap(resamples=0)


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Which matched pairs a set of statistics rests on, and why others are excluded."""

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
) -> Iterator[NewRow]:
    """A row for each statistic: by the rule, of pairs answered on all sides, of pairs in the right language on all sides.

    The second and third have the endings WHERE_ANSWERED and RIGHT_LANGUAGE.

    Args:
        sides: Pairs of side a and of side b, with the column matching.WAY.
        reworded: Prompts that are excluded since their words differ.
        bootstrap: How prompts are resampled.
        remark: What to say in every row.

    Raises:
        DataError: The tables have the values of no evaluator.
    """
    match = matched(sides, reworded)
    silent, said = silence_said(match, pl.col("state").is_in(SILENT))
    everything = pl.repeat(True, match.first.height, dtype=pl.Boolean, eager=True)
    answered = match.on_both(pl.col("state") == "compared")
    right, strange, astray = _in_right_language(match)
    if mute(match.first) or mute(match.second):
        lost = match.first.height
        reason = _joined(match.reason, f"{lost} {MUTE}")
        match, silent, said = replace(match, excluded=match.excluded + lost, reason=reason), 0, ""
        everything = answered = right = pl.repeat(False, lost, dtype=pl.Boolean, eager=True)
        strange, astray = 0, ""
    shares = dict(zip(ANSWERED_SIDES, (coverage_of_pairs(side).share for side in sides), strict=True))
    for counted in (
        _Counted("", everything, match.excluded, match.reason),
        _Counted(WHERE_ANSWERED, answered, match.excluded + silent, _joined(match.reason, said)),
        _Counted(RIGHT_LANGUAGE, right, match.excluded + strange, _joined(match.reason, astray)),
    ):
        for row in _rows(match, counted, bootstrap, remark):
            yield {**row, **shares}


def _in_right_language(match: Matched) -> tuple[pl.Series, int, str]:
    """Which matched pairs are in the language asked for in both runs; how many are not, and what to say of them."""
    wrong = [
        side.select(in_wrong_language(side).alias("held"))["held"] for side in (match.first, match.second)
    ]
    where = (
        ("on both sides", wrong[0] & wrong[1]),
        ("on side a", wrong[0] & ~wrong[1]),
        ("on side b", wrong[1] & ~wrong[0]),
    )
    told = [
        f"{int(held.sum())} with a reply in another language {side}" for side, held in where if held.any()
    ]
    either = wrong[0] | wrong[1]
    return ~either, int(either.sum()), "; ".join(told)


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _rows(match: Matched, counted: _Counted, bootstrap: Bootstrap, remark: str) -> Iterator[NewRow]:
    rows = match.stacked(counted.kept)
    reason = _joined(counted.reason, remark)
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
    answered = counted.ending == WHERE_ANSWERED
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
