"""All figures of a similarity report."""

from __future__ import annotations

from collections.abc import Sequence

from hesperus.analysis.similarity.curves import BAND_POINTS
from hesperus.analysis.similarity.orders import Order, language_names
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings
from hesperus.reports.columns import statistic_name
from hesperus.reports.drawing import Drawing
from hesperus.reports.similarity.by_group import by_group_figure
from hesperus.reports.similarity.densities import densities_figure
from hesperus.reports.similarity.heat_maps import MOST_TOLD, languages_figure, models_figure
from hesperus.reports.similarity.relation_figures import relations_figure
from hesperus.wording import joined

SIMILARITY_FIGURES = ("languages", "models", "groups", "densities", "correlations")
"""Kinds of figures, in the order of the report."""

_MOST_MAPS = 6
"""Models whose map of languages is drawn, and whose densities are."""
_MOST_PANELS = 12
"""Languages whose map of models is drawn."""
_MOST_NAMES = 250
"""Languages or models of a map: the cells of more are finer than a screen's dots."""
_MOST_CELLS = 3_000
"""Cells of all maps of a kind together: each says its own numbers, which makes a page heavy."""


def similarity_drawings(found: SimilarityFindings) -> list[Drawing]:
    """Every figure for which there is something to draw."""
    made = [
        *_language_maps(found),
        *_model_maps(found),
        *(
            Drawing(
                "groups",
                f"groups-{number}",
                by_group_figure(found, column),
                groups_caption(found, column),
                f"means by {column}",
            )
            for number, column in enumerate(found.by, start=1)
        ),
        *_densities(found),
        Drawing(
            "correlations", "correlations", relations_figure(found), relations_caption(found), "correlations"
        ),
    ]
    return [drawing for drawing in made if drawing.chart is not None]


def languages_caption(found: SimilarityFindings, models: Sequence[str], order: Order = "family") -> str:
    """What a map of languages shows."""
    whose = f"{models[0]}: " if len(models) == 1 else ""
    return (
        f"{whose}{statistic_name(found.statistic)} of the answers in two languages, for every pair of languages, "
        f"{_ORDERED[order]}. {_cells(len(found.languages))}"
    )


def models_caption(found: SimilarityFindings, shown: Sequence[str]) -> str:
    """What maps of models show."""
    names = language_names(found.languages)
    where = f"in {names[shown[0]]}" if len(shown) == 1 else "in one language, a map a language"
    left = len(found.languages) - len(shown)
    rest = f" {left} more languages: `hesperus figure models --language`." if left and len(shown) > 1 else ""
    return f"{statistic_name(found.statistic)} of two models {where}.{rest} {_cells(len(found.models))}"


def groups_caption(found: SimilarityFindings, column: str) -> str:
    """What a figure by groups of items shows."""
    return (
        f"Mean {statistic_name(found.statistic)} by {column}: of each model in two languages, and of two models in one "
        "language; lines are intervals."
    )


def densities_caption(found: SimilarityFindings, *, of_models: bool = False) -> str:
    """What densities show."""
    within = len(found.languages) > 1
    between = len(found.models) > 1
    kinds = ["its pairs of languages", "its pairs with other models"] if of_models else (
        ["all pairs of languages of one model"] * within + ["all pairs of models in one language"] * between
    )  # fmt: skip
    whose = f"each model: {joined(kinds)}" if of_models else joined(kinds)
    return (
        f"Density of {statistic_name(found.statistic)} over pairs; {whose}. Ticks below are pairs, the upright line is the "
        "mean."
    )


def relations_caption(found: SimilarityFindings) -> str:
    """What regressions show."""
    return (
        f"Mean {statistic_name(found.statistic)} beside what else is known of models and languages. Upright lines are "
        f"intervals over items, as is that of r; the band (from {BAND_POINTS} points on) holds "
        f"{100 * found.settings.bootstrap.level:g} % of the lines through resampled points."
    )


_ORDERED = {"family": "by family", "cluster": "alike ones beside each other", "alphabet": "by name"}


def _cells(names: int) -> str:
    pointed = (
        "Point at a cell for its interval."
        if names <= MOST_TOLD
        else "The table of every pair has the intervals."
    )
    return f"–: the same run twice; ×: undefined. {pointed}"


def _language_maps(found: SimilarityFindings) -> list[Drawing]:
    """A map a model, since each is large; none for two languages, which the table has in a line."""
    if not 3 <= len(found.languages) <= _MOST_NAMES:
        return []
    shown = found.models[: max(1, min(_MOST_MAPS, _MOST_CELLS // len(found.languages) ** 2))]
    left = len(found.models) - len(shown)
    rest = f" {left} more models: `hesperus figure languages --model`." if left else ""
    return [
        Drawing(
            "languages",
            f"languages-{number}",
            languages_figure(found, models=[model]),
            languages_caption(found, [model]) + (rest if number == len(shown) else ""),
            "every pair",
            wide=True,
        )
        for number, model in enumerate(shown, start=1)
    ]


def _model_maps(found: SimilarityFindings) -> list[Drawing]:
    if not 3 <= len(found.models) <= _MOST_NAMES:
        return []
    pivot = found.settings.pivot
    first = [pivot] if pivot in found.languages else []
    placed = [*first, *(language for language in found.languages if language not in first)]
    shown = placed[: max(1, min(_MOST_PANELS, _MOST_CELLS // len(found.models) ** 2))]
    chart = models_figure(found, languages=shown)
    return [Drawing("models", "models", chart, models_caption(found, shown), "every pair", wide=True)]


def _densities(found: SimilarityFindings) -> list[Drawing]:
    made = [
        Drawing("densities", "densities", densities_figure(found), densities_caption(found), "every pair")
    ]
    if 1 < len(found.models) <= _MOST_MAPS and len(found.languages) > 2:
        chart = densities_figure(found, models=found.models)
        caption = densities_caption(found, of_models=True)
        made.append(Drawing("densities", "densities-models", chart, caption, "every pair"))
    return made
