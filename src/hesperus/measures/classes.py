"""Answers as arrays of class codes, and how two of them compare.

A class code is the index of a label, or INVALID for a reply without a readable label, or MISSING where nothing was
asked. Only MISSING takes an item out by itself: what a model was asked stays in the denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

INVALID = -1
"""Code of an answer that was asked for and could not be read as a label."""

MISSING = -2
"""Code of an answer that was never asked for."""

Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

InvalidRule = Literal["disagree", "agree", "drop"]
"""How unreadable answers compare: with nothing, with each other, or not at all."""

INVALID_RULES: tuple[InvalidRule, ...] = get_args(InvalidRule)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two runs of answers beside each other, item by item.

    Attributes:
        counted: Items that stand in the denominator.
        agree: Items that count and whose answers are the same.
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
        return int(self.counted.sum())


def compare(a: Codes, b: Codes, *, invalid: InvalidRule = "disagree") -> Comparison:
    """Compare two runs of answers to the same items.

    Args:
        a: Class codes, [items].
        b: Class codes of the other run, in the same order of items.
        invalid: ``disagree``: an unreadable answer is the same as nothing; ``agree``: two unreadable answers are the
            same; ``drop``: an item with an unreadable answer does not count.

    Raises:
        ValueError: Lengths differ, or the rule does not exist.
    """
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"two runs need the same items: {a.shape} and {b.shape}")
    asked_a, asked_b = a != MISSING, b != MISSING
    both = asked_a & asked_b
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
    alone = int((asked_a ^ asked_b).sum())
    dropped = int((both & ~counted).sum())
    return Comparison(counted, agree, alone + dropped, _reason(alone, dropped))


def _reason(alone: int, dropped: int) -> str:
    parts = [f"{_items(alone)} asked on one side only"] if alone else []
    parts += [f"{_items(dropped)} with an unreadable answer dropped"] if dropped else []
    return "; ".join(parts)


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
