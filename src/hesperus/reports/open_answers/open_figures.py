"""Figures of open answers: scores below their ceilings, both sides of a score, properties, groups of languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import altair as alt

from hesperus.analysis.families import family_key, family_of
from hesperus.analysis.open_answers.open_findings import Cell, OpenFindings
from hesperus.analysis.table import Row
from hesperus.reports.drawing import Drawing, drawn
from hesperus.reports.open_answers.open_wording import GROUPING_NAMES, group_name, measured_name
from hesperus.reports.points import (
    PointsLayout,
    Series,
    by_mean,
    point,
    points_figure,
    series_of,
    share_axis,
)
from hesperus.reports.tabulated import estimate_text
from hesperus.reports.theme import COLOURS, INK, NEUTRAL
from hesperus.rounding import cell as written

_MOST_PANELS = 6
"""Models that are drawn; the tables have all."""
_UPRIGHT = "M0,-1V1"
"""Shape of the mark of a ceiling: an upright stroke."""
_DRAWN_GROUPINGS = ("trained_on", "script", "family")


@drawn
def drawings(found: OpenFindings, prefix: str) -> Iterator[Drawing]:
    """Every figure of an evaluator for which there is something to draw.

    Names begin with the prefix, so that those of several evaluators do not clash.
    """
    name, left = measured_name(found), len(found.models) - _MOST_PANELS
    rest = f" The first {_MOST_PANELS} models; the table has {left} more." if left > 0 else ""
    caption = _scores_caption(found, name) + rest
    yield Drawing("scores", f"{prefix}scores", ceiling_figure(found), caption, "scores")
    yield Drawing(
        "sides", f"{prefix}sides", sides_figure(found),
        "Precision: what the answer says that the reference's says too. Recall: what the reference's answer says that this "
        f"one says too. Low recall leaves out, low precision adds or contradicts.{rest}",
        "scores",
    )  # fmt: skip
    yield Drawing(
        "properties", f"{prefix}properties", properties_figure(found),
        f"Agreement beyond chance (Cohen's κ) of each property with the reference's answer; 0 is chance.{rest}",
        "properties",
    )  # fmt: skip
    lines = (
        "; lines are intervals over prompts, which move with all their languages"
        if found.has_intervals
        else ""
    )
    caption = f"{name} by groups of languages{lines}.{rest}"
    yield Drawing("groups", f"{prefix}groups", groups_figure(found), caption, "groups of languages")


def _scores_caption(found: OpenFindings, name: str) -> str:
    """What the figure of scores shows; ceilings and intervals if any."""
    tick = "tick; its interval is the grey band" if found.has_intervals else "tick"
    ceiling = (
        f", and what translation alone leaves of the reference's own answers ({tick})"
        if found.has_ceiling
        else ""
    )
    lines = " Lines are intervals." if found.has_intervals else ""
    return f"{name} in each language, by family{ceiling}.{lines}"


def ceiling_figure(found: OpenFindings) -> Any | None:
    """Scores with their ceilings, a line a language, by family; a panel a model (and task)."""
    series = (
        Series("answers in each language", size=62, bar=1.8),
        Series(
            f"ceiling: {found.reference_name} answers, sent there and back", INK, _UPRIGHT, 150, 8, NEUTRAL, 0.3,
            is_filled=False,
        ),
    )  # fmt: skip
    known = [(cell, row) for cell, row in found.known() if cell[0] in found.models[:_MOST_PANELS]]
    scores = [
        point(row, *_place(found, cell), of=series[0].name, label=written(float(row["value"]), "percentage"), told=_score_told(found.labels[cell], row))
        for cell, row in known
    ]  # fmt: skip
    ceilings = [
        point({name: row[f"ceiling{end}"] for name, end in (("value", ""), ("low", "_low"), ("high", "_high"))}, *_place(found, cell),
              of=series[1].name, told=f"{found.labels[cell]}: ceiling {estimate_text(row, 'share', 'ceiling')}")
        for cell, row in known if row["ceiling"] is not None
    ]  # fmt: skip
    families = {found.labels[cell]: family_of(cell[2]) for cell in _by_family(found)}
    rows = [*ceilings, *scores]
    x, layout = share_axis(rows, measured_name(found)), PointsLayout(across=3, groups=families)
    return points_figure(rows, series, x, order=list(families), layout=layout)


def _score_told(label: str, row: Row) -> str:
    over = (
        ""
        if row["relative"] is None
        else f"; relative to the ceiling {estimate_text(row, 'share', 'relative')}"
    )
    return f"{label}: {estimate_text(row, 'share')}{over}, {row['n']:,} pairs"


def sides_figure(found: OpenFindings) -> Any | None:
    """Precision next to recall, a line a language, by family; None for other evaluators."""
    names = {"precision": "Precision", "recall": "Recall"} if found.is_information else {}
    rows = _series_rows(found, names)
    return _by_language(found, rows, names, share_axis(rows, "precision and recall"))


def properties_figure(found: OpenFindings) -> Any | None:
    """κ of every property, a line a language; None if absent or too many to tell apart."""
    names = {f"kappa.{name}": name for name in found.properties}
    rows = _series_rows(found, names) if len(names) <= len(COLOURS) else []
    axis = alt.X("value:Q", title="κ", scale=alt.Scale(domainMax=1, nice=True), axis=alt.Axis(tickCount=6))
    return _by_language(found, rows, names, axis)


def _series_rows(found: OpenFindings, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Several statistics of every language."""
    return [
        point(row, *_place(found, cell), of=shown)
        for statistic, shown in names.items()
        for cell, row in found.known(statistic)
        if cell[0] in found.models[:_MOST_PANELS]
    ]


def _by_language(
    found: OpenFindings, rows: list[dict[str, Any]], names: Mapping[str, str], x: Any
) -> Any | None:
    order = [found.labels[cell] for cell in _by_family(found)]
    layout = PointsLayout(across=3, is_apart=True)
    return points_figure(rows, series_of(list(names.values())), x, order=order, layout=layout)


def _by_family(found: OpenFindings) -> list[Cell]:
    return sorted(found.cells, key=lambda cell: family_key(cell[2]))


def _place(found: OpenFindings, cell: Cell) -> tuple[str, str]:
    """Panel and line of a cell; the task is named if there are several."""
    several = len({other[1] for other in found.cells}) > 1
    return (f"{cell[0]}, {cell[1]}" if several else cell[0]), found.labels[cell]


def groups_figure(found: OpenFindings) -> Any | None:
    """The main statistic by training languages, script and family; colour and shape tell models apart."""
    models = found.models[: len(COLOURS)]
    several = len({row["task"] for row in found.groups.rows}) > 1
    rows: list[dict[str, Any]] = []
    for grouping in _DRAWN_GROUPINGS:
        held = [
            row
            for row in found.groups.rows
            if (row["grouping"], row["statistic"]) == (grouping, found.main)
            and row["model"] in models
            and row["value"] is not None
        ]
        for row in held if len({row["group"] for row in held}) > 1 else ():
            panel = f"By {GROUPING_NAMES[grouping]}" + (f", {row['task']}" if several else "")
            rows.append(point(row, panel, group_name(grouping, str(row["group"])), of=row["model"]))
    x, layout = share_axis(rows, measured_name(found)), PointsLayout(is_apart=True)
    return points_figure(rows, series_of(models), x, order=by_mean(rows), layout=layout)
