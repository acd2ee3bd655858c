"""Text as the rules see it: one spelling of quotes, brackets, blanks and Markdown, and a key for comparing words.

Unicode NFKC makes `Ａ`, `（`, `：` and `①` their plain forms (Unicode Standard Annex 15). Nothing here knows any
label or language.
"""

from __future__ import annotations

import re
import unicodedata

MOST_CHARACTERS = 20_000
"""Characters read at each end of a reply. An answer stands at the start or the end; a megabyte of text may not
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
_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"\A\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*{1,3}|__|~~|'{3})(?=[^\s*_~'])([^\n*_~]{1,60}?)(?<=\S)\1")
_LINE_MARKS = re.compile(r"^[ \t]*(?:#{1,6}(?=[ \t]|\w)|>+(?=[ \t])|[-*•+](?=[ \t]))[ \t]*", re.MULTILINE)
_TIMES = re.compile(r"(?<=[\d)]) ?\*{1,2} ?(?=[\d(])")
_LEFT_OVER = re.compile(r"[*#~]+|_{2,}")
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")

PUNCTUATION = r".,;:!?…、،؛؟۔।॥፡።፣፤፥፧։၊။་།~"
"""Marks that end a word or a clause, after cleaning."""

_EDGES = frozenset(PUNCTUATION + "\"'()[]{}<>*_#~`¡¿-–—=|/\\$ \n\t")


def without_thoughts(text: str) -> str | None:
    """Cut the thinking that some models print before their reply.

    Returns:
        The reply, or None where the thinking never ended and there is no reply.
    """
    if not _OPEN_THOUGHT.match(text):
        return text
    thought = _THOUGHT.match(text)
    return text[thought.end() :] if thought else None


def clean(text: str) -> str:
    """Give a reply the spelling that the rules are written for.

    Emphasis of at most 60 characters becomes quotation, since models set their answer in bold; longer emphasis,
    headings and list marks are dropped. Blanks collapse, lines stay. Only the first and last MOST_CHARACTERS of a
    long reply are kept.
    """
    text = _ends(text).replace("\r\n", "\n").replace("\r", "\n")
    # Once before, since NFKC makes `´` a blank with an accent; once after, for what NFKC made.
    text = unicodedata.normalize("NFKC", text.translate(_SPELLING)).translate(_SPELLING)
    text = _ends(_INVISIBLE.sub("", text))
    if "*" in text or "_" in text or "~" in text or "'''" in text:
        text = _EMPHASIS.sub(r'"\2"', _TIMES.sub(" × ", text))
    if "#" in text or "\n" in text or text[:2] in {"- ", "* ", "> ", "+ ", "• "}:
        text = _LINE_MARKS.sub("", text)
    text = _LEFT_OVER.sub("", text)
    return _LINES.sub("\n", _BLANKS.sub(" ", text)).strip()


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
    folded = peel(clean(text)).casefold().replace("\u0307", "").replace("ı", "i")
    return _BLANKS.sub(" ", folded.replace("\n", " "))


_ACCENTED = ("LATIN", "GREEK", "ARABIC", "HEBREW")


def unaccented(word: str) -> str:
    """Drop accents where they may be left out in writing (Latin, Greek, Arabic, Hebrew); other marks are letters."""
    if word.isascii() or not unicodedata.name(word[:1], "").startswith(_ACCENTED):
        return word
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))
