"""The translations with the lowest scores, as a table of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from hesperus.analysis.item_texts import Text
from hesperus.analysis.worst_translations import ScoredTranslation, score_names, worst_translations
from hesperus.reports.blocks import Block, Section
from hesperus.reports.columns import Column
from hesperus.reports.grid import Grid, Number, Wording
from hesperus.untrusted import shortened
from hesperus.wording import SCORE_NAMES, target_label

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
    score = SCORE_NAMES.get(names[0], names[0])
    yield Section("The worst translations", "worst-translations", 3, "")
    yield Grid(
        f"Translations with the lowest {score}, next to what they are compared with: the benchmark's own text in that language, or "
        f"else what was translated. {_unscored(found)}Models that translate alike share a line. hesperus view RUN shows all.",
        (
            Column("score", score, "score"), Column("model", "Model"), Column("item", "Item"), Column("sense", "Translated into", "detail"),
            Column("text", "Translation", "detail"), Column("other", "Compared with", "detail"),
        ),
        lines,
    )  # fmt: skip


def _unscored(found: Sequence[ScoredTranslation]) -> str:
    has_options = any(name.startswith("option ") for one in found for name, _ in one.texts)
    return "The score is that of the question; its options are shown and not scored. " if has_options else ""


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
