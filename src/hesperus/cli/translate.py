"""`hesperus translate`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from hesperus.cli.flags import Flags, takes_flags
from hesperus.cli.said import say


@takes_flags
def command(
    **settings: Annotated[
        Any,
        Flags(
            "hesperus.api.file_translating:translate",
            arguments="file",
            without="progress",
            called={
                "source": "from",
                "source_column": "from-column",
                "target": "to",
                "whole": "whole/--sentences",
            },
        ),
    ],
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

    made = translate(**settings, progress=True)
    if "out" not in settings:
        sys.stdout.buffer.write(made.content)
        sys.stdout.buffer.flush()
    for note in made.notes:
        say(note)
