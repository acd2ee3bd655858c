"""What to know of the right answers of records: where only verdicts are known, and where gold is taken over from another sense."""

from __future__ import annotations

import polars as pl

from hesperus.records.labels import VERDICTS
from hesperus.wording import counted

_MOST_NAMED = 6


def gold_notes(records: pl.DataFrame) -> list[str]:
    """A sentence on each task that has verdicts in place of answers, gold in other words in other senses, or in some senses only.

    Args:
        records: A records table.
    """
    verdicts = pl.col("options").list.eval(pl.element().is_in(VERDICTS)).list.all()
    two = records.select("task", "options").filter(pl.col("options").list.len() == len(VERDICTS))
    only = two.unique(maintain_order=True).filter(verdicts)
    told = [
        f"{task}: of each answer it is only known whether it is right; “same answer” means right on both sides or wrong on "
        "both, and two wrong answers may differ"
        for task in only["task"].unique(maintain_order=True)
    ]
    told += _other_words(records)
    if not records["gold"].null_count():
        return told
    without = pl.col("gold").is_null()
    some = records.filter(
        (without.any() & (pl.col("gold").drop_nulls().n_unique() == 1)).over("task", "item")
    )
    for (task,), part in some.partition_by("task", as_dict=True, maintain_order=True).items():
        codes = part.filter(without)["input"].unique().sort().to_list()
        rest = f" and {len(codes) - _MOST_NAMED:,} more" if len(codes) > _MOST_NAMED else ""
        told.append(
            f"{task}: {counted(part['item'].n_unique(), 'item')} without gold in {', '.join(codes[:_MOST_NAMED])}{rest}: "
            "accuracy there excludes them; numbers over several senses (κp, accuracy over all languages) take the gold of the others"
        )
    return told


def _other_words(records: pl.DataFrame) -> list[str]:
    """Tasks in which right answers to an item are not the same label in all senses: Rome and Rom."""
    right = records.lazy().filter((pl.col("answer") == pl.col("gold")).fill_null(False))
    golds = right.group_by("task", "item").agg(pl.col("gold").unique().sort())
    found = golds.filter(pl.col("gold").list.len() > 1).sort("task", "item").collect()
    told = []
    for (task,), part in found.partition_by("task", as_dict=True, maintain_order=True).items():
        one, other = part["gold"][0][:2]
        told.append(
            f"{task}: {counted(len(part), 'item')} answered rightly in several senses under different labels (first {one!r} and "
            f"{other!r}): consistency counts these as different answers; write one label in every language, as `hesperus import` does"
        )
    return told
