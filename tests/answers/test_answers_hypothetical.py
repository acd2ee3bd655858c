"""A case in front that settles nothing, brackets that explain, and words that only bound a number."""

from __future__ import annotations

import pytest

from hesperus.answers import read, reader_for
from hesperus.languages import pack, packs

LETTERS = {letter: [letter] for letter in "ABCD"}


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("en", "If it rains, the answer is 12."), ("en", "Provided that nobody joins, the total is 12."),
        ("de", "Wenn es regnet, ist die Antwort 12."), ("fr", "S'il pleut, la réponse est 12."), ("es", "Si llueve, la respuesta es 12."),
        ("it", "Se piove, la risposta è 12."), ("pl", "Jeśli będzie padać, odpowiedź to 12."), ("fi", "Jos sataa, vastaus on 12."),
        ("tr", "Yağmur yağarsa cevap 12 olur."), ("ja", "雨が降れば、答えは12です。"), ("hi", "अगर बारिश होती है तो उत्तर 12 है।"),
        ("ko", "비가 오면 답은 12입니다."), ("zh", "如果下雨，答案是12。"), ("ru", "Если пойдёт дождь, ответ — 12."),
    ],
)  # fmt: skip
def test_what_holds_in_one_case_is_no_number(language: str, reply: str) -> None:
    assert read(reader_for("number", language, answers={}), reply).outcome == "invalid"


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("en", "If we add them, the answer is 12."), ("en", "If there are 5 apples and 7 more, the total is 12."),
        ("en", "If I understand the question, the answer is 12."), ("en", "If there are five and seven, the total is 12."),
        ("de", "Wenn man alles zusammenzählt, ist die Antwort 12."), ("fr", "Si on additionne le tout, la réponse est 12."),
        ("es", "Si sumamos todo, la respuesta es 12."), ("ru", "Если сложить всё, ответ — 12."), ("pl", "Jeśli wszystko dodamy, odpowiedź to 12."),
        ("tr", "Hepsini toplarsak cevap 12 olur."), ("zh", "如果全部加起来，答案是12。"), ("fi", "Jos ne lasketaan yhteen, vastaus on 12."),
        ("en", "The rule is simple. If it rains, they stay. The answer is 12."),
    ],
)  # fmt: skip
def test_a_step_of_working_leaves_nothing_open(language: str, reply: str) -> None:
    assert read(reader_for("number", language, answers={}), reply).label == "12"


@pytest.mark.parametrize(
    ("language", "reply", "label"),
    [
        ("en", "If the passage describes water, the answer is A.", None), ("nl", "Als het water stroomt, is het antwoord A.", None),
        ("ja", "水が流れているなら、答えはAです。", None), ("ko", "물이 흐른다면 답은 A입니다.", None), ("el", "Αν το νερό κυλάει, τότε η απάντηση είναι A.", None),
        ("cs", "Byli to oni, odpověď je A.", "A"), ("en", "If you ask me, the answer is A.", "A"), ("en", "If we compare them, the answer is A.", "A"),
        ("en", r"If the passage describes water, it is \boxed{A}.", "A"),
    ],
)  # fmt: skip
def test_letters_behind_a_case(language: str, reply: str, label: str | None) -> None:
    assert read(reader_for("choice", language, answers=LETTERS), reply).label == label


@pytest.mark.parametrize("tag", packs())
def test_a_reason_in_brackets_explains_the_number_before_it(tag: str) -> None:
    reader = reader_for("number", tag, answers={})
    for word in pack(tag).grammar.because:
        assert read(reader, f"x = 5 ({word} 5 + 7 = 12)").label == "5", word


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("x = 5 (5 + 7 = 12)", "5"), ("The answer is 5 (since 5 + 7 = 12).", "5"), ("Answer: 5 apples (5 + 7 = 12).", "5"),
        ("5 apples and 7 more (5 + 7 = 12)", "12"), ("x = 5, y = 7 (x + y = 12)", "12"), ("The total (5 + 7 = 12)", "12"),
        ("The total is 12 + 5 (= 17).", "17"), ("f(2) = 4", "4"), ("5(since 5 + 7 = 12)", "5"), ("7 (12 − 5) apples", "7"),
    ],
)  # fmt: skip
def test_an_equation_in_brackets(reply: str, number: str) -> None:
    assert read(reader_for("number", "en", answers={}), reply).label == number


@pytest.mark.parametrize(
    ("language", "reply", "number"),
    [
        ("en", "More than 100.", None), ("en", "More than $100", None), ("en", "The total is 42, which is less than 50.", "42"),
        ("en", "You pay 60 dollars instead of 100.", "60"), ("fr", "On paie 60 euros au lieu de 100.", "60"),
        ("de", "Mehr als 100.", None), ("es", "Más de 100.", None), ("ru", "Больше 100.", None), ("zh", "超过100。", None),
        ("en", "At least 100.", "100"), ("en", "5 more than 7 is 12.", "12"),
    ],
)  # fmt: skip
def test_a_bound_is_no_number(language: str, reply: str, number: str | None) -> None:
    assert read(reader_for("number", language, answers={}), reply).label == number


@pytest.mark.parametrize(
    ("language", "reply", "label"),
    [
        ("pl", "Nie. Mimo że w obu zdaniach pada „tak”.", "no"), ("en", 'No. Both of them hold a "yes".', "no"),
        ("en", 'Yes, but only if "bank" means the same in both.', None), ("et", "Jah, aga ainult siis, kui sõna on sama.", None),
        ("en", "Yes. No.", None), ("en", "It would be a mistake to say yes.", None),
    ],
)  # fmt: skip
def test_words_in_quotes_begin_no_clause(language: str, reply: str, label: str | None) -> None:
    words = pack(language).groups["polarity"]
    reader = reader_for("label", language, answers={name: words[name][:1] for name in ("yes", "no")})
    assert read(reader, reply).label == label
