"""What a language's grammar does to an answer: negation on either side, "or", elision, endings, refusals, magnitudes."""

from __future__ import annotations

import pytest

from hesperus.answers import read, reader_for
from hesperus.languages import pack


def label(language: str, group: str, reply: str) -> str | None:
    words = pack(language).groups[group]
    return read(
        reader_for("label", language, answers={name: own[:1] for name, own in words.items()}), reply
    ).label


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("fa", "گزینه الف غلط است.", None), ("ur", "آپشن الف غلط ہے۔", None), ("fa", "گزینه الف درست است.", "A"),
        ("te", "ఈ ప్రశ్నకు సమాధానం తెలియదు.", None), ("ml", "ഈ ചോദ്യം വ്യക്തമല്ല.", None), ("te", "ఈ", "D"),
    ],
)  # fmt: skip
def test_own_letters(language: str, reply: str, expected: str | None) -> None:
    own = zip("ABCD", pack(language).option_letters, strict=False)
    reader = reader_for("choice", language, answers={name: [written] for name, written in own})
    assert read(reader, reply).label == expected


def letter(language: str, reply: str, options: str = "p q r s") -> str | None:
    reader = reader_for(
        "choice", language, answers={name: [name] for name in "ABCD"}, options=options.split()
    )
    return read(reader, reply).label


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("hi", "विकल्प A गलत है। विकल्प B सही है।", "B"), ("ja", "選択肢Aは間違いです。選択肢Bが正しいです。", "B"),
        ("tr", "Doğru cevap A değil, B'dir.", "B"), ("ko", "정답은 A가 아닙니다.", None), ("nl", "Optie A is fout.", None),
        ("ru", "Вариант A неверен. Вариант B верен.", "B"), ("th", "ข้อ A ผิด ข้อ B ถูกต้อง", "B"),
        ("en", "B or C could be right.", None), ("en", "The correct answer is not A but B.", "B"),
        ("en", "It isn't A, C, or D. So B.", "B"), ("fr", "C'est B.", "B"), ("fr", "D'après le texte, B.", "B"),
        ("it", "D'accordo, vediamo.", None), ("de", "C) Keines von beiden.", "C"), ("zh", "我选择B选项。", "B"),
        ("ja", "正解は2番です。", "B"), ("ko", "2번", "B"), ("he", "התשובה הנכונה היא B", "B"),
        ("ko", "A나 B일 수 있습니다.", None),
        ("en", "It is not C but B.", "B"), ("fa", "پاسخ صحیح A نیست، بلکه B است.", "B"), ("nl", "Niet A maar B.", "B"),
        ("ja", "AではなくBです。", "B"), ("he", "לא א' אלא ב'", "B"), ("am", "A ሳይሆን B ነው።", "B"),
        ("en", "B seems unlikely.", None), ("en", "Option A is nonsense.", None), ("en", "I would rule out A.", None),
        ("en", "B because London is in England.", "B"), ("en", "I pick B here.", "B"), ("cs", "Možnost A je nesprávná.", None),
        ("zh", "A和B都有可能。", None), ("zh", "不选A。", None), ("th", "ตัวเลือก A ไม่ถูก.", None), ("hi", "विकल्प A और B दोनों सही हैं।", None),
        ("en", "truth", "if it is true", None), ("fa", "truth", "این درست نیست.", "false"),
        ("ko", "truth", "만약 참이라면 좋겠습니다.", None), ("ko", "polarity", "예 이 아닙니다.", None), ("ar", "correctness", "ليس غير صحيح.", "correct"),
        ("he", "truth", "זה לא שקר.", "true"), ("sw", "correctness", "si si sahihi", "correct"), ("id", "polarity", "Maaf, saya tidak.", None),
        ("vi", "polarity", "Xin lỗi, tôi không.", None), ("pt", "polarity", "Desculpe, não.", None), ("pt", "polarity", "Não.", "no"),
        ("hi", "topic", "विज्ञान/प्रौद्योगिकी या यात्रा।", None), ("bn", "topic", "বিজ্ঞান/প্রযুক্তি এবং ভ্রমণ।", None),
        ("hi", "topic", "विज्ञान/प्रौद्योगिकी", "science/technology"), ("en", "inference", "The second sentence contradicts the first.", "contradiction"),
        ("en", "inference", "The second sentence never contradicts the first.", None), ("de", "inference", "Der zweite Satz widerspricht dem ersten nicht.", None),
        ("fa", "correctness", "این پاسخ صحیح نیست.", "incorrect"), ("ar", "correctness", "ليست خاطئة تماماً، لكنها ليست صحيحة.", None),
        ("vi", "correctness", "Không chính xác.", "incorrect"), ("id", "correctness", "Tepat.", "correct"),
