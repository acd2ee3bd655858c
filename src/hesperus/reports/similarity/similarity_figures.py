"""All figures of a similarity report, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import altair as alt

from hesperus.analysis.families import language_names
from hesperus.analysis.similarity.curves import BAND_POINTS
from hesperus.analysis.similarity.measured import BETWEEN, WITHIN
from hesperus.analysis.similarity.orders import Order
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings
from hesperus.errors import UnknownNameError, UsageError
from hesperus.reports.columns import statistic_name
from hesperus.reports.drawing import Drawing, drawn
from hesperus.reports.points import PointsLayout, point, points_figure, series_of
from hesperus.reports.similarity.densities import densities_figure
from hesperus.reports.similarity.heat_maps import (
    MOST_TOLD,
    languages_figure,
    models_figure,
    runs_figure,
    told,
)
from hesperus.reports.similarity.relation_figures import relations_figure
from hesperus.reports.theme import COLOURS
from hesperus.wording import joined

SIMILARITY_FIGURES = ("runs", "languages", "models", "groups", "densities", "correlations")
"""Kinds of figures, in the order of the report."""

_MOST_MAPS = 6
"""Models whose map of languages is drawn, and whose densities are."""
_MOST_PANELS = 12
"""Languages whose map of models is drawn."""
_MOST_NAMES = 250
"""Languages or models of a map: the cells of more are finer than a screen's dots."""
_MOST_CELLS = 1_600
"""Cells of all maps of a kind together: each says its own numbers, which makes a page heavy."""


