"""`hesperus run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.study_flags import takes_study

if TYPE_CHECKING:
    from hesperus.studies.multisense import MultisenseStudy


@takes_study
def command(
    study: MultisenseStudy,
    out: Annotated[
        Path | None, typer.Option(help="Run folder (default runs/TASK-HASH, the same for the same study).")
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="Reply store (default replies.sqlite beside the run folder).")
    ] = None,
    format: Annotated[str, typer.Option(help="table, json, csv, markdown or latex.")] = "table",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Ask models a task in several senses, and measure how consistent they are.

    Stop it whenever you like: every reply is kept in the store, and the same command goes on where it stopped.
    No request is ever paid for twice.

    Examples:
        hesperus run multisense --task atlas --model pocket/m --source en --target de --target zh

        hesperus run multisense --task paws-x --model openai/gpt-4o-mini --source en --target de --limit 200

        hesperus run multisense --task belebele --model http/my-model --base-url http://localhost:8000/v1 --target sw

        hesperus run study.yaml --model mistral/mistral-small-latest --max-money 2.5
    """
    from hesperus.cli.progress import StageProgress
    from hesperus.reports.formats import print_table
    from hesperus.reports.measured import consistency_table
    from hesperus.reports.summary import consistency_summary
    from hesperus.studies.multisense import default_folder, run_study

    folder = out or default_folder(study)
    with StageProgress(quiet=quiet) as progress:
        run = run_study(study, folder, store=store, progress=progress)
    table = consistency_table(run.records)
    print_table(consistency_summary(table) if format == "table" else table, format)
    typer.echo(f"run folder: {folder}   next: hesperus report {folder}", err=True)
    run.raise_if_incomplete()
