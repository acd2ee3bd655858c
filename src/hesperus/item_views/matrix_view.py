"""The item matrix as it is drawn: heads of columns, and rows of cells with their marks and links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from hesperus.analysis.compared_pairs import Side
from hesperus.analysis.item_filter import CHANGED, LOST
from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn
from hesperus.analysis.item_texts import field_columns
from hesperus.item_views.filter_address import sense_words
from hesperus.rounding import cell as rounded
from hesperus.untrusted import one_line
from hesperus.wording import OUTCOME_WORDS, direction, parsed

FILTER_MARKS = (
    ("right", "right"),
    ("wrong", "wrong"),
    ("lost", "wrong, though its reference is right"),
    ("changed", "changed against its reference"),
    ("unanswered", "no answer in the reply"),
)
"""Marks by which the head of a column filters, with what they mean."""

SCORED = "scored"
_LABEL = 14
_SNIPPET = 90


class Links:
    """Where the parts of a matrix lead: here nowhere, as on a page, which is one file and whose own script filters and sorts."""

    def question(self, row: Mapping[str, Any], column: MatrixColumn | None) -> str | None:
        """The question of a row, or one sense of it."""
        return None

    def filtered(self, mark: str, column: MatrixColumn) -> str | None:
        """The matrix with a condition on a column put on, or taken off where it is on."""
        return None

    def is_on(self, mark: str, column: MatrixColumn) -> bool:
        """Whether this condition is on."""
        return False

    def ordered(self, by: str) -> str | None:
        """The matrix sorted by a column of its rows, or by the key of a sense."""
        return None

    def order_of(self, by: str) -> str | None:
        """``ascending`` or ``descending`` where the matrix is sorted so."""
        return None


@dataclass(frozen=True, slots=True)
class Toggle:
    """A filter in the head of a column."""

    mark: str
    title: str
    href: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a sense: the key that filters name it by, its code, its name in words and as a label, and what it is compared with."""

    key: str
    code: str
    name: str
    label: str
    reference: str | None
    href: str | None
    order: str | None
    toggles: tuple[Toggle, ...]


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell.

    Attributes:
        text: The answer as it is shown, or the outcome in words.
        mark: See hesperus.analysis.item_matrix; ``absent`` where it was not asked.
        changed: Whether the answer differs from that of the reference.
        lost: Whether it is wrong while the reference is right.
        words: All of this in words.
        title: The same after the code of the sense.
        href: Where it leads.
        outcome: Of the record; None if it was not asked.
        answer: In full.
        is_scored: Whether the text is the score of a free text.
    """

    text: str
    mark: str
    changed: bool
    lost: bool
    words: str
    title: str
    href: str | None
    outcome: str | None = None
    answer: str | None = None
    is_scored: bool = False


@dataclass(frozen=True, slots=True)
class RowView:
    """A row: which item, model and run, what is asked in short, and its cells."""

    run: str
    model: str
    task: str
    item: str
    gold: str | None
    snippet: str
    language: str | None
    direction: str
    href: str | None
    is_current: bool
    lost: int
    changed: int
    cells: tuple[CellView, ...]


@dataclass(frozen=True, slots=True)
class MatrixView:
    """The matrix.

    Attributes:
        heads: Columns of senses.
        rows: Rows, in order.
        lead: What heads a row: ``item``, or ``model`` where all rows are of one item.
        named: Which of ``run``, ``task``, ``model``, ``gold``, ``lost`` and ``changed`` are shown: not the same for all.
        marks: Marks that occur, ``lost`` and ``changed`` among them; ``scored`` where cells have a score.
        orders: Column of the rows to (link, order), for the heads that are no senses.
    """

    heads: tuple[Head, ...]
    rows: tuple[RowView, ...]
    lead: str
    named: tuple[str, ...]
    marks: frozenset[str]
    orders: Mapping[str, tuple[str | None, str | None]]


def matrix_view(
    matrix: ItemMatrix, rows: pl.DataFrame, links: Links, *, current: int | None = None
) -> MatrixView:
    """Rows of a matrix as they are drawn.

    At most some hundred rows are shown; `current` is the number of the one that is looked at.
    """
    cells = matrix.cells.filter(pl.col("row").is_in(rows["row"].implode()))
    shown = (
        "row",
        "column",
        "outcome",
        "answer",
        "gold",
        "mark",
        "changed",
        "lost",
        "confidence",
        "score",
        "ceiling",
    )
    by_place = {
        (cell.pop("row"), cell.pop("column")): cell for cell in cells.select(shown).iter_rows(named=True)
    }
    snippets = _snippets(matrix, rows)
    columns = matrix.columns_of(rows)
    drawn: dict[tuple[object, ...], CellView] = {}
    held = [
        _row(row, by_place, (matrix, columns, drawn), links, snippets) for row in rows.iter_rows(named=True)
    ]
    views = tuple(
        view if number != current else replace(view, is_current=True)
        for view, number in zip(held, rows["row"], strict=True)
    )
    orders = {
        name: (links.ordered(name), links.order_of(name)) for name in ("item", "model", "lost", "changed")
    }
    lead = (
        "model"
        if views and current is not None and len({(view.task, view.item) for view in views}) == 1
        else "item"
    )
    return MatrixView(
        tuple(_head(column, matrix, links) for column in columns),
        views,
        lead,
        tuple(_named(matrix, views, lead)),
        frozenset(_marks(views)),
        orders,
    )


def _named(matrix: ItemMatrix, views: tuple[RowView, ...], lead: str) -> Iterator[str]:
    for name in ("run", "task", "model"):
        if name != lead and name in matrix.telling and (lead == "item" or name == "run"):
            yield name
    for name in ("lost", "changed"):
        if name in matrix.telling:
            yield name
    if any(view.gold is not None for view in views):
        yield "gold"


def _marks(views: tuple[RowView, ...]) -> Iterator[str]:
    for cell in (cell for view in views for cell in view.cells):
        yield LOST if cell.lost else cell.mark
        if cell.changed and not cell.lost:
            yield CHANGED
        if cell.is_scored:
            yield SCORED


def _head(column: MatrixColumn, matrix: ItemMatrix, links: Links) -> Head:
    keys = {other.number: other.key for other in matrix.columns}
    reference = None if column.reference is None else keys.get(column.reference)
    toggles = []
    for mark, title in FILTER_MARKS:
        href = links.filtered(mark, column)
        if href is not None and (reference is not None or mark not in ("lost", "changed")):
            toggles.append(Toggle(mark, title, href, links.is_on(mark, column)))
    return Head(
        column.key, short_code(column), sense_words(column.key), label_of(column), reference, links.ordered(column.key), links.order_of(column.key), tuple(toggles)
    )  # fmt: skip


def short_code(column: MatrixColumn) -> str:
    """The code of a sense as the head of a column has it: ``sw``; ``sw_from_en | en`` (instruction | input); ``en, 2nd ask``."""
    code = column.input if column.instruction == column.input else f"{column.instruction} | {column.input}"
    return code if column.repeat == 1 else f"{code} ×{column.repeat}"


def label_of(column: MatrixColumn) -> str:
    """The sense in words."""
    label = Side(column.instruction, column.input).label
    return label if column.repeat == 1 else f"{label}, ask {column.repeat}"


def _row(
    row: Mapping[str, Any],
    cells: Mapping[tuple[int, int], Mapping[str, Any]],
    shown: tuple[ItemMatrix, tuple[MatrixColumn, ...], dict[tuple[object, ...], CellView]],
    links: Links,
    snippets: Mapping[tuple[str, str, str], tuple[str, str | None]],
) -> RowView:
    matrix, columns, drawn = shown
    held = [cells.get((row["row"], column.number)) for column in columns]
    gold = next((cell["gold"] for cell in held if cell is not None and cell["gold"] is not None), None)
    text, tag = snippets.get((row["run"], row["task"], row["item"]), ("", None))
    views = []
    for cell, column in zip(held, columns, strict=True):
        href = links.question(row, column) if cell is not None else None
        # Of a hundred questions most cells are alike.
        kind = (column.number, href, *(cell.values() if cell is not None else ()))
        if kind not in drawn:
            drawn[kind] = cell_view(cell, column, matrix, href)
        views.append(drawn[kind])
    return RowView(
        row["run"], row["model"], row["task"], row["item"], gold if gold is None else _short(gold), text, tag,
        direction(tag) if tag else "auto", links.question(row, None), False, row["lost"], row["changed"], tuple(views),
    )  # fmt: skip


def cell_view(
    cell: Mapping[str, Any] | None, column: MatrixColumn, matrix: ItemMatrix, href: str | None
) -> CellView:
    """One cell; None means what was not asked."""
    if cell is None:
        return CellView("", "absent", False, False, "not asked", "not asked", None)
    answer, mark, outcome = cell["answer"], cell["mark"], cell["outcome"]
    words = {"unanswered": f"no answer: {OUTCOME_WORDS.get(outcome, outcome)}", "error": "no reply"}.get(
        mark, mark
    )
    said = [words]
    reference = next((other for other in matrix.columns if other.number == column.reference), None)
    if cell["changed"] and reference is not None:
        said.append(f"{'lost' if cell['lost'] else 'changed'} against {short_code(reference)}")
    if (score := cell["score"]) is not None:
        above = f" of at most {_percent(cell['ceiling'])}" if cell["ceiling"] is not None else ""
        said[0] = f"score {_percent(score)}{above}"
    if cell["confidence"] is not None:
        said.append(f"probability {rounded(min(1.0, cell['confidence']))}")
    text = answer_text(answer, outcome, score)
    spoken = one_line(", ".join(said))
    return CellView(
        text,
        mark,
        bool(cell["changed"]),
        bool(cell["lost"]),
        spoken,
        one_line(f"{short_code(column)}, {spoken}"),
        href,
        outcome,
        answer,
        score is not None,
    )


def answer_text(answer: str | None, outcome: str, score: float | None) -> str:
    """What a cell says: the score of a free text, a short form of the answer, or why it lacks one."""
    if score is not None:
        return _percent(score)
    if outcome == "error":
        return "no reply"
    return _short(answer) if answer is not None else OUTCOME_WORDS.get(outcome, outcome)


def _percent(share: float) -> str:
    return f"{rounded(share, 'percentage')} %"


def _short(text: str, length: int = _LABEL) -> str:
    line = one_line(text[: 4 * length])
    return line if len(line) <= length and len(text) <= 4 * length else f"{line[: length - 1].rstrip()}…"


def _snippets(matrix: ItemMatrix, rows: pl.DataFrame) -> dict[tuple[str, str, str], tuple[str, str | None]]:
    """The first text of each item in the main reference, in short, with its language."""
    code = matrix.columns[0].input
    sense = parsed(code)
    found: dict[tuple[str, str, str], tuple[str, str | None]] = {}
    for run, items in matrix.items.items():
        fields = field_columns(items.columns)
        place = "input" if "input" in items.columns else "language"
        if not fields or place not in items.columns:
            continue
        own = rows.filter(pl.col("run") == run).select("task", "item").unique()
        held = items.filter(pl.col(place) == code).join(
            own, on=[name for name in own.columns if name in items.columns]
        )
        for task, item, *texts in held.select("task", "item", *fields).iter_rows():
            text = " · ".join(part for part in texts if isinstance(part, str) and part)
            found[run, task, item] = (_short(text, _SNIPPET), sense.language if sense else None)
    return found
