"""A table as a renderer takes it: heads, and cells that know their unit and their interval."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from typing import Literal

from hesperus import rounding
from hesperus.reports.columns import ANSWERED, Column
from hesperus.wording import MISSING, joined


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a table with what is known about it.

    Attributes:
        value: In its own unit: a share lies in [0, 1]; None if it is undefined.
        unit: How it is written (see hesperus.rounding), or ``count``.
        low: Lower end of its interval, or None.
        high: Upper end.
        reason: Why there is no value.
        sign: Unit that is written after it, where no heading says it.
    """

    value: float | None
    unit: rounding.Unit | Literal["count"] = "number"
    low: float | None = None
    high: float | None = None
    reason: str = ""
    sign: str = ""

    @property
    def short(self) -> str:
        """Value and ends with few decimals, as a narrow terminal has them: ``87 [84, 90]``."""
        if self.value is None or self.unit == "count":
            return self.point if self.unit == "count" else MISSING
        unit: rounding.Unit = {"percentage": "label", "number": "short"}.get(self.unit, self.unit)  # type: ignore[assignment]
        written = rounding.interval(self.value, self.low, self.high, unit)
        return written.replace("%", "", 1)

    @property
    def point(self) -> str:
        """The value without its interval; a dash where it is undefined, with the reason."""
        if self.value is None:
            return f"{MISSING} ({self.why})" if self.why else MISSING
        return f"{self.value:,}" if self.unit == "count" else rounding.cell(self.value, self.unit)

    @property
    def why(self) -> str:
        """Why there is no value; empty where there is one, or nobody knows."""
        return self.reason if self.value is None else ""

    @property
    def ends(self) -> str:
        """The interval: ``[84.1, 90.1]``; empty without one."""
        if self.value is None or self.low is None or self.high is None or self.unit == "count":
            return ""
        return rounding.ends(self.low, self.high, self.unit)

    @property
    def data(self) -> dict[str, str]:
        """Value and ends in full, in the unit of the text: 74.6 of a share written so; what is missing is left out."""
        given = {"value": self.value, "low": self.low, "high": self.high} if self.value is not None else {}
        return {name: self._in_full(held) for name, held in given.items() if held is not None}

    def _in_full(self, held: float) -> str:
        # By decimals: 100 * 0.575 is 57.49999999999999
        exact = Decimal(f"{held:.{_DIGITS}g}") * (100 if self.unit in _HUNDREDFOLD else 1)
        return f"{exact.normalize():f}"

    def __str__(self) -> str:
        written = f"{self.point} {self.ends}" if self.ends else self.point
        return written if self.value is None else f"{written}{self.sign}"


_DIGITS = 10
"""Significant digits of a number in full: those beyond depend on the order in which a machine adds."""
_HUNDREDFOLD = ("share", "percentage", "label", "points", "size")


class Label(str):
    """A name with a short form for narrow terminals."""

    __slots__ = ("brief",)
    brief: str

    @classmethod
    def of(cls, text: str, brief: str) -> Label:
        """A name and its short form."""
        made = cls(text)
        made.brief = brief
        return made


class Wording(str):
    """A text of an item in its own language."""

    __slots__ = ("direction", "language")
    language: str
    direction: str

    @classmethod
    def of(cls, text: str, language: str, direction: str) -> Wording:
        """A text and its language."""
        made = cls(text)
        made.language, made.direction = language, direction
        return made


class LeftOut(str):
    """How many items are missing from the numbers of a line, and why: ``2: asked on one side only``.

    Attributes:
        parts: Counts with their reasons, each once; a reason may be empty.
    """

    __slots__ = ("parts",)
    parts: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, parts: Iterable[tuple[int, str]]) -> LeftOut:
        """Counts with their reasons, in any order."""
        known = set(parts)
        told = {count for count, reason in known if reason}
        held = sorted(
            (one for one in known if one[1] or one[0] not in told), key=lambda part: excluded_part(*part)
        )
        made = cls("; ".join(excluded_part(*part) for part in held) or "0")
        made.parts = tuple(held)
        return made

    @property
    def counts(self) -> str:
        """The counts alone: of the numbers of a line not all need lack the same items."""
        return ", ".join(f"{count:,}" for count in sorted({count for count, _ in self.parts})) or "0"


def excluded_part(count: int, reason: str) -> str:
    """How many items are missing, and why: ``3: no reply``; a reason that begins with the count says it once: ``3 asked on one side only``."""
    if not reason or reason.startswith(f"{count:,} "):
        return reason or f"{count:,}"
    return f"{count:,}: {reason}"


def _joined(columns: Sequence[Column]) -> Column:
    """One column in place of several that say the same."""
    if len(columns) == 1:
        return columns[0]
    first, *others = columns
    return replace(
        first,
        heading=joined([first.heading or first.key, *(lowered(one.heading or one.key) for one in others)]),
    )


def lowered(heading: str) -> str:
    """A heading within another: ``recall``; a sign such as F or AC3 keeps its case."""
    return heading if heading[:2].isupper() else heading[:1].lower() + heading[1:]


_TOLD_TOGETHER = ("percentage", "points", "number", "score")
"""Units of measured numbers, which two columns may have in common; counts and p values have their own."""
_RESULTS = (*_TOLD_TOGETHER, "value", "difference", "p")
"""Units of what was measured."""
_SIGNS = ("%", "points")
"""Units that a heading ends in."""

