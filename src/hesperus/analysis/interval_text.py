"""What an interval says and how it was made, in one place for pages, tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from hesperus.measures import Bootstrap

_NAMES = tuple(field.name for field in fields(Bootstrap))


def interval_text(bootstrap: Bootstrap, *, unit: str = "items") -> str:
    """How intervals were made, and over what they generalize; empty without resamples.

    Args:
        bootstrap: How they were made.
        unit: What is resampled, in the plural.

    Example:
        >>> interval_text(Bootstrap(0))
        ''
    """
    if not bootstrap.resamples:
        return ""
    count = f"{100 * bootstrap.level:g} % of {bootstrap.resamples:,} resamples of {unit}"
    how = (
        "Bayesian bootstrap with pseudo-items at the extremes"
        if bootstrap.interval == "bayesian"
        else f"percentile bootstrap, without width where all {unit} are alike"
    )
    return (
        f"Intervals hold {count} (seed {bootstrap.seed}): {how}. They say what other {unit} would give; models, languages and "
        "repeats are fixed."
    )


def signed_interval_text(signature: Mapping[str, object], *, unit: str = "items") -> str:
    """The same from the signature of a table; empty where it names no resamples."""
    drawn = signature.get("bootstrap")
    if isinstance(drawn, Mapping) and set(drawn) == set(_NAMES):
        return interval_text(Bootstrap(**drawn), unit=unit)
    for inner in signature.values():
        if isinstance(inner, Mapping) and (text := signed_interval_text(inner, unit=unit)):
            return text
    return ""
