"""English text as clauses, each about one statement: an approximation without grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

Split = Callable[[str], Sequence[str]]
"""Cuts a text into its sentences."""

_SHORT = (
    "mr mrs ms dr prof st sr jr vs etc inc ltd co corp no vol fig al approx est gen col capt lt sgt rev hon gov sen rep "
    "jan feb mar apr jun jul aug sep sept oct nov dec eg ie cf ca pp ed eds mt ft"
)
_ABBREVIATIONS = frozenset(_SHORT.split())
_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s)|[。！？।॥؟۔]+[”’」』）]*|\n\s*+")
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t].*$", re.MULTILINE)
_MARKUP = re.compile(
    r"^(?:[ \t>*+•‣–—-]+|[ \t]*\(?\d{1,3}[.)][ \t]+)+|[*_`]{1,3}|\[(?=[^\]\n]{0,200}\]\()|\]\([^)\s]{0,400}\)",
    re.MULTILINE,
)
_TALK = re.compile(
    r"(?:sorry|i['’]m sorry|i am sorry|i apologi[sz]e|unfortunately, i|as an ai|i (?:do not|don['’]t|can ?not|can['’]t|am "
    r"unable|hope|would)\b|i['’](?:m unable|d)\b|let me know|feel free|please|here (?:is|are)\b|here['’]s\b|sure\b|"
    r"certainly\b|of course\b|thank you|no answer\b)",
    re.IGNORECASE,
)
_VERBS = (
    "is are was were has have had does did do can could will would may might must became become becomes began begins "
    "lies lay borders bordered speaks spoke uses used includes included contains contained won received served worked "
    "appeared played made makes took takes gave gives moved lived lives died studied graduated attended joined led "
    "wrote directed produced published founded founds held holds helps helped allows allowed causes caused leads means "
    "provides provided remains remained"
).replace(" ", "|")
_SUBJECT = r"(?:(?!(?:that|which|who|to)\b)[\w'’-]+)"
_CUT = re.compile(
    rf";\s+|,?\s+(?:and|but|while|whereas|although|though)\s+(?=(?:{_SUBJECT}\s+){{0,4}}?(?:{_VERBS})\b)"
    rf"|,\s+(?:and\s+)?(?=(?:which|who)\s+(?:\w+\s+)?(?:{_VERBS})\b)",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    r"""Cut English text into sentences: at full stops, not those of abbreviations and initials, and at line ends.

    >>> sentences("Dr. A. Smith was born in 1.5 B.C. He left!\n- One\n- Two")
    ['Dr. A. Smith was born in 1.5 B.C.', 'He left!', '- One', '- Two']
    """
    found, start = [], 0
    for end in _END.finditer(text):
        if end[0].startswith(".") and _is_abbreviation(
            text[max(start, end.start() - 20) : end.start()], text[end.end() : end.end() + 2]
        ):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def clauses(text: str, split: Split | None = None) -> Iterator[str]:
    r"""The statements of a text: clauses of its sentences, without Markdown.

    Headings, questions and talk about the conversation ("I hope this helps") are left out.

    >>> list(clauses("## France\n**France** borders Spain and lies in Europe. Its capital is Paris, is it not?"))
    ['France borders Spain', 'lies in Europe.']

    Args:
        text: An answer.
        split: Cuts it into sentences; `sentences` where None.
    """
    for sentence in (split or sentences)(unmarked(text)):
        said = " ".join(sentence.split())
        if not said or said.endswith(("?", "？", "؟", ":")) or _TALK.match(said):
            continue
        yield from (part for part in (cut.strip() for cut in _CUT.split(said)) if part)


def unmarked(text: str) -> str:
    """Take out Markdown: headings, marks of lists and quotations, emphasis, addresses of links."""
    # Runs of blanks are cut first: on them the patterns would take time with the square of their length.
    return _MARKUP.sub("", _HEADING.sub("", re.sub(r"[^\S\n]+", " ", text)))


def _is_abbreviation(before: str, after: str) -> bool:
    """Whether a full stop belongs to the word before it."""
    last = re.search(r"[\w.]+\Z", before)
    if last is None:
        return False
    word = last[0].lower().replace(".", "")
    following = after.strip()[:1]
    continues = following.islower() or following.isdigit()
    initial = len(last[0]) == 1 and last[0].isalpha() and (last[0].isupper() or continues)
    return word in _ABBREVIATIONS or initial or ("." in last[0] and continues)
