"""A table in a terminal: every row on one line, whatever the width.

Where all columns do not fit, what names the rows moves into headings, first columns first; what was excluded and why
goes under the row that it is about; a wide table is cut between columns, with the names of the rows repeated. Texts may
be cut, with …; numbers never are. The format ``wide`` shows everything on long lines.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from hesperus.analysis.table import Table
from hesperus.reports.cells import is_numeric, shown_cell, shown_columns
from hesperus.untrusted import isolated

_GAP = "  "
_SHORTEST = 8
"""Texts are not cut to less than this."""
_UNDER = ("excluded", "reason")
"""Columns that may be under their row instead of in it; an empty one is not said."""
_SAYS_ITSELF = frozenset({"reason", "finding", "detail", "note", "description"})
"""Columns whose text needs no name before it."""
_PLAIN = frozenset({"model", "task", "a", "b", "where", "requirement"})
"""Columns whose value says what it is; others are named in a heading."""
_MEASURED = re.compile(r"-?[\d.]+ \[")
"""A number with its interval, as text."""
_CONDITION = re.compile(r"instruction=([^,\s]+),input=([^,\s]+)(?:,repeat=(\d+))?")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where each column of a table is."""

    table: Table
    headings: tuple[str, ...]
    keys: tuple[str, ...]
    values: tuple[str, ...]
    under: tuple[str, ...] = ()
    is_short: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.values)

    def text(self, row: Mapping[str, object], name: str) -> str:
        text = shown_cell(self.table, row, name)
        return _CONDITION.sub(_short_condition, text) if self.is_short else text

    def widths(self) -> list[int]:
        return [
            max(cell_len(name), *(cell_len(self.text(row, name)) for row in self.table.rows))
            for name in self.columns
        ]

    def fits(self, width: int) -> bool:
        return _total(self.widths()) <= width


def print_terminal(
    table: Table, console: Console, *, keys: int = 0, essential: Sequence[str] = (), lead: str = ""
) -> None:
    """Write a table to a terminal.

    Args:
        table: What to write.
        console: Where to; its width is that of the terminal.
        keys: How many of the first columns name a row; 0: those before the value, or all texts.
        essential: Columns that are shown alone where not all fit, for a list of texts.
        lead: A sentence to begin with, in place of the name of the table.
    """
    console.print(Text(lead or table.measure, style="bold"), soft_wrap=True)
    if not table.rows:
        console.print(Text("no rows"))
        return
    shown = shown_columns(table)
    if len(shown) == 2 and _key_count(table, ("", shown[1])) == 2 and not essential:
        _print_properties(table, shown, console)
        return
    layout = _fitting(table, keys, essential, console.width)
    for part in _parts(layout, console.width):
        _print_part(part, console)
    if layout.columns == tuple(essential):
        left_out = _without(shown_columns(table), essential)
        console.print(Text(f"--format csv has also: {', '.join(left_out)}", style="dim"))


def _print_properties(table: Table, columns: Sequence[str], console: Console) -> None:
    """Names, and what each says, in lines of its own column."""
    names, said = ([shown_cell(table, row, column) for row in table.rows] for column in columns)
    width = max(map(cell_len, names))
    room = max(console.width - width - len(_GAP), _SHORTEST)
    for name, text in zip(names, said, strict=True):
        lines = textwrap.wrap(text, room) or [""]
        for place, line in enumerate(lines):
            start = name if place == 0 else ""
            padded = isolated(start) + " " * (width - cell_len(start))
            console.print(Text(f"{padded}{_GAP}{isolated(line)}".rstrip()), soft_wrap=True)


def _short_condition(found: re.Match[str]) -> str:
    instruction, asked, repeat = found.groups()
    both = asked if instruction == asked else f"{instruction}/{asked}"
    return both if repeat in (None, "1") else f"{both} #{repeat}"


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _fitting(table: Table, keys: int, essential: Sequence[str], width: int) -> _Layout:
    """The first layout that fits, or one to be cut between columns: the first whose names leave room for a value."""
    layouts = list(_layouts(table, keys, essential))
    for layout in layouts:
        if layout.fits(width):
            return layout
    named = [one for one in layouts if one.values] or layouts
    for layout in named:
        if layout.is_short and replace(layout, values=_widest_first(layout)[:1]).fits(width):
            return layout
    return named[-1]


def _widest_first(layout: _Layout) -> tuple[str, ...]:
    widths = dict(zip(layout.columns, layout.widths(), strict=True))
    return tuple(sorted(layout.values, key=lambda name: -widths[name]))


def _layouts(table: Table, keys: int, essential: Sequence[str]) -> Iterator[_Layout]:
    shown = shown_columns(table)
    count = keys or _key_count(table, shown)
    whole = _Layout(table, (), shown[:count], shown[count:])
    yield whole
    if essential:
        yield _Layout(table, (), tuple(essential), ())
        return
    under = tuple(name for name in _UNDER if name in whole.values)
    short = replace(whole, values=_without(whole.values, under), under=under, is_short=True)
    yield replace(short, is_short=False)
    yield short
    if not short.values:
        yield from _with_texts_under(short)
        return
    moved: list[str] = []
    for name in _rarely_changing(short):
        moved.append(name)
        headings = tuple(one for one in short.keys if one in moved)
        yield replace(short, headings=headings, keys=_without(short.keys, headings))


