"""Addresses of the explorer: every filter, order and choice is in them, so that a view can be shared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from hesperus.analysis.item_filter import IN_A_SENSE, ItemFilter
from hesperus.analysis.item_matrix import MatrixColumn
from hesperus.errors import UsageError
from hesperus.item_views.filter_address import condition_words, filter_of_pairs, filter_pairs
from hesperus.item_views.matrix_view import Links
from hesperus.item_views.question_view import anchor_of

MATRIX, QUESTION, CSV, JSON, CORRECT, CHANGES, TRANSLATIONS = (
    "/items",
    "/question",
    "/items.csv",
    "/items.json",
    "/correct",
    "/changes",
    "/translations",
)

PACKED = "pick"
"""Field of a form whose values are pairs (see packed)."""

_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows.

    Attributes:
        wanted: The filter.
        senses: ``whole``: senses alone; ``all``: also the instruction alone, the input alone, and repeats.
        reference: Key of the sense that all are compared with; empty: the usual ones.
        sort: Column of the rows or key of a sense, with a minus in front the other way round; empty: most telling first.
        page: From 1.
    """

    wanted: ItemFilter = field(default_factory=ItemFilter)
    senses: str = "whole"
    reference: str = ""
    sort: str = ""
    page: int = 1

    @classmethod
    def parse(cls, pairs: Iterable[tuple[str, str]]) -> View:
        """Read the query of an address; what it does not know is left alone."""
        many: dict[str, list[str]] = {}
        for name, value in _unfolded(pairs):
            if value and value not in (held := many.setdefault(name, [])):
                held.append(value[:_LONGEST])
        last = {name: values[-1] for name, values in many.items()}
        if last.get("mark") in IN_A_SENSE and "sense" in last:  # a form adds a condition
            held = many.setdefault(last["mark"], [])
            held += [last["sense"]] if last["sense"] not in held else []
        wanted = filter_of_pairs(many)
        page = last.get("page", "1")
        if not (page.isdecimal() and page.isascii() and 0 < int(page[:9]) < 10**8):
            raise UsageError(f"page is a whole number of 1 or more, not {page[:40]!r}")
        named = [value for mark in (*IN_A_SENSE, "differs") for value in many.get(mark, ())]
        part = any(
            "instruction=" in value for value in named
        )  # of a prompt: only the matrix of all senses has it
        senses = "all" if part or last.get("senses") == "all" else "whole"
        return cls(wanted, senses, last.get("reference", ""), last.get("sort", ""), int(page[:9]))

    def query(self) -> tuple[tuple[str, str], ...]:
        """The pairs that parse reads."""
        pairs = [*filter_pairs(self.wanted)]
        pairs += [(name, value) for name in ("reference", "sort") if (value := getattr(self, name))]
        if self.senses == "all":
            pairs.append(("senses", "all"))
        if self.page > 1:
            pairs.append(("page", str(self.page)))
        return tuple(pairs)

    def url(self, path: str = MATRIX, more: Iterable[tuple[str, str]] = ()) -> str:
        """The address of this view."""
        query = urlencode([*more, *self.query()])
        return f"{path}?{query}" if query else path

    def with_(self, **changes: Any) -> View:
        """This view with other choices; the first page, unless a page is chosen."""
        return replace(self, **{"page": 1, **changes})

    def filtered(self, **changes: Any) -> View:
        """This view with other conditions."""
        return self.with_(wanted=replace(self.wanted, **changes))

    def toggled(self, mark: str, key: str) -> View:
        """With a condition on a sense put on, or taken off where it is on."""
        held: tuple[str, ...] = getattr(self.wanted, mark)
        other = tuple(name for name in held if name != key)
        return self.filtered(**{mark: other if key in held else (*held, key)})

    def conditions(self, references: Mapping[str, str]) -> Iterator[tuple[str, View]]:
        """Each condition in words, with the view without it."""
        pairs = filter_pairs(self.wanted)
        for words, pair in zip(condition_words(pairs, references), pairs, strict=True):
            left: dict[str, list[str]] = {}
            for name, value in pairs:
                if (name, value) != pair:
                    left.setdefault(name, []).append(value)
            yield words, self.with_(wanted=filter_of_pairs(left))


@dataclass(frozen=True, slots=True)
class MatrixLinks(Links):
    """Where the parts of a matrix lead in the explorer."""

    view: View
    orders: bool = True

    def question(self, row: Mapping[str, Any], column: MatrixColumn | None) -> str:
        """The page of a question, at the sense of a column."""
        anchor = "" if column is None else f"#{quote(anchor_of(column.input))}"
        return question_url(self.view, row) + anchor

    def filtered(self, mark: str, column: MatrixColumn) -> str | None:
        """The matrix with a condition put on or taken off."""
        return self.view.toggled(mark, column.key).url() if self.orders else None

    def is_on(self, mark: str, column: MatrixColumn) -> bool:
        """Whether this condition is on."""
        return column.key in getattr(self.view.wanted, mark)

    def ordered(self, by: str) -> str | None:
        """The matrix sorted by a column, the other way round where it is so already; counts from the highest."""
        if not self.orders:
            return None
        first = f"-{by}" if by in ("lost", "changed") else by
        other = by if first.startswith("-") else f"-{by}"
        return self.view.with_(sort=other if self.view.sort == first else first).url()

    def order_of(self, by: str) -> str | None:
        """How the matrix is sorted by this column."""
        if not self.orders or self.view.sort.removeprefix("-") != by:
            return None
        return "descending" if self.view.sort.startswith("-") else "ascending"


def question_url(view: View, row: Mapping[str, Any], more: Iterable[tuple[str, str]] = ()) -> str:
    """The page of the question of a row, which keeps the filter."""
    place = [(f"of_{name}", str(row[name])) for name in ("item", "model", "task", "run")]
    return view.with_(page=view.page).url(QUESTION, [*place, *more])


def packed(name: str, value: str) -> str:
    """A pair as the value of a field of a form: markup cannot hold every character of a stranger's text, this can."""
    return urlencode([(name, value)])


def _unfolded(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Pairs, those among them that a form packed into its field PACKED."""
    for name, value in pairs:
        yield from parse_qsl(value) if name == PACKED else ((name, value),)
