"""What to know of the language packs by which the answers of a run were read."""

from __future__ import annotations

import polars as pl

from hesperus.errors import UnknownNameError
from hesperus.languages import Pack, language_asked, pack
from hesperus.wording import joined, language_name

_MOST_NAMES = 6
"""Languages that a sentence names in words; of more it gives the tags."""


def pack_notes(records: pl.DataFrame) -> list[str]:
    """One sentence where answers were read by packs that no native reader has confirmed; one if there is no pack.

    Args:
        records: A records table; rows without a rule, or answered by probabilities, were read by no words.
    """
    if "rule" not in records.columns:
        return []
    rules = records.select("instruction", pl.col("rule")).unique().with_columns(pl.all().cast(pl.String))
    read = rules.filter(pl.col("rule").is_not_null() & ~pl.col("rule").str.starts_with("logprobs"))
    tags = sorted({tag for code in read["instruction"].unique() if (tag := language_asked(code))})
    packs = {tag: _pack_or_none(tag) for tag in tags}
    told = []
    if unconfirmed := [tag for tag, found in packs.items() if found is not None and found.reviewed == "no"]:
        told.append(
            f"Answers in {_named(unconfirmed)} are read by language packs that no native reader has confirmed."
        )
    if without := [tag for tag, found in packs.items() if found is None]:
        told.append(
            f"There is no language pack for {_named(without)}: answers are read by English words and Latin letters."
        )
    return told


def _pack_or_none(tag: str) -> Pack | None:
    try:
        return pack(tag)
    except UnknownNameError:
        return None


def _named(tags: list[str]) -> str:
    if len(tags) <= _MOST_NAMES:
        return joined([language_name(tag) for tag in tags])
    return f"{len(tags)} languages ({', '.join(tags)})"
