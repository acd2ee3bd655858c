"""Translations that are none: the source again, another script, another language."""

from __future__ import annotations

from hesperus.languages import language
from hesperus.translation.degeneration.facts import facts, own_tag, owners_of
from hesperus.translation.degeneration.letters import (
    HAN,
    HANGUL,
    KANA,
    UNSPACED,
    count_own,
    foreign_runs,
    own_letters,
    script_of,
)
from hesperus.translation.degeneration.repetition import words

_GRAM = 4
_HAN_GRAM = 8
_FEWEST_LETTERS = 6
_FEWEST_HAN = 15
_TIMES = 3.0
_WITH_HAN = {"Jpan": KANA, "Kore": HANGUL}


def copied_share(source: str, output: str) -> tuple[float, int]:
    """Share of the output's words that stand in runs of the source's, and how many there are.

    Names, numbers and words in capitals are no words here: a translation keeps them. Where blanks are not written,
    runs of eight characters count in place of four words.
    """
    if source.split() == output.split():
        return 1.0, max(len(_plain_words(output)), sum(map(_is_caseless, output)) // _GRAM)
    said, wanted = _plain_words(output), _plain_words(source)
    if len(said) >= _GRAM:
        return _covered(said, wanted, _GRAM), len(said)
    spaceless, other = "".join(output.split()), "".join(source.split())
    if len(HAN.findall(spaceless)) < _FEWEST_HAN:
        return 0.0, 0
    return _covered(list(spaceless), list(other), _HAN_GRAM), len(spaceless) // 2


def _is_caseless(character: str) -> bool:
    return character.isalpha() and not character.islower() and not character.isupper()


def _plain_words(text: str) -> list[str]:
    return [
        word.casefold()
        for token in text.split()
        if (word := token.strip(".,;:!?\"'()[]«»“”„‘’¿¡…-–—")) and word[0].isalpha() and not word[0].isupper()
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

    Words with a capital that the source has too are left out, and so is what has too few letters to tell. Japanese
    without any kana and Korean without any Hangul are taken for Chinese.
    """
    if own_letters(target) is None:
        return 0.0
    kept = {run for run in foreign_runs(source, target) if run[0].isupper()}
    runs = [run for run in foreign_runs(output, target) if run not in kept]
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
        if script not in (None, "Latn", "Grek") and all(script_of(letter) != script for letter in source):
            return script
    return None


def other_language(output: str, target: str) -> tuple[str, float] | None:
    """A language of the same script that the small words of an output point to far more than to its own.

    A word counts for a language the less, the more languages of the script have it: 1 for its own alone.

    Returns:
        The language and how much points to it; None where its own language has a third of that.
    """
    script = language(target).script
    own = facts(target).words
    if script in UNSPACED or not own:
        return None
    points: dict[str, float] = {}
    for word in words(output):
        owners = owners_of(script).get(word, ())
        for tag in owners:
            points[tag] = points.get(tag, 0.0) + 1 / len(owners)
    if not points:
        return None
    best = max(points, key=lambda tag: points[tag])
    mine = points.get(own_tag(target), 0.0)
    return (best, points[best]) if points[best] > _TIMES * mine else None
