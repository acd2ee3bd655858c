"""The first figures of a run of senses: every model next to the others, a map of models and languages, and why answers change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from hesperus.analysis.multisense_findings import MultisenseFindings
from hesperus.item_views.filter_address import items_anchor
from hesperus.reports.dots import Hue, dots
from hesperus.reports.multisense_figures import by_mean, compared_statistic, placed
from hesperus.reports.theme import COLOURS, GRID, INK, NEUTRAL, SHARE, values
from hesperus.rounding import cell
from hesperus.wording import target_label

Rows = list[dict[str, Any]]

MOST_PANELS = 8
"""Of more models no panel could be read next to the others; the map has them all."""
_ACROSS = 4
_STEP = 22

ASKED_AGAIN = "asked again"


def models_figure(found: MultisenseFindings) -> Any | None:
    """Consistency of every target, a panel a model, on one axis; the dashed line is the same prompt asked again."""
    rows = whole_rows(found)
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    if not rows or len(panels) > MOST_PANELS:
        return None
    again = _asked_again(found)
    across = min(_ACROSS, len(panels))
    width = {1: 430, 2: 330, 3: 250, 4: 200}[across]
    lines = by_mean(rows, "line")
    held = [row["low"] if row["low"] is not None else row["value"] for row in rows]
    scale = alt.Scale(domain=[0 if min(held) < 0.4 else min(int(min(held) * 10) / 10, 0.9), 1], nice=False)
    charts = [
        _panel(
            [row for row in rows if row["panel"] == panel],
            [row for row in again if row["panel"] == panel],
            lines=lines,
            scale=scale,
            first=place % across == 0,
        ).properties(width=width, height=_STEP * len(lines), **({"title": panel} if len(panels) > 1 else {}))
        for place, panel in enumerate(panels)
    ]
    return charts[0] if len(charts) == 1 else alt.concat(*charts, columns=across, spacing=14)


def _panel(rows: Rows, again: Rows, *, lines: Sequence[str], scale: alt.Scale, first: bool) -> Any:
    x = alt.X("value:Q", scale=scale, axis=SHARE, title="same answer, %")
    y = alt.Y(
        "line:N",
        scale=alt.Scale(domain=list(lines)),
        sort=None,
        title=None,
        axis=alt.Axis(grid=True, labels=first, ticks=first, domain=first),
    )
    base = alt.Chart(values(rows)).encode(y=y)
    bars = base.mark_rule(strokeWidth=1.6, color=COLOURS[0]).encode(x=x.copy(), x2="high:Q")
    bars.encoding.x.shorthand = "low:Q"
    points = base.mark_point(filled=True, size=58, opacity=1, color=COLOURS[0]).encode(x=x)
    # Above its point a label meets no line of the same row.
    labels = base.mark_text(fontSize=10, dy=-9, color=INK).encode(x=x, text="label:N")
    charts = [bars, points, labels]
    if again:
        rule = alt.Chart(values(again[:1])).encode(x=x)
        charts.insert(0, rule.mark_rule(strokeDash=[4, 3], color=NEUTRAL, strokeWidth=1.4))
        charts.append(
            rule.mark_text(fontSize=10, align="right", dx=-4, color=NEUTRAL).encode(
                y=alt.value(_STEP * len(lines) - 6), text="label:N"
            )
        )
    return alt.layer(*charts)


def map_figure(found: MultisenseFindings) -> Any | None:
    """Models by targets: how often the answer stays the same, in steps of one color; the same scale for every model."""
    rows = whole_rows(found)
    models, lines = by_mean(rows, "panel"), by_mean(rows, "line")
    if len(models) < 2 or len(lines) < 3:
        return None
    side = max(16, min(52, 900 // len(lines)))
    base = alt.Chart(values(rows)).encode(
        x=alt.X(
            "line:N", sort=lines, title=None, axis=alt.Axis(labelAngle=-50, orient="top", labelLimit=160)
        ),
        y=alt.Y("panel:N", sort=models, title=None),
        href="items:N",
    )
    tiles = base.mark_rect(stroke=GRID, strokeOpacity=0.3).encode(
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(scheme="blues", domain=[0, 1]),
            legend=alt.Legend(format=".0%", title=None, gradientLength=200, values=[0, 0.5, 1]),
        )
    )
    numbers = base.mark_text(fontSize=11).encode(
        text="label:N",
        color=alt.condition("datum.value > 0.55", alt.value("#ffffff"), alt.value("#111111")),
    )
    charts = (tiles, numbers) if side >= 28 else (tiles,)
    return alt.layer(*charts).properties(width=alt.Step(side), height=alt.Step(26))


_PARTS = {
    "instruction": "the instruction",
    "input": "the input",
    "interaction": "both together",
    "noise": "noise (asked again)",
}


def why_figure(found: MultisenseFindings) -> Any | None:
    """What changes answers: the parts of the changed share, by target, a panel a model."""
    rows: Rows = [
        {
            "panel": f"{row['model']}, {row['task']}",
            "line": target_label(str(row["sense"])),
            "part": _PARTS[str(row["statistic"])],
            **{name: row[name] for name in ("value", "low", "high")},
        }
        for row in found.decomposition.rows
        if row["statistic"] in _PARTS and row["value"] is not None
    ]
    if not rows:
        return None
    order = by_mean([row for row in rows if row["part"] == _PARTS["input"]] or rows, "line")
    parts = [name for name in _PARTS.values() if any(row["part"] == name for row in rows)]
    ends = [row[name] for row in rows for name in ("value", "low", "high") if row[name] is not None]
    scale = alt.Scale(domain=[min(0.0, *ends), max(0.1, *ends)])
    x = alt.X("value:Q", scale=scale, axis=SHARE, title="share of answers that change")
    return dots(rows, "line", order=order, hue=Hue("part", tuple(parts)), x=x)


def whole_rows(found: MultisenseFindings) -> Rows:
    """Consistency of whole prompts, T if any, else of the benchmark's own versions."""
    compared = compared_statistic(found.consistency, "consistency")
    kind = "T" if any(pair.kind == "T" for pair, _ in compared) else "versions"
    chosen = [(pair, row) for pair, row in compared if pair.kind == kind]
    several = len({row["task"] for _, row in chosen}) > 1
    return [
        {
            "panel": f"{row['model']}, {row['task']}" if several else str(row["model"]),
            "line": line,
            "label": cell(float(row["value"]), "percentage"),
            "items": items_anchor(model=row["model"], changed=made.target),
            **{name: row[name] for name in ("value", "low", "high")},
        }
        for _, line, made, row in placed(chosen)
    ]


def _asked_again(found: MultisenseFindings) -> Rows:
    """The same prompt asked again in its source, of each model."""
    compared = compared_statistic(found.consistency, "consistency")
    several = len({row["task"] for _, row in compared}) > 1
    return [
        {
            "panel": f"{row['model']}, {row['task']}" if several else str(row["model"]),
            "value": row["value"],
            "label": f"{ASKED_AGAIN} {cell(float(row['value']), 'percentage')}",
        }
        for pair, row in compared
        if pair.kind == "repeat" and pair.a.repeat == 1 and pair.b.repeat == 2 and pair.source
    ]
