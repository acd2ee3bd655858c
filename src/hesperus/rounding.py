"""Where a number becomes text: rounded for people, never into another statement.

199 of 200 is no "100 %", 0.9996 no "1.000" and a p value of 0.00004 no "0.000". A rounded text may say 0, 1 or -1 (in per
cent 0, 100 or -100) only of the value itself; otherwise it gets the decimals that it takes. Programs get values in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Literal, get_args

Unit = Literal["number", "short", "score", "share", "percentage", "label", "points", "size"]
"""How a value is written: ``0.872``; in a small cell ``0.87``; a score from 0 to 100 ``87.2``; a share in a sentence ``87.2 %``,
in a table ``87.2``, in a figure ``87%``; a difference of shares in percentage points ``+2.3``; the size of one ``2.3``."""

UNITS: tuple[Unit, ...] = get_args(Unit)

_MOST = 6
_PLACES = tuple(Decimal(1).scaleb(-places) for places in range(_MOST + 1))
_NOISE = 1e-12
"""Sums of floats miss whole values by this much."""


@dataclass(frozen=True, slots=True)
class _Style:
    """How the values of a unit are written: times what, with how many decimals, what stands behind, and what is no rounding."""

    factor: int
    decimals: int
    marks: tuple[float, ...]
    sign: str = ""
    is_signed: bool = False


_NUMBER, _SHARE = (0.0, 1.0, -1.0, 100.0), (0.0, 100.0, -100.0)
_STYLES: Mapping[Unit, _Style] = {
    "number": _Style(1, 3, _NUMBER, is_signed=True),
    "short": _Style(1, 2, _NUMBER, is_signed=True),
    "score": _Style(1, 1, (0.0, 100.0)),
    "share": _Style(100, 1, _SHARE, "\u00a0%"),
    "percentage": _Style(100, 1, _SHARE),
    "label": _Style(100, 0, (0.0, 100.0), "%"),
    "points": _Style(100, 1, _SHARE, is_signed=True),
    "size": _Style(100, 1, _SHARE),
}


def cell(value: float, unit: Unit = "number") -> str:
    r"""A value as people read it; all values of a unit have as many decimals, but those that would say something else.

    >>> cell(0.87234), cell(199 / 200, "share"), cell(1.0, "share"), cell(0.0005, "points"), cell(-4e-5)
    ('0.872', '99.5\xa0%', '100.0\xa0%', '+0.1', '−0.00004')

    Args:
        value: Finite; a share lies in [0, 1].
        unit: How it is written.
    """
    style = _STYLES[unit]
    return _signed(_fixed(style.factor * value, _decimals(value, unit), style.marks), unit) + style.sign


def ends(low: float, high: float, unit: Unit = "number") -> str:
    """The ends of an interval: ``[84.1, 90.1]``, with the decimals of its value.

    Where rounding would put an end on a limit, it goes outward, which only widens the interval. An end next to 0 has the
    decimals that it takes where a reader asks on which side of 0 the interval lies.

    >>> ends(-0.0467, 0.0001, "points"), ends(0.5, 0.99996, "percentage"), ends(0.0001, 0.3)
    ('[−4.7, +0.1]', '[50.0, 100.0]', '[0.0001, 0.300]')
    """
    written = []
    style, decimals = _STYLES[unit], _decimals(max(abs(low), abs(high)), unit)
    for end, outward, excludes in ((low, ROUND_FLOOR, low > 0), (high, ROUND_CEILING, high < 0)):
        text = _fixed(style.factor * end, decimals, style.marks)
        if len(text.partition(".")[2]) > decimals and not (style.is_signed and excludes and abs(end) < 0.5):
            exact = Decimal(f"{style.factor * end:.12g}").quantize(_PLACES[decimals], outward)
            text = f"{exact + 0:f}"
        written.append(_signed(text, unit))
    return f"[{written[0]}, {written[1]}]"


def interval(value: float, low: float | None, high: float | None, unit: Unit = "number") -> str:
    """A value with its interval: ``0.872 [0.841, 0.901]``, ``87.2 % [84.1, 90.1]``; without one, the value alone."""
    return (
        cell(value, unit) if low is None or high is None else f"{cell(value, unit)} {ends(low, high, unit)}"
    )


def seven_digits(value: float) -> str:
    """A value with seven digits, where fewer would hide on which side of a limit it lies: ``0.6666667``, ``0.5``."""
    return f"{value:.7g}"


def _decimals(value: float, unit: Unit) -> int:
    return 2 if unit == "number" and abs(value) >= 10 else _STYLES[unit].decimals


def _signed(text: str, unit: Unit) -> str:
    """A number with the sign that print has: ``−0.03``, and of a difference ``+2.3``."""
    is_more = unit == "points" and not text.startswith("-") and text.strip("0.")
    return f"+{text}" if is_more else text.replace("-", "\N{MINUS SIGN}")


@lru_cache(maxsize=1 << 16)
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