def _without(names: Sequence[str], left_out: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in left_out)


def _key_count(table: Table, shown: Sequence[str]) -> int:
    """How many of the first columns name a row: those before the first that holds something measured."""
    for place, name in enumerate(shown):
        if name != "repeat" and (
            is_numeric(table, name) or _is_measured(table, name) or _is_empty(table, name)
        ):
            return max(place, 1)
    return len(shown)


def _is_empty(table: Table, name: str) -> bool:
    """A column of values of which none is defined."""
    return name == "value" and all(row.get(name) is None for row in table.rows)


def _is_measured(table: Table, name: str) -> bool:
    return any(isinstance(row.get(name), str) and _MEASURED.match(str(row[name])) for row in table.rows)


def _rarely_changing(layout: _Layout) -> list[str]:
    """The names of rows that may be in headings: those that stay the same over many rows, the steadiest first."""
    changes = {name: _changes(layout, name) for name in layout.keys}
    steady = [name for name in layout.keys if changes[name] <= len(layout.table.rows) // 2]
    return sorted(steady, key=lambda name: changes[name])[: len(layout.keys) - 1]


def _changes(layout: _Layout, name: str) -> int:
    return sum(a.get(name) != b.get(name) for a, b in pairwise(layout.table.rows))


def _with_texts_under(layout: _Layout) -> Iterator[_Layout]:
    """A table of texts: the longest texts go under their row, one by one; the first column stays."""
    widths = dict(zip(layout.columns, layout.widths(), strict=True))
    longest = sorted(layout.keys[1:], key=lambda name: -widths[name])
    for count in range(1, len(longest)):
        under = tuple(name for name in layout.keys if name in longest[:count])
        yield replace(layout, keys=_without(layout.keys, under), under=under)


def _parts(layout: _Layout, width: int) -> Iterator[_Layout]:
    """The layout itself, or as few parts as fit, each with the names of the rows and some of the values."""
    if layout.fits(width) or len(layout.values) < 2:
        yield layout
        return
    parts: list[list[str]] = []
    for name in sorted(layout.values, key=lambda name: name != "value"):
        if parts and replace(layout, values=(*parts[-1], name)).fits(width):
            parts[-1].append(name)
        else:
            parts.append([name])
    for place, part in enumerate(parts):
        is_last = place == len(parts) - 1
        yield replace(layout, values=tuple(part), under=layout.under if is_last else ())


def _print_part(layout: _Layout, console: Console) -> None:
    widths = _cut(layout, console.width)
    head = _line(layout, layout.columns, widths)
    console.print(Text(head.rstrip(), style="bold"), soft_wrap=True)
    console.print(Text("─" * min(_total(widths), console.width), style="dim"), soft_wrap=True)
    is_first = True
    for heading, rows in groupby(layout.table.rows, key=lambda row: _heading(layout, row)):
        if heading:
            console.print(Text(heading if is_first else f"\n{heading}", style="italic"), soft_wrap=True)
        is_first = False
        for row in rows:
            texts = [layout.text(row, name) for name in layout.columns]
            console.print(Text(_line(layout, texts, widths).rstrip()), soft_wrap=True)
            for note in _notes(layout, row, console.width):
                console.print(Text(note, style="dim"), soft_wrap=True)


def _heading(layout: _Layout, row: Mapping[str, object]) -> str:
    texts = (
        (name, isolated(layout.text(row, name)))
        for name in layout.headings
        if row.get(name) not in (None, "")
    )
    return "  ".join(text if name in _PLAIN else f"{name} {text}" for name, text in texts)


def _notes(layout: _Layout, row: Mapping[str, object], width: int) -> list[str]:
    """What is under a row: nothing of what is empty or 0."""
    said = {
        name: isolated(layout.text(row, name)) if name in _SAYS_ITSELF else f"{name} {layout.text(row, name)}"
        for name in layout.under
        if row.get(name)
    }
    excluded = "; ".join(said.pop(name) for name in _UNDER if name in said)
    indent = "    "
    lines = []
    for note in filter(None, (*said.values(), excluded)):
        lines += textwrap.wrap(note, width, initial_indent=indent, subsequent_indent=indent)
    return lines


def _cut(layout: _Layout, width: int) -> list[int]:
    """Widths of the columns; texts are cut, the widest first, until the row fits."""
    widths = layout.widths()
    texts = [
        place
        for place, name in enumerate(layout.columns)
        if not is_numeric(layout.table, name) and not _is_measured(layout.table, name)
    ]
    while _total(widths) > width and texts:
        widest = max(texts, key=lambda place: widths[place])
        if widths[widest] <= _SHORTEST:
            break
        widths[widest] -= 1
    return widths


def _line(layout: _Layout, texts: Sequence[str], widths: Sequence[int]) -> str:
    cells = []
    for name, text, width in zip(layout.columns, texts, widths, strict=True):
        room = width - cell_len(text)
        if room < 0:
            cells.append(isolated(f"{set_cell_size(text, width - 1)}…"))
        elif is_numeric(layout.table, name):
            cells.append(" " * room + isolated(text))
        else:
            cells.append(isolated(text) + " " * room)
    return _GAP.join(cells)
