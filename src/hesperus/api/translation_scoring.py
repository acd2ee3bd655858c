"""Scores of translations against the benchmark's own wording, kept in the run folder."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from hesperus.errors import DataError, HesperusWarning, UnknownNameError, UsageError

if TYPE_CHECKING:
    from hesperus.analysis.table import Table


def score(
    run: Path | str,
    *,
    item_bleu: str = "effective_order",
    rouge: bool = False,
    comet_python: Path | str | None = None,
    comet_checkpoint: Path | str | None = None,
    **settings: Any,
) -> Table:
    """Score the translations of a run folder: what `hesperus score` prints. Scores of items are kept in it.

    Args:
        run: Run folder that also holds the originals of the target languages.
        item_bleu: BLEU of an item: effective_order, or ohmer2023 (a text of under 4 tokens scores 0).
        rouge: ROUGE-1, -2 and -L too (extra `rouge`).
        comet_python: Interpreter of an environment that has unbabel-comet.
        comet_checkpoint: Local COMET checkpoint: a folder or .ckpt.
        settings: `resamples`, `seed`, `level`, `interval` of hesperus.analysis.settings.GivenSettings.

    Returns:
        A row for each sense and score.

    Raises:
        UnknownNameError: No such kind of BLEU.
        UsageError: COMET without its interpreter or checkpoint.
        DataError: The run has no texts, or no original to score against.
    """
    from hesperus.analysis.settings import GivenSettings, resolve_bootstrap
    from hesperus.analysis.table import table
    from hesperus.fingerprint import signature
    from hesperus.measures import Bootstrap, score_interval
    from hesperus.records import read_run
    from hesperus.records.writing import write_parquet
    from hesperus.translation import CometScorer, QualitySettings, score_senses, sense_pairs
    from hesperus.translation.kept_scores import added_to, metadata_of, texts_hash
    from hesperus.translation.quality import CORPUS_COLUMNS, ItemBleu

    if (comet_python is None) != (comet_checkpoint is None):
        raise UsageError("COMET needs both --comet-python and --comet-checkpoint")
    if item_bleu not in get_args(ItemBleu):
        raise UnknownNameError("--item-bleu", item_bleu, get_args(ItemBleu))
    how = QualitySettings(item_bleu=cast(ItemBleu, item_bleu), rouge="unicode" if rouge else "off")
    comet = None if comet_python is None else CometScorer(str(comet_python), str(comet_checkpoint))
    folder = Path(run)
    held = read_run(folder)
    if held.items is None:
        raise DataError("holds no items.parquet, so there are no texts to score", file=folder)
    pairs = sense_pairs(held.items, task=str(held.records["task"][0]))
    if pairs.is_empty():
        raise DataError(
            "has no original in any target language to score against; run again with --originals", file=folder
        )
    bootstrap = resolve_bootstrap(GivenSettings.of(**settings), held.study, Bootstrap())
    scores = score_senses(pairs, how, interval=score_interval(bootstrap), comet=comet)
    signed = signature(how, bootstrap)
    if comet is not None:
        signed["comet"] = comet.signature()
    kept = added_to(folder / "scores.parquet", scores.items, signed, texts=texts_hash(pairs))
    write_parquet(kept.items, folder / "scores.parquet", metadata_of(kept.signatures))
    if kept.dropped:
        warnings.warn(
            f"excluded, as the run's texts have changed since: {', '.join(kept.dropped)}",
            HesperusWarning,
            stacklevel=2,
        )
    return table("translation quality", CORPUS_COLUMNS, rows=scores.rows, signature=signed)
