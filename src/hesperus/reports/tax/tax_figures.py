"""Figures of an audit: points with intervals around a line at nothing, bounds, scores of the back-translations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from hesperus.reports.theme import COLOURS, GRID, INK, NEUTRAL, WIDTH, values

_STEP = 23
_KINDS = (COLOURS[1], COLOURS[2], COLOURS[0])
_SHAPES = ("diamond", "square", "circle")
_SIZES = (150, 75, 58)


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a figure.

    Attributes:
        line: Its name at the axis.
        kind: Place in the kinds of the figure; 0 is the estimate to report.
        value: Where it is.
        low: Where its interval begins; None draws none.
        high: Where it ends.
        told: What is said under the pointer.
        panel: Title of its panel; empty for a figure of one.
    """

    line: str
    kind: int
    value: float
    low: float | None
    high: float | None
    told: str
    panel: str = ""


def contrast_figure(
    dots: Sequence[Dot], kinds: Sequence[str], title: str, *, missing: Sequence[str] = (), least: float = 4.0
) -> Any | None:
    """Points with intervals, one line a name from top to bottom, and a line at 0; None if there is no point.

    Args:
        dots: In the order in which they are drawn.
        kinds: Names of the kinds, three at most; the first is the estimate to report.
        title: Of the axis.
        missing: Names without a value, listed below.
        least: The axis shows at least so much, so that nothing looks large next to nothing.
    """
    if not dots:
        return None
    ends = [end for dot in dots for end in (dot.value, dot.low, dot.high) if end is not None]
    low, high = min(0.0, *ends), max(0.0, *ends)
    short = max(0.0, least - (high - low)) / 2
    low, high = low - short, high + short
    room = 0.06 * (high - low)
    x = alt.X(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=[low - room, high + room], nice=False),
        axis=alt.Axis(tickCount=7, labelFlush=False),
    )
    present = [place for place in range(len(kinds)) if any(dot.kind == place for dot in dots)]
    panels = list(dict.fromkeys(dot.panel for dot in dots))
    charts = [_panel([dot for dot in dots if dot.panel == panel], kinds, present, x=x) for panel in panels]
    if len(charts) > 1:
        named = [chart.properties(title=panel) for chart, panel in zip(charts, panels, strict=True)]
        drawn = alt.vconcat(*named, spacing=18)
    else:
        drawn = charts[0]
    return drawn if not missing else _noted(drawn, f"× undefined: {', '.join(missing)}")


def _panel(dots: Sequence[Dot], kinds: Sequence[str], present: Sequence[int], *, x: Any) -> Any:
    rows = [
        {"line": dot.line, "kind": kinds[dot.kind], "value": dot.value, "low": dot.low, "high": dot.high, "told": dot.told}
        for dot in dots
    ]  # fmt: skip
    y = alt.Y("line:N", sort=[dot.line for dot in dots], title=None, axis=alt.Axis(grid=True))
    names = [kinds[place] for place in present]
    legend = alt.Legend(title=None, columns=2, labelLimit=360) if len(present) > 1 else None

    def scale(of: Sequence[Any]) -> alt.Scale:
        return alt.Scale(domain=names, range=[of[place] for place in present])

    base = alt.Chart(values(rows)).encode(y=y)
    colour = alt.Color("kind:N", scale=scale(_KINDS), legend=legend)
    zero = alt.Chart(values([{"zero": 0}])).mark_rule(color=INK, strokeWidth=1.1).encode(x="zero:Q")
    layers = [zero]
    ranged = [row for row in rows if row["low"] is not None and row["high"] is not None]
    if ranged:
        across = x.copy()
        across.shorthand = "low:Q"
        bars = alt.Chart(values(ranged)).mark_rule(strokeWidth=1.8)
        layers.append(bars.encode(y=y, x=across, x2="high:Q", color=colour))
    shape = alt.Shape("kind:N", scale=scale(_SHAPES), legend=legend)
    size = alt.Size("kind:N", scale=scale(_SIZES), legend=None)
    layers.append(
        base.mark_point(filled=True, opacity=1, aria=True).encode(
            x=x, color=colour, shape=shape, size=size, description="told:N"
        )
    )
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(_STEP))


