"""`hesperus plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from hesperus import rounding
from hesperus.api.declared import DeclaredStudy
from hesperus.cli.flags import Format
from hesperus.cli.said import say
from hesperus.cli.study_flags import takes_study

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hesperus.analysis.table import Row, Table


@takes_study
def command(
    declared: DeclaredStudy,
    *,
    requests: bool = False,
    store: Path | None = None,
    format: Format = "table",
) -> None:
    """Show what a run would ask and cost; sends nothing.

    Tokens are estimated from the script of each language, as a range; prices come from a file that you can edit
    (a YAML mapping of model to `input` and `output` per million tokens, with `currency` and `as_of`).

    For example:

        hesperus plan multisense --task atlas --model pocket/m --target de --target zh

        hesperus plan similarity --task atlas --model pocket/m --language en --language de --scoring both

        hesperus plan study.yaml --requests | head -3

    Args:
        requests: Print every request that is known beforehand, as JSON lines.
        store: Reply store: what it already holds is not asked again.
    """
    from hesperus.analysis.table import Table
    from hesperus.reports.formats import print_table

    plan = declared.plan(store)
    if requests:
        for line in plan.request_lines():
            typer.echo(line)
        return
    whole = Table("plan", plan.columns, plan.rows, plan.signature)
    print_table(_with_ranges(whole) if format == "table" else whole, format, lead=_sentence(plan.rows))
    for note in plan.notes:
        say(note)


_RANGES = ("tokens_in", "tokens_out", "price")


def _with_ranges(plan: Table) -> Table:
    """The plan as a person reads it: ranges in one cell, without the totals, which are said before."""
    from dataclasses import replace

    kept = ("model", "stage", "what", "language", "requests", "to_ask")
    rows = tuple(
        {**{name: row[name] for name in kept}, **{name: _range(row, name) for name in _RANGES}}
        for row in plan.rows
        if row["stage"] != "total"
    )
    return replace(plan, columns=(*kept, *_RANGES), rows=rows)


def _range(row: Row, name: str) -> str:
    ends = [row[f"{name}_low"], row[f"{name}_high"]]
    if None in ends:
        return ""
    low, high = (rounding.cell(end, "short") if isinstance(end, float) else f"{end:,}" for end in ends)
    return low if low == high else f"{low} to {high}"


def _sentence(rows: Sequence[Row]) -> str:
    """What all models together would be asked and cost."""
    totals = [row for row in rows if row["stage"] == "total"]

    def together(name: str) -> str:
        ends = {
            f"{name}_{end}": None
            if any(row[f"{name}_{end}"] is None for row in totals)
            else sum(row[f"{name}_{end}"] for row in totals)
            for end in ("low", "high")
        }
        return _range(ends, name)

    asked = sum(int(row["to_ask"]) for row in totals)
    price = together("price") or "unknown (no price of a model)"
    return (
        f"plan: {asked:,} requests to send; tokens in {together('tokens_in')}, out {together('tokens_out')}; "
        f"price {price}"
    )
