"""`hesperus translate`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from hesperus.cli.flags import Flags, takes_flags
from hesperus.cli.said import say

_SETTINGS = Flags(
    "hesperus.api.file_translating:translate",
    without="progress",
    called={"source": "from", "source_column": "from-column", "target": "to"},
)
_WHOLE = typer.Option(
    "--whole/--sentences",
    help="Hand texts over whole, or sentence by sentence with repair of what degenerates "
    "(default: sentences; whole for file/ and none).",
    show_default=False,
)


@takes_flags
def command(
    file: Annotated[
        str,
        typer.Argument(
            help="Text, a line a text; or a table (.csv, .tsv, .jsonl, .parquet); - reads lines.",
            show_default=False,
        ),
    ],
    whole: Annotated[bool | None, _WHOLE] = None,
    **settings: Annotated[Any, _SETTINGS],
) -> None:
    r"""Translate a text, line by line, or a column of a table, such as the replies of a records file.

    Sentences are translated one by one, Markdown and code stay, and what degenerates is translated again in other ways.
    With --out the work is kept as it is done, and the same command goes on where it was stopped.

    For example:

        hesperus translate questions.txt --from en --to es --translator apertium

        hesperus translate runs/long/records.parquet --from-column input --to en --translator ct2/nllb --out en.parquet

        printf 'The house is green.\n' | hesperus translate - --from en --to es --translator apertium
    """
    from hesperus.api.file_translating import translate

    made = translate(sys.stdin.buffer.read() if file == "-" else file, whole=whole, progress=True, **settings)
    if settings["out"] is None:
        sys.stdout.buffer.write(made.content)
        sys.stdout.buffer.flush()
    for note in made.notes:
        say(note)
