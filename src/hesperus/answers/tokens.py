"""Which words, letters and digits represent a label, and which of two labels a word belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hesperus.answers.reply_words import Answers, Wording, is_lettered
from hesperus.answers.scripts import capital
from hesperus.answers.spelling import respelt
from hesperus.normalization import key, unaccented

_LATIN = tuple("ABCDEFGHIJ")
# Capitals of other scripts that look like Latin ones: a Russian keyboard answers "С" for C.
LOOKALIKES = {"A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word in one of its roles.

    Attributes:
        word: As written in the data, cleaned.
        label: What it represents.
        letter: Whether it is an option letter.
        template: Whether the instruction itself names it; synonyms are not templates.
    """

    word: str
    label: str
    letter: bool
    template: bool


def tokens_of(form: str, answers: Answers, synonyms: Answers, wording: Wording) -> Iterator[Token]:
    """All words in order of precedence: the instruction's, look-alikes and native letters, synonyms."""
    taken: set[str] = set()

    def fresh(words: Iterable[str], label: str, *, letter: bool, template: bool) -> Iterator[Token]:
        for word in words:
            if (known := respelt(key(word), wording.grammar)) and known not in taken:
                taken.add(known)
                yield Token(capital(known) if letter else known, label, letter, template)

    lettered = is_lettered(answers)
    for label, words in answers:
        yield from fresh(words, label, letter=lettered, template=True)
    if form in ("label", "choice") and has_letters(answers):
        latin = all(key(words[0]).upper() in _LATIN for _, words in answers)
        for label, words in answers:
            place = _place(label, words, answers, wording)
            alike = LOOKALIKES.get(key(words[0]).upper(), "") if latin else ""
            yield from fresh(alike, label, letter=True, template=True)
            names = wording.grammar.letter_names[place : place + 1]
            native = (*wording.letters[place : place + 1], *_LATIN[place : place + 1])
            yield from fresh((*native, *(names[0] if names else ())), label, letter=True, template=True)
    for label, words in synonyms:
        yield from fresh(words, label, letter=False, template=False)


def recounted(answers: Answers, wording: Wording) -> tuple[dict[str, str], str]:
    """Own letters that look like a Latin one of another place, each with the one of its place; and those that look like none.

    "В" is B where Latin letters were asked for; next to "Б" it is the third letter, C.
    """
    if not answers or key(answers[0][1][0]) != "a":
        return {}, ""
    alike = {own: latin for latin, looks in LOOKALIKES.items() for own in looks}
    own = dict(zip(wording.letters, _LATIN, strict=False))
    moved = {letter: latin for letter, latin in own.items() if alike.get(letter, latin) != latin}
    telling = "".join(letter for letter in own if len(letter) == 1 and letter not in alike)
    return moved, telling if moved else ""


def has_letters(answers: Answers) -> bool:
    """True where the labels are counted with letters, in whatever script the instruction writes them."""
    return is_lettered(answers) or all(len(label) == 1 and label in _LATIN for label, _ in answers)


def exact_words(tokens: Iterable[Token]) -> dict[str, str]:
    """Keys to labels; a spelling without accents counts where it means one thing only."""
    exact: dict[str, str] = {}
    bare: dict[str, set[str]] = {}
    for token in tokens:
        exact.setdefault(key(token.word), token.label)
        bare.setdefault(unaccented(key(token.word)), set()).add(token.label)
    return {word: labels.copy().pop() for word, labels in bare.items() if len(labels) == 1} | exact


def digits_of(answers: Answers, wording: Wording) -> dict[str, str]:
    """Digit to label by the place of the option, in 0 to 9 and in the digits of the language."""
    places = {_place(label, words, answers, wording) + 1: label for label, words in answers}
    counted = {place: label for place, label in places.items() if place <= 9}
    return {str(place): label for place, label in counted.items()} | {
        wording.digits[place]: label for place, label in counted.items()
    }


def _place(label: str, words: tuple[str, ...], answers: Answers, wording: Wording) -> int:
    """Where a label is among the options, from 0: by its letter, since labels may come in another order."""
    for letters in (_LATIN, wording.letters):
        for letter in (key(words[0]).upper(), label):
            if letter in letters:
                return letters.index(letter)
    return [each for each, _ in answers].index(label)
