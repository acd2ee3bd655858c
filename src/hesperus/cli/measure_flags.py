"""The flags that `measure`, `compare` and `check` share, and the format of every table."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    return [
        name
        for name in ("table", "wide", "json", "csv", "markdown", "latex", "html")
        if name.startswith(incomplete)
    ]


RunPath = Annotated[
    Path, typer.Argument(help="Run folder or records file (Parquet, CSV, JSON lines).", show_default=False)
]
Invalid = Annotated[
    str | None,
    typer.Option(
        help="How invalid answers compare: disagree, agree or drop (default: the study's, else disagree).",
        show_default=False,
    ),
]
Tasks = Annotated[list[str] | None, typer.Option("--task", help="Only this task; repeatable.")]
Format = Annotated[
    str,
    typer.Option(
        callback=_format,
        autocompletion=_formats,
        help="table, wide (every row and column), json, csv, markdown, latex or html.",
    ),
]


@dataclass(frozen=True, slots=True)
class Resampling:
    """The flags of intervals."""

    resamples: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Resamples of the items; 0: no intervals (default: the study's, else 2000; 10,000 in an audit of a translated benchmark).",
            show_default=False,
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Seed of the resamples (default: the study's, else 0; 42 in an audit of a translated benchmark).",
            show_default=False,
        ),
    ] = None
    interval: Annotated[
        str | None,
        typer.Option(
            help="How intervals are made: bayesian, which holds where all items are alike, or percentile, as papers print it (default: the study's, else bayesian).",
            show_default=False,
        ),
    ] = None

    def named(self) -> dict[str, Any]:
        """Name of each setting to what was given; an empty list is nothing."""
        values = {flag.name: getattr(self, flag.name) for flag in fields(self)}
        return {name: None if value == [] else value for name, value in values.items()}

    def given(self, **others: Any) -> GivenSettings:
        """What they say, and other settings of a table (see GivenSettings.of)."""
        from hesperus.analysis.settings import GivenSettings

        return GivenSettings.of(**self.named(), **others)


@dataclass(frozen=True, slots=True)
class TableFlags(Resampling):
    """The flags of a table of answers."""

    by: Annotated[list[str] | None, typer.Option(help="Column of the records to group by; repeatable.")] = (
        None
    )
    invalid: Invalid = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The flags that choose among the records of a run."""

    model: Annotated[list[str] | None, typer.Option("--model", help="Only this model; repeatable.")] = None
    task: Tasks = None

    def named(self) -> dict[str, object]:
        """Name of each flag to what was given."""
        return {"model": self.model, "task": self.task}

    @property
    def pair(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Models and tasks; empty for all."""
        return tuple(self.model or ()), tuple(self.task or ())
