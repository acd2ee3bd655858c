"""Outcomes, rules, presets, free text, probabilities."""

from __future__ import annotations

import doctest
import math
from collections.abc import Mapping
from dataclasses import fields, replace
from types import ModuleType

import pytest

import hesperus.answers.number_values as number_values_module
import hesperus.answers.reader as reader_module
import hesperus.answers.reading as reading_module
from hesperus.answers import PRESETS, Reader, answer_from_logprobs, read, reader_for
from hesperus.answers.reader import RULES
from hesperus.errors import DataError, UnknownNameError
from hesperus.languages import pack, packs
from hesperus.tasks.atlas import languages as atlas_languages
from hesperus.tasks.atlas import templates
from hesperus.types import Finish, Reply

YES_NO = {
    "en": ("yes", "no"), "de": ("ja", "nein"), "fr": ("oui", "non"), "es": ("sí", "no"), "zh": ("是", "否"), "ja": ("はい", "いいえ"),
    "ko": ("예", "아니요"), "ru": ("да", "нет"), "ar": ("نعم", "لا"), "hi": ("हाँ", "नहीं"), "th": ("ใช่", "ไม่ใช่"), "tr": ("evet", "hayır"),
    "sw": ("ndiyo", "hapana"),
}  # fmt: skip


def yes_no(language: str, preset: str = "default") -> Reader:
    yes, no = YES_NO[language]
    return reader_for("label", language, answers={"yes": [yes], "no": [no]}, preset=preset)


@pytest.mark.parametrize(
    ("language", "reply", "label"),
    [
        ("en", "Yes.", "yes"), ("en", "NO", "no"), ("en", "Yes, they do.", "yes"), ("en", "Yes and no.", None), ("en", "Yes/no", None),
        ("en", "There is no information.", None), ("en", "So, the answer is no.", "no"), ("en", "The answer is no longer known.", None),
        ("en", "If yes, then it is a planet.", None), ("en", "It is, yes, a planet.", "yes"), ("en", "No official word yet.", None),
        ("en", "Yes or no? No.", "no"), ("en", "If it rains the answer is yes. If not, the answer is no.", None),
        ("en", "The answer is yes. On reflection, the answer is no.", "no"), ("en", "Is it a planet? Yes?", None),
        ("de", "Ja die Sätze sind gleich.", "yes"), ("de", "Das ist ja falsch.", None), ("de", "Aber ja, natürlich.", "yes"),
        ("de", "Wenn ja, dann schon.", None), ("de", 'The answer is "Nein".', "no"), ("de", "Deshalb lautet die Antwort: Nein.", "no"),
        ("fr", "Oui.", "yes"), ("fr", "L'utilisation ou non d'un accent", None), ("fr", "Donc la réponse est « non ».", "no"),
        ("es", "Si.", "yes"), ("es", "Si llueve, no salen.", None), ("es", "Las dos entre sí se parecen.", None), ("es", "No lo sé.", None),
        ("zh", "不是。", "no"), ("zh", "是的。", "yes"), ("zh", "这两个句子是相同的。", None), ("zh", "不是一样的。", None), ("zh", "可能是。", None),
        ("zh", "所以，是。", "yes"), ("zh", "无法判断是否相同。", None), ("zh", "因此，回答是。", "yes"), ("zh", "答案是“否”。", "no"), ("zh", "答案是否定的。", "no"),
        ("zh", "请回答“是”或“不是”。", None), ("ja", "はい、そうです。", "yes"), ("ja", "答えはいいえです。", "no"), ("ja", "はいです", "yes"),
        ("ko", "아니요, 다릅니다.", "no"), ("ko", "네 가지 이유가 있다.", None), ("ko", "정답은 예입니다.", "yes"), ("ru", "Нет информации.", None),
        ("ru", "Ответ: нет.", "no"), ("ar", "لا يوجد معلومات", None), ("ar", "لا، ليس كذلك.", "no"), ("hi", "नहीं।", "no"), ("hi", "हाँ, सही।", "yes"),
        ("th", "ไม่ใช่", "no"), ("th", "ใช่ครับ", "yes"), ("th", "คำตอบคือ ไม่ใช่", "no"), ("tr", "HAYIR", "no"), ("tr", "Evet.", "yes"),
        ("sw", "Hapana.", "no"), ("sw", "Jibu: Ndiyo", "yes"),
    ],
)  # fmt: skip
def test_yes_and_no(language: str, reply: str, label: str | None) -> None:
    assert read(yes_no(language), reply).label == label


