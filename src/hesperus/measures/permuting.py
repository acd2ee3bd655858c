"""Monte Carlo p values: how many random permutations are drawn, and when enough have been.

A p value of B permutations cannot lie below 1 / (B + 1), so that Holm's correction over a large family could never find
anything. Where few of the first B are as extreme as what was observed, more are drawn, up to a ceiling that the size of
the family needs; a p value that is not small is known well enough from the first B (Besag and Clifford 1991).
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_FEW = 10
"""Extreme permutations among the first, from which on no more are drawn."""

_BLOCK = 1 << 21
"""Numbers that are permuted at a time."""

NO_RESAMPLES = "no resamples, hence no test"


def enough_permutations(resamples: int, family: int, *, error: float = 0.05) -> int:
    """How many permutations the tests of a family need so that a clear effect survives Holm's correction.

    Args:
        resamples: Permutations that are wanted anyway; 0 wants no test.
        family: Tests that are corrected together.
        error: Error of the first kind of the family.

    Returns:
        At least `resamples`, and 20 times what it takes for the smallest p value times the family to lie below `error`;
        0 of 0.

    Example:
        >>> enough_permutations(2000, 66)
        26400
    """
    return max(resamples, ceil(20 * family / error)) if resamples else 0


def monte_carlo_p(extreme: Callable[[int], float], *, width: int, resamples: int, ceiling: int = 0) -> float:
    """The p value (1 + as extreme) / (1 + permutations), which is never 0.

    Args:
        extreme: Draws so many permutations and counts those that are at least as extreme as what was observed; a mid-p test
            counts those that are exactly as extreme by half.
        width: Numbers that one permutation holds; bounds the memory.
        resamples: Permutations that are always drawn, at least 1.
        ceiling: Permutations up to which more are drawn while fewer than 10 were extreme.

    Raises:
        ValueError: `resamples` is less than 1.

    Reference: Besag and Clifford (1991), Sequential Monte Carlo p-values.
    """
    return monte_carlo_ps(
        lambda rows, _: np.array([float(extreme(rows))]), 1, width=width, resamples=resamples, ceiling=ceiling
    )[0]


def monte_carlo_ps(
    extreme: Callable[[int, npt.NDArray[np.intp]], Floats],
    tests: int,
    *,
    width: int,
    resamples: int,
    ceiling: int = 0,
) -> list[float]:
    """The p values of tests that permute the same things: what is drawn serves all that are still open.

    Args:
        extreme: Takes how many permutations to draw and the indices of the open tests, and gives for each of these how many
            are at least as extreme as what was observed.
        tests: How many tests there are.
        width: See monte_carlo_p.
        resamples: See monte_carlo_p.
        ceiling: See monte_carlo_p.

    Raises:
        ValueError: `resamples` is less than 1.
    """
    if resamples < 1:
        raise ValueError(f"resamples must be 1 or more, not {resamples}")
    rows = max(1, _BLOCK // max(1, width))
    found, drawn = np.zeros(tests), np.zeros(tests)
    open_tests, done = np.arange(tests), 0
    for until in (resamples, max(resamples, ceiling)):
        # The decision falls at the first mark only: looking after every block would draw until something is found.
        if done:
            open_tests = open_tests[found[open_tests] < _FEW]
        while done < until and len(open_tests):
            height = min(rows, until - done)
            found[open_tests] += extreme(height, open_tests)
            done += height
            drawn[open_tests] = done
    return [float(p) for p in (1 + found) / (1 + drawn)]


def permuted_correlation_p(x: Floats, y: Floats, *, resamples: int, ceiling: int = 0, seed: int = 0) -> float:
    """Two-sided p value of the correlation of two lists by permuting one of them.

    Args:
        x: [items], finite and not constant.
        y: [items], likewise.
        resamples: See monte_carlo_p.
        ceiling: See monte_carlo_p.
        seed: Seed of the generator.
    """
    a, b = x - x.mean(), y - y.mean()
    bar = abs(float(a @ b)) - 1e-9 * float(np.abs(a) @ np.abs(b))
    generator = np.random.default_rng(seed)

    def extreme(rows: int) -> int:
        moved = generator.permuted(np.tile(b, (rows, 1)), axis=1)
        return int((np.abs(moved @ a) >= bar).sum())

    return monte_carlo_p(extreme, width=len(a), resamples=resamples, ceiling=ceiling)


def least_common(values: npt.ArrayLike) -> int:
    """How many values differ from the most common one: of yes and no the smaller class.

    Example:
        >>> least_common([1, 1, 1, 0])
        1
    """
    counts = np.unique(np.asarray(values), return_counts=True)[1]
    return int(counts.sum() - counts.max(initial=0))
