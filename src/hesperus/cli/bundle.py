"""`hesperus bundle`."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

from hesperus.cli.flags import MEASURED, Flags, takes_flags
from hesperus.cli.said import say


@takes_flags
def command(
    **settings: Annotated[
        Any,
        Flags("hesperus.api.bundling:bundle", arguments="run", options="out"),
        Flags(MEASURED, "invalid resamples seed interval"),
    ],
) -> None:
    """Pack what recomputes every number of a run, without a model, as one file that can be given to anyone.

    The file holds records, items, evaluations, study and versions as text, every table as it is claimed, and a script of
    plain Python that computes the main numbers without hesperus. Of texts that may not be shared it holds hashes; keys,
    local paths and addresses of endpoints stay out, and a file that holds a key of this environment is refused. The
    same run gives the same bytes, and an id that a paper can print.

    For example:

        hesperus bundle runs/atlas

        hesperus bundle runs/atlas --out atlas.zip --texts hash

        hesperus verify atlas.zip
    """
    from hesperus.api.bundling import bundle

    made = bundle(**settings)
    how = "texts as hashes" if made.hashed else "texts kept"
    say(
        f"{made.path}: bundle {made.id}, {made.numbers:,} numbers in {len(made.tables)} tables, {how}",
        is_result=True,
    )
    for place in made.removed:
        say(f"removed an address or path of this machine: {place}")
    say(f"anyone checks it with: hesperus verify {shlex.quote(str(made.path))}")
