"""`hesperus tax`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from hesperus.cli.flags import AUDIT, Drawn, Flags, Format, takes_flags
from hesperus.cli.help import Commands
from hesperus.cli.said import say, show_rows

_SIMULATOR = "hesperus.studies.translation_tax.simulator"

app = Commands(
    no_args_is_help=True,
    help="Audit a translated benchmark: how much of the score rests on cues of the source language, and how sure that "
    "is. `hesperus run translation_tax` asks, `hesperus measure back_translation` and others estimate; these commands plan and "
    "report.",
)


@app.command("strata")
@takes_flags
def strata(
    runs: list[Path],
    *,
    out: Path,
    format: Format = "table",
    inputs: Annotated[
        Any, Flags(AUDIT, "tasks groups original translated back scores metric threshold exclude")
    ],
    **rule: Annotated[Any, Flags("hesperus.api.tax_strata:pick_strata")],
) -> None:
    """Fix the items for E4 before anything is rewritten: full of cues, free of them, or disputed.

    high: the source-centric models are all right on the translation and one is wrong on the way back. low: all right
    on both. disagreement: the majorities of the first two groups differ. The file carries a fingerprint; later steps
    refuse it once it was changed.

    For example:

        hesperus tax strata runs/mmmlu --out strata.json --group english=gpt-4o,gpt-4o-mini --size high=30 --size low=60

    Args:
        runs: Run folders or records files, of one benchmark or several.
        out: File to write (JSON); never written over by other strata.
    """
    from hesperus.api.tax_strata import pick_strata

    picked = pick_strata(replace(inputs, runs=runs), out, **rule)
    rows = tuple(
        {"stratum": name, "items": len(ids), "eligible": picked.eligible[name]}
        for name, ids in picked.items.items()
    )
    show_rows(
        "strata",
        rows,
        format,
        columns=("stratum", "items", "eligible"),
        signature={"unusable": picked.unusable},
        lead=f"strata: {sum(map(len, picked.items.values())):,} items picked to be rewritten",
    )
    say(f"written to {out}; next: rewrite these items, ask both versions, `hesperus measure naturalisation`")


@app.command("simulate")
@takes_flags
def simulate(
    *,
    out: Path,
    planted: Annotated[Any, Flags(f"{_SIMULATOR}:Planted", "items native tax gain inflation seed")],
    faults: Annotated[Any, Flags(f"{_SIMULATOR}:Faults")],
) -> None:
    """Draw a benchmark with a planted tax, to see what the estimators make of it. Groups: english and chinese.

    For example:

        hesperus tax simulate --out planted --tax english=0.15 --gain english=0.1 --validity chinese/3=0.34

        hesperus measure back_translation planted --group english=english/1,english/2,english/3

    Args:
        out: Folder to write: records, scores, ratings.
    """
    from hesperus.studies.translation_tax.simulator import simulated_benchmark

    simulated_benchmark(replace(planted, faults=faults)).write(out)
    say(f"written to {out}: the translated benchmark, and {out}/native")


@app.command("checklist")
@takes_flags
def checklist(
    runs: list[Path],
    *,
    format: Format = "table",
    inputs: Annotated[Any, Flags(AUDIT, without="exact runs")],
    drawn: Drawn,
) -> None:
    """The reporting checklist and the GenBench evaluation card, filled in from what the run has; the rest says "not done".

    For example:

        hesperus audit mmmlu --language en --language zh --format json > audit.json

        hesperus tax checklist runs/tax-mmmlu-1a2b3c4d --audit audit.json --ratings cues.csv --checks qc.csv --format latex

    Args:
        runs: Run folders or records files, of one benchmark or several.
    """
    from hesperus.api.tax_evidence import evidence_of, found_beside
    from hesperus.reports.formats import print_table
    from hesperus.reports.tax.checklist import checklist_of

    filled = checklist_of(evidence_of(found_beside(replace(inputs, runs=runs)), drawn))
    if format == "table":
        print_table(filled.table, format)
        return
    typer.echo(filled.write(format), nl=False)
