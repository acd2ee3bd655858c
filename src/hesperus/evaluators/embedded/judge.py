"""The embedded judge: claims are clauses, and a text supports one with words that are in one of its clauses.

Numbers and names must be there, too, and both sides be negated or neither. Names may be in the text's first clause
instead, which mostly says what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from hesperus.evaluators.embedded.words import Words, words
from hesperus.evaluators.information.judges import Check, Extracted, Judged, Verdict, Verified
from hesperus.fingerprint import JSON, signature

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


def clauses(text: str) -> Iterator[str]:
    r"""The statements of a text: clauses of its sentences, without Markdown.

    Headings, questions and talk about the conversation ("I hope this helps") are left out.

    >>> list(clauses("## France\n**France** borders Spain and lies in Europe. Its capital is Paris, is it not?"))
    ['France borders Spain', 'lies in Europe.']
    """
    for sentence in sentences(unmarked(text)):
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


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """When words overlap enough.

    Attributes:
        version: Of the word lists and rules; rises whenever a verdict may change.
        overlap: Weighted share of a claim's words that a clause must hold, in (0, 1].
        elsewhere: What a word counts, in [0, 1], that is in the text but not in that clause: mostly the subject,
            which texts name once. Below 2 · overlap − 1, so that of two words one alone is never enough.
    """

    version: int = 1
    overlap: float = 0.56
    elsewhere: float = 0.1


class EmbeddedJudge:
    """Judges without a model, by overlap. Quick, free and repeatable; it knows no synonyms and no meaning.

    Args:
        settings: When words overlap enough.
    """

    name = "embedded"

    def __init__(self, settings: EmbeddedSettings = EmbeddedSettings()) -> None:  # noqa: B008
        self.settings = settings

    def signature(self) -> dict[str, JSON]:
        """Its settings, with the version of its rules."""
        return {"judge": self.name, **signature(self.settings)}

    def claims(self, texts: Sequence[str]) -> list[Extracted]:
        """The clauses of each text that have a content word or a number, each once."""
        found = []
        for text in texts:
            kept: dict[Words, str] = {}
            for clause in clauses(text):
                if said := words(clause):
                    kept.setdefault(said, clause)
            found.append(Extracted(tuple(kept.values())))
        return found

    def verify(self, checks: Sequence[Check]) -> list[Verified]:
        """The verdict on each claim of each check."""
        read: dict[str, _Text] = {}
        verified = []
        for check in checks:
            if check.text not in read:
                read[check.text] = _read(check.text)
            text = read[check.text]
            verified.append(Verified(tuple(Judged(c, self._verdict(words(c), text)) for c in check.claims)))
        return verified

    def _verdict(self, claim: Words, text: _Text) -> Verdict:
        """The best clause decides; words that few clauses of the text hold weigh more, absent ones most."""
        verdict: Verdict = "not supported"
        for place in self._overlapping(claim, text):
            clause = text.clauses[place]
            if not claim.names <= clause.content | text.subject:
                continue
            if _other_word(claim, clause, text.subject):
                verdict = "contradicted"
                continue
            if not claim.numbers <= clause.numbers:
                # Another number in the same place says otherwise; no number at all says nothing.
                verdict = "contradicted" if clause.numbers and claim.content else verdict
            elif (claim.negations > 0) != (clause.negations > 0):
                verdict = "contradicted"
            else:
                return "supported"
        return verdict

    def _overlapping(self, claim: Words, text: _Text) -> list[int]:
        """Places of the clauses that hold enough of the claim's words; of all clauses where it has only numbers."""
        if not claim.content:
            return list(range(len(text.clauses))) if claim.numbers else []
        total = there = 0.0
        here: dict[int, float] = {}
        for word in claim.content:
            places = text.places.get(word, ())
            weight = log(1 + len(text.clauses) / (len(places) + 1))
            total += weight
            there += weight if places else 0.0
            for place in places:
                here[place] = here.get(place, 0.0) + weight
        share = self.settings.elsewhere
        enough = self.settings.overlap * total
        return [place for place, weight in here.items() if weight + share * (there - weight) >= enough]


def _other_word(claim: Words, clause: Words, subject: frozenset[str]) -> bool:
    """Whether the clause says the same of something else: as many other words as the claim's that it lacks."""
    missing = len(claim.content - clause.content - subject)
    others = clause.content - claim.content
    return missing > 0 and missing in (len(others), len(others - subject))


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that is checked against: its clauses, where each word is, and what its first clause names."""

    clauses: tuple[Words, ...]
    places: Mapping[str, tuple[int, ...]]
    subject: frozenset[str]


def _read(text: str) -> _Text:
    """Whole sentences are next to their clauses: a clause may lack the subject that the one before it has."""
    stretches = [*clauses(text), *sentences(unmarked(text))]
    found = tuple(dict.fromkeys(said for stretch in stretches if (said := words(stretch))))
    places: dict[str, tuple[int, ...]] = {}
    for place, said in enumerate(found):
        for word in said.content:
            places[word] = (*places.get(word, ()), place)
    return _Text(found, places, found[0].content if found else frozenset())
