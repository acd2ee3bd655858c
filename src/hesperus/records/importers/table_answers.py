"""The answers of a user's table: verdicts as labels, and replies that are a label and nothing else."""

from __future__ import annotations

import polars as pl

from hesperus.records.importers.tool_answers import Kind, gold_labels, read_labels
from hesperus.records.labels import VERDICTS


def with_verdicts(frame: pl.DataFrame) -> pl.DataFrame:
    """Right and wrong as labels, where nothing else is known of the answers."""
    text = pl.col("correct").cast(pl.String).str.to_lowercase()
    answer = (
        pl.when(text.is_in(["1", "1.0", "true"]))
        .then(pl.lit(VERDICTS[0]))
        .when(text.is_in(["0", "0.0", "false"]))
        .then(pl.lit(VERDICTS[1]))
    )
    return frame.with_columns(
        answer=answer, gold=pl.lit(VERDICTS[0]), options=pl.lit(list(VERDICTS), dtype=pl.List(pl.String))
    ).drop("correct")


def unread(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Kind]]:
    """Rows with replies and no answers, their gold as labels; with what the labels of each task are."""
    parts, kinds = [], {}
    height = len(frame)
    told = frame["outcome"] if "outcome" in frame.columns else pl.Series([None]).new_from_index(0, height)
    # What the table says of a reply that is none holds; whether one has an answer is not known yet.
    kept = told.cast(pl.String).is_in(["error", "empty", "truncated", "refused", "blocked", "wrong_language"])
    blank = frame["reply"].cast(pl.String).str.strip_chars().fill_null("") == ""
    outcome = pl.when(kept.fill_null(False)).then(told.cast(pl.String)).when(blank).then(pl.lit("empty"))
    frame = frame.with_columns(
        outcome=outcome.otherwise(pl.lit("invalid")), answer=pl.lit(None, dtype=pl.String)
    )
    for (task,), part in frame.partition_by("task", as_dict=True, maintain_order=True).items():
        golds = part["gold"] if "gold" in part.columns else part["answer"]
        kinds[str(task)], gold = gold_labels(golds.cast(pl.String))
        parts.append(part.with_columns(gold=gold))
    return pl.concat(parts), kinds


def with_answers(frame: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """Answers of the replies of one task that are a label and nothing else; of what else they say, see `from_replies`."""
    options = frame["options"]
    if options.drop_nulls().len() and options.explode().drop_nulls().str.contains("^[A-Z]$").all():
        kind = "letter"
    answers, _ = read_labels(frame["reply"], kind)
    offered = pl.col("options").is_null() | pl.col("options").list.contains(pl.col("read"))
    is_read = (pl.col("outcome") == "invalid") & pl.col("read").is_not_null() & offered
    return (
        frame.with_columns(answers.alias("read"))
        .with_columns(
            answer=pl.when(is_read).then(pl.col("read")),
            outcome=pl.when(is_read).then(pl.lit("answered")).otherwise(pl.col("outcome")),
        )
        .drop("read")
    )
