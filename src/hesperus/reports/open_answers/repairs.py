"""The translations: what had to be made again, by which way, and what was given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hesperus.analysis.families import family_key
from hesperus.analysis.item_texts import Text
from hesperus.reports.blocks import Item, Side
from hesperus.reports.columns import Column
from hesperus.reports.grid import Grid
from hesperus.reports.open_answers.open_wording import FAULT_WORDS, RUNG_WORDS
from hesperus.reports.tabulated import tabulated
from hesperus.rounding import cell
from hesperus.wording import language_label

MOST_SHOWN = 12
"""Sentences that are shown of those given up."""

_FIRST = "first"


def repairs_grid(sentences: pl.DataFrame) -> Grid | None:
    """A line for each language: sentences, repairs by rung, what was given up, and the faults; None without sentences.

    Args:
        sentences: The sentences of an evaluation, those of the control among them.
    """
    if sentences.is_empty():
        return None
    rungs = [rung for rung in RUNG_WORDS if rung != _FIRST and (sentences["rung"] == rung).any()]
    rungs += [str(rung) for rung in sentences["rung"].unique().sort() if rung not in RUNG_WORDS]
    rows = []
    for side, said in (("score", "the answers"), ("ceiling", "the control, its way back")):
        here = sentences.filter(pl.col("side_by_side") == side)
        for tag in sorted(here["language"].unique(), key=family_key):
            held = here.filter(pl.col("language") == tag)
            kept = held.filter(pl.col("faults") != "")
            rows.append(
                {
                    "language": tag,
                    "of": said,
                    "sentences": held.height,
                    **{f"rung.{rung}": held.filter(pl.col("rung") == rung).height for rung in rungs},
                    "kept": f"{kept.height:,} ({cell(kept.height / held.height, 'share')})",
                    "found": _kinds(held["faults_before"].to_list()),
                    "stayed": _kinds(kept["faults"].to_list()),
                }
            )
    heads = [Column("sentences", "Sentences", "count")]
    heads += [Column(f"rung.{rung}", f"Repaired {RUNG_WORDS.get(rung, rung)}", "count") for rung in rungs]
    heads += [
        Column("kept", "Given up", "range"),
        Column("found", "Faults found"),
        Column("stayed", "Faults that stayed"),
    ]
    return tabulated(
        "Translated sentences. A sentence whose translation degenerates (repeats itself, stays as it was, turns into another "
        "language, loses numbers) is made again in other ways until one has no fault; where none has, the best is kept and "
        "counts as given up. Equal sentences of several answers are counted each time.",
        rows,
        ("language", Column("of", "Of")),
        heads,
    )


def _kinds(texts: Sequence[str]) -> str:
    """Kinds of faults with their numbers, the most frequent first: ``3 numbers lost or added, 1 empty``."""
    counts: dict[str, int] = {}
    for text in texts:
        for fault in text.split("; ") if text else ():
            kind = fault.partition(":")[0]
            if kind in FAULT_WORDS:
                counts[kind] = counts.get(kind, 0) + 1
    told = (
        f"{count:,} {FAULT_WORDS[kind]}"
        for kind, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    )
    return ", ".join(told) or "none"


def given_up(sentences: pl.DataFrame, reference: str) -> tuple[list[Item], int]:
    """Some sentences of the answers that were given up, each source once, languages in turn; and how many there are.

    Args:
        sentences: As in repairs_grid.
        reference: Language of the translations.
    """
    if sentences.is_empty():
        return [], 0
    kept = sentences.filter((pl.col("side_by_side") == "score") & (pl.col("faults") != ""))
    turns = (
        kept.unique(["language", "source"], keep="first", maintain_order=True)
        .with_columns(turn=pl.int_range(pl.len()).over("language"))
        .sort("turn", "language", maintain_order=True)
    )
    return [_given_up(row, reference) for row in turns.head(MOST_SHOWN).to_dicts()], kept.height


def _given_up(row: Mapping[str, object], reference: str) -> Item:
    where = f"{row['model']}, {language_label(str(row['language']))}, item {row['item']}"
    source = Text(str(row["source"]), str(row["language"]))
    translation = Text(str(row["translation"]), reference)
    sides = (
        Side("", texts=(("sentence", source),)),
        Side("", texts=(("translation that was kept", translation),)),
    )
    return Item(f"{where}: {row['faults']}", sides)
