"""Scores of groups of languages: by script, by family, as the paper groups them, by what a model was trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

from hesperus.analysis.open_answers.statistics import BESIDE, need, scored, signature_cells
from hesperus.analysis.table import ANSWER_COLUMNS, Table, table
from hesperus.fingerprint import plain
from hesperus.languages import Language, language, normalise
from hesperus.measures import Bootstrap

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

COLUMNS = ("model", "task", "grouping", "group", "languages", "statistic", *ANSWER_COLUMNS, *BESIDE)

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
        for grouping, group, inside in members(tags, trained.get(str(model))):
            found = scored(held.filter(pl.col("language").is_in(inside)), bootstrap)
            named = {
                "model": model,
                "task": task,
                "grouping": grouping,
                "group": group,
                "languages": " ".join(inside),
            }
            rows += [{**named, "statistic": name, **one.cells()} for name, one in found.items()]
    return table("groups", COLUMNS, rows=rows, signature=signed)


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
