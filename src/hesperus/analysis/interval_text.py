"""What an interval says and how it was made, in one place for pages, tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from hesperus.measures import Bootstrap

_NAMES = tuple(field.name for field in fields(Bootstrap))


OF_PAIRS, MOMENTS = "pairs", "moments"
"""Key of a signature, and its value where intervals of pairs are made from moments (see measures.pair_moments)."""


def interval_text(bootstrap: Bootstrap, *, unit: str = "items", by_moments: bool = False) -> str:
    """How intervals were made, and over what they generalize; empty without resamples.

    Args:
        bootstrap: How they were made.
        unit: What is resampled, in the plural.
        by_moments: They are worked out from moments, without drawing but where the items of a pair are few.

    Example:
        >>> interval_text(Bootstrap(0))
        ''
    """
    if not bootstrap.resamples:
        return ""
    generalizes = f"They say what other {unit} would give; models, languages and repeats are fixed."
    if by_moments:
        return (
            f"Intervals hold {100 * bootstrap.level:g} % of what resamples of {unit} would give, worked out from its moments: Bayesian "
            f"bootstrap with pseudo-items at the extremes. Only pairs of few {unit} are resampled ({bootstrap.resamples:,} times, seed "
            f"{bootstrap.seed}). {generalizes}"
        )
    count = f"{100 * bootstrap.level:g} % of {bootstrap.resamples:,} resamples of {unit}"
    how = (
        "Bayesian bootstrap with pseudo-items at the extremes"
        if bootstrap.interval == "bayesian"
        else f"percentile bootstrap, without width where all {unit} are alike"
    )
    return f"Intervals hold {count} (seed {bootstrap.seed}): {how}. {generalizes}"


def brackets_text(level: float, unit: str) -> str:
    """What a page says of its brackets once, where it has any."""
    return f"Brackets are {100 * level:g} % intervals over the {unit}s, each drawn with all its answers."


def signed_interval_text(
    signature: Mapping[str, object], *, unit: str = "items", by_moments: bool = False
) -> str:
    """The same from the signature of a table; empty where it names no resamples."""
    by_moments |= signature.get(OF_PAIRS) == MOMENTS
    drawn = signature.get("bootstrap")
    if isinstance(drawn, Mapping) and set(drawn) == set(_NAMES):
        return interval_text(Bootstrap(**drawn), unit=unit, by_moments=by_moments)
    for inner in signature.values():
        if isinstance(inner, Mapping) and (
            text := signed_interval_text(inner, unit=unit, by_moments=by_moments)
        ):
            return text
    return ""
