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
        ("fa", "پاسخ ب است.", "B"), ("tr", "Ne A ne B.", None), ("zh", "不应选A。", None), ("ja", "選択肢 A ではない。", None), ("en", "B is q, I think.", "B"),
        ("my", "A သည် မှားပါသည်။ B သည် မှန်ပါသည်။", "B"), ("my", "A သည် အဖြေမှန် မဟုတ်ပါ။", None),
        ("fil", "Mali ang A. Tama ang B.", "B"), ("km", "ជម្រើស A ខុស។ ជម្រើស B ត្រឹមត្រូវ។", "B"),
        ("zu", "Impendulo efanele ngu-B.", "B"), ("zu", "Kungaba ngu-A noma u-B.", None), ("zu", "Ngu-B.", "B"),
        ("zu", "Akusiyo u-A, u-C noma u-D.", None), ("zu", "Impendulo efanele akusiyo u-A, kodwa ngu-B.", "B"),
        ("ko", "A는 본문과 맞지 않으므로 B를 고르겠습니다.", "B"), ("id", "Saya memilih B karena A tidak sesuai dengan teks.", "B"),
        ("it", "Scarterei A", None), ("fr", "J'exclurais l'option A, mais rien n'est sûr.", None), ("sw", "Tuondoe chaguo A.", None),
        ("vi", "Có thể loại bỏ phương án A.", None), ("ka", "A ვარიანტს გამოვრიცხავდი.", None), ("km", "ជម្រើស A អាចដកចេញបាន។", None),
        ("de", "A scheidet aus, B ebenfalls. Bleibt C.", "C"), ("id", "Jawaban A, B, dan D keliru. Yang tepat adalah C.", "C"),
        ("ja", "A、B、Dは誤りで、正しいのはCです。", "C"), ("en", "Options A and B are out – the answer is C.", "C"),
        ("lv", "No visiem variantiem pareizs ir C.", "C"), ("it", "Sembrerebbe la B, ma è giusta la D.", "D"), ("fr", "B ou bien C.", None),
        ("ja", "Aは除外できます。", None), ("ja", "B が正しいです。", "B"), ("ko", "C는 제외할 수 있습니다.", None),
        ("ko", "B번입니다.", "B"), ("hi", "C को हटाया जा सकता है।", None), ("es", "Descarto la opción C", None),
        ("zh", "A可以先排除。", None), ("th", "A ตัดออกได้", None), ("th", "B คือคำตอบ", "B"),
        ("en", "It has vitamin-B.", None), ("ha", "A'a.", None), ("yo", "A kò mọ̀.", None),
    ],
)  # fmt: skip
def test_letters(language: str, reply: str, expected: str | None) -> None:
    assert letter(language, reply) == expected


