"""The figures of an audit with their words, as far as there is something to draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.evidence import Evidence
from hesperus.reports.drawing import Drawing
from hesperus.reports.tax.tax_figures import Dot, bounds_figure, contrast_figure, quality_figure
from hesperus.reports.tax.tax_grids import bound_name
from hesperus.reports.tax.tax_wording import (
    interval,
    over,
    plain_interval,
    rows_of,
    who,
)
from hesperus.reports.translation_figures import SCORE_NAMES
from hesperus.rounding import cell
from hesperus.wording import counted

_REPORTED = "all models, each item with all of them: to report"


def drawings(tables: Mapping[str, Table], evidence: Evidence) -> list[Drawing]:
    """Every figure for which there is something to draw."""
    drawn = evidence.settings.bootstrap
    level = f"{100 * drawn.level:g} %" if drawn.resamples else "no"
    made = [
        _quality(evidence),
        _back(tables.get("back_translation"), level),
        _without(tables.get("back_translation"), level),
        _native(tables.get("native_control"), level),
        _strata(tables.get("naturalisation"), level),
        _natural(tables.get("naturalisation"), level),
        _rating(tables.get("rating"), level),
        _bounds(tables.get("bounds"), level),
    ]
    return [drawing for drawing in made if drawing.chart is not None]


def _quality(evidence: Evidence) -> Drawing:
    metric, chart = evidence.quality.metric, None
    if evidence.scores is not None:
        held = evidence.scores.filter(pl.col("sense") == (evidence.senses.back or ""))[metric].drop_nulls()
        chart = quality_figure(held.to_list(), SCORE_NAMES.get(metric, metric), evidence.quality.threshold)
    return Drawing(
        "quality", "quality", chart,
        f"Back-translations by their {SCORE_NAMES.get(metric, metric)} against the original; what lies left of the dashed line (the quality threshold, "
        f"{evidence.quality.threshold:g}) is excluded.",
        "what was compared",
    )  # fmt: skip


def _back(found: Table | None, level: str) -> Drawing:
    rows = list(rows_of(found, "clustered", "cell"))
    several = len({row["task"] for row in rows if row["analysis"] == "cell"}) > 1
    dots = [
        _dot(row, 0 if not row["group"] else 1)
        for row in rows
        if row["analysis"] == "clustered" and _known(row)
    ]
    if several:
        dots = [_in(dot, "all benchmarks") for dot in dots]
    for row in rows:
        if row["analysis"] == "cell" and _known(row):
            dots.append(_in(_dot(row, 2), str(row["task"])) if several else _dot(row, 2))
    kinds = (_REPORTED, "one group of models", "one model")
    title = "right on the original minus right on what came back, percentage points"
    return Drawing(
        "back_translation", "back_translation", contrast_figure(dots, kinds, title, missing=_missing(rows)),
        f"E1: what the way back costs, with {level} intervals. Right of the line the models lose; the diamond is the "
        "estimate to report, for which items are resampled with all their models.",
        "each model, and over several models",
    )  # fmt: skip


def _without(found: Table | None, level: str) -> Drawing:
    rows = list(
        rows_of(found, "clustered", "without model", "without parser-sensitive models", "one benchmark")
    )
    kept = [row for row in rows if row["analysis"] != "clustered" or not row["group"]]
    chart = None
    if len(kept) > 1:
        dots = [_dot(row, 0 if row["analysis"] == "clustered" else 1) for row in kept if _known(row)]
        kinds = (_REPORTED, "the same with a part left out")
        chart = contrast_figure(dots, kinds, "percentage points", missing=_missing(kept))
    return Drawing(
        "back_translation-without", "back_translation-without", chart,
        f"E1 without each model in turn, without models that are often without a valid answer, and of each benchmark alone; {level} "
        "intervals. Where a line's side of 0 changes, the estimate depends on what was left out.",
        "estimates over several models",
    )  # fmt: skip


def _native(found: Table | None, level: str) -> Drawing:
    rows = [row for row in found.rows if row["statistic"] == "gap"] if found is not None else []
    pooled, single = [row for row in rows if not row["model"]], [row for row in rows if row["model"]]
    dots = []
    for row in (*pooled, *single):
        name = who(row)
        if _known(row):
            dots.append(Dot(name, 1 if not row["model"] else 2, *_ends(row), _told(name, row)))
    kinds = ("", "several models, each item with all of them", "one model")
    return Drawing(
        "native_control", "native_control", contrast_figure(dots, kinds, "right on the translated minus right on the native, percentage points"),
        f"E3: the gap between the translated items and native ones, with {level} intervals. The items are others, so a gap "
        "is no effect of the translation alone.",
        "translated minus native",
    )  # fmt: skip


def _strata(found: Table | None, level: str) -> Drawing:
    rows = list(rows_of(found, "pooled", "stratum", "strata"))
    dots = []
    for row in rows:
        if _known(row):
            kind = 0 if row["analysis"] == "pooled" else 2 if row["group"] else 1
            dots.append(Dot(_stratum(row), kind, *_ends(row), _told(over(row), row)))
    kinds = (
        "all strata, each item with all models: to report",
        "a stratum",
        "a stratum, one group of models",
    )
    title = "right on the natural minus right on the translated, percentage points"
    return Drawing(
        "naturalisation", "naturalisation", contrast_figure(dots, kinds, title, missing=_missing(rows)),
        f"E4: what natural rewriting gives, by stratum, with {level} intervals. high: full of cues, as the strata were "
        "fixed before any rewriting; low: free of them; disagreement: the majorities of two groups differed.",
        "estimates over several models",
    )  # fmt: skip


def _stratum(row: Row) -> str:
    """Name of a line: the stratum, the group, and how many items it rests on."""
    name = str(row["stratum"]) or "all strata"
    name += f", {row['group']}" if row["group"] else ""
    return f"{name} ({counted(row['n'], 'item')}{' or more' if row['analysis'] == 'strata' else ''})"


def _natural(found: Table | None, level: str) -> Drawing:
    analyses = ("pooled", "group", "groups", "model", "without model", "without parser-sensitive models")
    rows = [row for row in rows_of(found, *analyses) if not row["stratum"]]
    rows += [row for row in _passed(found) if not row["stratum"]]
    dots = []
    for row in rows:
        if _known(row):
            kind = 0 if row["analysis"] == "pooled" else 2 if row["analysis"] == "model" else 1
            name = str(row["analysis"]) if str(row["analysis"]).startswith("passed by") else over(row)
            dots.append(Dot(name, kind, *_ends(row), _told(name, row)))
    kinds = ("all models: to report", "a part of the models or of the items", "one model")
    title = "right on the natural minus right on the translated, percentage points"
    return Drawing(
        "naturalisation-models", "naturalisation-models", contrast_figure(dots, kinds, title, missing=_missing(rows)),
        f"E4 by group and model, without each model, and over the items that each checker passed; {level} intervals.",
        "estimates over several models",
    )  # fmt: skip


def _passed(found: Table | None) -> Iterator[Row]:
    for row in found.rows if found is not None else ():
        if str(row["analysis"]).startswith("passed by"):
            yield row


def _rating(found: Table | None, level: str) -> Drawing:
    rows: Sequence[Row] = found.rows if found is not None else ()
    several = len({row["question"] for row in rows}) > 1
    dots = []
    for row in rows:
        name = who(row)
        if _known(row):
            kind = 2 if row["model"] else 1 if row["group"] else 0
            told = f"{name}, {row['question']}: ρ {plain_interval(row)}, {counted(row['n'], 'item')}"
            ends = (row["value"], row["low"], row["high"])
            dots.append(Dot(name, kind, *ends, told, str(row["question"]) if several else ""))
    kinds = ("all models", "one group of models", "one model")
    return Drawing(
        "rating", "rating", contrast_figure(dots, kinds, "Spearman's ρ of rating and tax", least=0.4),
        f"E2: does what people see in an item go with its tax? {level} intervals; right of the line it does.",
        "ρ of each item's mean rating with its tax",
    )  # fmt: skip


def _bounds(found: Table | None, level: str) -> Drawing:
    rows: Sequence[Row] = found.rows if found is not None else ()
    several = len({row["task"] for row in rows if row["task"]}) > 1
    lines = []
    for row in rows:
        if None in (row["lowest"], row["highest"], row["low"], row["high"]):
            continue
        name = bound_name(row, several=several)
        ends = {
            key: None if row[key] is None else 100 * row[key]
            for key in ("value", "lowest", "highest", "low", "high")
        }
        told = f"{name}: {'undefined' if row['value'] is None else cell(row['value'], 'points')}, "
        told += f"from {cell(row['lowest'], 'points')} to {cell(row['highest'], 'points')}, {counted(row['n'], 'item')}"
        lines.append({"panel": str(row["comparison"]), "line": name, "told": told, **ends})
    return Drawing(
        "bounds", "bounds", bounds_figure(lines, "percentage points"),
        "What invalid answers could do: the broad bar reaches from the lowest to the highest difference that they allow, "
        + ("" if level == "no" else f"the thin line adds the {level} intervals of these two, ")
        + "the point is the estimate without them.",
        "bounds",
    )  # fmt: skip


def _known(row: Row) -> bool:
    return row["value"] is not None


def _missing(rows: Iterable[Row]) -> list[str]:
    return [over(row) for row in rows if not _known(row)]


def _ends(row: Row) -> tuple[float, float | None, float | None]:
    low, high = (None if row[name] is None else 100 * row[name] for name in ("low", "high"))
    return 100 * row["value"], low, high


def _told(name: str, row: Row) -> str:
    told = f"{name}: {interval(row)} points, {counted(row['n'], 'item')}"
    if row.get("positive") is not None:
        told += f", discordant {row['positive']:,} and {row['negative']:,}"
    if row.get("p") is not None:
        told += f", p {cell(row['p'])}"
    return told + (f", {row['excluded']:,} excluded" if row["excluded"] else "")


def _dot(row: Row, kind: int) -> Dot:
    return Dot(over(row), kind, *_ends(row), _told(over(row), row))


def _in(dot: Dot, panel: str) -> Dot:
    return Dot(dot.line, dot.kind, dot.value, dot.low, dot.high, dot.told, panel)
