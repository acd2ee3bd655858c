"""A table as a terminal, a program, a spreadsheet, a page or a paper wants it."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import orjson
from markupsafe import escape
from rich.console import Console
from rich.text import Text

from hesperus.analysis.short_signature import SHORT
from hesperus.analysis.table import Table
from hesperus.errors import UnknownNameError
from hesperus.fingerprint import JSONRows, plain
from hesperus.reports.grid import Grid, Label, Number, Value
from hesperus.reports.layouts import grids_of, plain_grid
from hesperus.reports.tabulated import shown
from hesperus.reports.terminal import print_grid, print_properties, print_wrapped
from hesperus.spreadsheets import guarded
from hesperus.terminal_width import terminal_width
from hesperus.untrusted import UNSAFE, one_line, visible
from hesperus.wording import MISSING

_NUMBERS = frozenset((float, int, type(None)))

_UNLIMITED = 10_000
"""Width of a terminal table that goes into a file or a pipe, where nothing has to fit."""


def format_table(table: Table, format: str, *, width: int | None = None, lead: str = "") -> str:
    """Write a table.

    Args:
        table: What to write.
        format: ``table`` (terminal, no colour), ``wide`` (the same with every row and column), ``json``, ``csv``,
            ``markdown``, ``latex`` or ``html``. Programs get the rows as they are, people the columns of hesperus.reports.layouts.
        width: Columns of the terminal, for ``table`` alone; None is as wide as it takes.
        lead: As in print_table.

    Returns:
        The text, ending with a line break.

    Raises:
        UnknownNameError: No such format.
        ValueError: A number is NaN or infinite: a measure must say None and why.
    """
    _refuse_nan(table)
    if format in ("table", "wide"):
        console = Console(file=io.StringIO(), width=width or _UNLIMITED, color_system=None)
        _terminal(table, console, lead=lead, is_wide=format == "wide")
        return str(console.file.getvalue())  # type: ignore[attr-defined]
    if format not in _WRITERS:
        raise UnknownNameError("format", format, FORMATS)
    return _WRITERS[format](table)


def print_table(table: Table, format: str, *, lead: str = "") -> None:
    """Write a table to standard output, fitted to the terminal that shows it; in colour if nothing is between.

    Args:
        table: What to write.
        format: As in format_table.
        lead: A sentence that a person reads first; formats for programs leave it out.

    Raises:
        UnknownNameError: No such format.
        ValueError: A number is NaN or infinite.
    """
    if format == "json":
        _refuse_nan(table)
        sys.stdout.writelines(_json_parts(table))
        return
    width = terminal_width(sys.stdout)
    if format != "table" or not sys.stdout.isatty():
        sys.stdout.write(format_table(table, format, width=width, lead=lead))
        return
    _refuse_nan(table)
    _terminal(table, Console(highlight=False, width=width), lead=lead)


def _terminal(table: Table, console: Console, *, lead: str, is_wide: bool = False) -> None:
    grids = [plain_grid(table)] if is_wide and table.rows else grids_of(table)
    if not grids:
        console.print(Text(lead or table.measure, style="bold"), soft_wrap=True)
        console.print(Text("no rows"))
    elif table.columns == ("property", "value"):
        console.print(Text(lead or table.measure, style="bold"), soft_wrap=True)
        print_properties([(shown(row["property"]), shown(row["value"])) for row in table.rows], console)
    for place, grid in enumerate(grids if table.columns != ("property", "value") else ()):
        title, explained = _titled(grid.caption)
        if place:
            console.print()
        said = title if place else lead or answer(table.measure, grid, table.by)
        print_grid(grid, console, lead=said, explained=explained, is_whole=is_wide)
    signed = _signed(table)
    if len(signed) > console.width and SHORT in table.signature:
        first, _, last = signed.partition("|")[2].rpartition("|")
        signed = f"hesperus|{first.partition('|')[0]}|…|{last} (whole with --format wide)"
    elif len(signed) > console.width:
        signed = f"{signed[: console.width - 2].rstrip()} …"
    print_wrapped(signed, console, "dim")


def _signed(table: Table) -> str:
    """How the numbers were made, on one line."""
    return one_line(str(table.signature.get(SHORT) or _flat(table.signature)))


_SAID = 3
"""Numbers that the first line of a table names at most."""


def answer(measure: str, grid: Grid, by: Collection[str] = ()) -> str:
    """The first line: the least and the greatest of the first essential number, with the lines that they are of.

    Where a number is the same in every line that has it, or there is but one line, the essential numbers themselves.
    """
    known = {
        at: found
        for at, _ in enumerate(grid.columns)
        if (found := [(cell, row) for row in grid.rows if (cell := _known(row[at]))])
    }
    first = min((grid.columns[at].rank for at in known), default=0)
    held = {at: found for at, found in known.items() if grid.columns[at].rank == first}
    place = next((at for at, found in held.items() if len({cell.point for cell, _ in found}) > 1), None)
    if place is None:
        whole = [at for at, found in held.items() if len(found) == len(grid.rows)]
        # Where each column has lines without a number, the first that has one at all.
        named = whole[:_SAID] or list(held)[:1]
        if not named:
            return measure
        said = ", ".join(
            f"{grid.columns[at].heading} {_said(*(cell for cell, _ in held[at]))}" for at in named
        )
        lines = "all" if whole else f"{len(held[named[0]])} of"
        return f"{measure}: {said}" + (f" in {lines} {len(grid.rows)} lines" if len(grid.rows) > 1 else "")
    # Of several statistics the first: the least of one and the greatest of another have nothing to do with each other.
    of = next((at for at, one in enumerate(grid.columns) if one.key == "statistic"), None)
    alike = [one for one in held[place] if of is None or one[1][of] == held[place][0][1][of]]
    if (
        held[place][0][0].unit == "points"
    ):  # the first line is of all, or of all of a group, the others are parts of it
        own = [at for at in range(grid.keys) if grid.columns[at].key not in by]
        same_keys = [one for one in alike if all(one[1][at] == alike[0][1][at] for at in own)]
        alike = same_keys if by else alike[:1]
    ends = [pick(alike, key=lambda one: one[0].value or 0.0) for pick in (min, max)] if alike[1:] else alike
    said = " to ".join(
        _said(cell) + (f" ({keys})" if (keys := _keys(grid, row)) else "") for cell, row in ends
    )
    # A column that is called Value says nothing that the name of the measure does not.
    heading = "" if grid.columns[place].heading == "Value" else f"{grid.columns[place].heading} "
    return f"{measure}: {heading}{said}"


def _known(cell: Value) -> Number | None:
    """A number that an answer can be, if it is defined."""
    units = ("percentage", "number", "score", "points")
    return cell if isinstance(cell, Number) and cell.value is not None and cell.unit in units else None


def _said(cell: Number, *others: Number) -> str:
    """A number with its unit; a difference with its interval, if that of other lines with this number is the same."""
    difference = str(cell) if all(str(other) == str(cell) for other in others) else cell.point
    units = {"points": f"{difference} points", "percentage": f"{cell.point} %"}
    return units.get(cell.unit, cell.point)


def _keys(grid: Grid, row: Sequence[Value]) -> str:
    """What names a line, as far as it differs between lines: what stands before its numbers, or else the first of them."""
    first = next(at for at, one in enumerate(grid.columns) if one.numeric)
    if first == 0:
        return f"{grid.columns[0].heading.lower()} {row[0]}"
    differ = [row[at] for at in range(first) if len({str(one[at]) for one in grid.rows}) > 1]
    return ", ".join(one.brief if isinstance(one, Label) else str(one) for one in differ if one != MISSING)


def _flat(signature: Mapping[str, object]) -> str:
    """How the numbers were made, on one line: ``hesperus 0.1.0, invalid disagree, seed 0, …``; what is unset is left out.

    Of a check each measure has its own; those made alike are told once, others with the name of their measure.
    """
    own = {name: _flat(value) for name, value in signature.items() if isinstance(value, Mapping)}
    if len(own) == len(signature) > 1:
        alike = {made: [name for name in own if own[name] == made] for made in own.values()}
        return "; ".join(
            made if len(alike) == 1 else f"{', '.join(names)}: {made}" for made, names in alike.items()
        )
    parts = []
    for name, value in signature.items():
        if isinstance(value, Mapping):
            # Names of models and files say nothing without what they are given for.
            is_named = all(key.isidentifier() for key in value)
            inner = _flat(value) if is_named else f"{name} {{{_flat(value)}}}"
            parts += [inner] if value and inner else []
        elif value is not None and value != []:
            parts.append(f"{name} {shown(value)}")
    return ", ".join(dict.fromkeys(parts))


def _refuse_nan(table: Table) -> None:
    for name in table.columns:
        kinds, cells = table.kinds(name), table.column(name)
        if float not in kinds or (kinds <= _NUMBERS and all(map(math.isfinite, filter(None, cells)))):
            continue
        for value in [cell for cell in cells if type(cell) is float and not math.isfinite(cell)]:
            raise ValueError(
                f"{table.measure}: column {name!r} holds {value}, where None and a reason belong"
            )


def _json_parts(table: Table) -> Iterator[str]:
    """The document of a table, a row a line, so much at a time that many rows take little memory."""
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)

    def encode(value: object) -> str:
        return UNSAFE.sub(_json_escape, encoder.encode(plain(value)))

    names = [f"{encode(name)}: " for name in table.columns]
    begins = ["\n    {" + names[0], *(", " + name for name in names[1:])]
    written = JSONRows(begins, "}", encode, _numbers)
    yield f'{{\n  "measure": {encode(table.measure)},\n  "rows": ['
    before = ""
    for rows in table.written(written):
        yield before + ",".join(rows)
        before = ","
    said = "".join(f",\n  {encode(name)}: {encode(value)}" for name, value in table.said().items())
    yield "\n  " * bool(table.rows) + f"]{said}\n}}\n"


def _numbers(cells: Sequence[float]) -> list[str]:
    texts = orjson.dumps(cells)[1:-1].decode()
    # It writes exponents in another way.
    return list(map(repr, cells)) if "e" in texts else texts.split(",")


def _json_escape(found: re.Match[str]) -> str:
    """The same character as an escape, which programs read alike and terminals do not obey."""
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _csv(table: Table) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(map(guarded, table.columns))
    for row in table.rows:
        writer.writerow([_exact(row.get(name)) for name in table.columns])
    return written.getvalue()


def _exact(value: object) -> object:
    """A cell: numbers in full, nothing as nothing, structures as JSON, control characters as ``⟨U+001B⟩``, no formula."""
    if value is None or isinstance(value, int | float):
        return value
    return guarded(
        visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    )


_MARKDOWN = re.compile(r"([\\`*\[\]<>|~&#])")


def _markdown(table: Table) -> str:
    """The tables, and below them how they are read and made."""
    grids = grids_of(table) or [plain_grid(table)]
    parts = [part for grid in grids for part in (grid_markdown(grid.with_about()), _explained(grid))]
    signed = _signed(table).replace("`", "'")
    return "\n".join([*filter(None, parts), *([f"`{signed}`\n"] if signed else [])])


def _titled(caption: str) -> tuple[str, str]:
    """The name of a table, and how it is read: what is behind its first sentence, question or colon."""
    title, *rest = re.split(r"(?<=\?) |\. |: ", caption, maxsplit=1)
    return title, "".join(text[:1].upper() + text[1:] for text in rest)


def _explained(grid: Grid) -> str:
    """How a table is read, as a line of Markdown."""
    rest = _titled(grid.caption)[1]
    return f"{escaped_markdown(one_line(rest))}\n" if rest else ""


def grid_markdown(grid: Grid) -> str:
    """A grid as Markdown, ending with a line break."""
    lines = [
        "| " + " | ".join(escaped_markdown(column.name) for column in grid.columns) + " |",
        "|" + "|".join(" ---: " if column.numeric else " --- " for column in grid.columns) + "|",
    ]
    for row in grid.rows:
        cells = (
            escaped_markdown(one_line(str(cell)), value=isinstance(cell, Number) and not cell.reason)
            for cell in row
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def escaped_markdown(text: str, *, value: bool = False) -> str:
    """Text that Markdown shows as it is; a value with its interval needs no escaping."""
    return text if value else _MARKDOWN.sub(r"\\\1", text)


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--", "\u00a0": "~", "κ": r"$\kappa$", "α": r"$\alpha$", "π": r"$\pi$",
    "ρ": r"$\rho$", "→": r"$\rightarrow$", "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "…": r"\ldots{}", "≥": r"$\geq$",
    "≤": r"$\leq$", "⟨": r"$\langle$", "⟩": r"$\rangle$", "✓": r"$\surd$",
}  # fmt: skip
"""What LaTeX reads as something else, and the signs of our own headings that no engine but XeLaTeX and LuaLaTeX has."""


def _latex(table: Table) -> str:
    """Rows for booktabs, with how they are read and made in comments.

    Scripts other than Latin need XeLaTeX or LuaLaTeX and a font that has them.
    """
    grids = grids_of(table) or [plain_grid(table)]
    signed = _signed(table)
    return "\n".join(_grid_latex(grid) for grid in grids) + (f"% {signed}\n" if signed else "")


def _grid_latex(told: Grid) -> str:
    grid = told.with_about()
    spec = "".join("r" if column.numeric else "l" for column in grid.columns)
    lines = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
    lines += [" & ".join(_escaped_latex(column.name) for column in grid.columns) + r" \\", r"\midrule"]
    lines += [" & ".join(_escaped_latex(one_line(str(cell))) for cell in row) + r" \\" for row in grid.rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {one_line(told.caption)}"]) + "\n"


def _escaped_latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text)
    # A row that begins with [ would be read as the optional argument of the \\ before it
    return f"{{}}{escaped}" if escaped.startswith("[") else escaped


def _html(table: Table) -> str:
    """Tables for a notebook or a page of one's own; every text is escaped."""
    tables = "".join(_grid_html(grid.with_about()) for grid in grids_of(table) or [plain_grid(table)])
    signed = _signed(table)
    return f"{tables}<p><small>{escape(signed)}</small></p>\n" if signed else tables


def _grid_html(grid: Grid) -> str:
    heads = "".join(
        f'<th title="{escape(one.help)}">{escape(visible(one.name))}</th>' for one in grid.columns
    )
    lines = [
        "<table>",
        f"<caption>{escape(visible(grid.caption))}</caption>",
        f"<thead><tr>{heads}</tr></thead>",
        "<tbody>",
    ]
    for row in grid.rows:
        lines.append(f"<tr>{''.join(f'<td>{escape(one_line(str(cell)))}</td>' for cell in row)}</tr>")
    return "\n".join([*lines, "</tbody></table>"]) + "\n"


_WRITERS: Mapping[str, Callable[[Table], str]] = {
    "csv": _csv,
    "html": _html,
    "json": lambda table: "".join(_json_parts(table)),
    "latex": _latex,
    "markdown": _markdown,
}

FORMATS = ("table", "wide", *_WRITERS)
"""The formats that a table can be written in."""
