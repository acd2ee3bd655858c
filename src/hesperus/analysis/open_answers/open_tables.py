"""The tables of open answers, from the pairs that evaluations left: scores, groups of languages, counts; of one evaluation, or of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus.analysis.measure_names import OPEN_ANSWERS
from hesperus.analysis.open_answers.evidence import PROMPTS, READABILITY, homes, read_frame, read_pairs
from hesperus.analysis.open_answers.statistics import (
    BESIDE,
    Scored,
    need,
    scored,
    signature_cells,
)
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.table import ANSWER_COLUMNS, Table, table
from hesperus.errors import UnknownNameError
from hesperus.fingerprint import plain
from hesperus.languages import Language, language, normalise
from hesperus.measures import Bootstrap
from hesperus.types import OUTCOMES

CELL = ("model", "task", "language", "instruction", "input")
COLUMNS = (*CELL, "statistic", *ANSWER_COLUMNS, *BESIDE)


def scores_table(
    pairs: pl.DataFrame,
    what: str,
    *,
    signature: Mapping[str, object],
    bootstrap: Bootstrap | None = None,
) -> Table:
    """A row for each model, language and statistic.

    `statistic` is `precision`, `recall`, `f_of_means`, `mean_f` of information, or `agreement`; with the ending `_answered`
    it leaves out pairs with a side that gives no answer, which the others score by the rule; with the ending
    `_right_language` those with a reply in another language than the one asked for. Without a bootstrap there are no
    intervals.

    Raises:
        DataError: The table is no table of pairs.
    """
    need(pairs, (*CELL, "item", "state"))
    rows: list[dict[str, object]] = []
    for cell, held in pairs.group_by(CELL, maintain_order=True):
        for statistic, found in scored(held, bootstrap).items():
            rows.append({**dict(zip(CELL, cell, strict=True)), "statistic": statistic, **found.cells()})
    return table(what, COLUMNS, rows=rows, signature=signature_cells(signature, bootstrap))


STATES = (
    "compared", "reference_silent", "candidate_silent", "both_silent", "unreadable", "no_answer", "untranslated", "failed", "absent",
)  # fmt: skip
_TRANSLATED = ("sentences", "repaired", "unrepaired")


def counts_table(pairs: pl.DataFrame, *, signature: Mapping[str, object]) -> Table:
    """A row for each model and language: pairs by state, replies by outcome, sentences translated and repaired.

    Raises:
        DataError: The table is no table of pairs.
    """
    need(pairs, (*CELL, "state", "outcome", *_TRANSLATED))
    found = pairs.group_by(CELL, maintain_order=True).agg(
        pl.len().alias("pairs"),
        *((pl.col("state") == state).sum().alias(state) for state in STATES),
        *((pl.col("outcome") == outcome).sum().alias(outcome) for outcome in OUTCOMES),
        pl.col(_TRANSLATED).sum(),
    )
    return table("counts", found.columns, rows=found.to_dicts(), signature=signature)


GROUPINGS: Mapping[str, Callable[[Language], str | None]] = {
    "all": lambda _: "all",
    "script": lambda one: one.script,
    "family": lambda one: one.family,
    "branch": lambda one: one.branch,
    "paper_script": lambda one: one.paper_script,
    "paper_family": lambda one: one.paper_family,
}
"""Grouping to the group of a language. `family` and `branch` are Glottolog's; `paper_script` and `paper_family` are those
of Found in Translation (Tables 11 and 12), slips included, for its thirty languages only."""

GROUP_COLUMNS = ("model", "task", "grouping", "group", "languages", "statistic", *ANSWER_COLUMNS, *BESIDE)

UNKNOWN = "unknown"
"""Group of languages of which a table does not tell."""


def groups_table(
    pairs: pl.DataFrame,
    *,
    signature: Mapping[str, object],
    trained_on: Mapping[str, Sequence[str]] | None = None,
    bootstrap: Bootstrap | None = None,
) -> Table:
    """A row for each model, group of languages and statistic; an item moves with all its languages when resampled.

    Args:
        pairs: The table of pairs of an evaluation.
        signature: How they were made.
        trained_on: Model to the languages that it was trained on: the grouping `trained_on`, of `in` and `out`.
        bootstrap: How items are resampled; None leaves intervals out.

    Raises:
        DataError: The table is no table of pairs.
        UnknownNameError: There is no such language.
    """
    need(pairs, ("model", "task", "language", "item", "state"))
    trained = trained_languages(trained_on or {})
    signed = {**signature_cells(signature, bootstrap), "trained_on": plain(trained_on or {})}
    rows: list[dict[str, object]] = []
    for (model, task), held in pairs.group_by("model", "task", maintain_order=True):
        tags = held["language"].unique().sort().to_list()
        made: dict[tuple[str, ...], Mapping[str, Scored]] = {}
        for grouping, group, inside in members(tags, trained.get(str(model))):
            # Several groupings put the same languages together.
            if tuple(inside) not in made:
                made[tuple(inside)] = scored(held.filter(pl.col("language").is_in(inside)), bootstrap)
            found = made[tuple(inside)]
            place = (model, task, grouping, group, " ".join(inside))
            named = dict(zip(GROUP_COLUMNS, place, strict=False))
            rows += [{**named, "statistic": name, **one.cells()} for name, one in found.items()]
    return table("groups", GROUP_COLUMNS, rows=rows, signature=signed)


def trained_languages(trained_on: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """Model to the tags that it is declared to be trained on, in the style of the house.

    Raises:
        UnknownNameError: There is no such language.
    """
    return {model: frozenset(map(normalise, tags)) for model, tags in trained_on.items()}


def members(
    tags: Sequence[str], trained: frozenset[str] | None = None
) -> Iterator[tuple[str, str, list[str]]]:
    """Every grouping, its groups, and which of some languages each holds.

    Args:
        tags: The languages, each once, sorted.
        trained: What the model was trained on; None leaves that grouping out.

    Raises:
        UnknownNameError: There is no such language.
    """
    known = {tag: language(tag) for tag in tags}
    for grouping, group_of in _groupings(trained).items():
        groups = {tag: group_of(one) for tag, one in known.items()}
        if grouping.startswith("paper") and not any(groups.values()):
            continue
        for group in dict.fromkeys(named or UNKNOWN for named in groups.values()):
            yield grouping, group, [tag for tag, named in groups.items() if (named or UNKNOWN) == group]


def _groupings(trained: frozenset[str] | None) -> Mapping[str, Callable[[Language], str | None]]:
    if trained is None:
        return GROUPINGS
    # A region of a language counts as the language that was declared.
    return {
        **GROUPINGS,
        "trained_on": lambda one: "in" if {one.tag, one.tag.split("-")[0]} & trained else "out",
    }


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

    What is given wins over the study.

    Raises:
        UnknownNameError: No such table.
        DataError: The folder lacks an evaluation, or holds a broken one.
    """
    if name not in OPEN_ANSWERS:
        raise UnknownNameError("table of open answers", name, OPEN_ANSWERS)
    if name in _FILES:
        held = read_frame(folder / _FILES[name])
        return table(name, held.columns, rows=held.to_dicts(), signature={"study": study.get("study")})
    settings, made = settings_of(study, given), {}
    for what, home in homes(folder, study).items():
        pairs, signed = read_pairs(home)
        made[what] = evaluation_table(name, pairs, what, signature=signed, settings=settings)
    return of_evaluations(name, made)


def of_evaluations(name: str, made: Mapping[str, Table]) -> Table:
    """The table of a run, from that of each of its evaluations by evaluator."""
    columns = next(iter(made.values())).columns
    rows = [{"evaluator": what, **row} for what, one in made.items() for row in one.rows]
    signatures = {what: one.signature for what, one in made.items()}
    return table(name, ("evaluator", *columns), rows=rows, signature=signatures)


def settings_of(study: Mapping[str, object], given: GivenSettings | None = None) -> TableSettings:
    """What a study says of its tables.

    What is given wins over it.

    Raises:
        DataError: The study's own bootstrap is not valid.
    """
    trained = study.get("trained_on")
    decided = resolve_settings(given, study)
    return TableSettings(decided.bootstrap, trained if isinstance(trained, Mapping) else {})
