"""`hesperus calibrate`."""

from __future__ import annotations

from typing import Annotated, Any

from hesperus.cli.flags import INTERVALS, Flags, Format, takes_flags
from hesperus.cli.said import say


@takes_flags
def command(
    format: Format = "table",
    **settings: Annotated[
        Any,
        Flags("hesperus.api.calibrating:calibrate", arguments="files", without="progress"),
        INTERVALS,
    ],
) -> None:
    """Score a judge of open answers against people who labelled claims as supported, not supported or irrelevant.

    Accuracy, κ and F1 by class; the score that the judge would give each system next to the score that people gave; two
    controls, and how many of the judge's replies could be read. Without --reference, and given one system's file, the
    other files of its folder are read for what they know.

    For example:

        hesperus calibrate factscore_human_labels --judge embedded

        hesperus calibrate ChatGPT.jsonl.gz --judge openai/gpt-4o-mini --limit 20 --reference wikipedia.jsonl

        hesperus calibrate labelled.jsonl --judge http/my-judge --base-url http://localhost:8000/v1 --format json
    """
    from hesperus.api.calibrating import calibrate
    from hesperus.reports.formats import print_table

    found = calibrate(**settings)
    print_table(found, format)
    say(f"checked against: {found.signature['reference']}")
