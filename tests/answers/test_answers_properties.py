"""What holds for any text: no crash, bounded time, and wrapping that changes nothing."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hesperus.answers import Reader, answer_from_logprobs, read, reader_for
from hesperus.normalization import MOST_CHARACTERS, clean, key
from hesperus.types import OUTCOMES, Reply
from waiting import bounded_work

YES_NO = {
    "en": ("yes", "no"), "de": ("ja", "nein"), "fr": ("oui", "non"), "es": ("sí", "no"), "zh": ("是", "不是"),
    "ar": ("نعم", "لا"), "th": ("ใช่", "ไม่ใช่"), "ru": ("да", "нет"),
}  # fmt: skip


@cache
def readers() -> tuple[Reader, ...]:
    """Made when they are first asked for: that reads all packs, which no other file needs where it is collected."""
    return (
        *(reader_for("label", tag, answers={"yes": [yes], "no": [no]}) for tag, (yes, no) in YES_NO.items()),
        reader_for("label", "en", answers={"yes": ["yes"], "no": ["no"]}, preset="ohmer2023"),
        reader_for("choice", "zh", answers={x: [x] for x in "ABCD"}, options=["one two", "12", "猫", "*"]),
        reader_for("choice", "ru", answers={x: [x] for x in "ABCD"}),
        reader_for("choice", "en", answers={x: [x] for x in "ABCD"}, preset="strict"),
        reader_for("text", "en", answers={}),
        reader_for("text", "ja", answers={"Q1": ["東京", "Tokyo"], "Q2": ["京都"]}),
        reader_for("number", "de", answers={}),
    )


PIECES = [
    "yes", "no", "ja", "nein", "oui", "是", "不是", "否", "ใช่", "нет", "لا", "A", "B", "(C)", "b)", "Option", "选项", "the answer is", "Antwort:",
    "答案是", "or", "oder", "，", "。", ".", ",", "\n", " ", '"', "“", "**", "`", "$", r"\boxed{", "}", "<think>", "</think>", "I'm sorry, but",
    "not", "if", "1", "٢", "1,234.5", "\u200b", "\ud800", "ﷺ", "İ", "ı", "ß", "#", "-", "_", "😀",
]  # fmt: skip

WRAPS = ["{}", " {} ", "\n{}\n", '"{}"', "“{}”", "«{}»", "「{}」", "'{}'", "({})", "[{}]", "{}.", "{}!", "**{}**", "*{}*", "`{}`", "# {}", "- {}", "> {}", "~~{}~~", "```\n{}\n```"]  # fmt: skip


@settings(derandomize=True, max_examples=300, deadline=None)
@given(text=st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=80))
@example(text="\ud800")
@example(text="\\boxed{")
def test_any_text_is_read_without_a_crash(text: str) -> None:
    for reader in readers():
        for finish in ("stop", "length"):
            answer = read(reader, Reply(text, finish))
            assert answer.outcome in OUTCOMES
            assert (answer.label is not None) == (answer.outcome == "answered")
            assert answer.rule
            if reader.form in ("label", "choice"):
                assert answer.label is None or answer.label in reader.labels


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    language=st.sampled_from(sorted(YES_NO)),
    word=st.integers(0, 1),
    wraps=st.lists(st.sampled_from(WRAPS), max_size=3),
)
def test_a_template_is_read_whatever_case_blanks_quotes_and_markdown_wrap_it(
    language: str, word: int, wraps: list[str]
) -> None:
    reader = readers()[list(YES_NO).index(language)]
    for written in (YES_NO[language][word], YES_NO[language][word].upper(), YES_NO[language][word].title()):
        reply = written
        for wrap in wraps:
            reply = wrap.format(reply)
        assert read(reader, reply).label == reader.labels[word], reply


@settings(derandomize=True, max_examples=100, deadline=None)
@given(letter=st.sampled_from("ABCDabcd"), wraps=st.lists(st.sampled_from(WRAPS), max_size=3))
def test_a_letter_is_read_whatever_wraps_it(letter: str, wraps: list[str]) -> None:
    reply = letter
    for wrap in wraps:
        reply = wrap.format(reply)
    assert read(readers()[-5], reply).label == letter.upper(), reply


@settings(derandomize=True, max_examples=200, deadline=None)
@given(text=st.text(max_size=60))
def test_cleaning_twice_is_cleaning_once_for_keys(text: str) -> None:
    assert key(key(text)) == key(text)
    assert len(clean(text)) <= 2 * MOST_CHARACTERS + 1


@settings(derandomize=True, max_examples=100, deadline=None)
@given(values=st.lists(st.floats(-1e6, 0), min_size=1, max_size=8), shift=st.floats(-100, 100))
def test_probabilities_sum_to_one_and_ignore_a_common_constant(values: list[float], shift: float) -> None:
    labels = [str(place) for place in range(len(values))]
    answer = answer_from_logprobs(values, labels)
    assert answer.probs is not None
    assert sum(answer.probs) == pytest.approx(1)
    assert answer.probs[labels.index(str(answer.label))] == max(answer.probs)
    moved = answer_from_logprobs([value + shift for value in values], labels)
    assert moved.probs == pytest.approx(answer.probs, abs=1e-6)


MEGABYTE = 1_000_000
HOSTILE = [
    " ", "\n", '"', "(", "the answer is ", 'answer: "', "A, B, ", "A or ", "*", "*a ", "**a** ", r"\boxed{", "<think>", "1", "1,", "1 234", "# ",
    "是", "ﷺ", ". ", "_", "-", 'no "', "A. x\n", "\u0301", "\u0301\u0316", "\u200d", "\ud800", "> ", "<think></think>", "- 1", "ไม่ใช่", "not ", "if ", "{", "\\",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE, ids=ascii)
def test_a_megabyte_of_anything_is_read_in_bounded_time(piece: str) -> None:
    reply = piece * (MEGABYTE // len(piece))
    asked = [readers()[place] for place in (0, 6, 8, 9, 12, 14)]
    for reader in asked:
        read(reader, "warm")
    with bounded_work():
        for reader in asked:
            read(reader, reply)


UNDECIDED = [
    ("en", "I can't say yes or no."), ("de", "Ja und nein."), ("fr", "Je ne sais pas si oui ou non."), ("zh", "我无法确定是或否。"),
    ("ar", "لا يمكن القول نعم أو لا."), ("th", "ตอบไม่ได้ว่าใช่หรือไม่ใช่"), ("ru", "Да или нет, сказать трудно."), ("es", "No puedo decir sí o no."),
]  # fmt: skip
INVISIBLE = [
    "\u200b",
    "\u200e",
    "\u200f",
    "\u202a",
    "\u202e",
    "\u2066",
    "\u2069",
    "\ufeff",
    "\u00ad",
    "\u2060",
]
MARKS = ["\u0301", "\u0323", "\u0308", "\u093c", "\u0e49", "\u064b", "\u05b0", "\u20d7"]


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    case=st.sampled_from(UNDECIDED),
    put=st.lists(st.tuples(st.integers(0, 60), st.sampled_from(INVISIBLE)), max_size=8),
    form=st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]),
)
def test_characters_that_nobody_sees_and_unicode_forms_make_no_answer(
    case: tuple[str, str], put: list[tuple[int, str]], form: Literal["NFC", "NFD", "NFKC", "NFKD"]
) -> None:
    language, reply = case
    reader = readers()[list(YES_NO).index(language)]
    written = unicodedata.normalize(form, reply)
    for place, character in put:
        written = written[: place % len(written)] + character + written[place % len(written) :]
    assert read(reader, written) == read(reader, reply)
    assert read(reader, written).label is None


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    pieces=st.lists(st.sampled_from([reply for _, reply in UNDECIDED]), min_size=1, max_size=4),
    marks=st.lists(st.sampled_from(MARKS), max_size=4),
    put=st.integers(0, 200),
)
def test_mixed_scripts_and_marks_in_any_order_are_no_answer_of_another_language(
    pieces: list[str], marks: list[str], put: int
) -> None:
    text = " ".join(pieces)
    place = put % len(text)
    for order in (marks, marks[::-1]):
        answers = [read(reader, text[:place] + "".join(order) + text[place:]) for reader in readers()[9:12]]
        assert [answer.label for answer in answers] == [None] * len(answers)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(
    one=st.sampled_from("AΑА"),
    join=st.sampled_from([" or ", "/", ", ", " and ", " & "]),
    other=st.sampled_from("BВΒ"),
)
def test_letters_that_look_alike_are_two_answers_where_two_are_given(one: str, join: str, other: str) -> None:
    for place in (-5, 9, 10):
        assert read(readers()[place], f"{one}{join}{other}").label is None
    assert read(readers()[10], other).label == read(readers()[10], f"({other})").label == "B"


@pytest.mark.parametrize("piece", ["B, ", "ich weiß ", "yes and ", "A ist ", "not "])
def test_time_grows_no_faster_than_the_reply(piece: str) -> None:
    reply = piece * (100_000 // len(piece))
    with bounded_work():
        for reader in readers()[:2] + readers()[9:11]:
            read(reader, reply)


def test_an_answer_at_either_end_of_a_megabyte_is_found() -> None:
    filler = "The river rises in the hills. " * (MEGABYTE // 30)
    assert read(readers()[0], f"Yes. {filler}").label == "yes"
    assert read(readers()[0], f"{filler}Therefore, the answer is no.").label == "no"


@pytest.mark.parametrize("mark", ["\ufeff", "\u200b", " \ufeff\n"])
def test_thinking_is_cut_behind_a_character_that_nobody_sees(mark: str) -> None:
    assert read(readers()[-2], f"{mark}<think>Kyoto or Tokyo?</think>Tokyo").label == "Q1"
    assert read(readers()[-2], f"{mark}<think>Kyoto or").outcome == "truncated"
