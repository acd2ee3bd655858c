"""What a page shows of translations: quality against consistency as figures, and the translations with the lowest scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from hesperus.analysis.compared_pairs import compared_statistic
from hesperus.analysis.item_texts import Text
from hesperus.analysis.multisense_findings import MultisenseFindings
from hesperus.analysis.scores import ALL_SENSES
from hesperus.analysis.table import Table
from hesperus.analysis.worst_translations import ScoredTranslation, score_names, worst_translations
from hesperus.reports.blocks import Block, Section
from hesperus.reports.columns import Column
from hesperus.reports.drawing import Drawing
from hesperus.reports.grid import Grid, Number, Wording
from hesperus.reports.points import panel_titles, panelled
from hesperus.reports.tabulated import estimate_text
from hesperus.reports.theme import COLOURS, INK, NEUTRAL, SHAPES, SHARE, WIDTH, chart_of
from hesperus.untrusted import shortened
from hesperus.wording import SCORE_NAMES, language_label, parsed, target_label

FEW = 10
"""Bins of fewer answers are drawn hollow, and without an interval, which would be too short."""
_MOST_LINES = 8
"""Senses that get a line of their own behind that of all."""

_LINE, _BESIDE = 0.06, 0.07
"""Height of a label and width of a short one, as parts of the figure."""


def translation_drawings(found: MultisenseFindings) -> Iterator[Drawing]:
    """Translation quality against consistency: item by item in bins, and language by language."""
    if found.bins is None or found.translation is None:
        return
    for score in dict.fromkeys(str(row["score"]) for row in found.bins.rows):
        shown, table = SCORE_NAMES.get(score, score), "consistency by translation score"
        yield Drawing(
            "translation", f"translation-{score}", translation_bins_figure(found.bins, score=score),
            f"How often the answer stays the same when only the input is translated, by {shown} of the item's translation "
            "against the benchmark's own wording; above, the answers of each bin (hollow: fewer than ten).",
            table,
        )  # fmt: skip
        yield Drawing(
            "translation", f"translation-mean-{score}", translation_figure(found.translation, score=score),
            f"The same by language: mean {shown}, and how often the answer stays the same; lines are intervals.",
            table,
        )  # fmt: skip


def translation_figure(table: Table, *, score: str = "bleu") -> Any | None:
    """Mean score of the model's own translations against consistency (input made), a point a language and model."""
    points: dict[tuple[str, str], dict[str, object]] = {}
    for found, row in [*compared_statistic(table, "mean"), *compared_statistic(table, "consistency")]:
        if row["score"] != score or found.target is None:
            continue
        sense = parsed(found.target)
        point = points.setdefault((str(row["model"]), found.target), {"model": row["model"]})
        point["tag"] = sense.language if sense else found.target
        if row["statistic"] == "mean":
            point["score"] = row["value"]
        else:
            point |= {"value": row["value"], "low": row["low"], "high": row["high"]}
    rows = [point for point in points.values() if "score" in point and "value" in point]
    models = list(dict.fromkeys(str(row["model"]) for row in rows))
    if not rows:
        return None
    base = chart_of(_labeled_apart(rows)).encode(
        x=alt.X(
            "score:Q",
            title=f"mean {SCORE_NAMES.get(score, score)} of the translated input",
            scale=alt.Scale(zero=False, padding=14),
        ),
        color=alt.value(COLOURS[0]),
    )
    if 1 < len(models) <= len(COLOURS):
        palette = alt.Scale(domain=models, range=list(COLOURS)[: len(models)])
        base = base.encode(color=alt.Color("model:N", scale=palette, title=None))
    y = alt.Y(
        "value:Q", axis=SHARE, title="answers that stay the same (X)", scale=alt.Scale(zero=False, nice=True)
    )
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(y=y)
    if 1 < len(models) <= len(COLOURS):
        forms = alt.Scale(domain=models, range=list(SHAPES)[: len(models)])
        dots = dots.encode(shape=alt.Shape("model:N", scale=forms, title=None))
    bars = base.mark_rule(strokeWidth=1.4).encode(y=alt.Y("low:Q"), y2="high:Q")
    names = base.mark_text(align="left", dx=7, dy=-6).encode(
        y="label at:Q", text="tag:N", color=alt.value(INK)
    )
    return alt.layer(bars, dots, names).properties(width=WIDTH, height=300)


