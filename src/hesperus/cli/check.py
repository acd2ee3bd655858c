"""`hesperus check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import By, Format, Invalid, Models, Resamples, RunPath, Seed, Tasks

if TYPE_CHECKING:
    from hesperus.reports.table import Table


def command(
    run: RunPath,
    require: Annotated[
        list[str],
        typer.Option(
            help="What must hold, e.g. 'consistency[de_from_en] >= 0.8'; repeatable.", show_default=False
        ),
    ],
    junit: Annotated[Path | None, typer.Option(help="Also write the result as JUnit XML.")] = None,
    by: By = None,
    invalid: Invalid = "disagree",
    model: Models = None,
    task: Tasks = None,
    resamples: Resamples = 2000,
    seed: Seed = 0,
    format: Format = "table",
) -> None:
    """Hold a run to requirements, for continuous integration: exit code 1 where one does not hold.

    A requirement is MEASURE[.STATISTIC][.low|.high], then what it is about in square brackets, then >=, >, <= or < and
    a number. In the brackets: a sense (de_from_en), an instruction and an input (en/de_from_en), or column=value.
    Every row that it is about must satisfy it; an undefined value does not.

    For example:

        hesperus check runs/atlas --require 'consistency[de_from_en] >= 0.8'

        hesperus check runs/atlas --require 'accuracy.low[model=pocket/l, en] > 0.6' --junit check.xml

        hesperus check runs/atlas --require 'agreement.kappa_p[en, hi] >= 0.5' --require 'validity >= 0.95'
    """
    from hesperus.measures import Bootstrap
    from hesperus.records import read_records
    from hesperus.reports.formats import print_table
    from hesperus.reports.measured import (
        MeasureSettings,
        Requirement,
        check_table,
        junit_xml,
        measure_table,
        narrowed,
    )

    requirements = [Requirement.parse(text) for text in require]
    settings = MeasureSettings(
        by=tuple(by or ()),
        invalid=invalid,  # type: ignore[arg-type]  # checked by the settings themselves
        bootstrap=Bootstrap(resamples, seed),
    )
    records = narrowed(read_records(run, columns=settings.by), models=model or (), tasks=task or ())
    wanted = sorted({requirement.measure for requirement in requirements})
    checked = check_table(
        requirements, {measure: measure_table(measure, records, settings) for measure in wanted}
    )
    print_table(checked, format)
    if junit is not None:
        junit.parent.mkdir(parents=True, exist_ok=True)
        junit.write_text(junit_xml(checked), encoding="utf-8")
    _exit(checked)


def _exit(checked: Table) -> None:
    failed = sum(not row["passed"] for row in checked.rows)
    if failed:
        typer.echo(f"{failed} of {len(checked.rows)} not satisfied", err=True)
        raise typer.Exit(1)
