"""Where a number becomes text: rounded for people, never into another statement.

199 of 200 is no "100 %", 0.9996 no "1.000" and a p value of 0.00004 no "0.000". A rounded text may say 0, 1 or -1 (in per
cent 0, 100 or -100) only of the value itself; otherwise it gets the decimals that it takes. Programs get values in full.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Literal, get_args

Unit = Literal["number", "short", "score", "share", "percentage", "label", "points", "size"]
"""How a value is written: ``0.872``; in a small cell ``0.87``; a score from 0 to 100 ``87.2``; a share in a sentence ``87.2 %``,
in a table ``87.2``, in a figure ``87%``; a difference of shares in percentage points ``+2.3``; the size of one ``2.3``."""

UNITS: tuple[Unit, ...] = get_args(Unit)

_MOST = 6
_PLACES = tuple(Decimal(1).scaleb(-places) for places in range(_MOST + 1))
_NOISE = 1e-12
"""Sums of floats miss whole values by this much."""


def cell(value: float, unit: Unit = "number") -> str:
    r"""A value as people read it.

    >>> cell(0.87234), cell(199 / 200, "share"), cell(1.0, "share"), cell(0.0005, "points"), cell(4e-5)
    ('0.872', '99.5\xa0%', '100\xa0%', '+0.1', '0.00004')

    Args:
        value: Finite; a share lies in [0, 1].
        unit: How it is written.
    """
    if unit in ("number", "short"):
        return _fixed(value, 3 if unit == "number" and abs(value) < 10 else 2, (0.0, 1.0, -1.0, 100.0))
    if unit == "score":
        return _fixed(value, 1, (0.0, 100.0))
    hundredfold = 100 * value
    if unit == "label":
        return f"{_fixed(hundredfold, 0, (0.0, 100.0))}%"
    if unit == "points":
        text = _fixed(hundredfold, 1, (0.0, 100.0, -100.0))
        return text if text.startswith("-") or not text.strip("0.") else f"+{text}"
    whole = unit == "share" and abs(hundredfold - round(hundredfold)) < _NOISE * 100
    text = _fixed(hundredfold, 0 if whole else 1, (0.0, 100.0, -100.0))
    return f"{text}\u00a0%" if unit == "share" else text


def interval(value: float, low: float | None, high: float | None, unit: Unit = "number") -> str:
    """A value with its interval: ``0.872 [0.841, 0.901]``, ``87.2 % [84.1, 90.1]``; without one, the value alone."""
    if low is None or high is None:
        return cell(value, unit)
    ends = [cell(end, unit).removesuffix("\u00a0%") for end in (low, high)]
    return f"{cell(value, unit)} [{ends[0]}, {ends[1]}]"


def seven_digits(value: float) -> str:
    """A value with seven digits, where fewer would hide on which side of a limit it lies: ``0.6666667``, ``0.5``."""
    return f"{value:.7g}"


def hundredths(value: float) -> str:
    """Two decimals, with a minus sign, never -0: ``0.42``, ``−0.03``."""
    return cell(value, "short").replace("-", "−")


def _fixed(value: float, decimals: int, marks: tuple[float, ...]) -> str:
    """A number with so many decimals, or as many as it takes to be told from the marks that it does not equal."""
    nearest = next((mark for mark in marks if abs(value - mark) <= _NOISE * max(1.0, abs(mark))), None)
    if nearest is not None:
        return f"{nearest:.{decimals}f}"
    # Halves go up, as readers expect: 100 * 0.575 is 57.49999999999999, and 34.5 is no 34.
    exact = Decimal(f"{value:.12g}")
    for places in range(decimals, _MOST + 1):
        text = f"{exact.quantize(_PLACES[places], ROUND_HALF_UP):f}"
        if float(text) not in marks:
            return text
    if abs(value) < 1e-6:
        return f"{value:.1e}"
    # Closer to a mark than can be written: on its own side of it.
    mark = min(marks, key=lambda mark: abs(value - mark))
    return f"{mark + (1e-6 if value > mark else -1e-6):.{_MOST}f}"
