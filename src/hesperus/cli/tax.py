"""`hesperus tax`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.cli.flags import Drawn, Flags, Format, takes_flags
from hesperus.cli.help import Commands
from hesperus.cli.said import say
from hesperus.cli.tax_commands import (
    AUDIT,
    EvidenceFlags,
    Runs,
    report_command,
    show,
    simulate_command,
    strata_command,
)

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.table import Table
    from hesperus.api.tax_runs import AuditInputs

app = Commands(
    no_args_is_help=True,
    help="Audit a translated benchmark: how much of the score rides on cues of the source language, and how sure that "
    "is. `hesperus run translation_tax` asks; these commands estimate, from its run folder or from any records.",
)

app.command("strata")(strata_command)
app.command("simulate")(simulate_command)
app.command("report")(report_command)


@app.command("back_translation")
@takes_flags
def back_translation(
    runs: Runs,
    format: Format = "table",
    *,
    flags: Annotated[
        Any, Flags(AUDIT, "tasks original back groups scores metric threshold min_valid exact exclude")
    ],
    drawn: Drawn,
) -> None:
    """E1, back-translation: accuracy on the original minus accuracy on what came back, same model, same items.

    Items whose back-translation scores below the quality threshold, whose gold differs between the sides, or that a model did not
    answer readably on both sides are excluded and counted. `clustered` is the estimate to report: items are resampled
    with all their models. Next to it: without each model, without models that are often without a valid answer, each benchmark.

    For example:

        hesperus tax back_translation runs/tax-mmmlu-1a2b3c4d

        hesperus tax back_translation records.csv --scores bleu.csv --threshold 25 --group english=gpt-4o,gpt-4o-mini --format json
    """
    _estimate("back_translation", runs, flags, drawn, format)


@app.command("native_control")
@takes_flags
def native_control(
    runs: Runs,
    format: Format = "table",
    *,
    flags: Annotated[Any, Flags(AUDIT, "tasks native native_task translated groups exclude")],
    drawn: Drawn,
) -> None:
    """E3, native control: accuracy on the translated benchmark minus accuracy on one that was written in the language.

    The items are others, so the gap is no item-level effect; what it cannot tell is printed with it.

    For example:

        hesperus tax native_control runs/logs --task mmlu --native-task include --translated zh

        hesperus tax native_control runs/mmmlu --native runs/include --translated zh --group english=gpt-4o --group chinese=qwen-max
    """
    _estimate("native_control", runs, flags, drawn, format)


@app.command("naturalisation")
@takes_flags
def naturalisation(
    runs: Runs,
    format: Format = "table",
    *,
    flags: Annotated[
        Any, Flags(AUDIT, "tasks strata natural translated repeat verdicts checks groups min_valid exact")
    ],
    drawn: Drawn,
) -> None:
    """E4, naturalisation: accuracy on naturally rewritten items minus accuracy on the translated ones, same items.

    Pooled, by stratum, by group with the difference of differences, without each model, and over the items that the
    verifying model and each person passed strictly, and all of them.

    For example:

        hesperus tax naturalisation runs/tax-mmmlu-1a2b3c4d --checks qc.csv
    """
    _estimate("naturalisation", runs, flags, drawn, format)


@app.command("rating")
@takes_flags
def rating(
    runs: Runs,
    ratings: Annotated[
        Path, typer.Option(help="Long table: unit, rater, question, rating.", show_default=False)
    ],
    format: Format = "table",
    *,
    flags: Annotated[Any, Flags(AUDIT, "tasks original back groups scores metric threshold scale")],
    drawn: Drawn,
) -> None:
    """E2, rating: does what bilingual people see in an item go with its tax? Spearman, by group and model.

    For example:

        hesperus annotate export rating.sqlite --out ratings.csv

        hesperus tax rating runs/tax-mmmlu-1a2b3c4d --ratings ratings.csv
    """
    _estimate("rating", runs, replace(flags, ratings=ratings), drawn, format)


@app.command("validity")
@takes_flags
def validity(
    runs: Runs,
    format: Format = "table",
    *,
    flags: Annotated[Any, Flags(AUDIT, "parsers parser_task tasks min_valid")],
    drawn: Drawn,
) -> None:
    """Validity: valid answers of each model and set, and which cells depend on the parser of the replies.

    For example:

        hesperus tax validity runs/tax-mmmlu-1a2b3c4d --parser strict --parser ohmer2023
    """
    from hesperus.analysis.tax.validity import sensitive_cells, unchecked_cells

    found = _estimate("validity", runs, flags, drawn, format)
    lines = sensitive_cells(found)
    for line in lines:
        say(f"parser-sensitive: {line}")
    unchecked = unchecked_cells(found)
    if unchecked:
        why = (
            ""
            if found.signature["parsers"] == ["recorded"]
            else ": they hold no reply that could be read again"
        )
        say(
            f"{unchecked} cells were not read by a second parser{why or ' (--parser strict --parser ohmer2023)'}"
        )
    elif not lines:
        say("no cell is parser-sensitive")


@app.command("bounds")
@takes_flags
def bounds(
    runs: Runs,
    format: Format = "table",
    *,
    flags: Annotated[
        Any, Flags(AUDIT, "tasks original translated back natural groups scores metric threshold")
    ],
    drawn: Drawn,
) -> None:
    """Bounds: how low and how high each difference could be, whatever the invalid answers were meant to say.

    For example:

        hesperus tax bounds runs/tax-mmmlu-1a2b3c4d
    """
    _estimate("bounds", runs, flags, drawn, format)


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


def _estimate(name: str, runs: list[Path], flags: AuditInputs, drawn: GivenSettings, format: str) -> Table:
    """Gather what is there, make one table and print it."""
    from hesperus.analysis.summary_table import nothing_answered
    from hesperus.analysis.tax.evidence import tax_tables
    from hesperus.api.tax_evidence import evidence_of
    from hesperus.errors import UsageError

    evidence = evidence_of(replace(flags, runs=runs), drawn)
    tables = tax_tables(evidence)
    if name not in tables:
        senses = evidence.records["input"].unique().sort().to_list()
        tasks = evidence.records["task"].unique().sort().to_list()
        raise UsageError(
            f"{name} needs {_NEEDS[name]} (the records have the senses {', '.join(senses)} of {', '.join(tasks)})"
        )
    found = tables[name]()
    nothing = nothing_answered(evidence.records)
    if nothing:
        say(nothing)
    if not nothing or format != "table":
        show(found, format)
    if name == "back_translation" and evidence.scores is None:
        hint = "no scores.parquet beside the records: `hesperus score RUN` writes it, or give --scores"
        say(f"no quality threshold was applied ({hint})")
    return found


_NEEDS = {
    "back_translation": "the original items and their back-translation: name them with --original and --back",
    "native_control": "translated items and native ones of another task: --native RUN or --native-task NAME, --translated CODE",
    "naturalisation": "strata, and the translated and the rewritten items: --strata FILE, --translated CODE, --natural CODE",
    "rating": "the original items and their back-translation: name them with --original and --back",
    "bounds": "two conditions to compare: name them with --original, --back, --translated, --natural",
}
