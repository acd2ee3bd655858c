"""A table in a terminal: every row on one line, whatever the width.

The essential columns come first: where not all fit, headings and intervals get short, then the columns of the highest rank
are excluded, and named. What is the same in every line is said once above it, why numbers are missing once below. Texts may
be cut, with …; numbers never are. The format ``wide`` shows everything on long lines.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from hesperus.reports.columns import EXCLUDED, Column
from hesperus.reports.grid import Grid, Label, LeftOut, Number, Value, about_text, excluded_part
from hesperus.untrusted import isolated, one_line
from hesperus.wording import MISSING

_GAP = "  "
_SHORTEST = 8
"""Texts are not cut to less than this."""
_NAMED = 3
"""Lines that a note names; of more it says how many."""
_STEPS = ((9, False, False), (9, True, False), (2, True, False), (2, True, True), (1, True, False), (1, True, True), (0, True, False),
          (0, True, True))  # fmt: skip
"""What is tried until a table fits: columns up to a rank, with short headings, with short numbers."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns of a grid are shown, and how.

    Attributes:
        grid: The table.
        places: Columns that are in the lines.
        headings: Columns that are above groups of lines.
        is_brief: Whether headings are short.
        is_short: Whether numbers are short.
    """

    grid: Grid
    places: tuple[int, ...]
    headings: tuple[int, ...] = ()
    is_brief: bool = False
    is_short: bool = False

    def head(self, place: int) -> str:
        """Heading of a column."""
        shown = self.grid.columns[place]
        return shown.short_name if self.is_brief else shown.name

    def text(self, row: Sequence[Value], place: int) -> str:
        """A cell."""
        value = row[place]
        if isinstance(value, Number):
            if value.value is None:
                return MISSING
            return f"{value.short}{value.sign}" if self.is_short else str(value)
        if isinstance(value, LeftOut):
            return value.counts
        return value.brief if isinstance(value, Label) and self.is_brief else str(value)

    def heading(self, row: Sequence[Value]) -> str:
        """What is above the group that a line is in."""
        return _GAP.join(isolated(self.text(row, place)) for place in self.headings)

    def widths(self) -> list[int]:
        """Width of every column."""
        return [
            max(cell_len(self.head(place)), *(cell_len(self.text(row, place)) for row in self.grid.rows))
            for place in self.places
        ]

    def fits(self, width: int) -> bool:
        """Whether a line is at most so wide."""
        return _total(self.widths()) <= width


def print_grid(
    grid: Grid, console: Console, *, lead: str, explained: str = "", is_whole: bool = False
) -> None:
    """Write a table to a terminal, as wide as it is.

    One whose results are the same in every line is one line, unless it is wanted whole.
    """
    narrow = grid.without_the_same(is_narrow=True)
    measured = any(one.numeric and one.unit != "count" for one in grid.columns)
    is_the_same = measured and not any(one.numeric for one in narrow.columns)
    if is_the_same and is_whole:
        narrow, is_the_same = grid, False
    elif not is_the_same:
        # Results stay columns where there is room; elsewhere the line above the table says that they are of every line.
        whole = grid.keeping_results().without_the_same(is_narrow=True)
        narrow = whole if _Layout(whole, _shown(whole), is_brief=True).fits(console.width) else narrow
    layout = _fitting(narrow, console.width)
    print_wrapped(lead, console, "bold")
    results = {grid.columns[place].name for place in grid.results} if not is_the_same else set()
    print_wrapped(_about(narrow, results), console, "dim")
    details = _details(narrow)
    if is_the_same:
        console.print(Text(f"the same in all {len(grid.rows)} lines, which --format wide has"))
    else:
        _print_lines(layout, details, console)
    for note in (*_notes(grid), *_absent(layout, details, console.width), explained):
        print_wrapped(note, console, "dim", indent="  ")


def print_wrapped(text: str, console: Console, style: str, indent: str = "", first: str = "") -> None:
    """Write a text on lines of the terminal's width, with nothing hidden in it; nothing of an empty one."""
    room = max(console.width - len(indent), _SHORTEST)
    for place, line in enumerate(Text(one_line(text)).wrap(console, room) if text else ()):
        start = indent if place else first
        console.print(Text(f"{start}{isolated(line.plain.rstrip())}", style=style), soft_wrap=True)


def _about(grid: Grid, results: Collection[str]) -> str:
    """What holds for every line, results last and as such; that nothing was excluded goes without saying."""
    said: dict[bool, list[str]] = {False: [], True: []}
    for name, text in grid.about:
        if (name, text) != (EXCLUDED.name, "0"):
            told = text.counts if isinstance(text, LeftOut) else text.partition(": ")[0]
            told = told.partition(" (")[0] if told.startswith(MISSING) else told
            said[name in results].append(about_text(name, told))
    if said[True]:
        said[False].append(f"in every line {', '.join(said[True])}")
    return " · ".join(said[False])


def _details(grid: Grid) -> tuple[int, ...]:
    """Places of the columns that are written under a line."""
    return tuple(place for place, one in enumerate(grid.columns) if one.unit == "detail")


def _shown(grid: Grid) -> tuple[int, ...]:
    details = _details(grid)
    return tuple(place for place in range(len(grid.columns)) if place not in details)


