"""Which words of a text name a label of an instruction."""

from __future__ import annotations

import pytest

from hesperus.senses.mentions import bare_labels

YES_NO = {"yes": ("yes", "oui"), "no": ("no", "non")}
LETTERS = {"A": ("A",), "B": ("B",)}
CHINESE = {"yes": ("是", "yes"), "no": ("不是", "no")}
TRUE = {"true": ("true",), "false": ("not true", "false")}


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("Yes or no?", YES_NO, [("yes", "Yes"), ("no", "no")]),
        ("Is it known? Answer a nonsense word, in casino, or piano.", YES_NO, []),
        ("Responda a la pregunta con A o B", LETTERS, [("A", "A"), ("B", "B")]),
        ("a or b", LETTERS, []),
        ("请回答是或不是。", CHINESE, [("yes", "是"), ("no", "不是")]),
        ("回答YES或no吗, noisy", CHINESE, [("yes", "YES"), ("no", "no")]),
        ("答案A是", CHINESE, [("yes", "是")]),
        ("It is not true, or true.", TRUE, [("false", "not true"), ("true", "true")]),
        (
            "True enough, or true?",
            TRUE | {"most": ("true enough",)},
            [("most", "True enough"), ("true", "true")],
        ),
        ("", YES_NO, []),
        ("yes", {}, []),
    ],
)
def test_words_count_as_whole_words_and_the_longest_counts(
    text: str, words: dict[str, tuple[str, ...]], found: list[tuple[str, str]]
) -> None:
    assert list(bare_labels(text, words)) == found
