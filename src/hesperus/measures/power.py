"""What a sample could have shown: the smallest difference that the printed test finds with a given chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, betainc, gammaln, ndtri, stdtrit, xlog1py, xlogy  # type: ignore[import-untyped]

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

_CHANCE = 2.0
"""Variances of a difference that its square must exceed, on average, where there is one."""

_SIGNS = 6
"""Fewest signs of which a pattern is rare enough: all alike, 2 in 2^6."""

_ALIKE = 1e-6
"""Differences that are apart by less, of their size, are alike."""

_REACH = 6.0
"""Standard deviations of the number of discordant items beyond which no weight is left."""


@lru_cache(maxsize=4096)
def smallest_detectable_difference(
    discordant: float,
    n: int,
    sides: tuple[float, float],
    *,
    level: float = 0.95,
    power: float = 0.8,
    exact: bool = False,
) -> float | None:
    """The smallest true difference of two paired shares that McNemar's test finds in a sample of this size.

    The power is computed, not approximated: over every number of discordant items that n items may have, and every way
    in which these may fall to the two sides. How many items are discordant depends on the difference (see Apart).

    Args:
        discordant: Share of items on which the two sides differ now, in [0, 1].
        n: Items.
        sides: The two shares now, each in [0, 1].
        level: 1 − the two-sided error of the first kind.
        power: Chance of finding the difference.
        exact: The power of the exact test, in place of the Bayesian one (see sign_test).

    Returns:
        In (0, 1]; None if not even the largest difference that there is room for would be found so often (fewer than
        4 items of the Bayesian test at a level of 0.95, fewer than 6 of the exact one).

    Raises:
        ValueError: An argument lies outside its range.

    Reference: unconditional power of McNemar's test, Connor (1987).

    Example:
        >>> round(smallest_detectable_difference(0.18, 2000, (0.9, 0.9)), 4)
        0.0281
    """
    if not 0.0 <= discordant <= 1.0:
        raise ValueError(f"the discordant share lies in [0, 1], not {discordant}")
    if not all(0.0 <= share <= 1.0 for share in sides):
        raise ValueError(f"both shares lie in [0, 1], not {sides}")
    if not 0.0 < power < 1.0:
        raise ValueError(f"power lies between 0 and 1, not {power}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"the level of an interval lies between 0 and 1, not {level}")
    if n <= 0:
        return None
    return _smallest(Apart(n, discordant, 1.0, sides, (0.0, 1.0)), level=level, power=power, exact=exact)


@dataclass(frozen=True, slots=True)
class Apart:
    """How much two sides differ, item by item, if they lie further apart than they do.

    A number between limits varies least near them, where nearly all items are alike, and most in the middle: sides of 0.9
    and 0.7 vary more than two of 0.9, so that a difference is found less often than the items of today suggest. The side
    that is further from the middle stays; the other moves away from it, towards the middle and beyond.

    Two things may grow with the difference, of which the larger counts. The items of both sides vary like claims that are
    kept or not, by (value − smallest) · (largest − value). And items on which both sides are alike today are what the
    other side loses, the more of them the more alike the sides are.

    Attributes:
        n: Items.
        square: Mean square of the items' differences; of yes and no the share of discordant items.
        each: By how much an item differs, of those that do.
        sides: Both values.
        limits: The smallest and the largest value a side can have; None if they are unknown: the items then vary
            alike, however far the sides lie apart.
    """

    n: int
    square: float
    each: float
    sides: tuple[float, float]
    limits: tuple[float, float] | None

    @property
    def most(self) -> float:
        """The largest difference that there is room for."""
        return np.inf if self.limits is None else self.limits[1] - self.limits[0] - self._edge(self.limits)

    def squared(self, difference: float) -> float:
        """Mean square of the items' differences where the sides lie so far apart."""
        rest = self._rest
        if self.limits is None:
            return rest + difference**2
        low, high = self.limits
        wide, edge = high - low, self._edge(self.limits)
        now = sum((value - low) * (high - value) for value in self.sides)
        then = edge * (wide - edge) + (edge + difference) * (wide - edge - difference)
        varied = rest * max(0.0, then) / now + difference**2 if now > 0.0 else difference**2
        # What only the moving side has, it can lose too; that brings the sides nearer to each other.
        could = min(1.0, max(0.0, wide - edge - self._gap) / self.each)
        alone = (self.square / self.each - self._gap) / self.each
        slope = 1.0 - alone / could if could else 0.0
        return max(varied, self.square + (difference - self._gap) * self.each * slope, difference**2)

    @property
    def _rest(self) -> float:
        return max(0.0, self.square - (self.sides[1] - self.sides[0]) ** 2)

    @property
    def _gap(self) -> float:
        """How far the sides lie apart today, without what chance alone would put between them."""
        return sqrt(max(0.0, (self.sides[1] - self.sides[0]) ** 2 - _CHANCE * self._rest / self.n))

    def _edge(self, limits: tuple[float, float]) -> float:
        """How far the side that stays is from the nearer limit."""
        middle = sum(self.sides) / 2.0
        return max(0.0, min(middle - limits[0], limits[1] - middle) - self._gap / 2.0)


