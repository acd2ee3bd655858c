"""What the commands of `hesperus tax` share: their flags, and how records, scores and groups are read."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import Only, Tasks, named_values
from hesperus.cli.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hesperus.analysis.table import Table
    from hesperus.analysis.tax.tax_settings import QualityThreshold, TaxSettings
    from hesperus.api.tax_runs import Given
    from hesperus.cli.measure_flags import Resampling

Runs = Annotated[
    list[Path],
    typer.Argument(help="Run folders or records files, of one benchmark or several.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class AuditFlags:
    """The flags of all that an audit rests on, and how it is counted."""

    task: Tasks = None
    audit: Annotated[
        Path | None,
        typer.Option(
            help="What `hesperus audit … --format json` printed (default: audit.json of the run).",
            show_default=False,
        ),
    ] = None
    ratings: Annotated[
        Path | None,
        typer.Option(
            help="Ratings of cues by people: a long table (default: ratings.csv of the run).",
            show_default=False,
        ),
    ] = None
    scale: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Lowest and highest rating of cues; others are refused.")
    ] = "1:5"
    checks: Annotated[
        list[Path] | None,
        typer.Option(
            help="Checks of rewritten items by people: a long table, as `hesperus annotate export` writes it."
        ),
    ] = None
    native: Annotated[
        Path | None,
        typer.Option(help="Records of the native benchmark, where they are others.", show_default=False),
    ] = None
    native_task: Annotated[str | None, typer.Option(help="Task of the native items.", show_default=False)] = (
        None
    )
    strata: Annotated[
        Path | None,
        typer.Option(
            help="File of `hesperus tax strata` (default: strata.json of the run).", show_default=False
        ),
    ] = None
    verdicts: Annotated[
        Path | None,
        typer.Option(
            help="Verdicts of the verifying model (default: verdicts.parquet of the run).", show_default=False
        ),
    ] = None
    repeat: Annotated[
        int | None,
        typer.Option(
            help="Repeat of the translated items (default: one that the strata did not look at).", min=1
        ),
    ] = None
    parser: Annotated[
        list[str] | None,
        typer.Option("--parser", help="Also read the replies with this parser: default, strict, ohmer2023."),
    ] = None
    parser_task: Annotated[
        str | None,
        typer.Option(
            help="Task by whose labels --parser reads (default: each row's own).", show_default=False
        ),
    ] = None
    original: Annotated[
        str | None, typer.Option(help="Sense of the original items, such as en.", show_default=False)
    ] = None
    translated: Annotated[
        str | None, typer.Option(help="Sense of the translated items, such as zh.", show_default=False)
    ] = None
    back: Annotated[
        str | None,
        typer.Option(help="Sense of the back-translations, such as en_from_zh@apertium.", show_default=False),
    ] = None
    natural: Annotated[
        str | None, typer.Option(help="Sense of the rewritten items, such as zh~natural.", show_default=False)
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            help="NAME=MODEL,MODEL; repeatable. The first is the source-centric group (default: those of the run's study).",
            show_default=False,
        ),
    ] = None
    scores: Annotated[
        Path | None,
        typer.Option(
            help="Item scores of the back-translations (default: scores.parquet of the runs).",
            show_default=False,
        ),
    ] = None
    metric: Annotated[
        str | None,
        typer.Option(
            help="Score of the quality threshold, bleu or chrf (default: bleu, or the study's).",
            show_default=False,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Back-translations below it are left out (default: 20, or the study's).", show_default=False
        ),
    ] = None
    min_valid: Annotated[
        float | None,
        typer.Option(
            help="Share of valid answers below which a model is parser-sensitive (default: 0.9).",
            show_default=False,
        ),
    ] = None
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="The exact sign test in place of the mid-p test, as the paper prints it."
        ),
    ] = False
    exclude: Annotated[
        Path | None,
        typer.Option(
            help="Leave these items out: a list that `hesperus audit --out` wrote.", show_default=False
        ),
    ] = None

    def given(self, runs: Sequence[Path]) -> Given:
        """What was given of an audit of these runs."""
        from hesperus.api.tax_runs import Given
        from hesperus.cli.measure_raters import scale_of

        senses = {name: getattr(self, name) for name in ("original", "translated", "back", "natural")}
        return Given(
            runs, senses, native=self.native, native_task=self.native_task, scores=self.scores, strata=self.strata,
            repeat=self.repeat, verdicts=self.verdicts, checks=tuple(self.checks or ()), ratings=self.ratings,
            scale=scale_of(self.scale), parsers=tuple(self.parser or ()), parser_task=self.parser_task,
            tasks=self.task or (), exclude=self.exclude, alignment=self.audit,
        )  # fmt: skip

    def settings(self, runs: Sequence[Path], drawn: Resampling) -> TaxSettings:
        """How the tables are made."""
        from hesperus.api.tax_runs import settings_of

        return settings_of(self.group, drawn.given(), self.min_valid, runs=runs, exact=self.exact)

    def quality(self, runs: Sequence[Path]) -> QualityThreshold:
        """Which back-translations are good enough."""
        from hesperus.api.tax_runs import quality_of

        return quality_of(self.metric, self.threshold, runs=runs)


_EVIDENCE = " ".join(flag.name for flag in fields(AuditFlags) if flag.name != "exact")
EvidenceFlags = Annotated[AuditFlags, Only(_EVIDENCE)]
"""The flags of all that an audit rests on, whose checklist and page are by the mid-p test."""


def numbers_of(flag: str, given: list[str] | None, *, whole: bool = False) -> dict[str, float]:
    """NAME=NUMBER flags.

    Raises:
        UsageError: One that is not so.
    """
    from hesperus.errors import UsageError

    form = f"NAME={'N, a whole number' if whole else 'NUMBER'}"
    found: dict[str, float] = {}
    for name, value in named_values(flag, given, form, last=True):
        try:
            found[name] = int(value) if whole else float(value)
        except ValueError:
            found[name] = float("nan")
        if found[name] != found[name]:
            raise UsageError(f"{flag} {name}={value}: write {form}")
    return found


def show(found: Table, format: str) -> None:
    """Print a table; for people narrow, with what was left out and what to keep in mind next to it."""
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
