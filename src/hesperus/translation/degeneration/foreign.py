"""Texts that are no translations: the source again, another language, or a letter, word or phrase again and again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from unicodedata import normalize

from hesperus.languages import language
from hesperus.languages.letters import letters_of, script_of
from hesperus.translation.degeneration.facts import (
    count_own,
    facts,
    foreign_runs,
    own_letters,
    own_tag,
    owners_of,
)

_LETTERS = re.compile(r"([^\W\d_])\1{5,}")
_SIGNS = re.compile(r"([^\w\s])\1{11,}")
_PATTERN = re.compile(r"(.{2,5}?)\1{4,}|(.{6,40}?)\2{2,}", re.DOTALL)
_AROUND = ".,;:!?\"'()[]{}«»“”„‘’¿¡…،؛؟۔।॥።፣·–—-*_、。，！？：；"
_LONGEST_PHRASE = 12
_WORDS_A_GRAM, _CHARACTERS_A_GRAM = 4, 8
_FEWEST_GRAMS = 12
_MORE_THAN_SOURCE = 0.2
_IN_EACH_PATTERN = 8
"""Characters in a row that stand twice in whatever `_PATTERN` finds: two of five times two, or six of three times six."""


def words(text: str) -> list[str]:
    """What is between blanks, case folded, without the punctuation around it."""
    return [word for token in text.casefold().split() if (word := token.strip(_AROUND))]


def loop(text: str, source: str, *, row: int, phrase: int) -> str | None:
    """The unit that a text repeats without a break, or None; a loop that the source has too does not count.

    `row` and `phrase` are the times that a word, and a phrase of two words or more, must be in a row.
    """
    for pattern in (_LETTERS, _SIGNS):
        found = pattern.search(text)
        if found and not pattern.search(source):
            return found[1] * 3
    said = _in_a_row(words(text), row=row, phrase=phrase) or _pattern(text)
    if said is None:
        return None
    in_source = _in_a_row(words(source), row=row - 1, phrase=phrase - 1) or _pattern(source)
    return None if in_source else said


def _in_a_row(said: Sequence[str], *, row: int, phrase: int) -> str | None:
    """The first phrase that is said so often in a row; numbers alone are no phrase."""
    for length in range(1, _LONGEST_PHRASE + 1):
        needed = (row if length == 1 else phrase) * length - length
        same = 0
        for at in range(length, len(said)):
            same = same + 1 if said[at] == said[at - length] else 0
            if same >= needed and any(any(map(str.isalpha, word)) for word in said[at - length + 1 : at + 1]):
                return " ".join(said[at - length + 1 : at + 1])
    return None


def _pattern(text: str) -> str | None:
    """The first run of characters that is repeated at once, whatever its words: also where no blanks are written."""
    starts = range(len(text) - _IN_EACH_PATTERN + 1)
    if len({text[at : at + _IN_EACH_PATTERN] for at in starts}) == len(starts):
        return None
    for found in _PATTERN.finditer(text):
        unit = found[1] or found[2]
        if sum(map(str.isalpha, unit)) >= 2:
            return unit.strip()
    return None


def repeated_share(text: str, source: str, *, unspaced: bool) -> float:
    """Share of a text's n-grams that it has said before, where that is clearly more than in the source; else 0.

    n-grams are of four words, or of eight characters where no blanks are written. Texts of few n-grams have 0.
    """
    own = _said_before(text, unspaced)
    if own < _MORE_THAN_SOURCE:
        return 0.0
    return own if own - _said_before(source, unspaced) >= _MORE_THAN_SOURCE else 0.0


def _said_before(text: str, unspaced: bool) -> float:
    units: Sequence[str] = "".join(text.split()) if unspaced else words(text)
    size = _CHARACTERS_A_GRAM if unspaced else _WORDS_A_GRAM
    grams = Counter(tuple(units[at : at + size]) for at in range(len(units) - size + 1))
    total = grams.total()
    return 1 - len(grams) / total if total >= _FEWEST_GRAMS else 0.0


_GRAM = 4
_HAN_GRAM = 8
_FEWEST_LETTERS = 6
_FEWEST_HAN = 15
_TIMES = 3.0
_FEWEST_STRANGE = 2
_ALIKE = (frozenset({"id", "ms"}), frozenset({"bs", "hr", "sr", "sr-Latn"}), frozenset({"nb", "nn", "no"}))
_GLOSS = re.compile(r"[(（]([^()（）]{1,80})[)）]")
_QUOTATION = re.compile(r"[\"“„«‘'](?=\w)[^\"“”„«»‘’]{3,120}?(?<=\w)[\"”“»’']")
_HAN, _KANA = letters_of(("Hani",)), ("Hira", "Kana")
_WITH_HAN = {"Jpan": letters_of(_KANA), "Kore": letters_of(("Hang",))}


def copied_share(source: str, output: str) -> tuple[float, int]:
    """Share of the output's words that are in runs of the source's, and how many there are.

    Names, numbers and words in capitals are no words here: a translation keeps them. Where blanks are not written,
    runs of eight characters count in place of four words.
    """
    if source.split() == output.split():
        return 1.0, max(len(_plain_words(output)), sum(map(_is_caseless, output)) // _GRAM)
    said, wanted = _plain_words(output), _plain_words(source)
    if len(said) >= _GRAM:
        return _covered(said, wanted, _GRAM), len(said)
    spaceless, other = "".join(output.split()), "".join(source.split())
    if sum(map(len, _HAN.findall(spaceless))) < _FEWEST_HAN:
        return 0.0, 0
    return _covered(list(spaceless), list(other), _HAN_GRAM), len(spaceless) // 2


def _is_caseless(character: str) -> bool:
    return character.isalpha() and not character.islower() and not character.isupper()


def _plain_words(text: str) -> list[str]:
    return [
        word.casefold()
        for token in text.split()
        if len(word := token.strip(".,;:!?\"'()[]«»“”„‘’¿¡…-–—")) > 1
        and word[0].isalpha()
        and not word[0].isupper()
    ]


def _covered(said: list[str], wanted: list[str], size: int) -> float:
    grams = {tuple(wanted[at : at + size]) for at in range(len(wanted) - size + 1)}
    covered = [False] * len(said)
    for at in range(len(said) - size + 1):
        if tuple(said[at : at + size]) in grams:
            covered[at : at + size] = [True] * size
    return sum(covered) / len(said) if said else 0.0


def foreign_share(source: str, output: str, target: str) -> float:
    """Share of an output's letters in scripts that its language is not written in.

    Words with a capital that the source has too are left out, and so are the source's own words in brackets, and what
    has too few letters to tell. Japanese without any kana and Korean without any Hangul are taken for Chinese.
    """
    if own_letters(target) is None:
        return 0.0
    kept = {run for run in foreign_runs(source, target) if any(map(str.isupper, run))}
    told = _GLOSS.sub(
        lambda gloss: "" if gloss[1].strip().casefold() in source.casefold() else gloss[0], output
    )
    runs = [run for run in foreign_runs(told, target) if run not in kept]
    count = sum(map(len, runs))
    own = count_own(output, target)
    script = language(target).script
    if script in _WITH_HAN and own >= _FEWEST_HAN and not _WITH_HAN[script].search(output):
        return 1.0
    return count / (count + own) if count >= _FEWEST_LETTERS else 0.0


def stray_script(source: str, output: str, target: str) -> str | None:
    """A script in the output that neither its language nor the source is written in.

    Latin and Greek are left out: names, units and signs are written in them everywhere. A single letter is no word.
    """
    for run in foreign_runs(output, target):
        script = script_of(run[0]) if len(run) > 1 else None
        both = _KANA if script in _KANA else (script,)
        if script not in (None, "Latn", "Grek") and all(script_of(letter) not in both for letter in source):
            return script
    return None


def other_language(source: str, output: str, target: str) -> tuple[str, float] | None:
    """A language of the same script that the small words of an output point to far more than to its own.

    Each word counts once, and for a language the less, the more languages of the script have it: 1 for its own alone.
    Quotations that the source has too are left out. One word is never enough, and near relatives with the same small words
    (Indonesian and Malay, Croatian and Serbian) are not told apart. A language that is not written with the letters of the
    text is ruled out.

    None if its own language has a third of what points to the other.
    """
    script = language(target).script
    own = facts(target).words
    if not language(target).writes_spaces or not own:
        return None
    told = _QUOTATION.sub(lambda quotation: " " if quotation[0][1:-1] in source else quotation[0], output)
    points: dict[str, float] = {}
    count: dict[str, int] = {}
    for word in set(words(told)):
        owners = owners_of(script).get(word, ())
        for tag in owners:
            points[tag] = points.get(tag, 0.0) + 1 / len(owners)
            count[tag] = count.get(tag, 0) + 1
    named = own_tag(target)
    foreign = [
        tag
        for tag, number in count.items()
        if number > 1 and not _are_alike(tag, named) and not _is_ruled_out(tag, named, told)
    ]
    if not foreign:
        return None
    best = max(sorted(foreign), key=lambda tag: points[tag])
    return (best, points[best]) if points[best] > _TIMES * points.get(named, 0.0) else None


def _is_ruled_out(tag: str, named: str, text: str) -> bool:
    """Whether a text has letters of the language that it should be in, which the other is not written with."""
    known, other = facts(named).letters, facts(tag).letters
    strange = sum(c in known and c not in other for c in normalize("NFC", text.casefold()))
    return strange >= _FEWEST_STRANGE


def _are_alike(one: str, other: str) -> bool:
    return one == other or any(one in group and other in group for group in _ALIKE)
