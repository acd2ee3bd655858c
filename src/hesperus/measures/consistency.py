"""Multisense consistency: the share of items that get the same answer in two senses.

Reference: Ohmer, Bruni and Hupkes (2023), Separating form and meaning. The paper counts two invalid answers as the
same (``invalid="agree"``); the default here is that what cannot be read is the same as nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np

from hesperus.measures.classes import (
    INVALID,
    NONE_ANSWERED,
    Codes,
    InvalidRule,
    Mask,
    account,
    compare,
    unanswered,
)
from hesperus.measures.resample import Bootstrap, Floats
from hesperus.measures.statistic import SHARE, Statistic, divide, estimate, ratio
from hesperus.types import Estimate

MANY_CLASSES = 12
"""Beyond so many labels, answers are free text or numbers: what does not occur is not listed."""


def consistency(
    a: Codes, b: Codes, *, invalid: InvalidRule = "disagree", bootstrap: Bootstrap | None = None
) -> Estimate:
    """Share of items with equal class, in [0, 1].

    Args:
        a: Class codes of the source run, [items].
        b: Class codes of the other run.
        invalid: How invalid answers compare (see measures.classes.compare).
        bootstrap: How to make the interval; None leaves it out.

    Returns:
        The estimate; undefined where no item counts.

    Raises:
        ValueError: Lengths differ, or the rule does not exist.

    Example:
        >>> import numpy as np
        >>> a, b = np.array([0, 1, 1, -1], np.int32), np.array([0, 1, 0, -1], np.int32)
        >>> consistency(a, b).value, consistency(a, b, invalid="agree").value
        (0.5, 0.75)
    """
    return estimate(consistency_statistic(a, b, invalid=invalid), bootstrap)


def consistency_statistic(
    a: Codes, b: Codes, *, invalid: InvalidRule = "disagree", where: Mask | None = None, kind: str = ""
) -> Statistic:
    """Consistency before it is reduced.

    Args:
        a: Class codes of the source run, [items].
        b: Class codes of the other run.
        invalid: How invalid answers compare.
        where: Count only these items: P(agree | where). They are a condition, hence not "excluded".
        kind: What those items are, for the message if nothing counts ("item that the source got right").
    """
    both = compare(a, b, invalid=invalid)
    counted = both.counted if where is None else both.counted & where
    silent = int(counted.sum()) if unanswered(counted, a, b) else 0
    if silent:
        counted = np.zeros_like(counted)
    agree = both.agree & counted
    reason = "; ".join(text for text in (both.reason, account({NONE_ANSWERED: silent})) if text)
    return Statistic(
        columns=(agree, counted),
        reduce=ratio,
        corners=SHARE,
        n=int(counted.sum()),
        excluded=both.excluded + silent,
        reason=reason,
        undefined=f"no {kind}" if kind and both.n and not silent else "no item counts on both sides",
    )


def split_statistics(
    a: Codes, b: Codes, *, gold: Codes, invalid: InvalidRule = "disagree"
) -> tuple[Statistic, Statistic]:
    """Consistency where the source run is correct, and where it is not; only the source decides.

    Args:
        a: Class codes of the source run, [items].
        b: Class codes of the other run.
        gold: Codes of the right answers of the source, negative if unknown (such items are in neither part).
        invalid: How invalid answers compare; an invalid source answer is incorrect.

    Returns:
        P(agree | source correct) and P(agree | source incorrect), before they are reduced; items without gold are excluded.
    """
    known = gold >= 0
    right = known & (a == gold)
    lost = int((compare(a, b, invalid=invalid).counted & ~known).sum())
    first, second = (
        consistency_statistic(a, b, invalid=invalid, where=where, kind=f"item that the source answers {how}")
        for where, how in ((right, "correctly"), (known & ~right, "incorrectly"))
    )
    return _without_gold(first, lost), _without_gold(second, lost)


def _without_gold(statistic: Statistic, lost: int) -> Statistic:
    if not lost:
        return statistic
    reason = "; ".join(filter(None, (statistic.reason, account({"without a gold label": lost}))))
    return replace(statistic, excluded=statistic.excluded + lost, reason=reason)


def range_statistics(a: Codes, b: Codes) -> tuple[Statistic, Statistic]:
    """The lowest and the highest consistency over the three ways of treating invalid answers.

    Args:
        a: Class codes of the source run, [items].
        b: Class codes of the other run.
    """
    whole = compare(a, b, invalid="disagree")
    unread = (a == INVALID) & (b == INVALID) & whole.counted
    readable = (a >= 0) & (b >= 0)
    columns = (whole.agree, unread, readable, whole.counted)

    def over_rules(sums: Floats) -> tuple[Floats, Floats, Floats]:
        agree, both_unread, both_readable, asked = (sums[..., k] for k in range(4))
        return divide(agree, asked), divide(agree + both_unread, asked), divide(agree, both_readable)

    def lowest(sums: Floats) -> Floats:
        disagree, _, drop = over_rules(sums)
        return np.fmin(disagree, drop)

    def highest(sums: Floats) -> Floats:
        _, agree, drop = over_rules(sums)
        return np.fmax(agree, drop)

    low, high = (
        Statistic(
            columns,
            reduce,
            # Readable on both sides, and agreeing or not.
            ((1.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0)),
            whole.n,
            whole.excluded,
            whole.reason,
            "no item counts on both sides",
        )
        for reduce in (lowest, highest)
    )
    return low, high


def direction_statistics(
    a: Codes, b: Codes, *, classes: int, invalid: InvalidRule = "disagree"
) -> dict[tuple[int, int], Statistic]:
    """Where the inconsistent items go: for each pair of classes, its share among all inconsistent items.

    Args:
        a: Class codes of the source run, [items].
        b: Class codes of the other run.
        classes: Number of labels; invalid is a further class, INVALID.
        invalid: How invalid answers compare.

    Returns:
        (from class, to class) to the share, before it is reduced; only the pairs that can be inconsistent. Of more than
        MANY_CLASSES labels (free answers, numbers), only the pairs that occur: all would be their square.
    """
    both = compare(a, b, invalid=invalid)
    moved = both.counted & ~both.agree
    n = int(moved.sum())
    if classes > MANY_CLASSES:
        places: Iterable[tuple[int, int]] = sorted(
            {(int(x), int(y)) for x, y in zip(a[moved], b[moved], strict=True)}
        )
    else:
        codes = [*range(classes), *([] if invalid == "drop" else [INVALID])]
        places = product(codes, codes)
    shares = {}
    for source, target in places:
        if source == target and (source != INVALID or invalid != "disagree"):
            continue
        shares[source, target] = Statistic(
            columns=(moved & (a == source) & (b == target), moved),
            reduce=ratio,
            corners=SHARE,
            n=n,
            excluded=both.excluded,
            reason=both.reason,
            undefined="no item is inconsistent" if both.n else "no item counts on both sides",
        )
    return shares
