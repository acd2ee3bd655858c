"""The figures of an audit: points with intervals around a line at nothing, bounds, scores of the back-translations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.audit_evidence import Evidence
from hesperus.reports.drawing import Drawing, drawn
from hesperus.reports.estimate_texts import estimate_text
from hesperus.reports.points import PointsLayout, Series, points_figure, zero_axis
from hesperus.reports.tax.tax_grids import bound_name, over, rows_of, who
from hesperus.reports.theme import COLOURS, GRID, NEUTRAL, WIDTH, values
from hesperus.rounding import cell
from hesperus.wording import SCORE_NAMES, counted

_LOOKS = ((COLOURS[1], "diamond", 150), (COLOURS[2], "square", 75), (COLOURS[0], "circle", 58))
"""Of the estimate to report, of other estimates over several models, and of single ones."""
_BOUNDS = (
    Series("estimate", COLOURS[1], bar=0),
    Series("bounds", bar=7, opacity=0.45),
    Series("intervals", NEUTRAL, bar=1.4),
)
_REPORTED = "all models, each item with all of them: to report"
_BROAD, _BIN = "percentage points", 5

Marks = list[dict[str, Any]]


@drawn
def drawings(tables: Mapping[str, Table], evidence: Evidence) -> Iterator[Drawing]:
    """Every figure for which there is something to draw."""
    boot = evidence.settings.bootstrap
    level = f"{100 * boot.level:g} %" if boot.resamples else "no"
    yield _quality(evidence)
    for estimator in (_way_back, _native, _natural, _cues):
        yield from estimator(tables, level)
    yield _bounds(tables.get("bounds"), level)


_OVER_MODELS = "estimates over several models"


def _way_back(tables: Mapping[str, Table], level: str) -> Iterator[Drawing]:
    """E1: each model and all of them, and without parts of them."""
    back = list(rows_of(tables.get("back_translation"), "clustered", "cell"))
    yield Drawing(
        "back_translation", "back_translation",
        _contrasts(_back(back), (_REPORTED, "one group of models", "one model"),
                   "right on the original minus right on what came back, percentage points", back),
        f"E1: what the way back costs, with {level} intervals. Right of the line the models lose; the diamond is the "
        "estimate to report, for which items are resampled with all their models.",
        "each model, and over several models",
    )  # fmt: skip
    parts = rows_of(
        tables.get("back_translation"),
        "clustered",
        "without model",
        "without parser-sensitive models",
        "one benchmark",
    )
    kept = [row for row in parts if row["analysis"] != "clustered" or not row["group"]]
    marks = [_mark(row, int(row["analysis"] != "clustered")) for row in kept]
    yield Drawing(
        "back_translation-without", "back_translation-without",
        _contrasts(marks if len(kept) > 1 else [], (_REPORTED, "the same with a part left out"), _BROAD, kept),
        f"E1 without each model in turn, without models that are often without a valid answer, and of each benchmark alone; {level} "
        "intervals. Where a line's side of 0 changes, the estimate depends on what was left out.",
        _OVER_MODELS,
    )  # fmt: skip


def _native(tables: Mapping[str, Table], level: str) -> Iterator[Drawing]:
    """E3: the translated items less native ones."""
    gaps = [row for row in _rows(tables.get("native_control")) if row["statistic"] == "gap"]
    marks = [
        _mark(row, 2 if row["model"] else 1, who(row))
        for row in sorted(gaps, key=lambda row: bool(row["model"]))
    ]
    yield Drawing(
        "native_control", "native_control",
        _contrasts(marks, ("", "several models, each item with all of them", "one model"),
                   "right on the translated minus right on the native, percentage points"),
        f"E3: the gap between the translated items and native ones, with {level} intervals. The items are others, so a gap "
        "is no effect of the translation alone.",
        "translated minus native",
    )  # fmt: skip


def _natural(tables: Mapping[str, Table], level: str) -> Iterator[Drawing]:
    """E4: by stratum, and by models."""
    natural = "right on the natural minus right on the translated, percentage points"
    strata = list(rows_of(tables.get("naturalisation"), "pooled", "stratum", "strata"))
    marks = [
        _mark(row, 0 if row["analysis"] == "pooled" else 2 if row["group"] else 1, _stratum(row))
        for row in strata
    ]
    kinds = (
        "all strata, each item with all models: to report",
        "a stratum",
        "a stratum, one group of models",
    )
    yield Drawing(
        "naturalisation", "naturalisation", _contrasts(marks, kinds, natural, strata),
        f"E4: what natural rewriting gives, by stratum, with {level} intervals. high: full of cues, as the strata were "
        "fixed before any rewriting; low: free of them; disagreement: the majorities of two groups differed.",
        _OVER_MODELS,
    )  # fmt: skip
    analyses = ("pooled", "group", "groups", "model", "without model", "without parser-sensitive models")
    passed = (
        row for row in _rows(tables.get("naturalisation")) if str(row["analysis"]).startswith("passed by")
    )
    rows = [row for row in (*rows_of(tables.get("naturalisation"), *analyses), *passed) if not row["stratum"]]
    kinds = ("all models: to report", "a part of the models or of the items", "one model")
    yield Drawing(
        "naturalisation-models", "naturalisation-models", _contrasts([_of_models(row) for row in rows], kinds, natural, rows),
        f"E4 by group and model, without each model, and over the items that each checker passed; {level} intervals.",
        _OVER_MODELS,
    )  # fmt: skip


def _cues(tables: Mapping[str, Table], level: str) -> Iterator[Drawing]:
    """E2: what people see with the tax of items."""
    ratings = _rows(tables.get("rating"))
    kinds = ("all models", "one group of models", "one model")
    yield Drawing(
        "rating", "rating", _contrasts(_ratings(ratings), kinds, "Spearman's ρ of rating and tax", least=0.4),
        f"E2: does what people see in an item go with its tax? {level} intervals; right of the line it does.",
        "ρ of each item's mean rating with its tax",
    )  # fmt: skip


def _rows(found: Table | None) -> Sequence[Row]:
    return found.rows if found is not None else ()


def _contrasts(
    marks: Marks, kinds: Sequence[str], title: str, rows: Iterable[Row] = (), *, least: float = 4.0
) -> Any | None:
    """Points around a line at 0, one line a name; those without a value are named below.

    Args:
        marks: From _mark; `of` is a place in `kinds`.
        kinds: What points are of; the first is the estimate to report.
        title: Of the axis.
        rows: All rows, with those that have no value.
        least: As in zero_axis.
    """
    series = [Series(name, *look, bar=1.8) for name, look in zip(kinds, _LOOKS, strict=False)]
    known = [{**mark, "of": kinds[mark["of"]]} for mark in marks if mark["value"] is not None]
    missing = [over(row) for row in rows if row["value"] is None]
    layout = PointsLayout(has_zero=True, missing=missing)
    return points_figure(known, series, zero_axis(known, title, least=least), layout=layout)


def _mark(row: Row, kind: int, name: str = "", panel: str = "") -> dict[str, Any]:
    """A point of a figure in percentage points: its name at the axis, its place in the kinds, what it says under the pointer."""
    name = name or over(row)
    told = f"{name}: {estimate_text(row, 'points')} points, {counted(row['n'], 'item')}"
    if row.get("positive") is not None:
        told += f", discordant {row['positive']:,} and {row['negative']:,}"
    if row.get("p") is not None:
        told += f", p {cell(row['p'])}"
    told += f", {row['excluded']:,} excluded" if row["excluded"] else ""
    return {"panel": panel, "line": name, "of": kind, "told": told, **_points(row, "value", "low", "high")}


def _points(row: Row, *names: str) -> dict[str, float | None]:
    """Shares as percentage points."""
    return {name: None if row[name] is None else 100 * row[name] for name in names}


def _back(rows: Sequence[Row]) -> Marks:
    """Pooled estimates first, then each model; of several benchmarks a panel each."""
    cells = [row for row in rows if row["analysis"] == "cell"]
    several = len({row["task"] for row in cells}) > 1
    pooled = [row for row in rows if row["analysis"] == "clustered"]
    return [
        *(_mark(row, int(bool(row["group"])), panel="all benchmarks" if several else "") for row in pooled),
        *(_mark(row, 2, panel=str(row["task"]) if several else "") for row in cells),
    ]


def _stratum(row: Row) -> str:
    """Name of a line: the stratum, the group, and how many items it rests on."""
    name = str(row["stratum"]) or "all strata"
    name += f", {row['group']}" if row["group"] else ""
    return f"{name} ({counted(row['n'], 'item')}{' or more' if row['analysis'] == 'strata' else ''})"


def _of_models(row: Row) -> dict[str, Any]:
    analysis = str(row["analysis"])
    kind = 0 if analysis == "pooled" else 2 if analysis == "model" else 1
    return _mark(row, kind, analysis if analysis.startswith("passed by") else "")


def _ratings(rows: Sequence[Row]) -> Marks:
    several = len({row["question"] for row in rows}) > 1
    return [
        {
            "panel": str(row["question"]) if several else "",
            "line": who(row),
            "of": 2 if row["model"] else 1 if row["group"] else 0,
            "told": f"{who(row)}, {row['question']}: ρ {estimate_text(row)}, {counted(row['n'], 'item')}",
            **{name: row[name] for name in ("value", "low", "high")},
        }
        for row in rows
    ]


def _bounds(found: Table | None, level: str) -> Drawing:
    """Where each difference could lie whatever invalid answers meant; nothing if every answer could be read."""
    rows = [
        row for row in _rows(found) if None not in (row["lowest"], row["highest"], row["low"], row["high"])
    ]
    several = len({row["task"] for row in _rows(found) if row["task"]}) > 1
    marks: Marks = []
    for row in rows if any(row["lowest"] != row["highest"] for row in rows) else ():
        name, at = bound_name(row, several=several), _points(row, "value", "lowest", "highest", "low", "high")
        told = f"{name}: {'undefined' if row['value'] is None else cell(row['value'], 'points')}, "
        told += f"from {cell(row['lowest'], 'points')} to {cell(row['highest'], 'points')}, {counted(row['n'], 'item')}"
        place = {"panel": str(row["comparison"]), "line": name, "value": None, "told": told}
        marks += [
            {**place, "of": _BOUNDS[0].name, "value": at["value"], "low": None, "high": None},
            {**place, "of": _BOUNDS[1].name, "low": at["lowest"], "high": at["highest"]},
            {**place, "of": _BOUNDS[2].name, "low": at["low"], "high": at["high"]},
        ]
    chart = points_figure(
        marks, _BOUNDS, zero_axis(marks, _BROAD, least=0.0), layout=PointsLayout(has_zero=True)
    )
    return Drawing(
        "bounds", "bounds", chart,
        "What invalid answers could do: the broad bar reaches from the lowest to the highest difference that they allow, "
        + ("" if level == "no" else f"the thin line adds the {level} intervals of these two, ")
        + "the point is the estimate without them.",
        "bounds",
    )  # fmt: skip


def _quality(evidence: Evidence) -> Drawing:
    """How many back-translations have which score, and where the quality threshold is."""
    metric, threshold, chart = evidence.quality.metric, evidence.quality.threshold, None
    name = SCORE_NAMES.get(metric, metric)
    if evidence.scores is not None:
        held = evidence.scores.filter(pl.col("sense") == (evidence.senses.back or ""))[metric].drop_nulls()
        chart = _histogram(held.to_list(), name, threshold) if len(held) else None
    return Drawing(
        "quality", "quality", chart,
        f"Back-translations by their {name} against the original; what lies left of the dashed line (the quality threshold, "
        f"{threshold:g}) is excluded.",
        "what was compared",
    )  # fmt: skip


def _histogram(scores: Sequence[float], metric: str, threshold: float) -> Any:
    counts = [0] * (100 // _BIN)
    for score in scores:
        counts[min(int(score // _BIN), len(counts) - 1)] += 1
    rows = [
        {"from": place * _BIN, "to": (place + 1) * _BIN, "base": 0, "count": count,
         "told": f"{metric} {place * _BIN} to {(place + 1) * _BIN}: {count:,} back-translations"}
        for place, count in enumerate(counts)
    ]  # fmt: skip
    x = alt.X(
        "from:Q", title=metric, scale=alt.Scale(domain=[0, 100], nice=False), axis=alt.Axis(tickCount=10)
    )
    y = alt.Y("count:Q", title="back-translations", axis=alt.Axis(tickCount=4, format=",.0f"))
    bars = alt.Chart(values(rows)).mark_rect(
        color=COLOURS[0], opacity=0.75, stroke=GRID, strokeWidth=0.4, aria=True
    )
    line = alt.Chart(values([{"at": threshold}])).mark_rule(
        color=COLOURS[1], strokeWidth=2, strokeDash=[5, 3]
    )
    drawn_bars = bars.encode(x=x, x2="to:Q", y=y, y2="base:Q", description="told:N")
    return alt.layer(drawn_bars, line.encode(x="at:Q")).properties(width=WIDTH, height=110)
