"""Runs side by side, as the bootstrap of all pairs takes them: hard answers or probabilities over the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hesperus.measures.agreement import Key, PairStatistic, rank_features
from hesperus.measures.classes import INVALID, INVALID_RULES, Codes, InvalidRule, Mask, replied
from hesperus.measures.resample import Floats

Kind = Literal["same", "both_right", "ranks"]
"""What a pair has item by item: agreement, being both right or both wrong, overlap of ranks."""

Indices = npt.NDArray[np.intp]
Singles = npt.NDArray[np.float32]

_ROWS = 32
"""Pairs whose products of probabilities are made at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class HardRuns:
    """Hard answers.

    Attributes:
        codes: Class codes, [runs, items].
        key: Gold and number of options.
        invalid: How invalid answers compare.
    """

    codes: Codes
    key: Key
    invalid: InvalidRule = "disagree"

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape[1] != len(self.key.gold):
            raise ValueError(f"codes are [runs, {len(self.key.gold)} items], not {self.codes.shape}")
        if self.invalid not in INVALID_RULES:
            raise ValueError(f"invalid must be one of {', '.join(INVALID_RULES)}, not {self.invalid!r}")

    @property
    def statistics(self) -> tuple[PairStatistic, ...]:
        """Measures that hard answers have."""
        return ("raw", "kappa_p", "cohen_kappa", "scott_pi", "error_consistency")

    def counted(self) -> Mask:
        """Where an answer is in the denominator, [runs, items]."""
        return self.answered() if self.invalid == "drop" else replied(self.codes)

    def answered(self) -> Mask:
        """Where a label was given, [runs, items]; a pair of which one run has none among its items is undefined."""
        return np.asarray(self.codes >= 0)

    def on_gold(self) -> Mask:
        """Where the answer is right, [runs, items]."""
        return np.asarray((self.codes == self.key.gold) & (self.key.gold >= 0))

    def classes(self) -> list[npt.NDArray[np.bool_]]:
        """For each class that occurs, where it was answered, [runs, items]."""
        lowest = INVALID if self.invalid == "agree" else 0
        return [self.codes == code for code in np.unique(self.codes) if code >= lowest]

    def together(self, kind: Kind, a: Indices, b: Indices, *, items: Mask) -> tuple[Mask, Floats]:
        """What pairs have item by item, where both count.

        Args:
            kind: ``same`` or ``both_right`` (both right or both wrong).
            a: Runs, [pairs].
            b: Runs, [pairs].
            items: Items that count, [items].

        Returns:
            [pairs, items], and its sums.
        """
        counted = self.counted()
        if kind == "same":
            lowest = INVALID if self.invalid == "agree" else 0
            shown = counted & (self.codes >= lowest)
            # Codes that agree with nothing differ between the sides, so that one comparison is enough.
            narrow = np.int8 if self.codes.max(initial=0) < 128 else np.int32
            left, right = (np.where(shown, self.codes, other).astype(narrow) for other in (-8, -9))
            found = np.equal(left[a], right[b])
        else:
            correct = self.on_gold()
            left, right = (
                np.where(counted, correct, 2).astype(np.int8),
                np.where(counted, correct, 3).astype(np.int8),
            )
            found = np.equal(left[a], right[b])
        if not items.all():
            found &= items
        return found, np.count_nonzero(found, axis=1).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class SoftRuns:
    """Probabilities of the options.

    Attributes:
        probs: [runs, items, options], 0 beyond an item's own options; NaN rows where a run did not score an item.
        key: Gold and number of options.
    """

    probs: Floats
    key: Key

    def __post_init__(self) -> None:
        if self.probs.ndim != 3 or self.probs.shape[1] != len(self.key.gold):
            raise ValueError(f"probs are [runs, {len(self.key.gold)} items, options], not {self.probs.shape}")

    @property
    def statistics(self) -> tuple[PairStatistic, ...]:
        """Measures that probabilities have."""
        return ("raw", "kappa_p", "rank_consistency")

    def counted(self) -> Mask:
        """Where a run scored an item, [runs, items]."""
        return np.asarray(np.isfinite(self.probs).all(axis=2))

    def answered(self) -> Mask:
        """The same: probabilities are answers."""
        return self.counted()

    def on_gold(self) -> Floats:
        """Probability of the right option, [runs, items]; 0 if unknown."""
        items = np.arange(len(self.key.gold))
        found = self.probs[:, items, np.maximum(self.key.gold, 0)]
        return np.where((self.key.gold >= 0) & np.isfinite(found), found, 0.0)

    def classes(self) -> list[npt.NDArray[np.bool_]]:
        """Probabilities have no margins of classes."""
        return []

    def together(self, kind: Kind, a: Indices, b: Indices, *, items: Mask) -> tuple[Singles, Floats]:
        """What pairs have item by item, where both count.

        Args:
            kind: ``same`` (Σ_c p q) or ``ranks`` (RankC of the item).
            a: Runs, [pairs].
            b: Runs, [pairs].
            items: Items that count, [items].

        Returns:
            [pairs, items] in float32, and its sums from float64.
        """
        if kind == "ranks":
            used, places = np.unique(np.concatenate([a, b]), return_inverse=True)
            values = rank_features(self.probs[used], self.key.options)
            values *= np.isfinite(self.probs[used]).all(axis=2)[:, :, None]
            a, b = places[: len(a)], places[len(a) :]
        else:
            values = self.probs
        found = np.empty((len(a), values.shape[1]), dtype=np.float32)
        sums = np.empty(len(a))
        for start in range(0, len(a), _ROWS):
            part = slice(start, start + _ROWS)
            products = np.einsum("pic,pic->pi", values[a[part]], values[b[part]])
            products = np.where(np.isfinite(products) & items, products, 0.0)
            found[part] = products
            sums[part] = products.sum(axis=1)
        return found, sums
