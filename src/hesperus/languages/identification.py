"""Which language a text is in, and whether it is the one that was asked for.

A text is cut into lines and sentences. The script of a sentence decides first; within one script it is identified by
py3langid, a naive Bayes classifier over byte n-grams (Lui and Baldwin 2012) whose model is part of the package. A
sentence counts as one in another language only where that language is far more likely than the one asked for, so that
near relatives, names, terms and short phrases raise no alarm. Code, addresses, formulas and short quotations are left
out. The thresholds and what they reach are in docs/languages.md; ``python -m benchmarks language_identification``
measures them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from hesperus.languages.letters import letter_weights, letters_of, most_weight, scripts_for, weight_of
from hesperus.languages.likelihoods import known_languages, likelihoods
from hesperus.languages.prose import LONGEST_SENTENCE, prose_lines, prose_sentences
from hesperus.languages.tags import base_tag, language

ALIKE: tuple[frozenset[str], ...] = tuple(
    frozenset(tags.split())
    for tags in (
        "bs hr sr", "mk sr", "da nb nn no", "id ms", "ar ary arz", "wuu yue zh", "xh zu", "ba tt", "ha fuv", "kok mr",
        "crh tr", "fo is", "hi sa",
    )
)  # fmt: skip
"""Languages that are not told apart: of sentences of 80 characters and more in one of them, fewer than 95 % would be
found where another of the set was asked for. A language may be in several sets."""

MIN_LETTERS = 20
"""Letters from which a sentence is judged; a Chinese or Japanese character counts as three."""

SURE_LETTERS = 40
"""Letters from which the lower margin is enough."""

MARGIN, SHORT_MARGIN = 1.5, 2.0
"""How far ahead another language must be: difference of log-likelihoods over the square root of the UTF-8 bytes."""

OTHER_SHARE = 1 / 3
"""Share of the letters that can be told from which a text counts as one in another language."""

FEWEST_PLAIN = 12
"""Letters that do not begin with a capital, below which a text says nothing of its language."""
_NOTHING_SAID = "zxx"

_WORD = re.compile(r"[^\W\d_]+(?:['’ʼ][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class TextLanguage:
    """In which language a text is, compared with the one asked for.

    Attributes:
        language: Tag of the language that the text counts as: of a text in another language (is_other) the one that most
            of its other letters are in, else the one asked for as it was written; None if the text is too short to tell,
            or the language asked for is not among those that are known.
        own: Letters in the language asked for, or one that is not told apart from it.
        other: Letters in another language.
        sentences: Sentences that were long enough to be judged.
        other_sentences: How many of these are in another language.
        strange_words: Words of four and more small Latin letters outside code, names and quotations, where the
            language asked for is not written in Latin script; None if it is.
    """

    language: str | None
    own: int = 0
    other: int = 0
    sentences: int = 0
    other_sentences: int = 0
    strange_words: int | None = None

    @property
    def is_told(self) -> bool:
        """Whether anything was long enough to be judged."""
        return self.sentences > 0

    @property
    def is_other(self) -> bool:
        """Whether the text counts as one in another language: at least a third of the letters that can be told."""
        return _counts_as_other(self.own, self.other)


def _counts_as_other(own: int, other: int) -> bool:
    return other > 0 and other >= OTHER_SHARE * (own + other)


@cache
def identified_languages() -> frozenset[str]:
    """Tags of the languages that can be identified."""
    return known_languages() - {_NOTHING_SAID}


def is_identified(tag: str) -> bool:
    """Whether texts in a language can be told from others by more than their script; loads the model.

    Raises:
        UnknownNameError: No such language.
    """
    return not _alike(tag).isdisjoint(identified_languages())


def are_alike(one: str, other: str) -> bool:
    """Whether two languages are the same or not told apart.

    Raises:
        UnknownNameError: No such language.
    """
    return base_tag(other) in _alike(one)


def identify(text: str) -> str | None:
    """The most likely language of a text; None if fewer than MIN_LETTERS letters are left of it, or it says nothing.

    >>> identify("Die Hauptstadt von Peru heißt Lima und liegt am Meer.")
    'de'

    Args:
        text: Any text; code, addresses, formulas and short quotations are left out.
    """
    said = " ".join(prose_lines(text))
    if weight_of(said) < MIN_LETTERS:
        return None
    found = likelihoods(said[:2_000])
    return None if found is None or found.best == _NOTHING_SAID else found.best


def text_language(text: str, expected: str) -> TextLanguage:
    """Compare the language of a text with the one asked for.

    >>> text_language("The capital of Peru is Lima, which lies by the sea.", "de").is_other
    True

    Args:
        text: Any text; at most about 18,000 characters of it are looked at.
        expected: Tag of the language asked for. Where it cannot be identified, only the script counts.

    Raises:
        UnknownNameError: No such language.
    """
    lines = list(prose_lines(text))
    judged = list(_verdicts(lines, list(prose_sentences(lines)), expected))
    letters: Counter[str] = Counter()
    for verdict in judged:
        if verdict is not None:
            letters[verdict[0]] += verdict[1]
    own = letters.pop("", 0)
    told = [verdict for verdict in judged if verdict is not None]
    other = max(letters, key=lambda tag: letters[tag], default="")
    named: str | None = None
    if told:
        named = other if _counts_as_other(own, letters.total()) else expected
        if named == expected and not is_identified(expected):
            named = None
    return TextLanguage(
        named if named != "und" else None,
        own,
        letters.total(),
        len(told),
        sum(verdict[0] != "" for verdict in told),
        None if "Latn" in written_in(expected) else _strange_words(lines),
    )


def is_in_other_language(text: str, expected: str) -> bool:
    """What `text_language(text, expected).is_other` is, judging no more sentences than it takes to know.

    >>> is_in_other_language("The capital of Peru is Lima, which lies by the sea.", "de")
    True

    Args:
        text: Any text; at most about 18,000 characters of it are looked at.
        expected: Tag of the language asked for.

    Raises:
        UnknownNameError: No such language.
    """
    lines = list(prose_lines(text))
    units = list(prose_sentences(lines))
    own = other = 0
    left = sum(map(most_weight, units))
    for unit, verdict in zip_longest(units, _verdicts(lines, units, expected)):
        left -= most_weight(unit) if unit is not None else 0
        if verdict is None:
            continue
        if verdict[0]:
            other += verdict[1]
        else:
            own += verdict[1]
        if _counts_as_other(own + left, other):
            return True
        if not _counts_as_other(own, other + left):
            return False
    return _counts_as_other(own, other)


def _verdicts(lines: list[str], units: list[str], expected: str) -> Iterator[tuple[str, int] | None]:
    """What `_judged` says of each sentence, and of all lines together where none of them can be told."""
    told = False
    for unit in units:
        verdict = _judged(unit, expected)
        told = told or verdict is not None
        yield verdict
    if lines and not told:
        yield _judged(" ".join(lines)[:LONGEST_SENTENCE], expected)


def _judged(unit: str, expected: str) -> tuple[str, int] | None:
    """The other language of a sentence (empty: the one asked for) and its letters; None if it cannot be told."""
    scripts = written_in(expected)
    own, foreign = letter_weights(unit, scripts)
    if foreign > own:
        strange = letters_of(scripts).sub(" ", unit)
        if not _has_small_words(_WORD.findall(strange)):
            return None
        found = likelihoods(unit)
        best = "und" if found is None else found.best
        return ("" if best in _alike(expected) else best, own + foreign)
    if own < MIN_LETTERS or not _has_small_words(unit.split()):
        return None
    if not is_identified(expected):
        return "", own
    needed = MARGIN if own >= SURE_LETTERS else SHORT_MARGIN
    ahead = _far_ahead(unit, expected, needed)
    if ahead is None:
        return "", own
    # Names in capitals may pull a sentence over: the rest of it must say the same.
    rest = _without_names(unit)
    if rest != unit:
        ahead = (
            _far_ahead(rest, expected, needed)
            if weight_of(rest) >= MIN_LETTERS
            else _far_ahead(unit, expected, 2 * needed)
        )
    return ahead or "", own


def _far_ahead(text: str, expected: str, needed: float) -> str | None:
    """A language that is more likely than the one asked for by the margin; None if absent."""
    near, found = _alike(expected), likelihoods(text)
    if found is None or found.best in near or found.best == _NOTHING_SAID:
        return None
    return found.best if found.lead(near) / math.sqrt(len(text.encode())) > needed else None


def _has_small_words(words: Iterable[str]) -> bool:
    """Whether there is enough that does not begin with a capital: names and titles say nothing of the language."""
    weight = 0
    for word in words:
        if not _begins_large(word):
            weight += weight_of(word)
            if weight >= FEWEST_PLAIN:
                return True
    return False


def _without_names(text: str) -> str:
    """A sentence without its words in capitals but the first; as it is where most words have them."""
    words = text.split()
    return " ".join(word for place, word in enumerate(words) if not place or not _begins_large(word))


def _begins_large(word: str) -> bool:
    if word[0].isalpha():
        return word[0].isupper()
    return next((character for character in word if character.isalpha()), "").isupper()


def _strange_words(lines: list[str]) -> int:
    words = (word for line in lines for word in _WORD.findall(line))
    return sum(len(word) >= 4 and word.isascii() and word.isalpha() and word.islower() for word in words)


@cache
def _alike(tag: str) -> frozenset[str]:
    base = base_tag(tag)
    return frozenset({base}.union(*(group for group in ALIKE if base in group)))


@cache
def written_in(tag: str) -> tuple[str, ...]:
    """Scripts of a language (see `hesperus.languages.letters.scripts_for`)."""
    return scripts_for(language(tag).script)
