"""Endings, copulas, marks and magnitudes around an answer, in the languages that need more than one blank-separated word."""

from __future__ import annotations

import pytest

from hesperus.answers import read, reader_for
from hesperus.answers.phrases import Phrases
from hesperus.languages import pack


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("az", "Düzgün cavab B-dir.", "B"), ("az", "Düzgün cavab A deyil, B-dir.", "B"), ("az", "B-Film haqqında.", None),
        ("hy", "Ճիշտ պատասխանը B-ն է։", "B"), ("hy", "Ճիշտ պատասխանը ոչ թե A-ն է, այլ B-ն։", "B"), ("en", "It was B-level work.", None),
    ],
)  # fmt: skip
def test_a_hyphen_may_begin_an_ending_and_no_other_word(
    language: str, reply: str, expected: str | None
) -> None:
    reader = reader_for("choice", language, answers={name: [name] for name in "ABCD"})
    assert read(reader, reply).label == expected


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("si", "පිළිතුර ලක්ෂ 3 කි.", "300000"), ("si", "ඇපල් 15ක් ඇත.", "15"), ("sw", "Jibu ni milioni 3.", "3000000"),
        ("sw", "Kuna watu 3.", "3"), ("en", "A million 3 times: 3", "3"), ("az", "Cavab 5 mindir.", "5000"),
        ("tr", "Cevap 5 bindir.", "5000"), ("uz", "Javob 5 ming.", "5000"), ("az", "5 minlik", "5"),
    ],
)  # fmt: skip
def test_a_magnitude_stands_before_its_number_or_takes_an_ending(
    language: str, reply: str, expected: str
) -> None:
    assert read(reader_for("number", language, answers={}), reply).label == expected


def test_a_vowel_sign_does_not_end_a_word() -> None:
    wrong = Phrases.of(["වැරදි*", "गलत"], str)
    assert not wrong.stand_in("නිවැරදියි")
    assert not wrong.stand_in("गलती")
    assert wrong.stand_in("පිළිතුර වැරදියි")
    assert wrong.stand_in("यह गलत है")


def test_an_ellipsis_represents_48_characters_at_most() -> None:
    excludes = Phrases.of(["rule … out"], str)
    assert excludes.stand_in(f"rule {'x' * 46} out")
    assert not excludes.stand_in(f"rule {'x' * 47} out")


@pytest.mark.parametrize(
    "reply", ["ბ", "(ბ)", "პასუხია ბ.", "ბ ვარიანტი სწორია.", "ა) არასწორია. სწორია ბ)."]
)
def test_georgian_letters_have_no_capitals(reply: str) -> None:
    own = zip("ABCD", pack("ka").option_letters, strict=False)
    reader = reader_for("choice", "ka", answers={name: [letter] for name, letter in own})
    assert read(reader, reply).label == "B"


def test_a_word_of_a_letter_and_an_ending_is_no_letter() -> None:
    own = zip("ABCD", pack("ka").option_letters, strict=False)
    reader = reader_for("choice", "ka", answers={name: [letter] for name, letter in own})
    assert read(reader, "და.").label is None
    assert read(reader, "პარიზი და ლონდონი.").label is None


def test_a_dotless_ending_is_one() -> None:
    answers = {name: own[:1] for name, own in pack("tr").groups["polarity"].items()}
    assert read(reader_for("label", "tr", answers=answers), "Cevap hayırdır.").label == "no"
