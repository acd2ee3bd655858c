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
from hesperus.wording import sense_label

_MOST = 10
_LONGEST = 300


def worst_translations_blocks(scores: pl.DataFrame | None, items: pl.DataFrame | None) -> Iterator[Block]:
    """A heading and the ten translations with the lowest score; nothing without scores."""
    names = score_names(scores) if scores is not None else ()
    if scores is None or not names or scores[names[0]].count() == 0:
        return
    found = worst_translations(scores, items, names[0], most=_MOST)
    yield Section("The worst translations", "worst-translations", 3, "")
    yield Grid(
        f"The {len(found)} translations with the lowest {names[0]}, next to the original in the same language or else to what "
        "they were made from. Where many have the same score, the first by name. hesperus view RUN shows all of them.",
        (
            Column("score", names[0], "score"), Column("model", "Model"), Column("item", "Item"), Column("sense", "Sense"),
            Column("text", "Translation", "detail"), Column("other", "Next to", "detail"),
        ),
        tuple(map(_line, found)),
    )  # fmt: skip


def _line(one: ScoredTranslation) -> tuple[Number | str, ...]:
    kept = "not kept"
    other = _joined(one.other_texts, f" ({sense_label(one.other)})") if one.other else kept
    return (
        Number(one.score, "score"), one.model, one.item, sense_label(one.sense), _joined(one.texts) or kept, other,
    )  # fmt: skip


def _joined(texts: Sequence[tuple[str, Text]], end: str = "") -> str:
    if not texts:
        return end.strip()
    of = texts[0][1]
    text = shortened(" · ".join(text.text for _, text in texts), _LONGEST)
    return Wording.of(f"{text}{end}", of.language or "und", of.direction)
