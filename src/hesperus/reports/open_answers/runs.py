"""The tables of a run folder of open answers, from the pairs that each of its evaluations left."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UnknownNameError
from hesperus.measures import Bootstrap
from hesperus.reports.open_answers.counting import counts_table
from hesperus.reports.open_answers.grouping import groups_table
from hesperus.reports.open_answers.scores import scores_summary, scores_table
from hesperus.reports.table import Table, table

TABLES = ("scores", "groups", "counts")
"""Tables of one evaluation."""

RUN_TABLES = (*TABLES, "prompts")
"""Tables of a run: also how its prompts came back from their translation."""


@dataclass(frozen=True, slots=True)
class TableSettings:
    """How tables are made.

    Attributes:
        bootstrap: How items are resampled; None leaves intervals out.
        trained_on: Model to the languages that it was trained on.
    """

    bootstrap: Bootstrap | None = None
    trained_on: Mapping[str, Sequence[str]] = field(default_factory=dict)


def evaluation_table(
    name: str,
    pairs: pl.DataFrame,
    what: str,
    *,
    signature: Mapping[str, object],
    settings: TableSettings,
) -> Table:
    """A table of one evaluation by its name.

    Raises:
        UnknownNameError: No such table.
        DataError: The pairs are no table of pairs.
    """
    if name == "scores":
        return scores_table(pairs, what, signature=signature, bootstrap=settings.bootstrap)
    if name == "groups":
        return groups_table(
            pairs, signature=signature, trained_on=settings.trained_on, bootstrap=settings.bootstrap
        )
    if name == "counts":
        return counts_table(pairs, signature=signature)
    raise UnknownNameError("table of open answers", name, TABLES)


def run_table(folder: Path, name: str, study: Mapping[str, object]) -> Table:
    """A table of a run, all its evaluations together, as its study wants it.

    Args:
        folder: The run folder.
        name: One of RUN_TABLES.
        study: Its `study.yaml`.

    Raises:
        UnknownNameError: No such table.
        DataError: The folder lacks an evaluation, or holds a broken one.
    """
    if name not in RUN_TABLES:
        raise UnknownNameError("table of open answers", name, RUN_TABLES)
    if name == "prompts":
        check = _parquet(folder / "prompts.parquet")
        return table(name, check.columns, rows=check.to_dicts(), signature={"study": study.get("study")})
    settings, rows = settings_of(study), []
    signatures: dict[str, object] = {}
    columns: tuple[str, ...] = ()
    for what, home in _evaluations(folder, study).items():
        pairs, signatures[what] = _evaluation(home)
        made = evaluation_table(name, pairs, what, signature={}, settings=settings)
        columns = made.columns
        rows += [{"evaluator": what, **row} for row in made.rows]
    return table(name, ("evaluator", *columns), rows=rows, signature=signatures)


def run_summary(folder: Path, study: Mapping[str, object]) -> Table:
    """What a terminal shows of a run: a line for each model and language, of its first evaluation.

    Raises:
        DataError: As in run_table.
    """
    what, home = next(iter(_evaluations(folder, study).items()))
    pairs, signature = _evaluation(home)
    settings = settings_of(study)
    return scores_summary(scores_table(pairs, what, signature=signature, bootstrap=settings.bootstrap), what)


def settings_of(study: Mapping[str, object]) -> TableSettings:
    """What a study says of its tables."""
    drawn, trained = study.get("bootstrap"), study.get("trained_on")
    bootstrap = Bootstrap(**drawn) if isinstance(drawn, Mapping) else Bootstrap()
    return TableSettings(bootstrap, trained if isinstance(trained, Mapping) else {})


def _evaluations(folder: Path, study: Mapping[str, object]) -> dict[str, Path]:
    named = study.get("evaluate")
    whats = [str(what) for what in named] if isinstance(named, list | tuple) else []
    if not whats:
        raise DataError("the study names no evaluation (evaluate)", file=folder / "study.yaml")
    return {what: folder / "evaluations" / evaluation_folder(what) for what in whats}


def evaluation_folder(what: str) -> str:
    """Name of the folder of an evaluation: that of the evaluator, without what a folder's name cannot hold."""
    return what.replace("/", "_").strip(".")


def _evaluation(home: Path) -> tuple[pl.DataFrame, Mapping[str, object]]:
    pairs = _parquet(home / "pairs.parquet")
    try:
        signature = json.loads((home / "signature.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"holds no whole evaluation ({error}); run the study again", file=home) from None
    if not isinstance(signature, dict):
        raise DataError("expected a mapping", file=home / "signature.json")
    return pairs, signature


def _parquet(file: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        said = str(error).splitlines()[0]
        raise DataError(f"cannot be read ({said}); run the study again", file=file) from None
