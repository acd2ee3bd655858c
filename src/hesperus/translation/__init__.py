"""Translators, sentences, and the quality of translations. Nothing heavy is imported until a name is asked for.

A translator is made from its name by ``hesperus.translation.translator_registry.translator``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.translation.codes import all_unsupported, would_translate
    from hesperus.translation.comet import CometScorer
    from hesperus.translation.degeneration import FAULT_KINDS, Fault, FaultSettings, faults, severity
    from hesperus.translation.documents import Piece, document_pieces
    from hesperus.translation.kept_scores import sense_pairs
    from hesperus.translation.kept_translations import Job, translate_kept
    from hesperus.translation.ngrams import Bleu, Chrf, tokenizer_for
    from hesperus.translation.quality import QualitySettings, score_senses
    from hesperus.translation.repair import (
        LADDER,
        Ladder,
        Rung,
        Translated,
        translate_document,
        translate_documents,
    )
    from hesperus.translation.rouge import rouge_scores
    from hesperus.translation.segmentation import clauses, segmented_languages, sentences
    from hesperus.translation.translator import GREEDY, Decoding, TextTooLongError, Translator
    from hesperus.translation.translators.checkpoint import Hints
    from hesperus.translation.translators.conversion import convert
    from hesperus.translation.translators.translator_options import TranslatorOptions

__all__ = [
    "FAULT_KINDS", "GREEDY", "LADDER", "Bleu", "Chrf", "CometScorer", "Decoding", "Fault", "FaultSettings", "Hints",
    "Job", "Ladder", "Piece", "QualitySettings", "Rung", "TextTooLongError", "Translated", "Translator",
    "TranslatorOptions", "all_unsupported", "clauses", "convert", "document_pieces", "faults", "rouge_scores",
    "score_senses", "segmented_languages", "sense_pairs", "sentences", "severity", "tokenizer_for",
    "translate_document", "translate_documents", "translate_kept", "would_translate",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
