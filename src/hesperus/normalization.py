"""Text as it is compared: one spelling of quotes, brackets, blanks and Markdown, and a key for comparing answers.

Replies, gold labels, options and labels of users' tables go through the same functions, so that a difference in
spelling is never a difference in meaning on one side only.

Unicode NFKC makes `Ａ`, `（`, `：` and `①` their plain forms (Unicode Standard Annex 15). Nothing here knows any
label or language.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MOST_CHARACTERS = 20_000
"""Characters read at each end of a reply. An answer is at the start or the end; a megabyte of text may not
cost a megabyte of matching."""

_QUOTES = "“”„‟«»‹›「」『』《》〈〉″❝❞〝〞"
_APOSTROPHES = "‘’‚‛′´`＇"
_BRACKETS = {"【": "[", "】": "]", "〔": "[", "〕": "]", "〖": "[", "〗": "]", "⟨": "<", "⟩": ">"}
_SPELLING = str.maketrans(
    {**dict.fromkeys(_QUOTES, '"'), **dict.fromkeys(_APOSTROPHES, "'"), **_BRACKETS, "。": ".", "｡": "."}
)
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_THOUGHT = re.compile(r"\A[\s\ufeff\u200b]*<(think|thinking|reasoning)>.*</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"\A[\s\ufeff\u200b]*<(?:think|thinking|reasoning)>", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*{1,3}|__|~~|'{3})(?=[^\s*_~'])([^\n*_~]{1,60}?)(?<=\S)\1")
_STRUCK = re.compile(
    r"~~[^~\n]{1,60}~~|<(s|del|strike)>[^<\n]{1,60}</\1>|(?:[^\W\d_][\u0335-\u0338])+", re.IGNORECASE
)
"""What is struck out, in Markdown, in HTML or by combining strokes."""
_STROKE = re.compile("[\u0335-\u0338]")
_LINE_MARKS = re.compile(r"^[ \t]*(?:#{1,6}(?=[ \t]|\w)|>+(?=[ \t])|[-*•+](?=[ \t]))[ \t]*", re.MULTILINE)
_TIMES = re.compile(r"(?<=[\d)]) ?\*{1,2} ?(?=[\d(])")
_LEFT_OVER = re.compile(r"[*#~]+|_{2,}")
_MARKS = re.compile(r"[^\w\s\u0000-\u02ff]{31,}")
"""More marks in a row than any script writes; Unicode's stream-safe text has at most 30 (Annex 15, section 13)."""
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_BLANKS = re.compile(r"(?:[^\S\n ]| (?=[^\S\n]))[^\S\n]*")
"""Blanks that are not one plain blank."""
_SPELT = re.compile("[" + "".join(map(chr, _SPELLING)) + "]")


def _spelt(match: re.Match[str]) -> str:
    return match[0].translate(_SPELLING)


_MARKED = re.compile(
    f"{_SPELT.pattern[:-1]}{_INVISIBLE.pattern[1:-1]}*#_~<\t\n\r\xa0\u0335-\u0338\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
)
"""What a text holds that cleaning changes, next to double blanks, three apostrophes and what NFKC does."""
_LINES = re.compile(r" ?\n[ \n]*")

PUNCTUATION = r".,;:!?…、،؛؟۔।॥፡።፣፤፥፧։၊။។៕៖་།~"
"""Marks that end a word or a clause, after cleaning."""

_LONGEST_KEPT = 60
"""Characters of a text whose key is kept: the words of packs are compared again and again, replies are not."""

_EDGES = frozenset(PUNCTUATION + "\"'()[]{}<>*_#~`¡¿-–—=|/\\$ \n\t")


def without_thoughts(text: str) -> str | None:
    """Cut the thinking that some models print before their reply.

    Returns:
        The reply, or None if the thinking never ended and there is no reply.
    """
    if "<" not in text or not _OPEN_THOUGHT.match(text):
        return text
    thought = _THOUGHT.match(text)
    return text[thought.end() :] if thought else None


def clean(text: str) -> str:
    """Give a reply the spelling that the rules are written for.

    Emphasis of at most 60 characters becomes quotation, since models set their answer in bold; longer emphasis,
    headings and list marks are dropped. Blanks collapse, lines stay. Only the first and last MOST_CHARACTERS of a
    long reply are kept.
    """
    text = _ends(text)
    if (
        _MARKED.search(text) is None
        and "  " not in text
        and "'''" not in text
        and text[1:2] != " "
        and (text.isascii() or (_MARKS.search(text) is None and unicodedata.is_normalized("NFKC", text)))
    ):
        return text.strip()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Once before, since NFKC makes `´` a blank with an accent; once after, for what NFKC made.
    # What nobody sees goes first: between a letter and its mark it would keep them apart.
    text = _SPELT.sub(_spelt, text)
    text = _INVISIBLE.sub("", text)
    if "~~" in text or "</" in text or _STROKE.search(text) is not None:
        # What is struck out as a whole is marked, not taken back.
        text = left if peel(left := _STRUCK.sub("", text)) else text
    if not text.isascii() and _MARKS.search(text) is not None:
        text = _MARKS.sub(_fewer_marks, text)
    if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
        text = _SPELT.sub(_spelt, unicodedata.normalize("NFKC", text))
    text = _ends(text)
    if "*" in text or "_" in text or "~" in text or "'''" in text:
        text = _EMPHASIS.sub(r'"\2"', _TIMES.sub(" × ", text))
    if "#" in text or "\n" in text or text[:2] in {"- ", "* ", "> ", "+ ", "• "}:
        text = _LINE_MARKS.sub("", text)
    if "*" in text or "#" in text or "_" in text or "~" in text:
        text = _LEFT_OVER.sub("", text)
    text = _BLANKS.sub(" ", text)
    return (_LINES.sub("\n", text) if "\n" in text else text).strip()


