"""Which report a run gets: of senses, of similarity, of open answers, or of an audit of a translated benchmark."""

from __future__ import annotations

from typing import Literal

import polars as pl

from hesperus.records import Run
from hesperus.wording import parsed

StudyKind = Literal["multisense", "similarity", "translate_then_evaluate", "translation_tax"]


def study_kind(run: Run) -> StudyKind:
    """What the study file says; for records of another origin, what they hold.

    Where a sense was made from another, the report of senses compares what was made with what it was made from. Where
    nothing was made, and a model was asked in several languages, or several models in one, they are compared as in a
    similarity study.
    """
    named = run.study.get("study")
    if named == "similarity":
        return "similarity"
    if named == "multisense":
        return "multisense"
    if named == "translate_then_evaluate":
        return "translate_then_evaluate"
    if named == "translation_tax":
        return "translation_tax"
    codes = {*run.records["instruction"].unique(), *run.records["input"].unique()}
    if any((sense := parsed(code)) is not None and not sense.is_original for code in codes):
        return "multisense"
    return "similarity" if _comparable(whole_senses(run.records)) else "multisense"


def whole_senses(records: pl.DataFrame) -> pl.DataFrame:
    """The records with instruction and input in one sense."""
    return records.filter(pl.col("instruction") == pl.col("input"))


def _comparable(whole: pl.DataFrame) -> bool:
    """Whether a model was asked in two senses, or two models in one, within a task."""
    runs = whole.select("task", "model", "input").unique()
    return runs.height > runs.select("task", "model").n_unique() or (
        runs.height > runs.select("task", "input").n_unique()
    )
