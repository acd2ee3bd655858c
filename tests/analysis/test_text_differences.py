"""What differs between two texts: words, characters, nothing lost, and never slow."""

from __future__ import annotations

import random

import pytest

from hesperus.analysis.text_differences import MOST_TOKENS, differences
from waiting import bounded_work


def marked(a: str, b: str, tag: str) -> tuple[list[str], list[str]]:
    found = differences(a, b, tag)
    assert found is not None
    for text, pieces in zip((a, b), found, strict=True):
        assert "".join(part for part, _ in pieces) == text
    one, other = ([part for part, alone in pieces if alone] for pieces in found)
    return one, other


@pytest.mark.parametrize(
    ("a", "b", "tag", "expected"),
    [
        ("What is the capital?", "What was the capital!", "en", (["is", "?"], ["was", "!"])),
        ("ما عاصمة أنغولا؟", "ما هي عاصمة أنغولا؟", "ar", ([], [" هي"])),
        ("安哥拉的首都是哪里？", "安哥拉的首都在哪里？", "zh", (["是"], ["在"])),
        ("กรุงเทพ", "กรุงเทบ", "th", (["พ"], ["บ"])),
        ("राजधानी क्या है?", "राजधानी कौन है?", "hi", (["क्या"], ["कौन"])),
        ("same", "same", "en", ([], [])),
        ("", "", "xx", ([], [])),
        ("", "new", "no language", ([], ["new"])),
    ],
)
def test_what_one_text_alone_has_is_marked(
    a: str, b: str, tag: str, expected: tuple[list[str], list[str]]
) -> None:
    assert marked(a, b, tag) == expected


def test_texts_that_repeat_themselves_are_no_trap() -> None:
    rng = random.Random(1)
    with bounded_work():
        for a, b in (
            (" a b" * 370, " b a b" * 245),
            (" ".join(rng.choices("abc", k=740)), " ".join(rng.choices("abc", k=740))),
            ("x" * 1_000_000, "x" * 999_999),
        ):
            marked(a, b, "en")
    assert differences("a " * MOST_TOKENS, "b", "en") is None, "too long"
