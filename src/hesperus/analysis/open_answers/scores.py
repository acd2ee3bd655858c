"""The scores of every model in every language, with the ceiling that translation imposes."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from hesperus.analysis.open_answers.statistics import (
    BESIDE,
    RIGHT_LANGUAGE,
    WHERE_ANSWERED,
    need,
    scored,
    signature_cells,
)
from hesperus.analysis.table import ANSWER_COLUMNS, Table, table
from hesperus.measures import Bootstrap
from hesperus.wording import property_names

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

    `statistic` is `precision`, `recall`, `f_of_means`, `mean_f` of information, or `agreement`; with the ending
    `_answered` it leaves out pairs with a side that gives no answer, which the others score by the rule; with the ending
    `_right_language` those with a reply in another language than the one asked for.

    Args:
        pairs: The table of pairs of an evaluation.
        what: What was evaluated.
        signature: How.
        bootstrap: How items are resampled; None leaves intervals out.

    Raises:
        DataError: The table is no table of pairs.
    """
    need(pairs, (*CELL, "item", "state"))
    rows: list[dict[str, object]] = []
    for cell, held in pairs.group_by(CELL, maintain_order=True):
        for statistic, found in scored(held, bootstrap).items():
            rows.append({**dict(zip(CELL, cell, strict=True)), "statistic": statistic, **found.cells()})
    return table(what, COLUMNS, rows=rows, signature=signature_cells(signature, bootstrap))


def scores_summary(whole: Table, what: str) -> Table:
    """What a terminal shows of an evaluator: a line for each model and language, its numbers and their ceiling."""
    shown = ("f_of_means",) if any(row["statistic"] == "f_of_means" for row in whole.rows) else ("agreement",)
    parts = ("precision", "recall") if shown == ("f_of_means",) else ()
    by_cell: dict[tuple[object, ...], dict[str, Mapping[str, object]]] = {}
    for row in whole.rows:
        by_cell.setdefault(tuple(row[name] for name in CELL), {})[str(row["statistic"])] = row
    name = shown[0]
    columns = (
        "model",
        "language",
        "input",
        *parts,
        name,
        "low",
        "high",
        "n",
        "answered",
        "excluded",
        "where_answered",
        "right_language",
        "ceiling",
        "relative",
        "reason",
    )
    rows = []
    for cell, found in by_cell.items():
        main = found[name]
        only, right = (found.get(f"{name}{ending}") for ending in (WHERE_ANSWERED, RIGHT_LANGUAGE))
        rows.append(
            {
                "model": cell[0],
                "language": cell[2],
                "input": cell[4],
                **{part: found[part]["value"] for part in parts},
                name: main["value"],
                **{
                    key: main[key]
                    for key in ("low", "high", "n", "answered", "excluded", "ceiling", "relative", "reason")
                },
                "where_answered": only["value"] if only else None,
                "right_language": right["value"] if right else None,
            }
        )
    return table(_titled(what, name), columns, rows=rows, signature=_short(whole.signature))


def _titled(what: str, statistic: str) -> str:
    """What was evaluated, for people who did not ask for it by its name."""
    if statistic == "f_of_means":
        return "information: how much of the reference's answer each language holds"
    return f"{property_names(what)}: how often each language's answer is like the reference's"


_SILENT = "one side 0, both sides 1"
"""How evaluators that compare contents score pairs with a side that gives no answer."""


def _short(signature: Mapping[str, object]) -> dict[str, object]:
    """What a terminal says of how the numbers were made; all of it is in the other formats."""
    judge, bootstrap = signature.get("judge"), signature.get("bootstrap")
    return {
        **{name: signature.get(name) for name in ("reference", "translator", "missing")},
        "judge": judge.get("judge", judge.get("grader", "")) if isinstance(judge, Mapping) else "",
        "resamples": bootstrap.get("resamples") if isinstance(bootstrap, Mapping) else None,
        "no_answer": judge.get("missing", _SILENT) if isinstance(judge, Mapping) else _SILENT,
    }
