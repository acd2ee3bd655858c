"""All figures of a report, and as files for a paper or a talk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hesperus.errors import UnknownNameError, UsageError
from hesperus.reports.answer_figures import directions_figure, labels_figure, outcomes_figure
from hesperus.reports.figures import accuracy_figure, consistency_figure, pairs_figure
from hesperus.reports.findings import Findings
from hesperus.reports.theme import FIGURE_FORMATS, FigureFormat, render

FIGURES = ("consistency", "pairs", "accuracy", "labels", "directions", "outcomes")
"""Kinds of figures, in the order of the report."""

_MOST_MAPS = 6
"""Models whose map of all senses is drawn."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart with its words.

    Attributes:
        kind: One of FIGURES.
        name: The same, numbered where there are several; a file is called by it.
        chart: An altair chart.
        caption: What it shows.
        table: The table of the report that has its numbers.
    """

    kind: str
    name: str
    chart: Any
    caption: str
    table: str


def drawings(found: Findings) -> list[Drawing]:
    """Every figure for which there is something to draw."""
    models = list(dict.fromkeys(str(row["model"]) for row in found.accuracy.rows))
    made = [
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
            )
            for number, model in enumerate(models[:_MOST_MAPS], start=1)
        ),
        Drawing(
            "accuracy",
            "accuracy",
            accuracy_figure(found.accuracy),
            "How often the answer is right, where instruction and input are in the same sense; lines are intervals.",
            "right and readable answers",
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
    ]
    return [drawing for drawing in made if drawing.chart is not None]


def write_figures(found: Findings, folder: Path | str, *, format: FigureFormat = "svg") -> list[Path]:
    """Write every figure as a file called by its name.

    Args:
        found: What to draw.
        folder: Where; it is made.
        format: ``svg``, ``png`` or ``pdf``.

    Raises:
        UnknownNameError: No such format.
        UsageError: The folder cannot be written.
    """
    if format not in FIGURE_FORMATS:
        raise UnknownNameError("figure format", str(format), FIGURE_FORMATS)
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for drawing in drawings(found):
            file = folder / f"{drawing.name}.{format}"
            file.write_bytes(render(drawing.chart, format))
            written.append(file)
    except OSError as error:
        raise UsageError(f"cannot write figures to {folder}: {error.strerror}") from error
    return written
