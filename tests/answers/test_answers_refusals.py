"""Replies that decline, in the words of a pack, with regret or with a guess behind it."""

from __future__ import annotations

import pytest

from hesperus.answers import read, reader_for


@pytest.mark.parametrize(
    ("language", "reply", "label"),
    [
        ("de", "Leider liegen mir dazu keine gesicherten Angaben vor.", None),
        ("et", "Kahjuks mul puudub selle kohta info.", None), ("ja", "残念ながら、資料が見つかりませんでした。", None),
        ("sv", "Jag vill helst inte ta ställning i den frågan.", None), ("zh", "对此我不便发表意见。", None),
        ("hu", "Erről nincs tudomásom.", None), ("id", "Hal itu di luar pengetahuan saya.", None), ("ko", "그 점에 대해서는 아는 바가 없습니다.", None),
        ("de", "Der Text enthält dazu keine Angaben.", None), ("pl", "Tekst nie zawiera wystarczających informacji.", None),
        ("it", "Il testo non fornisce informazioni sufficienti.", None), ("ar", "لا يوفر النص معلومات كافية.", None),
        ("pt", "O texto não fornece informações suficientes.", None), ("en", "Please provide the passage.", None),
        ("en", "I'm sorry, I am not sure.", None), ("en", "Perhaps, but I'm not sure.", None),
        ("en", "I am not sure, but it was probably Lima.", "i am not sure but it was probably lima"),
        ("ko", "확실하지는 않지만 아마 윤동주일 것입니다.", "확실하지는 않지만 아마 윤동주일 것입니다"),
        ("en", "I'm not sure, but I think I cannot answer.", None), ("en", "I'm not sure. Perhaps ask a librarian.", None),
    ],
)  # fmt: skip
def test_free_answers_and_refusals(language: str, reply: str, label: str | None) -> None:
    answer = read(reader_for("text", language, answers={}), reply)
    assert (answer.outcome, answer.label) == ("refused" if label is None else "answered", label)


def test_regret_declines_only_where_nothing_was_answered() -> None:
    reader = reader_for("label", "de", answers={"yes": ["ja"], "no": ["nein"]})
    assert read(reader, "Leider nein.").label == "no"
    assert read(reader, "Leider schwer zu beurteilen.").outcome == "refused"
    long = "Leider " + "wissen das nur wenige, die lange danach gesucht haben, " * 5
    assert read(reader, long).outcome == "invalid"


@pytest.mark.parametrize(
    ("language", "reply"), [("yo", "Párìsì"), ("ar", "أحمد شوقي"), ("ru", "Семён Дежнёв"), ("hi", "चाँद")]
)
def test_a_free_answer_keeps_its_spelling(language: str, reply: str) -> None:
    assert read(reader_for("text", language, answers={}), reply).label == reply.casefold()


def test_a_known_answer_is_found_in_another_spelling() -> None:
    reader = reader_for("text", "ru", answers={"Дежнёв": ["Дежнёв"]})
    assert read(reader, "Дежнев").label == "Дежнёв"


def test_english_words_that_mean_something_else_negate_nothing() -> None:
    reader = reader_for("label", "lv", answers={"true": ["patiess"], "false": ["aplams"]})
    assert read(reader, "No visa izriet, ka apgalvojums ir patiess.").label == "true"
    german = reader_for("label", "de", answers={"true": ["wahr"], "false": ["falsch"]})
    assert read(german, "There is no wahr here.").label == "false"
