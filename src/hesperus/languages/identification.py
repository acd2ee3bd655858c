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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from hesperus.errors import UnknownNameError
from hesperus.languages.letters import letters_of, script_of, scripts_for
from hesperus.languages.tags import language

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

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

_UNIT = 60
_LONGEST_UNIT = 300
_MOST_UNITS = 60
FEWEST_PLAIN = 12
"""Letters that do not begin with a capital, below which a text says nothing of its language."""
_NOTHING_SAID = "zxx"
IDEOGRAPHS = frozenset({"Hani", "Hira", "Kana"})

_THINGS = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`"  # code
    r"|\$\$.+?\$\$|\\\[.+?\\\]|\\\(.+?\\\)|\\(?:begin|end|boxed|frac|text|sqrt)\b\S*"  # formulas
    r"|\$(?=\S)[^$\n]{1,80}(?<=\S)\$(?!\d)"
    r"|(?:https?|ftp)://\S+|\bwww\.\S+|\b[\w.+-]+@[\w-]+\.\w+|\]\([^)\s]*\)|</?[A-Za-z][^<>\n]{0,200}>"  # addresses, tags
    r"|\b\w+(?:_\w+)+\b|\b[\w.]+\(\)|\b[a-z]+[A-Z]\w*",  # names of things in programs
    re.DOTALL,
)
_QUOTED = re.compile(
    "|".join(
        rf"{opens}[^{opens}{closes}\n]{{1,{longest}}}[{closes}]"
        for opens, closes, longest in (
            ("“", "”", 120), ("„", "“”", 120), ("«", "»", 120), ("»", "«", 120), ('"', '"', 120), ("「", "」", 120),
            ("『", "』", 120), ("《", "》", 120), (r"\(", r"\)", 60), ("（", "）", 60),
        )
    )
)  # fmt: skip
# Searches for one character, by which nearly every text is let through without the long patterns.
_PROGRAM_SIGNS = re.compile(r"[`$\\@<_]|~~~|://|[a-z][A-Z]")
_OPENING = re.compile(r"[“„«»\"「『《(（]")
_CODE_MARKS = re.compile(r"[:{};=()\[\]]")
_MARK = re.compile(r"^[ \t]*(?:[-*•+–—>#]+|\d{1,3}[.)]|[A-Za-z][.)])[ \t]+")
_SENTENCE = re.compile(r"(?<=[.!?…؟।॥።])[\"'»”)\]]*\s+|(?<=[。！？])")
_WORD = re.compile(r"[^\W\d_]+(?:['’ʼ][^\W\d_]+)*")
_CODE_SIGNS = re.compile(r"[{}\[\]();=<>|\\/+*#$%^&@~_]")
_CODE_LINE = re.compile(
    r"\s*(?:(?:def|class|for|while|if|elif|else|try|except|with|function|func|fn|switch|case)\b(?:.*\(.*[:{]|.*[:{]\s*(?:$|#|//))"
    r"|(?:return|import|from|print|const|let|var|public|private|static|SELECT|INSERT|UPDATE)\b.*[;=(){}]"
    r"|[\w.\[\]\"']+\s*(?:[-+*/]?=)\s*\S|.*(?:[{}]|[)\]];)\s*$)"
)


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
    return frozenset(_tags().values()) - {_NOTHING_SAID}


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
    return _base(other) in _alike(one)


def identify(text: str) -> str | None:
    """The most likely language of a text; None if fewer than MIN_LETTERS letters are left of it, or it says nothing.

    >>> identify("Die Hauptstadt von Peru heißt Lima und liegt am Meer.")
    'de'

    Args:
        text: Any text; code, addresses, formulas and short quotations are left out.
    """
    said = " ".join(_lines(text))
    if _weight(said) < MIN_LETTERS:
        return None
    ranks = _ranked(said[:2_000])
    best = next(iter(ranks), _NOTHING_SAID)
    return None if best == _NOTHING_SAID else best


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
    lines = list(_lines(text))
    judged = [_judged(unit, expected) for unit in _units(lines)]
    if lines and all(verdict is None for verdict in judged):
        judged = [_judged(" ".join(lines)[:_LONGEST_UNIT], expected)]
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


def _judged(unit: str, expected: str) -> tuple[str, int] | None:
    """The other language of a sentence (empty: the one asked for) and its letters; None if it cannot be told."""
    scripts = written_in(expected)
    own, foreign = letter_weights(unit, scripts)
    if foreign > own:
        strange = letters_of(scripts).sub(" ", unit)
        if not _has_small_words(_WORD.findall(strange)):
            return None
        best = next(iter(_ranked(unit)), "und")
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
            if _weight(rest) >= MIN_LETTERS
            else _far_ahead(unit, expected, 2 * needed)
        )
    return ahead or "", own


def _far_ahead(text: str, expected: str, needed: float) -> str | None:
    """A language that is more likely than the one asked for by the margin; None if absent."""
    near, tags = _alike(expected), _tags()
    ranks = _identifier().rank(text.lower() if text.isupper() else text)
    best = tags[ranks[0][0]] if ranks else _NOTHING_SAID
    if best in near or best == _NOTHING_SAID:
        return None
    here = next((score for label, score in ranks if tags[label] in near), -math.inf)
    return best if (ranks[0][1] - here) / math.sqrt(len(text.encode())) > needed else None


