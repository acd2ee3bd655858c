"""Replies at the edge of a rule: one step further and another rule, or none, would read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hesperus.answers import read, reader_for
from hesperus.answers.phrases import Words
from hesperus.answers.probes import _Probes
from hesperus.answers.scripts import alternatives, is_unspaced
from hesperus.answers.triggers import Triggers, words_of
from hesperus.languages import pack, packs
from hesperus.types import Answer

DESCRIBED = "a very long description of what happens to the river when the dam above it is closed"


def choice(language: str, reply: str, *options: str) -> Answer:
    texts = options or ("p", "q", "r", "s")
    labels = "ABCDEFGHI"[: len(texts)]
    return read(
        reader_for("choice", language, answers={name: [name] for name in labels}, options=list(texts)), reply
    )


def group(language: str, name: str, reply: str) -> str | None:
    words = {label: own[:1] for label, own in pack(language).groups[name].items()}
    return read(reader_for("label", language, answers=words), reply).label


@pytest.mark.parametrize(
    ("language", "reply", "expected", "rule"),
    [
        # A question answers nothing, and the next sentence may.
        ("en", "Is it option A?", None, "no answer"), ("en", "Option A? No, option B.", "B", "option"),
        ("hy", "A՞", None, "no answer"), ("hy", "Արդյոք A՞ է", None, "no answer"), ("hy", "Կարծում եմ, արդյո՞ք A է", None, "no answer"), ("hy", "A", "A", "exact"),
        # A judgement of a letter that says neither right nor wrong.
        ("en", "B seems odd.", None, "no answer"), ("en", "B is the correct answer", "B", "named"), ("zh", "B是正确答案", "B", "named"),
        # "Not" far before a cue turns nothing round; a comma ends what is said of the letter.
        ("en", "Not surprisingly the answer is B", "B", "cue"), ("en", "I take option A, which excludes B", "A", "option"),
        ("en", "I take option A, so I can rule out B", "A", "option"),
        # What calls a letter right may be the first word of the reply.
        ("en", "Correct is option A for me", "A", "option"), ("fr", "Bonne réponse option A selon moi", "A", "option"),
        # Letters of the language and their names, inside a sentence and with endings.
        ("hi", "विकल्प ख सही है", "B", "option"), ("hi", "मेरे विचार से ख।", "B", "sole"), ("ru", "Мне кажется, это Б, пожалуй", "B", "sole"),
        ("ko", "A이다", "A", "exact"), ("zh", "不是A，而是不B", None, "no answer"),
        # A letter that belongs to a name is no second answer.
        ("en", "A. Vitamin C helps.", "A", "start"), ("en", "A. I mean C", "C", "corrected"),
    ],
)  # fmt: skip
def test_letters(language: str, reply: str, expected: str | None, rule: str) -> None:
    found = choice(language, reply)
    assert (found.label, found.rule) == (expected, rule)


def test_options() -> None:
    nine = tuple("pqrstuvwx")
    assert choice("en", "9", *nine).label == "I" and choice("en", "(9)", *nine).label == "I"
    # The longer option hides the shorter one, whichever comes first in the alphabet.
    assert choice("en", "It must be the red apple in the picture", "apple", "red apple", "pear").label == "B"
    assert choice("en", f"Option A {DESCRIBED} is right", DESCRIBED, "q", "r").rule == "option"
    # Letters that look alike are known though each has a second word.
    words = {"A": ["A", "first"], "B": ["B", "second"], "C": ["C", "third"]}
    assert read(reader_for("choice", "en", answers=words), "В").label == "B"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("2", "two"), ("The answer is 10.", "ten"), ("It is 2 and not more.", None)],
)
def test_digits_as_labels(reply: str, expected: str | None) -> None:
    reader = reader_for("label", "en", answers={"one": ["1"], "two": ["2"], "ten": ["10"]})
    assert read(reader, reply).label == expected


def test_words_of_scripts_without_blanks() -> None:
    stems = reader_for("label", "zh", answers={"A": ["甲"], "B": ["乙"]})
    assert read(stems, "我认为，甲。").label == "A"
    assert read(stems, "他的名字叫甲").label is None
    assert group("km", "polarity", "ខ្ញុំគិតថា: ទេ") == "no" and group("km", "polarity", "អញ្ចឹង, ទេ") == "no"


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("en", "The first sentence contradicts the second one", "contradiction"),
        ("de", "Der erste Satz widerspricht dem zweiten", "contradiction"),
        ("en", "The first sentence never contradicts the second one", None),
    ],
)
def test_a_verb_that_is_an_answer(language: str, reply: str, expected: str | None) -> None:
    assert group(language, "inference", reply) == expected


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("fa", "۱۲/۵", "12.5"), ("fa", "حاصل برابر ۱۲/۵ است", "12.5"),
        # Two numbers are one only where the second fills up the first.
        ("en", "2 million, 3 million", "3000000"), ("en", "5 thousand 300 thousand", "300000"), ("en", "2 million 300 thousand", "2300000"),
    ],
)  # fmt: skip
def test_numbers_in_parts(language: str, reply: str, expected: str) -> None:
    assert read(reader_for("number", language, answers={}), reply).label == expected


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("My rules do not permit me to discuss it.", "refused"),
        ("My rules do not permit me to discuss Peter.", "refused"),
        ("My rules do not permit me to discuss it. Please ask again.", "refused"),
        ("My rules do not permit me to discuss it, maybe Lima.", "answered"),
        ("I cannot discuss this, it was Lima.", "answered"),
        ("I can't answer that, but the capital is Lima.", "refused"),
        # The speaker, the act and the bar must all be there.
        ("I help people.", "answered"),
        ("The rules permit me to discuss it.", "answered"),
        ("They refuse to help.", "answered"),
    ],
)
def test_who_declines_what(reply: str, outcome: str) -> None:
    assert read(reader_for("text", "en", answers={}), reply).outcome == outcome


def test_another_language_in_the_same_script() -> None:
    reply = "Ich denke, der zweite Satz folgt nicht aus dem ersten Satz, weil er etwas ganz anderes sagt und keine Verbindung zeigt."
    reader = reader_for("choice", "en", answers={name: [name] for name in "ABCD"})
    assert read(reader, reply).outcome == "wrong_language"
    reader = reader_for("choice", "de", answers={name: [name] for name in "ABCD"})
    assert read(reader, reply).outcome == "invalid"


def test_what_is_looked_for() -> None:
    known = Words.of(["not", "not any", "不"])
    assert known.hold(["不"]) and known.hold(["not"]) and not known.hold(["any"])
    assert Words.of(["any not"]).phrases == ((("any not", False),),)
    triggers = Triggers.of(((("not", False), ("any", True)), (("exclud", True),), (("不", False),)), ["sa"])
    for text, stands in {
        "not my anyone": True,
        "knot": False,
        "i exclude": True,
        "又不": True,
        "isa": True,
    }.items():
        assert triggers.stand_in(text, words_of(text)[2]) is stands
    assert words_of("l'ia 是ai-x. हिन्दी!")[2] == {"l'ia", "l", "ia", "是ai", "ai", "x", "हिन्दी"}
    # A pattern that begins with another is before it, though they have other edges.
    edges = (("", r"\b"), ("", "(?!x)"))
    found = re.match(alternatives([("yes", edges[0]), ("not true", edges[1]), ("not", edges[0])]), "not true")
    assert found is not None and found[0] == "not true"


def test_what_a_pack_is_probed_with() -> None:
    probes = {(probe.key, probe.reply): probe for probe in _Probes(pack("en"))}
    # Of two opposites the other one is what a negation may mean; of yes and no, nothing is.
    assert probes["grammar.negators", "not incorrect."].allowed == {"correct"}
    assert probes["grammar.negators", "not yes."].allowed == frozenset()
    lettered = [probe for (key, _), probe in probes.items() if key == "grammar.because"]
    assert lettered and all(probe.reader.form == "choice" and not probe.allowed for probe in lettered)


def test_a_word_of_two_scripts_is_unspaced_where_it_ends_so() -> None:
    assert (is_unspaced("A是"), is_unspaced("是A"), is_unspaced("")) == (True, False, False)


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("tr", "Evet mi"),
        ("si", "ඔව් නම්"),
        ("en", "Yes if it rains"),
        ("en", "The answer is yes if it rains."),
        ("de", "Ja falls es regnet"),
        ("en", "Yes, if it rains."),
        ("en", '"Yes", if it rains. The text does not say.'),
        ("en", "The answer is yes, if it rains."),
        ("en", "Yes, if it rains. No."),
        ("en", "Yes if x is positive; no otherwise."),
        ("de", "Ja, wenn es regnet."),
        ("es", "Sí, si llueve."),
        ("ru", "Да, если идёт дождь."),
        ("zh", "是，如果下雨。"),
        ("en", "Yes, unless it rains."),
        ("en", "Yes, but only if it rains."),
        ("en", "Yes (if it rains)."),
        ("en", "Yes – provided that it rains."),
        ("en", "If it rains, yes."),
        ("en", "If it rains, then yes."),
        ("en", "Yes, depending on the weather."),
        ("fr", "Oui, s'il pleut."),
        ("fr", "Oui, à condition qu'il pleuve."),
        ("fr", "S'il pleut, oui."),
        ("de", "Ja, falls es regnet."),
        ("de", "Ja, es sei denn, es regnet."),
        ("de", "Wenn es regnet, dann ja."),
        ("ru", "Да, при условии, что идёт дождь."),
        ("tr", "Evet, yağmur yağarsa."),
        ("tr", "Yağmur yağarsa evet."),
        ("ja", "はい、雨が降れば。"),
        ("ja", "雨が降れば「はい」です。"),
        ("ko", "네, 비가 오지 않는다면요."),
        ("th", "ใช่ เว้นแต่ฝนจะตก"),
        ("hi", "हाँ, बशर्ते बारिश न हो।"),
        ("cs", "Ano, prší-li."),
        ("sv", "Ja, i fall det regnar."),
    ],
)
def test_an_answer_with_a_condition_or_a_particle_that_asks_behind_it_is_none(
    language: str, reply: str
) -> None:
    assert group(language, "polarity", reply) is None


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("en", "Yes, if I understand the text correctly."),
        ("en", "Yes, if the first sentence is true, the second is too."),
        ("en", "Yes. If it rains, the ground is wet."),
        ("en", "Yes, when it rains it pours."),
        ("en", "Yes, whether or not it rains."),
        ("sw", "Ndiyo, kama ilivyoelezwa."),
        ("te", "అవును, అయితే పదాలు వేరు."),
        ("en", "Yes, unless I am mistaken."),
        ("en", "Yes, if anything it is stronger."),
        ("en", "Even if it rains, yes."),
        ("es", "Sí, si bien hay matices."),
        ("he", "כן, אם כי לא תמיד."),
        ("de", "Ja, soweit ich weiß."),
        ("ja", "雨が降っても、はい。"),
        ("fr", "Oui, même s'il pleut."),
        ("th", "ใช่ ถ้าฝนตก พื้นก็เปียก"),
    ],
)
def test_an_answer_that_depends_on_nothing_is_one(language: str, reply: str) -> None:
    assert group(language, "polarity", reply) == "yes"


@pytest.mark.parametrize(
    ("language", "word", "reply"), [("es", "sí", "Sì"), ("he", "כן", "כֵּן"), ("el", "ναι", "Ναί")]
)
def test_a_template_of_two_letters_or_more_may_have_another_accent(
    language: str, word: str, reply: str
) -> None:
    strict = reader_for("label", language, answers={"yes": [word], "no": ["0"]}, preset="strict")
    assert read(strict, reply) == Answer("answered", "yes", "exact")
    letters = reader_for("choice", language, answers={"A": ["A"], "B": ["B"]}, preset="strict")
    assert read(letters, "Á").label is None


def lettered(form: str, language: str, reply: str) -> str | None:
    return read(reader_for(form, language, answers={name: [name] for name in "ABCD"}), reply).label


@pytest.mark.parametrize("form", ["label", "choice"])
@pytest.mark.parametrize(
    "reply",
    [
        "B if x is positive; C otherwise",
        "B if x is positive, C otherwise.",
        "(B) if x is positive; (C) otherwise.",
        "B, if x is positive.",
    ],
)
def test_a_letter_that_holds_in_one_case_is_no_answer(form: str, reply: str) -> None:
    assert lettered(form, "en", reply) is None


def test_a_number_of_one_case_is_no_answer_next_to_that_of_the_other() -> None:
    english = reader_for("number", "en", answers={})
    assert read(english, "12 if it rains, otherwise 15.").label is None
    assert read(english, "12, otherwise known as a dozen.").label == "12"


def test_what_a_letter_means_may_begin_with_if() -> None:
    assert lettered("choice", "en", "(A) if the water boils") == "A"


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("ja", "B は除外できます。"), ("ja", "Bは省けます。"), ("zh", "B 可以排除。"), ("zh", "B 不予考虑。"), ("ko", "B는 제외할 수 있습니다."), ("ko", "B를 빼겠습니다."),
        ("en", "B can be ruled out."), ("en", "We can cross B off."), ("de", "B fliegt raus."), ("fr", "B peut être exclu."), ("es", "Podemos descartar B."),
        ("it", "B va esclusa."), ("pt", "B pode ser excluída."), ("nl", "B valt af."), ("ru", "B можно исключить."), ("ar", "B يمكن استبعاده."), ("hi", "B को छोड़ा जा सकता है।"),
        ("tr", "B elenebilir."), ("id", "B dapat disingkirkan."), ("vi", "B có thể bị loại."), ("th", "B สามารถตัดออกได้"), ("th", "ตัด B ออก"), ("sw", "Tunaweza kuiondoa B."),
        ("en", "I would leave out B."), ("fr", "On peut barrer B."), ("ja", "B は対象外です。"), ("zh", "B 不在考虑之列。"), ("hi", "B को नकारा जा सकता है।"), ("th", "B ตกไป"),
    ],
)  # fmt: skip
def test_a_letter_that_is_left_out_is_no_answer(language: str, reply: str) -> None:
    assert lettered("choice", language, reply) is None


def test_of_a_long_reply_what_follows_contradicts_no_letter() -> None:
    long = "A. The heart pumps blood through the body, and the lungs take in air from outside. C is right."
    assert (lettered("choice", "en", "A. C is right."), lettered("choice", "en", long)) == (None, "A")


def test_what_a_letter_says_of_another_is_open_in_its_own_clause_alone() -> None:
    assert lettered("choice", "en", "B beats C") is None
    assert lettered("choice", "en", "B beats – C") == lettered("choice", "en", "B beats. C") == "C"


LEFT_OUT = {
    language: sentences
    for language, *sentences in (
        line.split("|")
        for line in Path(__file__).with_name("left_out.txt").read_text(encoding="utf-8").splitlines()[1:]
    )
}


@pytest.mark.parametrize("language", packs())
def test_a_letter_that_is_called_unfit_or_left_out_is_no_answer_in_any_form(language: str) -> None:
    four = ("§1", "§2", "§3", "§4")
    readers = [
        reader_for(form, language, answers={name: [name] for name in "ABCD"}, options=options)
        for form, options in (("choice", None), ("choice", four), ("label", None))
    ]
    read_as = {
        sentence: [read(reader, sentence).label for reader in readers] for sentence in LEFT_OUT[language]
    }
    assert {sentence: labels for sentence, labels in read_as.items() if any(labels)} == {}


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("en", "A is unsuitable, so B."), ("de", "A ist ungeeignet, B ist richtig."), ("ja", "A は不適切です。B が正しいです。"), ("ja", "B は適切です。"), ("ko", "A는 부적합하므로 B가 정답입니다."),
        ("tr", "B'yi seçiyorum."), ("tr", "B'dir çünkü A yanlış."), ("hy", "B-ն ճիշտ է։"), ("zh", "A不合适,所以选B。"), ("th", "A ไม่เกี่ยวข้อง ดังนั้นตอบ B"), ("vi", "A không phù hợp nên chọn B."),
    ],
)  # fmt: skip
def test_what_is_left_when_another_letter_is_unfit_is_the_answer(language: str, reply: str) -> None:
    assert lettered("choice", language, reply) == "B"


def test_behind_a_letter_and_a_blank_japanese_may_be_what_it_means_unless_that_is_known() -> None:
    assert (lettered("choice", "ja", "B 微妙です"), lettered("choice", "ja", "Bは微妙です")) == ("B", None)
    assert choice("ja", "B 微妙です", "心臓", "肺", "肝臓").label is None
    assert choice("ja", "B 肺", "心臓", "肺", "肝臓").label == "B"
    assert lettered("choice", "en", "B seems odd.") is None


@pytest.mark.parametrize("reply", ["Is it 12? 15", "12? 15", "15. Or is it 12?"])
def test_a_number_that_is_asked_is_none(reply: str) -> None:
    assert read(reader_for("number", "en", answers={}), reply).label == "15"


@pytest.mark.parametrize(
    ("reply", "label"),
    [("我认为yes是对的。", "yes"), ("我想说no，因为不是", "no"), ("答案yes。", "yes"), ("我认为ẽyes是", None), ("ếno。", None)],
)  # fmt: skip
def test_a_latin_word_ends_at_a_chinese_character_and_at_no_letter_of_its_script(
    reply: str, label: str | None
) -> None:
    assert read(reader_for("label", "zh", answers={"yes": ["yes"], "no": ["no"]}), reply).label == label
