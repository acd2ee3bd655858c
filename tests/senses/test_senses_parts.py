"""Instructions in parts: nothing lost, nothing doubled, and every refusal says what came back."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import SenseError
from hesperus.senses import instruction_parts, recompose
from hesperus.types import Instruction

YES_NO = {"same": ("yes",), "different": ("no",)}
PAWS = Instruction(
    "en",
    "Do the following sentences have the same meaning?",
    {"sentence1": "Sentence", "sentence2": "Sentence"},
    'Please answer with "yes" or "no".',
    YES_NO,
)
DE = {"same": ("ja",), "different": ("nein",)}
XNLI = Instruction(
    "en",
    "Which is true: (A) the first entails the second, (B) it contradicts it, or (C) neither of the two?",
    {"premise": "Sentence", "hypothesis": "Sentence"},
    'Please answer with "A", "B", or "C".',
    {"entailment": ("A",), "neutral": ("C",), "contradiction": ("B",)},
)


def made_of(instruction: Instruction, *texts: str) -> dict[str, str]:
    return dict(zip(instruction_parts(instruction), texts, strict=True))


def paws(suffix: str, word: str = "Satz", answers: Mapping[str, tuple[str, ...]] = DE) -> Instruction:
    return recompose(PAWS, made_of(PAWS, "Bedeuten die Sätze dasselbe?", word, suffix), "de", answers)


def test_each_distinct_part_is_a_request_of_its_own() -> None:
    assert instruction_parts(PAWS) == (PAWS.prefix, "Sentence", PAWS.suffix)
    assert instruction_parts(Instruction("en", "", {}, " Answer. ", {})) == ("Answer.",)


@pytest.mark.parametrize(
    ("suffix", "same", "different"),
    [
        ('Bitte antworten Sie mit "Ja" oder "Nein".', ("Ja",), ("Nein",)),
        ("Bitte antworten Sie mit „ja“ oder „nein“.", ("ja",), ("nein",)),
        ('Antworte mit "nein" oder "ja".', ("ja",), ("nein",)),
        ("Bitte antworte mit ja oder nein.", ("ja",), ("nein",)),
        ('Antworte "yes" oder "no".', ("yes", "ja"), ("no", "nein")),
        ('Antworte mit "jawohl" oder "keineswegs".', ("jawohl", "ja"), ("keineswegs", "nein")),
        ('Antworte ("kurz") mit "ja" oder "nein".', ("ja",), ("nein",)),
    ],
)
def test_the_words_of_the_labels_are_those_that_the_instruction_names(
    suffix: str, same: tuple[str, ...], different: tuple[str, ...]
) -> None:
    answers = paws(suffix).answers
    assert answers == {"same": same, "different": different}


def test_quoted_words_come_before_the_known_ones_as_in_the_released_chinese_instruction() -> None:
    zh = {"same": ("是",), "different": ("否", "不是", "不")}
    answers = paws("请用“是”或“不是”回答。", "句子", zh).answers
    assert answers == {"same": ("是",), "different": ("不是", "否", "不")}


@pytest.mark.parametrize(
    ("suffix", "complaint"),
    [
        ("Bitte antworte kurz.", "lost: 'same', 'different'"),
        ('Bitte antworte mit "ja".', "lost: 'different'"),
        ("Bitte antworte mit ja oder ja.", "lost: 'different'; doubled: 'same'"),
        ('Antworte mit "ja", "nein" oder "nein".', "doubled: 'different'"),
        ('Antworte mit "ja" oder "Ja".', "not clear which label"),
        ('Antworte mit "klar" oder "klar".', "stands for two labels"),
        ('Antworte mit "nein" oder "klar".', "not clear which label"),
        ("", "came back empty"),
        ("Sicher! " * 60, "much longer than itself"),
    ],
)
def test_a_lost_doubled_or_unclear_label_is_refused(suffix: str, complaint: str) -> None:
    with pytest.raises(SenseError) as caught:
        paws(suffix)
    assert complaint in str(caught.value)
    assert "instructions:" in str(caught.value)
    if suffix and "longer" not in complaint:
        assert repr(suffix) in str(caught.value)


@pytest.mark.parametrize(
    "word",
    [
        '"Phrase" translates to "Sentence" in English.',
        "Satz.",
        "Satz\nSentence",
        "Das Wort dafür ist wohl Satz",
    ],
)
def test_a_sentence_about_a_word_is_no_word(word: str) -> None:
    with pytest.raises(SenseError, match="which is no word for it"):
        paws('Antworte mit "ja" oder "nein".', word)


def test_a_question_may_be_the_word_of_a_field() -> None:
    ask = Instruction("en", "", {"asks=cause": "What was the cause?"}, "", {})
    made = recompose(ask, {"What was the cause?": "Was war die Ursache?"}, "de", {})
    assert made.words == {"asks=cause": "Was war die Ursache?"}


def test_a_missing_part_is_refused() -> None:
    with pytest.raises(SenseError, match="was not made"):
        recompose(PAWS, {PAWS.prefix: "x", "Sentence": "Satz"}, "de", DE)


def xnli(prefix: str, suffix: str) -> Mapping[str, tuple[str, ...]]:
    return recompose(XNLI, made_of(XNLI, prefix, "Satz", suffix), "xx", {}).answers


@pytest.mark.parametrize(
    ("prefix", "suffix", "words"),
    [
        ("Was gilt: (A) folgt, (B) widerspricht, (C) keins?", 'Antworte mit "A", "B" oder "C".', "A B C"),
        ("哪一个是正确的：（A）蕴含，（B）矛盾，还是（C）两者都不？", "请用“A”、“B”或“C”回答。", "A B C"),
        ("Was gilt: A) folgt, B) widerspricht, C) keins?", "Antworte mit A, B oder C.", "A B C"),
        (
            "Что верно: (А) следует, (Б) противоречит, (В) ни то ни другое?",
            "Ответьте «А», «Б» или «В».",
            "А Б В",
        ),
    ],
)
def test_letters_stay_in_their_order(prefix: str, suffix: str, words: str) -> None:
    first, second, third = words.split()
    answers = xnli(prefix, suffix)
    assert (answers["entailment"][0], answers["contradiction"][0], answers["neutral"][0]) == (
        first,
        second,
        third,
    )


@pytest.mark.parametrize(
    ("prefix", "suffix", "complaint"),
    [
        ("Was gilt: (A) folgt, (B) widerspricht?", 'Antworte mit "A", "B" oder "C".', "lost: 'neutral'"),
        ("(B) widerspricht, (A) folgt, (C) keins?", 'Antworte mit "A", "B" oder "C".', "their order changed"),
        (
            "(A) (A) folgt, (B) widerspricht, (C) keins?",
            'Antworte mit "A", "B" oder "C".',
            "doubled: 'entailment'",
        ),
        ("(A) folgt, (B) widerspricht, (C) keins?", 'Antworte mit "A" oder "B".', "lost: 'neutral'"),
    ],
)
def test_a_lost_or_moved_letter_is_refused(prefix: str, suffix: str, complaint: str) -> None:
    with pytest.raises(SenseError) as caught:
        xnli(prefix, suffix)
    assert complaint in str(caught.value)


def test_the_letter_of_an_option_stays_its_first_word() -> None:
    ask = Instruction("en", "", {}, 'Answer "A" or "B".', {"A": ("A",), "B": ("B",)})
    made = recompose(ask, {ask.suffix: "Ответьте «А» или «Б»."}, "ru", {})
    assert made.answers == {"A": ("A", "А"), "B": ("B", "Б")}


def test_without_a_mention_the_known_words_hold() -> None:
    ask = Instruction("en", "There is no doubt: is it so?", {}, "Be brief.", {"yes": ("yes",), "no": ("no",)})
    made = {ask.prefix: "Es ist so?", ask.suffix: "Kurz."}
    assert recompose(ask, made, "de", {"yes": ("ja",), "no": ("nein",)}).answers == {
        "yes": ("ja",),
        "no": ("nein",),
    }
    with pytest.raises(SenseError, match="no word stands for the label 'yes' in 'xx'"):
        recompose(ask, made, "xx", {})


def test_a_reworded_instruction_keeps_the_words_of_the_original() -> None:
    made = made_of(PAWS, "Is the meaning the same?", "Statement", 'Reply with either "yes" or "no".')
    assert recompose(PAWS, made, "en").answers == {"same": ("yes",), "different": ("no",)}


def test_a_task_without_labels_needs_none() -> None:
    ask = Instruction("en", "", {}, "Please answer with a number.", {})
    assert recompose(ask, {ask.suffix: "Antworte mit einer Zahl."}, "de").answers == {}


_PLAIN = st.text(alphabet="abc é是.", max_size=15)
_LABEL = st.sampled_from(["yes", "no", "Ja", "nein", "是", "不是", "A", "B", "C", "science/technology"])


@settings(derandomize=True, deadline=None, max_examples=200)
@given(_PLAIN, _PLAIN, _PLAIN, st.lists(_LABEL, min_size=2, max_size=4, unique_by=str.casefold))
def test_an_identity_translation_gives_the_instruction_back(
    prefix: str, word: str, suffix: str, labels: list[str]
) -> None:
    quoted = " or ".join(f'"{label}"' for label in labels)
    answers = {f"label {place}": (label,) for place, label in enumerate(labels)}
    ask = Instruction(
        "en", prefix.strip(), {"x": word.strip()}, f"{suffix.strip()} Answer {quoted}.".strip(), answers
    )
    same = {part: part for part in instruction_parts(ask)}
    assert recompose(ask, same, "en", answers) == ask
    assert recompose(ask, same, "en", {}) == ask