@pytest.mark.parametrize(
    ("language", "reply", "finish", "outcome", "rule"),
    [
        ("en", "", "stop", "empty", "no text"),
        ("en", " \n\u200b…", "stop", "empty", "no text"),
        ("en", "", "filter", "blocked", "content filter"),
        ("en", "Yes", "filter", "blocked", "content filter"),
        ("en", "", "length", "truncated", "cut off before the answer"),
        ("en", "Let me think about", "length", "truncated", "cut off before the answer"),
        ("en", "Yes, since the", "length", "answered", "start"),
        ("en", 'It is not "no" in every', "length", "truncated", "cut off before the answer"),
        ("en", "<think>Hm, yes", "stop", "truncated", "cut off before the answer"),
        ("en", "<think>Hm, yes</think>No", "stop", "answered", "exact"),
        ("en", "I'm sorry, but I cannot tell.", "stop", "refused", "refusal phrase"),
        ("de", 'Es tut mir leid, aber ich kann das nicht mit "Ja" oder "Nein" beantworten.', "stop", "refused", "refusal phrase"),
        ("de", "No.", "stop", "wrong_language", "another language's word"),
        ("de", "是，这两个句子相同。", "stop", "wrong_language", "another language's word"),
        ("zh", "The two sentences are the same.", "stop", "wrong_language", "another script"),
        ("en", "这两个句子相同", "stop", "wrong_language", "another script"),
        ("en", "The sentences are identical.", "stop", "invalid", "no answer"),
        ("en", "It is yes; it is no.", "stop", "invalid", "several answers"),
    ],
)  # fmt: skip
def test_outcomes(language: str, reply: str, finish: Finish, outcome: str, rule: str) -> None:
    answer = read(yes_no(language), Reply(reply, finish))
    assert (answer.outcome, answer.rule) == (outcome, rule)
    assert (answer.label is not None) == (outcome == "answered")


@pytest.mark.parametrize("language", packs())
def test_every_pack_reads_its_letters_and_digits(language: str) -> None:
    own = pack(language)
    reader = reader_for("choice", language, answers={letter: [letter] for letter in "ABCD"})
    for place, label in enumerate("ABCD"):
        written = {label, own.option_letters[place], str(place + 1), own.digits[place + 1]}
        for word in written - {"В"}:  # Cyrillic, taken for the Latin letter that was asked for
            for reply in (
                word,
                f"({word})",
                f"{word}.",
                f"{own.option_words[0]} {word}",
                f"{own.cues[0]} {word}",
            ):
                assert read(reader, reply).label == label, reply


@pytest.mark.parametrize("language", packs())
def test_every_pack_knows_a_refusal(language: str) -> None:
    yes, no = (pack(language).labels[label][:1] for label in ("yes", "no"))
    reader = reader_for("label", language, answers={"yes": yes, "no": no})
    for phrase in pack(language).refusals:
        said = phrase.replace("…", "xyz").removesuffix("*")
        assert read(reader, f"{said} xyz 7").outcome == "refused", phrase


@pytest.mark.parametrize("language", atlas_languages())
def test_how_the_atlas_declines_is_read_as_a_refusal(language: str) -> None:
    yes, no = (pack(language).labels[label][:1] for label in ("yes", "no"))
    reader = reader_for("label", language, answers={"yes": yes, "no": no})
    for sentence in templates(language).decline:
        assert read(reader, sentence).outcome == "refused", sentence


def test_topics_are_read_inside_a_sentence_unless_turned_round() -> None:
    reader = reader_for(
        "label", "en", answers={"travel": ["travel"], "sports": ["sports", "sport"], "health": ["health"]}
    )
    assert read(reader, "This text is about travel and nothing else.").label == "travel"
    assert read(reader, "The topic is not travel.").label is None
    assert read(reader, "travel, sports").label is None
    chinese = reader_for("label", "zh", answers={"same": ["相同"], "different": ["不同"]})
    assert read(chinese, "这两个句子相同。").label == "same"
    assert read(chinese, "这两个句子不相同。").label != "same"


