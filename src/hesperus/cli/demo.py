"""`hesperus demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TARGETS = ("de", "zh", "ar", "hi", "sw")


def command(
    out: Annotated[Path, typer.Option(help="Folder for the run, the replies and the report.")] = Path("demo"),
    model: Annotated[
        list[str] | None, typer.Option(help="Embedded model (default all three); repeatable.")
    ] = None,
    target: Annotated[
        list[str] | None, typer.Option(help=f"Target language (default {', '.join(TARGETS)}); repeatable.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only this many items.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """A whole study on the embedded models and items: offline, no key, under a minute.

    Three small models (pocket/s, pocket/m, pocket/l) translate the atlas, our own multiple-choice questions on
    countries, and answer both versions. What each model was shown in each language is known, so the demo shows what
    the measures find. The numbers come from real inference.

    Examples:
        hesperus demo

        hesperus demo --model pocket/s --target th --target ko --out /tmp/demo
    """
    from hesperus.cli.progress import StageProgress
    from hesperus.reports.formats import print_table
    from hesperus.reports.html import write_report
    from hesperus.reports.measured import consistency_table
    from hesperus.reports.summary import consistency_summary
    from hesperus.studies.multisense import run_study, study_from_mapping

    study = study_from_mapping(
        {
            "task": "atlas",
            "models": model or ["pocket/s", "pocket/m", "pocket/l"],
            "source": ["en"],
            "target": target or list(TARGETS),
            "originals": True,
            **({"sample": {"n": limit}} if limit else {}),
        }
    )
    with StageProgress(quiet=quiet) as progress:
        run = run_study(study, out, store=out / "replies.sqlite", progress=progress)
    print_table(consistency_summary(consistency_table(run.records)), "table")
    page = out / "report.html"
    write_report(out, page)
    typer.echo(f"\nReport: {page}\nAgain, on your own model: hesperus run multisense --task atlas "
               "--model openai/gpt-4o-mini --source en --target de", err=True)  # fmt: skip
    run.raise_if_incomplete()
