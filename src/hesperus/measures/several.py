"""Agreement of more than two runs: consistency of subsets of k, its harmonic mean with accuracy, α over all.

References:
    Consistency over subsets of s languages and AC3: Wang et al. (2024), SeaEval for multilingual foundation models.
    α: Krippendorff (2011), Computing Krippendorff's alpha-reliability.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
import numpy.typing as npt

from hesperus.measures.agreement import Key
from hesperus.measures.classes import FAILED, INVALID, INVALID_RULES, MISSING, Codes, InvalidRule, replied
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import Column, Corners, Statistic, divide, ratio, share_corners

NO_GOLD = "no item with a gold label counts"


def subset_consistency_statistic(codes: Codes, *, size: int, invalid: InvalidRule = "disagree") -> Statistic:
    """Share of the subsets of `size` runs in which all give the same answer, over subsets and items; in [0, 1].

    With every item in every run this is the mean over subsets of the share of items on which the subset agrees. An
    item counts with as many subsets as have it.

    Args:
        codes: Class codes, [runs, items].
        size: Runs in a subset, 2 or more; 2 gives the mean raw agreement of pairs.
        invalid: ``disagree``: an invalid answer agrees with nothing; ``agree``: it is one more class; ``drop``:
            subsets with an invalid answer do not count.

    Raises:
        ValueError: The size is less than 2 or more than there are runs.
    """
    codes, silent = _answering(codes)
    subsets, agreeing = _subsets(codes, size, invalid)
    return Statistic(
        (agreeing, subsets), ratio, share_corners(subsets), int((subsets > 0).sum()), *_excluded(codes, subsets, silent),
        undefined=f"no item was answered by {size} runs",
    )  # fmt: skip


def pooled_accuracy_statistic(codes: Codes, gold: Codes, *, invalid: InvalidRule = "disagree") -> Statistic:
    """Share of right answers over all runs and items with a gold label; in [0, 1].

    Args:
        codes: Class codes, [runs, items].
        gold: Codes of the right answers, [items], negative if unknown.
        invalid: ``drop`` leaves invalid answers out; under the other rules they are wrong.
    """
    _check_rule(invalid)
    codes, silent = _answering(codes)
    asked = (codes >= (0 if invalid == "drop" else INVALID)) & (gold >= 0)
    right = (asked & (codes == gold)).sum(axis=0).astype(np.float64)
    counted = asked.sum(axis=0).astype(np.float64)
    ungraded = int(((codes != MISSING).any(axis=0) & (gold < 0)).sum())
    unread = int(((codes != MISSING).any(axis=0) & (gold >= 0) & (counted == 0)).sum())
    reasons = [f"{ungraded} without a gold label"] if ungraded else []
    reasons += [f"{unread} that no run answered readably"] if unread else []
    reasons += _lost_answers(codes, silent)
    return Statistic(
        (right, counted),
        ratio,
        share_corners(counted),
        int((counted > 0).sum()),
        ungraded + unread,
        "; ".join(reasons),
        NO_GOLD,
    )


def ac3_statistic(codes: Codes, *, key: Key, size: int, invalid: InvalidRule = "disagree") -> Statistic:
    """AC3: harmonic mean of accuracy over all runs and consistency of subsets of `size` runs; in [0, 1].

    Args:
        codes: Class codes, [runs, items].
        key: Gold; the accuracy rests on the items that have one.
        size: Runs in a subset.
        invalid: How invalid answers compare; they are wrong, unless they are dropped.

    Raises:
        ValueError: The size is less than 2 or more than there are runs.
    """
    codes, silent = _answering(codes)
    subsets, agreeing = _subsets(codes, size, invalid)
    right, asked = pooled_accuracy_statistic(codes, key.gold, invalid=invalid).columns
    undefined = "accuracy and consistency are both 0"
    if not subsets.any():
        undefined = f"no item was answered by {size} runs"
    elif not asked.any():
        undefined = NO_GOLD

    def harmonic(sums: Floats) -> Floats:
        consistent, correct = divide(sums[..., 0], sums[..., 1]), divide(sums[..., 2], sums[..., 3])
        return divide(2 * consistent * correct, consistent + correct)

    (whole, _), (correct, answers) = share_corners(subsets)[0], share_corners(asked)[0]
    usual = answers * float(right.sum()) / max(float(asked.sum()), 1.0)
    corners: Corners = (
        # All alike and right, all alike and wrong, none alike and as often right as the items are.
        (whole, whole, correct, answers),
        (whole, whole, 0.0, answers),
        (0.0, whole, usual, answers),
    )
    return Statistic(
        (agreeing, subsets, right, asked), harmonic, corners, int((subsets > 0).sum()),
        *_excluded(codes, subsets, silent), undefined=undefined,
    )  # fmt: skip


def nominal_alpha_statistic(codes: Codes, *, invalid: InvalidRule = "disagree") -> Statistic:
    """Krippendorff's α of all runs at once, nominal, with missing answers; at most 1.

    Args:
        codes: Class codes, [runs, items].
        invalid: ``disagree``: each invalid answer is a class of its own; ``agree``: they are one class; ``drop``:
            they are missing.

    Returns:
        α before it is reduced. Resampled items that are drawn twice count as two items.
    """
    _check_rule(invalid)
    codes, silent = _answering(codes)
    unread = codes == INVALID
    given = replied(codes) & ~(unread if invalid == "drop" else np.zeros_like(unread))
    ratings = given.sum(axis=0)
    pairable = ratings >= 2
    classes = [int(c) for c in np.unique(codes[given]) if c >= (INVALID if invalid == "agree" else 0)]
    counts = [np.where(pairable, (codes == c).sum(axis=0), 0).astype(np.float64) for c in classes]
    same = sum((n * (n - 1) for n in counts), start=np.zeros(codes.shape[1]))
    weight = np.where(pairable, ratings, 0).astype(np.float64)
    agreeing = same / np.maximum(ratings - 1, 1)
    # Invalid answers that are each a class of their own meet only themselves: they add their number to Σ n².
    alone = np.where(pairable & (invalid == "disagree"), unread.sum(axis=0), 0).astype(np.float64)

    def reduce(sums: Floats) -> Floats:
        n, observed, single = sums[..., 0], sums[..., 1], sums[..., 2]
        expected = n * n - (sums[..., 3:] ** 2).sum(axis=-1) - single
        return 1.0 - divide((n - 1.0) * (n - observed), expected)

    columns: tuple[Column, ...] = (weight, agreeing, alone, *counts)
    return Statistic(
        columns, reduce, _alpha_corners(weight, len(counts)), int(pairable.sum()), *_excluded(codes, weight, silent),
        undefined="no item with two answers" if not pairable.any() else "all answers are the same",
    )  # fmt: skip


def _alpha_corners(weight: Floats, classes: int) -> Corners:
    """All runs alike, and runs split in halves, with each label alike often."""
    ratings = share_corners(weight)[0][0]
    labels = (ratings / max(classes, 1),) * classes
    split = 2.0 * (ratings / 2.0) * (ratings / 2.0 - 1.0) / max(ratings - 1.0, 1.0)
    return ((ratings, ratings, 0.0, *labels), (ratings, max(split, 0.0), 0.0, *labels))


def together_statistics(
    codes: Codes, *, key: Key, sizes: Sequence[int], invalid: InvalidRule = "disagree"
) -> list[tuple[int | None, str, Statistic]]:
    """All measures of several runs at once.

    Args:
        codes: Class codes, [runs, items], 2 runs or more.
        key: Gold; the accuracy rests on the items that have one.
        sizes: Runs in a subset; sizes beyond the number of runs are passed over.
        invalid: How invalid answers compare.

    Returns:
        The size of the subsets (None without subsets), the name and the measure before it is reduced:
        ``krippendorff_alpha`` and ``accuracy``, then ``subset_consistency`` and ``ac3`` for each size.
    """
    found: list[tuple[int | None, str, Statistic]] = [
        (None, "krippendorff_alpha", nominal_alpha_statistic(codes, invalid=invalid)),
        (None, "accuracy", pooled_accuracy_statistic(codes, key.gold, invalid=invalid)),
    ]
    for size in (size for size in sizes if 2 <= size <= len(codes)):
        consistent = subset_consistency_statistic(codes, size=size, invalid=invalid)
        found.append((size, "subset_consistency", consistent))
        found.append((size, "ac3", ac3_statistic(codes, key=key, size=size, invalid=invalid)))
    return found


def _subsets(codes: Codes, size: int, invalid: InvalidRule) -> tuple[Floats, Floats]:
    """For each item: subsets of runs that have it, and those of them in which all agree."""
    _check_rule(invalid)
    if codes.ndim != 2 or not 2 <= size <= len(codes):
        runs = len(codes)
        raise ValueError(f"a subset has 2 to {runs} of the {runs} runs, not {size}")
    chosen = np.array([float(comb(count, size)) for count in range(len(codes) + 1)])
    subsets = chosen[(codes >= (0 if invalid == "drop" else INVALID)).sum(axis=0)]
    lowest = INVALID if invalid == "agree" else 0
    agreeing = np.zeros(codes.shape[1])
    for code in np.unique(codes):
        if code >= lowest:
            agreeing += chosen[(codes == code).sum(axis=0)]
    return subsets, agreeing


_Silent = tuple[int, int]
"""How many runs answer nothing, and how many questions they were asked."""


def _answering(codes: Codes) -> tuple[Codes, _Silent]:
    """The runs with those that answer nothing taken out, as nothing can be measured of them, and how many these are."""
    silent = (codes == INVALID).any(axis=1) & ~(codes >= 0).any(axis=1)
    if not silent.any():
        return codes, (0, 0)
    kept = codes.copy()
    mute = codes[silent] == INVALID
    kept[silent] = np.where(mute, FAILED, codes[silent])
    return kept, (int(silent.sum()), int(mute.sum()))


def _lost_answers(codes: Codes, silent: _Silent) -> list[str]:
    """Missing data that takes no item out by itself, since other runs answered the item."""
    runs, asked = silent
    failed = int((codes == FAILED).sum()) - asked
    said = [f"{failed} question{'s' * (failed != 1)} without a reply (error)"] if failed else []
    return said + ([f"{runs} of {len(codes)} runs without any answer"] if runs else [])


def _excluded(codes: Codes, counted: npt.NDArray[np.floating], silent: _Silent) -> tuple[int, str]:
    lost = int(((codes != MISSING).any(axis=0) & (counted == 0)).sum())
    parts = [f"{lost} that too few runs answered"] if lost else []
    return lost, "; ".join([*parts, *_lost_answers(codes, silent)])


def _check_rule(invalid: str) -> None:
    if invalid not in INVALID_RULES:
        raise ValueError(f"invalid must be one of {', '.join(INVALID_RULES)}, not {invalid!r}")
