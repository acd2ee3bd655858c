"""`hesperus tax`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.cli.flags import AUDIT, Drawn, Flags, Format, takes_flags
from hesperus.cli.help import Commands
from hesperus.cli.said import say, show_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.table import Table
    from hesperus.api.tax_runs import AuditInputs

Runs = Annotated[
    list[Path],
    typer.Argument(help="Run folders or records files, of one benchmark or several.", show_default=False),
]


_SIMULATOR = "hesperus.studies.translation_tax.simulator"
EvidenceFlags = Annotated[Any, Flags(AUDIT, without="exact")]
"""The flags of all that an audit rests on, whose checklist and page are by the Bayesian test."""

app = Commands(
    no_args_is_help=True,
    help="Audit a translated benchmark: how much of the score rests on cues of the source language, and how sure that "
    "is. `hesperus run translation_tax` asks; these commands estimate, from its run folder or from any records.",
)


@app.command("strata")
@takes_flags
def strata(
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


@app.command("simulate")
@takes_flags
def simulate(
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


def _estimator(names: str) -> Callable[[Callable[[], None]], None]:
    """Make a command that prints an estimate of an audit.

    Args:
        names: The settings of AuditInputs that it takes, separated by blanks.

    Returns:
        Takes a function with the name and the help of the command.
    """

    def register(told: Callable[[], None]) -> None:
        def command(runs: Runs, format: Format = "table", *, flags: Any, drawn: Drawn) -> None:
            _estimate(told.__name__, runs, flags, drawn, format)

        command.__annotations__["flags"] = Annotated[Any, Flags(AUDIT, names)]
        command.__doc__ = told.__doc__
        app.command(told.__name__)(takes_flags(command))

    return register


@_estimator("tasks original back groups scores metric threshold min_valid exact exclude")
def back_translation() -> None:
    """E1, back-translation: accuracy on the original minus accuracy on what came back, same model, same items.

    Items with a back-translation below the quality threshold, with other gold on one side, or that a model did not
    answer readably on both sides are excluded and counted. `clustered` is the estimate to report: items are resampled
    with all their models. Next to it: without each model, without models that are often without a valid answer, each benchmark.

    For example:

        hesperus tax back_translation runs/tax-mmmlu-1a2b3c4d

        hesperus tax back_translation records.csv --scores bleu.csv --threshold 25 --group english=gpt-4o,gpt-4o-mini --format json
    """


@_estimator("tasks native native_task translated groups exclude")
def native_control() -> None:
    """E3, native control: accuracy on the translated benchmark minus accuracy on one that was written in the language.

    The items are others, so the gap is no item-level effect; what it cannot tell is printed with it.

    For example:

        hesperus tax native_control runs/logs --task mmlu --native-task include --translated zh

        hesperus tax native_control runs/mmmlu --native runs/include --translated zh --group english=gpt-4o --group chinese=qwen-max
    """


@_estimator("tasks strata natural translated repeat verdicts checks groups min_valid exact")
def naturalisation() -> None:
    """E4, naturalisation: accuracy on naturally rewritten items minus accuracy on the translated ones, same items.

    Pooled, by stratum, by group with the difference of differences, without each model, and over the items that the
    verifying model and each person passed strictly, and all of them.

    For example:

        hesperus tax naturalisation runs/tax-mmmlu-1a2b3c4d --checks qc.csv
    """


@_estimator("ratings tasks original back groups scores metric threshold scale")
def rating() -> None:
    """E2, rating: does what bilingual people see in an item go with its tax? Spearman, by group and model.

    For example:

        hesperus annotate export rating.sqlite --out ratings.csv

        hesperus tax rating runs/tax-mmmlu-1a2b3c4d --ratings ratings.csv
    """


@_estimator("parsers parser_task tasks min_valid")
def validity() -> None:
    """Validity: valid answers of each model and set, and which cells depend on the parser of the replies.

    For example:

        hesperus tax validity runs/tax-mmmlu-1a2b3c4d --parser strict --parser ohmer2023
    """


@_estimator("tasks original translated back natural groups scores metric threshold")
def bounds() -> None:
    """Bounds: how low and how high each difference could be, whatever the invalid answers were meant to say.

    For example:

        hesperus tax bounds runs/tax-mmmlu-1a2b3c4d
    """


@app.command("checklist")
@takes_flags
def checklist(
    runs: Runs,
    format: Format = "table",
    *,
    flags: EvidenceFlags,
    drawn: Drawn,
) -> None:
    """The reporting checklist and the GenBench evaluation card, filled in from what the run has; the rest says "not done".

    For example:

        hesperus audit mmmlu --language en --language zh --format json > audit.json

        hesperus tax checklist runs/tax-mmmlu-1a2b3c4d --audit audit.json --ratings cues.csv --checks qc.csv --format latex
    """
    from hesperus.api.tax_evidence import evidence_of, found_beside
    from hesperus.reports.formats import print_table
    from hesperus.reports.tax.checklist import checklist_of

    filled = checklist_of(evidence_of(found_beside(replace(flags, runs=runs)), drawn))
    if format == "table":
        print_table(filled.table, format)
        return
    typer.echo(filled.write(format), nl=False)


def _estimate(name: str, runs: list[Path], flags: AuditInputs, drawn: GivenSettings, format: str) -> None:
    """Gather what is there, make one table and print it."""
    from hesperus.analysis.measure_names import TAX_MEASURES
    from hesperus.analysis.run_notes import nothing_answered
    from hesperus.analysis.short_signature import with_short
    from hesperus.analysis.tax.audit_evidence import tax_tables
    from hesperus.api.tax_evidence import evidence_of, found_beside
    from hesperus.api.tax_runs import AuditInputs
    from hesperus.errors import UsageError

    inputs = replace(flags, runs=runs)
    evidence = evidence_of(found_beside(inputs) if name == "rating" else inputs, drawn)
    tables = tax_tables(evidence)
    if name not in tables:
        needed = _NEEDS[name]
        if name == "rating" and evidence.ratings is None:
            needed = "what people said of the items: --ratings FILE, as `hesperus annotate export` writes it"
        senses = evidence.records["input"].unique().sort().to_list()
        tasks = evidence.records["task"].unique().sort().to_list()
        raise UsageError(
            f"{name} needs {needed} (the records have the senses {', '.join(senses)} of {', '.join(tasks)})"
        )
    found = tables[name]()
    if name in TAX_MEASURES and flags == AuditInputs() and len(runs) == 1:  # as `hesperus measure` makes it
        found = with_short(found, drawn, name)
    nothing = nothing_answered(evidence.records)
    if nothing:
        say(nothing)
    if not nothing or format != "table":
        _show(found, format)
    if name == "back_translation" and evidence.scores is None:
        hint = "no scores.parquet beside the records: `hesperus score RUN` writes it, or give --scores"
        say(f"no quality threshold was applied ({hint})")
    if name == "validity":
        _say_sensitive(found, asked=bool(flags.parsers))


def _say_sensitive(found: Table, *, asked: bool) -> None:
    """Which cells of a table of valid answers depend on the parser, and whether another parser was asked for."""
    from hesperus.analysis.tax.validity import sensitive_cells, unchecked_cells

    lines, unchecked = sensitive_cells(found), unchecked_cells(found)
    for line in lines:
        say(f"parser-sensitive: {line}")
    if unchecked:
        why = (
            ": they hold no reply that could be read again"
            if asked
            else " (--parser strict --parser ohmer2023)"
        )
        say(f"{unchecked} cells were not read by a second parser{why}")
    elif not lines:
        say("no cell is parser-sensitive")


_NEEDS = {
    "back_translation": "the original items and their back-translation: name them with --original and --back",
    "native_control": "translated items and native ones of another task: --native RUN or --native-task NAME, --translated CODE",
    "naturalisation": "strata, and the translated and the rewritten items: --strata FILE, --translated CODE, --natural CODE",
    "rating": "the original items, their back-translation and ratings: name them with --original, --back and --ratings",
    "bounds": "two conditions to compare: name them with --original, --back, --translated, --natural",
}


def _show(found: Table, format: str) -> None:
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
