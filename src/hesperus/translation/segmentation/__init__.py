"""Sentences of a text in any language; joined they are the text again."""

from __future__ import annotations

from hesperus.translation.segmentation.clauses import clauses
from hesperus.translation.segmentation.sentences import segmented_languages, sentences

__all__ = ["clauses", "segmented_languages", "sentences"]
