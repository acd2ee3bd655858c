"""Which report a run gets: that of senses, or that of similarity."""

from __future__ import annotations

from typing import Literal

import polars as pl

from hesperus.errors import UsageError
from hesperus.records import Run
from hesperus.reports.wording import parsed

StudyKind = Literal["multisense", "similarity"]


def study_kind(run: Run) -> StudyKind:
    """What the study file says; for records of another origin, what they hold.

    Where a sense was made from another, the report of senses compares what was made with what it was made from. Where
    nothing was made, and a model was asked in several languages, or several models in one, they are compared as in a
    similarity study.

    Raises:
        UsageError: The run is one of open answers, which have no labels that a page could compare.
    """
    named = run.study.get("study")
    if named == "translate_then_evaluate":
        raise UsageError(
            "open answers have no page of their own yet; `hesperus run RUN --table scores` prints what was found "
            "(also groups, counts, prompts), and with --format csv, markdown or latex for elsewhere"
        )
    if named == "similarity":
        return "similarity"
    if named == "multisense":
        return "multisense"
    codes = {*run.records["instruction"].unique(), *run.records["input"].unique()}
    if any((sense := parsed(code)) is not None and not sense.is_original for code in codes):
        return "multisense"
    return "similarity" if _comparable(whole_senses(run.records)) else "multisense"


def whole_senses(records: pl.DataFrame) -> pl.DataFrame:
    """The records whose instruction and input are in one sense."""
    return records.filter(pl.col("instruction") == pl.col("input"))


def _comparable(whole: pl.DataFrame) -> bool:
    """Whether a model was asked in two senses, or two models in one, within a task."""
    runs = whole.select("task", "model", "input").unique()
    return runs.height > runs.select("task", "model").n_unique() or (
        runs.height > runs.select("task", "input").n_unique()
    )
