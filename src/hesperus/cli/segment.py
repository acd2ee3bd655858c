"""`hesperus segment`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hesperus.cli.flags import takes_flags
from hesperus.cli.said import say, show_rows


@takes_flags
def command(
    file: Path,
    *,
    language: Annotated[
        str, typer.Option("--language", "-l", help="Language of the text, as a tag or a name.")
    ],
    format: Annotated[
        str, typer.Option(help="lines (a sentence a line), table, json, csv, markdown or latex.")
    ] = "lines",
) -> None:
    """Cut a text into sentences.

    The sentences of `--format json`, joined, are the text again, character for character; `lines` shows them without
    the blanks at their ends.

    For example:

        hesperus segment --language th answer.txt

        cat answer.txt | hesperus segment --language de - --format json

    Args:
        file: Text file in UTF-8, or - for standard input.
    """
    from hesperus.errors import UnknownNameError
    from hesperus.languages import normalise
    from hesperus.reports.formats import FORMATS
    from hesperus.text_files import decoded, read_text
    from hesperus.translation import segmented_languages, sentences
    from hesperus.untrusted import one_line

    if format not in ("lines", *FORMATS):
        raise UnknownNameError("format", format, ("lines", *FORMATS))
    text = (
        decoded(typer.get_binary_stream("stdin").read(), "standard input")
        if str(file) == "-"
        else read_text(file, "text")
    )
    known = normalise(language)
    if known.split("-")[0] not in segmented_languages():
        say(f"no rules for {known}: marks of all scripts count, full stops as in English")
    parts = sentences(text, known)
    if format == "lines":
        for part in parts:
            typer.echo(one_line(part.strip()))
        return
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part))
    columns = ("sentence", "start", "end", "text")
    rows = tuple(
        dict(zip(columns, (number, start, start + len(part), part), strict=True))
        for number, (part, start) in enumerate(zip(parts, starts, strict=False), start=1)
    )
    show_rows("sentences", rows, format, columns=columns, signature={"language": known})
