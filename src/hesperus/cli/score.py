"""`hesperus score`."""

from __future__ import annotations

from typing import Annotated, Any

from hesperus.cli.flags import INTERVALS, Flags, Format, takes_flags


@takes_flags
def command(
    format: Format = "table",
    **settings: Annotated[Any, Flags("hesperus.api.translation_scoring:score", arguments="run"), INTERVALS],
) -> None:
    """Score a run's translations against the benchmark's own wording: BLEU, chrF, ROUGE, COMET.

    Item scores go to RUN/scores.parquet, where `hesperus measure translation RUN` looks for them; scores that are there
    already stay, so that COMET can be added later. The benchmark's own
    version in each target language must be in the run: ask for it with `--originals`.

    For example:

        hesperus score runs/atlas-1a2b3c4d

        hesperus score runs/paws --comet-python comet/bin/python --comet-checkpoint wmt22-comet-da
    """
    from hesperus.api.translation_scoring import score
    from hesperus.reports.formats import print_table

    print_table(score(**settings), format)
