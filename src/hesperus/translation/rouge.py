"""ROUGE-1, ROUGE-2 and ROUGE-L as F-measures between 0 and 1, with words of every script.

Reference: Lin 2004. The counting is the package rouge_score's; its own tokenizer keeps ASCII letters and digits alone,
so that a Chinese or Arabic text would have no words at all. Ours keeps letters, marks and digits of every script in
lower case, and takes each character by itself in scripts that write no spaces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from hesperus.errors import MissingExtraError, UsageError

try:
    from rouge_score import rouge_scorer  # type: ignore[import-untyped]
except ImportError as error:
    raise MissingExtraError("rouge_score", "rouge", "ROUGE") from error

ROUGE = ("rouge1", "rouge2", "rougeL")

Words = Literal["words", "characters", "ascii"]


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    return unicodedata.category(character)[0]


def _runs(text: str) -> list[str]:
    return "".join(c if _kind(c) in "LMN" else " " for c in text.lower()).split()


def _characters(text: str) -> list[str]:
    """Non-ASCII characters one by one, a combining mark with its base; ASCII runs stay words."""
    tokens: list[str] = []
    for run in _runs(text):
        word = False
        for c in run:
            if tokens and ((c.isascii() and word) or (_kind(c) == "M" and not word)):
                tokens[-1] += c
            else:
                tokens.append(c)
            word = c.isascii()
    return tokens


class _Tokenizer:
    """What rouge_score asks of a tokenizer: one method."""

    def __init__(self, words: Words) -> None:
        self._characters = words == "characters"

    def tokenize(self, text: str) -> list[str]:
        return _characters(text) if self._characters else _runs(text)


def rouge_scores(
    hypotheses: Sequence[str], references: Sequence[str], *, words: Words = "words"
) -> list[tuple[float, float, float]]:
    """F-measures of ROUGE-1, ROUGE-2 and ROUGE-L of every segment.

    Words are between blanks, "characters" suit scripts without them, and "ascii" is the package's own tokenizer,
    which published figures for European languages mostly rest on.
    """
    if len(hypotheses) != len(references):
        raise UsageError(f"{len(hypotheses)} translations cannot be scored by {len(references)} references")
    tokenizer = None if words == "ascii" else _Tokenizer(words)
    scorer = rouge_scorer.RougeScorer(list(ROUGE), use_stemmer=False, tokenizer=tokenizer)
    found = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        scores = scorer.score(reference, hypothesis)
        one, two, longest = (float(scores[name].fmeasure) for name in ROUGE)
        found.append((one, two, longest))
    return found
