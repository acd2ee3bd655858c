"""What single runs amount to: accuracy, validity, shares of labels and of outcomes."""

from __future__ import annotations

from hesperus.measures.classes import MISSING, Codes, InvalidRule, Mask
from hesperus.measures.resample import Bootstrap
from hesperus.measures.statistic import Statistic, estimate, ratio
from hesperus.types import Estimate


def accuracy(
    answers: Codes, gold: Codes, *, invalid: InvalidRule = "disagree", bootstrap: Bootstrap | None = None
) -> Estimate:
    """Share of items answered as the gold label, in [0, 1]; an unreadable answer is wrong.

    Args:
        answers: Class codes, [items].
        gold: Codes of the right answers, negative where there is none.
        invalid: ``drop`` leaves unreadable answers out; under the other rules they are wrong.
        bootstrap: How to make the interval; None leaves it out.

    Returns:
        The estimate; undefined where no item with a gold label was asked.

    Example:
        >>> import numpy as np
        >>> accuracy(np.array([0, 1, -1, 0], np.int32), np.array([0, 1, 1, 1], np.int32)).value
        0.5
    """
    return estimate(accuracy_statistic(answers, gold, invalid=invalid), bootstrap)


def accuracy_statistic(answers: Codes, gold: Codes, *, invalid: InvalidRule = "disagree") -> Statistic:
    """Accuracy before it is reduced (see accuracy)."""
    asked = answers != MISSING
    known = asked & (gold >= 0)
    counted = known & (answers >= 0) if invalid == "drop" else known
    without_gold, dropped = int((asked & ~known).sum()), int((known & ~counted).sum())
    parts = [f"{without_gold} without a gold label"] if without_gold else []
    parts += [f"{dropped} with an unreadable answer dropped"] if dropped else []
    return Statistic(
        columns=(counted & (answers == gold), counted),
        reduce=ratio,
        n=int(counted.sum()),
        excluded=without_gold + dropped,
        reason="; ".join(parts),
        undefined="no item with a gold label counts",
    )


def validity_statistic(answers: Codes) -> Statistic:
    """Share of the asked items whose answer could be read as a label.

    Args:
        answers: Class codes, [items].
    """
    return share_statistic(answers >= 0, answers != MISSING)


def label_share_statistic(answers: Codes, label: int) -> Statistic:
    """Share of the asked items that got a label; unreadable answers stay in the denominator.

    Args:
        answers: Class codes, [items].
        label: Code of the label.
    """
    return share_statistic(answers == label, answers != MISSING)


def share_statistic(part: Mask, whole: Mask) -> Statistic:
    """Share of the items of `whole` that are in `part`.

    Args:
        part: Mask over the items.
        whole: Mask over the same items.
    """
    return Statistic((part & whole, whole), ratio, int(whole.sum()), undefined="no item was asked")
