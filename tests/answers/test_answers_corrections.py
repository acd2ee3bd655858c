"""Replies that take an answer back, ask it, name all but one or doubt it; and everyday wrappings.

Both files are in the form of tests/languages/replies. `corrections.txt` was written before the words of any pack; by the
rules of that time 58 of 151 in 41 languages were read falsely and 45 missed. `doubts.txt` holds what was read falsely or
missed (and next to it what must not be lost) of 924 replies in 69 languages, written before any pack knew words of doubt:
164 false, 55 missed; at its end what 1,018 further replies in 63 languages showed (14 false, 56 missed).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hesperus.answers import read, reader_for
from languages.replies_file import Line, lines_of, verdict

LINES = [
    line for name in ("corrections.txt", "doubts.txt") for line in lines_of(Path(__file__).with_name(name))
]


@pytest.mark.parametrize("language", sorted({line.language for line in LINES}))
def test_what_is_upheld_is_the_answer(language: str) -> None:
    wrong = [str(line) for line in LINES if line.language == language and verdict(line) != "right"]
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("language", "task", "reply", "label"),
    [
        ("en", "y", "Yes. No.", None), ("en", "y", "Yes, sorry, no further details.", "Y"),
        ("en", "m", "A. Sorry for the long wait!", "A"), ("en", "m", "A. Sorry, not B.", "A"),
        ("de", "y", "Ja. Nein.", None),
        ("en", "m", "A is right, wait and see.", "A"), ("zh", "y", "是。否。", None),
    ],
)  # fmt: skip
def test_what_is_no_correction(language: str, task: str, reply: str, label: str | None) -> None:
    line = Line("", 0, language, ("w", "x", "y", "z"), task, "-", reply)
    found = read(line.reader(), reply).label
    assert found == label if task != "#" else found != "12"


def test_a_correction_of_another_language_is_none() -> None:
    reader = reader_for("choice", "de", answers={one: [one] for one in "ABCD"})
    assert read(reader, "A. Perdón, C.").label is None


def test_a_correction_has_at_most_three_words_next_to_its_number() -> None:
    reader = reader_for("number", "en", answers={})
    assert read(reader, "12. Sorry, about 15 apples.").rule == "corrected number"
    assert read(reader, "12. Sorry, there were 15 apples.").rule != "corrected number"
