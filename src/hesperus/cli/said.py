"""What a command says: rows as a table on standard output, and lines next to its result on standard error."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence

import typer

from hesperus.terminal_width import terminal_width


def say(text: str, *, is_result: bool = False) -> None:
    """Write a text to standard error; in a terminal on lines of its width, broken between words.

    With `is_result` it is what the command was asked for, and goes to standard output.
    """
    width = terminal_width(sys.stdout if is_result else sys.stderr)
    if width:
        wrapped = (
            textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent="  ")
            for line in text.splitlines()
        )
        text = "\n".join("\n".join(lines) for lines in wrapped)
    typer.echo(text, err=not is_result)


def show_rows(
    name: str,
    rows: Sequence[Mapping[str, object]],
    format: str,
    *,
    columns: Sequence[str] = (),
    signature: Mapping[str, object] | None = None,
    lead: str = "",
) -> None:
    """Print rows as a table.

    Without `columns` they are those of the first row; `lead` is a sentence that a person reads first.
    """
    from hesperus.analysis.table import Table
    from hesperus.reports.formats import print_table

    print_table(Table(name, tuple(columns or rows[0]), tuple(rows), signature or {}), format, lead=lead)
