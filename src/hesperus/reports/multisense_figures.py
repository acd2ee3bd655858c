"""Figures of tables: consistency by language, language by language, accuracy.

Every function takes a Table and returns an altair chart, or None if the table has nothing to draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from hesperus.analysis.pairs import KIND_WORDS, Pair, pair, reading_order
from hesperus.analysis.table import Row, Table
from hesperus.item_views.filter_address import items_anchor
from hesperus.reports.dots import Hue, dots, share_axis
from hesperus.reports.theme import COLOURS, GRID, SEQUENTIAL, values
from hesperus.rounding import cell
from hesperus.wording import language_label, parsed, sense_label


def compared_statistic(table: Table, statistic: str) -> list[tuple[Pair, Row]]:
    """The rows of a statistic that have a value, with what each compares."""
    rows = [row for row in table.rows if row["statistic"] == statistic and row["value"] is not None]
    return [(pair(str(row["a"]), str(row["b"])), row) for row in rows]


def consistency_figure(table: Table) -> Any | None:
    """Consistency by target with its interval: T, I and X side by side, a panel a model and source."""
    compared = [
        (found, row)
        for found, row in compared_statistic(table, "consistency")
        if found.kind in {"T", "I", "X"}
    ]
    rows = [
        {
            "panel": panel,
            "target": line,
            "condition": KIND_WORDS[found.kind],
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
        }
        for panel, line, found, row in placed(compared)
    ]
    if not rows:
        return None
    order = by_mean([row for row in rows if row["condition"] == KIND_WORDS["T"]] or rows, "target")
    kinds = [
        KIND_WORDS[kind]
        for kind in ("T", "I", "X")
        if any(row["condition"] == KIND_WORDS[kind] for row in rows)
    ]
    hue = Hue("condition", tuple(kinds))
    return dots(rows, "target", order=order, hue=hue, x=share_axis(rows, "answers that stay the same"))


def accuracy_figure(table: Table) -> Any | None:
    """Accuracy by language and model, for prompts that are one sense throughout."""
    rows = [
        {
            "panel": str(row["task"]),
            "sense": sense_label(str(row["input"])),
            "model": row["model"],
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
        }
        for row in table.rows
        if row["instruction"] == row["input"] and row["repeat"] == 1 and row["value"] is not None
    ]
    if not rows:
        return None
    models = list(dict.fromkeys(str(row["model"]) for row in rows))
    order = by_mean(rows, "sense")
    x = share_axis(rows, "right answers")
    if len(models) > len(COLOURS):
        rows = [{**row, "panel": row["model"]} for row in rows]
        return dots(rows, "sense", order=order, hue=Hue("model", ()), x=x)
    return dots(rows, "sense", order=order, hue=Hue("model", tuple(models)), x=x)


def placed(
    compared: Sequence[tuple[Pair, Row]],
) -> list[tuple[str, str, Pair, Row]]:
    """Panel and line of each comparison: the source is in the panel's title, or in the line where it varies."""
    sources = {found.source for found, _ in compared}
    told = []
    for found, row in compared:
        source = sense_label(found.source or "")
        panel = f"{row['model']}, {row['task']}"
        if len(sources) == 1:
            told.append((f"{panel}, from {source}", found.target_label, found, row))
        else:
            told.append((panel, f"{source} → {found.target_label}", found, row))
    return told


def by_mean(rows: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    """Values of a column, the one with the highest mean first; ties by name."""
    sums: dict[str, list[float]] = {}
    for row in rows:
        sums.setdefault(str(row[name]), []).append(float(row["value"]))
    return sorted(sums, key=lambda value: (-sum(sums[value]) / len(sums[value]), value))


def pairs_figure(table: Table, *, model: str, statistic: str = "raw") -> Any | None:
    """Heat map of sense by sense: how far the answers to two whole versions of the questions agree.

    Args:
        table: Rows of agreement; only pairs of whole versions are drawn.
        model: The model of the rows.
        statistic: Which rows, e.g. ``raw``, ``kappa_p``.
    """
    cells: dict[tuple[str, str], float] = {}
    for found, row in compared_statistic(table, statistic):
        mine = row["model_a"] == row["model_b"] == model
        if mine and found.kind in {"T", "versions"} and found.source and found.target:
            cells[found.source, found.target] = cells[found.target, found.source] = float(row["value"])
    names = sorted({name for key in cells for name in key}, key=reading_order)
    if len(names) < 3:
        return None
    labels = _short_labels(names)
    rows = [
        {
            "a": labels[a],
            "b": labels[b],
            "value": value,
            "items": items_anchor(model=model, differs=(a, b)),
        }
        for (a, b), value in cells.items()
    ]
    return _heat(rows, [labels[name] for name in names], [labels[name] for name in names])


def _short_labels(codes: Sequence[str]) -> dict[str, str]:
    """Labels by language alone where that still tells all senses apart and all were made from one origin."""
    senses = [parsed(code) for code in codes]
    origins = {sense.source for sense in senses if sense is not None and sense.source}
    plain = [sense is not None and not (sense.variant or sense.maker or sense.via) for sense in senses]
    short = {
        code: language_label(sense.language) if sense is not None and bare else sense_label(code)
        for code, sense, bare in zip(codes, senses, plain, strict=True)
    }
    if len(origins) > 1 or len(set(short.values())) < len(codes):
        return {code: sense_label(code) for code in codes}
    return short


def _heat(rows: Sequence[Row], down: Sequence[str], across: Sequence[str]) -> Any:
    side = max(15, min(44, 560 // max(1, len(across))))
    held = [float(row["value"]) for row in rows]
    low, high = min(held), max(held)
    bright = low + 0.45 * (high - low)  # above it, black stands out more from viridis than white
    told = [{**row, "share": cell(float(row["value"]), "label")} for row in rows]
    base = alt.Chart(values(told)).encode(
        x=alt.X(
            "b:N",
            sort=list(across),
            title=None,
            axis=alt.Axis(labelAngle=-50, orient="bottom", labelLimit=200),
        ),
        y=alt.Y("a:N", sort=list(down), title=None),
        href="items:N",
    )
    tiles = base.mark_rect(stroke=GRID, strokeOpacity=0.3).encode(
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(scheme=SEQUENTIAL, domain=[low, high if high > low else low + 0.01]),
            legend=alt.Legend(format=".0%", title=None, gradientLength=200),
        )
    )
    charts = [tiles]
    if side >= 26:
        charts.append(
            base.mark_text(fontSize=11).encode(
                text="share:N",
                color=alt.condition(f"datum.value > {bright}", alt.value("#000000"), alt.value("#ffffff")),
            )
        )
    return alt.layer(*charts).properties(width=alt.Step(side), height=alt.Step(side))
