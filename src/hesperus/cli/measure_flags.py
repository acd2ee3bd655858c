"""The flags that `measure`, `compare` and `check` share, and the format of every table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings


def _format(context: typer.Context, value: str) -> str:
    """Refuse an unknown format before anything is asked or measured."""
    if value != "table" and not context.resilient_parsing:
        from hesperus.errors import UnknownNameError
        from hesperus.reports.formats import FORMATS

        if value not in FORMATS:
            raise UnknownNameError("format", value, FORMATS)
    return value


def _formats(incomplete: str) -> list[str]:
    """The formats as a shell completes them; written out, so that a press of Tab loads nothing."""
    return [name for name in ("table", "json", "csv", "markdown", "latex") if name.startswith(incomplete)]


RunPath = Annotated[
    Path, typer.Argument(help="Run folder or records file (Parquet, CSV, JSON lines).", show_default=False)
]
By = Annotated[list[str] | None, typer.Option(help="Column of the records to group by; repeatable.")]
Invalid = Annotated[
    str | None,
    typer.Option(
        help="How unreadable answers compare: disagree, agree or drop (default: the study's, else disagree).",
        show_default=False,
    ),
]
Models = Annotated[list[str] | None, typer.Option("--model", help="Only this model; repeatable.")]
Tasks = Annotated[list[str] | None, typer.Option("--task", help="Only this task; repeatable.")]
Resamples = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Resamples of the items; 0: no intervals (default: the study's, else 2000; 10,000 in an audit of a translated benchmark).",
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Seed of the resamples (default: the study's, else 0; 42 in an audit of a translated benchmark).",
        show_default=False,
    ),
]
Interval = Annotated[
    str | None,
    typer.Option(
        help="How intervals are made: bayesian, which holds where all items are alike, or percentile, as papers print it (default: the study's, else bayesian).",
        show_default=False,
    ),
]
Format = Annotated[
    str, typer.Option(callback=_format, autocompletion=_formats, help="table, json, csv, markdown or latex.")
]


def resampling(resamples: int | None, seed: int | None, interval: str | None) -> GivenSettings:
    """What the flags say of intervals."""
    from hesperus.analysis.settings import GivenSettings

    return GivenSettings.of(resamples=resamples, seed=seed, interval=interval)
