"""Agreement of all pairs of runs at once: every sum over items is a matrix product.

Memory is bounded by the runs squared and one block of items, so that the pairs of thousands of runs over any number of
items come out of a stream of blocks. Where every run has every item of a block, only the product of the answers with
themselves is of that size; the other sums are the same for all pairs, or belong to a run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hesperus.measures.agreement import BY_CHANCE, NO_ITEM, Key, beyond_chance, rank_features
from hesperus.measures.classes import INVALID, Codes, InvalidRule, Mask
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import divide

_BLOCK = 1 << 12
"""Items that go through one product: few enough to stay in the cache between the sums that are made of them."""

_CHUNK = 1 << 20
"""Whole numbers are summed in float32 up to here, which is exact, and then in float64."""


@dataclass(frozen=True, slots=True, eq=False)
class PairMatrices:
    """Measures of all pairs of runs, each [runs, runs]; NaN where undefined, and `reason` says why.

    Attributes:
        n: Items that a pair rests on.
        raw: Raw agreement (soft: mean of Σ_c p q).
        kappa_p: CAPA κ_p.
        cohen_kappa: Cohen's κ; None for probabilities.
        scott_pi: Scott's π; None for probabilities.
        error_consistency: Agreement beyond chance on being right; None for probabilities.
    """

    n: npt.NDArray[np.int64]
    raw: Floats
    kappa_p: Floats
    cohen_kappa: Floats | None = None
    scott_pi: Floats | None = None
    error_consistency: Floats | None = None

    def reason(self, name: str, a: int, b: int) -> str:
        """Why a measure of a pair is undefined; empty where it has a value.

        Args:
            name: One of the measures, such as ``kappa_p``.
            a: Index of a run.
            b: Index of the other.

        Raises:
            ValueError: There is no such measure here.
        """
        matrix = getattr(self, name, None) if name in self.__slots__ else None
        if matrix is None:
            raise ValueError(f"no measure {name!r} of these pairs")
        if np.isfinite(matrix[a, b]):
            return ""
        return BY_CHANCE if self.n[a, b] else NO_ITEM


class _Common:
    """A sum over the items that both runs of a pair have: [runs, runs], the row's own value on the column's items."""

    def __init__(self, runs: int) -> None:
        self._alone = np.zeros(runs)
        self._pairs: Floats | None = None
        self._runs = runs

    def everywhere(self, sums: Floats | float) -> None:
        """Add a block that every run has: a sum for each run, or one for all."""
        self._alone += sums

    def product(self, values: npt.NDArray[np.floating], counted: npt.NDArray[np.floating]) -> None:
        """Add a block that some runs lack: values [runs, items], and where the other run counts."""
        if self._pairs is None:
            self._pairs = np.zeros((self._runs, self._runs))
        self._pairs += values @ counted.T

    def total(self) -> Floats:
        """The whole sum, [runs, runs]."""
        alone = np.broadcast_to(self._alone[:, None], (self._runs, self._runs))
        return alone.copy() if self._pairs is None else alone + self._pairs


class SoftSums:
    """κ_p of all pairs of runs of probabilities, summed up block by block.

    Args:
        runs: How many runs there are.
    """

    def __init__(self, runs: int) -> None:
        self._observed = np.zeros((runs, runs))
        self._n, self._gold, self._others = _Common(runs), _Common(runs), _Common(runs)

    def add(self, probs: Floats, key: Key, *, block: int = _BLOCK) -> None:
        """Add items.

        Args:
            probs: [runs, items, options], 0 beyond an item's own options; NaN rows where a run did not score an item.
            key: Gold and number of options; items without gold do not count.
            block: Items that go through one product.

        Raises:
            ValueError: Other runs or items than announced.
        """
        _check(len(self._observed), probs.shape[:2], key)
        if (key.gold < 0).any():
            kept = key.gold >= 0
            probs, key = probs[:, kept], Key(key.gold[kept], key.options[kept])
        for start in range(0, probs.shape[1], block):
            part = slice(start, start + block)
            self._add(probs[:, part], key.gold[part], _others(key.options[part]))

    def _add(self, probs: Floats, gold: Codes, others: Floats) -> None:
        runs, items, options = probs.shape
        flat = (
            np.ascontiguousarray(probs).reshape(runs, -1)
            if probs.strides[-1] != 8
            else probs.reshape(runs, -1)
        )
        observed = flat @ flat.T
        # A NaN reaches the diagonal of the product, so that whole blocks need no look at every number.
        if np.isfinite(np.diagonal(observed)).all():
            hot = np.zeros((items, options))
            hot[np.arange(items), gold] = 1.0
            self._n.everywhere(items)
            self._gold.everywhere(flat @ hot.reshape(-1))
            self._others.everywhere(float(others.sum()))
        else:
            scored: Mask = np.asarray(np.isfinite(probs).all(axis=2))
            filled = np.where(scored[:, :, None], probs, 0.0)
            observed = (flat := filled.reshape(runs, -1)) @ flat.T
            counted = scored.astype(np.float64)
            self._n.product(counted, counted)
            self._gold.product(filled[:, np.arange(items), gold], counted)
            self._others.product(counted * others, counted)
        self._observed += observed

    def matrices(self) -> PairMatrices:
        """The measures of everything that was added."""
        n, gold = self._n.total(), self._gold.total()
        raw = divide(self._observed, n)
        return PairMatrices(np.rint(n).astype(np.int64), raw, _kappa_p(n, raw, gold, self._others.total()))


class HardSums:
    """All measures of all pairs of runs of hard answers, summed up block by block.

    Args:
        runs: How many runs there are.
        invalid: How invalid answers compare (see agreement_statistics).
    """

    def __init__(self, runs: int, *, invalid: InvalidRule = "disagree") -> None:
        self._runs, self._invalid = runs, invalid
        self._observed, self._right = np.zeros((runs, runs)), np.zeros((runs, runs))
        self._n, self._gold, self._others = _Common(runs), _Common(runs), _Common(runs)
        self._answered = _Common(runs)
        self._margins: dict[int, _Common] = {}

    def add(self, codes: Codes, key: Key, *, block: int = _BLOCK) -> None:
        """Add items.

        Args:
            codes: Class codes, [runs, items].
            key: Gold and number of options; items without gold do not count.
            block: Items that go through one product.

        Raises:
            ValueError: Other runs or items than announced.
        """
        _check(self._runs, codes.shape, key)
        graded = key.gold >= 0
        if not graded.all():
            codes, key = codes[:, graded], Key(key.gold[graded], key.options[graded])
        for start in range(0, codes.shape[1], min(block, _CHUNK)):
            part = slice(start, start + min(block, _CHUNK))
            self._add(codes[:, part], key.gold[part], _others(key.options[part]))

    def _add(self, codes: Codes, gold: Codes, others: Floats) -> None:
        counted = codes >= (0 if self._invalid == "drop" else INVALID)
        whole = bool(counted.all())
        where = counted.astype(np.float32)
        right = (codes == gold).astype(np.float32)
        answered = (codes >= 0).astype(np.float32)
        if whole:
            self._answered.everywhere(answered.sum(axis=1, dtype=np.float64))
            self._n.everywhere(codes.shape[1])
            self._gold.everywhere(right.sum(axis=1, dtype=np.float64))
            self._others.everywhere(float(others.sum()))
        else:
            self._answered.product(answered, where)
            self._n.product(where, where)
            self._gold.product(right, where)
            self._others.product(counted * others, counted.astype(np.float64))
        self._right += right @ right.T
        for code in np.unique(codes[counted]):
            if code == INVALID and self._invalid != "agree":
                continue
            hot = (codes == code).astype(np.float32)
            self._observed += hot @ hot.T
            margin = self._margins.setdefault(int(code), _Common(self._runs))
            if whole:
                margin.everywhere(hot.sum(axis=1, dtype=np.float64))
            else:
                margin.product(hot, where)

    def matrices(self) -> PairMatrices:
        """The measures of everything that was added."""
        n, gold, answered = self._n.total(), self._gold.total(), self._answered.total()
        # A pair of which one run answers nothing has no item (see classes.compare).
        n[(answered == 0) | (answered.T == 0)] = 0
        raw, p, q = divide(self._observed, n), divide(gold, n), divide(gold.T, n)
        cohen, scott = np.zeros_like(n), np.zeros_like(n)
        for margin in self._margins.values():
            mine = margin.total()
            cohen += mine * mine.T
            scott += (mine + mine.T) ** 2
        same = n - gold - gold.T + 2 * self._right
        return PairMatrices(
            n=np.rint(n).astype(np.int64),
            raw=raw,
            kappa_p=_kappa_p(n, raw, gold, self._others.total()),
            cohen_kappa=beyond_chance(raw, divide(cohen, n * n)),
            scott_pi=beyond_chance(raw, divide(scott, 4 * n * n)),
            error_consistency=beyond_chance(divide(same, n), p * q + (1 - p) * (1 - q)),
        )


def soft_pairs(probs: Floats, *, key: Key, block: int = _BLOCK) -> PairMatrices:
    """κ_p of all pairs of runs of option probabilities.

    Args:
        probs: [runs, items, options], 0 beyond an item's own options; NaN rows where a run did not score an item.
        key: Gold and number of options; items without gold do not count.
        block: Items that go through one product.
    """
    sums = SoftSums(len(probs))
    sums.add(probs, key, block=block)
    return sums.matrices()


def hard_pairs(
    codes: Codes, *, key: Key, invalid: InvalidRule = "disagree", block: int = _BLOCK
) -> PairMatrices:
    """All measures of all pairs of runs of hard answers, over the items with a gold label.

    Args:
        codes: Class codes, [runs, items].
        key: Gold and number of options; items without gold do not count.
        invalid: How invalid answers compare (see agreement_statistics).
        block: Items that go through one product.
    """
    sums = HardSums(len(codes), invalid=invalid)
    sums.add(codes, key, block=block)
    return sums.matrices()


def rank_pairs(scores: Floats, *, key: Key, block: int = 1 << 10) -> tuple[npt.NDArray[np.int64], Floats]:
    """RankC of all pairs of runs: one product, since an overlap of top-j sets is a product of their indicators.

    Args:
        scores: Probabilities or scores, [runs, items, options]; NaN where a run did not score an item.
        key: Number of options of each item; gold is not used.
        block: Items that go through one product; each takes options² numbers a run.

    Returns:
        Items that a pair rests on, and RankC (see rank_consistency_statistic), NaN if undefined; [runs, runs].
    """
    runs = len(scores)
    _check(runs, scores.shape[:2], key)
    total, n = np.zeros((runs, runs)), np.zeros((runs, runs))
    for start in range(0, scores.shape[1], block):
        part = slice(start, start + block)
        counted: Mask = np.asarray(np.isfinite(scores[:, part]).all(axis=2))
        flat = rank_features(scores[:, part], key.options[part]) * counted[:, :, None]
        flat = flat.reshape(runs, -1)
        where = counted.astype(np.float64)
        total += flat @ flat.T
        n += where @ where.T
    return np.rint(n).astype(np.int64), divide(total, n)


def _check(runs: int, shape: tuple[int, ...], key: Key) -> None:
    if shape != (runs, len(key.gold)):
        raise ValueError(f"expected {runs} runs × {len(key.gold)} items, found {shape[0]} × {shape[1]}")


def _others(options: npt.NDArray[np.int32]) -> Floats:
    return np.where(options > 1, 1.0 / np.maximum(options.astype(np.float64) - 1.0, 1.0), np.nan)


def _kappa_p(n: Floats, raw: Floats, gold: Floats, others: Floats) -> Floats:
    p, q = divide(gold, n), divide(gold.T, n)
    return beyond_chance(raw, p * q + (1 - p) * (1 - q) * divide(others, n))
