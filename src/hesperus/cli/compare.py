"""`hesperus compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import By, Format, Interval, Invalid, Resamples, Seed

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings
    from hesperus.reports.measured import Described


def command(
    run_a: Annotated[
        Path, typer.Argument(help="Run folder or records file: the baseline.", show_default=False)
    ],
    run_b: Annotated[
        Path,
        typer.Argument(
            help="The run to set beside it; the same one to compare two models.", show_default=False
        ),
    ],
    what: Annotated[
        str | None,
        typer.Argument(
            help="consistency (unless said otherwise), accuracy, validity or similarity; of open answers scores (unless said "
            "otherwise), groups or validity.",
            show_default=False,
        ),
    ] = None,
    model_a: Annotated[str | None, typer.Option(help="Model of the baseline, where names differ.")] = None,
    model_b: Annotated[str | None, typer.Option(help="Model of the other run.")] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="The exact McNemar test in place of the mid-p test.")
    ] = False,
    by: By = None,
    invalid: Invalid = None,
    resamples: Resamples = None,
    seed: Seed = None,
    interval: Interval = None,
    format: Format = "table",
) -> None:
    """Set two runs beside each other: paired differences (second − first), intervals, tests.

    Items count where both runs have them. `p` is the mid-p McNemar test (of similarity, κ_p of two languages: of the same
    resampled items as the interval), `p_holm` corrects it for the number of rows, `detectable` is the smallest
    difference that this test, uncorrected, would find in so many items with a chance of 80 %. Where interval and p
    differ, p decides. --resamples 0 leaves out both.

    Of open answers, `p` is of exchanging both sides prompt by prompt, and `p_holm` corrects it over the rows of a
    statistic. Where judge, translator or rules differ between the runs, standard error says so.

    For example:

        hesperus compare runs/before runs/after

        hesperus compare runs/atlas runs/atlas accuracy --model-a pocket/s --model-b pocket/l

        hesperus compare runs/before runs/after similarity --format csv

        hesperus compare runs/open-before runs/open-after scores --format markdown
    """
    from hesperus.analysis.settings import GivenSettings, agreed_settings
    from hesperus.errors import UsageError
    from hesperus.records import read_records
    from hesperus.reports.formats import print_table
    from hesperus.reports.measured import compare_table, described
    from hesperus.reports.measured.compared import changed_sentence
    from hesperus.reports.measured.summary import nothing_answered
    from hesperus.reports.open_answers.measuring import (
        OPEN_COMPARED,
        is_open,
        refuse_labels,
        refuse_settings,
    )

    if (model_a is None) != (model_b is None):
        raise UsageError("give both --model-a and --model-b, or neither")
    given = GivenSettings.of(
        by=by or None, invalid=invalid, resamples=resamples, seed=seed, interval=interval
    )
    said = (described(run_a), described(run_b))
    named = (model_a, model_b) if model_a is not None and model_b is not None else None
    what = what or ("scores" if any(map(is_open, said)) else "consistency")
    if exact and what in (*OPEN_COMPARED, "similarity"):
        raise UsageError(f"--exact is about McNemar's test, which {what} does not take")
    if what in OPEN_COMPARED:
        refuse_settings(what, given)
        _open_answers(said, what, named, given=given, format=format)
        return
    for one in said:
        refuse_labels(what, one)
    settings = agreed_settings(given, [one.study for one in said])
    runs = (read_records(run_a, columns=settings.by), read_records(run_b, columns=settings.by))
    nothing = {side: none for side, run in zip("ab", runs, strict=True) if (none := nothing_answered(run))}
    for name, told in nothing.items():
        typer.echo(f"side {name}: {told}", err=True)
    if nothing and format == "table":
        return
    found = compare_table(
        runs,
        what,
        models=named,
        by=settings.by,
        invalid=settings.invalid,
        bootstrap=settings.bootstrap,
        exact=exact,
    )
    print_table(found, format, lead=changed_sentence(found))


def _open_answers(
    runs: tuple[Described, Described],
    what: str,
    models: tuple[str, str] | None,
    *,
    given: GivenSettings,
    format: str,
) -> None:
    from hesperus.reports.formats import print_table
    from hesperus.reports.measured.compared import changed_sentence
    from hesperus.reports.open_answers import Chosen, compare_open_answers

    found = compare_open_answers(runs, what, chosen=Chosen(models), given=given)
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    shown = found.summary() if format == "table" else found.table
    print_table(shown, format, lead=changed_sentence(shown))
    if format == "table":
        typer.echo("all statistics, ceilings and reasons: --format json or csv", err=True)
