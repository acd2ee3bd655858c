"""The tables of a run folder of open answers, from the pairs that each of its evaluations left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus.analysis.measure_names import OPEN_ANSWERS
from hesperus.analysis.open_answers.counting import counts_table
from hesperus.analysis.open_answers.evidence import PROMPTS, READABILITY, homes, read_frame, read_pairs
from hesperus.analysis.open_answers.grouping import groups_table
from hesperus.analysis.open_answers.scores import scores_table
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.table import Table, table
from hesperus.errors import UnknownNameError
from hesperus.measures import Bootstrap

TABLES = ("scores", "groups", "counts")
"""Tables of one evaluation."""

_FILES = {"prompts": PROMPTS, "readability": READABILITY}


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


def run_table(
    folder: Path, name: str, study: Mapping[str, object], *, given: GivenSettings | None = None
) -> Table:
    """A table of a run, all its evaluations together, as its study wants it.

    Args:
        folder: The run folder.
        name: One of OPEN_ANSWERS.
        study: Its `study.yaml`.
        given: What was asked for; it wins over the study.

    Raises:
        UnknownNameError: No such table.
        DataError: The folder lacks an evaluation, or holds a broken one.
    """
    if name not in OPEN_ANSWERS:
        raise UnknownNameError("table of open answers", name, OPEN_ANSWERS)
    if name in _FILES:
        held = read_frame(folder / _FILES[name])
        return table(name, held.columns, rows=held.to_dicts(), signature={"study": study.get("study")})
    settings, rows = settings_of(study, given), []
    signatures: dict[str, object] = {}
    columns: tuple[str, ...] = ()
    for what, home in homes(folder, study).items():
        pairs, signed = read_pairs(home)
        made = evaluation_table(name, pairs, what, signature=signed, settings=settings)
        columns, signatures[what] = made.columns, made.signature
        rows += [{"evaluator": what, **row} for row in made.rows]
    return table(name, ("evaluator", *columns), rows=rows, signature=signatures)


def settings_of(study: Mapping[str, object], given: GivenSettings | None = None) -> TableSettings:
    """What a study says of its tables.

    Args:
        study: The `study.yaml` of a run; may be empty.
        given: What was asked for; it wins over the study.

    Raises:
        DataError: The study's own bootstrap is not valid.
    """
    trained = study.get("trained_on")
    decided = resolve_settings(given, study)
    return TableSettings(decided.bootstrap, trained if isinstance(trained, Mapping) else {})
