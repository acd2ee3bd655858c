"""What a command says beside its result: lines on standard error."""

from __future__ import annotations

import sys
import textwrap

import typer

from hesperus.terminal_width import terminal_width


def say(text: str) -> None:
    """Write a text to standard error; in a terminal on lines of its width, broken between words.

    Args:
        text: One line or several; nothing in it that a terminal would obey.
    """
    width = terminal_width(sys.stderr)
    if width:
        wrapped = (
            textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent="  ")
            for line in text.splitlines()
        )
        text = "\n".join("\n".join(lines) for lines in wrapped)
    typer.echo(text, err=True)
