"""`hesperus figure`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hesperus.cli.flags import INTERVALS, Flags, RunPath, takes_flags


@takes_flags
def command(
    what: Annotated[
        str,
        typer.Argument(
            help="languages, models, groups, densities or correlations (similarity); overview, map, causes, consistency, pairs, accuracy, labels, "
            "directions, outcomes or translation (senses).",
            show_default=False,
        ),
    ],
    run: RunPath,
    out: Annotated[Path, typer.Option(help="The file: .svg, .png, .pdf, or .html (loads and runs nothing).")],
    **settings: Annotated[Any, Flags("hesperus.api.measuring:figure", called={"beside": "with"}), INTERVALS],
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
    from hesperus.api.measuring import figure

    typer.echo(figure(what, run, out, **settings))