@drawn
def similarity_drawings(found: SimilarityFindings) -> Iterator[Drawing]:
    """Every figure for which there is something to draw."""
    if max(len(found.models), len(found.languages)) <= _MOST_NAMES:
        yield runs_drawing(found)
    # Two languages are a line of the table, and no map.
    if 3 <= len(found.languages) <= _MOST_NAMES:
        models = found.models[: max(1, min(_MOST_MAPS, _MOST_CELLS // len(found.languages) ** 2))]
        maps, left = languages_drawing(found, models), len(found.models) - len(models)
        rest = f" {left} more models: `hesperus figure languages --model`." if left else ""
        yield replace(maps, caption=maps.caption + rest)
    if 3 <= len(found.models) <= _MOST_NAMES:
        first = [code for code in found.languages if code == found.settings.pivot]
        placed = [*first, *(code for code in found.languages if code not in first)]
        yield models_drawing(
            found, placed[: max(1, min(_MOST_PANELS, _MOST_CELLS // len(found.models) ** 2))]
        )
    for number, by in enumerate(found.by, start=1):
        yield replace(groups_drawing(found, by), name=f"groups-{number}")
    yield densities_drawing(found)
    if 1 < len(found.models) <= _MOST_MAPS and len(found.languages) > 2:
        yield replace(densities_drawing(found, found.models), name="densities-models")
    yield relations_drawing(found)


def runs_drawing(found: SimilarityFindings) -> Drawing:
    """Maps of models by languages."""
    own = "its answers in its other languages" if len(found.languages) > 1 else ""
    others = "those of other models in the same language" if len(found.models) > 1 else ""
    caption = (
        f"Mean {statistic_name(found.statistic)} of each model's answers in a language with "
        f"{', and with '.join(filter(None, (own, others)))}; one scale. The tables of models and languages have the intervals."
    )
    return Drawing("runs", "runs", runs_figure(found), caption, "every pair", wide=True)


def languages_drawing(
    found: SimilarityFindings, models: Sequence[str] = (), order: Order = "family"
) -> Drawing:
    """A map of languages for each model; of all models where none is named."""
    shown = models or found.models
    whose = f"{shown[0]}: " if len(shown) == 1 else ""
    caption = (
        f"{whose}{statistic_name(found.statistic)} of the answers in two languages, for every pair of languages, "
        f"{_ORDERED[order]}. {_cells(len(found.languages))}"
    )
    chart = languages_figure(found, models=models, order=order)
    return Drawing("languages", "languages", chart, caption, "every pair", wide=True)


def models_drawing(
    found: SimilarityFindings, languages: Sequence[str] = (), order: Order = "alphabet"
) -> Drawing:
    """A map of models for each language; in all languages where none is named."""
    shown = languages or found.languages
    where = (
        f"in {language_names(found.languages)[shown[0]]}"
        if len(shown) == 1
        else "in one language, a map a language"
    )
    left = len(found.languages) - len(shown)
    rest = f" {left} more languages: `hesperus figure models --language`." if left and len(shown) > 1 else ""
    caption = f"{statistic_name(found.statistic)} of two models {where}.{rest} {_cells(len(found.models))}"
    chart = models_figure(found, languages=shown, order=order)
    return Drawing("models", "models", chart, caption, "every pair", wide=True)


def groups_drawing(found: SimilarityFindings, column: str, models: Sequence[str] = ()) -> Drawing:
    """Means by groups of items."""
    caption = (
        f"Mean {statistic_name(found.statistic)} by {column}: of each model in two languages, and of two models in one "
        "language; lines are intervals."
    )
    chart = by_group_figure(found, column, models=models)
    return Drawing("groups", "groups", chart, caption, f"means by {column}")


def densities_drawing(found: SimilarityFindings, models: Sequence[str] = ()) -> Drawing:
    """Densities of all pairs, or of the pairs of each of some models."""
    kinds = ["its pairs of languages", "its pairs with other models"] if models else [
        *(["all pairs of languages of one model"] if len(found.languages) > 1 else []),
        *(["all pairs of models in one language"] if len(found.models) > 1 else []),
    ]  # fmt: skip
    caption = (
        f"Density of {statistic_name(found.statistic)} over pairs; {'each model: ' if models else ''}{joined(kinds)}. Ticks below are "
        "pairs, the upright line is the mean."
    )
    return Drawing("densities", "densities", densities_figure(found, models=models), caption, "every pair")


def relations_drawing(
    found: SimilarityFindings, designs: Sequence[str] = (WITHIN, BETWEEN), beside: Sequence[str] = ()
) -> Drawing:
    """What goes with similarity."""
    caption = (
        f"Mean {statistic_name(found.statistic)} beside what else is known of models and languages. Upright lines are "
        f"intervals over items, as is that of r; the band (from {BAND_POINTS} points on) holds "
        f"{100 * found.settings.bootstrap.level:g} % of the lines through resampled points."
    )
    chart = relations_figure(found, designs=designs, beside=beside)
    return Drawing("correlations", "correlations", chart, caption, "correlations")


def by_group_figure(found: SimilarityFindings, column: str, *, models: Sequence[str] = ()) -> Any | None:
    """Mean similarity of the items of each group, within models and between them; None if nothing has a value.

    Without models, all of them where they are few, else their common mean.

    Raises:
        UnknownNameError: The findings have no such column.
        UsageError: There are more models than colours.
    """
    if column not in found.by:
        raise UnknownNameError("column that similarity was measured by", column, found.by)
    most = len(COLOURS) - 1
    names = list(models) or (list(found.models) if len(found.models) <= most else ["all"])
    if len(names) > most:
        raise UsageError(f"at most {most} models can be told apart in one figure, not {len(names)}")
    series = [(WITHIN, name, name if name != "all" else "within a model") for name in names]
    series.append((BETWEEN, "all", "between models"))
    rows = [
        point(
            row,
            column,
            str(row["part"]),
            of=shown,
            told=f"{row['part']}, {shown}: {told(row)}, {row['pairs']:,} pairs",
        )
        for design, group, shown in series
        for row in found.means(design, by=column)
        if row["group"] == group
    ]
    known = [row for row in rows if row["value"] is not None]
    there = [shown for _, _, shown in series if any(row["of"] == shown for row in known)]
    first = {row["line"]: row["value"] for row in known if row["of"] == there[0]}
    # By the first series, the most alike on top; groups that it lacks come last.
    order = sorted(
        {row["line"] for row in known}, key=lambda part: (part not in first, -first.get(part, 0.0), part)
    )
    scale, axis = alt.Scale(zero=False, nice=True), alt.Axis(format=".2~f", tickCount=6)
    x = alt.X("value:Q", title=statistic_name(found.statistic), scale=scale, axis=axis)
    missing = sorted({row["line"] for row in rows} - set(order))
    return points_figure(
        known, series_of(there), x, order=order, layout=PointsLayout(is_apart=True, missing=missing)
    )


_ORDERED = {"family": "by family", "cluster": "alike ones beside each other", "alphabet": "by name"}


def _cells(names: int) -> str:
    pointed = (
        "Point at a cell for its interval."
        if names <= MOST_TOLD
        else "The table of every pair has the intervals."
    )
    return f"–: the same run twice; ×: undefined. {pointed}"
