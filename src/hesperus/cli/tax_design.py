"""`hesperus tax strata` and `hesperus tax simulate`: what is fixed before an audit, and what it can be tried on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hesperus.api.tax_runs import AuditInputs, records_of, scores_of
from hesperus.cli.measure_flags import Format, Only, takes_flags
from hesperus.cli.said import say, show_rows
from hesperus.cli.tax_inputs import Runs, numbers_of


@takes_flags
def strata_command(
    runs: Runs,
    out: Annotated[
        Path,
        typer.Option(help="File to write (JSON); never written over by other strata.", show_default=False),
    ],
    sides: Annotated[AuditInputs, Only("tasks groups original translated back")] = AuditInputs(),
    anchor: Annotated[
        str, typer.Option(help="Where the source-centric models must all be right: translated or original.")
    ] = "translated",
    per_subject: Annotated[int, typer.Option(min=0, help="Most items of a subject; 0: no cap.")] = 4,
    subject: Annotated[
        str | None,
        typer.Option(
            help="Column of the subjects (default: subject, where there is one).", show_default=False
        ),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(help="STRATUM=N, most items of a stratum; repeatable.", show_default=False),
    ] = None,
    filtered: Annotated[AuditInputs, Only("scores metric threshold exclude")] = AuditInputs(),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw.")] = 42,
    format: Format = "table",
) -> None:
    """Fix the items for E4 before anything is rewritten: full of cues, free of them, or disputed.

    high: the source-centric models are all right on the translation and one is wrong on the way back. low: all right
    on both. disagreement: the majorities of the first two groups differ. The file carries a fingerprint; later steps
    refuse it once it was changed.

    For example:

        hesperus tax strata runs/mmmlu --out strata.json --group english=gpt-4o,gpt-4o-mini --size high=30 --size low=60
    """
    from hesperus.analysis.tax.conditions import Senses, conditions_of
    from hesperus.errors import UsageError
    from hesperus.studies.translation_tax.strata import StrataRule, strata_of, write_strata
    from hesperus.studies.translation_tax.verifying import low_scores

    groups = list(replace(sides, runs=runs).settings().groups.values())
    if not groups:
        raise UsageError("strata need the source-centric models: --group english=MODEL,MODEL")
    if anchor not in ("translated", "original"):
        raise UsageError(f"--anchor is translated or original, not {anchor!r}")
    records, quality = records_of(runs, filtered.exclude, sides.tasks), replace(filtered, runs=runs).quality()
    found = conditions_of(
        records["input"].unique().to_list(), Senses(sides.original, sides.translated, sides.back)
    )
    if found.original is None or found.translated is None or found.back is None:
        raise UsageError("it is not plain which senses are meant: give --original, --translated and --back")
    named = subject or "subject"
    cap = (per_subject or None) if subject or named in records.columns else None
    rule = StrataRule(
        found.original, found.translated, found.back, anchor,  # type: ignore[arg-type]  # checked above
        sizes={name: round(most) for name, most in numbers_of("--size", size, whole=True).items()}, per_subject=cap, subject=named, seed=seed,
    )  # fmt: skip
    scored = scores_of(runs, filtered.scores, records, found.back, quality)
    bad = low_scores(scored, found.back, quality.metric, quality.threshold) if scored is not None else ()
    others = groups[1] if len(groups) > 1 else ()
    picked = strata_of(records, rule, centric=groups[0], others=others, leave_out=bad)
    write_strata(picked, out)
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
    )
    say(f"written to {out}; next: rewrite these items, ask both versions, `hesperus tax e4`")


def simulate_command(
    out: Annotated[Path, typer.Option(help="Folder to write: records, scores, ratings.", show_default=False)],
    items: Annotated[int, typer.Option(min=1, help="Items of the translated benchmark.")] = 200,
    native: Annotated[int, typer.Option(min=1, help="Items of the native one.")] = 150,
    tax: Annotated[
        list[str] | None, typer.Option(help="GROUP=LOSS on the way back of items full of cues.")
    ] = None,
    gain: Annotated[
        list[str] | None, typer.Option(help="GROUP=GAIN by natural rewriting of such items.")
    ] = None,
    inflation: Annotated[list[str] | None, typer.Option(help="GROUP=GAP of translated above native.")] = None,
    noisy: Annotated[float, typer.Option(help="Share of back-translations that lost the question.")] = 0.0,
    misaligned: Annotated[float, typer.Option(help="Share of items that are another question.")] = 0.0,
    doubled_labels: Annotated[float, typer.Option(help="Loss on rewritten items by doubled labels.")] = 0.0,
    validity: Annotated[list[str] | None, typer.Option(help="MODEL=SHARE of readable replies.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw.")] = 0,
) -> None:
    """Draw a benchmark with a planted tax, to see what the estimators make of it. Groups: english and chinese.

    For example:

        hesperus tax simulate --out planted --tax english=0.15 --gain english=0.1 --validity chinese/3=0.34

        hesperus tax e1 planted --group english=english/1,english/2,english/3
    """
    from hesperus.studies.translation_tax.simulator import Faults, Planted, simulated_benchmark

    planted = Planted(
        items=items, native=native, tax=numbers_of("--tax", tax), gain=numbers_of("--gain", gain),
        inflation=numbers_of("--inflation", inflation),
        faults=Faults(noisy, misaligned, doubled_labels, numbers_of("--validity", validity)), seed=seed,
    )  # fmt: skip
    simulated_benchmark(planted).write(out)
    say(f"written to {out}: the translated benchmark, and {out}/native")
