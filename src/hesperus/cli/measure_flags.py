"""The flags that `measure`, `compare` and `check` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RunPath = Annotated[
    Path, typer.Argument(help="Run folder or records file (Parquet, CSV, JSON lines).", show_default=False)
]
By = Annotated[list[str] | None, typer.Option(help="Column of the records to group by; repeatable.")]
Invalid = Annotated[str, typer.Option(help="How unreadable answers compare: disagree, agree or drop.")]
Models = Annotated[list[str] | None, typer.Option("--model", help="Only this model; repeatable.")]
Tasks = Annotated[list[str] | None, typer.Option("--task", help="Only this task; repeatable.")]
Resamples = Annotated[int, typer.Option(min=0, help="Resamples of the items; 0: no intervals.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the resamples.")]
Format = Annotated[str, typer.Option(help="table, json, csv, markdown or latex.")]