def test_presets_part_where_they_should() -> None:
    reply = 'The sentences differ, so the answer is "no".'
    labels = {preset: read(yes_no("en", preset), reply).label for preset in PRESETS}
    assert labels == {"default": "no", "strict": None, "ohmer2023": "no"}
    letters = {"entailment": ["A"], "contradiction": ["B"], "neutral": ["C"]}
    quirk = reader_for("label", "fr", answers=letters, preset="ohmer2023")
    assert read(quirk, "Aucune des deux").label == "entailment"
    assert read(replace(quirk, rules=RULES["label"]), "Aucune des deux").label is None
    assert read(yes_no("en", "strict"), " 'Yes' ").label == "yes"
    assert (
        read(yes_no("en", "ohmer2023"), '"Yes", the sentences agree, so "no" would be wrong.').label == "yes"
    )
    assert read(yes_no("zh", "ohmer2023"), "不是。两个句子不同。").label == "no"


def test_a_label_may_have_one_word_given_as_such() -> None:
    words = reader_for("label", "de", answers={"yes": "ja", "no": "nein"})
    assert words.answers == (("yes", ("ja",)), ("no", ("nein",)))
    assert read(words, "Nein.").label == "no" and read(words, "n").label is None


def test_presets_of_free_text_and_numbers() -> None:
    """The authors read labels and letters only; the strict reader takes a number that stands alone."""
    for form in ("text", "number"):
        rules = {preset: reader_for(form, "en", answers={}, preset=preset).rules for preset in PRESETS}
        assert rules["ohmer2023"] == rules["default"] == RULES[form]  # type: ignore[index]
        assert rules["strict"] == (("whole number",) if form == "number" else ("exact",))
    assert read(reader_for("text", "en", answers={}, preset="ohmer2023"), "**Paris**").label == "paris"
    for preset, alone, within in (("default", "12", "12"), ("ohmer2023", "12", "12"), ("strict", "12", None)):
        reader = reader_for("number", "en", answers={}, preset=preset)
        assert (read(reader, "12").label, read(reader, "So it is 12.").label) == (alone, within)
    for form in ("label", "choice"):
        assert reader_for(form, "en", answers={"A": ["A"], "B": ["B"]}, preset="ohmer2023").rules == (
            "ohmer2023",
        )


TEXT_CASES: list[tuple[Mapping[str, list[str]], list[str] | None, str, str | None]] = [
    ({}, None, " **Paris**. ", "paris"),
    ({}, None, "I'm sorry, but I cannot say.", None),
    ({}, None, "x" * 300, None),
    ({"Q90": ["Paris", "Lutetia"], "Q64": ["Berlin"]}, None, "It is lutetia.", "Q90"),
    ({"Q90": ["Paris"], "Q64": ["Berlin"]}, None, "Paris or Berlin", "paris or berlin"),
    ({"Q90": ["Paris"], "Q64": ["Berlin"]}, None, "Bonn", "bonn"),
    ({}, ["Paris", "Berlin"], "The answer is Berlin.", "Berlin"),
]


@pytest.mark.parametrize(("answers", "options", "reply", "label"), TEXT_CASES)
def test_free_text(
    answers: Mapping[str, list[str]], options: list[str] | None, reply: str, label: str | None
) -> None:
    assert read(reader_for("text", "en", answers=answers, options=options), reply).label == label


def test_reader_is_a_value_with_a_name_and_a_signature() -> None:
    reader = yes_no("de")
    assert str(reader) == "default:label[de](yes=ja; no=nein)"
    assert reader == yes_no("de") and hash(reader) == hash(yes_no("de"))
    assert reader != yes_no("en")
    others: dict[str, object] = {
        "form": "choice", "language": "en", "answers": (("yes", ("ja",)),), "synonyms": (("yes", ("jo",)),), "options": ("x", "y"), "foreign": (),
        "rules": ("exact",), "wording": yes_no("fr").wording, "name": "mine",
    }  # fmt: skip
    assert set(others) == {field.name for field in fields(Reader)}
    signatures = {replace(reader, **{name: value}).signature for name, value in others.items()}  # type: ignore[arg-type]
    assert len(signatures | {reader.signature}) == len(others) + 1
    assert reader.with_options(None) is reader
    for many, cut in ((6, False), (7, True)):
        long = str(reader_for("label", "en", answers={str(n): [f"w{n}"] for n in range(many)}))
        assert long.endswith("5=w5, …)" if cut else "5=w5)")


def test_a_pack_can_be_handed_in() -> None:
    french = reader_for("label", "de", answers={"yes": ["ja"], "no": ["nein"]}, pack=pack("fr"))
    assert read(french, "La réponse est ja, oui.").label == "yes"


