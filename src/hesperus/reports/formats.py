"""A table as a terminal, a program, a spreadsheet, a page or a paper wants it."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from hesperus.analysis.short_signature import SHORT
from hesperus.analysis.table import Table
from hesperus.errors import UnknownNameError
from hesperus.reports.cells import cell, is_numeric, shown_cell, shown_columns
from hesperus.reports.terminal import print_terminal
from hesperus.spreadsheets import guarded
from hesperus.untrusted import UNSAFE, visible

_UNLIMITED = 10_000
"""Width of a terminal table that goes into a file or a pipe, where nothing has to fit."""


def format_table(
    table: Table, format: str, *, width: int | None = None, keys: int = 0, lead: str = ""
) -> str:
    """Write a table.

    Args:
        table: What to write.
        format: ``table`` (terminal, no colour), ``json``, ``csv``, ``markdown`` or ``latex``.
        width: Columns of the terminal, for ``table`` alone; None is as wide as it takes.
        keys: As in print_table.
        lead: As in print_table.

    Returns:
        The text, ending with a line break.

    Raises:
        UnknownNameError: No such format.
        ValueError: A number is NaN or infinite: a measure must say None and why.
    """
    _refuse_nan(table)
    if format == "table":
        console = Console(file=io.StringIO(), width=width or _UNLIMITED, color_system=None)
        _terminal(table, console, keys=keys, lead=lead)
        return str(console.file.getvalue())  # type: ignore[attr-defined]
    if format not in _WRITERS:
        raise UnknownNameError("format", format, ("table", *_WRITERS))
    return _WRITERS[format](table)


def print_table(
    table: Table, format: str, *, keys: int = 0, essential: Sequence[str] = (), lead: str = ""
) -> None:
    """Write a table to standard output, fitted to its width and in colour where that is a terminal.

    Args:
        table: What to write.
        format: As in format_table.
        keys: How many of the first columns name a row; 0: those before the value, or before the first numbers.
        essential: Of a list: the columns that a terminal shows where not all fit.
        lead: A sentence that a person reads first; formats for programs leave it out.

    Raises:
        UnknownNameError: No such format.
        ValueError: A number is NaN or infinite.
    """
    if format != "table" or not sys.stdout.isatty():
        sys.stdout.write(format_table(table, format, keys=keys, lead=lead))
        return
    _refuse_nan(table)
    _terminal(table, Console(highlight=False), keys=keys, essential=essential, lead=lead)


def _terminal(table: Table, console: Console, *, keys: int, lead: str, essential: Sequence[str] = ()) -> None:
    print_terminal(table, console, keys=keys, essential=essential, lead=lead)
    made = _flat({name: value for name, value in table.signature.items() if name != SHORT})
    for line in (made, str(table.signature.get(SHORT, ""))):
        if line:
            console.print(Text(line, style="dim"))


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
            inner = _flat(value)
            parts += [inner] if inner else []
        elif value is not None and value != []:
            parts.append(f"{name} {cell(value)}")
    return ", ".join(parts)


def _refuse_nan(table: Table) -> None:
    for row in table.rows:
        for name, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(
                    f"{table.measure}: column {name!r} holds {value}, where None and a reason belong"
                )


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
    columns = shown_columns(table)
    lines = [
        "| " + " | ".join(escaped_markdown(name) for name in columns) + " |",
        "|" + "|".join(" ---: " if is_numeric(table, name) else " --- " for name in columns) + "|",
    ]
    for row in table.rows:
        cells = (escaped_markdown(shown_cell(table, row, name), value=name == "value") for name in columns)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def escaped_markdown(text: str, *, value: bool = False) -> str:
    """Text that Markdown shows as it is; a value with its interval needs no escaping."""
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
