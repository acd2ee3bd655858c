"""Paired differences of statistics that need not be means: by resampling prompts, and by exchanging their sides.

A difference of means could be tested prompt by prompt; F of means and κ are no means, so the sides of whole prompts
are exchanged and the statistic is made again.

References:
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 15.
    Yeh (2000), More accurate tests for the statistical significance of result differences (F by exchanged sides).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from hesperus.measures import (
    Bootstrap,
    Statistic,
    difference,
    draws,
    exchanged_detectable,
    influences,
    intervals,
)
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import finished
from hesperus.types import Estimate

SWAPS = 10_000
"""Random exchanges of sides where trying all is too much."""

_EXACT_UP_TO = 14
"""Prompts that differ, up to which every exchange is tried (2^14)."""

_BLOCK = 1 << 22
"""Exchanges of single prompts held at a time."""

_ROUNDING = 1e-9
"""Sums of the same numbers in another order differ by less, and count as equally extreme."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A statistic on two sides of the same prompts.

    Attributes:
        first: Its value on side a; None if undefined.
        second: On side b.
        estimate: Second less first.
        p: Two-sided p of exchanged sides; None if the difference is undefined or was not to be tested, and without
            resamples.
        detectable: The smallest difference that so many prompts would show (power 0.8, level 0.05, two-sided); None
            without resamples or a test, and where no prompt moves.
    """

    first: float | None
    second: float | None
    estimate: Estimate
    p: float | None
    detectable: float | None


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """The columns of all statistics, each once: a row a prompt, on both sides."""

    first: Floats
    second: Floats
    picks: Mapping[str, list[int]]


def paired_differences(
    stacked: Mapping[str, Statistic], bootstrap: Bootstrap, *, tested: bool = True
) -> dict[str, Difference]:
    """Side b less side a of every statistic; both sides share resamples and exchanges.

    Args:
        stacked: Statistics with columns that hold the prompts of side a, then the same prompts of side b.
        bootstrap: How prompts are resampled; its seed is also that of the exchanges.
        tested: Whether to exchange sides, and to say what that could have shown.
    """
    sides = _sides(stacked)
    totals = [side.sum(axis=0) for side in (sides.first, sides.second)]
    whole = {
        name: difference(
            *(
                replace(one, columns=tuple(side[:, sides.picks[name]].T))
                for side in (sides.second, sides.first)
            )
        )
        for name, one in stacked.items()
    }
    spread = _resampled(whole, sides, bootstrap)
    tests = _exchanged(stacked, sides, bootstrap.seed) if tested and bootstrap.resamples else {}
    found = {}
    for name, one in stacked.items():
        first, second = (float(one.reduce(total[sides.picks[name]])) for total in totals)
        apart, ends, detectable = second - first, None, None
        known = bool(np.isfinite(apart))
        if name in spread:
            low, high = intervals(spread[name][None, :], np.array([apart]), bootstrap)
            ends = (float(low[0]), float(high[0]))
            if known and tested:
                detectable = exchanged_detectable(influences(whole[name]), (first, second), one.limits)
        found[name] = Difference(
            None if np.isnan(first) else first,
            None if np.isnan(second) else second,
            finished(one, apart, ends),
            tests.get(name) if known else None,
            detectable,
        )
    return found


def _sides(stacked: Mapping[str, Statistic]) -> _Sides:
    unique = {id(column): column for column in chain.from_iterable(one.columns for one in stacked.values())}
    place = {key: index for index, key in enumerate(unique)}
    matrix = np.column_stack([np.asarray(column, dtype=np.float64) for column in unique.values()])
    half, odd = divmod(len(matrix), 2)
    if odd:
        raise ValueError(f"two sides have as many prompts; {len(matrix)} rows are no two sides")
    picks = {name: [place[id(column)] for column in one.columns] for name, one in stacked.items()}
    return _Sides(matrix[:half], matrix[half:], picks)


def _resampled(whole: Mapping[str, Statistic], sides: _Sides, bootstrap: Bootstrap) -> dict[str, Floats]:
    """Each difference in every resample of the prompts; empty if there is nothing to draw."""
    drawn = draws(len(sides.first), bootstrap)
    if drawn is None:
        return {}
    wide = sides.first.shape[1]
    sums = drawn.sums(np.hstack([sides.first, sides.second]))
    first, second = sums[:, :wide], sums[:, wide:]
    found: dict[str, Floats] = {}
    for name, apart in whole.items():
        pick = sides.picks[name]
        found[name] = apart.resampled(np.hstack([second[:, pick], first[:, pick]]), drawn)
    return found


def _exchanged(stacked: Mapping[str, Statistic], sides: _Sides, seed: int) -> dict[str, float]:
    """The two-sided p of each difference: exact where few prompts differ, else of random exchanges."""
    moves = sides.second - sides.first
    found: dict[str, float] = {}
    many: dict[str, Statistic] = {}
    for name, one in stacked.items():
        moved = (moves[:, sides.picks[name]] != 0).any(axis=1)
        if (count := int(moved.sum())) <= _EXACT_UP_TO:
            patterns = (np.arange(1 << count)[:, None] >> np.arange(count) & 1).astype(np.float64)
            extreme = _extreme(one, sides, sides.picks[name], patterns @ moves[moved])
            found[name] = extreme / (1 << count)
        else:
            many[name] = one
    if not many:
        return found
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // len(moves))
    counts = dict.fromkeys(many, 0)
    for start in range(0, SWAPS, rows):
        height = min(rows, SWAPS - start)
        patterns = generator.integers(0, 2, (height, len(moves)), dtype=np.int8).astype(np.float64)
        moved_sums = patterns @ moves
        for name, one in many.items():
            counts[name] += _extreme(one, sides, sides.picks[name], moved_sums)
    return found | {name: (1 + extreme) / (1 + SWAPS) for name, extreme in counts.items()}


def _extreme(one: Statistic, sides: _Sides, pick: list[int], moved_sums: npt.NDArray[np.float64]) -> int:
    """How many exchanges leave the sides at least as far apart; one that leaves a side undefined counts as such."""
    first, second = (side[:, pick].sum(axis=0) for side in (sides.first, sides.second))
    bar = abs(float(one.reduce(second) - one.reduce(first))) - _ROUNDING
    held = moved_sums[:, pick]
    apart = np.abs(one.reduce(second - held) - one.reduce(first + held))
    return int((~(apart < bar)).sum())
