"""Answers as arrays of class codes, and how two of them compare.

A class code is the index of a label, or INVALID for a reply without a readable label, FAILED where no reply came, or
MISSING where nothing was asked. FAILED and MISSING are missing data, which take an item out: what a model replied to
stays in the denominator, unless the rule for invalid answers drops it. Where one side answers none of the items that
would count, nothing counts under any rule: silence compared with something is no measurement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

INVALID = -1
"""Code of an answer that was asked for and could not be read as a label."""

MISSING = -2
"""Code of an answer that was never asked for."""

FAILED = -3
"""Code of an answer that was asked for and to which no reply came (the outcome `error`): missing data."""

NO_REPLY, ONE_SIDE = "without a reply (error)", "asked on one side only"
DROPPED = "with an invalid answer dropped"
"""Why an item of two runs does not count."""

NONE_ANSWERED = "of which one side answers none"
"""Said of items that would count, where all replies of a run to them are without an answer."""

Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

InvalidRule = Literal["disagree", "agree", "drop"]
"""How invalid answers compare: with nothing, with each other, or not at all."""

INVALID_RULES: tuple[InvalidRule, ...] = get_args(InvalidRule)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two runs of answers next to each other, item by item.

    Attributes:
        counted: Items in the denominator.
        agree: Items that count and have the same answers.
        excluded: Items that were asked at least once and do not count.
        reason: Why they do not.
    """

    counted: Mask
    agree: Mask
    excluded: int
    reason: str

    @property
    def n(self) -> int:
        """Items that count."""
        return int(np.count_nonzero(self.counted))


def compare(a: Codes, b: Codes, *, invalid: InvalidRule = "disagree") -> Comparison:
    """Compare two runs of answers to the same items.

    Args:
        a: Class codes, [items].
        b: Class codes of the other run, in the same order of items.
        invalid: ``disagree``: an invalid answer is the same as nothing; ``agree``: two invalid answers are the
            same; ``drop``: an item with an invalid answer does not count.

    Raises:
        ValueError: Lengths differ, or the rule does not exist.
    """
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"two runs need the same items: {a.shape} and {b.shape}")
    has_a, has_b = replied(a), replied(b)
    both = has_a & has_b
    readable = (a >= 0) & (b >= 0)
    same = a == b
    if invalid == "disagree":
        counted, agree = both, readable & same
    elif invalid == "agree":
        counted, agree = both, both & same
    elif invalid == "drop":
        counted, agree = readable, readable & same
    else:
        raise ValueError(f"invalid must be one of {', '.join(INVALID_RULES)}, not {invalid!r}")
    failed = (a == FAILED) | (b == FAILED)
    silent = 0
    if unanswered(counted, a, b):
        silent = int(np.count_nonzero(counted))
        counted, agree = np.zeros_like(counted), np.zeros_like(agree)
    lost = {
        NO_REPLY: int(np.count_nonzero(failed)),
        ONE_SIDE: int(np.count_nonzero((has_a ^ has_b) & ~failed)),
        DROPPED: int(np.count_nonzero(both & ~counted)) - silent,
        NONE_ANSWERED: silent,
    }
    return Comparison(counted, agree, sum(lost.values()), account(lost))


def replied(codes: Codes) -> Mask:
    """Where a reply came, readable or not; everything else is missing data.

    Args:
        codes: Class codes, of any shape.
    """
    return np.asarray(codes >= INVALID)


def unanswered(counted: Mask, *runs: Codes) -> bool:
    """Whether some items count and one of the runs answers none of them: nothing can be measured then.

    Args:
        counted: Items that would count, [items].
        runs: Class codes, [items] each.
    """
    return bool(counted.any()) and any(not (counted & (run >= 0)).any() for run in runs)


def account(lost: Mapping[str, int]) -> str:
    """What was excluded, in words: "3 items without a reply (error); 1 item asked on one side only".

    Args:
        lost: What befell the items to how many there are; 0 is passed over.
    """
    return "; ".join(f"{_items(count)} {why}" for why, count in lost.items() if count)


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
