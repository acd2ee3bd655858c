"""Many tests at once: p values adjusted for the size of their family.

A None means a test that could not be made; it stays None and does not count in the family.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment: controls the chance of any false finding in the family.

    Args:
        p_values: In [0, 1].

    Returns:
        Adjusted values in the same order.

    Raises:
        ValueError: A p value lies outside [0, 1].

    Reference: Holm (1979).

    Example:
        >>> holm([0.01, None, 0.04])
        [0.02, None, 0.04]
    """
    given, places = _given(p_values)
    count = len(given)
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * (count - np.arange(count)))
    return _placed(p_values, places[order], np.minimum(stepped, 1.0))


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg's step-up adjustment: controls the expected share of false findings.

    Args:
        p_values: In [0, 1].

    Returns:
        Adjusted values in the same order.

    Raises:
        ValueError: A p value lies outside [0, 1].

    Reference: Benjamini and Hochberg (1995).

    Example:
        >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005])
        [0.02, 0.04, 0.04, 0.02]
    """
    given, places = _given(p_values)
    count = len(given)
    order = np.argsort(given, kind="stable")[::-1]
    stepped = np.minimum.accumulate(given[order] * count / (count - np.arange(count)))
    return _placed(p_values, places[order], np.minimum(stepped, 1.0))


def _given(p_values: Sequence[float | None]) -> tuple[np.ndarray, np.ndarray]:
    for place, value in enumerate(p_values):
        if value is not None and not 0.0 <= value <= 1.0:
            raise ValueError(f"p value {place} is {value}, outside [0, 1]")
    places = np.array([place for place, value in enumerate(p_values) if value is not None], dtype=np.int64)
    return np.array([value for value in p_values if value is not None], dtype=np.float64), places


def _placed(p_values: Sequence[float | None], places: np.ndarray, adjusted: np.ndarray) -> list[float | None]:
    result: list[float | None] = [None] * len(p_values)
    for place, value in zip(places, adjusted, strict=True):
        result[int(place)] = float(value)
    return result
