"""All figures of a run of senses, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hesperus.analysis.multisense_findings import MultisenseFindings
from hesperus.analysis.table import Table
from hesperus.reports.answer_figures import directions_figure, labels_figure, outcomes_figure
from hesperus.reports.drawing import Drawing, drawn
from hesperus.reports.multisense_figures import (
    accuracy_figure,
    causes_figure,
    consistency_figure,
    map_figure,
    models_figure,
    pairs_figure,
)
from hesperus.reports.translation_figures import translation_drawings

FIGURES = (
    "overview", "map", "causes", "consistency", "pairs", "accuracy", "labels", "directions", "outcomes", "translation",
)  # fmt: skip
"""Kinds of figures, in the order of the report."""

_MOST_MAPS = 6
"""Models whose map of all senses is drawn."""
_MOST_SENSES = 100
"""Senses of such a map: with more it would be most of the page, and no name could be read."""


@drawn
def drawings(found: MultisenseFindings) -> Iterator[Drawing]:
    """Every figure for which there is something to draw."""
    models = list(dict.fromkeys(str(row["model"]) for row in found.accuracy.rows))
    few = len(found.drawn) < len(models)
    some = f" Drawn of the first {len(found.drawn)} of {len(models)} models." if few else ""

    def of_drawn(table: Table) -> Table:
        return (
            replace(table, rows=[row for row in table.rows if row["model"] in found.drawn]) if few else table
        )

    same = "answers that stay the same"
    yield Drawing(
        "overview", "overview", models_figure(found),
        "Answers that stay the same in another sense, model beside model; lines are intervals, the dashed line is the same "
        "prompt asked again, which no translation can be expected to pass.",
        same, wide=len(models) > 1,
    )  # fmt: skip
    yield Drawing(
        "map", "map", map_figure(found),
        "Answers that stay the same, of every model in every sense, on one scale.", same, wide=True,
    )  # fmt: skip
    yield Drawing(
        "causes", "causes", causes_figure(of_drawn(found.decomposition)),
        "Why answers change: what the instruction alone, the input alone, both together, and asking again change. A part can "
        f"be negative where errors cancel; lines are intervals.{some}",
        "where inconsistency comes from",
    )  # fmt: skip
    yield Drawing(
        "consistency", "consistency", consistency_figure(of_drawn(found.consistency)),
        f"How often the answer stays the same when the question is put in another sense; lines are intervals.{some}", same,
    )  # fmt: skip
    senses = {row["a"] for row in found.pairs.rows}
    for number, model in enumerate(models[:_MOST_MAPS] if len(senses) <= _MOST_SENSES else (), start=1):
        yield Drawing(
            "pairs", f"pairs-{number}", pairs_figure(found.pairs, model=model),
            f"{model}: share of items with the same answer in two senses, for every pair of senses.",
            "agreement of pairs of whole senses", wide=True,
        )  # fmt: skip
    yield Drawing(
        "accuracy", "accuracy", accuracy_figure(of_drawn(found.accuracy)),
        f"How often the answer is right, where instruction and input are in the same sense; lines are intervals.{some}",
        "right and valid answers",
    )  # fmt: skip
    yield Drawing(
        "labels", "labels", labels_figure(of_drawn(found.labels)),
        f"Which answers are given, beside the right ones.{some}", "shares of the labels",
    )  # fmt: skip
    yield Drawing(
        "directions", "directions", directions_figure(of_drawn(found.directions)),
        "What becomes of an answer that changes, instruction and input being in the other sense: a line adds up to "
        f"100\u00a0%, but for rare changes that are left out.{some}",
        "where changed answers go" if found.has_directions else "",
    )  # fmt: skip
    yield Drawing(
        "outcomes", "outcomes", outcomes_figure(of_drawn(found.outcomes)),
        f"Replies that carry no answer.{some}", "what became of the replies",
    )  # fmt: skip
    yield from translation_drawings(found)
