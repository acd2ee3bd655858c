"""All figures of a multisense report."""

from __future__ import annotations

from pathlib import Path

from hesperus.analysis.multisense_findings import MultisenseFindings
from hesperus.reports.answer_figures import directions_figure, labels_figure, outcomes_figure
from hesperus.reports.drawing import Drawing, write_drawings
from hesperus.reports.first_figures import map_figure, models_figure, why_figure
from hesperus.reports.multisense_figures import accuracy_figure, consistency_figure, pairs_figure
from hesperus.reports.theme import FigureFormat
from hesperus.reports.translation_figures import SCORE_NAMES, translation_bins_figure, translation_figure

FIGURES = (
    "overview",
    "map",
    "causes",
    "consistency",
    "pairs",
    "accuracy",
    "labels",
    "directions",
    "outcomes",
    "translation",
)
"""Kinds of figures, in the order of the report."""

_MOST_MAPS = 6
"""Models whose map of all senses is drawn."""


def drawings(found: MultisenseFindings) -> list[Drawing]:
    """Every figure for which there is something to draw."""
    models = list(dict.fromkeys(str(row["model"]) for row in found.accuracy.rows))
    made = [
        Drawing(
            "overview",
            "overview",
            models_figure(found),
            "Answers that stay the same in another sense, model beside model; lines are intervals, the dashed line is the same "
            "prompt asked again, which no translation can be expected to pass.",
            "answers that stay the same",
            wide=len(models) > 1,
        ),
        Drawing(
            "map",
            "map",
            map_figure(found),
            "Answers that stay the same, of every model in every sense, on one scale.",
            "answers that stay the same",
            wide=True,
        ),
        Drawing(
            "causes",
            "causes",
            why_figure(found),
            "Why answers change: what the instruction alone, the input alone, both together, and asking again change. A part "
            "can be negative where errors cancel; lines are intervals.",
            "where inconsistency comes from",
        ),
        Drawing(
            "consistency",
            "consistency",
            consistency_figure(found.consistency),
            "How often the answer stays the same when the question is put in another sense; lines are intervals.",
            "answers that stay the same",
        ),
        *(
            Drawing(
                "pairs",
                f"pairs-{number}",
                pairs_figure(found.pairs, model=model),
                f"{model}: share of items with the same answer in two senses, for every pair of senses.",
                "agreement of pairs of whole senses",
                wide=True,
            )
            for number, model in enumerate(models[:_MOST_MAPS], start=1)
        ),
        Drawing(
            "accuracy",
            "accuracy",
            accuracy_figure(found.accuracy),
            "How often the answer is right, where instruction and input are in the same sense; lines are intervals.",
            "right and valid answers",
        ),
        Drawing(
            "labels",
            "labels",
            labels_figure(found.labels),
            "Which answers are given, beside the right ones.",
            "shares of the labels",
        ),
        Drawing(
            "directions",
            "directions",
            directions_figure(found.directions),
            "What becomes of an answer that changes, instruction and input being in the other sense: a line adds up to "
            "100\u00a0%, but for rare changes that are left out.",
            "where changed answers go",
        ),
        Drawing(
            "outcomes",
            "outcomes",
            outcomes_figure(found.outcomes),
            "Replies that carry no answer.",
            "what became of the replies",
        ),
        *_translation(found),
    ]
    return [drawing for drawing in made if drawing.chart is not None]


def _translation(found: MultisenseFindings) -> list[Drawing]:
    """Translation quality against consistency: item by item in bins, and language by language."""
    if found.bins is None or found.translation is None:
        return []
    table = "consistency by translation score"
    made = []
    for score in dict.fromkeys(str(row["score"]) for row in found.bins.rows):
        shown = SCORE_NAMES.get(score, score)
        bins = (
            f"How often the answer stays the same when only the input is translated, by {shown} of the item's translation "
            "against the benchmark's own wording; above, the answers of each bin (hollow: fewer than ten)."
        )
        means = f"The same by language: mean {shown}, and how often the answer stays the same; lines are intervals."
        made += [
            Drawing(
                "translation",
                f"translation-{score}",
                translation_bins_figure(found.bins, score=score),
                bins,
                table,
            ),
            Drawing(
                "translation",
                f"translation-mean-{score}",
                translation_figure(found.translation, score=score),
                means,
                table,
            ),
        ]
    return made


def write_figures(
    found: MultisenseFindings, folder: Path | str, *, format: FigureFormat = "svg"
) -> list[Path]:
    """Write every figure as a file called by its name.

    Args:
        found: What to draw.
        folder: Where; it is made.
        format: ``svg``, ``png`` or ``pdf``.

    Raises:
        UnknownNameError: No such format.
        UsageError: The folder cannot be written.
    """
    return write_drawings(drawings(found), folder, format=format)
