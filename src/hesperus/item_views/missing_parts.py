"""What a run lacks, and how to get it: said alike by its page and by the explorer."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from hesperus.records import Run
from hesperus.wording import counted, sense_brief

_MOST_NAMED = 4


def missing_parts(run: Run) -> tuple[str, ...]:
    """Sentences, each about something that is missing; empty if nothing is."""
    return (*limits(run), *minor_parts(run))


def limits(run: Run) -> tuple[str, ...]:
    """What is missing and decides what the numbers mean, which belongs before the first of them."""
    return tuple(_limits(run))


def minor_parts(run: Run) -> tuple[str, ...]:
    """What else is missing."""
    return () if run.records.is_empty() else tuple(_minor_parts(run))


def _limits(run: Run) -> Iterator[str]:
    records = run.records
    if not run.whole:
        yield (
            "No signature.json, which a run gets last: it was not written to its end, or another tool wrote these records. The "
            "same `hesperus run` goes on where it stopped; until then nothing here says how the records were made."
        )
    if records.is_empty():
        yield "Nothing was asked: `hesperus run STUDY.yaml` asks, `hesperus import SOURCE` brings the logs of another tool."
        return
    yield from _silent(records)
    # An item is asked once of a model in a sense, so that the first asks need not be told apart.
    first = records.lazy().filter(pl.col("repeat") == pl.col("repeat").min())
    cells = first.group_by("task", "model", "instruction", "input").agg(pl.len().alias("items")).collect()
    yield from _unfinished(cells)
    if cells.select("instruction", "input").n_unique() == 1:
        flag = "--language" if run.study.get("study") == "similarity" else "--target"
        yield (
            f"One language, so that nothing is compared across languages: `hesperus run` with `{flag} TAG` asks the same questions "
            "in another; of imported logs, give `hesperus import` those of several languages together."
        )
    if not _holds(records, "gold") and not _is_open(records):
        yield (
            "No right answers, so that nothing is said of accuracy or of agreement beyond chance: records with a column gold, or "
            "a task with answers, have them."
        )


def _minor_parts(run: Run) -> Iterator[str]:
    records = run.records
    if _holds(records, "options") and not _holds(records, "probs"):
        yield (
            "No probabilities of options, so that nothing is said of confidence: `hesperus run` with `--scoring both` asks for them "
            "where the model gives any."
        )
    yield from _texts(run)


def _silent(records: pl.DataFrame) -> Iterator[str]:
    """A run without one answer."""
    outcomes = set(records["outcome"].unique())
    if outcomes == {"error"}:
        yield (
            "No question has a reply: `hesperus doctor` says whether the model can be reached and has a key; then the same "
            "`hesperus run` asks again what failed."
        )
    elif "answered" not in outcomes:
        yield (
            "No reply holds an answer: `hesperus view RUN` shows the replies. Cut off ones need a higher `--max-tokens`; those that "
            "answer in other words are read again by `hesperus reread RUN --out RUN2`, which asks nothing."
        )


def _unfinished(cells: pl.DataFrame) -> Iterator[str]:
    """Models and senses with fewer items than others of the same task, from the number of items of each."""
    # A sense that was asked of part of the items by design has as many of each model.
    most = pl.col("items").max().over("task", "instruction", "input")
    short = cells.filter(pl.col("items") < most).sort("task", "model", "input", "instruction")
    if short.is_empty():
        half = _half_finished(cells)
        if half:
            yield half
        return
    absent = int(cells.select((most - pl.col("items")).sum()).item())
    named = [f"{row['model']} in {sense_brief(row['input'])}" for row in short.head(_MOST_NAMED).to_dicts()]
    rest = f" and {short.height - len(named)} more" if short.height > len(named) else ""
    yield (
        f"Not finished: {counted(absent, 'question')} that others were asked {'is' if absent == 1 else 'are'} missing "
        f"({', '.join(named)}{rest}). The same `hesperus run` goes on where it stopped."
    )


def _half_finished(cells: pl.DataFrame) -> str:
    """Where all models lack the same: originals that were asked of part of the items."""
    counts = (
        cells.filter(pl.col("instruction") == pl.col("input"))
        .group_by("task", "input")
        .agg(pl.col("items").max())
    )
    most = pl.col("items").max().over("task")
    short = counts.filter(pl.col("items") < most).sort("task", "input")
    if short.is_empty():
        return ""
    named = ", ".join(map(sense_brief, short["input"].head(_MOST_NAMED)))
    return (
        f"Not every question was asked in every language (fewer in {named}): numbers that compare languages rest on those that "
        "both have. If the run was stopped, the same `hesperus run` goes on."
    )


def _texts(run: Run) -> Iterator[str]:
    items = run.items
    if items is None or items.is_empty():
        yield (
            "No texts of the questions: put an `items.parquet` into the run folder; `hesperus import` writes it where logs or "
            "tables hold the texts and `--no-texts` is not given."
        )
        return
    asked = run.records["item"].unique()
    lacking = asked.filter(~asked.is_in(items["item"].unique().implode()))
    if len(lacking):
        named = ", ".join(sorted(lacking)[:_MOST_NAMED])
        yield (
            f"No texts of {counted(len(lacking), 'item')} of {len(asked):,} ({named}): they are not in `items.parquet`; their "
            "answers count."
        )


def _holds(records: pl.DataFrame, name: str) -> bool:
    return name in records.columns and bool(records[name].is_not_null().any())


def _is_open(records: pl.DataFrame) -> bool:
    """Answers that are texts of their own, which have no gold label by design."""
    return "rule" in records.columns and bool((records["rule"] == "whole text").any())
