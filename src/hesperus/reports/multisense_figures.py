"""Figures of a run of senses as points and maps: consistency, accuracy, why answers change, senses with senses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hesperus.analysis.compared_pairs import KIND_WORDS, Pair, compared_statistic, reading_order
from hesperus.analysis.families import language_names
from hesperus.analysis.multisense_findings import MultisenseFindings
from hesperus.analysis.table import Row, Table
from hesperus.item_views.filter_address import items_anchor
from hesperus.reports.heat import Shades, Sides, heat_map, share_legend
from hesperus.reports.points import (
    PointsLayout,
    Series,
    by_mean,
    panel_titles,
    point,
    points_figure,
    series_of,
    share_axis,
    wide_axis,
)
from hesperus.reports.theme import COLOURS
from hesperus.rounding import cell
from hesperus.wording import sense_label, target_label

_MOST_PANELS = 8
"""Of more models no panel could be read next to the others; the map has them all."""
_PARTS = {
    "instruction": "the instruction",
    "input": "the input",
    "interaction": "both together",
    "noise": "noise (asked again)",
}


def placed(compared: Sequence[tuple[Pair, Row]]) -> list[tuple[str, str, Pair, Row]]:
    """Panel and line of each comparison: the source is in the panel's title, or in the line where it varies."""
    sources = {found.source for found, _ in compared}
    title = panel_titles(row for _, row in compared)
    told = []
    for found, row in compared:
        panel, source, line = title(row), sense_label(found.source or ""), found.target_label
        place = (f"{panel}, from {source}", line) if len(sources) == 1 else (panel, f"{source} → {line}")
        told.append((*place, found, row))
    return told


def _of_parts(rows: Sequence[Row], parts: Sequence[str], first: str, x: Any) -> Any | None:
    """Parts below each other, in colours of their own; lines by the mean of the first."""
    there = [name for name in parts if any(row["of"] == name for row in rows)]
    order = by_mean([row for row in rows if row["of"] == first] or rows)
    layout = PointsLayout(across=3, is_apart=True)
    return points_figure(rows, series_of(there), x, order=order, layout=layout)


def consistency_figure(table: Table) -> Any | None:
    """Consistency by target with its interval: T, I and X side by side, a panel a model and source."""
    rows = [
        point(row, panel, line, of=KIND_WORDS[found.kind])
        for panel, line, found, row in placed(compared_statistic(table, "consistency", "T", "I", "X"))
    ]
    kinds = [KIND_WORDS[kind] for kind in ("T", "I", "X")]
    return _of_parts(rows, kinds, kinds[0], share_axis(rows, "answers that stay the same"))


def causes_figure(table: Table) -> Any | None:
    """What changes answers: the parts of the changed share, by target, a panel a model."""
    title = panel_titles(table.rows)
    rows = [
        point(row, title(row), target_label(str(row["sense"])), of=_PARTS[str(row["statistic"])])
        for row in table.rows
        if row["statistic"] in _PARTS and row["value"] is not None
    ]
    axis = wide_axis(rows, "share of answers that change")
    return _of_parts(rows, list(_PARTS.values()), _PARTS["input"], axis)


def accuracy_figure(table: Table) -> Any | None:
    """Accuracy by language and model, for prompts that are one sense throughout; of many models a panel each."""
    chosen = [
        row
        for row in table.rows
        if row["instruction"] == row["input"] and row["repeat"] == 1 and row["value"] is not None
    ]
    models = list(dict.fromkeys(str(row["model"]) for row in chosen))
    many = len(models) > len(COLOURS)
    panel, of = ("model", "") if many else ("task", "model")
    rows = [
        point(row, str(row[panel]), sense_label(str(row["input"])), of=row[of] if of else "")
        for row in chosen
    ]
    series = series_of([""] if many else models)
    layout = PointsLayout(is_apart=True)
    return points_figure(rows, series, share_axis(rows, "right answers"), order=by_mean(rows), layout=layout)


def models_figure(found: MultisenseFindings) -> Any | None:
    """Consistency of every target, a panel a model, on one axis; the dashed line is the same prompt asked again."""
    rows = whole_rows(found.consistency)
    if len({row["panel"] for row in rows}) > _MOST_PANELS:
        return None
    layout = PointsLayout(across=4, rules=_asked_again(found.consistency))
    return points_figure(
        rows, [Series("")], share_axis(rows, "same answer, %"), order=by_mean(rows), layout=layout
    )


def map_figure(found: MultisenseFindings) -> Any | None:
    """Models by targets: how often the answer stays the same, in steps of one color; the same scale for every model."""
    rows = whole_rows(found.consistency)
    models, lines = by_mean(rows, "panel"), by_mean(rows)
    if len(models) < 2 or len(lines) < 3:
        return None
    side = max(16, min(52, 900 // len(lines)))
    named = {"down": "panel", "across": "line", "text": "label", "value": "value", "items": "items"}
    tiles = [{name: row[held] for name, held in named.items()} for row in rows]
    sides = Sides(models, lines, (side, 26), orient="top")
    return heat_map(tiles, sides, Shades(legend=share_legend()), writes=11 if side >= 28 else 0)


def whole_rows(table: Table) -> list[dict[str, Any]]:
    """Consistency of whole prompts, T if any, else of the benchmark's own versions."""
    chosen = compared_statistic(table, "consistency", "T") or compared_statistic(
        table, "consistency", "versions"
    )
    title = panel_titles(row for _, row in chosen)
    return [
        point(
            row,
            title(row),
            line,
            label=cell(float(row["value"]), "percentage"),
            items=items_anchor(model=row["model"], changed=made.target),
        )
        for _, line, made, row in placed(chosen)
    ]


def _asked_again(table: Table) -> dict[str, tuple[float, str]]:
    """How often the same prompt, asked again in its source, gets the same answer, by panel."""
    title = panel_titles(row for _, row in compared_statistic(table, "consistency"))
    again: dict[str, tuple[float, str]] = {}
    for found, row in compared_statistic(table, "consistency", "repeat"):
        if (found.a.repeat, found.b.repeat) == (1, 2) and found.source:
            value = float(row["value"])
            again.setdefault(title(row), (value, f"asked again {cell(value, 'percentage')}"))
    return again


def pairs_figure(table: Table, *, model: str) -> Any | None:
    """Heat map of sense by sense: how far the answers to two whole versions of the questions agree."""
    cells: dict[tuple[str, str], float] = {}
    for found, row in compared_statistic(table, "raw", "T", "versions"):
        if row["model_a"] == row["model_b"] == model and found.source and found.target:
            cells[found.source, found.target] = cells[found.target, found.source] = float(row["value"])
    codes = sorted({name for key in cells for name in key}, key=reading_order)
    if len(codes) < 3:
        return None
    labels = language_names(codes)
    tiles = [
        {"down": labels[a], "across": labels[b], "value": value, "text": cell(value, "label"),
         "items": items_anchor(model=model, differs=(a, b))}
        for (a, b), value in cells.items()
    ]  # fmt: skip
    side = max(15, min(44, 560 // len(codes)))
    names = [labels[code] for code in codes]
    shades = Shades(min(cells.values()), max(cells.values()), legend=share_legend())
    return heat_map(tiles, Sides(names, names, (side, side)), shades, writes=11 if side >= 26 else 0)
