"""Numbers: digits of any script, separators of any language, the last number of a worked answer."""

from __future__ import annotations

import pytest

from hesperus.answers import number_of, read, reader_for


@pytest.mark.parametrize(
    ("language", "reply", "number"),
    [
        ("en", "42", "42"), ("en", "The answer is 1,234.50.", "1234.5"), ("en", "3 + 4 = 7, so 7 apples. The answer is 3 + 4 = 7.", "7"),
        ("en", "Step 1: 3 boxes.\nStep 2: 12 each.\n\nAnswer: **36**", "36"), ("en", "#### 18", "18"), ("en", r"So \boxed{1{,}080} metres", "1080"),
        ("en", r"First \boxed{17}, then rather \boxed{18}", "18"), ("en", r"\boxed{1}\boxed{2} is 3", "2"),
        ("en", "-3", "-3"), ("en", "It is −3.0 degrees", "-3"), ("en", "5-3", "3"), ("en", "He pays $18 every day.", "18"), ("en", "50%", "50"),
        ("en", "1,00,000", "100000"), ("en", "2.5", "2.5"), ("en", "0.50", "0.5"), ("en", "007", "7"), ("en", "3 * 4 = 12", "12"), ("en", "12.", "12"),
        ("en", "1,2", "1.2"), ("en", "1.234", "1.234"), ("de", "1.234", "1234"), ("de", "1.234,5", "1234.5"), ("de", "3,5", "3.5"),
        ("de", "Die Antwort ist 42 Euro, also nicht 43.", "42"), ("de", "1,234", "1.234"), ("fr", "1 234,5 €", "1234.5"), ("ms", "Jumlahnya RM1,234.50.", "1234.5"), ("id", "Rp5.000", "5000"), ("en", "the FARM5 has 12, not the FARM7", "12"), ("es", "1.000.000", "1000000"),
        ("es-MX", "1,234.5", "1234.5"), ("de-CH", "1'234.50", "1234.5"), ("ar", "الجواب: ١٬٢٣٤", "1234"), ("ar", "٣٫٥", "3.5"), ("hi", "उत्तर: १२", "12"),
        ("bn", "উত্তর: ১২৩", "123"), ("th", "คำตอบคือ ๑๘", "18"), ("zh", "答案是18。", "18"), ("ja", "答えは１８です。", "18"), ("zh", "共12个", "12"),
        ("en", r"\boxed{\frac{1}{2}}", "0.5"), ("en", "The answer is 3/4.", "0.75"), ("en", r"\boxed{-\dfrac{3}{4}}", "-0.75"), ("en", "2 1/2", "2.5"),
        ("en", r"\boxed{2^{10}}", "1024"), ("en", "½", "0.5"), ("en", "12/4 = 3", "3"), ("en", "Step 2: 12 apples", "12"), ("en", "The answer is not 12 but 15.", "15"),
        ("en", "12. Do you want me to solve the other 2?", "12"), ("en", "Open 24/7, with 12 rooms.", "12"),
        ("en", "7 apples remain (12 minus 5).", "7"), ("en", "7 are left if 5 are eaten.", "7"), ("en", "If 5 are eaten, 7 are left.", "7"),
        ("en", "The total is 12 + 5 (17).", "17"), ("en", "f(2) = 4", "4"), ("en", "3 × (2 + 1)", "1"), ("en", "12, if I am not mistaken.", "12"),
        ("it", "Restano 7 mele (12 meno 5)", "7"), ("ja", "残りは7個です（12引く5）。", "7"), ("zh", "如果吃了5个，还剩7个。", "7"),
        ("tr", "5 elma yerse 7 kalır.", "7"), ("fa", "۱۲/۵", "12.5"), ("fa", "۱۲", "12"), ("en", "room A1 and B2 hold 30", "30"), ("en", "first 10, then 20", "20"),
    ],
)  # fmt: skip
def test_numbers(language: str, reply: str, number: str) -> None:
    answer = read(reader_for("number", language, answers={}), reply)
    assert (answer.outcome, answer.label) == ("answered", number)


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("it", "12, se non piove."), ("tr", "Yağmur yağmazsa 12."), ("zh", "如果不下雨，就是12。"), ("ja", "雨が降らなければ12です。"),
        ("ko", "비가 오지 않으면 12입니다."), ("hi", "12, अगर बारिश न हो।"), ("ar", "12، إذا لم تمطر."), ("ru", "12, если не будет дождя."),
    ],
)  # fmt: skip
def test_a_number_in_one_case_only_is_no_answer(language: str, reply: str) -> None:
    assert read(reader_for("number", language, answers={}), reply).outcome == "invalid"


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("I do not know.", "refused"),
        ("two five", "invalid"),
        ("The answer is one of them.", "invalid"),
        ("12, if it rains.", "invalid"),
        ("12 apples, unless somebody joins.", "invalid"),
        ("If it rains, 12.", "invalid"),
        ("", "empty"),
        ("1" * 60, "invalid"),
        ("x = 6, so it is 1/3.", "invalid"),
        ("It was on 12/05/2024.", "invalid"),
        ("3.5/7", "invalid"),
        ("1/0", "invalid"),
        ("9^999999999", "invalid"),
        ("2½", "invalid"),
        (r"3 \times 10^{60}", "invalid"),
        ("10 or 12", "invalid"),
        ("Between 10 and 12.", "invalid"),
        ("10–12 apples", "invalid"),
        ("12:30", "invalid"),
        ("The answer is 10 to 12.", "invalid"),
        ("Is it 12?", "invalid"),
        ("I cannot help with that: 15 of them are in the text.", "refused"),
        ("The number is not stated!!!! 1987 is only mentioned.", "invalid"),
    ],
)
def test_replies_without_a_number(reply: str, outcome: str) -> None:
    assert read(reader_for("number", "en", answers={}), reply).outcome == outcome


def test_powers_are_worked_out_up_to_the_hundredth() -> None:
    reader = reader_for("number", "en", answers={})
    assert read(reader, "2^100").label == str(2**100)
    assert read(reader, "2^101").outcome == "invalid"


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [("-3.0", "en", "-3"), ("(12)", "en", "12"), ("12 apples", "en", None), ("", "en", None), ("1,2,3.4.5", "en", None), ("0", "en", "0"), ("-0", "en", "0")],
)  # fmt: skip
def test_one_number(text: str, language: str, number: str | None) -> None:
    assert number_of(text, language) == number


def test_strict_takes_a_number_and_nothing_else() -> None:
    strict = reader_for("number", "en", answers={}, preset="strict")
    assert read(strict, "12.").label == "12"
    assert read(strict, "12 apples").label is None


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("十二", "12"),
        ("一百零五。", "105"),
        ("二〇二〇", "2020"),
        ("三万五千", "35000"),
        ("两千", "2000"),
        ("三亿五千万", "350000000"),
        ("二万亿", "2000000000000"),
        ("一万二千亿", "1200000000000"),
        ("一百五", None),  # 150 to most who say it
        ("一万五。", None),
        ("一百一十五", "115"),
        ("十" * 41, None),
    ],
)
def test_numerals_in_chinese_characters(reply: str, label: str | None) -> None:
    assert read(reader_for("number", "zh", answers={}), reply).label == label


def test_a_last_digit_behind_a_hundred_is_one_in_japanese() -> None:
    assert read(reader_for("number", "ja", answers={}), "百五").label == "105"
