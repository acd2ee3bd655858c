"""`hesperus score`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import Format, Resampling, takes_flags
from hesperus.cli.said import say, show_rows

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.table import Row
    from hesperus.fingerprint import JSON
    from hesperus.translation import CometSettings, QualitySettings


@takes_flags
def command(
    run: Annotated[
        Path, typer.Argument(help="Run folder that also holds the originals of the target languages.")
    ],
    item_bleu: Annotated[
        str,
        typer.Option(
            help="BLEU of an item: effective_order, or ohmer2023 (a text of under 4 tokens scores 0)."
        ),
    ] = "effective_order",
    rouge: Annotated[bool, typer.Option("--rouge", help="ROUGE-1, -2 and -L too (extra `rouge`).")] = False,
    comet_python: Annotated[
        Path | None, typer.Option(help="Interpreter of an environment that has unbabel-comet.")
    ] = None,
    comet_checkpoint: Annotated[
        Path | None, typer.Option(help="Local COMET checkpoint: a folder or .ckpt.")
    ] = None,
    drawn: Resampling = Resampling(),
    format: Format = "table",
) -> None:
    """Score a run's translations against the benchmark's own wording: BLEU, chrF, ROUGE, COMET.

    Item scores go to RUN/scores.parquet, where `hesperus measure translation RUN` looks for them; scores that are there
    already stay, so that COMET can be added later. The benchmark's own
    version in each target language must be in the run: ask for it with `--originals`.

    For example:

        hesperus score runs/atlas-1a2b3c4d

        hesperus score runs/paws --comet-python comet/bin/python --comet-checkpoint wmt22-comet-da
    """
    from typing import cast, get_args

    from hesperus.errors import UnknownNameError, UsageError
    from hesperus.translation import CometSettings, QualitySettings
    from hesperus.translation.quality import CORPUS_COLUMNS, ItemBleu

    if (comet_python is None) != (comet_checkpoint is None):
        raise UsageError("COMET needs both --comet-python and --comet-checkpoint")
    presets = get_args(ItemBleu)
    if item_bleu not in presets:
        raise UnknownNameError("--item-bleu", item_bleu, presets)
    settings = QualitySettings(item_bleu=cast(ItemBleu, item_bleu), rouge="unicode" if rouge else "off")
    comet: _Comet | None = None
    if comet_python is not None and comet_checkpoint is not None:
        comet = _Comet(CometSettings(str(comet_python), str(comet_checkpoint)))
    rows, signed = scored(run, settings, drawn.given(), comet)
    show_rows("translation quality", rows, format, columns=CORPUS_COLUMNS, signature=signed)


def scored(
    run: Path, settings: QualitySettings, given: GivenSettings, comet: _Comet | None = None
) -> tuple[Sequence[Row], dict[str, JSON]]:
    """Score the translations of a run folder and keep the scores of the items in it.

    Returns:
        Rows of whole senses, and how they were made.

    Raises:
        DataError: The run has no texts, or no original to score against.
    """
    from hesperus.analysis.settings import resolve_bootstrap
    from hesperus.errors import DataError
    from hesperus.fingerprint import signature
    from hesperus.measures import Bootstrap, score_interval
    from hesperus.records import read_run
    from hesperus.records.writing import write_parquet
    from hesperus.translation import score_senses, sense_pairs
    from hesperus.translation.kept_scores import added_to, metadata_of, texts_hash

    held = read_run(run)
    if held.items is None:
        raise DataError("holds no items.parquet, so there are no texts to score", file=run)
    pairs = sense_pairs(held.items, task=str(held.records["task"][0]))
    if pairs.is_empty():
        raise DataError(
            "has no original in any target language to score against; run again with --originals", file=run
        )
    bootstrap = resolve_bootstrap(given, held.study, Bootstrap())
    scores = score_senses(pairs, settings, interval=score_interval(bootstrap), comet=comet)
    signed = signature(settings, bootstrap)
    if comet is not None:
        signed["comet"] = comet.signature()
    kept = added_to(run / "scores.parquet", scores.items, signed, texts=texts_hash(pairs))
    write_parquet(kept.items, run / "scores.parquet", metadata_of(kept.signatures))
    if kept.dropped:
        say(f"excluded, as the run's texts have changed since: {', '.join(kept.dropped)}")
    return scores.rows, signed


class _Comet:
    """COMET as a scorer of segments that remembers which version answered."""

    def __init__(self, settings: CometSettings) -> None:
        self._settings = settings
        self._version = ""

    def __call__(
        self, sources: Sequence[str], made: Sequence[str], wanted: Sequence[str]
    ) -> Sequence[float | None]:
        from hesperus.translation import comet_scores

        found = comet_scores(self._settings, sources=sources, hypotheses=made, references=wanted)
        self._version = found.version
        return found.scores

    def signature(self) -> dict[str, JSON]:
        from hesperus.translation import comet_signature

        return comet_signature(self._settings, self._version)
