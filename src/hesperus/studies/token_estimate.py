"""How many tokens a text will be, before any tokenizer has seen it: a range by script.

Tokenizers differ; the ranges span what common byte-level vocabularies of 32,000 to 200,000 tokens do with running
text. They are for planning only: what a run has used is what the endpoint counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from hesperus.languages import language

_CHARACTERS_PER_TOKEN: dict[str, tuple[float, float]] = {
    "Latn": (2.6, 5.0), "Cyrl": (1.8, 4.2), "Grek": (1.2, 3.5), "Arab": (1.2, 3.8), "Hebr": (1.1, 3.4),
    "Hans": (0.7, 1.6), "Hant": (0.7, 1.5), "Jpan": (0.7, 1.6), "Kore": (0.6, 1.8), "Thai": (0.6, 2.8),
    "Deva": (0.7, 3.2), "Beng": (0.5, 3.0),
}  # fmt: skip
_OTHER = (0.4, 2.5)
_LENGTH_AGAINST_ENGLISH: dict[str, tuple[float, float]] = {
    "Hans": (0.25, 0.4), "Hant": (0.25, 0.4), "Jpan": (0.35, 0.55), "Kore": (0.4, 0.6),
}  # fmt: skip
_SAME_LENGTH = (0.8, 1.4)


@dataclass(frozen=True, slots=True)
class TokenRange:
    """From `low` to `high` tokens."""

    low: int
    high: int

    def __add__(self, other: TokenRange) -> TokenRange:
        return TokenRange(self.low + other.low, self.high + other.high)


NOTHING = TokenRange(0, 0)


def tokens_of(text: str, tag: str) -> TokenRange:
    """Tokens of a text in a language."""
    few, many = _CHARACTERS_PER_TOKEN.get(language(tag).script, _OTHER)
    return TokenRange(int(len(text) / many) + 1, int(len(text) / few) + 1)


def tokens_of_made(text: str, source: str, target: str) -> TokenRange:
    """Tokens of what a text in `source` will be once put into `target`."""
    short_from, long_from = _LENGTH_AGAINST_ENGLISH.get(language(source).script, _SAME_LENGTH)
    short_to, long_to = _LENGTH_AGAINST_ENGLISH.get(language(target).script, _SAME_LENGTH)
    same = language(source).script == language(target).script
    low, high = _SAME_LENGTH if same else (short_to / long_from, long_to / short_from)
    few, many = _CHARACTERS_PER_TOKEN.get(language(target).script, _OTHER)
    return TokenRange(int(len(text) * low / many) + 1, int(len(text) * high / few) + 1)
