"""Where an instruction names the answers: quoted ("yes"), with a bracket ((A)), or bare (yes or no)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from hesperus.senses.quotes import quoted_words

Form = Literal["quoted", "bracketed", "bare"]

Words = Mapping[str, tuple[str, ...]]
"""Label to the words that represent it."""

# Thai, Lao, Burmese, Khmer, Kana and Han put no blanks between words.
_RANGES = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED = re.compile(f"[{_RANGES}]")
# Ranges this large take a third of a second to compile where case is ignored
_BEFORE, _AFTER = rf"(?-i:(?<![^\W{_RANGES}]))", rf"(?-i:(?![^\W{_RANGES}]))"
_BRACKETED = re.compile(rf"[(（\[]\s*(\w{{1,2}})\s*[)）\]]|{_BEFORE}(\w)[)）]")


@dataclass(frozen=True, slots=True)
class Mentions:
    """The labels that a text names, in its order.

    Attributes:
        form: How it names them.
        labels: One for each time a label is named; None for a quoted or bracketed word that is no label.
    """

    form: Form
    labels: tuple[str | None, ...]


def fold(word: str) -> str:
    """A word as it is compared: compatibility form, case folded, blanks around it cut."""
    return unicodedata.normalize("NFKC", word).strip().casefold()


def owners(word: str, words: Words) -> set[str]:
    """The labels that a word means."""
    return {label for label, known in words.items() if fold(word) in map(fold, known)}


def bracketed_words(text: str) -> tuple[str, ...]:
    """Single letters in brackets or before one: ``(A)``, ``（A）``, ``A)``."""
    return tuple(match[1] or match[2] for match in _BRACKETED.finditer(text))


def bare_labels(text: str, words: Words) -> tuple[tuple[str, str], ...]:
    """(label, word as written) for every word in the text that represents exactly one label.

    A longer word hides a shorter one (不是 hides 是). Words of scripts that put blanks between words count only as
    whole words, and single letters only in their own case ("Responda a la pregunta con A o B").
    """
    known = sorted({word for many in words.values() for word in many if word.strip()}, key=len, reverse=True)
    if not known:
        return ()
    runs = groupby(known, key=lambda word: _UNSPACED.search(word) is not None)
    alternatives = "|".join(_pattern(run, unspaced=unspaced) for unspaced, run in runs)
    found = []
    for match in re.finditer(alternatives, text, re.IGNORECASE):
        labels = owners(match[0], words)
        if len(labels) == 1:
            found.append((labels.pop(), match[0]))
    return tuple(found)


def _pattern(words: Iterable[str], *, unspaced: bool) -> str:
    """One of some words, with the edges of whole words written once: their ranges take longest to compile."""
    if unspaced:
        return "|".join(map(re.escape, words))
    spelt = [re.escape(word) if len(word) > 1 else f"(?-i:{re.escape(word)})" for word in words]
    return f"{_BEFORE}(?:{'|'.join(spelt)}){_AFTER}"


def mentions(text: str, words: Words) -> Mentions | None:
    """How an instruction's own text names its labels, or None if it does not.

    Bare words count only where every label is named exactly once: "There is no doubt" does not name ``no``.
    """
    candidates: tuple[tuple[Form, Iterable[str]], ...] = (
        ("quoted", quoted_words(text)),
        ("bracketed", bracketed_words(text)),
    )
    for form, found in candidates:
        labels = tuple(_only(owners(word, words)) for word in found)
        if any(labels):
            return Mentions(form, labels)
    named = [label for label, _ in bare_labels(text, words)]
    if len(words) > 1 and sorted(named) == sorted(words):
        return Mentions("bare", tuple(named))
    return None


def _only(labels: set[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None
