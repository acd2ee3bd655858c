"""Items and options put anew: one text each, letters never doubled, gaps never lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import SenseError
from hesperus.senses import clean_option, item_texts, remake_item
from hesperus.types import Item


@pytest.mark.parametrize(
    ("made", "original", "letter", "expected"),
    [
        ("Der Hund", "The dog", "A", "Der Hund"),
        ("A. Der Hund", "The dog", "A", "Der Hund"),
        ("A) Der Hund", "The dog", "A", "Der Hund"),
        ("(A) Der Hund", "The dog", "A", "Der Hund"),
        ("（A）狗", "The dog", "A", "狗"),
        ("a) Der Hund", "The dog", "A", "Der Hund"),
        ('"B: Der Hund"', "The dog", "B", "Der Hund"),
        ('B. "Der Hund"', "The dog", "B", "Der Hund"),
        ("C. elegans", "C. elegans", "C", "C. elegans"),
        ("C. C. elegans", "C. elegans", "C", "C. elegans"),
        ("D. H. Lawrence", "Д. Г. Лоуренс", "D", "D. H. Lawrence"),
        ("B. Der Hund", "The dog", "A", "B. Der Hund"),
        ("A dog", "Ein Hund", "A", "A dog"),
        ("5", "five", "A", "5"),
    ],
)
def test_an_added_letter_comes_off(made: str, original: str, letter: str, expected: str) -> None:
    assert clean_option(made, original, letter) == expected


@pytest.mark.parametrize("made", ["A. A. Der Hund", "A) (A) Der Hund"])
def test_a_doubled_letter_is_refused(made: str) -> None:
    with pytest.raises(SenseError, match="letter doubled"):
        clean_option(made, "The dog", "A")


def test_a_letter_without_a_text_is_refused() -> None:
    with pytest.raises(SenseError, match="without a text"):
        clean_option("A.", "The dog", "A")


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.text(alphabet="xyz wé犬", min_size=2, max_size=12).filter(lambda t: len(t.strip()) > 1),
    st.sampled_from(["{}. ", "{}) ", "({}) ", "{}: ", "（{}）"]),
    st.sampled_from("ABCD"),
)
def test_any_letter_put_before_an_option_comes_off(text: str, style: str, letter: str) -> None:
    assert clean_option(style.format(letter) + text, text, letter) == text.strip()


ITEM = Item("7", "en", {"p": "It rained.", "q": "Why <mask>?"}, "B", ("sun", "rain"), {"subject": "weather"})
MADE = {"It rained.": "Es regnete.", "Why <mask>?": "Warum <mask>?", "sun": "A. Sonne", "rain": "Regen"}


def test_every_field_and_option_is_a_text_of_its_own() -> None:
    assert item_texts(ITEM) == ("It rained.", "Why <mask>?", "sun", "rain")
    assert item_texts(Item("1", "en", {"a": "x", "b": "x", "c": " "})) == ("x",)


def test_a_remade_item_keeps_all_but_its_texts() -> None:
    remade = remake_item(ITEM, MADE, "de")
    assert remade == Item(
        "7", "de", {"p": "Es regnete.", "q": "Warum <mask>?"}, "B", ("Sonne", "Regen"), {"subject": "weather"}
    )


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"sun": "A. A. Sonne"}, "item '7': option A came back with its letter doubled"),
        ({"It rained.": " "}, "item '7', p: 'It rained.' came back empty"),
        ({"Why <mask>?": "Warum?"}, "the gap to be filled was lost"),
        ({"Why <mask>?": "Warum <mask> <mask>?"}, "lost or doubled"),
    ],
)
def test_a_spoiled_text_is_refused_with_its_place(change: dict[str, str], complaint: str) -> None:
    with pytest.raises(SenseError) as caught:
        remake_item(ITEM, MADE | change, "de")
    assert complaint in str(caught.value)


def test_a_text_that_was_not_made_is_refused() -> None:
    with pytest.raises(SenseError, match="nothing was made of 'sun'"):
        remake_item(ITEM, {text: made for text, made in MADE.items() if text != "sun"}, "de")


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    st.lists(st.text(max_size=10), min_size=1, max_size=4),
    st.lists(st.text(min_size=1, max_size=8), max_size=5),
)
def test_an_identity_making_gives_the_item_back(fields: list[str], options: list[str]) -> None:
    kept = tuple(option for option in options if option.strip() == option and option)
    item = Item("1", "en", {f"f{n}": text for n, text in enumerate(fields)}, options=kept or None)
    assert remake_item(item, {text: text for text in item_texts(item)}, "en") == item
