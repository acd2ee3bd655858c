"""Translation: so far its quality. Nothing heavy is imported until a name is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.translation.comet import CometSettings, comet_scores
    from hesperus.translation.ngrams import Bleu, Chrf, tokenizer_for
    from hesperus.translation.pairing import sense_pairs
    from hesperus.translation.quality import PAIR_COLUMNS, QualitySettings, SenseScores, score_senses
    from hesperus.translation.rouge import rouge_scores

__all__ = [
    "PAIR_COLUMNS",
    "Bleu",
    "Chrf",
    "CometSettings",
    "QualitySettings",
    "SenseScores",
    "comet_scores",
    "rouge_scores",
    "score_senses",
    "sense_pairs",
    "tokenizer_for",
]

_HOMES = {
    "PAIR_COLUMNS": "quality",
    "Bleu": "ngrams",
    "Chrf": "ngrams",
    "CometSettings": "comet",
    "QualitySettings": "quality",
    "SenseScores": "quality",
    "comet_scores": "comet",
    "rouge_scores": "rouge",
    "score_senses": "quality",
    "sense_pairs": "pairing",
    "tokenizer_for": "ngrams",
}


def __getattr__(name: str) -> object:
    """Load the file in which a public name lives."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
