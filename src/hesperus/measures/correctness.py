"""What single runs amount to: accuracy, validity, shares of labels and of outcomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hesperus.measures.classes import FAILED, Codes, InvalidRule, Mask, account, replied, unanswered
from hesperus.measures.resample import Bootstrap
from hesperus.measures.statistic import SHARE, Statistic, estimate, ratio
from hesperus.types import Estimate

NO_GOLD = "no item with a gold label counts"
"""Said where no item has a right answer that is known."""


def accuracy(
    answers: Codes, gold: Codes, *, invalid: InvalidRule = "disagree", bootstrap: Bootstrap | None = None
) -> Estimate:
    """Share of items answered as the gold label, in [0, 1]; an invalid answer is wrong.

    Args:
        answers: Class codes, [items].
        gold: Codes of the right answers, negative if unknown.
        invalid: ``drop`` leaves invalid answers out; under the other rules they are wrong.
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
    has = replied(answers)
    known = has & (gold >= 0)
    counted = known & (answers >= 0) if invalid == "drop" else known
    silent = int(counted.sum()) if unanswered(counted, answers) else 0
    lost = {
        "without a reply (error)": int((answers == FAILED).sum()),
        "without a gold label": int((has & ~known).sum()),
        "with an invalid answer dropped": int((known & ~counted).sum()),
        "none of which is answered": silent,
    }
    if silent:
        counted = np.zeros_like(counted)
    return Statistic(
        columns=(counted & (answers == gold), counted),
        reduce=ratio,
        corners=SHARE,
        n=int(counted.sum()),
        excluded=sum(lost.values()),
        reason=account(lost),
        undefined=NO_GOLD,
    )


def validity_statistic(answers: Codes) -> Statistic:
    """Share of the items with a reply that could be read as a label; 0 where none could.

    Args:
        answers: Class codes, [items].
    """
    failed = {"without a reply (error)": int((answers == FAILED).sum())}
    return replace(
        share_statistic(answers >= 0, replied(answers)), excluded=sum(failed.values()), reason=account(failed)
    )


def label_share_statistic(answers: Codes, label: int) -> Statistic:
    """Share of the items with a reply that got a label; invalid answers stay in the denominator.

    Args:
        answers: Class codes, [items].
        label: Code of the label.

    Undefined when: nothing was answered.
    """
    whole = replied(answers)
    silent = int(whole.sum()) if unanswered(whole, answers) else 0
    lost = {
        "without a reply (error)": int((answers == FAILED).sum()),
        "none of which is answered": silent,
    }
    shares = share_statistic(answers == label, np.zeros_like(whole) if silent else whole)
    return replace(
        shares, excluded=sum(lost.values()), reason=account(lost), undefined="no item was answered"
    )


def gold_share_statistic(gold: Codes, label: int) -> Statistic:
    """Share of the items with a gold label whose gold it is.

    Args:
        gold: Codes of the right answers, [items]; negative if unknown.
        label: Code of the label.

    Undefined when: no item has a gold label.
    """
    lost = {"without a gold label": int((replied(gold) & (gold < 0)).sum())}
    return replace(
        share_statistic(gold == label, gold >= 0),
        excluded=sum(lost.values()),
        reason=account(lost),
        undefined=NO_GOLD,
    )


def share_statistic(part: Mask, whole: Mask) -> Statistic:
    """Share of the items of `whole` that are in `part`.

    Args:
        part: Mask over the items.
        whole: Mask over the same items.
    """
    return Statistic((part & whole, whole), ratio, SHARE, int(whole.sum()), undefined="no item counts")