def _fewer_marks(run: re.Match[str]) -> str:
    """The first 30 marks of a run: to put more of them in order, NFKC takes the square of their number."""
    marks = run[0]
    return marks[:30] + "".join(mark for mark in marks[30:] if not unicodedata.combining(mark))


def _ends(text: str) -> str:
    """The first and last MOST_CHARACTERS; one character of NFKC's input can become eighteen, hence twice."""
    return (
        text if len(text) <= 2 * MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n{text[-MOST_CHARACTERS:]}"
    )


def peel(text: str) -> str:
    """Cut quotes, brackets, punctuation and blanks from both ends of a cleaned text."""
    start, end = 0, len(text)
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    return text[start:end]


def key(text: str) -> str:
    """The form in which two words are compared: cleaned, peeled, without case.

    The dotted and the dotless i of Turkish and Azerbaijani count as one, since upper case confuses them.
    """
    return _key_of_word(text) if len(text) <= _LONGEST_KEPT else _folded(peel(clean(text)))


@lru_cache(maxsize=65536)
def _key_of_word(text: str) -> str:
    return _folded(peel(clean(text)))


def _folded(text: str) -> str:
    """Without case, on one line; the dotted and the dotless i are one."""
    folded = text.casefold().replace("\u0307", "").replace("ı", "i")
    return _BLANKS.sub(" ", folded.replace("\n", " "))


_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"))
_BETWEEN_WORDS = re.compile(r"[-/\\|_]+")
_SYMBOLS = frozenset("%‰&@#")
_MARK_IN_NUMBER = re.compile(r"[0-9][^a-z0-9\s][0-9]")
"""Where a mark of an ASCII text may stay; all others go at once."""


@lru_cache(maxsize=65536)
def comparable(text: str) -> str:
    """The form in which free text is compared: with gold, with options, between languages and between models.

    Case, Unicode form (NFKC), Markdown, quotes, punctuation, blanks and the script of digits do not count; words,
    letters with their accents, articles, signs of numbers, symbols and decimal marks do. Idempotent.

    >>> comparable('"New-Delhi."'), comparable("U.S. dollar") == comparable("US Dollar"), comparable("-٥ %")
    ('new delhi', True, '-5 %')

    Args:
        text: Any text, on either side of a comparison.

    Returns:
        The form; empty where the text holds neither a letter nor a digit nor a symbol.
    """
    form = _once(text)
    # Cutting can lay bare what a cleaned text would have lost at once, such as a list mark.
    while (again := _once(form)) != form:
        form = again
    return form


def _once(text: str) -> str:
    whole = plain_digits(clean(text)).translate(_DASHES)
    inner = peel(whole)
    before = whole[: whole.find(inner)]
    folded = _BETWEEN_WORDS.sub(" ", _folded(inner))
    in_number = _MARK_IN_NUMBER.search(folded) if folded.isascii() else any(map(str.isdigit, folded))
    if in_number:
        kept = "".join(char for place, char in enumerate(folded) if _counts(folded, place))
    else:
        kept = folded.translate(_WITHOUT_MARKS)
    return ("-" if before.endswith("-") and inner[:1].isdigit() else "") + _BLANKS.sub(" ", kept).strip()


class _Marks(dict[int, int | None]):
    """For `str.translate`: punctuation goes, all else stays; each character is looked up once."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if _counts(chr(code), 0) else None
        return self[code]


def _counts(text: str, place: int) -> bool:
    """Whether a character counts: punctuation does between two digits, and where it is a sign such as per cent."""
    char = text[place]
    if char in _SYMBOLS or not unicodedata.category(char).startswith("P"):
        return True
    return text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit()


def plain_digits(text: str) -> str:
    """Digits of any script as 0 to 9."""
    return text if text.isascii() else _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), text)


_WITHOUT_MARKS = _Marks()

_ACCENTED = ("LATIN", "GREEK", "ARABIC", "HEBREW")


def unaccented(word: str) -> str:
    """Drop accents where they may be left out in writing (Latin, Greek, Arabic, Hebrew); other marks are letters."""
    if word.isascii() or not unicodedata.name(word[:1], "").startswith(_ACCENTED):
        return word
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))
