"""Points with intervals, one line a name: the shape of consistency by language, accuracy, similarity by subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from hesperus.analysis.table import Row
from hesperus.reports.theme import COLOURS, SHAPES, SHARE, WIDTH, values


@dataclass(frozen=True, slots=True)
class Hue:
    """What colour and shape tell apart, and its values in order; one value or none needs no legend."""

    name: str
    values: tuple[str, ...]


def share_axis(rows: Sequence[Row], title: str) -> Any:
    """An axis in per cent: from 0, or from the last tenth below everything where nothing lies low."""
    lowest = min(float(row[name]) for row in rows for name in ("value", "low") if row[name] is not None)
    # Where everything is at 1 the axis still has a length.
    scale = alt.Scale(domain=[0 if lowest < 0.4 else min(int(lowest * 10) / 10, 0.9), 1], nice=False)
    return alt.X("value:Q", scale=scale, axis=SHARE, title=title)


def dots(rows: Sequence[Row], y: str, *, order: Sequence[str], hue: Hue, x: Any) -> Any:
    """Points with intervals, one line a value of ``y``; a panel a value of ``panel``, one below the other.

    Args:
        rows: With ``panel``, ``value``, ``low``, ``high``, the column of lines and that of the hue.
        y: Column with values that are the lines.
        order: Lines from top to bottom.
        hue: What colour and shape tell apart.
        x: The axis of ``value``.
    """
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    charts = []
    for panel in panels:
        held = [dict(row) for row in rows if row["panel"] == panel]
        present = {row[y] for row in held}
        base = alt.Chart(values(held)).encode(
            y=alt.Y(
                f"{y}:N",
                sort=[name for name in order if name in present],
                title=None,
                axis=alt.Axis(grid=True),
            )
        )
        if len(hue.values) > 1:
            base = base.encode(
                yOffset=alt.YOffset(
                    f"{hue.name}:N", sort=list(hue.values), scale=alt.Scale(paddingOuter=0.35)
                ),
                color=alt.Color(f"{hue.name}:N", scale=_range(hue, COLOURS), title=None),
            )
        else:
            base = base.encode(color=alt.value(COLOURS[0]))
        bars = base.mark_rule(strokeWidth=1.6).encode(x=x.copy(), x2="high:Q")
        bars.encoding.x.shorthand = "low:Q"
        points = base.mark_point(filled=True, size=58, opacity=1).encode(x=x)
        if len(hue.values) > 1:
            points = points.encode(shape=alt.Shape(f"{hue.name}:N", scale=_range(hue, SHAPES), title=None))
        step = alt.Step(
            max(18, 11 * len(hue.values) + 4), **({"for": "position"} if len(hue.values) > 1 else {})
        )
        heading = {"title": panel} if len(panels) > 1 else {}
        charts.append(alt.layer(bars, points).properties(width=WIDTH, height=step, **heading))
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts, spacing=18)


def _range(hue: Hue, values: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(hue.values), range=list(values)[: len(hue.values)])
