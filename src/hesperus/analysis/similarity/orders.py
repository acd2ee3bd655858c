"""In which order languages and models are in a heat map: by family, by likeness, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hesperus.analysis.families import family_key
from hesperus.errors import UnknownNameError
from hesperus.wording import sense_label

if TYPE_CHECKING:
    from hesperus.analysis.similarity.similarity_findings import Square

Order = Literal["family", "cluster", "alphabet"]
ORDERS: tuple[Order, ...] = get_args(Order)


def ordered_languages(codes: Sequence[str], square: Square, *, order: Order) -> list[str]:
    """Sense codes in order.

    Args:
        codes: What is to be put in order.
        square: The pairs, for ``cluster``.
        order: ``family``: by family, branch and script (hesperus.languages), then by name; ``cluster``: neighbours are
            alike (average linkage of one less the value, leaves in the best order); ``alphabet``: by name.

    Raises:
        UnknownNameError: No such order.
    """
    return _ordered(codes, square, order, family=family_key, name=lambda code: (sense_label(code), code))


def ordered_models(
    models: Sequence[str], square: Square, *, order: Order, families: Mapping[str, str] | None = None
) -> list[str]:
    """Models in order; their families are those of the study.

    Raises:
        UnknownNameError: No such order.
    """
    known = families or {}

    def family(model: str) -> tuple[bool, str, str]:
        return model not in known, known.get(model, ""), model

    return _ordered(models, square, order, family=family, name=str)


def _ordered(
    names: Sequence[str],
    square: Square,
    order: Order,
    *,
    family: Callable[[str], Any],
    name: Callable[[str], Any],
) -> list[str]:
    if order not in ORDERS:
        raise UnknownNameError("order", str(order), ORDERS)
    placed = sorted(names, key=family if order == "family" else name)
    return clustered(placed, square) if order == "cluster" else placed


def clustered(names: Sequence[str], square: Square) -> list[str]:
    """Names so that neighbours are alike; pairs without a value count as the least alike of all."""
    if len(names) < 3:
        return list(names)
    # Only this order needs it, and it is slow to load.
    from scipy.cluster.hierarchy import (  # type: ignore[import-untyped]
        leaves_list,
        linkage,
        optimal_leaf_ordering,
    )
    from scipy.spatial.distance import squareform  # type: ignore[import-untyped]

    place = {name: index for index, name in enumerate(names)}
    value = np.full((len(names), len(names)), np.nan)
    for (a, b), row in square.items():
        if row["value"] is not None and a in place and b in place:
            value[place[a], place[b]] = float(row["value"])
    if np.isnan(value).all():
        return list(names)
    distance = np.nanmax(value) - np.where(np.isnan(value), np.nanmin(value), value)
    np.fill_diagonal(distance, 0.0)
    condensed = squareform(distance, checks=False)
    tree = optimal_leaf_ordering(linkage(condensed, method="average"), condensed)
    found = [names[index] for index in leaves_list(tree)]
    # A tree can be turned over; the end whose name comes first stands first.
    return found if found[0] < found[-1] else found[::-1]
