"""What to know of the right answers of records: where only verdicts are known, and where gold is taken over from another sense."""

from __future__ import annotations

import polars as pl

from hesperus.records.labels import VERDICTS
from hesperus.wording import counted

_MOST_NAMED = 6


def gold_notes(records: pl.DataFrame) -> list[str]:
    """A sentence on each task that has verdicts in place of answers, or gold in some senses of an item only.

    Args:
        records: A records table.
    """
    verdicts = pl.col("options").list.eval(pl.element().is_in(VERDICTS)).list.all()
    only = records.filter(pl.col("options").list.len() == len(VERDICTS), verdicts)
    told = [
        f"{task}: of each answer it is only known whether it is right; “same answer” means right on both sides or wrong on "
        "both, and two wrong answers may differ"
        for task in only["task"].unique(maintain_order=True)
    ]
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
