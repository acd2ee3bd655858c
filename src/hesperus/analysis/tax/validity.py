"""How much rests on the reading of replies: validity by cell, bounds on every estimate, several parsers on the same replies.

Reference: "The Translation Tax Is Not a Scalar", section 5.7; METHODS 4.6 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter

import polars as pl

from hesperus import rounding
from hesperus.analysis.table import ANSWERED, NewRow, Table, table
from hesperus.analysis.tax.difference_rows import EVERY, bound_row, everywhere, head
from hesperus.analysis.tax.item_groups import Group, grouped_columns
from hesperus.analysis.tax.paired_records import PairedAnswers
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.analysis.views import grouped
from hesperus.errors import DataError
from hesperus.fingerprint import signature
from hesperus.measures import estimate
from hesperus.measures.correctness import accuracy_statistic, validity_statistic
from hesperus.records import Cell, answer_arrays

RECORDED = "recorded"
"""The reading that is in the records."""

TOLERANCE = 0.02
"""Difference of accuracy between two parsers of the same replies above which a cell is parser-sensitive."""

READ_AGAIN = "read_again"
"""Column of a reading that says which replies it read itself; where it has none, it read them all."""

NO_REPLIES = "not possible: the records hold no replies to read again"

CELLS = (
    "model", "task", "input", "repeat", "parser", "statistic", "value", "low", "high", "n", "accuracy", "read", "verdict",
    "why",
)  # fmt: skip
BOUNDS = (
    "comparison",
    "analysis",
    "task",
    "group",
    "model",
    "statistic",
    "value",
    "lowest",
    "highest",
    "low",
    "high",
    "n",
    ANSWERED,
    "reason",
)


def validity_table(readings: Mapping[str, pl.DataFrame], *, settings: TaxSettings | None = None) -> Table:
    """Valid answers and accuracy of every cell under every parser, and which cells are parser-sensitive.

    Args:
        readings: Name of a parser to the records as it read them; ``recorded`` first.
        settings: Bootstrap, and the least share of valid answers.

    Returns:
        A row a cell and parser. ``value`` is the share of valid answers with its interval, ``accuracy`` with the invalid
        wrong, ``read`` the replies that the parser read itself (None for the recorded reading), and ``verdict``:
        ``parser-sensitive`` where the recorded validity is under it or parsers differ by more than TOLERANCE (``why``
        says which), ``robust`` where several parsers read replies of the cell and agree, ``not checked`` where they could not.

    Raises:
        DataError: No reading, or the readings do not have the same cells.
    """
    settings = settings or TaxSettings()
    if not readings:
        raise DataError("no reading of the replies was given")
    per = {name: _by_place(frame, settings) for name, frame in readings.items()}
    first = next(iter(per.values()))
    if any(found.keys() != first.keys() for found in per.values()):
        raise DataError("the readings have different cells; read the same replies again")
    rows: list[NewRow] = []
    for place in first:
        group, task, cell = place
        own = {name: found[place] for name, found in per.items()}
        why = "; ".join(_why(own, settings))
        unchecked = "" if why else _unchecked(own)
        verdict = "parser-sensitive" if why else "not checked" if unchecked else "robust"
        named = dict(zip(settings.by, group, strict=True))
        about = {**named, "model": cell.model, "task": task, "input": cell.input, "repeat": cell.repeat}
        said = {"verdict": verdict, "why": why or unchecked}
        rows += [{**about, "parser": name, **row, **said} for name, row in own.items()]
    signed = signature(settings) | {"parsers": list(readings), "tolerance": TOLERANCE}
    return table("parsers", grouped_columns(settings.by, CELLS), rows=rows, signature=signed)


def sensitive_cells(found: Table) -> list[str]:
    """The cells that a validity table calls parser-sensitive, each as a line; of a cell that was asked again, which repeat."""
    place = itemgetter(*found.by, "model", "task", "input")
    again = {place(row) for row in found.rows if row["repeat"] != 1}
    lines = set()
    for row in (row for row in found.rows if row["verdict"] == "parser-sensitive"):
        which = f", repeat {row['repeat']}" if place(row) in again else ""
        lines.add(f"{', '.join(map(str, place(row)))}{which}: {row['why']}")
    return sorted(lines)


def unchecked_cells(found: Table) -> int:
    """How many cells of a validity table no second parser could read."""
    place = itemgetter(*found.by, "model", "task", "input", "repeat")
    return len({place(row) for row in found.rows if row["verdict"] == "not checked"})


def bounds_table(comparisons: Mapping[str, PairedAnswers], *, settings: TaxSettings | None = None) -> Table:
    """Bounds on every paired estimate from its invalid answers.

    Returns:
        For each cell, group and all together: the strict ``value``, the ``lowest`` and ``highest`` that it could be
        whatever invalid answers meant, and ``low`` and ``high``, the outer ends of the intervals of these two.
    """
    settings = settings or TaxSettings()
    rows = [
        {**named, "comparison": name, **row}
        for name, given in comparisons.items()
        for named, part in given.by_group()
        for row in _bounds(part, settings)
    ]
    return table("bounds", grouped_columns(settings.by, BOUNDS), rows=rows, signature=signature(settings))


def _bounds(given: PairedAnswers, settings: TaxSettings) -> Iterator[NewRow]:
    whole, bootstrap = everywhere(given), settings.bootstrap
    every = list(range(len(given.models)))
    for group, rows in {EVERY: every, **settings.named_groups(given.models)}.items():
        yield bound_row(given, rows, whole, head("clustered", group=group), bootstrap=bootstrap)
    for task in given.tasks:
        items = given.of_task(task)
        for row, model, group in settings.with_groups(given.models):
            if given.pairs.asked[row, items].any():
                about = head("cell", task=task, group=group, model=model)
                yield bound_row(given, [row], items, about, bootstrap=bootstrap)


def _by_place(records: pl.DataFrame, settings: TaxSettings) -> dict[tuple[Group, str, Cell], NewRow]:
    """The rows of a reading by group, task and cell."""
    return {
        (tuple(named.values()), task, cell): row
        for named, part in grouped(records, settings.by)
        for (task, cell), row in _cells(part, settings)
    }


def _cells(records: pl.DataFrame, settings: TaxSettings) -> Iterator[tuple[tuple[str, Cell], NewRow]]:
    key = ["task", "model", "instruction", "input", "repeat"]
    read: dict[tuple[object, ...], int] = {}
    if READ_AGAIN in records.columns:
        counted = records.group_by(key).agg(pl.col(READ_AGAIN).sum())
        read = {row[:-1]: int(row[-1]) for row in counted.iter_rows()}
    for (task,), frame in records.sort("task").group_by(["task"], maintain_order=True):
        arrays = answer_arrays(frame)
        for row, cell in enumerate(arrays.cells):
            answers, gold = arrays.answers[row], arrays.gold[row]
            valid = estimate(validity_statistic(answers), settings.bootstrap)
            right = estimate(accuracy_statistic(answers, gold))
            yield (str(task), cell), {
                "statistic": "validity", "value": valid.value, "low": valid.low, "high": valid.high, "accuracy": right.value, "n": valid.n,
                "read": read.get((str(task), cell.model, cell.instruction, cell.input, cell.repeat)),
            }  # fmt: skip


def _unchecked(found: Mapping[str, NewRow]) -> str:
    """Why no second parser has read the replies of a cell; empty where one has."""
    others = [row["read"] for name, row in found.items() if name != RECORDED]
    if not others:
        return "read by one parser"
    return "" if any(count != 0 for count in others) else "no reply that could be read again"


def _why(found: Mapping[str, NewRow], settings: TaxSettings) -> Iterator[str]:
    recorded = next(iter(found.values()))
    rate = recorded["value"]
    if rate is None:
        yield "no reply came"
    if isinstance(rate, float) and rate < settings.min_valid:
        yield f"{rounding.cell(rate, 'share')} readable, under {rounding.cell(settings.min_valid, 'share')}"
    scores = {name: row["accuracy"] for name, row in found.items() if isinstance(row["accuracy"], float)}
    if len(scores) > 1:
        low, high = (pick(scores, key=lambda name: scores[name]) for pick in (min, max))
        apart = scores[high] - scores[low]
        if apart > TOLERANCE:
            yield f"accuracy differs by {rounding.cell(apart)} between the parsers {low} and {high}"
