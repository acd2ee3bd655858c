"""What a sample could have shown: the smallest difference that the printed test finds with a given chance."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq  # type: ignore[import-untyped]
from scipy.special import bdtr, gammaln, ndtri, stdtrit, xlog1py, xlogy  # type: ignore[import-untyped]

from hesperus.measures.resample import Bootstrap, Floats
from hesperus.measures.statistic import NoCorners, Statistic

_TILT, _MOST_TILT = 0.1, 2.0
"""Steps in which kinds of items become more frequent, and how far: standard deviations of what moves."""

_WORLDS = 1000
"""Resamples of a made difference."""

_NO_MOVE = 1e-9
"""A column that moves by less than this while the others stay does not move."""

_FEWEST = 4.0
"""Items that a number rests on at least: of fewer the tails say nothing."""

_REACH = 6.0
"""Standard deviations of the number of discordant items beyond which no weight is left."""


@lru_cache(maxsize=4096)
def smallest_detectable_difference(
    discordant: float, n: int, *, level: float = 0.95, power: float = 0.8, exact: bool = False
) -> float | None:
    """The smallest true difference of two paired shares that McNemar's test finds in a sample of this size.

    The power is computed, not approximated: over every number of discordant items that n items may have, and every way
    in which these may fall to the two sides.

    Args:
        discordant: Share of items on which the two sides differ, in [0, 1]. A difference makes at least as many items
            discordant as it is large.
        n: Items.
        level: 1 − the two-sided error of the first kind.
        power: Chance of finding the difference.
        exact: The power of the exact test, in place of the mid-p test.

    Returns:
        In (0, 1]; None where not even a difference of 1 would be found so often (fewer than 5 items of the mid-p test
        at a level of 0.95, fewer than 6 of the exact one).

    Raises:
        ValueError: An argument lies outside its range.

    Reference: unconditional power of McNemar's test, Connor (1987); mid-p, Fagerland, Lydersen and Laake (2013).

    Example:
        >>> round(smallest_detectable_difference(0.16, 2000), 4)
        0.025
    """
    if not 0.0 <= discordant <= 1.0:
        raise ValueError(f"the discordant share lies in [0, 1], not {discordant}")
    if not 0.0 < power < 1.0:
        raise ValueError(f"power lies between 0 and 1, not {power}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"the level of an interval lies between 0 and 1, not {level}")
    error = 1.0 - level

    def short(difference: float) -> float:
        return mcnemar_power(difference, discordant, n, error=error, exact=exact) - power

    if n <= 0 or short(1.0) < 0:
        return None
    z = float(ndtri(1 - error / 2) + ndtri(power))
    guess = max(z * sqrt(discordant / n), z * z / n)
    low, high = min(1.0, 0.8 * guess), min(1.0, 1.3 * guess)
    while short(low) > 0:
        low /= 2
    while short(high) < 0:
        high = min(1.0, 2 * high)
    return float(brentq(short, low, high, xtol=1e-9, rtol=1e-4))


def mcnemar_power(
    difference: float, discordant: float, n: int, *, error: float = 0.05, exact: bool = False
) -> float:
    """Chance that McNemar's test finds a true difference of two paired shares.

    Args:
        difference: In [0, 1].
        discordant: Share of items on which the sides differ; at least `difference` is taken.
        n: Items, at least 1.
        error: Two-sided error of the first kind.
        exact: The exact test, in place of the mid-p test.
    """
    share = max(discordant, difference)
    spread = _REACH * sqrt(n * share * (1 - share)) + 1
    # Multiples of 16, so that near shares ask for the same critical values.
    start = max(0, int(n * share - spread) // 16 * 16)
    counts = np.arange(start, min(n, (int(n * share + spread) // 16 + 1) * 16) + 1)
    log_weight = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    weight = np.exp(log_weight + xlogy(counts, share) + xlog1py(n - counts, -share))
    first = (share + difference) / (2 * share) if share else 0.5
    bar = _critical(start, len(counts), error, exact)
    could = bar >= 0
    kept, bar = counts[could], bar[could]
    found = bdtr(bar, kept, 1 - first) + bdtr(bar, kept, first)
    return float(weight[could] @ found)


@lru_cache(maxsize=256)
def _critical(start: int, length: int, error: float, exact: bool) -> npt.NDArray[np.int64]:
    """The most items on the rarer side at which `start`, `start` + 1, … discordant items are significant; else −1."""
    counts = np.arange(start, start + length)

    def p(k: npt.NDArray[np.int64]) -> Floats:
        here = np.where(k >= 0, bdtr(np.maximum(k, 0), counts, 0.5), 0.0)
        below = here if exact else np.where(k >= 1, bdtr(np.maximum(k - 1, 0), counts, 0.5), 0.0)
        whole: Floats = here + below
        return whole

    z = float(ndtri(1 - error / 2))
    bar = np.maximum(-1, np.floor(counts / 2 - z * np.sqrt(counts) / 2).astype(np.int64) + 2)
    bar = np.minimum(bar, (counts - 1) // 2)
    while ((bar >= 0) & (over := p(bar) > error)).any():
        bar = np.where((bar >= 0) & over, bar - 1, bar)
    return bar


def resampled_detectable(spread: Floats, *, level: float = 0.95, power: float = 0.8) -> float | None:
    """The smallest difference that so many items would show, of a test whose p value comes from resampled items.

    Args:
        spread: The difference in every resample of the items, [resamples]; undefined ones are left out.
        level: 1 − the two-sided error of the first kind.
        power: Chance of finding the difference.

    Returns:
        The standard deviation of the resamples times the quantiles of level and power; None of fewer than two
        resamples, and where all are alike: they then say nothing of what other items would show.

        A number may rest on a handful of items (the wrong answers of κ_p), and their standard deviation is then known
        poorly and too small. How many they are is told by how far the resamples' tails reach beyond the normal
        distribution's: a sum of k equally important items with exponential weights has an excess kurtosis of 6 / k.
        Quantiles are those of Student's t with k − 1 degrees of freedom, and the variance is that of k − 1 over k + 1.
    """
    kept = spread[np.isfinite(spread)]
    if len(kept) < 2:
        return None
    deviation = float(kept.std(ddof=1))
    if not deviation:
        return None
    excess = float((((kept - kept.mean()) / deviation) ** 4).mean()) - 3.0
    items = max(_FEWEST, 6.0 / excess) if excess > 0 else np.inf
    if not np.isfinite(items):
        return float(ndtri((1 + level) / 2) + ndtri(power)) * deviation
    wide = float(stdtrit(items - 1, (1 + level) / 2) + stdtrit(items - 1, power))
    return wide * deviation * sqrt((items + 1) / (items - 1))


def exchanged_detectable(error: float, n: int, *, level: float = 0.95, power: float = 0.8) -> float | None:
    """The smallest difference that so many items would show, of a test that exchanges both sides of items.

    Exchanged sides lie apart by what the items differ by, so that the test's own spread grows with the difference: its
    variance is that of the difference and a part in n of its square.

    Args:
        error: Standard error of the difference over samples of items (see statistic.standard_error).
        n: Items, or prompts.
        level: 1 − the two-sided error of the first kind.
        power: Chance of finding the difference.

    Returns:
        None where the error is unknown or 0, and of so few items that no difference would be found so often.
    """
    bar, beyond = float(ndtri((1 + level) / 2)), float(ndtri(power))
    room = 1.0 - bar * bar / n if n else 0.0
    if not error > 0 or room <= 0:
        return None
    # The difference d with d = bar · √(error² + d² / n) + beyond · error
    return error * (beyond + sqrt(beyond**2 - room * (beyond**2 - bar**2))) / room


def agreement_detectable(
    apart: Statistic, moved: int, bootstrap: Bootstrap, *, power: float = 0.8
) -> float | None:
    """The smallest difference of two agreements that so many items would show, of a test of resampled items.

    Agreement corrected for chance rests on the few items that are not answered rightly by both, and how far it varies depends
    on how large it is: the resamples of runs that agree alike are too narrow for runs that do not. So the difference is
    made: kinds of items become more or less frequent until the test would find it, such that one of the columns moves (how
    many items agree) and the sums of the others stay (how many are right).

    Args:
        apart: The difference; items with the same columns are of one kind.
        moved: The column that moves.
        bootstrap: How items are resampled; its level is that of the test.
        power: Chance of finding the difference.

    Returns:
        None without resamples, where the column moves with the others, and where no difference would be found so often.
    """
    columns = np.column_stack([np.asarray(column, dtype=np.float64) for column in apart.columns])
    kinds, counts = np.unique(columns, axis=0, return_counts=True)
    rest = np.column_stack([np.ones(len(kinds)), np.delete(kinds, moved, axis=1)])
    root = np.sqrt(counts)
    fitted = rest @ np.linalg.lstsq(rest * root[:, None], kinds[:, moved] * root, rcond=None)[0]
    direction = kinds[:, moved] - fitted
    scale = float(np.sqrt(counts @ direction**2 / max(len(columns), 1)))
    if not bootstrap.resamples or scale < _NO_MOVE:
        return None
    beyond = float(ndtri(power))

    def found(tilt: float) -> float | None:
        weights = counts * np.maximum(1.0 + tilt * direction / scale, 0.0)
        world = _World(apart, kinds, weights * len(columns) / weights.sum(), bootstrap)
        return world.value if world.value > 0 and world.low > beyond * world.error else None

    for tilt in np.arange(-_MOST_TILT, _MOST_TILT, _TILT):
        value = found(tilt)
        if value is None:
            continue
        short, far = tilt - _TILT, tilt
        while far - short > _TILT / 32:
            middle = (short + far) / 2
            nearer = found(middle)
            short, far, value = (middle, far, value) if nearer is None else (short, middle, nearer)
        return value
    return None


class _World:
    """A difference where kinds of items are so frequent: its value, the lower end of its interval, and how that varies."""

    def __init__(self, apart: Statistic, kinds: Floats, weights: Floats, bootstrap: Bootstrap) -> None:
        self.value = float(apart.reduce(weights @ kinds))
        generator = np.random.default_rng(bootstrap.seed)
        # Exponential weights of items of one kind add up to a Gamma weight.
        drawn = generator.standard_gamma(np.maximum(weights, 1e-9), (_WORLDS, len(weights)))
        drawn *= weights.sum() / drawn.sum(axis=1, keepdims=True)
        sums = drawn @ kinds
        if bootstrap.interval == "bayesian" and not isinstance(apart.corners, NoCorners):
            corners = np.asarray(apart.corners, dtype=np.float64)
            sums = sums + generator.standard_gamma(0.5, (_WORLDS, len(corners))) @ corners
        spread = apart.reduce(sums)
        spread = spread[np.isfinite(spread)]
        self.low = float(np.quantile(spread, (1 - bootstrap.level) / 2)) if len(spread) else -np.inf
        self.error = float(spread.std()) if len(spread) else np.inf