@pytest.mark.parametrize(
    ("language", "group", "reply", "expected"),
    [
        ("en", "polarity", "I can't say yes or no.", None), ("es", "polarity", "No sé si son iguales o no.", None),
        ("bn", "polarity", "আমি জানি না।", None), ("bn", "polarity", "না।", "no"), ("hi", "polarity", "पता नहीं।", None),
        ("hi", "polarity", "नहीं, वे अलग हैं।", "no"), ("tr", "truth", "Bu ifade doğru değildir.", "false"),
        ("tr", "truth", "Bu ifade yanlıştır.", "false"), ("ar", "inference", "لا يوجد تناقض بين الجملتين.", None),
        ("cs", "truth", "To není pravda.", "false"), ("he", "sameness", "הם לא זהים.", "different"),
        ("pl", "sentiment", "Recenzja nie jest pozytywna.", None), ("th", "polarity", "ใช่ ทั้งสองประโยคเหมือนกัน", "yes"),
        ("ml", "truth", "ഇത് ശരിയല്ല.", "false"), ("fr", "truth", "Ce n'est pas vrai.", "false"),
        ("fa", "polarity", "بلي", "yes"), ("zh", "sameness", "没有不同。", "same"), ("zh", "sameness", "不同。", "different"),
        ("ur", "sameness", "ایک زبان کے ماڈل کے طور پر۔", None), ("de", "polarity", "Ja und nein.", None),
        ("vi", "polarity", "Vừa có vừa không.", None), ("pa", "polarity", "ਮੈਂ ਇੱਕ ਵਿਦਿਆਰਥੀ ਹਾਂ।", None), ("pa", "polarity", "ਹਾਂ ਜੀ।", "yes"),
        ("de", "sentiment", "Die Bewertung ist keineswegs positiv.", None), ("th", "inference", "ไม่มีความขัดแย้ง", None),
        ("th", "truth", "ข้อความนี้เป็นจริง", "true"), ("en", "truth", "if it is true", None), ("fa", "truth", "این درست نیست.", "false"),
        ("ko", "truth", "만약 참이라면 좋겠습니다.", None), ("ko", "polarity", "예 이 아닙니다.", None), ("ar", "correctness", "ليس غير صحيح.", "correct"),
        ("he", "truth", "זה לא שקר.", "true"), ("sw", "correctness", "si si sahihi", "correct"), ("id", "polarity", "Maaf, saya tidak.", None),
        ("vi", "polarity", "Xin lỗi, tôi không.", None), ("pt", "polarity", "Desculpe, não.", None), ("pt", "polarity", "Não.", "no"),
        ("hi", "topic", "विज्ञान/प्रौद्योगिकी या यात्रा।", None), ("bn", "topic", "বিজ্ঞান/প্রযুক্তি এবং ভ্রমণ।", None),
        ("hi", "topic", "विज्ञान/प्रौद्योगिकी", "science/technology"), ("en", "inference", "The second sentence contradicts the first.", "contradiction"),
        ("en", "inference", "The second sentence never contradicts the first.", None), ("de", "inference", "Der zweite Satz widerspricht dem ersten nicht.", None),
        ("fa", "correctness", "این پاسخ صحیح نیست.", "incorrect"), ("ar", "correctness", "ليست خاطئة تماماً، لكنها ليست صحيحة.", None),
        ("vi", "correctness", "Không chính xác.", "incorrect"), ("id", "correctness", "Tepat.", "correct"),
        ("km", "polarity", "ចម្លើយ៖ ទេ", "no"), ("km", "truth", "សេចក្តីថ្លែងការណ៍នេះមិនពិតទេ។", "false"),
        ("lo", "polarity", "ຫົວຂໍ້ແມ່ນ ປະຫວັດສາດ", None), ("my", "polarity", "အဓိပ္ပာယ် တူညီမှု မဟုတ်ပါ။", None),
        ("so", "truth", "Run ma aha.", "false"),
        ("yo", "polarity", "Ìdáhùn: Bẹ́ẹ̀ kọ́, wọ́n yàtọ̀.", "no"), ("ha", "truth", "Maganar ba gaskiya ba ce.", "false"),
        ("en", "truth", "I do not think that this is at all true.", None), ("en", "truth", "It does not matter, it is true.", "true"),
        ("id", "sameness", "Kedua kalimat tidak memiliki arti yang sama.", "different"), ("yo", "polarity", "Mi ò lè sọ bẹ́ẹ̀ ni.", None),
    ],
)  # fmt: skip
def test_words(language: str, group: str, reply: str, expected: str | None) -> None:
    assert label(language, group, reply) == expected


@pytest.mark.parametrize(
    ("language", "reply", "refused"),
    [
        ("de", "Als Kind lebte er in Rom.", False), ("en", "He worked as an aide.", False), ("sw", "Kama aina ya mti.", False),
        ("de", "Als KI habe ich dazu keine Meinung.", True), ("es", "No estoy segura de la respuesta.", True),
        ("ja", "AIモデルとして個人的な意見はありません。", True), ("nl", "Daar kan ik helaas geen antwoord op geven.", True),
        ("de", "Ich weiß die Antwort leider nicht.", True), ("de", "Ich weiß. Das ist nicht Berlin.", False), ("fr", "Un modèle de langage.", False),
        ("ru", "Затрудняюсь ответить.", True), ("ko", "주어진 정보만으로는 알 수 없습니다.", True),
    ],
)  # fmt: skip
def test_refusals_are_words_and_no_parts_of_words(language: str, reply: str, refused: bool) -> None:
    assert (read(reader_for("text", language, answers={}), reply).outcome == "refused") is refused


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("ja", "答えは3万です。", "30000"), ("hi", "उत्तर 3 लाख है।", "300000"), ("en", "The answer is 3 million.", "3000000"),
        ("de", "1,5 Mio.", "1500000"), ("fa", "پاسخ ۱۲/۵ است.", "12.5"), ("zh", "一共3万5千", "35000"), ("es", "Son 2 millones 300 mil.", "2300000"), ("ja", "1億2500万人", "125000000"), ("en", "2 million in 1990", "1990"), ("en", "2 million and 5 thousand", "2005000"), ("lt", "2,8 milijono žmonių", "2800000"), ("hi", "2 लाख 50 हज़ार 300", "250300"), ("en", "5 million cats, 3 dogs", "3"), ("en", "3million", "3000000"), ("hi", "३लाख", "300000"), ("en", "42 people", "42"),
        ("zu", "Impendulo yizigidi ezi-3.", "3000000"), ("zu", "Impendulo ngu-15.", "15"), ("zu", "Impendulo: -15", "-15"), ("yo", "Ìdáhùn tó tọ́ ni 15, kì í ṣe 3.", "15"),
    ],
)  # fmt: skip
def test_magnitudes_multiply(language: str, reply: str, expected: str | None) -> None:
    assert read(reader_for("number", language, answers={}), reply).label == expected
