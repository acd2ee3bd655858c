"""Agreement of property profiles, and how well a classifier finds a property.

A profile holds a level of each property of a text: absent or present, or one of several classes. Two texts agree where
their whole profiles are equal; next to it are each property's own agreement, Cohen's κ and the change of its share.

References:
    Gupta, Mehta, Xu and Srikumar, Found in Translation: Measuring Multilingual LLM Consistency as Simple as Translate
        then Evaluate, section 3.2 (equal profiles) and Table 6 (F1, which can only be the macro average there).
    Cohen (1960), A coefficient of agreement for nominal scales.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hesperus.measures.raters import alike_each
from hesperus.measures.resample import Bootstrap, Floats
from hesperus.measures.statistic import Corners, Statistic, divide, estimates, ratio, share_corners
from hesperus.types import Estimate

UNCLASSIFIED = -1
"""Stands where a text has no level: it could not be classified."""

CLASSIFIER = ("accuracy", "precision", "recall", "f1", "macro_f1")
"""What classifier_statistics gives, in the order in which it is shown."""

_CERTAIN = 1e-12
"""Below this, what chance leaves to agree upon is rounding."""

_Sum = Callable[[npt.NDArray[np.bool_]], Floats]


def profile_agreement(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    properties: Sequence[str],
    items: npt.ArrayLike | None = None,
    bootstrap: Bootstrap | None = None,
) -> dict[str, Estimate]:
    """How far the profiles of two sets of texts agree (see profile_statistics).

    Example:
        >>> found = profile_agreement([[1, 0], [0, 0]], [[1, 0], [0, 1]], properties=["warm", "asks"])
        >>> found["exact"].value, found["agreement.warm"].value, found["change.asks"].value
        (0.5, 1.0, 0.5)
    """
    statistics = profile_statistics(a, b, properties=properties, items=items)
    return dict(zip(statistics, estimates(statistics.values(), bootstrap), strict=True))


def profile_statistics(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    properties: Sequence[str],
    items: npt.ArrayLike | None = None,
    excluded: int = 0,
    reason: str = "",
) -> dict[str, Statistic]:
    """Agreement of profiles, before it is reduced.

    Args:
        a: Levels of the references, whole numbers from 0, [pairs, properties]; UNCLASSIFIED if unknown.
        b: Levels of the candidates.
        properties: Names of the columns, each once.
        items: Which item each pair belongs to, as any whole numbers, [pairs]: pairs of one item (several languages)
            are resampled together. None: every pair is an item of its own.
        excluded: Pairs that were left out before.
        reason: Why.

    Returns:
        ``exact``: share of pairs whose whole profiles are equal, [0, 1]; and for each property ``agreement.NAME``, the
        share of pairs with the same level, ``kappa.NAME``, the same beyond chance (Cohen's κ, at most 1), and
        ``change.NAME``, the share of candidates above level 0 less that of references, [-1, 1]. A pair counts for
        ``exact`` where every property of both texts is classified, for a property where that one is. Undefined where no
        pair is left, κ also where all levels are the same.

    Raises:
        ValueError: Shapes or names do not fit, or a level is no whole number from UNCLASSIFIED on.
    """
    first, second = _levels(a, properties), _levels(b, properties)
    if first.shape != second.shape:
        raise ValueError(f"both sides need the same pairs: {first.shape} and {second.shape}")
    summed = _by_item(items, len(first))
    known = (first != UNCLASSIFIED) & (second != UNCLASSIFIED)
    whole = known.all(axis=1)
    left = _left_out(excluded, reason)
    columns = (summed(whole & (first == second).all(axis=1)), summed(whole))
    exact = _statistic(columns, ratio, share_corners(columns[1]), whole, left)
    found = {"exact": replace(exact, limits=(0.0, 1.0))}
    for place, name in enumerate(properties):
        pair = (first[:, place], second[:, place])
        there, total = known[:, place], summed(known[:, place])
        same = summed(there & (pair[0] == pair[1]))
        above = tuple(summed(there & (side > 0)) for side in pair)
        agreement = _statistic((same, total), ratio, share_corners(total), there, left)
        found[f"agreement.{name}"] = replace(agreement, limits=(0.0, 1.0))
        found[f"kappa.{name}"] = _kappa(pair, summed, left, (total, same))
        each = share_corners(total)[0][0]
        moved: Corners = ((each, 0.0, each), (0.0, each, each), (0.0, 0.0, each))
        change = _statistic((*above, total), _change, moved, there, left)
        # The references being what they are, all candidates may be above level 0, or none.
        share = float(above[0].sum() / total.sum()) if total.any() else 0.0
        found[f"change.{name}"] = replace(change, limits=(-share, 1.0 - share))
    return found


def classifier_statistics(
    gold: npt.ArrayLike, predicted: npt.ArrayLike, *, items: npt.ArrayLike | None = None
) -> dict[str, Statistic]:
    """How well a classifier finds one property, before it is reduced.

    Args:
        gold: 1 where people found the property, else 0, [texts].
        predicted: What the classifier said, 0 or 1; UNCLASSIFIED leaves a text out.
        items: Which item each text belongs to, as any whole numbers, [texts]; texts of one are resampled together.

    Returns:
        A statistic for each name of CLASSIFIER, in [0, 1]: ``precision``, ``recall`` and ``f1`` are of the present
        class, ``macro_f1`` is the mean of the F1 of both classes. An F1 without any text in it, gold or predicted, is
        undefined, and so is the mean of it.

    Raises:
        ValueError: The two have different lengths or other values.
    """
    true, said = _levels(np.reshape(gold, (-1, 1)), [""]), _levels(np.reshape(predicted, (-1, 1)), [""])
    if true.shape != said.shape:
        raise ValueError(f"gold and predicted need the same texts: {len(true)} and {len(said)}")
    right, found = true[:, 0], said[:, 0]
    if not np.isin(right, (0, 1)).all() or not np.isin(found, (UNCLASSIFIED, 0, 1)).all():
        raise ValueError("a property is absent (0) or present (1)")
    summed = _by_item(items, len(right))
    counted = found != UNCLASSIFIED
    cells = tuple(summed((right == g) & (found == p)) for g in (1, 0) for p in (1, 0))
    undefined = (
        "no text with the property, in truth or as classified" if counted.any() else "no text classified"
    )
    reduce: Mapping[str, Callable[[Floats], Floats]] = {
        "accuracy": lambda s: divide(s[..., 0] + s[..., 3], s.sum(axis=-1)),
        "precision": lambda s: divide(s[..., 0], s[..., 0] + s[..., 2]),
        "recall": lambda s: divide(s[..., 0], s[..., 0] + s[..., 1]),
        "f1": lambda s: _f1(s, 0),
        "macro_f1": lambda s: (_f1(s, 0) + _f1(s, 3)) / 2.0,
    }
    each = share_corners(summed(counted))[0][0]
    # A text found, missed, found wrongly, rightly passed over.
    corners: Corners = tuple(tuple(each * (at == cell) for at in range(4)) for cell in range(4))
    # The mean over both classes takes them alike: right or wrong, either class alike often.
    half = each / 2.0
    both: Corners = ((half, 0.0, 0.0, half), (0.0, half, half, 0.0))
    return {
        name: _statistic(
            cells, reduce[name], both if name == "macro_f1" else corners, counted, (0, ""), undefined
        )
        for name in CLASSIFIER
    }


def _levels(given: npt.ArrayLike, properties: Sequence[str]) -> npt.NDArray[np.int64]:
    table = np.asarray(given)
    if table.ndim != 2 or table.shape[1] != len(properties):
        raise ValueError(f"profiles are [texts, {len(properties)} properties], not {table.shape}")
    if not properties or len(set(properties)) < len(properties):
        raise ValueError(f"properties need names, each once: {list(properties)}")
    if table.size and (table.dtype.kind not in "iub" or table.min() < UNCLASSIFIED):
        raise ValueError(f"levels are whole numbers from 0, or {UNCLASSIFIED} where there is none")
    return table.astype(np.int64)


def _by_item(items: npt.ArrayLike | None, rows: int) -> _Sum:
    named = np.arange(rows) if items is None else np.asarray(items)
    if named.shape != (rows,):
        raise ValueError(f"{rows} rows need as many items, not {named.shape}")
    own = np.unique(named, return_inverse=True)[1]

    def summed(values: npt.NDArray[np.bool_]) -> Floats:
        column: Floats = np.bincount(own, weights=values).astype(np.float64)
        return column

    return summed


def _left_out(excluded: int, reason: str) -> tuple[int, str]:
    return excluded, reason if excluded else ""


def _statistic(
    columns: tuple[Floats, ...],
    reduce: Callable[[Floats], Floats],
    corners: Corners,
    counted: npt.NDArray[np.bool_],
    left: tuple[int, str],
    undefined: str = "no pair of classified texts",
) -> Statistic:
    """A statistic that says how many rows were left out, here and before."""
    n = int(counted.sum())
    dropped = len(counted) - n
    reasons = [left[1]] if left[1] else []
    reasons += [f"{dropped} unclassified"] if dropped else []
    return Statistic(columns, reduce, corners, n, left[0] + dropped, "; ".join(reasons), undefined)


def _kappa(
    pair: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    summed: _Sum,
    left: tuple[int, str],
    shared: tuple[Floats, Floats],
) -> Statistic:
    """Cohen's κ of a property; `shared` are the sums of counted and of equal pairs."""
    there = (pair[0] != UNCLASSIFIED) & (pair[1] != UNCLASSIFIED)
    values = np.unique(np.concatenate([side[there] for side in pair]))
    counts = [summed(there & (side == value)) for side in pair for value in values]
    size = len(values)

    def reduce(sums: Floats) -> Floats:
        n = sums[..., 0]
        expected = divide((sums[..., 2 : 2 + size] * sums[..., 2 + size :]).sum(axis=-1), n * n)
        room = 1.0 - expected
        return divide(divide(sums[..., 1], n) - expected, np.where(room > _CERTAIN, room, 0.0))

    undefined = "all levels are the same" if size else "no pair of classified texts"
    each = share_corners(shared[0])[0][0]
    margins = (each / max(size, 1),) * len(counts)
    alike = ((each * one, [each * part for part in labels]) for one, labels in alike_each(size))
    corners: Corners = (*((n, n, *labels, *labels) for n, labels in alike), (each, 0.0, *margins))
    found = _statistic((*shared, *counts), reduce, corners, there, left, undefined)
    # With the levels of either side as frequent as they are, pairs agree everywhere or nowhere.
    nowhere = float(reduce(np.array([shared[0].sum(), 0.0, *(count.sum() for count in counts)])))
    return found if np.isnan(nowhere) else replace(found, limits=(nowhere, 1.0))


def _change(sums: Floats) -> Floats:
    return divide(sums[..., 1] - sums[..., 0], sums[..., 2])


def _f1(cells: Floats, own: int) -> Floats:
    """F1 of the class with its found texts in column `own`: 2 · found / (2 · found + missed + wrong)."""
    return divide(2.0 * cells[..., own], 2.0 * cells[..., own] + cells[..., 1] + cells[..., 2])
