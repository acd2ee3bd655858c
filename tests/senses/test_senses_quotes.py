"""Quotation marks: cut where a model added them, kept where they belong."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.senses import trim_quotes
from hesperus.senses.quotes import quoted_words

STYLES = [
    ('"', '"'), ("“", "”"), ("„", "“"), ("„", "”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("'", "'"), ("‘", "’"),
    ("‚", "‘"), ("‹", "›"), ("”", "”"), ("＂", "＂"),
]  # fmt: skip


@pytest.mark.parametrize(("opening", "closing"), STYLES)
def test_every_style_of_outer_marks_is_cut(opening: str, closing: str) -> None:
    assert trim_quotes(f"{opening}Der Hund schläft.{closing}", "The dog sleeps.") == "Der Hund schläft."
    assert trim_quotes(f"  {opening} Der Hund. {closing}\n", "The dog.") == "Der Hund."


@pytest.mark.parametrize(
    ("text", "original", "expected"),
    [
        ('"Ja" oder "Nein"', '"yes" or "no"', '"Ja" oder "Nein"'),
        ('"Antworte mit "Ja" oder "Nein"."', 'Answer with "yes" or "no".', 'Antworte mit "Ja" oder "Nein".'),
        ('"Please respond with \'yes\' or \'no\'."', "…", "Please respond with 'yes' or 'no'."),
        ("“是”或“不是”", '"yes" or "no"', "“是”或“不是”"),
        ('"请用"是"或"否"回答。"', 'Answer with "yes" or "no".', '请用"是"或"否"回答。'),
        ('"是"或"否"', '"yes" or "no"', '"是"或"否"'),
        ('"是"或"否"', "yes or no", '"是"或"否"'),
        ("'Don't' is a word'", "x", "'Don't' is a word'"),
        ("'It's a dog's life'", "C'est une vie de chien", "It's a dog's life"),
        ('"Hallo"', '"Hello"', '"Hallo"'),
        ('""Hallo""', '"Hello"', '"Hallo"'),
        ("“„Hallo“”", "Hello", "Hallo"),
        ('“He said "hi" and “ho””', "x", 'He said "hi" and “ho”'),
        ("«Il dit “oui”.»", "x", "Il dit “oui”."),
        ('""', "x", '""'),
        ('"', "x", '"'),
        ('" "', "x", '" "'),
        ('He said "no"', "x", 'He said "no"'),
        ('"No", he said', "x", '"No", he said'),
        ("„A“ und „B“", "A and B", "„A“ und „B“"),
        ("«A» et «B»", "A and B", "«A» et «B»"),
        ('"5\' 3" tall"', "x", '"5\' 3" tall"'),
        ("", "x", ""),
    ],
)  # fmt: skip
def test_only_a_matching_outer_pair_is_cut(text: str, original: str, expected: str) -> None:
    assert trim_quotes(text, original) == expected


_TEXT = st.text(alphabet="ab \"'“”„«»「」是.,“”", max_size=14)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(_TEXT, _TEXT)
def test_trimming_twice_changes_nothing_and_loses_no_word(text: str, original: str) -> None:
    once = trim_quotes(text, original)
    assert trim_quotes(once, original) == once
    assert once in text
    assert [c for c in once if c.isalnum()] == [c for c in text if c.isalnum()]
    assert bool(once) == bool(text.strip())


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.text(alphabet="abc def.,é是", min_size=1, max_size=20).filter(lambda t: t.strip()),
    st.sampled_from(STYLES),
)
def test_marks_put_around_a_text_without_any_come_off_again(text: str, style: tuple[str, str]) -> None:
    assert trim_quotes(f"{style[0]}{text}{style[1]}", text) == text.strip()


def test_released_raw_translations_become_the_released_clean_ones(shared_data: Path) -> None:
    with (shared_data / "multisense" / "instructions.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["raw_prefix_translation"]]
    assert len(rows) == 6
    for row in rows:
        assert trim_quotes(row["raw_prefix_translation"], "x?") == row["prefix"]
        assert trim_quotes(row["raw_suffix_translation"], 'Answer "yes" or "no".') == row["suffix"].strip()
        by_hand = row["instruction"] in ("en_from_es", "en_from_fr")
        assert by_hand or trim_quotes(row["raw_sentence_word_translation"], "x") == row["sentence_word"]


def test_released_clean_translations_stay_as_they_are(shared_data: Path) -> None:
    for name in ("paws-x", "boolq"):
        frame = pl.read_parquet(shared_data / "multisense" / f"translations_{name}.parquet")
        for text in {*frame["text1"], *frame["text2"]}:
            assert trim_quotes(text) == text.strip()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('Please answer with "yes" or "no".', ("yes", "no")),
        ("请用“是”或者“否”回答。", ("是", "否")),
        ("Bitte antworten Sie mit „Ja“ oder „Nein“.", ("Ja", "Nein")),
        ("Répondez par « oui » ou « non ».", ("oui", "non")),
        ("Svar med »ja« eller »nej«.", ("ja", "nej")),
        ("「はい」か「いいえ」で答えてください。", ("はい", "いいえ")),
        ("Reply with 'A', 'B', or 'C'.", ("A", "B", "C")),
        ("Don't answer 'no' unless it's so.", ("no",)),
        ('Reply with “A,” “B,” or “C.”', ("A", "B", "C")),
        ("No quotation at all.", ()),
        ('""', ()),
    ],
)  # fmt: skip
def test_quoted_words_are_found_in_their_order(text: str, words: tuple[str, ...]) -> None:
    assert quoted_words(text) == words
