"""`hesperus export`."""

from __future__ import annotations

from typing import Annotated, Any

from hesperus.cli.flags import Flags, takes_flags
from hesperus.cli.said import say


@takes_flags
def command(
    **settings: Annotated[
        Any, Flags("hesperus.api.record_exporting:export", arguments="what source", options="out")
    ],
) -> None:
    """Give records or items to another tool.

    table: records per model, language and item. dataset: a folder as the Hugging Face hub shows it, with Croissant metadata.
    every-eval-ever: results and samples after the schema of the EvalEval Coalition, a folder for each task and model. inspect,
    lm-eval: an aligned item set as a task of that tool; what it logs comes back with `hesperus import`.

    For example:

        hesperus export table runs/atlas --out answers.csv

        hesperus export table runs/atlas --shape wide --value correct --out correct.parquet

        hesperus export dataset runs/atlas --out hub/atlas --licence cc-by-4.0

        hesperus export every-eval-ever runs/atlas --out shared/ --organization 'My lab' --relationship third_party

        hesperus export lm-eval atlas --language en --language sw --out tasks/

        hesperus export inspect runs/atlas --out tasks/
    """
    from hesperus.api.record_exporting import export

    say(export(**settings))
