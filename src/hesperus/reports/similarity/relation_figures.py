"""What goes with similarity: points, a straight line with its band, and Pearson's r."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from hesperus.analysis.similarity.curves import Floats, Point, fitted_line, relation_points
from hesperus.analysis.similarity.measured import BETWEEN, PIVOT, WITHIN
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings
from hesperus.analysis.table import Row
from hesperus.reports.columns import statistic_name
from hesperus.reports.similarity.heat_maps import told
from hesperus.reports.tabulated import estimate_text
from hesperus.reports.theme import COLOURS, INK, NEUTRAL, chart_of
from hesperus.rounding import cell
from hesperus.untrusted import shortened
from hesperus.wording import sense_label

FEWEST_POINTS = 3
"""Through fewer points than this there is nothing to correlate."""
_WIDTH, _HEIGHT = 330, 240

_DESIGNS = {
    WITHIN: "a model in two languages",
    PIVOT: "a model in the pivot and another language",
    BETWEEN: "two models in a language",
}
_WITH = {
    "accuracy": "accuracy (mean)",
    "size": "parameters",
    "log size": "natural logarithm of parameters",
}


def relations_figure(
    found: SimilarityFindings, *, designs: Sequence[str] = (WITHIN, BETWEEN), beside: Sequence[str] = ()
) -> Any | None:
    """A panel a relation with at least three points; None if absent.

    The line is of least squares; its band holds the level of the intervals of lines through resampled points (models or
    languages), from four points on. The interval of r is that of the table: of resampled items. Without `beside`, all that
    is in the column ``with``, but the logarithm of the size in place of the size.
    """
    panels = []
    for row in found.tables["correlations"].rows:
        label = str(row["with"])
        wanted = label in beside if beside else label != "size"
        if row["design"] not in designs or not wanted:
            continue
        points = relation_points(found, row)
        if len(points) >= FEWEST_POINTS:
            panels.append(_panel(found, row, points))
    if not panels:
        return None
    return panels[0] if len(panels) == 1 else alt.concat(*panels, columns=2, spacing=30)


def _panel(found: SimilarityFindings, relation: Row, points: Sequence[Point]) -> Any:
    x, y = np.array([point.x for point in points]), np.array([point.y for point in points])
    line = fitted_line(x, y, found.settings.bootstrap.seed, found.settings.bootstrap.level)
    label = str(relation["with"])
    ends = [
        float(point.row[side]) for point in points for side in ("low", "high") if point.row[side] is not None
    ]
    span_x, span_y = _room(x), _room(np.array([*y, *ends]))
    shares = alt.Axis(format=".0%", tickCount=6) if label == "accuracy" else alt.Axis(tickCount=6)
    across = alt.X("x:Q", title=_beside(relation), scale=_fixed(span_x), axis=shares)
    mean, ticks = f"mean {statistic_name(found.statistic)}", alt.Axis(tickCount=6, format=".2~f")
    up = alt.Y("y:Q", title=mean, scale=_fixed(span_y), axis=ticks)
    layers = []
    if line and line[0]["low"] is not None:
        band = chart_of(line).mark_area(color=NEUTRAL, opacity=0.22)
        layers.append(band.encode(x=across, y=alt.Y("low:Q", scale=_fixed(span_y)), y2="high:Q"))
    if line:
        layers.append(chart_of(line).mark_line(color=INK, strokeWidth=1.5).encode(x=across, y=up))
    of_models = relation["points"] == "model"
    layers += _marks(points, across, up, spans=(span_x, span_y), of_models=of_models)
    title = alt.TitleParams(
        f"{_DESIGNS.get(str(relation['design']), str(relation['design']))}",
        subtitle=correlation_told(relation), subtitleColor=INK, subtitleFontSize=12, offset=8,
    )  # fmt: skip
    return alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT, title=title)


def _beside(relation: Row) -> str:
    """What is on the horizontal axis, with the source of numbers that were brought."""
    label = str(relation["with"])
    sourced = f"{label} ({relation['source']}, {relation['date']})" if relation["source"] else label
    return _WITH.get(label, shortened(sourced, 70))


def _fixed(span: tuple[float, float]) -> Any:
    return alt.Scale(domain=list(span), nice=False, clamp=True)


def correlation_told(relation: Row) -> str:
    """``r = 0.92 [0.88, 0.95], p = 0.001, 12 languages``."""
    points = f"{relation['n']} {relation['points']}s"
    if relation["value"] is None:
        return f"r undefined: {relation['reason']} ({points})"
    text = f"r = {estimate_text(relation)}"
    if relation["p"] is not None:
        text += f", p = {cell(float(relation['p']))}"
    return f"{text}, {points}"


def _room(held: Floats) -> tuple[float, float]:
    low, high = float(held.min()), float(held.max())
    room = 0.08 * (high - low) or 0.05 * (abs(high) or 1.0)
    return low - room, high + room


def _marks(
    points: Sequence[Point],
    across: Any,
    up: Any,
    *,
    spans: tuple[tuple[float, float], tuple[float, float]],
    of_models: bool,
) -> list[Any]:
    """Points with their intervals and, where they do not run into each other, their names."""
    rows: list[dict[str, Any]] = [
        {
            "x": point.x,
            "y": point.y,
            "low": point.row["low"],
            "high": point.row["high"],
            "name": (point.name.rpartition("/")[2] or point.name) if of_models else point.name,
            "told": f"{point.name if of_models else sense_label(point.name)}: {cell(point.x)}, {told(point.row)}",
        }
        for point in points
    ]
    base = chart_of(rows).encode(x=across)
    layers = []
    if any(row["low"] is not None for row in rows):
        low = alt.Y("low:Q", scale=_fixed(spans[1]))
        bars = base.mark_rule(color=COLOURS[0], strokeWidth=1.2, opacity=0.55)
        layers.append(bars.encode(y=low, y2="high:Q"))
    dots = base.mark_point(filled=True, size=48, color=COLOURS[0], opacity=1, aria=True)
    layers.append(dots.encode(y=up, description="told:N"))
    named = _apart(rows, spans)
    if named:
        text = chart_of(named).mark_text(align="left", dx=6, dy=-6, color=INK, fontSize=10)
        layers.append(text.encode(x=across, y=up, text="name:N"))
    return layers


def _apart(
    rows: Sequence[dict[str, Any]], spans: tuple[tuple[float, float], tuple[float, float]]
) -> list[dict[str, Any]]:
    """The points with names that fit next to those that are named already; all can be pointed at."""
    (left, right), (low, high) = spans
    taken: list[tuple[float, float, float]] = []
    kept = []
    for row in rows:
        x = (row["x"] - left) / (right - left) * _WIDTH
        y = (row["y"] - low) / (high - low) * _HEIGHT
        wide = 6.0 * len(row["name"]) + 4
        clear = all(abs(y - other) > 11 or x > end or x + wide < start for start, end, other in taken)
        if clear:
            taken.append((x, x + wide, y))
            kept.append({name: row[name] for name in ("x", "y", "name")})
    return kept
