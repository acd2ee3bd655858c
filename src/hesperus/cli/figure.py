"""`hesperus figure`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hesperus.cli.measure_flags import Resampling, takes_flags


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
    run: Annotated[
        Path,
        typer.Argument(help="Run folder or records file (Parquet, CSV, JSON lines).", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="The file: .svg, .png, .pdf, or .html (loads and runs nothing).")],
    model: Annotated[list[str] | None, typer.Option(help="Only this model; repeatable.")] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="For models: only in this language; repeatable.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="Which task, where the run has several.")] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Of a map: family, cluster (alike ones side by side) or alphabet."),
    ] = None,
    statistic: Annotated[
        str | None,
        typer.Option(
            help="Measure of pairs: kappa_p, raw, cohen_kappa, scott_pi, error_consistency or rank_consistency "
            "(default: the study's, else kappa_p)."
        ),
    ] = None,
    by: Annotated[str | None, typer.Option(help="For groups: column of the records, e.g. subject.")] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option("--with", help="For correlations: accuracy, size, 'log size', or a table of the study."),
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="For translation: bleu, chrf, … (default: the first).")
    ] = None,
    drawn: Resampling = Resampling(),
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
    from hesperus.reports.html import open_run, scores_of
    from hesperus.reports.one_figure import FigureChoice, file_format, one_figure, write_figure

    file_format(out)
    choice = FigureChoice(
        models=tuple(model or ()),
        languages=tuple(language or ()),
        task=task,
        order=order,  # type: ignore[arg-type]  # checked by one_figure
        statistic=statistic,
        by=by,
        beside=tuple(beside or ()),
        score=score,
        given=drawn.given(),
    )
    opened = open_run(run)
    drawing = one_figure(what, opened, choice, scores=scores_of(run) if what == "translation" else None)
    typer.echo(write_figure(drawing, out))
