"""Agreement of raters from any long table: a row per rating, a table of statistics out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl

from hesperus.analysis.rating_tables import QUESTION, RaterSettings, Ratings, grouped_ratings
from hesperus.analysis.table import ESTIMATE_COLUMNS, Row, Table, estimate_cells, table
from hesperus.analysis.views import estimated
from hesperus.errors import UsageError
from hesperus.measures import (
    WEIGHTS,
    Statistic,
    Weights,
    bias_statistic,
    category_statistic,
    cohen_statistic,
    confusion,
    fleiss_statistic,
    gwet_statistic,
    krippendorff_alpha,
    percent_statistic,
    summed_by,
)
from hesperus.wording import joined


def raters_table(frame: pl.DataFrame, settings: RaterSettings, *, file: object = None) -> Table:
    """Agreement of all raters, of every two, and how each differs from the rest; for each question by itself.

    Intervals draw items: where a column ``item`` gives several units to one, they travel together.

    Returns:
        Rows by `statistic`: ``percent``, ``krippendorff_alpha``, ``fleiss_kappa``, ``gwet_ac1`` of all raters;
        ``cohen_kappa`` (and, above the nominal level, ``cohen_kappa_linear``, ``cohen_kappa_quadratic``) of every two;
        ``bias`` of each against the mean of the others. `level` is that of the question. `signature` counts rows without
        a rating and repeated rows; `notes` there say what was taken for granted.

    Raises:
        UnknownNameError: A column does not exist.
        DataError: A rating is no number where the level needs one, or out of scale; a rater rated a unit twice; or
            fewer than two raters.
    """
    found = grouped_ratings(frame, settings, file=file)
    rows = [row for ratings in found.groups for row in _rows(ratings, settings)]
    columns = (*found.by, "level", "statistic", "rater_a", "rater_b", *ESTIMATE_COLUMNS)
    notes = [*found.notes, *_turned_round(rows, found.by)]
    return table(
        "raters", columns, rows=rows, signature={**settings.signed(), **found.counts, "notes": notes}
    )


def _turned_round(rows: Sequence[Row], by: Sequence[str]) -> Iterator[str]:
    """Who gives high ratings where the others give low ones, beyond what chance would do: whose scale may be turned round."""
    against: dict[tuple[object, ...], dict[str, list[bool]]] = {}
    for row in rows:
        if row["statistic"] == "cohen_kappa_quadratic":
            is_opposed = row["high"] is not None and float(row["high"]) < 0.0
            raters = against.setdefault(tuple(row[name] for name in by), {})
            for side in ("rater_a", "rater_b"):
                raters.setdefault(str(row[side]), []).append(is_opposed)
    for group, raters in against.items():
        named = [name for name, opposed in raters.items() if all(opposed)]
        if not named:
            continue
        place = ", ".join(f"{name}={value}" for name, value in zip(by, group, strict=True))
        where = f"{place}: " if place else ""
        who = f"{joined(named)} rates" if len(named) == 1 else f"{joined(named)} rate"
        whom = (
            "the others: high where the others rate low"
            if len(named) < len(raters)
            else "each other: high where the other rates low"
        )
        yield (
            f"{where}{who} against {whom}, κ (quadratic) is below 0 with all its interval; is a scale "
            "turned round?"
        )


def confusion_table(frame: pl.DataFrame, settings: RaterSettings, *, file: object = None) -> Table:
    """How often one rater said this where another said that, for every two raters and every two ratings that occur.

    Raises:
        UnknownNameError: See raters_table.
        DataError: See raters_table.
    """
    found = grouped_ratings(frame, settings, file=file)
    rows = [row for ratings in found.groups for row in _confused(ratings)]
    columns = (*found.by, "rater_a", "rater_b", "rating_a", "rating_b", "count")
    return table("raters confusion", columns, rows=rows, signature={**settings.signed(), **found.counts})


def categories_table(frame: pl.DataFrame, settings: RaterSettings, *, file: object = None) -> Table:
    """How often people chose each category of a question, such as why an answer changed, by model and sense.

    Args:
        frame: A row per rating.
        settings: Columns; without `by`, the columns ``model`` and ``b`` (the sense that was judged) tell groups apart
            where the table has them. One rater is enough; raters who differ about a unit share it.
        file: Named in messages.

    Returns:
        For every question with names as ratings a row per group and category: ``share`` of the rated units, with an
        interval over items. Categories are those that occur anywhere in the answers to the question.

    Raises:
        UsageError: Every question is a scale.
        UnknownNameError: See raters_table.
        DataError: See raters_table.
    """
    by = settings.by or tuple(
        name for name in _CELL if name in frame.columns and not frame[name].null_count()
    )
    found = grouped_ratings(frame, replace(settings, by=by), file=file, raters=1)
    named = [ratings for ratings in found.groups if ratings.level == "nominal"]
    if not named:
        raise UsageError(
            "every question is a scale; `measure raters` says how far raters agree, categories are names"
        )
    known: dict[object, list[str]] = {}
    for ratings in named:
        held = known.setdefault(ratings.group.get(QUESTION), [])
        held += [name for name in ratings.names if name not in held]
    rows = []
    for ratings in named:
        names = sorted(known[ratings.group.get(QUESTION)])
        places = [float(ratings.names.index(name)) if name in ratings.names else -1.0 for name in names]
        head = {**ratings.group, "statistic": "share", "raters": len(ratings.raters)}
        shares = (
            ({"category": name}, _over_items(category_statistic(ratings.table, place), ratings))
            for name, place in zip(names, places, strict=True)
        )
        rows += estimated(head, shares, settings.bootstrap)
    columns = (*found.by, "category", "statistic", "raters", *ESTIMATE_COLUMNS)
    return table("categories", columns, rows=rows, signature={**settings.signed(), **found.counts})


_CELL = ("model", "b")
"""Columns of a unit made from a run that name whose answer changed, and to which sense."""


def _rows(ratings: Ratings, settings: RaterSettings) -> Iterator[dict[str, object]]:
    base = {**ratings.group, "level": ratings.level, "rater_a": "", "rater_b": ""}
    alpha = krippendorff_alpha(
        ratings.table, ratings.level, bootstrap=settings.bootstrap, items=ratings.items
    )
    yield {**base, "statistic": "krippendorff_alpha", **estimate_cells(alpha)}
    named = ((cells, _over_items(found, ratings)) for cells, found in _statistics(ratings))
    yield from estimated(base, named, settings.bootstrap)


def _over_items(statistic: Statistic, ratings: Ratings) -> Statistic:
    return statistic if ratings.items is None else summed_by(statistic, ratings.items)


def _statistics(ratings: Ratings) -> Iterator[tuple[dict[str, object], Statistic]]:
    rated, raters, level = ratings.table, ratings.raters, ratings.level
    yield {"statistic": "percent"}, percent_statistic(rated)
    yield {"statistic": "fleiss_kappa"}, fleiss_statistic(rated)
    yield {"statistic": "gwet_ac1"}, gwet_statistic(rated)
    kinds: tuple[Weights, ...] = ("none",) if level == "nominal" else WEIGHTS
    for a, b in combinations(range(len(raters)), 2):
        for weights in kinds:
            name = "cohen_kappa" if weights == "none" else f"cohen_kappa_{weights}"
            cells: dict[str, object] = {"statistic": name, "rater_a": raters[a], "rater_b": raters[b]}
            yield cells, cohen_statistic(rated[a], rated[b], weights=weights)
    if level != "nominal":
        for place, rater in enumerate(raters):
            yield {"statistic": "bias", "rater_a": rater}, bias_statistic(rated, place)


def _confused(ratings: Ratings) -> Iterator[dict[str, object]]:
    for a, b in combinations(range(len(ratings.raters)), 2):
        values, counts = confusion(ratings.table[a], ratings.table[b])
        shown = [ratings.names[int(value)] if ratings.names else f"{value:g}" for value in values]
        for i, j in np.ndindex(counts.shape):
            yield {
                **ratings.group, "rater_a": ratings.raters[a], "rater_b": ratings.raters[b],
                "rating_a": shown[i], "rating_b": shown[j], "count": int(counts[i, j]),
            }  # fmt: skip
