"""Are the inner states of a model alike for sentences of one meaning in two languages, beyond what any two sentences are?

The score of a pair of languages is the mean cosine of matching sentences minus the mean cosine of sentences that do not
match. All pairs at once: with vectors of length 1, the cosines of matching sentences are one product of the languages'
stacked vectors, and the sum over all others follows from the sums of vectors. A resample of the items is a row of
weights, and its sums of vectors are products too; an item and itself are no sentences that do not match. Cosines of
different sentences differ, so that resamples are never all alike and no pseudo-items are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hesperus.measures.classes import Mask
from hesperus.measures.resample import Bootstrap, Draws, Floats, draws, intervals
from hesperus.measures.statistic import NO_INTERVAL, divide
from hesperus.types import Estimate

States = npt.NDArray[np.floating]

_NUMBERS = 1 << 24
"""Numbers that are held as floats of their own at a time."""

_ROUNDING = 1e-12
"""Differences of mean cosines below this are rounding of their sums."""


@dataclass(frozen=True, slots=True, eq=False)
class RepresentationSimilarity:
    """One layer: how much nearer matching sentences are than others, for all pairs of languages; NaN where undefined.

    Attributes:
        pairs: Indices of languages, [pairs, 2].
        matching: Mean cosine of matching sentences, [pairs], in [−1, 1].
        baseline: Mean cosine of sentences that do not match, [pairs], in [−1, 1].
        value: matching − baseline, [pairs].
        low: Lower ends of intervals of the value, [pairs]; NaN without resamples.
        high: Upper ends, [pairs].
        mean: Mean of the values over the pairs, with its interval.
        n: Items that everything rests on.
        excluded: Items left out.
        reason: Why.
        resampled: Whether intervals were wanted.
    """

    pairs: npt.NDArray[np.intp]
    matching: Floats
    baseline: Floats
    value: Floats
    low: Floats
    high: Floats
    mean: Estimate
    n: int
    excluded: int
    reason: str
    resampled: bool

    def estimate(self, pair: int) -> Estimate:
        """The score of a pair, with its interval."""
        return _estimate(
            (float(self.value[pair]), float(self.low[pair]), float(self.high[pair])),
            (self.n, self.excluded, self.reason),
            resampled=self.resampled,
        )

    def matrix(self) -> Floats:
        """The score of every pair, [languages, languages], symmetric; NaN on the diagonal and where undefined."""
        count = int(self.pairs.max(initial=-1)) + 1
        table = np.full((count, count), np.nan)
        table[self.pairs[:, 0], self.pairs[:, 1]] = self.value
        table[self.pairs[:, 1], self.pairs[:, 0]] = self.value
        return table


def representation_similarity(
    states: States, *, bootstrap: Bootstrap | None = None
) -> RepresentationSimilarity:
    """Baseline-corrected cosine of the states of parallel sentences, for all pairs of languages.

    Args:
        states: One layer, [languages, items, numbers]; item i has one meaning in every language.
        bootstrap: How to resample the items; None leaves intervals out.

    Returns:
        The scores. An item whose state is all zeros (its cosine is undefined), or not finite, in any language is left
        out of every pair and counted. Undefined where fewer than two items remain.

    Raises:
        ValueError: The array has not three axes, or fewer than two languages.

    Reference: Wu et al. (2024), as used for functional similarity: increase of the cosine over sentences that do not
    match.

    Example:
        >>> import numpy as np
        >>> states = np.array([[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 3.0]]])
        >>> representation_similarity(states).value
        array([1.])
    """
    if states.ndim != 3 or states.shape[0] < 2:
        raise ValueError(
            f"states are [languages, items, numbers] of two languages or more, not {states.shape}"
        )
    lengths = _lengths(states)
    kept = np.asarray((np.isfinite(lengths) & (lengths > 0)).all(axis=0))
    excluded = int((~kept).sum())
    reason = f"{excluded} with a state of zeros or of no finite numbers" if excluded else ""
    languages, n = len(states), int(kept.sum())
    pairs = np.stack(np.triu_indices(languages, 1), axis=1)
    if n < 2:
        nothing = np.full(len(pairs), np.nan)
        about = (n, excluded, reason)
        mean = _estimate((np.nan, np.nan, np.nan), about, resampled=False)
        return RepresentationSimilarity(
            pairs, nothing, nothing, nothing, nothing, nothing, mean, n, excluded, reason, False
        )
    same, sums = _products(states, lengths, kept)
    a, b = pairs.T
    matching = same[a, b] / n
    baseline = ((sums @ sums.T)[a, b] - same[a, b]) / (n * (n - 1.0))
    value = matching - baseline
    # Sentences that all end in one token share their first states: what is left of the difference is rounding.
    value[np.abs(value) < _ROUNDING] = 0.0
    drawn = draws(n, bootstrap) if bootstrap else None
    spread = _spread(_Units(states, lengths, kept), pairs, drawn)
    given = bootstrap or Bootstrap(0)
    low, high = intervals(spread, value, given)
    ends = intervals(spread.mean(axis=0, keepdims=True), np.array([value.mean()]), given)
    about = (n, excluded, reason)
    mean = _estimate(
        (float(value.mean()), float(ends[0][0]), float(ends[1][0])), about, resampled=drawn is not None
    )
    return RepresentationSimilarity(
        pairs, matching, baseline, value, low, high, mean, n, excluded, reason, drawn is not None
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """The kept states of one layer as vectors of length 1, made language by language."""

    states: States
    lengths: Floats
    kept: Mask

    def of(self, language: int) -> npt.NDArray[np.float32]:
        """[items, numbers]."""
        units: npt.NDArray[np.float32] = (
            self.states[language][self.kept] / self.lengths[language, self.kept, None]
        ).astype(np.float32)
        return units

    def cosines(self, pairs: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        """Cosine of every matching sentence of every pair, [pairs, items]."""
        found = np.empty((len(pairs), int(self.kept.sum())), dtype=np.float32)
        filled = 0
        for part in _parts(self.states):
            inside = self.kept[part]
            units = np.asarray(self.states[:, part], dtype=np.float32)[:, inside]
            units /= self.lengths[:, part][:, inside, None]
            here = slice(filled, filled + units.shape[1])
            for language in range(len(units) - 1):
                rows = pairs[:, 0] == language
                found[rows, here] = np.einsum("ij,bij->bi", units[language], units[pairs[rows, 1]])
            filled = here.stop
        return found


def _lengths(states: States) -> Floats:
    """Length of every vector, [languages, items]; items are read in parts, so that states may be mapped from a file."""
    found = np.empty(states.shape[:2])
    for part in _parts(states):
        # Scaled first: squares of large half-precision states would overflow, those of tiny ones vanish.
        block = np.asarray(states[:, part], dtype=np.float64)
        scale = np.abs(block).max(axis=2, initial=0.0)
        safe = np.where(np.isfinite(scale) & (scale > 0), scale, 1.0)
        found[:, part] = scale * np.sqrt(np.square(block / safe[..., None]).sum(axis=2))
    return found


def _products(states: States, lengths: Floats, kept: Mask) -> tuple[Floats, Floats]:
    """Sums over items of the cosines of matching sentences, [languages, languages], and of unit vectors."""
    count, _, width = states.shape
    same, sums = np.zeros((count, count)), np.zeros((count, width))
    for part in _parts(states):
        inside = kept[part]
        units = np.asarray(states[:, part], dtype=np.float64)[:, inside] / lengths[:, part][:, inside, None]
        flat = units.reshape(count, -1)
        same += flat @ flat.T
        sums += units.sum(axis=1)
    return same, sums


def _spread(units: _Units, pairs: npt.NDArray[np.intp], drawn: Draws | None) -> Floats:
    """The score of every pair in every resample, [pairs, resamples]."""
    if drawn is None:
        return np.empty((len(pairs), 0))
    count, width = units.states.shape[0], units.states.shape[2]
    cosines = units.cosines(pairs)
    spread = np.empty((len(pairs), drawn.bootstrap.resamples))
    rows = max(1, _NUMBERS // (count * width))
    start = 0
    for weights in drawn.slabs(min(rows, 1024)):
        sums = [weights @ units.of(language) for language in range(count)]
        squares = weights * weights
        whole = weights.sum(axis=1, dtype=np.float64)
        others = whole**2 - squares.sum(axis=1, dtype=np.float64)
        matching = (cosines @ weights.T).astype(np.float64) / whole
        copies = (cosines @ squares.T).astype(np.float64)
        for index, (a, b) in enumerate(pairs):
            together = np.einsum("ij,ij->i", sums[a], sums[b], dtype=np.float64)
            # A resample of one item alone holds no sentences that do not match.
            baseline = divide(together - copies[index], others)
            spread[index, start : start + len(weights)] = matching[index] - baseline
        start += len(weights)
    return spread


def _parts(states: States) -> list[slice]:
    """Ranges of items of bounded size."""
    count, items, width = states.shape
    step = max(1, _NUMBERS // max(1, count * width))
    return [slice(start, min(start + step, items)) for start in range(0, items, step)]


def _estimate(ends: tuple[float, float, float], about: tuple[int, int, str], *, resampled: bool) -> Estimate:
    value, low, high = (None if np.isnan(number) else number for number in ends)
    n, excluded, reason = about
    if value is None:
        said = "; ".join(filter(None, ("fewer than two items to compare", reason)))
        return Estimate(None, n=n, excluded=excluded, reason=said)
    if low is None and resampled:
        reason = "; ".join(filter(None, (NO_INTERVAL, reason)))
    return Estimate(value, low, high, n, excluded, reason)
