"""`hesperus plan`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hesperus.cli.measure_flags import Format
from hesperus.cli.study_flags import Chosen, takes_study


@takes_study
def command(
    chosen: Chosen,
    requests: Annotated[
        bool, typer.Option("--requests", help="Print every request that is known beforehand, as JSON lines.")
    ] = False,
    store: Annotated[
        Path | None, typer.Option(help="Reply store: what it already holds is not asked again.")
    ] = None,
    format: Format = "table",
) -> None:
    """Show what a run would ask and cost; sends nothing.

    Tokens are estimated from the script of each language, as a range; prices come from a file that you can edit
    (a YAML mapping of model to `input` and `output` per million tokens, with `currency` and `as_of`).

    For example:

        hesperus plan multisense --task atlas --model pocket/m --target de --target zh

        hesperus plan similarity --task atlas --model pocket/m --language en --language de --scoring both

        hesperus plan study.yaml --requests | head -3
    """
    from hesperus.reports.formats import print_table
    from hesperus.reports.table import Table

    plan = chosen.call("plan_study", chosen.study, store=store)
    if requests:
        for line in plan.request_lines():
            typer.echo(line)
        return
    print_table(Table("plan", plan.columns, plan.rows, plan.signature), format)
    for note in plan.notes:
        typer.echo(note, err=True)
