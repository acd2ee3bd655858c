"""Scores of groups of languages: by script, by family, as the paper groups them, by what a model was trained on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from hesperus.languages import Language, language, normalise
from hesperus.measures import Bootstrap
from hesperus.reports.open_answers.statistics import BESIDE, need, scored, signature_cells
from hesperus.reports.table import ESTIMATE_COLUMNS, Table, table

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

COLUMNS = ("model", "task", "grouping", "group", "languages", "statistic", *ESTIMATE_COLUMNS, *BESIDE)

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
    known = {tag: language(tag) for tag in pairs["language"].unique().to_list()}
    trained = {model: frozenset(map(normalise, tags)) for model, tags in (trained_on or {}).items()}
    rows: list[dict[str, object]] = []
    for (model, task), held in pairs.group_by("model", "task", maintain_order=True):
        for grouping, group_of in _groupings(trained.get(str(model))).items():
            groups = {tag: group_of(one) for tag, one in known.items()}
            if grouping.startswith("paper") and not any(groups[tag] for tag in held["language"].unique()):
                continue
            for group in dict.fromkeys(groups[tag] or UNKNOWN for tag in held["language"].unique().sort()):
                inside = [
                    tag for tag in held["language"].unique().sort() if (groups[tag] or UNKNOWN) == group
                ]
                found = scored(held.filter(pl.col("language").is_in(inside)), bootstrap)
                named = {
                    "model": model,
                    "task": task,
                    "grouping": grouping,
                    "group": group,
                    "languages": " ".join(inside),
                }
                rows += [{**named, "statistic": name, **one.cells()} for name, one in found.items()]
    return table("groups", COLUMNS, rows=rows, signature=signature_cells(signature, bootstrap))


def _groupings(trained: frozenset[str] | None) -> Mapping[str, Callable[[Language], str | None]]:
    if trained is None:
        return GROUPINGS
    # A region of a language counts as the language that was declared.
    return {
        **GROUPINGS,
        "trained_on": lambda one: "in" if {one.tag, one.tag.split("-")[0]} & trained else "out",
    }
