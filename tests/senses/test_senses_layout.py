"""Layouts: strict, loss-free, and exactly the released prompts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import DataError, HesperusError, SenseError, UnknownNameError
from hesperus.senses import placeholders, render
from hesperus.types import Instruction, Item

ASK = Instruction("en", "Prefix?", {"a": "Text", "b": "Text"}, "Suffix.", {"yes": ("yes",), "no": ("no",)})
ITEM = Item("1", "en", {"a": "one", "b": "two"})
PAIR = '{prefix} {a.word} 1: "{a}" {b.word} 2: "{b}" {suffix}'


def ask(prefix: str = "Prefix?", suffix: str = "Suffix.", word: str = "Text") -> Instruction:
    return Instruction("en", prefix, {"a": word, "b": word}, suffix, {})


def test_parts_stand_where_the_layout_says() -> None:
    assert render(PAIR, ASK, ITEM) == 'Prefix? Text 1: "one" Text 2: "two" Suffix.'
    assert [str(slot) for slot in placeholders(PAIR)] == [
        "{prefix}",
        "{a.word}",
        "{a}",
        "{b.word}",
        "{b}",
        "{suffix}",
    ]


@pytest.mark.parametrize(
    ("instruction", "layout", "expected"),
    [
        (ask(prefix=""), PAIR, 'Text 1: "one" Text 2: "two" Suffix.'),
        (ask(suffix=""), PAIR, 'Prefix? Text 1: "one" Text 2: "two"'),
        (ask(prefix="", suffix=""), PAIR, 'Text 1: "one" Text 2: "two"'),
        (ask(prefix="", suffix="", word=""), PAIR, '1: "one" 2: "two"'),
        (ask(prefix=" "), "{prefix}\n{a}\n{b}\n{suffix}", "one\ntwo\nSuffix."),
        (ask(suffix=""), "{prefix}\n{a}\n{b}\n{suffix}", "Prefix?\none\ntwo"),
        (ask(prefix=""), "{a} {prefix} {b} {suffix}", "one two Suffix."),
        (ask(), "{prefix}{a}{b}  {suffix}", "Prefix?onetwo  Suffix."),
    ],
)
def test_empty_parts_leave_no_doubled_separator(instruction: Instruction, layout: str, expected: str) -> None:
    assert render(layout, instruction, ITEM) == expected


def test_values_are_put_in_verbatim() -> None:
    item = Item("1", "en", {"a": "{b} {{x}} {suffix} \\1", "b": " \n"})
    text = render("{a}|{b}|{prefix}|{suffix}", ask(prefix="{a}"), item)
    assert text == "{b} {{x}} {suffix} \\1| \n|{a}|Suffix."


def test_doubled_braces_are_braces() -> None:
    assert render("{{{a}}} {b} {prefix} {suffix}", ASK, ITEM) == "{one} two Prefix? Suffix."


CHOICE = Item("7", "de", {"q": "Wer?"}, options=("Ada", "Bob", "Eva"), groups={"asks": "cause"})
WORDS = Instruction("en", "", {"asks=cause": "Why?", "asks=effect": "Then?"}, "", {})


def test_options_are_lettered_by_the_layout() -> None:
    assert render("{q}\n{options}", WORDS, CHOICE) == "Wer?\nA. Ada\nB. Bob\nC. Eva"
    assert (
        render("{q} (A) {option.A} (B) {option.B} (C) {option.C}", WORDS, CHOICE)
        == "Wer? (A) Ada (B) Bob (C) Eva"
    )


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "Q: a\nT:\nb 1: one: two"),
        ("fr", "Q : a\nT :\nb 1: one: two"),
        ("fr-CA", "Q : a\nT :\nb 1: one: two"),
        ("zh-Hant", "Q：a\nT：\nb 1: one: two"),
        ("ja", "Q：a\nT：\nb 1: one: two"),
        ("am", "Q፦ a\nT፦\nb 1: one: two"),
        ("hy", "Q՝ a\nT՝\nb 1: one: two"),
        ("km", "Q៖ a\nT៖\nb 1: one: two"),
    ],
)
def test_a_colon_behind_a_word_is_that_of_the_language_of_the_instruction(
    language: str, expected: str
) -> None:
    """A number between word and colon belongs to the layout, as in the released prompts, and so does its colon."""
    words = Instruction(language, "", {"q": "Q", "t": "T", "n": "b"}, "", {})
    item = Item("1", "en", {"q": "a", "t": "", "n": "one: two"})
    assert render("{q.word}: {q}\n{t.word}:\n{t}{n.word} 1: {n}", words, item) == expected


def test_a_word_may_depend_on_a_group() -> None:
    assert render("{q} {asks.word}", WORDS, CHOICE) == "Wer? Why?"


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("is the sky blue", "en", "Is the sky blue?"),
        ("Is NASA a State?", "en", "Is nasa a state?"),
        ("ist der Himmel blau ", "de", "Ist der himmel blau?"),
        ("天是蓝的吗", "zh", "天是蓝的吗？"),
        ("天是蓝的吗?", "zh-CN", "天是蓝的吗?"),
        ("هل السماء زرقاء", "ar", "هل السماء زرقاء؟"),
    ],
)
def test_questions_are_capitalised_as_in_the_released_prompts(
    question: str, language: str, expected: str
) -> None:
    item = Item("1", language, {"q": question})
    assert render("{q|capitalise_question}", Instruction("en", "", {}, "", {}), item) == expected


@pytest.mark.parametrize(
    ("layout", "item", "error", "words"),
    [
        ("{prefix} {a} {b} {suffix} {c}", ITEM, UnknownNameError, "{c}"),
        ("{prefix} {a} {b} {sufix}", ITEM, UnknownNameError, "did you mean '{suffix}'"),
        ("{prefix} {a} {b}", ITEM, DataError, "has no {suffix}"),
        ("{prefix} {a} {suffix}", ITEM, DataError, "leaves out the field 'b'"),
        ("{a} {b} {suffix}", ITEM, DataError, "has no {prefix}"),
        ("{prefix} {a} {b} {suffix} {c.word}", ITEM, UnknownNameError, "word of the instruction in 'en': 'c'"),
        ("{prefix} {a} {b} {suffix} {a.name}", ITEM, UnknownNameError, "{a.word}"),
        ("{prefix} {a|upper} {b} {suffix}", ITEM, UnknownNameError, "filter of the layout: 'upper'"),
        ("{prefix} {a} {b} {suffix} {", ITEM, DataError, "'{' at character 27"),
        ("{prefix} {a} {b} {suffix} {a b}", ITEM, DataError, "is no placeholder"),
        ("{prefix} {a} {b} {suffix} {options}", ITEM, DataError, "the item has none"),
        ("{q} {prefix} {suffix} {option.A}", CHOICE, DataError, "shows 1 options of 3"),
        ("{q} {prefix} {suffix} {option.A} {option.B} {option.D}", CHOICE, UnknownNameError, "{option.D}"),
    ],
)  # fmt: skip
def test_what_cannot_be_filled_or_would_be_lost_is_an_error(
    layout: str, item: Item, error: type[HesperusError], words: str
) -> None:
    with pytest.raises(error, match=".*") as caught:
        render(layout, ASK, item)
    assert words in str(caught.value)


def test_doubled_option_letters_are_refused() -> None:
    with pytest.raises(SenseError, match="already begins with its letter"):
        render("{q} {options}", WORDS, Item("7", "de", {"q": "Wer?"}, options=("A. Ada", "B) Bob")))
    one = Item("7", "de", {"q": "Wer?"}, options=("A. Ada", "Bob"))
    assert render("{q} {options}", WORDS, one).endswith("A. A. Ada\nB. Bob")
    many = Item("7", "de", {"q": "Wer?"}, options=tuple("x" * 27))
    with pytest.raises(DataError, match="27 options"):
        render("{q} {options}", WORDS, many)


_VALUE = st.text(alphabet='ab{}" \n是', max_size=12)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(_VALUE, _VALUE, _VALUE, _VALUE)
def test_rendering_never_loses_a_part(a: str, b: str, prefix: str, suffix: str) -> None:
    text = render(
        '{prefix}\n"{a}"\n"{b}"\n{suffix}',
        ask(prefix=prefix, suffix=suffix),
        Item("1", "en", {"a": a, "b": b}),
    )
    assert f'"{a}"\n"{b}"' in text
    assert text.startswith(prefix if prefix.strip() else '"')
    assert text.endswith(suffix if suffix.strip() else '"')
