"""`hesperus verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.cli.flags import Flags, Format, takes_flags
from hesperus.cli.said import say

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.api.verifying import Verification


@takes_flags
def command(
    format: Format = "table",
    **settings: Annotated[Any, Flags("hesperus.api.verifying:verify", arguments="place")],
) -> None:
    """Recompute every number of a bundle or page, without a model and without network, and say which one differs.

    Every file is held to the hash that the bundle gives it, every table is made anew from the records, and every value
    is compared. Of a page, the tables that it holds for programs are made anew, and all that a reader sees (numbers,
    sentences, figures) is held to what was written; with the run folder, also to the page that the run gives now.
    Nothing of either is executed. Exit code 1 where something differs, 2 where the file cannot be read or is no bundle.

    For example:

        hesperus verify atlas.zip

        hesperus verify report.html --run atlas.zip

        hesperus verify atlas.zip --id 60c349f1b90ca6ad --format json

        hesperus verify atlas.zip --signature 'hesperus|accuracy|…|#5f3c21ab90'
    """
    from hesperus.api.verifying import verify
    from hesperus.reports.formats import print_table

    found = verify(**settings)
    for note in found.notes:
        say(f"note: {note}")
    if format != "table" or not found.passed:
        print_table(_table(found), format, lead=str(found))
    else:
        say(str(found), is_result=True)
    if not found.passed:
        if format != "table":
            say(str(found))
        raise typer.Exit(1)


def _table(found: Verification) -> Table:
    from hesperus.analysis.table import table
    from hesperus.version import __version__

    columns = ("place", "row", "column", "claimed", "found")
    rows = [{name: getattr(one, name) for name in columns} for one in found.differences]
    return table("verify", columns, rows=rows, signature={"hesperus": __version__, "bundle": found.id})
