"""`hesperus merge`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hesperus.cli.flags import Flags, takes_flags
from hesperus.cli.said import say


@takes_flags
def command(
    **settings: Annotated[Any, Flags("hesperus.api.merging:merge", arguments="places", without="progress")],
) -> None:
    """Take what the shards of a study asked into one reply store; asks nothing.

    Then `hesperus run` without --shard finds every reply there and writes the run folder, the same as one machine would have.
    Whatever is still missing (a shard that was killed or never ran) it asks. docs/scale.md has the whole way, with a script
    for Slurm.

    Nothing is lost and nothing is replaced: where two stores hold different replies to one request, the first is kept, the
    others are kept aside in a file that is named. A second merge of the same stores changes nothing. Shards of different
    studies, and stores of another version, are refused before anything is taken in.

    Exit code 1: everything was taken in, but replies are in conflict, or a shard is missing or not finished.

    For example:

        hesperus merge runs/atlas-1f2e3d4c.shards

        hesperus merge node1/2-of-4 node2/3-of-4 --into runs/replies.sqlite
    """
    from hesperus.api import merge

    result = merge(**settings, progress=lambda one: typer.echo(str(one)))
    for line in result.notes():
        typer.echo(line)
    say(f"merged into {result.store}   next: hesperus run, without --shard")
    if not result.is_whole:
        raise typer.Exit(1)
