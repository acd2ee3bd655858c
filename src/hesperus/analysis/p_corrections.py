"""Families of tests: rows that are read together are corrected together, and the table says how many they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping, Sequence
from typing import Any

from hesperus.fingerprint import JSON
from hesperus.measures import NO_RESAMPLES, Bootstrap, benjamini_hochberg, holm

Rows = Sequence[MutableMapping[str, Any]]

MCNEMAR = "from the same weights of items as the interval, worked out and not drawn: twice the smaller tail of Beta(a + 1/2, b + 1/2) on either side of 1/2, of a and b items that favour the one side and the other"
EXACT_MCNEMAR = "exact McNemar test of the items on which the sides differ"
CLUSTERED = "of several models both sides of whole items are exchanged, all models of an item together"
SETS = "items change sets at random, the difference over its standard error (mid-p)"
RESAMPLED = "from the same resamples of items as the interval"
PERMUTED = "permutation of items"
EXCHANGED = "exchange of both sides prompt by prompt"

ONE_METHOD = "interval and p come from the same resamples; p_holm decides over the family"
P_DECIDES = "where interval and p differ, p decides whether there is a difference (p_holm over the family); the interval shows its size"


def tested(
    rows: Rows,
    test: str,
    bootstrap: Bootstrap,
    *,
    of: str,
    family: Callable[[MutableMapping[str, Any]], object] = lambda _: None,
    bh_into: str | None = None,
) -> dict[str, JSON]:
    """Correct the p values of rows family by family, in place, and say in each where no resamples were wanted.

    Args:
        rows: Every row that may have a `p`.
        test: Which test it comes from.
        bootstrap: How it was drawn.
        of: Which rows are corrected together, in words.
        family: The family of a row; all are one where it says the same of all.
        bh_into: As in correct.

    Returns:
        What the signature says of the tests: p decides where it and the interval do not say the same.
    """
    families: dict[object, list[MutableMapping[str, Any]]] = {}
    for row in rows:
        families.setdefault(family(row), []).append(row)
    sizes = [correct(part, bh_into=bh_into) for part in families.values()]
    if not bootstrap.resamples:
        without_resamples(rows)
    return tests_signature(test, sizes, of=of, decides=P_DECIDES)


def correct(rows: Rows, *, bh_into: str | None = None) -> int:
    """Adjust the p values of rows that are read together, in place: `p_holm` is added to each.

    Args:
        rows: The family; a row without `p` was not tested and does not count.
        bh_into: Column of Benjamini and Hochberg's adjusted value, where it is wanted too.

    Returns:
        Size of the family.
    """
    values = [value if isinstance(value := row["p"], float) else None for row in rows]
    for row, adjusted in zip(rows, holm(values), strict=True):
        row["p_holm"] = adjusted
    if bh_into is not None:
        for row, adjusted in zip(rows, benjamini_hochberg(values), strict=True):
            row[bh_into] = adjusted
    return sum(value is not None for value in values)


def tests_signature(test: str, families: Iterable[int], *, of: str, decides: str) -> dict[str, JSON]:
    """What a signature says of the tests of a table.

    Args:
        test: Which test `p` comes from.
        families: Sizes of the families.
        of: Which rows are corrected together.
        decides: What holds where interval and p do not say the same.
    """
    sizes = sorted({size for size in families if size})
    said = " to ".join(str(size) for size in dict.fromkeys([*sizes[:1], *sizes[-1:]]))
    return {
        "p": test,
        "p_holm": f"Holm over {said} tests: {of}" if sizes else f"no test: {of}",
        "decides": decides,
    }


def without_resamples(rows: Rows) -> None:
    """Say in the reason of every row that no resamples were wanted, hence there is neither interval nor p."""
    for row in rows:
        row["reason"] = "; ".join(text for text in (str(row["reason"] or ""), NO_RESAMPLES) if text)