def print_properties(rows: Sequence[tuple[str, str]], console: Console) -> None:
    """Write names, and what each says, in lines of its own column."""
    width = max(cell_len(name) for name, _ in rows)
    for name, text in rows:
        start = f"{isolated(name)}{' ' * (width - cell_len(name))}{_GAP}"
        print_wrapped(text or " ", console, "", indent=" " * (width + len(_GAP)), first=start)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _fitting(grid: Grid, width: int) -> _Layout:
    """The first layout that fits; else names go into headings, texts are cut, and the last numbers are excluded."""
    everything = _shown(grid)
    layout = _Layout(grid, everything)
    for rank, is_brief, is_short in _STEPS:
        places = tuple(place for place in everything if grid.columns[place].rank <= rank)
        layout = _Layout(grid, places or everything[:1], (), is_brief, is_short)
        if layout.fits(width):
            return layout
    for headings in _groupings(layout):
        grouped = replace(
            layout,
            headings=headings,
            places=tuple(place for place in layout.places if place not in headings),
        )
        if grouped.fits(width):
            return grouped
    while _least(layout) > width and len(layout.places) > 2:
        numbers = [place for place in layout.places[1:] if grid.columns[place].numeric]
        gone = (numbers or layout.places)[-1]
        layout = replace(layout, places=tuple(place for place in layout.places if place != gone))
    return layout


def _groupings(layout: _Layout) -> Iterator[tuple[int, ...]]:
    """Names of lines that may be in headings: those that stay the same over many lines, the steadiest first."""
    rows = layout.grid.rows
    keys = [place for place in layout.places if not layout.grid.columns[place].numeric]
    changes = {place: sum(a[place] != b[place] for a, b in pairwise(rows)) for place in keys}
    steady = sorted(
        (place for place in keys if changes[place] <= len(rows) // 3), key=lambda place: changes[place]
    )
    for count in range(1, min(len(steady), len(keys) - 1) + 1):
        yield tuple(sorted(steady[:count]))


def _least(layout: _Layout) -> int:
    """The width of a line with its texts cut as far as they may be."""
    numeric = [layout.grid.columns[place].numeric for place in layout.places]
    return _total(
        [
            wide if is_number else min(wide, _SHORTEST)
            for wide, is_number in zip(layout.widths(), numeric, strict=True)
        ]
    )


def _print_lines(layout: _Layout, details: tuple[int, ...], console: Console) -> None:
    widths = _cut(layout, console.width)
    head = _line(layout, [layout.head(place) for place in layout.places], widths)
    console.print(Text(head.rstrip(), style="bold"), soft_wrap=True)
    console.print(Text("─" * min(_total(widths), console.width), style="dim"), soft_wrap=True)
    for heading, rows in groupby(layout.grid.rows, key=layout.heading):
        if heading:
            console.print(Text(heading, style="italic"), soft_wrap=True)
        for row in rows:
            texts = [layout.text(row, place) for place in layout.places]
            console.print(Text(_line(layout, texts, widths).rstrip()), soft_wrap=True)
            for detail in (str(row[place]) for place in details):
                if detail not in (MISSING, "0"):
                    print_wrapped(detail, console, "dim", indent="    ", first="    ")


def _notes(grid: Grid) -> Iterator[str]:
    """Why numbers or intervals are missing and what was excluded, each reason once with the lines that it is about."""
    told: dict[str, list[str]] = {}
    for row in grid.rows:
        name = _name(grid, row)
        for shown, cell in zip(grid.columns, row, strict=True):
            for said in _said(shown, cell):
                told.setdefault(said, []).append(name)
    for said, names in told.items():
        lines = list(dict.fromkeys(names))
        few = ", ".join(lines) if len(lines) <= _NAMED else f"{len(lines)} lines"
        yield f"{said} ({'every line' if len(lines) == len(grid.rows) > 1 else few})"


def _said(shown: Column, cell: Value) -> Iterator[str]:
    if isinstance(cell, Number) and cell.reason:
        if cell.value is None:
            yield f"{shown.heading} {MISSING}: {cell.reason}"
        elif not cell.ends and (shown.key == "value" or cell.reason.startswith("no interval")):
            yield cell.reason if cell.reason.startswith("no interval") else f"no interval: {cell.reason}"
    elif isinstance(cell, LeftOut):
        yield from (f"excluded {excluded_part(count, reason)}" for count, reason in cell.parts if reason)


def _name(grid: Grid, row: Sequence[Value]) -> str:
    """What names a line: its first texts."""
    first = next((place for place, one in enumerate(grid.columns) if one.numeric), len(row))
    differ = [row[place] for place in range(first) if len({str(one[place]) for one in grid.rows}) > 1]
    return " ".join(map(str, differ[:_NAMED])) or str(row[0])


def _absent(layout: _Layout, details: tuple[int, ...], width: int) -> Iterator[str]:
    shown = {*layout.places, *layout.headings, *details}
    gone = [one.name for place, one in enumerate(layout.grid.columns) if place not in shown]
    if gone:
        yield f"--format wide has also: {'; '.join(gone)}"
    if _total(layout.widths()) > width:
        yield "texts that end with … are whole with --format wide"


def _cut(layout: _Layout, width: int) -> list[int]:
    """Widths of the columns; texts are cut, the widest first, until the row fits."""
    widths = layout.widths()
    texts = [place for place, column in enumerate(layout.places) if not layout.grid.columns[column].numeric]
    while _total(widths) > width and texts:
        widest = max(texts, key=lambda place: widths[place])
        if widths[widest] <= _SHORTEST:
            break
        widths[widest] -= 1
    return widths


def _line(layout: _Layout, texts: Sequence[str], widths: Sequence[int]) -> str:
    cells = []
    for place, text, width in zip(layout.places, texts, widths, strict=True):
        room = width - cell_len(text)
        if room < 0:
            cells.append(isolated(f"{set_cell_size(text, width - 1)}…"))
        elif layout.grid.columns[place].numeric:
            cells.append(" " * room + isolated(text))
        else:
            cells.append(isolated(text) + " " * room)
    return _GAP.join(cells)
