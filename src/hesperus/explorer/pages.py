"""The pages of the explorer, as text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import polars as pl
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from hesperus.analysis.item_changes import item_changes
from hesperus.analysis.item_filter import (
    ANYWHERE,
    IN_A_SENSE,
    TELLING,
    TELLING_SCORED,
    telling,
)
from hesperus.analysis.item_matrix import ROW, ItemMatrix
from hesperus.analysis.item_ratings import ratings_of
from hesperus.errors import UnknownNameError, UsageError
from hesperus.explorer.addresses import CSV, JSON, MatrixLinks, View, packed, question_url
from hesperus.explorer.changes_page import ChangeChoice, changes_shown
from hesperus.explorer.item_corrections import BY_HAND
from hesperus.explorer.quick_filters import quick_filters
from hesperus.explorer.state import OpenRuns
from hesperus.explorer.translations_page import translations_shown
from hesperus.explorer.what_if import what_if
from hesperus.item_views.claims_view import ClaimsView, claims_views
from hesperus.item_views.filter_address import references_of
from hesperus.item_views.markup import environment, style
from hesperus.item_views.matrix_view import FILTER_MARKS, label_of, matrix_view, short_code
from hesperus.item_views.missing_parts import missing_parts
from hesperus.item_views.question_view import AnswerView, QuestionView, question_view
from hesperus.rounding import cell
from hesperus.version import __version__
from hesperus.wording import OUTCOME_WORDS, sense_label

PER_PAGE = 50
_MOST_CHOICES = 300
_SENSE = ("instruction", "input", "repeat")
_KEPT = (*IN_A_SENSE, "differs", "anywhere", "senses", "sort", "at_most")
"""Conditions for which the form has no field that shows them."""


def summary_page(open_: OpenRuns) -> str:
    """The runs and their models."""
    view = View()
    runs = tuple(
        replace(one, corrected=len((held := open_.corrections(one.name)).by_key), file=Path(held.file).name)
        for one in open_.facts
    )
    if open_.is_empty:
        return _page("summary.html.j2", open_, view, runs=runs, matrix=None, rows=(), heads=(), link=None)
    matrix = open_.matrix(view)
    rows = open_.summaries(view)
    several = [name for name in ("task", "run") if len({getattr(row, name) for row in rows}) > 1]

    def link(row: Any, mark: str, key: str) -> str:
        choices: dict[str, Any] = {"model": (row.model,)} | {name: (getattr(row, name),) for name in several}
        if mark:
            choices[mark] = (key,)
        return view.filtered(**choices).url()

    return _page(
        "summary.html.j2",
        open_,
        view,
        runs=runs,
        matrix=matrix,
        rows=rows,
        heads=tuple(map(label_of, matrix.columns)),
        link=link,
    )


def items_page(open_: OpenRuns, view: View) -> str:
    """The item matrix."""
    if open_.is_empty:
        return _nothing_page(open_)
    matrix = open_.matrix(view)
    rows = open_.rows(view)
    pages = max(1, -(-rows.height // PER_PAGE))
    page = min(view.page, pages)
    shown = rows.slice((page - 1) * PER_PAGE, PER_PAGE)
    drawn = matrix_view(matrix, shown, MatrixLinks(view))
    return _page(
        "items.html.j2",
        open_,
        view,
        drawn=drawn,
        total=rows.height,
        of=matrix.rows.height,
        first=(page - 1) * PER_PAGE + 1,
        page=page,
        pages=pages,
        page_url=lambda number: view.with_(page=number).url(),
        conditions=[(text, other.url()) for text, other in view.conditions(references_of(matrix))],
        quick=tuple(quick_filters(open_, view)),
        choices=_choices(matrix),
        senses=[(column.key, label_of(column)) for column in matrix.columns],
        packed=packed,
        kept=urlencode([pair for pair in view.query() if pair[0] in _KEPT]),
        marks=FILTER_MARKS,
        anywhere=[name for name in ANYWHERE if name not in IN_A_SENSE],
        has_mixed=len(open_.matrix(view.with_(senses="all")).columns)
        > len(open_.matrix(view.with_(senses="whole")).columns),
        other_senses=view.with_(senses="whole" if view.senses == "all" else "all").url(),
        reset=View(senses=view.senses, reference=view.reference).url(),
        csv=view.url(CSV),
        json=view.url(JSON),
        telling="" if view.sort else TELLING_SCORED if "scored" in drawn.marks else TELLING,
        default_order=view.with_(sort="").url(),
    )


def question_page(open_: OpenRuns, view: View, of: Mapping[str, str], token: str) -> str:
    """One question in all its senses.

    `of` has ``item``, ``model``, ``task`` and ``run`` of the question, and codes ``a`` and ``b`` to compare; a form
    that corrects an answer sends `token` along.
    """
    if open_.is_empty:
        return _nothing_page(open_)
    everything = open_.matrix(view.with_(senses="all"))
    row = _row_of(everything, of)
    asked = question_view(everything, row, own=open_.own(row["run"]), a=of.get("a"), b=of.get("b"))
    asked = _with_comparisons(asked, view, row)
    matrix = open_.matrix(view)
    same = telling(matrix.rows.filter((pl.col("item") == row["item"]) & (pl.col("task") == row["task"])))
    links = MatrixLinks(view, orders=False)
    before, after, place, total = _around(open_.rows(view), row, view)
    columns = {(one.instruction, one.input, one.repeat): one for one in everything.columns}
    of_record, ratings = {name: str(row[name]) for name in ROW}, open_.ratings(row["run"])
    return _page(
        "question.html.j2",
        open_,
        view,
        asked=asked,
        answers=matrix_view(matrix, same.sort("run", "model"), links, current=row["row"]),
        before=before,
        after=after,
        place=place,
        total=total,
        conditions=[text for text, _ in view.conditions(references_of(matrix))],
        back=view.with_(page=view.page).url(),
        token=token if row["run"] in open_.places else "",
        corrected=_by_hand(open_, row),
        place_of=lambda answer: urlencode({**of_record, **dict(zip(_SENSE, answer.place, strict=True))}),
        here_query=urlencode(view.with_(page=view.page).query()),
        choices_of=_choices_of,
        what_if=lambda answer: what_if(everything, row, columns[answer.place]),
        claims=_claims(open_, row),
        ratings=() if ratings is None else ratings_of(ratings, row),
    )


def _claims(open_: OpenRuns, row: Mapping[str, Any]) -> tuple[ClaimsView, ...]:
    evaluated = open_.evaluated(row["run"])
    reference = open_.runs[row["run"]].study.get("reference")
    return () if evaluated is None else tuple(claims_views(evaluated, row, str(reference or "und")))


@dataclass(frozen=True, slots=True)
class ByHand:
    """A correction of an answer; a stale one was made for another reply."""

    answer: str
    note: str
    stale: bool


def _by_hand(open_: OpenRuns, row: Mapping[str, Any]) -> dict[tuple[str, str, int], ByHand]:
    """Corrections of a question by instruction, input and repeat."""
    mine = (row["model"], row["task"], row["item"])
    held = {key[3:]: one for key, one in open_.corrections(row["run"]).by_key.items() if key[:3] == mine}
    return {
        key: ByHand(
            one.answer.label or OUTCOME_WORDS[one.answer.outcome],
            one.note,
            stale=open_.is_stale(row["run"], one),
        )
        for key, one in held.items()
    }


def _choices_of(answer: AnswerView) -> list[tuple[str, str, bool]]:
    """What an answer can be read as: words, value of the field, whether it is so now."""
    now = answer.cell.answer
    labels = [option.label for option in answer.options]
    if now is not None and now not in labels:
        labels.insert(0, now)
    chosen = [(label, packed("label", label), label == now) for label in labels]
    return chosen + [
        (OUTCOME_WORDS[one], packed("outcome", one), now is None and one == answer.cell.outcome)
        for one in BY_HAND
    ]


def changes_page(open_: OpenRuns, asked: Mapping[str, str], page: int) -> str:
    """Two runs item by item.

    `asked` has ``before`` and ``after``, names of runs (by default the first two), ``kind`` and ``sense``.
    """
    names = list(open_.runs)
    if len(names) < 2:
        raise UsageError("one run is open; hesperus view RUN_A RUN_B compares two")
    before, after = asked.get("before") or names[0], asked.get("after") or names[1]
    choice = ChangeChoice(before, after, asked.get("kind", ""), asked.get("sense", ""), page)
    matrix = open_.matrix(View())
    changes = item_changes(matrix, choice.before, choice.after)
    return _page("changes.html.j2", open_, View(), names=names, **changes_shown(matrix, changes, choice))


def translations_page(open_: OpenRuns, asked: Mapping[str, str], page: int) -> str:
    """Translations of a run (the first that has scores, if none is named), the lowest score first."""
    scored = (name for name in open_.runs if open_.scores(name) is not None)
    run = asked.get("run") or next(scored, next(iter(open_.runs)))
    shown = translations_shown(run, open_.scores(run), open_.runs[run].items, asked.get("metric", ""), page)
    return _page("translations.html.j2", open_, View(), **shown)


def message_page(open_: OpenRuns, title: str, text: str) -> str:
    """A page that says one thing."""
    return _page("message.html.j2", open_, View(), title=title, text=text)


def _nothing_page(open_: OpenRuns) -> str:
    return message_page(open_, "Nothing to show", " ".join(missing_parts(next(iter(open_.runs.values())))))


def entrance_page(view: View) -> str:
    """Leads on, from an address that holds the token to one that does not: to the first page, or to the items of a filter."""
    target = view.url() if view.query() else "/"
    return _environment().get_template("entrance.html.j2").render(target=target)


def _row_of(matrix: ItemMatrix, of: Mapping[str, str]) -> dict[str, Any]:
    found = matrix.rows
    for name in ("item", "task", "run", "model"):
        if not of.get(name):
            continue
        narrowed = found.filter(pl.col(name) == of[name])
        if narrowed.is_empty():
            raise UnknownNameError(name, of[name], found[name].unique().sort().to_list()[:2000])
        found = narrowed
    return telling(found).row(0, named=True)


def _with_comparisons(asked: QuestionView, view: View, row: Mapping[str, Any]) -> QuestionView:
    """Each sense with a link that compares it with the first, or with the chosen one."""
    first = asked.compared.a.code if asked.compared else asked.senses[0].code
    second = asked.compared.b.code if asked.compared else None
    senses = tuple(
        replace(sense, href=question_url(view, row, (("a", first), ("b", sense.code))) + "#compared")
        if sense.code not in (first, second)
        else sense
        for sense in asked.senses
    )
    return replace(asked, senses=senses)


def _around(
    rows: pl.DataFrame, row: Mapping[str, Any], view: View
) -> tuple[str | None, str | None, int | None, int]:
    """Addresses of the rows before and after, the place of this one (from 1), and how many there are."""
    numbers = rows["row"]
    at = numbers.index_of(row["row"])
    if at is None:
        return None, None, None, rows.height

    def url(place: int) -> str | None:
        return question_url(view, rows.row(place, named=True)) if 0 <= place < rows.height else None

    return url(at - 1), url(at + 1), at + 1, rows.height


def _choices(matrix: ItemMatrix) -> dict[str, list[str]]:
    """Values to choose from: run, task, model and the groups, if there are several and not too many."""
    found = {}
    for name in ("run", "task", "model", *matrix.groups):
        values = matrix.rows[name].drop_nulls().unique().sort().to_list()
        if 1 < len(values) <= _MOST_CHOICES:
            found[name if name in ("run", "task", "model") else f"group.{name}"] = values
    return found


def _page(template: str, open_: OpenRuns, view: View, **held: Any) -> str:
    return (
        _environment()
        .get_template(template)
        .render(
            version=__version__,
            runs_open=tuple(open_.runs),
            has_translations=open_.has_translations,
            view=view,
            css=Markup(_css()),
            script=Markup(_script()),
            **held,
        )
    )


@cache
def _environment() -> Environment:
    made = environment(PackageLoader("hesperus.explorer", "templates"))
    made.filters |= {
        "percentage": lambda share: cell(share, "percentage"), "cell": cell, "code": short_code, "sense_label": sense_label,
        "signed": lambda value: f"{'+' if value > 0 else ''}{cell(value)}", "question": lambda row: question_url(View(), row),
    }  # fmt: skip
    return made


@cache
def _css() -> str:
    return style() + (files("hesperus.explorer") / "templates" / "explorer.css").read_text(encoding="utf-8")


@cache
def _script() -> str:
    return (files("hesperus.explorer") / "templates" / "explorer.js").read_text(encoding="utf-8")


@cache
def policy() -> str:
    """The content security policy of every page: its own style and script by their hashes, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(_css())}'; script-src '{_hash(_script())}'; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