def test_a_language_without_a_pack_is_read_with_english_around() -> None:
    reader = reader_for("label", "bm", answers={"yes": ["awɔ"], "no": ["ayi"]})
    assert read(reader, "The answer is awɔ.").label == "yes"


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"form": "guess"}, UnknownNameError, "unknown form of answer: 'guess'"),
        ({"preset": "stict"}, UnknownNameError, "unknown parser: 'stict'; did you mean 'strict'?"),
        ({"language": "qqq-nonsense"}, UnknownNameError, "unknown language"),
        ({"answers": {}}, DataError, "a label reader needs labels; none given for en"),
        ({"answers": {"yes": ["…"], "no": ["no"]}}, DataError, "label 'yes' has no words in en"),
        ({"answers": {"yes": ["Ja"], "no": ["ja."]}}, DataError, "'ja.' stands for 'yes' and for 'no' in en"),
        ({"options": ["a", "b", "c"]}, DataError, "3 options for 2 labels (yes, no)"),
    ],
)
def test_readers_that_cannot_be_made(wrong: dict[str, object], error: type[Exception], message: str) -> None:
    good: dict[str, object] = {"form": "label", "language": "en", "answers": {"yes": ["yes"], "no": ["no"]}}
    settings = good | wrong
    with pytest.raises(error) as raised:
        reader_for(settings.pop("form"), settings.pop("language"), **settings)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown reading rule: 'exat'; did you mean 'exact'"):
        read(replace(yes_no("en"), rules=("exat",)), "yes")


def test_probabilities() -> None:
    answer = answer_from_logprobs((math.log(0.2), math.log(0.7), math.log(0.1)), ("A", "B", "C"))
    assert (answer.outcome, answer.label, answer.rule) == ("answered", "B", "logprobs")
    assert answer.probs == pytest.approx((0.2, 0.7, 0.1))
    far = answer_from_logprobs((-5000.0, -5001.0), ("A", "B"))
    assert far.probs == pytest.approx((1 / (1 + math.exp(-1)), 1 / (1 + math.e)))
    tie = answer_from_logprobs((-1.0, -1.0), ("A", "B"))
    assert (tie.label, tie.rule) == ("A", "logprobs, tie")
    letters = reader_for("choice", "en", answers={"A": ["A"], "B": ["B"]})
    assert read(letters, Reply("", option_logprobs=(-3.0, -0.1))).label == "B"


@pytest.mark.parametrize(
    ("logprobs", "labels", "message"),
    [
        ((), (), "0 log-probabilities for 0 labels"),
        ((-1.0,), ("A", "B"), "1 log-probabilities for 2 labels"),
        ((-1.0, math.nan), ("A", "B"), "the log-probability of option 'B' is nan"),
        ((-math.inf, -1.0), ("A", "B"), "the log-probability of option 'A' is -inf"),
    ],
)
def test_probabilities_that_are_refused(
    logprobs: tuple[float, ...], labels: tuple[str, ...], message: str
) -> None:
    with pytest.raises(DataError) as raised:
        answer_from_logprobs(logprobs, labels)
    assert message in str(raised.value)


def test_a_short_reply_is_read_once_by_one_reader_and_cut_off_or_not() -> None:
    reading_module._remembered.cache_clear()
    reply = "Well, I would say that the answer is yes"
    for reader, finish, label in (
        (yes_no("en"), "stop", "yes"), (yes_no("en"), "length", None), (yes_no("en", "strict"), "stop", None),
        (yes_no("de"), "stop", None),
    ):  # fmt: skip
        ending: Finish = "length" if finish == "length" else "stop"
        first = read(reader, Reply(reply, ending))
        assert first == reading_module._read(reader, reply, ending)
        assert read(reader, Reply(reply, ending)) is first
        assert first.label == label or label is None
    assert reading_module._remembered.cache_info()[:2] == (4, 4)
    for reader, text in (
        (yes_no("en"), f"Yes. {'So it is. ' * 40}"),
        (reader_for("number", "en", answers={}), "7"),
    ):
        assert read(reader, text) == read(reader, text)
    assert reading_module._remembered.cache_info()[:2] == (4, 4), (
        "long replies, and those of open forms, take room and hardly recur"
    )


@pytest.mark.parametrize(
    "module", [reader_module, reading_module, number_values_module], ids=lambda module: module.__name__
)
def test_the_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried and not failed


def test_arabic_is_identified_as_it_is_spelt() -> None:
    """With the letters of Persian, in which spellings are compared, it would be taken for Persian."""
    reader = reader_for("text", "ar", answers={})
    assert read(reader, "لا أرى أي فرق بين الجملتين.").outcome == "answered"
