"""`hesperus figure`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hesperus.cli.flags import INTERVALS, Flags, takes_flags


@takes_flags
def command(
    **settings: Annotated[
        Any,
        Flags(
            "hesperus.api.figures:figure",
            arguments="what run",
            options="out",
            called={"beside": "with"},
        ),
        INTERVALS,
    ],
) -> None:
    """Draw one figure of a run: similarity of languages and models, or consistency over senses.

    Colours keep their order for every colour blindness and in grey print. In SVG and HTML every cell and point says its
    value, interval and items when pointed at.

    For example:

        hesperus figure languages runs/ours --out languages.svg --model my/model

        hesperus figure languages records.parquet --out languages.png --order cluster --statistic raw

        hesperus figure models runs/ours --out models.pdf --language sw

        hesperus figure groups runs/ours --out subjects.pdf --by subject

        hesperus figure correlations runs/ours --out accuracy.html --with accuracy

        hesperus figure translation runs/atlas --out bleu.svg --score bleu
    """
    from hesperus.api.figures import figure

    typer.echo(figure(**settings))
