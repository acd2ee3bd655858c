"""`hesperus check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import (
    By,
    Format,
    Interval,
    Invalid,
    Models,
    Resamples,
    RunPath,
    Seed,
    Tasks,
)

if TYPE_CHECKING:
    import polars as pl

    from hesperus.analysis.settings import GivenSettings
    from hesperus.reports.measured import Requirement
    from hesperus.reports.table import Table


def command(
    run: RunPath,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="What must hold, e.g. 'consistency[de_from_en] >= 0.8'; repeatable.", show_default=False
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(help="Run folder or records file that --max-drop compares with.", show_default=False),
    ] = None,
    max_drop: Annotated[
        list[str] | None,
        typer.Option(
            help="How far it may fall below the baseline, e.g. 0.02 (of accuracy; of open answers, of scores) or "
            "'consistency[de_from_en]=0.05'; repeatable.",
            show_default=False,
        ),
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Also write the result as JUnit XML.")] = None,
    summary: Annotated[
        Path | None, typer.Option(help="Also write the result as Markdown, for the summary of a job.")
    ] = None,
    by: By = None,
    invalid: Invalid = None,
    model: Models = None,
    task: Tasks = None,
    resamples: Resamples = None,
    seed: Seed = None,
    interval: Interval = None,
    format: Format = "table",
) -> None:
    """Hold a run to requirements, for continuous integration: exit code 1 where one does not hold.

    A requirement is MEASURE[.STATISTIC][.low|.high], then what it is about in square brackets, then >=, >, <= or < and
    a number. In the brackets: a sense (de_from_en), an instruction and an input (en/de_from_en), or column=value;
    model=NAME takes the rows of which both sides are that model. Every row that it is about must satisfy it; an
    undefined value does not.

    A drop is [MEASURE[.low|.high][…]=]NUMBER, of accuracy, consistency, similarity or validity, item by item against
    --baseline; `.high=0` fails only where the whole interval shows a fall: the intervals are simultaneous over all rows that such
    drops are about, so that a run without any change fails in at most 2.5 % of cases. Of open answers it is of scores or
    groups, with a statistic (scores.recall[de]=0.03), or without one of F of means and agreement.

    For example:

        hesperus check runs/atlas --require 'consistency[de_from_en] >= 0.8'

        hesperus check runs/atlas --require 'accuracy.low[model=pocket/l, en] > 0.6' --junit check.xml

        hesperus check runs/atlas --require 'agreement.kappa_p[hi, model=pocket/m] >= 0.5' --require 'validity >= 0.95'

        hesperus check runs/similarity --require 'designs[within_model, pocket/m] >= 0.3'

        hesperus check runs/open --require 'scores.f_of_means.low[language=de] >= 0.6'

        hesperus check runs/new --baseline runs/old --max-drop 0.02 --max-drop 'consistency.high=0' --summary check.md

        hesperus check runs/open --baseline runs/open-before --max-drop 'scores.f_of_means.high[all]=0' --junit check.xml
    """
    from hesperus.analysis.settings import GivenSettings
    from hesperus.reports.formats import print_table
    from hesperus.reports.measured import (
        check_table,
        failures_first,
        junit_xml,
        markdown_summary,
        passed_sentence,
    )

    wanted, drops = _read(require or [], max_drop or [], (baseline, run))
    given = GivenSettings.of(
        by=by or None, invalid=invalid, resamples=resamples, seed=seed, interval=interval
    )
    chosen = (tuple(model or ()), tuple(task or ()))
    tables = _measured(run, wanted, given, chosen)
    if baseline is not None:
        tables |= _certain((baseline, run), drops, given, chosen)
    checked = check_table([*wanted, *drops], tables)
    shown = failures_first(checked) if format == "table" else checked
    print_table(shown, format, lead=f"check: {passed_sentence(checked)}")
    for path, text in ((junit, junit_xml(checked)), (summary, markdown_summary(checked))):
        if path is not None:
            _write(path, text)
    _exit(checked)


def _read(
    require: list[str], max_drop: list[str], runs: tuple[Path | None, Path]
) -> tuple[list[Requirement], list[Requirement]]:
    from hesperus.errors import UsageError
    from hesperus.reports.measured import Requirement

    baseline, run = runs
    if not require and not max_drop:
        raise UsageError("nothing to check: give --require, or --baseline and --max-drop")
    if bool(max_drop) != (baseline is not None):
        raise UsageError("--baseline and --max-drop belong together: what with, and how far")
    wanted = [Requirement.parse(text) for text in require]
    if not max_drop:
        return wanted, []
    from hesperus.reports.measured import COMPARED, described
    from hesperus.reports.open_answers.measuring import OPEN_COMPARED, is_open

    default = "scores" if is_open(described(run)) else "accuracy"
    measures = (*COMPARED, *OPEN_COMPARED)
    return wanted, [Requirement.drop(text, measures, default=default) for text in max_drop]


def _records(
    run: Path, columns: tuple[str, ...], chosen: tuple[tuple[str, ...], tuple[str, ...]]
) -> pl.DataFrame:
    from hesperus.records import read_records
    from hesperus.reports.measured import narrowed

    return narrowed(read_records(run, columns=columns), models=chosen[0], tasks=chosen[1])


def _measured(
    run: Path,
    wanted: list[Requirement],
    given: GivenSettings,
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
) -> dict[str, Table]:
    from hesperus.reports.measured import described, measure_columns, measure_table

    measures = sorted({requirement.measure for requirement in wanted})
    if not measures:
        return {}
    said = described(run)
    columns = [name for what in measures for name in measure_columns(what, given, said)]
    records = _records(run, tuple(dict.fromkeys(columns)), chosen)
    return {what: measure_table(what, records, given, described=said) for what in measures}


def _certain(
    runs: tuple[Path, Path],
    drops: list[Requirement],
    given: GivenSettings,
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
) -> dict[str, Table]:
    """Differences from the baseline, with intervals that hold together over all rows whose ends a drop is about."""
    from dataclasses import replace

    from hesperus.analysis.settings import agreed_settings
    from hesperus.measures import enough_permutations
    from hesperus.reports.measured import described

    found = _compared(runs, drops, given, chosen)
    family = sum(len(drop.rows(found[drop.measure])) for drop in drops if drop.end != "value")
    plain = agreed_settings(given, [described(run).study for run in runs]).bootstrap
    if family < 2 or not plain.resamples:
        return found
    together = replace(
        given,
        level=1 - (1 - plain.level) / family,
        resamples=enough_permutations(plain.resamples, family, error=1 - plain.level),
    )
    return {
        name: replace(made, signature={**made.signature, "simultaneous": family})
        for name, made in _compared(runs, drops, together, chosen, quiet=True).items()
    }


def _compared(
    runs: tuple[Path, Path],
    drops: list[Requirement],
    given: GivenSettings,
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
    *,
    quiet: bool = False,
) -> dict[str, Table]:
    """Differences from the baseline; a baseline of another model is compared where each side has one."""
    from hesperus.analysis.settings import agreed_settings
    from hesperus.reports.measured import compare_table, described
    from hesperus.reports.open_answers import Chosen, compare_open_answers
    from hesperus.reports.open_answers.measuring import OPEN_COMPARED, refuse_labels, refuse_settings

    said = (described(runs[0]), described(runs[1]))
    wanted = {drop.measure: drop.compared for drop in sorted(drops, key=lambda drop: drop.measure)}
    found: dict[str, Table] = {}
    for name, what in wanted.items():
        if what in OPEN_COMPARED:
            refuse_settings(what, given)
            made = compare_open_answers(said, what, chosen=Chosen(None, *chosen), given=given)
            for warning in () if quiet else made.warnings:
                typer.echo(f"warning: {warning}", err=True)
            found[name] = made.table
        else:
            for one in said:
                refuse_labels(what, one)
    of_labels = {name: what for name, what in wanted.items() if name not in found}
    if of_labels:
        settings = agreed_settings(given, [one.study for one in said])
        before, after = (_records(run, settings.by, chosen) for run in runs)
        for name, what in of_labels.items():
            found[name] = compare_table(
                (before, after), what, by=settings.by, invalid=settings.invalid, bootstrap=settings.bootstrap
            )
    return found


def _write(path: Path, text: str) -> None:
    from hesperus.errors import UsageError
    from hesperus.records.files import write_whole

    def fill(partial: Path) -> None:
        partial.write_text(text, encoding="utf-8")

    try:
        write_whole(path, fill)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def _exit(checked: Table) -> None:
    from hesperus.reports.measured import passed_sentence

    for row in checked.rows:
        if row["value"] is None:
            typer.echo(f"{row['requirement']} ({row['where']}): undefined: {row['reason']}", err=True)
    if not all(row["passed"] for row in checked.rows):
        typer.echo(passed_sentence(checked), err=True)
        raise typer.Exit(1)
