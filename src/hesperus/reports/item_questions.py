"""The questions of a page's item matrix, each in all its languages, for the script of the page to show when one is clicked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from hesperus.analysis.item_matrix import ItemMatrix
from hesperus.item_views.matrix_view import Links, MatrixView, matrix_view
from hesperus.item_views.question_view import QuestionView, question_view
from hesperus.packed_text import packed

if TYPE_CHECKING:  # a table loads this file, too, and needs no templates
    from jinja2 import Environment

MOST_BYTES = 450_000
"""Bytes of all questions of a page, packed; those of the rows further down are left to the explorer."""


@dataclass(frozen=True, slots=True)
class Question:
    """An item: how every model answered it, and for the models of the page's rows what was asked and what came back."""

    task: str
    item: str
    answers: MatrixView
    views: tuple[QuestionView, ...]


def questions(
    matrices: tuple[ItemMatrix, ItemMatrix], rows: pl.DataFrame, links: Links, own: frozenset[str]
) -> Iterator[Question]:
    """The questions of rows of a matrix, each item once, in the order of the rows.

    Args:
        matrices: With all ways of asking, and the languages alone; both with the texts of these rows (see
            ItemMatrix.with_texts).
        rows: Rows that a page shows.
        links: Where the answers lead.
        own: Codes of senses that the models made themselves.
    """
    matrix, whole = matrices
    place = ["run", "task", "item"]
    every = whole.rows.join(rows.select(place).unique(), on=place, how="semi")
    for (_, task, item), asked in rows.group_by(place, maintain_order=True):
        models = every.filter((pl.col("task") == task) & (pl.col("item") == item)).sort("model")
        answers = matrix_view(whole, models, links, current=int(asked["row"][0]))
        views = tuple(question_view(matrix, row, own=own) for row in asked.iter_rows(named=True))
        yield Question(str(task), str(item), answers, views)


def packed_questions(environment: Environment, shown: Iterable[Question]) -> Iterator[tuple[Question, str]]:
    """Questions with what a page's script unpacks, until they take MOST_BYTES together.

    Each is the JSON of ``{"answers", "models", "facts", "senses"}``: HTML of the answers of all models; names of models; and
    for each of them HTML of facts and of every sense (senses first, then models: what is alike is packed best side by side).
    """
    matrix: Any = environment.get_template("item_matrix.html.j2").module
    question: Any = environment.get_template("item_question.html.j2").module
    taken = 0
    for one in shown:
        kinds = [[sense.code for sense in view.senses] for view in one.views]
        codes = list(dict.fromkeys(code for of_view in kinds for code in of_view))
        by_code = [{sense.code: sense for sense in view.senses} for view in one.views]
        held = {
            "answers": f"{matrix.item_matrix(one.answers, 'Answers of every model')}{matrix.item_marks(one.answers)}",
            "models": [view.model for view in one.views],
            "facts": [str(question.item_facts(view)) for view in one.views],
            "senses": [[str(question.sense_card(senses[code])) if code in senses else "" for senses in by_code] for code in codes],
        }  # fmt: skip
        text = packed(json.dumps(held, ensure_ascii=False))
        taken += len(text)
        if taken > MOST_BYTES:
            return
        yield one, text
