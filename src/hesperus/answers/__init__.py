"""What was meant: reading a reply into an outcome, a label and, where the model gave them, probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.answers.number_values import number_of
    from hesperus.answers.overrides import Override, Overrides, load_overrides, reply_hash
    from hesperus.answers.reader import FORMS, KNOWN_GOLD_RULES, PRESETS, Reader, reader_for
    from hesperus.answers.reading import answer_from_logprobs, read

__all__ = [
    "FORMS", "KNOWN_GOLD_RULES", "PRESETS", "Override", "Overrides", "Reader", "answer_from_logprobs",
    "load_overrides", "number_of", "read", "reader_for", "reply_hash",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
