"""Agreement of all pairs of runs at once: every sum over items is a matrix product.

Memory is bounded by the runs squared and one block of items, so that the pairs of thousands of runs over any number of
items come out of a stream of blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hesperus.measures.agreement import Key, beyond_chance
from hesperus.measures.classes import INVALID, Codes, InvalidRule
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import divide


@dataclass(frozen=True, slots=True, eq=False)
class PairMatrices:
    """Measures of all pairs of runs, each [runs, runs]; NaN where undefined (no common item, or chance is certain).

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


def soft_pairs(probs: Floats, *, key: Key, block: int = 1 << 14) -> PairMatrices:
    """κ_p of all pairs of runs of option probabilities.

    Args:
        probs: [runs, items, options], 0 beyond an item's own options; NaN rows where a run did not score an item.
        key: Gold and number of options; items without gold do not count.
        block: Items that go through one product.
    """
    runs, items, _ = probs.shape
    total = np.zeros((4, runs, runs))
    for start in range(0, items, block):
        part = slice(start, min(start + block, items))
        scored = np.isfinite(probs[:, part]).all(axis=2) & (key.gold[part] >= 0)
        filled = np.where(scored[:, :, None], probs[:, part], 0.0)
        on_gold = np.take_along_axis(filled, np.maximum(key.gold[part], 0)[None, :, None], axis=2)[:, :, 0]
        flat = filled.reshape(runs, -1)
        total += _products(
            scored.astype(np.float64), flat, on_gold, 1.0 / np.maximum(key.options[part] - 1, 1)
        )
    n, observed, gold, others = total
    return PairMatrices(n.astype(np.int64), divide(observed, n), _kappa_p(n, observed, gold, others))


def hard_pairs(
    codes: Codes, *, key: Key, invalid: InvalidRule = "disagree", block: int = 1 << 14
) -> PairMatrices:
    """All measures of all pairs of runs of hard answers, over the items with a gold label.

    Args:
        codes: Class codes, [runs, items].
        key: Gold and number of options; items without gold do not count.
        invalid: How unreadable answers compare (see agreement_statistics).
        block: Items that go through one product.
    """
    runs, items = codes.shape
    floor = 0 if invalid == "drop" else INVALID
    graded = key.gold >= 0
    lowest = INVALID if invalid == "agree" else 0
    classes = [int(c) for c in np.unique(codes[:, graded]) if c >= lowest]
    total = np.zeros((4, runs, runs))
    margins = np.zeros((len(classes), runs, runs))
    both_right = np.zeros((runs, runs))
    for start in range(0, items, block):
        part = slice(start, min(start + block, items))
        shown = codes[:, part]
        counted = ((shown >= floor) & graded[part]).astype(np.float64)
        hot = (
            np.stack([(shown == c) * counted for c in classes], axis=2)
            if classes
            else np.zeros((*shown.shape, 1))
        )
        right = (shown == key.gold[part]) * counted
        total += _products(counted, hot.reshape(runs, -1), right, 1.0 / np.maximum(key.options[part] - 1, 1))
        both_right += right @ right.T
        for place in range(len(classes)):
            margins[place] += np.ascontiguousarray(hot[:, :, place]) @ counted.T
    n, observed, gold, others = total
    turned = margins.transpose(0, 2, 1)
    p, q = divide(gold, n), divide(gold.T, n)
    same = n - gold - gold.T + 2 * both_right
    return PairMatrices(
        n=n.astype(np.int64),
        raw=divide(observed, n),
        kappa_p=_kappa_p(n, observed, gold, others),
        cohen_kappa=beyond_chance(divide(observed, n), divide((margins * turned).sum(axis=0), n * n)),
        scott_pi=beyond_chance(divide(observed, n), divide(((margins + turned) ** 2).sum(axis=0), 4 * n * n)),
        error_consistency=beyond_chance(divide(same, n), p * q + (1 - p) * (1 - q)),
    )


def _products(counted: Floats, flat: Floats, on_gold: Floats, others: Floats) -> Floats:
    """Common items, observed agreement, probability on gold (of the row's run) and 1/(C−1), summed over items."""
    return np.stack([counted @ counted.T, flat @ flat.T, on_gold @ counted.T, (counted * others) @ counted.T])


def _kappa_p(n: Floats, observed: Floats, gold: Floats, others: Floats) -> Floats:
    p, q = divide(gold, n), divide(gold.T, n)
    return beyond_chance(divide(observed, n), p * q + (1 - p) * (1 - q) * divide(others, n))
