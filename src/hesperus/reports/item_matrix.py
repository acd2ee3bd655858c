"""The items behind the numbers: the most telling ones in every sense, as a table of answers with their marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from hesperus.analysis.item_filter import TELLING, telling
from hesperus.analysis.item_matrix import ItemMatrix, item_matrix
from hesperus.analysis.item_texts import texts_of
from hesperus.records import Run
from hesperus.reports.blocks import Block, Column, Grid, Mark, Section, Sentences, Value
from hesperus.untrusted import shortened
from hesperus.wording import MISSING, OUTCOME_WORDS, sense_label, target_label

MOST_ROWS = 100
_LONGEST = 80
_LONGEST_ANSWER = 24


def items_blocks(run: Run, *, most: int = MOST_ROWS) -> Iterator[Block]:
    """The section of items: rows of the item matrix by a stated rule.

    Args:
        run: The run; its texts are shown if it has them.
        most: Rows that are shown.
    """
    if run.records.is_empty():
        return
    matrix = item_matrix({"run": run}).whole
    if len(matrix.columns) < 2:
        return
    rows = telling(matrix.rows).filter(
        (pl.col("changed") > 0) | (pl.col("wrong") > 0) | (pl.col("unanswered") > 0)
    )
    yield Section("Items: which questions", "items", listed="Items")
    if rows.is_empty():
        yield Sentences(("Every item has the same answer in all senses.",))
        return
    shown = rows.head(most)
    yield Sentences(
        (
            f"{shown.height:,} of {rows.height:,} items with an answer that changes, is wrong or is missing, of "
            f"{matrix.rows.height:,} items and models. {TELLING} hesperus view RUN shows all of them, with their texts in "
            "every language.",
        )
    )
    yield _grid(matrix, shown, run)


def _grid(matrix: ItemMatrix, rows: pl.DataFrame, run: Run) -> Grid:
    who = [name for name in ("model", "task") if matrix.rows[name].n_unique() > 1]
    cells: dict[tuple[int, int], Mapping[str, Any]] = {
        (cell["row"], cell["column"]): cell
        for cell in matrix.cells.filter(pl.col("row").is_in(rows["row"].implode())).to_dicts()
    }
    asked = _questions(run, rows["item"].unique().to_list(), matrix.columns[0].input)
    lines: list[tuple[Value, ...]] = []
    for row in rows.to_dicts():
        held = [cells.get((row["row"], column.number)) for column in matrix.columns]
        gold = next((cell["gold"] for cell in held if cell is not None and cell["gold"] is not None), None)
        question = (asked[row["item"]],) if row["item"] in asked else (() if not asked else (MISSING,))
        lines.append(
            (
                str(row["item"]),
                *question,
                *(str(row[name]) for name in who),
                MISSING if gold is None else shortened(str(gold), _LONGEST_ANSWER),
                *map(_mark, held),
            )
        )
    heads = ["Item", *(["Question"] if asked else []), *(name.capitalize() for name in who), "Right answer"]
    senses = [sense_label(column.input) if place == 0 else target_label(column.input)
              for place, column in enumerate(matrix.columns)]  # fmt: skip
    return Grid(
        "Answers in every sense. ✓ right, ✗ wrong, – no answer, ≠ another answer than in the sense that it is compared with.",
        tuple(Column(head) for head in (*heads, *senses)),
        tuple(lines),
    )


def _mark(cell: Mapping[str, Any] | None) -> Value:
    if cell is None:
        return ""
    text = (
        cell["answer"] if cell["answer"] is not None else OUTCOME_WORDS.get(cell["outcome"], cell["outcome"])
    )
    return Mark(shortened(str(text), _LONGEST_ANSWER), str(cell["mark"]), cell["changed"])


def _questions(run: Run, items: list[str], code: str) -> dict[str, str]:
    """The beginning of each question in a sense, as far as the run keeps texts."""
    if run.items is None or run.items.is_empty():
        return {}
    name = "input" if "input" in run.items.columns else "language"
    held = run.items.filter(pl.col("item").is_in(items) & (pl.col(name) == code)).unique("item", keep="first")
    found = {}
    for row in held.to_dicts():
        fields, _ = texts_of(row, code)
        text = " ".join(text.text for _, text in fields)
        if text:
            found[str(row["item"])] = shortened(text, _LONGEST)
    return found
