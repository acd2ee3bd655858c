"""`hesperus measure`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import By, Format, Invalid, Models, Resamples, RunPath, Seed, Tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from hesperus.reports.measured import MeasureSettings
    from hesperus.reports.table import Table

_CELL = "instruction=…,input=…[,repeat=…][,model=…], or one code for both"


def command(
    what: Annotated[
        str,
        typer.Argument(
            help="accuracy, agreement, consistency, decomposition, directions, labels, outcomes, translation or "
            "validity.",
            show_default=False,
        ),
    ],
    run: RunPath,
    a: Annotated[str | None, typer.Option(help=f"Source of a comparison: {_CELL}.")] = None,
    b: Annotated[str | None, typer.Option(help="What to compare it with, likewise.")] = None,
    by: By = None,
    invalid: Invalid = "disagree",
    model: Models = None,
    task: Tasks = None,
    statistic: Annotated[list[str] | None, typer.Option(help="Only this statistic; repeatable.")] = None,
    resamples: Resamples = 2000,
    seed: Seed = 0,
    scores: Annotated[
        Path | None, typer.Option(help="For translation: item scores (default: scores.parquet of the run).")
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="For translation: scores strictly above it count as good.")
    ] = 50.0,
    format: Format = "table",
) -> None:
    """Measure a run: how consistent, how accurate, how readable, and how sure that is.

    Every number comes with a 95 % interval from resampled items. Without --a and --b, consistency compares whatever
    the senses in the file imply: each made sense with its source (both, instruction only, input only), and repeats.

    For example:

        hesperus measure consistency runs/atlas

        hesperus measure consistency records.parquet --a instruction=en,input=en --b instruction=de_from_en,input=en

        hesperus measure accuracy runs/atlas --by subject --format csv

        hesperus measure agreement runs/atlas --a hi --b sw --statistic kappa_p
    """
    from hesperus.errors import UnknownNameError
    from hesperus.measures import Bootstrap
    from hesperus.records import Selection, read_records
    from hesperus.reports.formats import print_table
    from hesperus.reports.measured import MEASURES, MeasureSettings, narrowed

    if what not in (*MEASURES, "translation"):
        raise UnknownNameError("measure", what, (*MEASURES, "translation"))
    settings = MeasureSettings(
        a=Selection.parse(a) if a is not None else None,
        b=Selection.parse(b) if b is not None else None,
        by=tuple(by or ()),
        invalid=invalid,  # type: ignore[arg-type]  # checked by the settings themselves
        bootstrap=Bootstrap(resamples, seed),
        threshold=threshold if what == "translation" else None,
    )
    records = narrowed(read_records(run, columns=settings.by), models=model or (), tasks=task or ())
    found = _measured(what, records, settings, scores or run / "scores.parquet")
    print_table(_narrow(found, statistic or ()), format)
    if not found.rows:
        typer.echo(f"no rows: nothing in {run} can be compared; --a and --b name two cells", err=True)


def _measured(what: str, records: pl.DataFrame, settings: MeasureSettings, scores: Path) -> Table:
    from hesperus.errors import UsageError
    from hesperus.reports.measured import measure_table, read_scores, translation_table

    if what != "translation":
        return measure_table(what, records, settings)
    if settings.a is not None:
        raise UsageError("translation takes no pair of cells; it looks at every made input")
    return translation_table(
        records,
        read_scores(scores),
        threshold=settings.threshold or 0.0,
        by=settings.by,
        invalid=settings.invalid,
        bootstrap=settings.bootstrap,
    )


def _narrow(table: Table, statistics: Sequence[str]) -> Table:
    return table.only("statistic", statistics) if statistics and table.rows else table
