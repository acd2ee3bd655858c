"""`hesperus evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from hesperus.cli.flags import INTERVALS, Flags, Format, Quiet, takes_flags
from hesperus.cli.said import say


@takes_flags
def command(
    *,
    table: str = "scores",
    out: Path | None = None,
    report: Path | None = None,
    format: Format = "table",
    quiet: Quiet = False,
    **settings: Annotated[
        Any, Flags("hesperus.api.evaluating:evaluate", arguments="what run", without="progress"), INTERVALS
    ],
) -> None:
    """Evaluate open answers that are there already: how much of the reference's information each language holds.

    Each reply is put into the reference's language, sentence by sentence, and compared with the same model's reply to
    the same item there. Replies that are refused, blocked, empty or failed count as no answer (one such side: 0; both:
    1); statistics that end in `_answered` leave them out. Properties leave such pairs out, except that `refusal` counts a
    refused reply as refusing. `ceiling` is the score of the reference itself sent there and
    back, `relative` the score over it.

    Stop it whenever you like: translations and verdicts are kept, and the same command goes on. Verdicts that could not be
    read are kept, too; `--retry-unread` asks for them again.

    For example:

        hesperus evaluate information answers.jsonl --reference en --translator apertium --format json

        hesperus evaluate information runs/long --translator ct2/nllb-600m --judge openai/gpt-4o-mini --out evaluated

        hesperus evaluate information runs/long --translator ct2/nllb-600m --table groups --trained-on hf/org/m=de,fr

        hesperus evaluate information answers.csv --translator none --report answers.html

        hesperus evaluate empathy runs/posts --classifier empathy-large --translator ct2/nllb-600m

    Args:
        table: scores, groups, counts.
        out: Folder for pairs, claims with verdicts, translations and tables (Parquet).
        report: Also write a page to read: one HTML file that loads nothing.
    """
    from hesperus.analysis.open_answers.open_tables import TABLES
    from hesperus.api.evaluating import evaluate
    from hesperus.errors import UnknownNameError
    from hesperus.reports.formats import print_table

    if table not in TABLES:
        raise UnknownNameError("table of evaluate", table, TABLES)
    found = evaluate(progress=not quiet, **settings)
    if out is not None:
        say(f"written: {found.save(out)}")
    if report is not None:
        say(f"written: {found.report(report)}")
    made = found.table(table)
    if found.nothing:
        say(found.nothing)
    if not found.nothing or format != "table":
        print_table(made, format)
    for line in found.found.notes():
        say(line)
