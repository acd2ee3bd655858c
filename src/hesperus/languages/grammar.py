"""The little grammar that reading a reply needs, as data: what negates and on which side, what joins two answers.

Rules in code are general; what a language does is in its pack. Every key may be left out where the language has
no such thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import msgspec

from hesperus.errors import UnknownNameError

Apostrophe = Literal["none", "elision", "suffix"]
"""What an apostrophe between letters does: ``elision``: it ends a shortened word (d'accord); ``suffix``: it begins an
ending (B'dir); ``none``: neither."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """What is around an answer, and what it does to it.

    Attributes:
        negators: Words that negate what follows within two words ("nicht", "not").
        negators_after: Words or endings that negate what precedes them ("नहीं", "değil", "ではない"); "*miyor" is any
            word that ends so. An answer that is also such a word counts only as a clause of its own.
        conditions: Words that make what follows a case and no claim ("if", "whether").
        otherwise: Words that begin the other case ("otherwise"): an answer behind them holds in that case only.
        cases: Words with which a clause begins that makes an answer beside it hold in one case only ("unless", "provided
            that", "depending on"); a star for any ending. With a star before them, what ends such a clause ("*れば"),
            behind a blank as a word of its own ("* तो").
        but: Words after which a negation no longer holds ("but", "sondern").
        joins: Words for "and" between two answers.
        up_to: Words between the two ends of a range of numbers ("to", "bis").
        bounds: Words before a number that it only bounds ("more than", "less than"): such a number is no answer.
        because: Words that begin a reason; what is behind them says nothing of the answer before them.
        working: Words of working something out, stars as for ``speaker``: a case with one of them is a step and leaves
            nothing open ("If we add them, the answer is 12").
        wrong: Further words that call an option wrong, besides the labels ``incorrect`` and ``false``; ``nesprávn*`` is
            any word that begins so.
        right: Further words that call an option right or choose it, besides the labels ``correct`` and ``true``
            ("choose", "選び"); a star as for ``wrong``.
        excludes: Words that leave an option out, wherever they are in its clause; a star as for ``wrong``.
        regrets: Words of regret with which a short reply begins that gives no answer ("unfortunately").
        speaker: Words and endings of the first person ("I", "my", "*yorum") and of what was asked ("this request"); a
            star represents any beginning or ending.
        barred: Words and endings that say that something is not done, besides the negators ("unable", "can't"); stars
            likewise.
        refusing: Words by which a speaker declines and that need no negation ("abstain", "forbidden"); stars likewise.
        acts: What a speaker is asked to do ("discuss", "judg*", "allow me"); with the speaker and a word that bars it
            in one sentence it declines ("My rules do not allow me to discuss it").
        guesses: Words that make an answer of what follows a phrase of doubt ("I am not sure, but probably …").
        unsaid: Phrases that say that a text lacks what was asked, or only mentions something else: a year beside one is
            no answer ("is not stated", "only mentions").
        doubts: Words of doubt: what is with them up to the end of the sentence is no answer ("I don't think that …").
        corrections: Words that take back an answer and put what follows in its place ("wait", "I mean", "rather").
        unlike_english: English negators and other such words that mean something else in the language ("no", "as").
        everyday: Labels that are also everyday words: they count only where something sets them apart.
        own_clause: Answers that inside a reply count as a clause of their own only (Punjabi "ਹਾਂ", "yes" and "am").
        predicates: Synonyms of an answer that are a claim wherever they are in a reply of one sentence that negates
            nothing ("contradicts").
        not_inside: Answers that are no answer inside a sentence, but are one at its start (German "ja").
        letter_words: Capital letters that begin a sentence as a word of their own ("A", "I").
        prefixes: What may be joined to an option letter with a hyphen (Zulu "ngu-B").
        articles: Endings that make a noun definite, which an option's text may have in a reply (Swedish "-en").
        endings: Endings and copulas that may follow an answer and do not change it ("です", "है", "-dır").
        counters: What follows an option's number ("番", "번").
        letter_names: For each place, other letters and spelt names of letters ("乙", "बी").
        magnitudes: Words that multiply a number, with the factor ("लाख": "100000").
        numerals: Words for numbers, with the value; "*100" multiplies what is before it, "+" joins two parts ("and").
        magnitude_first: Whether the magnitude is before its number ("milioni 3").
        spellings: Pairs of characters that count as one when words are compared (Arabic and Persian yeh).
        apostrophe: What an apostrophe does.
        clause_blank: Whether a blank ends a clause (Thai).
        verb_second: Whether a clause can turn its subject and verb round ("lautet die Antwort").
    """

    negators: tuple[str, ...] = ()
    negators_after: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    up_to: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    working: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    regrets: tuple[str, ...] = ()
    speaker: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    refusing: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    unlike_english: tuple[str, ...] = ()
    everyday: tuple[str, ...] = ()
    own_clause: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    not_inside: tuple[str, ...] = ()
    letter_words: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    letter_names: tuple[tuple[str, ...], ...] = ()
    magnitudes: Mapping[str, str] = field(default_factory=dict)
    numerals: Mapping[str, str] = field(default_factory=dict)
    magnitude_first: bool = False
    spellings: tuple[tuple[str, str], ...] = ()
    apostrophe: Apostrophe = "none"
    clause_blank: bool = False
    verb_second: bool = False

    @property
    def whole_negators_after(self) -> tuple[str, ...]:
        """The negators behind an answer that are whole words, or begin one."""
        return tuple(word for word in self.negators_after if not word.startswith("*"))

    def __hash__(self) -> int:
        return hash((self.negators, self.negators_after, self.endings, self.apostrophe))


NO_GRAMMAR = Grammar()
_KEYS = tuple(one.name for one in fields(Grammar))
_LISTS = _KEYS[: _KEYS.index("letter_names")]
_CHOICES = {
    "apostrophe": ("none", "elision", "suffix"),
    "clause_blank": ("true", "false"),
    "verb_second": ("true", "false"),
    "magnitude_first": ("true", "false"),
}


def misshapen(raw: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with the shape of the key ``grammar`` of a pack: key and message."""
    if not isinstance(raw, dict):
        yield "grammar", "write a mapping; see docs/languages.md"
        return
    for key, value in raw.items():
        where = f"grammar.{key}"
        if key not in _KEYS:
            yield where, str(UnknownNameError("key", key, _KEYS))
        elif key in _CHOICES and value not in _CHOICES[key]:
            yield where, f"write {' or '.join(_CHOICES[key])}"
        elif key in _LISTS and not _is_words(value):
            yield where, "write a list of words, none empty"
        elif key in _LISTS and any("*" in part.strip("*") for word in value for part in word.split()):
            yield where, "a star stands for the beginning or the end of a word, never inside"
        elif key == "letter_names" and not (isinstance(value, list) and value and all(map(_is_words, value))):
            yield where, "write a list with a list of letters or names for each place, A first"
        elif key == "spellings" and not (
            isinstance(value, list) and all(_is_words(pair) and len(pair[0]) == 1 for pair in value)
        ):
            yield (
                where,
                "write pairs such as [ي, ی]: one character, and what it counts as (nothing: leave the second out)",
            )
        elif key == "magnitudes" and not (
            isinstance(value, dict) and all(isinstance(n, str) and n.isdigit() for n in value.values())
        ):
            yield where, "write words with a whole number, such as lakh: 100000"
        elif key == "numerals" and not (
            isinstance(value, dict) and all(_NUMERAL.fullmatch(str(number)) for number in value.values())
        ):
            yield where, 'write words with a whole number, "*100" for what multiplies, or "+" for "and"'


_NUMERAL = re.compile(r"\d{1,4}|\*10{1,6}|\+")
_EXCLUSIVE = (
    ("negators", "but"), ("negators", "conditions"), ("negators", "joins"), ("negators", "because"),
    ("negators_after", "endings"), ("but", "conditions"), ("but", "joins"), ("wrong", "right"),
    ("excludes", "right"), ("excludes", "wrong"), ("excludes", "negators"), ("regrets", "guesses"),
    ("corrections", "joins"), ("corrections", "negators"), ("corrections", "conditions"),
    ("otherwise", "but"), ("otherwise", "joins"), ("otherwise", "right"), ("otherwise", "negators"),
    ("doubts", "guesses"), ("guesses", "negators"), ("regrets", "negators"), ("regrets", "but"),
    ("excludes", "but"), ("excludes", "guesses"), ("excludes", "regrets"), ("right", "negators"),
    ("because", "joins"), ("because", "but"), ("because", "conditions"),
)  # fmt: skip
"""Keys that can share no word."""
_AGAINST = frozenset({"no", "false", "different", "incorrect", "contradiction", "negative"})
_SET_APART = ("negators_after", "everyday", "own_clause", "not_inside")
_NO_LABELS = ("guesses", "regrets", "doubts", "excludes", "joins", "because", "up_to")
"""Keys that can hold no word of a label."""
_NO_PLAIN_LABELS = ("but", "conditions", "cases")
"""Keys that can hold a word of a label only where the grammar says where it is that label."""


def contradictions(raw: Mapping[str, Any], groups: Any) -> Iterator[tuple[str, str]]:
    """What a grammar says and takes back, by itself or next to the labels of its pack: key and message.

    A word that negates may be the label "no" as well, if the grammar says where it is that label; it can be no label
    that agrees.
    """
    words = {key: {str(word).casefold() for word in raw.get(key, ())} for key in _LISTS}
    for one, other in _EXCLUSIVE:
        for word in sorted(words[one] & words[other]):
            yield f"grammar.{other}", f"{word!r} stands under {one} too; it cannot be both"
    apart = set[str]().union(*(words[key] for key in _SET_APART))
    every = label_words(groups)
    for key in (*_NO_LABELS, *_NO_PLAIN_LABELS):
        for word in sorted(words[key] & every.keys()):
            if key in _NO_LABELS or word not in apart:
                yield f"grammar.{key}", f"{word!r} is a word of {every[word]} too; it cannot be both"
    for word in sorted(words["predicates"] - every.keys()):
        yield "grammar.predicates", f"{word!r} is no word of a label"
    for group, label, known in label_lists(groups):
        where = f"labels.{group}.{label}"
        for word in sorted({word.casefold() for word in known}):
            if word in words["negators"] | words["negators_after"] and label not in _AGAINST:
                yield (
                    where,
                    f"{word!r} negates what stands beside it (grammar); it cannot stand for {label!r}",
                )
            elif word in words["negators"] and word not in apart:
                why = "say under everyday, own_clause or not_inside where it is that"
                yield "grammar.negators", f"{word!r} is a word of {where} too; {why}"


def label_words(groups: Any) -> dict[str, str]:
    """The words of all labels of a pack in lower case, each with the key where it stands first."""
    found: dict[str, str] = {}
    for group, label, known in label_lists(groups):
        for word in known:
            found.setdefault(word.casefold(), f"labels.{group}.{label}")
    return found


def label_lists(groups: Any) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Group, label and words of each label of a pack, as far as they have their shape."""
    for group, labels in groups.items() if isinstance(groups, dict) else ():
        for label, known in labels.items() if isinstance(labels, dict) else ():
            yield group, label, tuple(map(str, known)) if isinstance(known, list) else ()


def frozen(raw: Mapping[str, Any]) -> Grammar:
    """A grammar of the right shape as a value; of a language that says nothing it is empty."""
    pairs = [[*pair, ""][:2] for pair in raw.get("spellings", ())]
    return msgspec.convert({**raw, "spellings": pairs}, Grammar, strict=False)


def _is_words(value: Any) -> bool:
    """Whether a value is a list of words; a star or an ellipsis alone would be every word."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(word, str) and word.strip("*… ") for word in value)
    )
