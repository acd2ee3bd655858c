"""Numbers in words: the whole reply, or all that follows a cue, by the words of each pack."""

from __future__ import annotations

import pytest

from hesperus.answers import read, reader_for
from hesperus.languages import pack, packs
from hesperus.languages.grammar import misshapen


@pytest.mark.parametrize(
    ("language", "reply", "number"),
    [
        ("en", "Twelve.", "12"),
        ("en", "The answer is twenty-five.", "25"),
        ("en", "two hundred and fifty", "250"),
        ("en", "one thousand two hundred", "1200"),
        ("en", "twelve hundred", "1200"),
        ("en", "three million", "3000000"),
        ("de", "Die Antwort lautet zwölf.", "12"),
        ("de", "Zweihundertdreiundvierzig", "243"),
        ("de", "tausendzweihundert", "1200"),
        ("fr", "La réponse est douze.", "12"),
        ("fr", "quatre-vingt-dix-sept", "97"),
        ("fr", "soixante et onze", "71"),
        ("fr", "mille deux cent cinq", "1205"),
        ("es", "La respuesta es veintidós.", "22"),
        ("es", "mil doscientos", "1200"),
        ("it", "ventotto", "28"),
        ("it", "duecentocinquanta", "250"),
        ("it", "trentatré", "33"),
        ("pt", "mil e duzentos", "1200"),
        ("pt-PT", "dezasseis", "16"),
        ("nl", "drieëntwintig", "23"),
        ("sv", "tjugofem", "25"),
        ("da", "Svaret er femogtyve.", "25"),
        ("nb", "tjuefem", "25"),
        ("ru", "две тысячи пятьсот", "2500"),
        ("uk", "Відповідь: дванадцять.", "12"),
        ("pl", "dwadzieścia pięć", "25"),
        ("tr", "Cevap on ikidir.", "12"),
        ("tr", "yüz yirmi beş", "125"),
        ("id", "Jawabannya adalah dua belas.", "12"),
        ("id", "seratus dua puluh", "120"),
        ("ms", "lapan puluh lima", "85"),
        ("vi", "một trăm linh năm", "105"),
        ("th", "คำตอบคือสิบสอง", "12"),
        ("th", "ยี่สิบเอ็ด", "21"),
        ("sw", "ishirini na tano", "25"),
        ("hi", "उत्तर बारह है।", "12"),
        ("bn", "উত্তর: বারো", "12"),
        ("te", "పన్నెండు", "12"),
        ("ar", "خمسة وعشرون", "25"),
        ("fa", "بیست و پنج", "25"),
        ("ko", "정답은 십이입니다.", "12"),
        ("ko", "스물다섯", "25"),
        ("ja", "答えは四十五です。", "45"),
        ("zh", "一百零五", "105"),
    ],
)
def test_numbers_in_words(language: str, reply: str, number: str) -> None:
    assert read(reader_for("number", language, answers={}), reply).label == number


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("en", "twenty ten"),
        ("en", "and twelve"),
        ("en", "hundred thousand and"),
        ("en", "One of them."),
        ("en", "There is one problem."),
        ("en", "No one."),
        ("en", "Phone."),
        ("de", "Nein."),
        ("fr", "C'est neuf."),
        ("vi", "Không."),
        ("is", "tólf"),
    ],
)
def test_words_that_are_no_number(language: str, reply: str) -> None:
    assert read(reader_for("number", language, answers={}), reply).label is None


def test_each_word_for_a_number_is_read_alone() -> None:
    for tag in packs():
        reader = reader_for("number", tag, answers={})
        for word, value in pack(tag).grammar.numerals.items():
            if value.isdigit():
                assert read(reader, word).label == value, (tag, word)


@pytest.mark.parametrize("value", ["", "-1", "*5", "*", "twelve", "++"])
def test_a_numeral_that_is_no_number(value: str) -> None:
    assert [key for key, _ in misshapen({"numerals": {"twelve": value}})] == ["grammar.numerals"]
