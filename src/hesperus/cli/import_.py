"""`hesperus import`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.cli.flags import Flags, Format, takes_flags
from hesperus.cli.said import say

if TYPE_CHECKING:
    from hesperus.records.importers import Imported

_SHOWN = 20


@takes_flags
def command(
    format: Format = "table",
    **settings: Annotated[
        Any,
        Flags("hesperus.api.importing:import_logs", arguments="sources", options="out"),
        Flags(
            "hesperus.records.importers.import_settings:ImportSettings",
            called={"tool": "from", "columns": "map", "wide_columns": "columns"},
        ),
    ],
) -> None:
    """Import the logs of another tool: no model is asked.

    Reads lm-evaluation-harness, Inspect, HELM, lighteval, promptfoo, Every Eval Ever and any table. An item gets the same id in
    every language, by the key of its benchmark. What cannot be read or joined is listed with its reason, and the rest
    is imported.

    For example:

        hesperus import logs/ --out runs/ours

        hesperus import results/*.eval --out runs/inspect --key question_id

        hesperus import answers.csv --out runs/survey --map item=qid --map language=lang --map answer=choice

        hesperus import sheet.csv --out runs/sheet --map item=qid --wide answer --model my/model

        hesperus import answers_*.json --out runs/all --columns 'answer.{model}.{language}' --key topic --key id

        hesperus import logs/ --out runs/ours --language-from 'path:/([a-z]{2})/'
    """
    from rich.console import Console
    from rich.progress import Progress

    from hesperus.analysis.table import table
    from hesperus.api.importing import imported
    from hesperus.fingerprint import signature
    from hesperus.reports.formats import print_table

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bars:
        bar = bars.add_task("reading", total=None)
        read = imported(
            **settings, progress=lambda done, total: bars.update(bar, completed=done, total=total)
        )
    rows = [dict(log) for log in read.logs]
    found = table("import", tuple(rows[0]), rows=rows, signature=signature(read.settings))
    print_table(found, format, lead=f"import: {_counted(read)}")
    _tell(read, settings["out"])
    if read.failed:
        raise typer.Exit(1)


def _counted(imported: Imported) -> str:
    """How much was read: ``600 records (2 models, 1 task, 5 languages, 60 items)``; senses, where languages have several."""
    from hesperus.wording import counted, parsed

    frame = imported.records
    models, tasks, items = (counted(frame[name].n_unique(), name) for name in ("model", "task", "item"))
    codes = frame["input"].unique().to_list()
    tags = {sense.language if (sense := parsed(code)) else code for code in codes}
    senses = f" in {counted(len(codes), 'sense')}" if len(codes) > len(tags) else ""
    return f"{counted(len(frame), 'record')} ({models}, {tasks}, {counted(len(tags), 'language')}{senses}, {items})"


def _tell(imported: Imported, out: Path) -> None:
    """What was excluded, and what to know, on standard error; logs are not trusted with a terminal."""
    from hesperus.untrusted import one_line
    from hesperus.wording import counted

    say(f"{_counted(imported)} written to {out}")
    invalid = imported.records.filter(outcome="invalid").drop_nulls("reply")
    unread = len(invalid) if "rule" not in invalid.columns else invalid["rule"].null_count()
    if unread:
        say(
            f"note: no answer in {counted(unread, 'reply')} by the tool's own reading; `hesperus reread` reads them again"
        )
    for note in imported.notes:
        say(one_line(f"note: {note}"))
    # What failed as a whole comes first, and does not drown among rows.
    for left in sorted(imported.left_out, key=lambda one: not one.failed)[:_SHOWN]:
        count = counted(left.count, "row") if left.count else "the file"
        say(one_line(f"excluded: {left.place}: {count}: {left.reason}: {left.detail}"))
    if len(imported.left_out) > _SHOWN:
        more = len(imported.left_out) - _SHOWN
        say(f"and {more:,} more reasons; all stand in study.yaml of the run")
    if imported.failed:
        files = len({left.place for left in imported.failed})
        say(f"failed: {counted(files, 'file')} could not be imported (exit code 1); the others are in {out}")
