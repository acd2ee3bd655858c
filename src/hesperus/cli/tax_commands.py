"""What the commands of `hesperus tax` share, and those that estimate nothing: strata, a simulated benchmark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.cli.flags import AUDIT, Flags, Format, takes_flags
from hesperus.cli.said import say, show_rows

if TYPE_CHECKING:
    from hesperus.analysis.table import Table


Runs = Annotated[
    list[Path],
    typer.Argument(help="Run folders or records files, of one benchmark or several.", show_default=False),
]


_SIMULATOR = "hesperus.studies.translation_tax.simulator"
EvidenceFlags = Annotated[Any, Flags(AUDIT, without="exact")]
"""The flags of all that an audit rests on, whose checklist and page are by the Bayesian test."""


def show(found: Table, format: str) -> None:
    """Print a table; for people narrow, with what was excluded and what to keep in mind next to it."""
    from hesperus.reports.formats import print_table

    print_table(found, format)
    if format != "table":
        return
    for name in ("quality", "notes", "limits"):
        said = found.signature.get(name)
        if isinstance(said, str):
            say(f"{name}: {said}")
        for line in said if isinstance(said, list) else ():
            say(f"note: {line}")


@takes_flags
def strata_command(
    runs: Runs,
    out: Annotated[
        Path,
        typer.Option(help="File to write (JSON); never written over by other strata.", show_default=False),
    ],
    format: Format = "table",
    *,
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
    say(f"written to {out}; next: rewrite these items, ask both versions, `hesperus tax naturalisation`")


@takes_flags
def simulate_command(
    out: Annotated[Path, typer.Option(help="Folder to write: records, scores, ratings.", show_default=False)],
    *,
    planted: Annotated[Any, Flags(f"{_SIMULATOR}:Planted", "items native tax gain inflation seed")],
    faults: Annotated[Any, Flags(f"{_SIMULATOR}:Faults")],
) -> None:
    """Draw a benchmark with a planted tax, to see what the estimators make of it. Groups: english and chinese.

    For example:

        hesperus tax simulate --out planted --tax english=0.15 --gain english=0.1 --validity chinese/3=0.34

        hesperus tax back_translation planted --group english=english/1,english/2,english/3
    """
    from hesperus.studies.translation_tax.simulator import simulated_benchmark

    simulated_benchmark(replace(planted, faults=faults)).write(out)
    say(f"written to {out}: the translated benchmark, and {out}/native")
