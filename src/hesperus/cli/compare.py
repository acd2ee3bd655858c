"""`hesperus compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hesperus.cli.measure_flags import By, Format, Invalid, Resamples, Seed


def command(
    run_a: Annotated[
        Path, typer.Argument(help="Run folder or records file: the baseline.", show_default=False)
    ],
    run_b: Annotated[
        Path,
        typer.Argument(
            help="The run to set beside it; the same one to compare two models.", show_default=False
        ),
    ],
    what: Annotated[
        str, typer.Argument(help="consistency, accuracy, validity or similarity.")
    ] = "consistency",
    model_a: Annotated[str | None, typer.Option(help="Model of the baseline, where names differ.")] = None,
    model_b: Annotated[str | None, typer.Option(help="Model of the other run.")] = None,
    by: By = None,
    invalid: Invalid = "disagree",
    resamples: Resamples = 2000,
    seed: Seed = 0,
    format: Format = "table",
) -> None:
    """Set two runs beside each other: paired differences (second − first), intervals, exact tests.

    Items count where both runs have them. `p` is the exact McNemar test (of similarity, κ_p of two languages: of resampled
    items), `p_holm` corrects it for the number of rows, `detectable` is the smallest difference that so many items would
    have shown with a chance of 80 %.

    For example:

        hesperus compare runs/before runs/after

        hesperus compare runs/atlas runs/atlas accuracy --model-a pocket/s --model-b pocket/l

        hesperus compare runs/before runs/after similarity --format csv
    """
    from hesperus.errors import UsageError
    from hesperus.measures import INVALID_RULES, Bootstrap
    from hesperus.records import read_records
    from hesperus.reports.formats import print_table
    from hesperus.reports.measured import compare_table, described
    from hesperus.reports.open_answers.measuring import refuse_labels

    if (model_a is None) != (model_b is None):
        raise UsageError("give both --model-a and --model-b, or neither")
    if invalid not in INVALID_RULES:
        raise UsageError(f"--invalid is one of {', '.join(INVALID_RULES)}, not {invalid!r}")
    for run in (run_a, run_b):
        refuse_labels(what, described(run))
    found = compare_table(
        (read_records(run_a, columns=by or ()), read_records(run_b, columns=by or ())),
        what,
        models=(model_a, model_b) if model_a is not None and model_b is not None else None,
        by=by or (),
        invalid=invalid,
        bootstrap=Bootstrap(resamples, seed),
    )
    print_table(found, format)
