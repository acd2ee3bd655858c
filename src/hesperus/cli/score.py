"""`hesperus score`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hesperus.cli.measure_flags import Format


def command(
    run: Annotated[
        Path, typer.Argument(help="Run folder that also holds the originals of the target languages.")
    ],
    rouge: Annotated[bool, typer.Option("--rouge", help="ROUGE-1, -2 and -L too (extra `rouge`).")] = False,
    comet_python: Annotated[
        Path | None, typer.Option(help="Interpreter of an environment that has unbabel-comet.")
    ] = None,
    comet_checkpoint: Annotated[
        Path | None, typer.Option(help="Local COMET checkpoint: a folder or .ckpt.")
    ] = None,
    format: Format = "table",
) -> None:
    """Score a run's translations against the benchmark's own wording: BLEU, chrF, ROUGE, COMET.

    Item scores go to RUN/scores.parquet, where `hesperus measure translation RUN` looks for them. The benchmark's own
    version in each target language must be in the run: ask for it with `--originals`.

    For example:

        hesperus score runs/atlas-1a2b3c4d

        hesperus score runs/paws --comet-python comet/bin/python --comet-checkpoint wmt22-comet-da
    """
    from hesperus.errors import DataError, UsageError
    from hesperus.fingerprint import signature
    from hesperus.measures import Bootstrap, draws
    from hesperus.records import read_run
    from hesperus.records.files import write_whole
    from hesperus.records.writing import write_parquet
    from hesperus.reports.formats import print_table
    from hesperus.reports.table import Table
    from hesperus.translation import CometSettings, QualitySettings, comet_scores, score_senses, sense_pairs
    from hesperus.translation.quality import CORPUS_COLUMNS, Comet, Floats

    if (comet_python is None) != (comet_checkpoint is None):
        raise UsageError("COMET needs both --comet-python and --comet-checkpoint")
    held = read_run(run)
    if held.items is None:
        raise DataError("holds no items.parquet, so there are no texts to score", file=run)
    pairs = sense_pairs(held.items, task=str(held.records["task"][0]))
    if pairs.is_empty():
        raise DataError(
            "has no original in any target language to score against; run again with --originals", file=run
        )
    settings, bootstrap = QualitySettings(rouge="unicode" if rouge else "off"), Bootstrap()
    comet: Comet | None = None
    if comet_python is not None and comet_checkpoint is not None:
        where = CometSettings(str(comet_python), str(comet_checkpoint))
        comet = lambda sources, made, wanted: comet_scores(  # noqa: E731
            where, sources=sources, hypotheses=made, references=wanted
        )

    def resample(columns: Floats) -> Floats:
        drawn = draws(len(columns), bootstrap)
        return columns[:0] if drawn is None else drawn.sums(columns)

    scores = score_senses(pairs, settings, resample=resample, comet=comet)
    write_whole(run / "scores.parquet", lambda partial: write_parquet(scores.items, partial, {}))
    print_table(
        Table("translation quality", CORPUS_COLUMNS, scores.rows, signature(settings, bootstrap)), format
    )
