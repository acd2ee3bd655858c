"""Measures by name: those of answers by what each declares, those of similarity, open answers and audits by their tables."""

from __future__ import annotations

from collections.abc import Collection
from pkgutil import resolve_name

import polars as pl

from hesperus import plugins
from hesperus.analysis.answered import with_answered
from hesperus.analysis.measure import Measure
from hesperus.analysis.measure_names import MEASURES, OF_RECORDS, OPEN_ANSWERS, SIMILARITY, offered_measures
from hesperus.analysis.open_answers.open_measures import is_open, open_table, refuse_labels, with_labels
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.settings import GivenSettings, MeasureSettings, resolve_settings
from hesperus.analysis.similarity.all_pairs import similarity_table
from hesperus.analysis.similarity.similarity_settings import columns_of
from hesperus.analysis.summary import NOTED, summary_table
from hesperus.analysis.table import ESTIMATE_COLUMNS, Table
from hesperus.errors import UnknownNameError, UsageError


def measure_of(name: str) -> Measure | None:
    """What is declared of a measure of answers; None for another's name.

    Raises:
        UsageError: A plug-in offers something else under the name, or has the name of one of hesperus.
    """
    home: object = plugins.maker("hesperus.measures", name, {**dict.fromkeys(OF_RECORDS, ""), **MEASURES})
    found = (resolve_name(home) if home else None) if isinstance(home, str) else home
    if found is not None and not isinstance(found, Measure):
        raise UsageError(
            f"the measure {name!r} of a plug-in is of the type {type(found).__name__}, not declared by hesperus.analysis.measure"
        )
    return found


def measure_columns(what: str, given: GivenSettings, described: Described) -> tuple[str, ...]:
    """The columns of the records that a measure needs besides those of the contract: to be read, and no others."""
    declared = measure_of(what)
    own = columns_of(described.study) if what in SIMILARITY else ()
    return tuple(dict.fromkeys([*(given.by or ()), *(declared.columns if declared else ()), *own]))


def measure_table(
    what: str,
    records: pl.DataFrame,
    given: GivenSettings | None = None,
    *,
    described: Described | None = None,
) -> Table:
    """Make the table of a measure by its name.

    The run's study decides what is not given, then the defaults.

    Raises:
        UnknownNameError: No such measure, cell or column.
        UsageError: The measure is about single cells and `a` is given; or it is one of labels and the run one of open
            answers, or its answers are texts of their own; or the other way round.
        DataError: Nothing to compare, or no probabilities to score.
    """
    given, declared = given or GivenSettings(), measure_of(what)
    if declared is None and what not in OF_RECORDS:
        raise UnknownNameError("measure", what, (*OF_RECORDS, *offered_measures()))
    if described is not None:
        refuse_labels(what, described)
    if given.a is not None and (declared is None or "a" not in declared.takes):
        paired = [name for name in MEASURES if (one := measure_of(name)) is not None and "a" in one.takes]
        raise UsageError(f"{what} takes no pair of cells; a and b are for {', '.join(paired)}")
    if what in OPEN_ANSWERS:
        return open_table(what, records, given, described or Described())
    study = described.study if described is not None else {}
    if what == "summary":
        return _summary(records, given, described)
    if what in SIMILARITY or (declared is not None and declared.rests_on_answers):
        records = with_labels(what, records)
    if declared is not None and not (what in SIMILARITY and study.get("comparison") and not given.by):
        found = _checked(declared, records, resolve_settings(given, study, declared.takes))
        return with_answered(found, records, given.by or ()) if declared.rests_on_answers else found
    return with_answered(similarity_table(what, records, given, described or Described()), records)


def _checked(declared: Measure, records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """The table of a measure, which of a plug-in may be no table, or lack a column."""
    made: object = declared.make(records, settings)
    needed = ("statistic", *ESTIMATE_COLUMNS)
    if not isinstance(made, Table):
        raise UsageError(
            f"the measure {declared.name!r} of a plug-in made {type(made).__name__}, not a hesperus.analysis.table.Table"
        )
    for name in needed:
        if name not in made.columns:
            raise UsageError(
                f"the measure {declared.name!r} of a plug-in has no column {name!r}; a measure has {', '.join(needed)}"
            )
    return made


def noted_summary(records: pl.DataFrame, given: GivenSettings, described: Described) -> Table:
    """The summary of a run with the intervals that notes speak of, and no others.

    Raises:
        DataError: An item has different numbers of options in different senses.
    """
    return _summary(records, given, described, NOTED)


def _summary(
    records: pl.DataFrame,
    given: GivenSettings,
    described: Described | None,
    intervals: Collection[str] | None = None,
) -> Table:
    study = described.study if described is not None else {}
    labels = described is None or not is_open(described)
    return summary_table(records, settings=resolve_settings(given, study), labels=labels, intervals=intervals)
