"""Tables of open answers as measures of a run, and what to say where a measure of labels is asked of one."""

from __future__ import annotations

import warnings
from dataclasses import replace

import polars as pl

from hesperus.analysis.measure_names import OPEN_ANSWERS
from hesperus.analysis.open_answers.open_tables import run_table
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.settings import GivenSettings
from hesperus.analysis.table import Table
from hesperus.errors import HesperusWarning, UsageError
from hesperus.records.labels import free_texts
from hesperus.wording import joined

STUDY = "translate_then_evaluate"
OPEN_COMPARED = ("scores", "groups")
"""Tables of two runs of open answers side by side."""
OF_REPLIES = ("outcomes", "summary", "validity", "language")
"""Measures of any run that say something of open answers too: what became of the replies."""

_SCORED = ", ".join(OPEN_ANSWERS)


def is_open(described: Described) -> bool:
    """Whether a run folder is one of open answers."""
    return described.folder is not None and described.study.get("study") == STUDY


def refuse_labels(what: str, described: Described) -> None:
    """Refuse a measure of labels for a run of open answers, which have none.

    Raises:
        UsageError: It is one; the message says which measures it has.
    """
    if described.study.get("study") == STUDY and what not in (*OPEN_ANSWERS, *OF_REPLIES):
        raise UsageError(
            f"{what} is about labels, and open answers have none; `hesperus measure scores RUN` says how much of the reference's "
            f"answer each language keeps (a run of open answers has {_SCORED}; {', '.join(OF_REPLIES)}; two are compared by "
            f"{', '.join(OPEN_COMPARED)})"
        )


def with_labels(what: str, records: pl.DataFrame) -> pl.DataFrame:
    """The records without those of free texts, which have no labels.

    Raises:
        UsageError: There are no others.
    """
    texts = free_texts(records)
    if not texts:
        return records
    others = records.filter(~pl.col("task").is_in(texts))
    said = (
        f"{what} is about labels, and the answers of {joined(list(texts))} are texts of their own; `hesperus evaluate information "
        "RUN --reference LANGUAGE` compares what they say"
    )
    if others.is_empty():
        raise UsageError(said)
    warnings.warn(f"{said}; they are excluded here", HesperusWarning, stacklevel=2)
    return others


def refuse_settings(what: str, given: GivenSettings) -> None:
    """Refuse settings of labels where open answers are measured or compared.

    Raises:
        UsageError: Columns to group by, or a rule for unreadable labels.
    """
    if given.by:
        raise UsageError(
            f"{what} is not measured by a column of the records; `groups` has groups of languages"
        )
    if given.invalid is not None:
        raise UsageError("--invalid is about labels, and open answers have none")


def open_table(what: str, records: pl.DataFrame, given: GivenSettings, described: Described) -> Table:
    """A table of a run of open answers, all its evaluations together.

    What was asked for wins over the run's study; rows are of the models and tasks that the records have.

    Raises:
        UsageError: It is no run of open answers, or something is asked of it that it does not have.
        DataError: The folder lacks an evaluation, or holds a broken one.
    """
    if described.study.get("study") != STUDY or described.folder is None:
        raise UsageError(
            f"{what} is a table of a run of open answers (`hesperus run {STUDY}`), and this is none; `hesperus evaluate "
            "information FILE` evaluates answers that are there already"
        )
    refuse_settings(what, given)
    made = run_table(described.folder, what, described.study, given=given)
    kept = {name: set(records[name].unique()) for name in ("model", "task") if name in made.columns}
    return replace(
        made, rows=tuple(row for row in made.rows if all(row[name] in held for name, held in kept.items()))
    )
