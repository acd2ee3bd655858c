"""Texts of options in a reply: what is denied, asked or one of two is no answer; an ending of the language may follow."""

from __future__ import annotations

import pytest

from hesperus.answers import read, reader_for
from hesperus.languages import pack


@pytest.mark.parametrize(
    ("language", "options", "reply", "expected"),
    [
        ("en", "Paris London Berlin Rome", "It is London.", "B"),
        ("en", "Paris London Berlin Rome", "It is not London.", None),
        ("en", "Paris London Berlin Rome", "London is not the correct answer.", None),
        ("en", "Paris London Berlin Rome", "London is wrong.", None),
        ("en", "Paris London Berlin Rome", "Not Paris but London.", "B"),
        ("en", "Paris London Berlin Rome", "Paris? Not London. It must be London after all.", None),
        ("hi", "पेरिस लंदन बर्लिन रोम", "लंदन सही उत्तर है।", "B"),
        ("hi", "पेरिस लंदन बर्लिन रोम", "लंदन इस प्रश्न का सही उत्तर नहीं है।", None),
        ("hi", "पेरिस लंदन बर्लिन रोम", "B इस प्रश्न का सही उत्तर नहीं है।", None),
        ("hi", "पेरिस लंदन बर्लिन रोम", "B सही है क्योंकि A इंग्लैंड में नहीं है।", "B"),
        ("tr", "Paris Londra Berlin Roma", "Londra bu sorunun doğru cevabı değil.", None),
        ("hy", "Փարիզ Լոնդոն Բեռլին Հռոմ", "Լոնդոնը ճիշտ պատասխանն է։", "B"),
        ("hy", "Փարիզ Լոնդոն Բեռլին Հռոմ", "Լոնդոնը ճիշտ պատասխանը չէ։", None),
        ("zh", "巴黎 伦敦 柏林 罗马", "不是伦敦。", None),
        ("en", "Paris London Berlin Rome", "If the answer is A, the question is wrong.", None),
        ("en", "Paris London Berlin Rome", "If it rains, the answer is B.", None),
        ("mr", "पॅरिस लंडन बर्लिन रोम", "जर उत्तर A असेल, तर प्रश्न चुकीचा आहे.", None),
        ("vi", "Paris London Berlin Rome", "Tôi nghĩ rằng đáp án là B.", "B"),
        ("zh", "Paris London Berlin Rome", "我认为是London城市", "B"), ("zh", "Paris London Berlin Rome", "Londonderry", None),
        ("en", "5 12 15 20", "I would say 12.", "B"),
    ],
)  # fmt: skip
def test_the_text_of_an_option(language: str, options: str, reply: str, expected: str | None) -> None:
    reader = reader_for(
        "choice", language, answers={name: [name] for name in "ABCD"}, options=options.split()
    )
    assert read(reader, reply).label == expected


@pytest.mark.parametrize(
    ("language", "group", "reply", "expected"),
    [
        ("mr", "sameness", "ते समान आहेत का?", None), ("mr", "sameness", "ते समान आहेत.", "same"),
        ("en", "truth", "Is it true or false?", None), ("si", "truth", "එය සත්‍ය නම් හොඳයි.", None), ("si", "truth", "එය සත්‍යයි.", "true"), ("ar", "truth", "هل هذا صحيح؟", None),
        ("hy", "sameness", "Դրանք նույնն են՞։", None), ("hy", "polarity", "Այո՞, թե՞ ոչ։", None), ("hy", "polarity", "Այո։", "yes"),
        ("ne", "truth", "यो सत्य हो कि असत्य?", None), ("az", "truth", "Bu doğrudur, yoxsa yanlış?", None),
        ("si", "inference", "අනුගමනයක් හෝ පරස්පරයක් නොවේ, එබැවින් මධ්‍යස්ථයි.", "neutral"),
        ("az", "sentiment", "Nə müsbət, nə də mənfi, neytraldır.", "neutral"), ("ne", "sentiment", "न सकारात्मक न नकारात्मक, तटस्थ।", "neutral"),
    ],
)  # fmt: skip
def test_what_is_asked_or_one_of_two_is_no_answer(
    language: str, group: str, reply: str, expected: str | None
) -> None:
    answers = {name: own[:1] for name, own in pack(language).groups[group].items()}
    assert read(reader_for("label", language, answers=answers), reply).label == expected