Value = Number | str
"""A cell of a table."""


def about_text(name: str, text: str) -> str:
    """A head and what every line says under it: ``Items 200``, ``Answered 100.0 %``; the unit of the head follows the value."""
    head, _, unit = name.rpartition(", ")
    if unit not in _SIGNS:
        return f"{name} {text}"
    if text.startswith(MISSING):
        return f"{head} {text}"
    value, space, ends = text.partition(" ")
    return f"{head} {value}\u00a0{unit}{space}{ends}"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        caption: What it shows and how to read it.
        columns: Heads.
        rows: Cells, one for each column.
        folded: Shown only when asked for.
        about: Heads and texts that hold for every line, and that a page's title says already.
        keys: How many of the first columns name the lines; 0 if that is not known.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    folded: bool = False
    about: tuple[tuple[str, str], ...] = ()
    keys: int = 0

    def told_once(self, named: Collection[str] = ()) -> Grid:
        """The table without columns that say the same in every line: the caption says it. The first column stays.

        A table of one or two lines is left as it is. Heads in `about` that are `named` are said all the same (see
        Page.named).
        """
        short = self.without_the_same()
        own = [part for part in self.about if part[0] in named]
        said = [about_text(name, text) for name, text in (*own, *short.about[len(self.about) :])]
        caption = f"{self.caption} In every line: {', '.join(said)}." if said else self.caption
        return replace(short, caption=caption)

    @property
    def is_told(self) -> bool:
        """Whether nothing is left but names of lines: what is the same in all of them, which the caption says, is all there is."""
        return 0 < len(self.columns) <= self.keys

    @property
    def varying(self) -> tuple[int, ...]:
        """Places of the columns that do not say the same in every line, nor the same as one before them; the first is one of them.

        All of them in a table of one or two lines, and where only the first would be left.
        """
        return self._varying(self._alike())

    def _varying(self, alike: Collection[int]) -> tuple[int, ...]:
        places = range(len(self.columns))
        found = tuple(place for place in places if place == 0 or not (self._is_same(place) or place in alike))
        return found if len(found) > 1 else tuple(places)

    def _alike(self) -> dict[int, int]:
        """Columns of numbers that are those of an earlier column in every line of three or more, with its place."""
        found: dict[int, int] = {}
        held = [
            place
            for place, shown in enumerate(self.columns if len(self.rows) > 2 else ())
            if shown.unit in _TOLD_TOGETHER and not self._is_same(place)
        ]
        for one, other in combinations(held, 2):
            same_unit = self.columns[one].unit == self.columns[other].unit
            if one not in found and same_unit and all(str(row[one]) == str(row[other]) for row in self.rows):
                found.setdefault(other, one)
        return found

    def _is_same(self, place: int) -> bool:
        return (
            not self.columns[place].is_own
            and len(self.rows) > 2
            and all(str(row[place]) == str(self.rows[0][place]) for row in self.rows)
        )

    @property
    def results(self) -> tuple[int, ...]:
        """Places of the columns that have what was measured, but for the share that was answered."""
        return tuple(
            place
            for place, column in enumerate(self.columns)
            if column.unit in _RESULTS and not column.key.startswith(ANSWERED.key)
            if any(isinstance(cell := row[place], Number) and cell.unit != "count" for row in self.rows)
        )

    def keeping_results(self) -> Grid:
        """The same with results that stay columns even where they are the same in every line, as far as a narrow table has them."""
        kept = self.results
        columns = (
            replace(one, is_own=one.is_own or (one.rank == 0 and place in kept))
            for place, one in enumerate(self.columns)
        )
        return replace(self, columns=tuple(columns))

    def without_the_same(self, *, is_narrow: bool = False) -> Grid:
        """The same with its varying columns alone, and what the others say in `about` instead of the caption.

        Args:
            is_narrow: There is no room for a heading of several columns, which stay apart; and the first column goes too
                if it does not vary and the second one names the lines.
        """
        kept = self._varying({}) if is_narrow else self.varying
        named_twice = len(kept) > 1 and not self.columns[kept[1]].numeric
        if is_narrow and named_twice and self._is_same(0):
            kept = kept[1:]
        alike = {place: at for place, at in self._alike().items() if place not in kept and at in kept}
        together = {at: (at, *(place for place in alike if alike[place] == at)) for at in alike.values()}
        said = [
            (self.columns[place].name, cell if isinstance(cell := self.rows[0][place], str) else str(cell))
            for place in range(len(self.columns))
            if place not in kept and place not in alike
        ]
        return replace(
            self,
            about=(*self.about, *((name, text) for name, text in said if text != MISSING)),
            columns=tuple(
                _joined([self.columns[one] for one in together.get(place, (place,))]) for place in kept
            ),
            rows=tuple(tuple(row[place] for place in kept) for row in self.rows),
            keys=sum(place < self.keys for place in kept),
        )

    def with_about(self, named: Collection[str] | None = None) -> Grid:
        """The same with what holds for every line in columns of its own, for a table that has nothing around it."""
        kept = [part for part in self.about if named is None or part[0] in named]
        said = tuple(text for _, text in kept)
        heads = tuple(Column(name) for name, _ in kept)
        return replace(
            self,
            columns=(*heads, *self.columns),
            rows=tuple((*said, *row) for row in self.rows),
            about=(),
            keys=self.keys + len(heads),
        )

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The cells as people read them."""
        return tuple(tuple(map(str, row)) for row in self.rows)
