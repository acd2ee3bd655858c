"""`hesperus run`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.api.declared import DeclaredStudy
from hesperus.cli.flags import Format, Quiet
from hesperus.cli.said import say
from hesperus.cli.study_flags import takes_study

if TYPE_CHECKING:
    from hesperus.api.results import RunResult
    from hesperus.studies.asked.declaring import Declared


@takes_study
def command(
    declared: DeclaredStudy,
    *,
    out: Path | None = None,
    store: Path | None = None,
    table: str | None = None,
    format: Format = "table",
    quiet: Quiet = False,
    schema: bool = False,
) -> None:
    """Run a study: ask models, or gather records; write the run folder, and show what was found.

    [studies]

    Stop it whenever you like: every reply is kept in the store, and the same command goes on where it stopped.
    No request is ever paid for twice. A finished run folder with `--table` and nothing else is only read. A run folder, or
    the `study.yaml` in it, runs the same study again, in that folder; with other flags, it is another study in a folder of
    its own. Files that a study file names are looked up from the working directory, or else next to the study file and above.

    For example:

        hesperus run multisense --task atlas --model pocket/m --source en --target de --target zh

        hesperus run multisense --task paws-x --model openai/gpt-4o-mini --source en --target de --limit 200

        hesperus run multisense --task belebele --model http/my-model --base-url http://localhost:8000/v1 --target sw

        hesperus run similarity --task atlas --model pocket/m --model pocket/l --language en --language de --language sw

        hesperus run similarity --records runs/imported --by subject --format json --table contrasts

        hesperus run translate_then_evaluate --task atlas-describe --model pocket/l --language de --language sw
            --translator pocket/l

        hesperus run translation_tax --task atlas --model pocket/m --model pocket/l --target zh --limit 40

        hesperus run study.yaml --model mistral/mistral-small-latest --max-money 2.5

        hesperus run study.yaml --shard 2/4

    Args:
        out: Run folder (default: the one that is run again, or one under runs/, the same for the same study).
        store: Reply store (default replies.sqlite beside the run folder).
        table: Table to print, in place of the summary; `hesperus run STUDY --help` names those of a study.
        schema: Print the JSON schema of a study file, and stop.
    """
    from hesperus.api.results import open_run, run_declared
    from hesperus.api.studies import study_table
    from hesperus.errors import UnknownNameError
    from hesperus.reports.formats import print_table

    study = type(declared.study)
    if table is not None and table not in study.tables:
        raise UnknownNameError(f"table of {study.name()}", table, study.tables)
    if table is not None and out is None and store is None and declared.is_finished:
        held = open_run(declared.folder())
        print_table(study_table(held, table), format)
        say(f"run folder: {held.folder}   shown from what it holds; nothing was asked")
        return
    run = run_declared(declared, out=out, store=store, progress=not quiet)
    for note in (*run.notes, *([run.shard] if run.shard is not None else [])):
        say(str(note))
    if run.shard is not None:
        run.raise_if_incomplete()
        return
    _show(run, study, table, format)
    further = "; ".join(command.format(run=shlex.quote(str(run.folder))) for command in study.next_commands)
    say(f"run folder: {run.folder}   next: {further}")
    run.raise_if_incomplete()


def _show(run: RunResult, study: type[Declared], name: str | None, format: str) -> None:
    """Print the table that was asked for; a person who asked for none sees the summary first."""
    from hesperus.analysis.run_notes import nothing_answered, run_notes
    from hesperus.api.studies import study_table, usual_table
    from hesperus.reports.formats import print_table

    nothing = nothing_answered(run.run.records)
    if nothing:
        say(nothing)
    summary = run.summary()
    plain = format == "table" and name is None
    if plain:
        print_table(summary, "table")
    shown = None
    if not (nothing and format == "table"):
        shown = usual_table(run, study.name()) if plain else study_table(run, name or study.tables[0])
        print_table(shown, format)
    for note in run_notes(summary, run.run.records, run.signature):
        say(f"note: {note}")
    if shown is not None and not shown.rows:
        say(f"no rows: nothing in this run makes a row of {shown.measure}")