def _lines(text: str) -> Iterator[str]:
    """The lines of a text without what is no prose."""
    text = text.encode("utf-8", "ignore").decode()
    if _PROGRAM_SIGNS.search(text) or any(sign in text for sign in ("www.", "](", "()")):
        text = _THINGS.sub(" ", text)
    for raw in text.splitlines():
        line = _MARK.sub("", raw).strip()
        if _is_code(line):
            continue
        rest = _QUOTED.sub(" ", line) if _OPENING.search(line) else line
        # A line that is quoted as a whole, as models like to quote their answer, is what they say.
        if rest != line and sum(map(str.isalpha, rest)) * 2 >= sum(map(str.isalpha, line)):
            line = rest
        if line and any(map(str.isalpha, line)):
            yield line


def _units(lines: list[str]) -> Iterator[str]:
    """The sentences of each line, short ones together with those after them."""
    count = 0
    for line in lines:
        held = ""
        sentences = _SENTENCE.split(line)
        if len(sentences) == 1 and len(line) <= _LONGEST_UNIT:
            held, sentences = line, []
        for sentence in sentences:
            held = f"{held} {sentence}" if held else sentence
            if _weight(held) < _UNIT and len(held) < _LONGEST_UNIT:
                continue
            for part in _parts(held):
                yield part
                count += 1
                if count >= _MOST_UNITS:  # a sentence may be of ten million characters
                    return
            held = ""
        if held.strip():
            yield held
            count += 1
        if count >= _MOST_UNITS:
            return


def _parts(text: str) -> Iterator[str]:
    """A text in parts of at most _LONGEST_UNIT characters, cut at blanks if any."""
    start = 0
    while len(text) - start > _LONGEST_UNIT:
        cut = text.rfind(" ", start + _LONGEST_UNIT // 2, start + _LONGEST_UNIT)
        cut = cut if cut > 0 else start + _LONGEST_UNIT
        yield text[start:cut]
        start = cut
    yield text[start:]


def letter_weights(text: str, scripts: tuple[str, ...]) -> tuple[int, int]:
    """Letters of the given scripts, and of other known ones; a Chinese or Japanese character counts as three."""
    if text.isascii():
        count = sum(map(str.isalpha, text))
        return (count, 0) if "Latn" in scripts else (0, count)
    own = foreign = 0
    for character, count in Counter(text).items():
        if character.isalpha() and (script := script_of(character)) is not None:
            weighed = count * (3 if script in IDEOGRAPHS else 1)
            if script in scripts:
                own += weighed
            else:
                foreign += weighed
    return own, foreign


def _weight(text: str) -> int:
    if text.isascii():
        return sum(map(str.isalpha, text))
    return sum(
        count * (3 if script_of(character) in IDEOGRAPHS else 1)
        for character, count in Counter(text).items()
        if character.isalpha()
    )


def _has_small_words(words: Iterable[str]) -> bool:
    """Whether there is enough that does not begin with a capital: names and titles say nothing of the language."""
    weight = 0
    for word in words:
        if not _begins_large(word):
            weight += _weight(word)
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


def _is_code(line: str) -> bool:
    """Whether a line is one of a program or a formula: many signs, or its beginning and its end."""
    signs = len(_CODE_SIGNS.findall(line))
    if signs * 8 >= len(line):
        return True
    return _CODE_MARKS.search(line) is not None and _CODE_LINE.match(line) is not None


def _strange_words(lines: list[str]) -> int:
    words = (word for line in lines for word in _WORD.findall(line))
    return sum(len(word) >= 4 and word.isascii() and word.isalpha() and word.islower() for word in words)


@cache
def _base(tag: str) -> str:
    return language(tag).tag.split("-")[0]


@cache
def _alike(tag: str) -> frozenset[str]:
    base = _base(tag)
    return frozenset({base}.union(*(group for group in ALIKE if base in group)))


@cache
def written_in(tag: str) -> tuple[str, ...]:
    """Scripts of a language (see `hesperus.languages.letters.scripts_for`)."""
    return scripts_for(language(tag).script)


@cache
def _identifier() -> LanguageIdentifier:
    # Loading it takes half a second and 100 MB, which a command that reads no long text should not spend.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)


@cache
def _tags() -> Mapping[str, str]:
    """The identifier's labels as tags."""
    found: dict[str, str] = {}
    for label in _identifier().labels:
        try:
            found[label] = _base(label)
        except UnknownNameError:
            found[label] = label
    return MappingProxyType(found)


def _ranked(text: str) -> dict[str, float]:
    """Log-likelihood of each language, the most likely first."""
    tags = _tags()
    ranks: dict[str, float] = {}
    for label, score in _identifier().rank(text.lower() if text.isupper() else text):
        ranks.setdefault(tags[label], score)
    return ranks
