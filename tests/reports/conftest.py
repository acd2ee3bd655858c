"""Simulated runs, each made once for all tests that only read it."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from hesperus.records import Run
from reports.simulated_runs import HOSTILE, quiz, study


@pytest.fixture(scope="session")
def make_run() -> Callable[..., Run]:
    """Makes a run: model names to multipliers of the error rates, and target languages."""
    return study


@pytest.fixture(scope="session")
def capitals() -> Run:
    """One model, English into German, Arabic and Chinese; one changed answer came with a hostile reply."""
    run = study({"pocket/m": 1.0})
    changed = (
        (pl.col("item") == "q0-0")
        & (pl.col("input") == "ar_from_en")
        & (pl.col("instruction") == "ar_from_en")
    )
    records = run.records.with_columns(
        outcome=pl.when(changed).then(pl.lit("invalid")).otherwise("outcome"),
        answer=pl.when(changed).then(None).otherwise("answer"),
        reply=pl.when(changed).then(pl.lit(HOSTILE)).otherwise("reply"),
    )
    return Run(records, run.items, run.study, run.signature)


@pytest.fixture(scope="session")
def make_quiz() -> Callable[..., pl.DataFrame]:
    """Makes records of a quiz that was put to models in languages, each in the benchmark's own wording."""
    return quiz
