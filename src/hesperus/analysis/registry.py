"""Measures by name, for the command line and for requirements; a new table joins by one line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import polars as pl

from hesperus import plugins
from hesperus.analysis.agreement import agreement_table
from hesperus.analysis.answered import NOT_OF_ANSWERS, with_answered
from hesperus.analysis.description import Described
from hesperus.analysis.open_answers.measuring import is_open, open_table, refuse_labels
from hesperus.analysis.open_answers.run_tables import RUN_TABLES
from hesperus.analysis.paired import consistency_table, decomposition_table, directions_table
from hesperus.analysis.reply_language import language_table
from hesperus.analysis.settings import GivenSettings, MeasureSettings, resolve_settings
from hesperus.analysis.similarity.similarity_settings import columns_of
from hesperus.analysis.single import accuracy_table, labels_table, outcomes_table, validity_table
from hesperus.analysis.summary_table import NOTED, summary_table
from hesperus.analysis.table import ESTIMATE_COLUMNS, Table
from hesperus.analysis.together import together_table
from hesperus.analysis.tokens import tokens_table
from hesperus.errors import UnknownNameError, UsageError

MEASURES: Mapping[str, Callable[[pl.DataFrame, MeasureSettings], Table]] = {
    "accuracy": lambda records, s: accuracy_table(records, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap),
    "agreement": lambda records, s: agreement_table(
        records, a=s.a, b=s.b, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap
    ),
    "consistency": lambda records, s: consistency_table(
        records, a=s.a, b=s.b, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap
    ),
    "decomposition": lambda records, s: decomposition_table(
        records, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap
    ),
    "directions": lambda records, s: directions_table(
        records, a=s.a, b=s.b, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap
    ),
    "labels": lambda records, s: labels_table(records, by=s.by, bootstrap=s.bootstrap),
    "language": lambda records, s: language_table(records, by=s.by, bootstrap=s.bootstrap),
    "outcomes": lambda records, s: outcomes_table(records, by=s.by, bootstrap=s.bootstrap),
    "together": lambda records, s: together_table(records, by=s.by, invalid=s.invalid, bootstrap=s.bootstrap),
    "summary": lambda records, s: summary_table(records, settings=s),
    "tokens": lambda records, s: tokens_table(records, by=s.by, bootstrap=s.bootstrap),
    "validity": lambda records, s: validity_table(records, by=s.by, bootstrap=s.bootstrap),
}
"""Name to the function that makes its table from records and settings."""

SIMILARITY = ("similarity", "designs", "tests", "relations", "together", "scoring")
"""Tables of a similarity study: of all pairs of runs, not of cells; see hesperus.analysis.similarity.all_pairs. Of these
``together`` is a measure of any run; that of a similarity study has the subsets that the study wants."""

OPEN_ANSWERS = RUN_TABLES
"""Tables of a run of open answers, from the evaluations in its folder; see hesperus.reports.open_answers."""

TAX_MEASURES: Mapping[str, str] = {
    "back_translation": "e1",
    "native_control": "e3",
    "naturalisation": "e4",
    "bounds": "bounds",
}
"""Estimates of an audit of a translated benchmark, from its run folder, each with its table in hesperus.reports.tax."""

PAIRED = ("agreement", "consistency", "directions")
"""Measures that compare two cells, hence take `a` and `b`."""


def offered_measures() -> tuple[str, ...]:
    """Names of the measures that plug-ins offer."""
    return plugins.names("hesperus.measures", {})


def measure_columns(what: str, given: GivenSettings, described: Described) -> tuple[str, ...]:
    """The columns of the records that a measure needs besides those of the contract: to be read, and no others.

    Args:
        what: Name of the measure.
        given: What to group by.
        described: What the run says of itself.
    """
    if what == "language":
        return tuple(dict.fromkeys([*(given.by or ()), "reply"]))
    if what not in SIMILARITY:
        return given.by or ()
    return tuple(dict.fromkeys([*(given.by or ()), *columns_of(described.study)]))


def measure_table(
    what: str,
    records: pl.DataFrame,
    given: GivenSettings | None = None,
    *,
    described: Described | None = None,
) -> Table:
    """Make the table of a measure by its name.

    Args:
        what: One of MEASURES, SIMILARITY or OPEN_ANSWERS.
        records: The records table.
        given: What was asked for; the run's study decides what is not given, then the defaults.
        described: What the run says of itself.

    Raises:
        UnknownNameError: No such measure, cell or column.
        UsageError: The measure is about single cells and `a` is given; or it is one of labels and the run one of open
            answers, or the other way round.
        DataError: Nothing to compare, or no probabilities to score.
    """
    given = given or GivenSettings()
    known = (*MEASURES, *SIMILARITY, *OPEN_ANSWERS)
    offered = None if what in known else plugins.maker("hesperus.measures", what, {})
    if what not in known and offered is None:
        raise UnknownNameError("measure", what, (*known, *offered_measures()))
    if described is not None:
        refuse_labels(what, described)
    if given.a is not None and what not in PAIRED:
        raise UsageError(f"{what} takes no pair of cells; a and b are for {', '.join(PAIRED)}")
    if what in OPEN_ANSWERS:
        return open_table(what, records, given, described or Described())
    study = described.study if described is not None else {}
    if offered is not None:
        return _checked(what, offered(records, resolve_settings(given, study)))
    if what == "summary":
        return _summary(records, given, described)
    if what in MEASURES and not (what in SIMILARITY and study.get("comparison") and not given.by):
        found = MEASURES[what](records, resolve_settings(given, study))
        return found if what in NOT_OF_ANSWERS else with_answered(found, records, given.by or ())
    # Its tests need scipy, which measuring does not.
    from hesperus.analysis.similarity.named import similarity_table

    return with_answered(similarity_table(what, records, given, described=described), records)


def _checked(what: str, made: object) -> Table:
    """The table of a plug-in, which has every column of a measure."""
    needed = ("statistic", *ESTIMATE_COLUMNS)
    if not isinstance(made, Table):
        raise UsageError(
            f"the measure {what!r} of a plug-in made {type(made).__name__}, not a hesperus.analysis.table.Table"
        )
    for name in needed:
        if name not in made.columns:
            raise UsageError(
                f"the measure {what!r} of a plug-in has no column {name!r}; a measure has {', '.join(needed)}"
            )
    return made


def noted_summary(records: pl.DataFrame, given: GivenSettings, described: Described) -> Table:
    """The summary of a run with the intervals that notes speak of, and no others.

    Args:
        records: The records table.
        given: What was asked for.
        described: What the run says of itself.

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
