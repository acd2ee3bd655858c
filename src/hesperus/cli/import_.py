"""`hesperus import`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hesperus.records.importers import Imported, ImportSettings

_SHOWN = 20

Sources = Annotated[list[Path], typer.Argument(help="Logs, or folders that hold them.", show_default=False)]
Out = Annotated[
    Path,
    typer.Option(help="Where the records go: a folder for a run, or a .parquet file.", show_default=False),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from", help="lm-eval, inspect, helm, lighteval, promptfoo or table (default: told by the files)."
    ),
]
LanguageFrom = Annotated[
    str | None,
    typer.Option(
        help="Where the language stands: '=TAG', 'name:REGEX', 'path:REGEX' (the first group), 'field:NAME' or "
        "'config:NAME'."
    ),
]
Key = Annotated[
    list[str] | None,
    typer.Option(help="Field that makes the id of an item, the same in every language; repeatable. Or: row."),
]
Model = Annotated[str | None, typer.Option(help="Name of the model, in place of the log's.")]
TaskName = Annotated[str | None, typer.Option(help="Name of the task, in place of the log's.")]
Map = Annotated[
    list[str] | None,
    typer.Option("--map", help="For a table: COLUMN=FIELD, e.g. item=question_id; repeatable."),
]
Filter = Annotated[str | None, typer.Option(help="lm-eval: the filter that counts; Inspect: the scorer.")]
Again = Annotated[
    str, typer.Option(help="A second log of the same model, task and language: newest, repeats or refuse.")
]
Group = Annotated[list[str] | None, typer.Option(help="Field of an item that becomes a column; repeatable.")]
Replies = Annotated[bool, typer.Option(help="Keep the text that the model wrote.")]
Format = Annotated[str, typer.Option(help="table, json, csv, markdown or latex.")]


def command(
    sources: Sources,
    out: Out,
    from_: From = None,
    language_from: LanguageFrom = None,
    key: Key = None,
    model: Model = None,
    task: TaskName = None,
    map_: Map = None,
    filter: Filter = None,
    again: Again = "newest",
    group: Group = None,
    replies: Replies = True,
    format: Format = "table",
) -> None:
    """Import the logs of another tool: no model is asked.

    Reads lm-evaluation-harness, Inspect, HELM, lighteval, promptfoo and any long table. An item gets the same id in
    every language, by the key of its benchmark. What cannot be read or joined is listed with its reason, and the rest
    is imported.

    For example:

        hesperus import logs/ --out runs/ours

        hesperus import results/*.eval --out runs/inspect --key question_id

        hesperus import answers.csv --out runs/survey --map item=qid --map language=lang --map answer=choice

        hesperus import logs/ --out runs/ours --language-from 'path:/([a-z]{2})/'
    """
    from hesperus.fingerprint import signature
    from hesperus.records.importers import ImportSettings, save_imported
    from hesperus.reports.formats import print_table
    from hesperus.reports.table import table

    settings = ImportSettings(
        tool=from_,  # type: ignore[arg-type]  # checked by the settings themselves
        language_from=language_from,
        key=tuple(key or ()),
        model=model,
        task=task,
        columns=_pairs(map_ or []),
        filter=filter,
        again=again,  # type: ignore[arg-type]  # likewise
        groups=tuple(group or ()),
        replies=replies,
    )
    imported = _read(sources, settings)
    save_imported(imported, out)
    rows = [dict(log) for log in imported.logs]
    print_table(table("import", tuple(rows[0]), rows=rows, signature=signature(settings)), format)
    _tell(imported, out)


def _read(sources: list[Path], settings: ImportSettings) -> Imported:
    """Read with a bar on standard error, where a person looks at it."""
    from rich.console import Console
    from rich.progress import Progress

    from hesperus.records.importers import import_logs

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bars:
        bar = bars.add_task("reading", total=None)
        return import_logs(
            sources, settings, progress=lambda done, total: bars.update(bar, completed=done, total=total)
        )


def _pairs(given: list[str]) -> dict[str, str]:
    from hesperus.errors import UsageError

    found: dict[str, str] = {}
    for one in given:
        ours, sign, theirs = one.partition("=")
        if not (ours and sign and theirs):
            raise UsageError(f"--map {one!r}: write COLUMN=FIELD, as in --map item=question_id")
        if ours in found:
            raise UsageError(f"--map {ours} is given twice")
        found[ours] = theirs
    return found


def _tell(imported: Imported, out: Path) -> None:
    """What was left out, and what to know, on standard error."""
    frame = imported.records
    counts = ", ".join(f"{frame[name].n_unique():,} {word}" for name, word in _COUNTED.items())
    typer.echo(f"{len(frame):,} records ({counts}) written to {out}", err=True)
    for note in imported.notes:
        typer.echo(_printable(f"note: {note}"), err=True)
    for left in imported.left_out[:_SHOWN]:
        count = f"{left.count:,} rows" if left.count else "the file"
        typer.echo(_printable(f"left out: {left.place}: {count}: {left.reason}: {left.detail}"), err=True)
    if len(imported.left_out) > _SHOWN:
        more = len(imported.left_out) - _SHOWN
        typer.echo(f"and {more:,} more reasons; all stand in study.yaml of the run", err=True)


def _printable(text: str) -> str:
    """Logs are not trusted: control characters must not reach the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


_COUNTED = {"model": "models", "task": "tasks", "input": "languages", "item": "items"}