def bounds_figure(rows: Sequence[Mapping[str, Any]], title: str) -> Any | None:
    """Where each difference could lie whatever invalid answers meant; None if every answer could be read.

    Args:
        rows: With ``panel``, ``line``, ``value`` (may be None), ``lowest``, ``highest``, ``low``, ``high``, ``told``.
        title: Of the axis.
    """
    if not rows or all(row["lowest"] == row["highest"] for row in rows):
        return None
    ends = [row[name] for row in rows for name in ("low", "high")]
    room = 0.06 * (max(0.0, *ends) - min(0.0, *ends) or 1.0)
    scale = alt.Scale(domain=[min(0.0, *ends) - room, max(0.0, *ends) + room], nice=False)
    axis = alt.Axis(tickCount=7, labelFlush=False)
    charts = []
    for panel in dict.fromkeys(row["panel"] for row in rows):
        held = [dict(row) for row in rows if row["panel"] == panel]
        y = alt.Y("line:N", sort=[row["line"] for row in held], title=None, axis=alt.Axis(grid=True))
        base = alt.Chart(values(held)).encode(y=y)
        zero = alt.Chart(values([{"zero": 0}])).mark_rule(color=INK, strokeWidth=1.1).encode(x="zero:Q")
        outer = base.mark_rule(strokeWidth=1.4, color=NEUTRAL).encode(
            x=alt.X("low:Q", title=title, scale=scale, axis=axis), x2="high:Q"
        )
        inner = base.mark_rule(strokeWidth=7, opacity=0.45, color=COLOURS[0]).encode(
            x=alt.X("lowest:Q", title=title, scale=scale), x2="highest:Q"
        )
        known = alt.Chart(values([row for row in held if row["value"] is not None])).encode(y=y)
        dot = known.mark_point(filled=True, opacity=1, size=58, color=COLOURS[1], aria=True).encode(
            x=alt.X("value:Q", title=title, scale=scale), description="told:N"
        )
        charts.append(
            alt.layer(zero, outer, inner, dot).properties(width=WIDTH, height=alt.Step(_STEP), title=panel)
        )
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts, spacing=18)


def quality_figure(scores: Sequence[float], metric: str, threshold: float) -> Any | None:
    """How many back-translations have which score, and where the quality threshold is; None if there is no score."""
    if not scores:
        return None
    width = 5
    held = [0] * (100 // width)
    for score in scores:
        held[min(int(score // width), len(held) - 1)] += 1
    rows = [
        {"from": place * width, "to": (place + 1) * width, "base": 0, "count": count,
         "told": f"{metric} {place * width} to {(place + 1) * width}: {count:,} back-translations"}
        for place, count in enumerate(held)
    ]  # fmt: skip
    x = alt.X(
        "from:Q", title=metric, scale=alt.Scale(domain=[0, 100], nice=False), axis=alt.Axis(tickCount=10)
    )
    bars = alt.Chart(values(rows)).mark_rect(
        color=COLOURS[0], opacity=0.75, stroke=GRID, strokeWidth=0.4, aria=True
    )
    drawn = bars.encode(
        x=x, x2="to:Q", y=alt.Y("count:Q", title="back-translations", axis=alt.Axis(tickCount=4, format=",.0f")),
        y2="base:Q",
        description="told:N",
    )  # fmt: skip
    line = alt.Chart(values([{"at": threshold}])).mark_rule(
        color=COLOURS[1], strokeWidth=2, strokeDash=[5, 3]
    )
    return alt.layer(drawn, line.encode(x="at:Q")).properties(width=WIDTH, height=110)


def _noted(drawn: Any, text: str) -> Any:
    title = alt.TitleParams(text, fontWeight="normal", fontSize=11, color=INK, orient="bottom")
    return drawn.properties(title=title)
