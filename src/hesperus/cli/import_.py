"""`hesperus import`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import named_values, takes_flags
from hesperus.cli.said import say

if TYPE_CHECKING:
    from hesperus.records.importers import Imported, ImportSettings

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ImportFlags:
    """The flags of how logs are read."""

    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="lm-eval, inspect, helm, lighteval, promptfoo, every-eval-ever or table (default: told by the files).",
        ),
    ] = None
    language_from: Annotated[
        str | None,
        typer.Option(
            help="Where the language stands: '=TAG', 'name:REGEX', 'path:REGEX' (the first group), 'field:NAME' or "
            "'config:NAME'."
        ),
    ] = None
    language: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=TAG: the language of a task, or of what stands in a language column, e.g. kz=kk; repeatable."
        ),
    ] = None
    key: Annotated[
        list[str] | None,
        typer.Option(
            help="Field that makes the id of an item, the same in every language; repeatable. Or: row."
        ),
    ] = None
    model: Annotated[str | None, typer.Option(help="Name of the model, in place of the log's.")] = None
    task: Annotated[str | None, typer.Option(help="Name of the task, in place of the log's.")] = None
    map_: Annotated[
        list[str] | None,
        typer.Option("--map", help="For a table: COLUMN=FIELD, e.g. item=question_id; repeatable."),
    ] = None
    wide: Annotated[
        str | None,
        typer.Option(
            help="For a table with a column per language or model: these hold answer, reply, or correct (1 and 0)."
        ),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            help="How these columns are named, e.g. '{model}_{language}' (default: told by the names)."
        ),
    ] = None
    model_from: Annotated[
        str | None,
        typer.Option(help="Where a table's model stands: 'name:REGEX' or 'path:REGEX' (the first group)."),
    ] = None
    filter: Annotated[
        str | None, typer.Option(help="lm-eval: the filter that counts; Inspect: the scorer.")
    ] = None
    again: Annotated[
        str,
        typer.Option(help="A second log of the same model, task and language: newest, repeats or refuse."),
    ] = "newest"
    group: Annotated[
        list[str] | None, typer.Option(help="Field of an item that becomes a column; repeatable.")
    ] = None
    replies: Annotated[bool, typer.Option(help="Keep the text that the model wrote.")] = True

    def settings(self) -> ImportSettings:
        """What they say.

        Raises:
            UsageError: A name without its value, or one that is given twice.
            UnknownNameError: No such tool or rule.
        """
        from hesperus.records.importers import ImportSettings

        return ImportSettings(
            tool=self.from_,  # type: ignore[arg-type]  # checked by the settings themselves
            language_from=self.language_from,
            key=tuple(self.key or ()),
            model=self.model,
            task=self.task,
            languages=_once("--language", self.language, "NAME=TAG", "kz=kk"),
            columns=_once("--map", self.map_, "COLUMN=FIELD", "item=question_id"),
            filter=self.filter,
            again=self.again,  # type: ignore[arg-type]  # likewise
            groups=tuple(self.group or ()),
            replies=self.replies,
            wide=self.wide,
            wide_columns=self.columns,
            model_from=self.model_from,
        )


@takes_flags
def command(
    sources: Annotated[
        list[Path], typer.Argument(help="Logs, or folders that hold them.", show_default=False)
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="Where the records go: a folder for a run, or a .parquet file.", show_default=False
        ),
    ],
    flags: ImportFlags = ImportFlags(),
    format: Annotated[str, typer.Option(help="table, json, csv, markdown or latex.")] = "table",
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
    from hesperus.analysis.table import table
    from hesperus.fingerprint import signature
    from hesperus.records.importers import check_place, save_imported
    from hesperus.reports.formats import print_table

    settings = flags.settings()
    check_place(out)
    imported = _read(sources, settings)
    save_imported(imported, out)
    rows = [dict(log) for log in imported.logs]
    found = table("import", tuple(rows[0]), rows=rows, signature=signature(settings))
    print_table(found, format, lead=f"import: {_counted(imported)}")
    _tell(imported, out)
    if imported.failed:
        raise typer.Exit(1)


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


def _once(flag: str, given: list[str] | None, form: str, example: str) -> dict[str, str]:
    """Names with their values, each name once."""
    from hesperus.errors import UsageError

    found: dict[str, str] = {}
    for name, value in named_values(flag, given, form, example):
        if name in found:
            raise UsageError(f"{flag} {name} is given twice")
        found[name] = value
    return found


def _counted(imported: Imported) -> str:
    """How much was read: ``600 records (2 models, 1 task, 5 languages, 60 items)``."""
    frame = imported.records
    counts = ", ".join(_many(frame[name].n_unique(), word) for name, word in _COUNTED.items())
    return f"{_many(len(frame), 'record')} ({counts})"


def _tell(imported: Imported, out: Path) -> None:
    """What was left out, and what to know, on standard error; logs are not trusted with a terminal."""
    from hesperus.untrusted import one_line

    say(f"{_counted(imported)} written to {out}")
    unread = len(imported.records.filter(outcome="invalid").drop_nulls("reply"))
    if unread:
        say(
            f"note: no answer in {_many(unread, 'reply')} by the tool's own reading; `hesperus reread` reads them again"
        )
    for note in imported.notes:
        say(one_line(f"note: {note}"))
    # What failed as a whole comes first, and does not drown among rows.
    for left in sorted(imported.left_out, key=lambda one: not one.failed)[:_SHOWN]:
        count = _many(left.count, "row") if left.count else "the file"
        say(one_line(f"left out: {left.place}: {count}: {left.reason}: {left.detail}"))
    if len(imported.left_out) > _SHOWN:
        more = len(imported.left_out) - _SHOWN
        say(f"and {more:,} more reasons; all stand in study.yaml of the run")
    if imported.failed:
        files = len({left.place for left in imported.failed})
        say(f"failed: {_many(files, 'file')} could not be imported (exit code 1); the others are in {out}")


def _many(count: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{count:,} {word if count == 1 else plural}"


_COUNTED = {"model": "model", "task": "task", "input": "language", "item": "item"}
