"""Replies that give two letters, take one back or hide it: corrections, strokes, marks, directions; and a megabyte of each sign.

`adversarial.tsv`: language, reply (`\\n`, `\\u0301` for what is not seen), the letters that are no false answer (`-`: none).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hesperus.answers import read, reader_for
from waiting import bounded_work

LINES = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("adversarial.tsv").read_text(encoding="utf-8").splitlines()
]
LANGUAGES = sorted({language for language, _, _ in LINES})
_ESCAPE = re.compile(r"\\(?:n|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
OPTIONS = ["§1", "§2", "§3", "§4"]


def letter(language: str, reply: str, options: list[str]) -> str | None:
    reader = reader_for("choice", language, answers={one: [one] for one in "ABCD"}, options=options)
    return read(reader, reply).label


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_false_answer(language: str) -> None:
    for tag, written, allowed in LINES:
        if tag == language:
            reply = _ESCAPE.sub(lambda found: found[0].encode().decode("unicode_escape"), written)
            assert letter(language, reply, OPTIONS) in {None, *allowed.strip("-")}, written


def test_a_letter_in_an_option_or_behind_a_name_is_no_second_answer() -> None:
    assert letter("en", "A. Vitamin C", OPTIONS) == "A"
    assert letter("en", "A. vitamin C", ["vitamin C", "iron", "zinc", "salt"]) == "A"
    assert letter("en", "B is right. C is wrong.", OPTIONS) == "B"
    assert letter("eu", "Ez da A, B baizik.", OPTIONS) == "B"


def test_what_is_struck_out_is_taken_back() -> None:
    assert letter("en", "~~A~~ B", OPTIONS) == "B"
    assert letter("en", "<del>A</del> C", OPTIONS) == "C"
    assert letter("en", "A\u0336 D", OPTIONS) == "D"
    assert letter("en", "~~A~~", OPTIONS) == "A"


@pytest.mark.parametrize("form", ["choice", "label", "number", "text"])
@pytest.mark.parametrize("sign", ["A ", "\u0301", "(", "\u202e", "is A or ", "*", "A\n", "_a_", "1,", "~~"])
def test_a_megabyte_is_read_in_bounded_time(form: str, sign: str) -> None:
    words = {"choice": {one: [one] for one in "ABCD"}, "label": {"yes": ["yes"], "no": ["no"]}}.get(form, {})
    reply = sign * (1_000_000 // len(sign))
    with bounded_work():
        read(reader_for(form, "en", answers=words), reply)
