"""A table as a terminal, a program, a spreadsheet, a page or a paper wants it."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from hesperus import rounding
from hesperus.errors import UnknownNameError
from hesperus.reports.table import Table
from hesperus.reports.untrusted import UNSAFE, isolated, one_line, visible
from hesperus.reports.wording import MISSING

_BETWEEN = 2
"""Width of what stands between two columns whose cells fold."""

_UNBROKEN = (re.compile(r"\[[^\]\s]+, [^\]\s]+\]|\S+"), re.compile(r"\S+"))
"""What is not broken over lines: words and intervals, or where these do not fit, words."""

_UNLIMITED = 10_000
"""Width of a terminal table that goes into a file or a pipe, where nothing has to fit."""


def format_table(table: Table, format: str, *, width: int | None = None, keys: int = 0) -> str:
    """Write a table.

    Args:
        table: What to write.
        format: ``table`` (terminal, no colour), ``json``, ``csv``, ``markdown`` or ``latex``.
        width: Columns of the terminal, for ``table`` alone; None is as wide as it takes.
        keys: As in print_table.

    Returns:
        The text, ending with a line break.

    Raises:
        UnknownNameError: No such format.
        ValueError: A number is NaN or infinite: a measure must say None and why.
    """
    _refuse_nan(table)
    if format == "table":
        console = Console(file=io.StringIO(), width=width or _UNLIMITED, color_system=None)
        return _terminal(table, console, keys=keys)
    if format not in _WRITERS:
        raise UnknownNameError("format", format, ("table", *_WRITERS))
    return _WRITERS[format](table)


def print_table(table: Table, format: str, *, keys: int = 0) -> None:
    """Write a table to standard output, in colour where that is a terminal.

    Args:
        table: What to write.
        format: As in format_table.
        keys: The first columns, which name a row. Where a terminal is too narrow for all columns, these stand again before
            those that did not fit, so that no row breaks; 0 lets cells fold.

    Raises:
        UnknownNameError: No such format.
        ValueError: A number is NaN or infinite.
    """
    if format != "table" or not sys.stdout.isatty():
        sys.stdout.write(format_table(table, format))
        return
    _refuse_nan(table)
    console = Console(highlight=False, soft_wrap=False)
    _terminal(table, console, keys=keys)


def _refuse_nan(table: Table) -> None:
    for row in table.rows:
        for name, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(
                    f"{table.measure}: column {name!r} holds {value}, where None and a reason belong"
                )


def cell(value: object) -> str:
    """A cell as a person reads it, on one line, with nothing hidden in it."""
    if value is None or value == "":
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return rounding.cell(value)
    if isinstance(value, str | int):
        return one_line(str(value))
    return one_line(json.dumps(value, ensure_ascii=False, default=str))


def shown_columns(table: Table) -> tuple[str, ...]:
    """The columns as a person wants them: an interval stands with its value. They do not depend on the data."""
    return tuple(name for name in table.columns if not (name in {"low", "high"} and _has_interval(table)))


def shown_cell(table: Table, row: Mapping[str, object], name: str) -> str:
    """One cell; the value carries its interval: ``0.872 [0.841, 0.901]``."""
    text = cell(row.get(name))
    low, high = row.get("low"), row.get("high")
    if name == "value" and isinstance(low, int | float) and isinstance(high, int | float):
        return f"{text} [{rounding.cell(low)}, {rounding.cell(high)}]"
    return text


def is_numeric(table: Table, name: str) -> bool:
    """True where a column holds numbers, so that it is set flush right."""
    values = [row.get(name) for row in table.rows if row.get(name) is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )


def _has_interval(table: Table) -> bool:
    return {"value", "low", "high"} <= set(table.columns)


def _terminal(table: Table, console: Console, *, keys: int = 0) -> str:
    columns = shown_columns(table)
    console.print(Text(table.measure, style="bold"), overflow="fold")
    if not table.rows:
        console.print(Text("no rows"))
    else:
        for part in _parts(table, columns, console, keys):
            _print_rows(table, part, console)
    made = _flat(table.signature)
    if made:
        console.print(Text(made, style="dim"), overflow="fold")
    written = console.file.getvalue() if isinstance(console.file, io.StringIO) else ""
    return "".join(f"{line.rstrip()}\n" for line in written.splitlines())


def _flat(signature: Mapping[str, object]) -> str:
    """How the numbers were made, on one line: ``hesperus 0.1.0, invalid disagree, seed 0, …``; what is unset is left out."""
    parts = []
    for name, value in signature.items():
        if isinstance(value, Mapping):
            inner = _flat(value)
            parts += [inner] if inner else []
        elif value is not None and value != []:
            parts.append(f"{name} {cell(value)}")
    return ", ".join(parts)


def _parts(table: Table, columns: Sequence[str], console: Console, keys: int) -> list[Sequence[str]]:
    """The columns in as few parts as fit the width, the keys before each; one part where a single column does not fit."""
    wide = console.options.update(max_width=_UNLIMITED)

    def fits(part: Sequence[str]) -> bool:
        return console.measure(_grid(table, part), options=wide).maximum <= console.width

    head, rest = list(columns[:keys]), list(columns[keys:])
    if not keys or fits(columns) or not all(fits([*head, name]) for name in rest):
        return [columns]
    parts: list[list[str]] = []
    for name in rest:
        if parts and fits([*head, *parts[-1], name]):
            parts[-1].append(name)
        else:
            parts.append([name])
    return [[*head, *part] for part in parts]


def _print_rows(table: Table, columns: Sequence[str], console: Console) -> None:
    """In columns on one line a row where there is room, in cells of several lines where words fit, else in blocks."""
    wide = console.options.update(max_width=_UNLIMITED)
    whole = _grid(table, columns)
    if console.measure(whole, options=wide).maximum <= console.width:
        console.print(whole)
        return
    room = console.width - _BETWEEN * (len(columns) - 1)
    for words in _UNBROKEN:
        widths = _folded_widths(table, columns, room, words)
        if widths:
            console.print(_grid(table, columns, widths))
            return
    _blocks(table, columns, console)


def _folded_widths(
    table: Table, columns: Sequence[str], room: int, words: re.Pattern[str]
) -> list[int] | None:
    """Widths at which no word breaks, and as few cells as possible fold; None where the words do not fit."""
    least, most = [], []
    for name in columns:
        texts = [name, *(isolated(shown_cell(table, row, name)) for row in table.rows)]
        least.append(max(cell_len(word) for text in texts for word in words.findall(text) or [""]))
        most.append(max(map(cell_len, texts)))
    if sum(least) > room:
        return None
    left = room - sum(least)
    widths = list(least)
    for place in sorted(range(len(columns)), key=lambda place: most[place] - least[place]):
        more = most[place] - least[place]
        if more <= left:
            widths[place] += more
            left -= more
    return widths


def _grid(table: Table, columns: Sequence[str], widths: Sequence[int] | None = None) -> Grid:
    """The rows in columns; with `widths` cells fold at them, else no cell folds."""
    grid = Grid(
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        header_style="bold",
        padding=(0, 1) if widths is None else (0, 1, 0, 0),
    )
    for place, name in enumerate(columns):
        grid.add_column(
            Text(name),
            justify="right" if is_numeric(table, name) else "left",
            no_wrap=widths is None,
            overflow="fold",
            width=widths[place] if widths else None,
        )
    for row in table.rows:
        grid.add_row(*(Text(isolated(shown_cell(table, row, name))) for name in columns))
    return grid


def _blocks(table: Table, columns: Sequence[str], console: Console) -> None:
    """One block a row, where the terminal is too narrow for columns."""
    wide = max(map(len, columns))
    for row in table.rows:
        console.print()
        for name in columns:
            text = Text(f"{name:<{wide}}  ", style="dim")
            text.append(isolated(shown_cell(table, row, name)), style="not dim")
            console.print(text, overflow="fold")


def _json(table: Table) -> str:
    written = json.dumps(table.document(), ensure_ascii=False, allow_nan=False, indent=2)
    return UNSAFE.sub(_json_escape, written) + "\n"


def _json_escape(found: re.Match[str]) -> str:
    """The same character as an escape, which programs read alike and terminals do not obey."""
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _csv(table: Table) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_exact(row.get(name)) for name in table.columns])
    return written.getvalue()


def _exact(value: object) -> object:
    """A cell: numbers in full, nothing as nothing, structures as JSON, control characters as ``⟨U+001B⟩``."""
    if value is None or isinstance(value, int | float):
        return value
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


_MARKDOWN = re.compile(r"([\\`*\[\]<>|~&#])")


def _markdown(table: Table) -> str:
    columns = shown_columns(table)
    lines = [
        "| " + " | ".join(_escaped_markdown(name) for name in columns) + " |",
        "|" + "|".join(" ---: " if is_numeric(table, name) else " --- " for name in columns) + "|",
    ]
    for row in table.rows:
        cells = (_escaped_markdown(shown_cell(table, row, name), value=name == "value") for name in columns)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _escaped_markdown(text: str, *, value: bool = False) -> str:
    return text if value else _MARKDOWN.sub(r"\\\1", text)


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--", "\u00a0": "~",
}  # fmt: skip


def _latex(table: Table) -> str:
    """Rows for booktabs; scripts other than Latin need XeLaTeX or LuaLaTeX and a font that has them."""
    columns = shown_columns(table)
    spec = "".join("r" if is_numeric(table, name) else "l" for name in columns)
    lines = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
    lines += [" & ".join(_escaped_latex(name) for name in columns) + r" \\", r"\midrule"]
    for row in table.rows:
        lines.append(" & ".join(_escaped_latex(shown_cell(table, row, name)) for name in columns) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _escaped_latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text)
    # A row that begins with [ would be read as the optional argument of the \\ before it
    return f"{{}}{escaped}" if escaped.startswith("[") else escaped


_WRITERS: Mapping[str, Callable[[Table], str]] = {
    "csv": _csv,
    "json": _json,
    "latex": _latex,
    "markdown": _markdown,
}

FORMATS = ("table", *_WRITERS)
"""The formats that a table can be written in."""
