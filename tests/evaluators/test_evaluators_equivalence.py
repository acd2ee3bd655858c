"""Equivalence of short answers without a model."""

from __future__ import annotations

import csv
from collections import defaultdict
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hesperus.evaluators import EmbeddedGrader, Grader, ModelGrader, Texts, answer_equivalence
from hesperus.evaluators.embedded.words import folded
from hesperus.evaluators.equivalence.short_answers import overlap_grade, quantities
from waiting import bounded_work

SAME = [
    ("5", "five"), ("5", "5 times"), ("five", "5 times"), ("٥", "5"), ("५", "five"), ("五", "5"), ("二十一", "21"),
    ("fünf", "5"), ("cinq", "cinco"), ("пять", "5"), ("twice", "2"), ("1,000", "1000"), ("3.5 million", "3,500,000"),
    ("5 km", "5000 m"), ("5 kg", "5 kilograms"), ("5%", "5 percent"), ("$5", "5 dollars"), ("half an hour", "30 minutes"),
    ("half", "1/2"), ("minus 5", "-5"), ("The Seine", "seine."), ("Brasília", "Brasilia"), ("Nur-Sultan", "nursultan"),
    ("May 1, 1999", "1 May 1999"), ("No.", "no"), ("100 °C", "100 celsius"), ("two hundred and five", "205"),
    ("5 years", "5"), ("ＡＢＣ", "abc"),
]  # fmt: skip
DIFFERENT = [
    ("5", "6"), ("5 kg", "5 km"), ("5 dollars", "5 euros"), ("-5", "5"), ("yes", "no"), ("not Paris", "Paris"),
    ("Paris", "Lyon"), ("May 1, 1999", "2 May 1999"), ("Austria", "Australia"), ("I", "me"), ("10:30", "10.30"),
    ("5 km", "5 miles"), ("five", "fifty"), ("巴黎", "东京"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_answer(a: str, b: str) -> None:
    assert overlap_grade(a, b) == overlap_grade(b, a) == 1.0


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_another_answer(a: str, b: str) -> None:
    assert overlap_grade(a, b) == overlap_grade(b, a) == 0.0


def test_grades_between_rise_with_what_is_shared() -> None:
    grades = [
        overlap_grade("Paris", longer)
        for longer in ("Paris", "Paris, France", "Paris on the Seine in France", "Lyon in France")
    ]
    assert grades == sorted(grades, reverse=True) and grades[0] == 1.0 and grades[-1] == 0.0
    assert 0.5 < grades[2] < grades[1] < 1.0
    assert 0.0 < overlap_grade("Marie Curie", "Pierre Curie") < 0.6


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_grade_is_symmetric_and_in_range(a: str, b: str) -> None:
    assert 0.0 <= overlap_grade(a, b) <= 1.0
    assert overlap_grade(a, b) == overlap_grade(b, a)


@given(st.integers(0, 10**7))
def test_numbers_agree_with_themselves_in_any_form(n: int) -> None:
    forms = [str(n), f"{n:,}", "".join(chr(0x0966 + int(d)) for d in str(n)), f"{n} times", f"about {n}.0"]
    assert all(overlap_grade(str(n), form) > 0.7 for form in forms)
    assert overlap_grade(str(n), str(n + 1 + n // 1000)) == 0.0


def test_number_words_of_many_languages_mean_one_number() -> None:
    text = (files("hesperus.evaluators.equivalence") / "number_words.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    meanings: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for word in row["words"].split(";"):
            meanings[folded(word)].add(row["number"])
            assert quantities(word)[0][0].value == int(row["number"]), word
    assert not {word: numbers for word, numbers in meanings.items() if len(numbers) > 1}
    assert len({row["language"] for row in rows}) >= 20


@pytest.mark.parametrize(
    "text", ["5" * 50_000, "5 " * 25_000, "a b " * 10_000, "-" * 50_000, "five-" * 10_000, "1/" * 9_000]
)
def test_long_answers_take_no_time(text: str) -> None:
    with bounded_work():
        assert overlap_grade(text, text) == 1.0


def test_missing_answers_are_graded_by_the_rule() -> None:
    pairs = [
        Texts(("a",), "5", "five"), Texts(("b",), "5", "6"), Texts(("c",), "5", None), Texts(("d",), "", "No answer"),
    ]  # fmt: skip
    found = answer_equivalence(pairs, EmbeddedGrader(), ("item",))
    assert [score["agreement"] for score in found.scores.values()] == [1.0, 0.0, 0.0, 1.0]
    assert [score["state"] for score in found.scores.values()] == [
        "compared", "compared", "candidate_silent", "both_silent"
    ]  # fmt: skip
    assert found.details[2]["reason"] == "no answer on one side" and found.validity.value is None
    assert answer_equivalence([], EmbeddedGrader(), ("item",)).scores == {}
    with pytest.raises(ValueError, match="two pairs have the key"):
        answer_equivalence([pairs[0], pairs[0]], EmbeddedGrader(), ("item",))


def test_graders_keep_the_protocol() -> None:
    assert isinstance(EmbeddedGrader(), Grader) and isinstance(ModelGrader("a/b", lambda p, n: []), Grader)
