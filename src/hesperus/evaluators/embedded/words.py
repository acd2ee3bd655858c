"""A text as words that can be compared: folded, lightly stemmed, numbers in one form, function words apart."""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from hesperus.evaluators.embedded.numerals import canonical_number, digits_for_words

_FUNCTION_WORDS = """
    a about above across after again all along also although am among an and another any are around as at be because
    become becomes been before being below between both but by can could did do does doing done down during each either
    else even ever every few for from further get gets given had has have having he her here hers herself him himself
    his how however i if in into is it its itself just known like made make makes many may me might mine more most much
    must my myself of off often on once one only or other others our ours out over own per rather really same say says
    she should since so some such than that the their theirs them themselves then there therefore these they thing
    things this those though through thus to too toward towards under until up upon us use used uses very via was way we
    well were what when where whether which while who whom whose why will with within would yet you your yours
    st nd rd th s name names named called lie lies lying located situated
    country countries city cities place places person people
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that say little by themselves, and the commonest names of kinds; negations are not among them."""

_NEGATIONS = (
    "not no never none nobody nothing nowhere neither nor cannot without hardly barely lack lacks lacked lacking "
    "fail fails failed false untrue incorrect"
)
NEGATIONS = frozenset(_NEGATIONS.split())
"""English words that turn a statement round."""

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Kana, Han."""


_LATIN_ACCENTS = re.compile("([a-z])[\u0300-\u036f]+")

_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Words:
    """What a stretch of text says, word by word.

    Attributes:
        content: Stems of its content words, each once; pairs of characters in scripts without blanks.
        names: Those of them that are written with a capital inside a sentence.
        numbers: Its numbers in one form ("1234.5"), each once.
        negations: How many words of it turn a statement round.
    """

    content: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    negations: int

    def __bool__(self) -> bool:
        return bool(self.content or self.numbers)


@lru_cache(maxsize=1 << 14)
def words(text: str) -> Words:
    """Read a stretch of text, a sentence or less.

    >>> read = words("It wasn't one of 1,789, but twenty-one of the founders' sons.")
    >>> sorted(read.content), sorted(read.numbers), read.negations
    (['founder', 'son'], ['1789', '21'], 1)
    """
    content: set[str] = set()
    numbers: set[str] = set()
    negations = 0
    for token in _tokens().findall(digits_for_words(folded(text))):
        if token[0].isdigit():
            numbers.add(canonical_number(token))
        elif _UNSPACED_CHARACTER.match(token):
            content.update(token[at : at + 2] for at in range(max(1, len(token) - 1)))
        elif token in NEGATIONS or token.endswith(("n't", "n’t")):
            negations += 1
        elif token not in FUNCTION_WORDS:
            content.add(stem(token))
    names = {stem(folded(name)) for name in _NAME.findall(text)}
    return Words(frozenset(content), frozenset(names & content), frozenset(numbers), negations)


def folded(text: str) -> str:
    """Compatibility forms unified, case folded, accents of Latin letters cut, digits of any script as 0 to 9."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain
    plain = unicodedata.normalize("NFKC", _LATIN_ACCENTS.sub(r"\1", unicodedata.normalize("NFD", plain)))
    return "".join(str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in plain)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Cut the commonest English endings, so that *borders*, *bordered* and *bordering* are one word.

    >>> [stem(word) for word in ("borders", "bordered", "countries", "films", "lies", "directing", "paris's")]
    ['border', 'border', 'country', 'film', 'lie', 'direct', 'paris']
    """
    word = re.sub(r"['’]s?\Z", "", word)
    if not word.isascii() or len(word) < 4:
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + instead
            if ending in ("ed", "ing") and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_ENDINGS = (
    ("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", ""), ("ied", "y"), ("ed", ""),
    ("ing", ""), ("ly", ""),
)  # fmt: skip


_NAME = re.compile(r"(?<=[^\s.!?:\"“(][ ])[A-Z][^\W\d_]+(?:['’][^\W\d_]+)*")
"""A capital after a word, not after a full stop, a quotation mark or a bracket, where any word may have one."""


@cache
def _tokens() -> re.Pattern[str]:
    """Numbers with their marks and ordinal endings; words with their vowel signs and apostrophes."""
    marks = "".join(
        re.escape(chr(code))
        for code in range(0x300, min(0x20000, sys.maxunicode))
        if unicodedata.category(chr(code)) in ("Mn", "Mc")
    )
    letter = rf"(?:[^\W\d_{_UNSPACED}]|[{marks}])"
    return re.compile(rf"\d+(?:[.,٬٫]\d+)*|[{_UNSPACED}]+|{letter}+(?:['’]{letter}+)*")