def _labeled_apart(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Points with heights for their labels, such that labels of points side by side are a line apart."""
    ends = [float(row[name]) for row in rows for name in ("value", "low", "high") if row[name] is not None]
    scores = [float(row["score"]) for row in rows]
    line, near = _LINE * (max(ends) - min(ends)), _BESIDE * (max(scores) - min(scores))
    placed: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: (row["value"], str(row["tag"]))):
        taken = [one["label at"] for one in placed if abs(one["score"] - row["score"]) <= near]
        placed.append({**row, "label at": max([row["value"], *(at + line for at in taken)])})
    return placed


def translation_bins_figure(bins: Table, *, score: str = "bleu") -> Any | None:
    """Consistency by bin of a score, with intervals and numbers of answers, a panel a model; None without such rows.

    Where a model has several made senses, the dark points take all together, and lines of single ones are behind.
    """
    rows = [row for row in bins.rows if row["score"] == score and row["value"] is not None]
    title = panel_titles(rows)
    placed = [{**row, "panel": title(row)} for row in rows]
    return panelled(placed, lambda held, heading: _panel(held, score, heading), across=3)


def _panel(rows: Sequence[Any], score: str, heading: dict[str, str]) -> Any:
    senses = list(dict.fromkeys(str(row["sense"]) for row in rows))
    main = ALL_SENSES if ALL_SENSES in senses else senses[0]
    points = [_point(row) for row in rows]
    x = alt.X(
        "middle:Q",
        title=f"{SCORE_NAMES.get(score, score)} of the item's translation",
        scale=alt.Scale(domain=_span(rows)),
    )
    y = alt.Y(
        "value:Q",
        title="answers that stay the same (X)",
        axis=alt.Axis(format=".2~%", values=[0, 0.2, 0.4, 0.6, 0.8, 1], labelOverlap=False),
        scale=alt.Scale(domain=[0, 1.14], nice=False),
    )
    layers = []
    others = [sense for sense in senses if sense != main]
    if 0 < len(others) <= _MOST_LINES and any(p["many"] and p["sense"] in others for p in points):
        behind = chart_of([point for point in points if point["sense"] in others and point["many"]])
        layers.append(
            behind.mark_line(color=NEUTRAL, opacity=0.55, strokeWidth=1).encode(x=x, y=y, detail="sense:N")
        )
        small = behind.mark_point(filled=True, color=NEUTRAL, size=14, opacity=0.7, aria=True)
        layers.append(small.encode(x=x, y=y, description="told:N"))
    shown = [point for point in points if point["sense"] == main]
    sure = [point for point in shown if point["many"]]
    if sure:
        base = chart_of(sure).encode(x=x)
        layers += [
            base.mark_line(color=COLOURS[0], strokeWidth=1.6).encode(y=y),
            base.mark_rule(color=COLOURS[0], strokeWidth=1.6).encode(y="low:Q", y2="high:Q"),
        ]
    base = chart_of(shown).encode(x=x)
    ring = base.mark_point(color=COLOURS[0], size=58, strokeWidth=1.6, opacity=1, aria=True)
    fill = alt.condition("datum.many", alt.value(COLOURS[0]), alt.value("transparent"))
    layers += [
        ring.encode(y=y, fill=fill, description="told:N"),
        base.mark_text(baseline="bottom", fontSize=10, color=INK).encode(y=alt.datum(1.06), text="count:N"),
    ]
    return alt.layer(*layers).properties(width=250, height=200, **heading)


def _span(rows: Sequence[Any]) -> list[float]:
    """The whole range of scores that have one, so that panels can be compared; else that of the bins."""
    low, high = (pick(float(row[side]) for row in rows) for pick, side in ((min, "from"), (max, "to")))
    whole = next((top for top in (1.0, 100.0) if low >= 0 and high <= top), None)
    if whole is not None:
        return [0.0, whole]
    return [low, high] if low < high else [low - 1, high + 1]


def _point(row: Any) -> dict[str, object]:
    sense = parsed(str(row["sense"]))
    name = (
        language_label(sense.language)
        if sense is not None and row["sense"] != ALL_SENSES
        else "all made senses"
    )
    return {
        "sense": row["sense"],
        "middle": (row["from"] + row["to"]) / 2,
        "value": row["value"],
        "low": row["low"],
        "high": row["high"],
        "count": f"{row['answers']:,}",
        "many": row["answers"] >= FEW,
        "told": f"{name}, {row['from']:g} to {row['to']:g}: {estimate_text(row, 'share')} of {row['answers']:,} answers",
    }


_MOST = 10
_ALIKE = 20
"""Translations that are looked at for each that is shown: models translate alike."""
_LONGEST = 300


def worst_translations_blocks(scores: pl.DataFrame | None, items: pl.DataFrame | None) -> Iterator[Block]:
    """A heading and the ten translations with the lowest score; not those that are the very text with which they are compared."""
    names = score_names(scores) if scores is not None else ()
    if scores is None or not names or scores[names[0]].count() == 0:
        return
    found = worst_translations(scores, items, names[0], most=_MOST * _ALIKE)
    best = float(scores[names[0]].max())  # type: ignore[arg-type]
    alike: dict[tuple[str, ...], list[ScoredTranslation]] = {}
    for one in found:
        if one.score < best or one.texts != one.other_texts:
            alike.setdefault((f"{one.score}", one.item, one.sense, _joined(one.texts)), []).append(one)
    if not alike:
        return
    lines = tuple(map(_line, list(alike.values())[:_MOST]))
    has_options = any(name.startswith("option ") for one in found for name, _ in one.texts)
    unscored = "The score is that of the question; its options are shown and not scored. " * has_options
    score = SCORE_NAMES.get(names[0], names[0])
    yield Section("The worst translations", "worst-translations", 3, "")
    yield Grid(
        f"Translations with the lowest {score}, next to what they are compared with: the benchmark's own text in that language, or "
        f"else what was translated. {unscored}Models that translate alike share a line. hesperus view RUN shows all.",
        (
            Column("score", score, "score"), Column("model", "Model"), Column("item", "Item"), Column("sense", "Translated into", "detail"),
            Column("text", "Translation", "detail"), Column("other", "Compared with", "detail"),
        ),
        lines,
    )  # fmt: skip


def _line(alike: Sequence[ScoredTranslation]) -> tuple[Number | str, ...]:
    one = alike[0]
    models = ", ".join(dict.fromkeys(held.model for held in alike))
    return (
        Number(one.score, "score"), models, one.item, target_label(one.sense), _joined(one.texts), _joined(one.other_texts),
    )  # fmt: skip


def _joined(texts: Sequence[tuple[str, Text]]) -> str:
    if not texts:
        return "not kept"
    of = texts[0][1]
    text = shortened(" · ".join(text.text for _, text in texts), _LONGEST)
    return Wording.of(text, of.language or "und", of.direction)