def _smallest(apart: Apart, *, level: float, power: float, exact: bool) -> float | None:
    """The smallest difference that a sign test of the items finds so often; None if not even the largest is."""

    def short(difference: float) -> float:
        square = apart.squared(difference)
        each = max(apart.each, sqrt(square))
        discordant = min(1.0, square / each**2)
        return mcnemar_power(difference / each, discordant, apart.n, error=1.0 - level, exact=exact) - power

    # Slow to load, for a solver that only plans need.
    from scipy.optimize import brentq  # type: ignore[import-untyped]

    z = float(ndtri((1 + level) / 2) + ndtri(power))
    guess = max(z * sqrt(apart.square / apart.n), z * z / apart.n * apart.each)
    most = min(apart.most, 100.0 * guess)
    if short(most) < 0:
        return None
    low, high = min(most, 0.8 * guess), min(most, 1.3 * guess)
    while short(low) > 0:
        low /= 2
    while short(high) < 0:
        high = min(most, 2 * high)
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
        exact: The exact test, in place of the Bayesian one.
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
        rarer = np.maximum(k, 0)
        tail = bdtr(rarer, counts, 0.5) if exact else betainc(counts - rarer + 0.5, rarer + 0.5, 0.5)
        whole: Floats = np.where(k >= 0, 2.0 * tail, 0.0)
        return whole

    z = float(ndtri(1 - error / 2))
    bar = np.maximum(-1, np.floor(counts / 2 - z * np.sqrt(counts) / 2).astype(np.int64) + 2)
    bar = np.minimum(bar, (counts - 1) // 2)
    while ((bar >= 0) & (over := p(bar) > error)).any():
        bar = np.where((bar >= 0) & over, bar - 1, bar)
    return bar


def resampled_detectable(spread: Floats, *, level: float = 0.95, power: float = 0.8) -> float | None:
    """The smallest difference that so many items would show, of a test with a p value from resampled items.

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
    # Half of what it is off, usually, in so many resamples of a normal distribution.
    chance = sqrt(6.0 / len(kept))
    excess = float((((kept - kept.mean()) / deviation) ** 4).mean()) - 3.0 - chance
    items = max(_FEWEST, 6.0 / excess) if excess > 0 else np.inf
    if not np.isfinite(items):
        return float(ndtri((1 + level) / 2) + ndtri(power)) * deviation
    wide = float(stdtrit(items - 1, (1 + level) / 2) + stdtrit(items - 1, power))
    reach = wide * deviation * sqrt((items + 1) / (items - 1))
    # The difference d with d = reach · √(1 + d / (deviation · √items))
    grown = reach * reach / (2.0 * deviation * sqrt(items))
    return grown + sqrt(grown * grown + reach * reach)


def exchanged_detectable(
    moves: Floats,
    sides: tuple[float, float],
    limits: tuple[float, float] | None,
    *,
    level: float = 0.95,
    power: float = 0.8,
) -> float | None:
    """The smallest difference that so many prompts would show, of a test that exchanges both sides of prompts.

    Prompts that differ by the same amount make it an exact sign test. Prompts that differ by unlike amounts count as those
    of a sign test with as many differing prompts, all by the same amount, as give the same sums of amounts and of their
    squares; without its jumps (the Bayesian test).

    Args:
        moves: By how much each prompt differs, so that their mean is the difference (see statistic.influences), [prompts].
        sides: Values of both sides.
        limits: See Apart.
        level: 1 − the two-sided error of the first kind.
        power: Chance of finding the difference.

    Returns:
        None if no prompt differs, or if no difference that there is room for would be found so often: of five
        prompts none has a p value below 0.05.
    """
    size = np.abs(moves)
    if len(moves) < _SIGNS or not size.max() > _NO_MOVE:
        return None
    differ = size[size > _NO_MOVE]
    square = float((size**2).mean())
    exact = bool(differ.max() - differ.min() <= _ALIKE * differ.max())
    apart = Apart(len(moves), square, square / float(size.mean()), sides, limits)
    return _smallest(apart, level=level, power=power, exact=exact)


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
        None without resamples, where the column moves with the others, or if no difference would be found so often.
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
        weights = weights * len(columns) / weights.sum()
        value = float(apart.reduce(weights @ kinds))
        # Half of all tilts make no difference, or one the other way; nothing need be drawn to see that.
        if not value > 0:
            return None
        low, error = _spread(apart, kinds, weights, bootstrap)
        return value if low > beyond * error else None

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


def _spread(apart: Statistic, kinds: Floats, weights: Floats, bootstrap: Bootstrap) -> tuple[float, float]:
    """Of a difference where kinds of items are so frequent: the lower end of its interval, and how it varies."""
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
    if not len(spread):
        return -np.inf, np.inf
    return float(np.quantile(spread, (1 - bootstrap.level) / 2)), float(spread.std())
