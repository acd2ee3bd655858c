"""Gold texts as labels, and the verdicts of the tools next to ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from hesperus.normalization import comparable
from hesperus.records.importers.import_settings import VERDICT, Log

_EXAMPLES = 3


def labelled(task: str, logs: Sequence[Log], notes: list[str]) -> list[Log]:
    """Give gold texts one label per item: English gold, or that of the first language that has the item.

    An answer gets the label of its item where it is the gold text of its own language (see `normalization.comparable`), or
    where the tool counted it as right; any other is its words in the form in which they are compared. So a right answer is
    the same label in every language, though Rome and Rom are not the same words.

    Args:
        task: Its name, for the notes.
        logs: The logs of the task with text as gold.
        notes: Takes what a reader should know.
    """
    if not logs:
        return []
    ranked = sorted(logs, key=lambda log: (log.language != "en", log.language, log.model))
    canonical = pl.concat([log.rows.select("item", label="gold").drop_nulls() for log in ranked]).unique(
        "item", keep="first", maintain_order=True
    )
    found, more = [], 0
    for log in logs:
        rows, trusted = _labelled(log.rows, canonical)
        found.append(replace(log, rows=rows))
        more += trusted
    told = f"; {more:,} answers in other words are right by the tool's verdict" if more else ""
    notes.append(
        f"{task}: gold is text; an answer in the words of its language's gold has the label of its item{told}"
    )
    return found


def _labelled(rows: pl.DataFrame, canonical: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    forms = {
        text: comparable(text) for name in ("answer", "gold") for text in rows[name].drop_nulls().unique()
    }
    joined = rows.join(canonical, on="item", how="left", maintain_order="left")
    answer = pl.col("answer").replace_strict(forms, default=None, return_dtype=pl.String)
    gold = pl.col("gold").replace_strict(forms, default=None, return_dtype=pl.String)
    verdict = pl.col(VERDICT).fill_null(False) if VERDICT in rows.columns else pl.lit(False)
    joined = joined.with_columns(same=(answer == gold).fill_null(False), form=answer).with_columns(
        trusted=verdict & ~pl.col("same") & pl.col("answer").is_not_null() & pl.col("label").is_not_null()
    )
    labels = pl.when(pl.col("same") | pl.col("trusted")).then(pl.col("label")).otherwise(pl.col("form"))
    done = joined.with_columns(
        answer=pl.when(labels == "").then(pl.col("answer")).otherwise(labels),
        gold=pl.when(pl.col("gold").is_not_null()).then(pl.col("label")),
    )
    return done.select(rows.columns), int(joined["trusted"].sum())


def disagreements(task: str, logs: Sequence[Log]) -> list[str]:
    """Say in how many rows the tool's verdict is another than ours, with examples."""
    compared, differ = 0, 0
    examples: list[str] = []
    for log in logs:
        if VERDICT not in log.rows.columns:
            continue
        both = log.rows.filter(
            pl.col(VERDICT).is_not_null() & pl.col("gold").is_not_null() & (pl.col("outcome") != "error")
        )
        ours = (pl.col("answer") == pl.col("gold")).fill_null(False)
        other = both.filter(ours != pl.col(VERDICT))
        compared += len(both)
        differ += len(other)
        for row in other.head(_EXAMPLES - len(examples)).iter_rows(named=True):
            said = "right" if row[VERDICT] else "wrong"
            examples.append(
                f"{log.place}, item {row['item']!r}: answer {row['answer']!r}, gold {row['gold']!r}, {said} by the log"
            )
    if not differ:
        return []
    return [
        f"{task}: the log's verdict is another than ours in {differ:,} of {compared:,} rows: {'; '.join(examples)}"
    ]
