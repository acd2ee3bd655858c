"""Letters that look alike, marks that nobody sees, emoji and wrappings: a reply is read as before, or not at all."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from itertools import islice

import pytest

from hesperus.answers import read
from hesperus.answers.spelling import unmixed
from languages.replies_file import FOLDER, Line, lines_of

UNSEEN = "\u200b\u200e\u200f\u2060\ufeff\u00ad"
CYRILLIC = str.maketrans("ABCEH", "АВСЕН")
GREEK = str.maketrans("ABEH", "ΑΒΕΗ")
EACH = 12
"""Replies of each language."""


def unseen(text: str) -> str:
    draw = random.Random(text)
    return "".join(letter + (draw.choice(UNSEEN) if draw.random() < 0.15 else "") for letter in text)


def shuffled_marks(text: str) -> str:
    draw = random.Random(text)
    found: list[list[str]] = []
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character) and found:
            found[-1].append(character)
        else:
            found.append([character])
    return "".join(first + "".join(draw.sample(marks, len(marks))) for first, *marks in found)


WAYS: dict[str, Callable[[str], str]] = {
    "marks that nobody sees": unseen,
    "marks in any order": shuffled_marks,
    "Cyrillic letters for Latin ones": lambda text: text.translate(CYRILLIC),
    "Greek letters for Latin ones": lambda text: text.translate(GREEK),
    "wide letters": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "right to left": lambda text: f"\u2067{text}\u2069",
    "emoji": lambda text: f"{text} 😊",
    "thinking": lambda text: f"<think>A? No, D. Yes. No.</think>\n{text}",
    "a tag": lambda text: f"<answer>{text}</answer>",
    "a megabyte": lambda text: text + " " * 1_000_000,
}
LINES = [line for file in sorted(FOLDER.glob("*.txt")) for line in islice(lines_of(file), EACH)]


def changed(line: Line, way: Callable[[str], str]) -> str | None:
    """How a reply is read after a change, where it is a false answer that it was not before."""
    before, after = read(line.reader(), line.reply), read(line.reader(), way(line.reply))
    wrong = after.outcome == "answered" and after.label not in (before.label, line.meaning)
    return f"{line}, then {after.label} ({after.rule})" if wrong else None


@pytest.mark.parametrize("way", WAYS)
def test_what_only_looks_different_makes_no_false_answer(way: str) -> None:
    # Of each language one reply is put before a megabyte: what is done with that takes a thousand times as long.
    lines = LINES[::EACH] if way == "a megabyte" else LINES
    found = [fault for line in lines if (fault := changed(line, WAYS[way])) is not None]
    assert not found, found


@pytest.mark.parametrize("way", ["marks in any order", "right to left", "thinking"])
def test_what_changes_nothing_loses_no_answer(way: str) -> None:
    lost = [
        str(line)
        for line in LINES
        if (label := read(line.reader(), line.reply).label) is not None
        and read(line.reader(), WAYS[way](line.reply)).label != label
    ]
    assert not lost, lost


@pytest.mark.parametrize(
    ("mixed", "plain"),
    [
        ("Вoth", "Both"),
        ("Cтолица", "Столица"),
        ("Пpавильный", "Правильный"),
        ("Bны", "Bны"),
        ("A и В", "A и В"),
    ],
)
def test_a_word_has_one_script(mixed: str, plain: str) -> None:
    assert unmixed(mixed) == plain


@pytest.mark.parametrize(
    ("language", "task", "reply", "label"),
    [
        ("ru", "y", "Да 👍", "Y"),
        ("bg", "t", "Твърдението не е вярно. 😊", "F"),
        ("de", "y", "Sie sind gleich. Ja. 😊", "Y"),
    ],
)
def test_an_emoji_at_the_end_ends_the_answer(language: str, task: str, reply: str, label: str) -> None:
    line = Line("", 0, language, ("w", "x", "y", "z"), task, label, reply)
    assert read(line.reader(), reply).label == label
