"""What an audit of a translated benchmark compares: the same items in two conditions, under several models.

A *pair* is one model's answers to one item in both conditions. The unit is the item: all models of an item travel
together, because they share what is odd about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hesperus.measures.classes import Codes, Mask
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import Column, Corners, Statistic, divide, ratio, share_corners


@dataclass(frozen=True, slots=True, eq=False)
class TaxPairs:
    """Two conditions of the same items.

    Attributes:
        first_right: Right in the condition from which is subtracted, [models, items].
        second_right: Right in the other.
        first_valid: Readable in the first; what is right is readable.
        second_valid: Readable in the second.
        asked: Pairs that may be compared: asked in both, one gold, the text good enough.
    """

    first_right: Mask
    second_right: Mask
    first_valid: Mask
    second_valid: Mask
    asked: Mask

    def __post_init__(self) -> None:
        shapes = {mask.shape for mask in self.masks}
        if len(shapes) != 1 or len(next(iter(shapes))) != 2:
            raise ValueError(f"pairs are [models, items] throughout, not {sorted(shapes)}")

    @property
    def masks(self) -> tuple[Mask, ...]:
        """All of them, in the order of the attributes."""
        return self.first_right, self.second_right, self.first_valid, self.second_valid, self.asked

    @property
    def strict(self) -> Mask:
        """Pairs with a valid answer on both sides, [models, items]."""
        return self.asked & self.first_valid & self.second_valid

    def of_models(self, rows: Sequence[int]) -> TaxPairs:
        """The pairs of some models."""
        picked = np.asarray(rows, dtype=np.intp)
        return TaxPairs(*(mask[picked] for mask in self.masks))

    def of_items(self, items: Mask) -> TaxPairs:
        """Only some items count; the others stay in their places, so that resamples are shared."""
        return replace(self, asked=self.asked & items)

    def only(self, items: Mask) -> TaxPairs:
        """Some items alone, which are what is resampled."""
        return TaxPairs(*(mask[:, items] for mask in self.masks))


def tax_statistic(pairs: TaxPairs) -> Statistic:
    """Accuracy in the first condition minus accuracy in the second over strict pairs, each item with all its models.

    Returns:
        The mean over all strict pairs, in [−1, 1]; `n` counts items, and an item counts as excluded where no model has
        a strict pair of it. Of one model it is the paired difference.

    Reference: "The Translation Tax Is Not a Scalar", sections 3.1 and 5.3 (item-clustered bootstrap).
    """
    strict = pairs.strict
    columns = (
        _over_models(pairs.first_right & strict),
        _over_models(pairs.second_right & strict),
        _over_models(strict),
    )
    kept, asked = strict.any(axis=0), pairs.asked.any(axis=0)
    lost = int((asked & ~kept).sum())
    return Statistic(
        columns,
        lambda sums: divide(sums[..., 0] - sums[..., 1], sums[..., 2]),
        difference_corners(columns[2]),
        int(kept.sum()),
        lost,
        f"{lost} invalid on a side" if lost else "",
        "no item counts on both sides",
    )


def difference_corners(pairs: Column) -> Corners:
    """Corners of an item whose models differ between two conditions: some in the first only, some in the second, none.

    Models that change may do so each by itself or all together. A pseudo-item changes in √m of m models, between the two;
    of one model it is that of a paired difference.

    Args:
        pairs: How many pairs each item has, [items]. Columns are right in the first, right in the second, pairs.
    """
    models = share_corners(pairs)[0][0]
    moved = models**0.5
    return ((moved, 0.0, models), (0.0, moved, models), (0.0, 0.0, models))


def side_statistics(pairs: TaxPairs) -> tuple[Statistic, Statistic]:
    """Accuracy in either condition over the same strict pairs, in [0, 1]."""
    strict = pairs.strict
    count, n = _over_models(strict), int(strict.any(axis=0).sum())
    first, second = (
        Statistic((_over_models(right & strict), count), ratio, share_corners(count), n)
        for right in (pairs.first_right, pairs.second_right)
    )
    return first, second


def tax_bounds(pairs: TaxPairs) -> tuple[Statistic, Statistic]:
    """The lowest and the highest that the difference could be, whatever the invalid answers were meant to say.

    Lowest: every invalid answer of the first condition wrong, every one of the second right; highest: the other
    way round. All asked pairs count, so nothing is excluded.

    Reference: worst-case bounds of Manski (1989).
    """
    asked = pairs.asked
    if not ((pairs.first_valid & asked).any() and (pairs.second_valid & asked).any()):
        asked = np.zeros_like(asked)
    count, n = _over_models(asked), int(asked.any(axis=0).sum())
    sides = (
        (pairs.first_right, pairs.second_right | ~pairs.second_valid),
        (pairs.first_right | ~pairs.first_valid, pairs.second_right),
    )
    low, high = (
        Statistic(
            (_over_models(first & asked), _over_models(second & asked), count),
            lambda sums: divide(sums[..., 0] - sums[..., 1], sums[..., 2]),
            difference_corners(count),
            n,
            undefined="no item was answered on both sides",
        )
        for first, second in sides
    )
    return low, high


def discordant(pairs: TaxPairs) -> tuple[int, int]:
    """Strict pairs right in the first condition only, and in the second only."""
    strict = pairs.strict
    only_first = pairs.first_right & ~pairs.second_right & strict
    only_second = pairs.second_right & ~pairs.first_right & strict
    return int(only_first.sum()), int(only_second.sum())


def item_signal(pairs: TaxPairs) -> Floats:
    """Mean difference of each item over the models with a strict pair of it, [items]; NaN without one."""
    strict = pairs.strict
    apart = (pairs.first_right & strict).sum(axis=0) - (pairs.second_right & strict).sum(axis=0)
    return divide(apart.astype(np.float64), strict.sum(axis=0).astype(np.float64))


def residue_strata(
    anchor_right: Mask, back_right: Mask, usable: Mask, *, labels: Codes, others: Codes
) -> tuple[Mask, Mask, Mask]:
    """Items that look full of the source's cues, items that look free of them, items on which two groups disagree.

    Args:
        anchor_right: The source-centric models right before the way back, [models, items].
        back_right: The same models right on the back-translation.
        usable: Items with a valid answer of all of these models on both sides, [items].
        labels: Answers of the source-centric models to the translated items, [models, items]; negative: none.
        others: Answers of the other group, [models, items]; no rows if there is no other group.

    Returns:
        high: all right before, one or more wrong on the way back. disagreement: the majority answers of the two groups
        differ, and the item is not high. low: all right on both, and neither of the other two.

    Reference: "The Translation Tax Is Not a Scalar", section 6 (sample and quality).
    """
    all_right = usable & anchor_right.all(axis=0)
    high = all_right & ~back_right.all(axis=0)
    mine, theirs = _majority(labels), _majority(others)
    disagreement = ~high & (mine >= 0) & (theirs >= 0) & (mine != theirs)
    low = all_right & back_right.all(axis=0) & ~disagreement
    return high, low, disagreement


def _majority(labels: Codes) -> Codes:
    """The label that more than half of the models with a valid answer give, or −1, [items]."""
    found = np.full(labels.shape[1], -1, dtype=np.int32)
    given = (labels >= 0).sum(axis=0)
    for code in range(int(labels.max(initial=-1)) + 1):
        found[2 * (labels == code).sum(axis=0) > given] = code
    return found


def _over_models(mask: Mask) -> Floats:
    counts: Floats = mask.sum(axis=0).astype(np.float64)
    return counts
