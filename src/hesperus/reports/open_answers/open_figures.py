"""Figures of open answers: scores below their ceilings, both sides of a score, properties, groups of languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from hesperus.analysis.families import family_key, family_of, spans
from hesperus.analysis.open_answers.open_findings import Cell, OpenFindings
from hesperus.analysis.table import Row
from hesperus.reports.dots import Hue, dots, share_axis
from hesperus.reports.drawing import Drawing
from hesperus.reports.open_answers.open_wording import GROUPING_NAMES, group_name, measured_name
from hesperus.reports.theme import COLOURS, INK, NEUTRAL, WIDTH, values
from hesperus.rounding import cell as written
from hesperus.rounding import interval
from hesperus.wording import MISSING

_STEP = 23
_ACROSS = 3
"""Pixels of a line."""
MOST_PANELS = 6
"""Models that are drawn; the tables have all."""

_UPRIGHT = "M0,-1V1"
"""Shape of the mark of a ceiling: an upright stroke."""
DRAWN_GROUPINGS = ("trained_on", "script", "family")


def drawings(found: OpenFindings, prefix: str) -> list[Drawing]:
    """Every figure of an evaluator for which there is something to draw.

    Args:
        found: What was measured.
        prefix: Of their names, so that those of several evaluators do not clash.
    """
    name = measured_name(found)
    rest = _rest(found)
    made = [
        Drawing(
            "scores",
            f"{prefix}scores",
            ceiling_figure(found),
            _scores_caption(found, name) + rest,
            "scores",
        ),
        Drawing(
            "sides",
            f"{prefix}sides",
            sides_figure(found),
            "Precision: what the answer says that the reference's says too. Recall: what the reference's answer says that this "
            f"one says too. Low recall leaves out, low precision adds or contradicts.{rest}",
            "scores",
        ),
        Drawing(
            "properties",
            f"{prefix}properties",
            properties_figure(found),
            f"Agreement beyond chance (Cohen's κ) of each property with the reference's answer; 0 is chance.{rest}",
            "properties",
        ),
        Drawing(
            "groups",
            f"{prefix}groups",
            groups_figure(found),
            f"{name} by groups of languages"
            + (
                "; lines are intervals over prompts, which move with all their languages."
                if found.has_intervals
                else "."
            )
            + rest,
            "groups of languages",
        ),
    ]
    return [drawing for drawing in made if drawing.chart is not None]


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
    panels: dict[str, list[tuple[Cell, Row]]] = {}
    for cell, row in found.known():
        if cell[0] in found.models[:MOST_PANELS]:
            panels.setdefault(_panel(found, cell), []).append((cell, row))
    if not panels:
        return None
    drawn = [row for held in panels.values() for _, row in held]
    every = [{"value": row["value"], "low": row["low"]} for row in drawn]
    every += [
        {"value": row["ceiling"], "low": row["ceiling_low"]} for row in drawn if row["ceiling"] is not None
    ]
    x = share_axis(every, measured_name(found))
    across = min(_ACROSS, len(panels))
    charts = [
        _ceiling_panel(
            found,
            held,
            x=x,
            heading=title if len(panels) > 1 else "",
            across=across,
            is_last=place % across == across - 1,
        )
        for place, (title, held) in enumerate(panels.items())
    ]
    return charts[0] if len(charts) == 1 else alt.concat(*charts, columns=across, spacing=14)


def sides_figure(found: OpenFindings) -> Any | None:
    """Precision next to recall, a line a language, by family; None for other evaluators."""
    if not found.is_information:
        return None
    names = {"precision": "Precision", "recall": "Recall"}
    return _series(found, names, lambda rows: share_axis(rows, "precision and recall"))


def properties_figure(found: OpenFindings) -> Any | None:
    """κ of every property, a line a language; None if absent or too many to tell apart."""
    names = {f"kappa.{name}": name for name in found.properties}
    if not 0 < len(names) <= len(COLOURS):
        return None
    return _series(
        found,
        names,
        lambda _: alt.X(
            "value:Q", title="κ", scale=alt.Scale(domainMax=1, nice=True), axis=alt.Axis(tickCount=6)
        ),
    )


def groups_figure(found: OpenFindings) -> Any | None:
    """The main statistic by training languages, script and family; colour and shape tell models apart."""
    models = found.models[: len(COLOURS)]
    rows = []
    for grouping in DRAWN_GROUPINGS:
        held = [
            row
            for row in found.groups.rows
            if (row["grouping"], row["statistic"]) == (grouping, found.main)
            and row["model"] in models
            and row["value"] is not None
        ]
        if len({row["group"] for row in held}) < 2:
            continue
        several = len({row["task"] for row in found.groups.rows}) > 1
        rows += [
            {
                "panel": f"By {GROUPING_NAMES[grouping]}" + (f", {row['task']}" if several else ""),
                "group": group_name(grouping, str(row["group"])),
                "model": row["model"],
                **{name: row[name] for name in ("value", "low", "high")},
            }
            for row in held
        ]
    if not rows:
        return None
    order = _by_value(rows)
    return dots(
        rows, "group", order=order, hue=Hue("model", models), x=share_axis(rows, measured_name(found))
    )


def _by_value(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    sums: dict[str, list[float]] = {}
    for row in rows:
        sums.setdefault(str(row["group"]), []).append(float(row["value"]))
    return sorted(sums, key=lambda name: (-sum(sums[name]) / len(sums[name]), name))


def _rest(found: OpenFindings) -> str:
    left = len(found.models) - MOST_PANELS
    return f" The first {MOST_PANELS} models; the table has {left} more." if left > 0 else ""


def _panel(found: OpenFindings, cell: Cell) -> str:
    return f"{cell[0]}, {cell[1]}" if len({other[1] for other in found.cells}) > 1 else cell[0]


def _series(found: OpenFindings, names: Mapping[str, str], axis: Any) -> Any | None:
    """Several statistics side by side."""
    rows = [
        {
            "panel": _panel(found, cell),
            "language": found.labels[cell],
            "of": shown,
            **{name: row[name] for name in ("value", "low", "high")},
        }
        for statistic, shown in names.items()
        for cell, row in found.known(statistic)
        if cell[0] in found.models[:MOST_PANELS]
    ]
    if not rows:
        return None
    order = list(
        dict.fromkeys(found.labels[cell] for cell in sorted(found.cells, key=lambda one: family_key(one[2])))
    )
    return dots(rows, "language", order=order, hue=Hue("of", tuple(names.values())), x=axis(rows))


def _ceiling_panel(
    found: OpenFindings, held: Sequence[tuple[Cell, Row]], *, x: Any, heading: str, across: int, is_last: bool
) -> Any:
    width = {1: WIDTH, 2: 330}.get(across, 250)
    labels = [found.labels[cell] for cell, _ in held]
    height = _STEP * len(labels)
    scale = alt.Scale(domain=labels, type="point", padding=0.5)
    y = alt.Y("language:N", sort=labels, title=None, axis=alt.Axis(grid=True), scale=scale)
    rows = [_line(found.labels[cell], row) for cell, row in held]
    names = ("answers in each language", f"ceiling: {found.reference_name} answers, sent there and back")
    layers = []
    legend = alt.Legend(title=None, symbolStrokeWidth=2, labelLimit=460)
    if found.has_ceiling:
        look: dict[str, Any] = {
            "color": alt.Color("of:N", legend=legend, scale=alt.Scale(domain=names, range=[COLOURS[0], INK])),
            "shape": alt.Shape(
                "of:N", legend=legend, scale=alt.Scale(domain=names, range=["circle", _UPRIGHT])
            ),
        }
        base = alt.Chart(
            values([{**row, "of": names[1]} for row in rows if row["ceiling"] is not None])
        ).encode(y=y)
        layers += [
            base.mark_rule(strokeWidth=8, opacity=0.3, color=NEUTRAL).encode(
                x=_of(x, "ceiling_low"), x2="ceiling_high:Q"
            ),
            base.mark_point(aria=True, size=150, strokeWidth=2.2, opacity=1).encode(
                x=_of(x, "ceiling"), description="told_ceiling:N", **look
            ),
        ]
    else:
        look = {"color": alt.value(COLOURS[0])}
    base = alt.Chart(values([{**row, "of": names[0]} for row in rows])).encode(y=y)
    layers += [
        base.mark_rule(strokeWidth=1.8, color=COLOURS[0]).encode(x=_of(x, "low"), x2="high:Q"),
        base.mark_point(aria=True, filled=True, size=62, opacity=1).encode(x=x, description="told:N", **look),
        # Above its point a label meets no line of the same row.
        base.mark_text(fontSize=10, dy=-8, color=INK).encode(x=x, text="label:N"),
        *_families(held, height, width=width, are_named=is_last),
    ]
    title = {"title": heading} if heading else {}
    return alt.layer(*layers).properties(width=width, height=height, **title)


def _of(x: Any, name: str) -> Any:
    """The same axis for another column."""
    other = x.copy()
    other.shorthand = f"{name}:Q"
    return other


def _line(label: str, row: Row) -> dict[str, object]:
    """A line of the figure with what it says under the pointer."""
    ceiling = "" if row["ceiling"] is None else f"{label}: ceiling {_told(row, 'ceiling')}"
    over = "" if row["relative"] is None else f"; relative to the ceiling {_told(row, 'relative')}"
    return {
        "language": label,
        "label": written(float(row["value"]), "percentage"),
        **{name: row[name] for name in ("value", "low", "high", "ceiling", "ceiling_low", "ceiling_high")},
        "told": f"{label}: {_told(row, '')}{over}, {row['n']:,} pairs",
        "told_ceiling": ceiling,
    }


def _told(row: Row, name: str) -> str:
    value, low, high = (
        None if row[key] is None else float(row[key])
        for key in ((name, f"{name}_low", f"{name}_high") if name else ("value", "low", "high"))
    )
    return MISSING if value is None else interval(value, low, high, "share")


def _families(held: Sequence[tuple[Cell, Row]], height: int, *, width: int, are_named: bool) -> list[Any]:
    """Lines between families, and their names at the right."""
    tags = [cell[2] for cell, _ in held]
    found = spans(tags, {tag: family_of(tag) for tag in tags})
    if len(found) < 2:
        return []
    step = height / len(tags)
    marks: list[Any] = [
        alt.Chart(values([{}]))
        .mark_rule(color=INK, strokeWidth=0.8, opacity=0.55)
        .encode(x=alt.value(0), x2=alt.value(width + 8), y=alt.value(start * step))
        for _, start, _ in found[1:]
    ]
    if not are_named:
        return marks
    marks += [
        alt.Chart(values([{"name": name}]))
        .mark_text(align="left", fontSize=11, fontStyle="italic", color=INK)
        .encode(x=alt.value(width + 12), y=alt.value((start + end) * step / 2), text="name:N")
        for name, start, end in found
    ]
    return marks
