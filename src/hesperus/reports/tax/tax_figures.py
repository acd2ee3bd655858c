"""The figures of an audit: points with intervals around a line at nothing, bounds, scores of the back-translations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.audit_evidence import Evidence
from hesperus.reports.drawing import Drawing, drawn
from hesperus.reports.points import PointsLayout, Series, points_figure, zero_axis
from hesperus.reports.tabulated import estimate_text
from hesperus.reports.tax.tax_grids import bound_name, over, who
from hesperus.reports.theme import COLOURS, GRID, NEUTRAL, WIDTH, chart_of
from hesperus.rounding import cell
from hesperus.wording import SCORE_NAMES, counted

_LOOKS = ((COLOURS[1], "diamond", 150), (COLOURS[2], "square", 75), (COLOURS[0], "circle", 58))
"""Of the estimate to report, of other estimates over several models, and of single ones."""
_BOUNDS = (
    Series("estimate", COLOURS[1], bar=0),
    Series("bounds", bar=7, opacity=0.45),
    Series("intervals", NEUTRAL, bar=1.4),
)
_BROAD, _BIN = "percentage points", 5
_REPORTED = "all models, each item with all of them: to report"
_NATURAL = "right on the natural minus right on the translated, percentage points"
_OVER_MODELS = "estimates over several models"

Marks = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Contrasts:
    """A figure of estimates around a line at 0.

    Attributes:
        name: Of the figure; what is before a hyphen names the table.
        analyses: Rows of the table; none: all that have a value to show.
        kinds: What points are of: the estimate to report, a part of models or items, one model (see _kind).
        axis: Its title.
        caption: What it shows, with the level of the intervals in its place.
        table: The table of the page that has its numbers.
        least: As in zero_axis.
    """

    name: str
    analyses: tuple[str, ...]
    kinds: tuple[str, ...]
    axis: str
    caption: str
    table: str
    least: float = 4.0

    def drawing(self, tables: Mapping[str, Table], level: str) -> Drawing:
        """The figure; without a chart if there is nothing to draw."""
        table = tables.get(self.name.partition("-")[0])
        rows = [row for row in table.rows if self._shows(row)] if table is not None else []
        if self.name.endswith("-without") and len(rows) < 2:
            rows = []
        series = [Series(name, *look, bar=1.8) for name, look in zip(self.kinds, _LOOKS, strict=False)]
        marks = [mark for mark in self._marks(rows) if mark["value"] is not None]
        missing = [over(row) for row in rows if self.analyses and row["value"] is None]
        layout = PointsLayout(has_zero=True, missing=missing)
        chart = points_figure(marks, series, zero_axis(marks, self.axis, least=self.least), layout=layout)
        return Drawing(self.name, self.name, chart, self.caption.format(level=level), self.table)

    def _shows(self, row: Row) -> bool:
        if row["statistic"] not in ("tax", "effect", "gap", "spearman"):
            return False
        analysis = "passed by" if _is_passed(row) else row.get("analysis")
        # Where parts are next to the whole, the whole is of all models and items.
        is_part = bool(row.get("stratum")) or (analysis == "clustered" and bool(row["group"]))
        return (not self.analyses or analysis in self.analyses) and not ("-" in self.name and is_part)

    def _marks(self, rows: Sequence[Row]) -> Marks:
        """A point a row, single models last: its name at the axis, its kind, and what it says under the pointer."""
        by = {"back_translation": "task", "rating": "question"}.get(self.name, "")
        several = len({row[by] for row in rows if row[by]}) > 1 if by else False
        marks = []
        for row in sorted(rows, key=lambda row: bool(row["model"]) and row.get("analysis") in (None, "cell")):
            name = _stratum(row) if self.name == "naturalisation" else _name(row)
            panel = str(row[by] or "all benchmarks") if several else ""
            what, ends = f"{estimate_text(row, 'points')} points", _points(row, *_ENDS)
            if row["statistic"] == "spearman":
                what, ends = f"{row['question']}, ρ {estimate_text(row)}", {end: row[end] for end in _ENDS}
            told = f"{name}: {what}, {counted(row['n'], 'item')}"
            if row.get("positive") is not None:
                told += f", discordant {row['positive']:,} and {row['negative']:,}"
            told += f", p {cell(row['p'])}" if row.get("p") is not None else ""
            told += f", {row['excluded']:,} excluded" if row["excluded"] else ""
            marks.append({"panel": panel, "line": name, "of": self.kinds[_kind(row)], "told": told, **ends})
        return marks


_ENDS = ("value", "low", "high")


def _kind(row: Row) -> int:
    """Of the estimate to report 0, of one over a part of the models or items 1, of a single one 2."""
    analysis, group, model = row.get("analysis"), row["group"], row["model"]
    if (model and analysis in (None, "cell", "model")) or (group and analysis == "stratum"):
        return 2
    return int(bool(group or model) or analysis not in (None, "clustered", "pooled"))


def _is_passed(row: Row) -> bool:
    return str(row.get("analysis")).startswith("passed by")


def _name(row: Row) -> str:
    if _is_passed(row):
        return str(row["analysis"])
    return over(row) if "analysis" in row else who(row)


def _stratum(row: Row) -> str:
    """The stratum, the group, and how many items it rests on."""
    name = str(row["stratum"]) or "all strata"
    name += f", {row['group']}" if row["group"] else ""
    return f"{name} ({counted(row['n'], 'item')}{' or more' if row['analysis'] == 'strata' else ''})"


def _points(row: Row, *names: str) -> dict[str, float | None]:
    """Shares as percentage points."""
    return {name: None if row[name] is None else 100 * row[name] for name in names}


_FIGURES = (
    _Contrasts(
        "back_translation", ("clustered", "cell"), (_REPORTED, "one group of models", "one model"),
        "right on the original minus right on what came back, percentage points",
        "E1: what the way back costs, with {level} intervals. Right of the line the models lose; the diamond is the "
        "estimate to report, for which items are resampled with all their models.",
        "each model, and over several models",
    ),
    _Contrasts(
        "back_translation-without", ("clustered", "without model", "without parser-sensitive models", "one benchmark"),
        (_REPORTED, "the same with a part left out"), _BROAD,
        "E1 without each model in turn, without models that are often without a valid answer, and of each benchmark alone; {level} "
        "intervals. Where a line's side of 0 changes, the estimate depends on what was left out.",
        _OVER_MODELS,
    ),
    _Contrasts(
        "native_control", (), ("", "several models, each item with all of them", "one model"),
        "right on the translated minus right on the native, percentage points",
        "E3: the gap between the translated items and native ones, with {level} intervals. The items are others, so a gap "
        "is no effect of the translation alone.",
        "translated minus native",
    ),
    _Contrasts(
        "naturalisation", ("pooled", "stratum", "strata"),
        ("all strata, each item with all models: to report", "a stratum", "a stratum, one group of models"), _NATURAL,
        "E4: what natural rewriting gives, by stratum, with {level} intervals. high: full of cues, as the strata were "
        "fixed before any rewriting; low: free of them; disagreement: the majorities of two groups differed.",
        _OVER_MODELS,
    ),
    _Contrasts(
        "naturalisation-models",
        ("pooled", "group", "groups", "model", "without model", "without parser-sensitive models", "passed by"),
        ("all models: to report", "a part of the models or of the items", "one model"), _NATURAL,
        "E4 by group and model, without each model, and over the items that each checker passed; {level} intervals.",
        _OVER_MODELS,
    ),
    _Contrasts(
        "rating", (), ("all models", "one group of models", "one model"), "Spearman's ρ of rating and tax",
        "E2: does what people see in an item go with its tax? {level} intervals; right of the line it does.",
        "ρ of each item's mean rating with its tax", 0.4,
    ),
)  # fmt: skip


@drawn
def drawings(tables: Mapping[str, Table], evidence: Evidence) -> Iterator[Drawing]:
    """Every figure for which there is something to draw."""
    boot = evidence.settings.bootstrap
    level = f"{100 * boot.level:g} %" if boot.resamples else "no"
    yield _quality(evidence)
    yield from (figure.drawing(tables, level) for figure in _FIGURES)
    yield _bounds(tables.get("bounds"), level)


def _bounds(found: Table | None, level: str) -> Drawing:
    """Where each difference could lie whatever invalid answers meant; nothing if every answer could be read."""
    every = found.rows if found is not None else ()
    rows = [row for row in every if None not in (row["lowest"], row["highest"], row["low"], row["high"])]
    several = len({row["task"] for row in every if row["task"]}) > 1
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
    bars = chart_of(rows).mark_rect(color=COLOURS[0], opacity=0.75, stroke=GRID, strokeWidth=0.4, aria=True)
    line = chart_of([{"at": threshold}]).mark_rule(color=COLOURS[1], strokeWidth=2, strokeDash=[5, 3])
    drawn_bars = bars.encode(x=x, x2="to:Q", y=y, y2="base:Q", description="told:N")
    return alt.layer(drawn_bars, line.encode(x="at:Q")).properties(width=WIDTH, height=110)
