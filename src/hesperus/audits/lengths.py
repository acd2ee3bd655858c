"""Lengths: a text that is much longer or shorter than its counterparts lead to expect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from hesperus.audits.finding import Finding, Items
from hesperus.audits.sides import by_id, parts
from hesperus.audits.thresholds import AuditSettings

# Added to every length, so that one letter more in a short option is no long ratio.
_DAMPING = 15.0
_NORMAL = 1.4826
_LEAST_SPREAD = 0.05

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def odd_lengths(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Parts of items (each field, and the options together) of a length that fits no other language's.

    For each pair of languages the log ratio of lengths has a median over the items and a spread (1.4826 times the
    median absolute deviation). A ratio is odd where it is both ``length_deviations`` spreads and a factor of
    ``length_factor`` away. A text is reported where it is odd in more than half of its pairs; of two languages,
    nobody can tell which it is, so both are named.
    """
    sides = by_id(items)
    tags = list(items)
    if len(sides) < settings.length_items or len(tags) < 2:
        return
    keys = list(sides)
    for name, lengths in _lengths(items, keys).items():
        logs = np.log(lengths)
        odd, pairs = _odd(logs, settings)
        centres = np.array([np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else np.nan for c in logs.T])
        for row in np.flatnonzero((odd * 2 > pairs).any(axis=1)):
            columns = np.flatnonzero(odd[row] * 2 > pairs[row])
            named = tuple(tags[column] for column in columns)
            expected = ", ".join(
                f"{lengths[row, c] - _DAMPING:.0f} characters in {tags[c]}, about {_expected(logs, centres, int(row), int(c)):.0f} "
                "expected"
                for c in columns[:4]
            )
            yield Finding("length", "review", keys[row], named, f"{name}: {expected}")


def _lengths(items: Items, keys: list[str]) -> Mapping[str, Floats]:
    """Part to lengths, items × languages; NaN where a language does not have the part."""
    rows = {key: row for row, key in enumerate(keys)}
    found: dict[str, Floats] = {}
    for column, many in enumerate(items.values()):
        for item in many:
            for name, text in parts(item):
                if name not in found:
                    found[name] = np.full((len(keys), len(items)), np.nan)
                found[name][rows[item.id], column] = len(text) + _DAMPING
    return found


def _odd(logs: Floats, settings: AuditSettings) -> tuple[Counts, Counts]:
    """In how many pairs of languages each length is odd, and in how many it was compared.

    Args:
        logs: Log lengths, items × languages, NaN if absent.
        settings: The thresholds.
    """
    count = logs.shape[1]
    odd = np.zeros(logs.shape, np.int64)
    there = ~np.isnan(logs)
    pairs = np.zeros(logs.shape, np.int64)
    for one in range(count):
        for other in range(one + 1, count):
            both = there[:, one] & there[:, other]
            if both.sum() < settings.length_items:
                continue
            ratio = logs[both, one] - logs[both, other]
            away = np.abs(ratio - np.median(ratio))
            spread = max(_LEAST_SPREAD, _NORMAL * float(np.median(away)))
            wrong = (away > settings.length_deviations * spread) & (away > np.log(settings.length_factor))
            for column in (one, other):
                pairs[both, column] += 1
                odd[both, column] += wrong
    return odd, pairs


def _expected(logs: Floats, centres: Floats, row: int, column: int) -> float:
    """Characters that a text should have: the median over the other languages, in the language's own measure.

    Args:
        logs: Log lengths, items × languages, NaN if absent.
        centres: Median log length of each language.
        row: The item.
        column: The language.
    """
    own = np.delete(logs[row] - centres, column)
    return float(np.exp(np.median(own[~np.isnan(own)]) + centres[column])) - _DAMPING
