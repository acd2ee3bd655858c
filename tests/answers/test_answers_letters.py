"""Letters in whatever frame five languages put them, under an instruction like that of XNLI."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hesperus.answers import Reader, read, reader_for

# The labels stand in another order than the letters, as in the catalogue.
ANSWERS = {"entailment": ["A"], "neutral": ["C"], "contradiction": ["B"]}
LABEL = {"A": "entailment", "B": "contradiction", "C": "neutral"}

TEXTS = {
    "en": [
        ("the first sentence entails the second sentence", "the first sentence contradicts the second sentence", "neither of the two"),
        ("The first sentence covers the second sentence", "The first sentence contradicts the second sentence", "Neither of them"),
    ],
    "de": [
        ("der erste Satz impliziert den zweiten Satz", "der erste Satz widerspricht dem zweiten Satz", "keines von beiden"),
        ("Der erste Satz impliziert den zweiten Satz", "Der erste Satz widerspricht dem zweiten Satz", "Keines von beiden"),
    ],
    "zh": [
        ("第一个句子涵盖了第二个句子", "第一个句子与第二个句子矛盾", "两者都不"),
        ("第一句蕴含第二句", "第一句与第二句相矛盾", "两者都不是"),
    ],
    "fr": [
        ("la première phrase implique la deuxième phrase", "la première phrase contredit la deuxième phrase", "aucune des deux"),
        ("La première phrase entraîne la seconde", "La première phrase contredit la seconde", "Aucune des deux phrases n'a de rapport avec l'autre"),
    ],
    "es": [
        ("la primera oración implica la segunda oración", "la primera oración contradice la segunda oración", "ninguna de las dos"),
        ("La primera oración implica a la segunda", "La primera oración contradice a la segunda", "Ninguna de las dos oraciones se refiere a la otra"),
    ],
}  # fmt: skip

# What a model adds: the article "a", the verb "a", the prepositions "A" and "a", negations.
TAILS = {
    "en": [" The first sentence says that a man is at the park.", " A person could be both.", " Neither sentence entails the other."],
    "de": [" Der erste Satz besagt, dass ein Mann im Park ist.", " Es gibt keine Information darüber."],
    "zh": ["第一个句子说的是一个人在公园里。", "两个句子没有直接关系。"],
    "fr": [" La première phrase a un sens différent.", " Il n'y a pas de lien. À la fin, elle a dit que oui.", " A priori, il y a une différence."],
    "es": [" La primera oración se refiere a un hombre y a su perro.", " No hay relación. A veces no."],
}  # fmt: skip

# {L}: the letter, {t}: its text, {T}: the text as a sentence, {o} and {p}: the other letters, {W}: full width.
FRAMES = {
    "en": [
        "{L}", "{l}", "({L})", "[{L}]", "{L}.", "{L})", '"{L}"', "'{L}'", "**{L}**", "`{L}`", "$\\boxed{{{L}}}$", "{L}) {t}", "({L}) {t}",
        "{L}. {t}", "{L}: {t}", "{L} - {t}", "{L}, {t}", "{L}\n\n{t}", "The correct answer is ({L}) {t}.", "The correct answer is {L}.",
        "The answer is ({L}).", "The answer is {L}) {t}.", "Answer: {L}", "**Answer:** {L}", "Answer: ({L}) {t}", "Option {L}", "Option ({L})",
        "Option {L}: {t}", "option {L} is correct.", "The correct option is ({L}).", 'The best answer is "{L}".', "{L} is the correct answer.",
        "I would choose ({L}) {t}.", 'I would answer with "{L}".', "My answer is {L}.", "Based on the sentences, the answer is {L}.",
        "{T}. ({L})", "{T}. Therefore, the answer is {L}.", "{T}, so the answer is ({L}).", "{T}. {L}.", "The statement ({L}) is true: {t}",
        "({L}) is true.", "{L} {T}", "Statement {L} is true.", "It is {L}.", "Neither ({o}) nor ({p}) is true, so ({L}) is the correct answer.",
        "({o}) and ({p}) are wrong. {L} is the correct answer.", "Neither {o} nor {p}. {L}.", "The answer is {o}. No, on reflection the answer is {L}.",
        "<answer>{L}</answer>", "<think>{o} or {p}?</think>\n{L}",
    ],
    "de": [
        "„{L}“", "»{L}«", "Antwort: {L}", "Antwort: ({L}) {t}", "Die Antwort ist {L}.", "Die richtige Antwort ist ({L}) {T}.", "Antwort {L}",
        'Die richtige Antwort lautet "{L}".', "Die Antwort lautet ({L}) {t}.", "Option {L}", 'Die Antwort ist "{L}" - {t}', "{L} – {t}",
        "Aussage ({L}) trifft zu.", "Aussage {L} trifft zu.", 'Die Aussage "{L}" trifft auf das Satzpaar zu.', "{T} ({L}).", "{L} trifft zu.",
        "Die Aussage ({L}) {t} trifft auf das folgende Satzpaar zu.", "{T}, daher ist die Antwort ({L}).", "{T}. Daher lautet die Antwort {L}.",
        "Die Aussage ({o}) trifft nicht zu. Die Aussage ({p}) trifft nicht zu. Daher ist die richtige Antwort ({L}) {t}.",
        "Weder ({o}) noch ({p}), daher lautet die richtige Antwort: {L}.", "({o}) und ({p}) treffen nicht zu, ({L}) ist die richtige Antwort.",
    ],
    "zh": [
        "{L}。", "（{L}）", "“{L}”", "「{L}」", "{L}）{t}", "（{L}）{t}", "{L}：{t}", "{L}、{t}", "{L}，{t}", "答案是{L}。", "答案是（{L}）{t}。",
        "正确答案是{L}。", "正确的选项是{L}。", "正确选项是（{L}）{t}", "选项{L}", "选项 {L} 是正确的。", "选择{L}。", "选{L}", "答案：{L}", "答案：（{L}）{t}",
        "应该选择“{L}”。", "{t}，所以答案是{L}。", "{t}，因此选{L}。", "{t}。{L}", "{t}（{L}）。", "{W}", "正确答案为{L}", "回答：{L}",
        "{L}选项是正确的。", "（{o}）和（{p}）都不对，{L}是正确答案。", "不是{o}也不是{p}，所以正确答案是{L}。",
    ],
    "fr": [
        "« {L} »", "{L} : {t}", "Réponse : {L}", "Réponse: ({L}) {t}", "La réponse est {L}.", "La réponse est ({L}) {t}.", "{T} ({L}).",
        "La bonne réponse est ({L}) {t}.", "La réponse correcte est {L}.", 'La réponse correcte est "{L}".', "({L}) est vrai.",
        '{T}, donc la réponse est "{L}".', "{T}. La réponse est donc ({L}).", "L'affirmation ({L}) est vraie.", "L'option {L} est correcte.",
        "Ni ({o}) ni ({p}) ne sont vraies, donc ({L}) est la bonne réponse.",
    ],
    "es": [
        "«{L}»", "Respuesta: {L}", "Respuesta: ({L}) {t}", "La respuesta es {L}.", "La respuesta correcta es ({L}) {t}.", "Opción {L}",
        'La respuesta correcta es la "{L}".', "La opción correcta es ({L}) {t}.", "La opción {L} es correcta.", "Opción ({L}): {t}",
        '{T}, por lo que la respuesta es "{L}".', "{T}. Por lo tanto, la respuesta es {L}.", "{T} ({L}).", "({L}) es verdadera.",
        "La afirmación ({L}) es cierta.", "Ni ({o}) ni ({p}) son ciertas, así que la respuesta correcta es ({L}).",
    ],
}  # fmt: skip

UNREADABLE = {
    "en": [
        "Neither of the two.", "The first sentence entails the second sentence.", "A and B", "Both A and C", "A or B", "(A) or (C)", "A/B",
        "It could be A, B or C.", "I cannot determine the answer.", "A man is in the park.", "Neither A nor B", "It is not A.", "ABC", "A C",
        "There is not enough information to answer A, B, or C.", "I need a context.", "(A) is not true.", "A is wrong.", "It was written in C++.",
        "A) the first …\nB) the second …\nC) the third …", "The A-team, vitamin-C and D.C. are no options.", "The answer is not a simple matter.",
    ],
    "de": [
        "Die beiden Sätze sind identisch.", "Keines von beiden.", "A und C", "Weder A noch B trifft zu.", "Bitte geben Sie mehr Kontext.",
        "Weder (A) noch (B).", "Aussage (A) trifft nicht zu.", 'Bitte antworte mit "A", "B" oder "C".',
    ],
    "zh": ["两者都不是。", "第一个句子涵盖了第二个句子", "A或B", "这两个句子没有关系。", "请用“A”、“B”或“C”回答。", "A不正确。"],
    "fr": [
        "Aucune des deux.", "Aucune des deux phrases n'a un lien avec l'autre.", "La première phrase a un lien avec la deuxième.", "A et B",
        "Il y a une différence.", "A priori non.", "Bien que la phrase ait un sens.", "Il a dit oui.",
    ],
    "es": [
        "Ninguna de las dos.", "La primera oración se refiere a la segunda.", "A y B", "A veces la gente va a la playa.", "Y la segunda no.",
    ],
}  # fmt: skip


def _replies(language: str) -> Iterator[tuple[str, str]]:
    frames = FRAMES["en"] + (FRAMES[language] if language != "en" else [])
    for frame in frames:
        for place, letter in enumerate("ABC"):
            others = "ABC".replace(letter, "")
            for texts in TEXTS[language]:
                text = texts[place]
                reply = frame.format(
                    L=letter,
                    l=letter.lower(),
                    W=chr(ord(letter) + 0xFEE0),
                    t=text,
                    T=text[0].upper() + text[1:],
                    o=others[0],
                    p=others[1],
                )
                yield letter, reply
                if frame not in ("{l}", "{W}", "$\\boxed{{{L}}}$"):
                    end = "" if reply[-1] in ".。" else "。" if language == "zh" else "."
                    for tail in TAILS[language]:
                        yield letter, reply + end + tail


@pytest.mark.parametrize("language", sorted(FRAMES))
def test_a_letter_is_read_in_every_frame(language: str) -> None:
    reader = reader_for("label", language, answers=ANSWERS)
    replies = list(_replies(language))
    wrong = [(letter, reply) for letter, reply in replies if read(reader, reply).label != LABEL[letter]]
    assert len(replies) > 900
    assert not wrong, wrong[:5]
    choice = reader_for("choice", language, answers=ANSWERS)
    wrong = [(letter, reply) for letter, reply in replies[::7] if read(choice, reply).label != LABEL[letter]]
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("language", sorted(UNREADABLE))
def test_what_asserts_no_letter_or_two_is_not_read(language: str) -> None:
    reader = reader_for("label", language, answers=ANSWERS)
    read_anyway = [reply for reply in UNREADABLE[language] if read(reader, reply).label is not None]
    assert not read_anyway


def _choice(language: str, letters: str = "ABCD") -> Reader:
    return reader_for("choice", language, answers={letter: [letter] for letter in letters})


@pytest.mark.parametrize(
    ("language", "reply", "label"),
    [
        ("ar", "ب", "B"), ("ar", "الإجابة الصحيحة هي (ج).", "C"), ("ar", "٢", "B"), ("hi", "उत्तर: (ख)", "B"), ("hi", "३", "C"),
        ("ru", "Б", "B"), ("ru", "Правильный ответ: Г.", "D"), ("ru", "С", "C"), ("el", "Β", "B"), ("el", "Γ", "C"), ("th", "ข้อ ค", "C"),
        ("ko", "정답은 B입니다.", "B"), ("ja", "答えはBです。", "B"), ("ja", "正解: Ｃ", "C"), ("zh", "②", "B"), ("en", "Ⓒ", "C"), ("en", "⒝", "B"),
        ("en", "2)", "B"), ("en", "Option 3", "C"), ("en", "Answer: 4.", "D"), ("en", "2 apples", None), ("en", "3.5", None), ("en", "9", None),
        ("ru", "В первом предложении сказано иное", None), ("pl", "W pierwszym zdaniu", None), ("pt", "A primeira frase diz isso", None),
    ],
)  # fmt: skip
def test_letters_and_digits_of_other_scripts(language: str, reply: str, label: str | None) -> None:
    assert read(_choice(language), reply).label == label


def test_lookalike_counts_as_the_latin_letter_that_was_asked_for() -> None:
    """Cyrillic В is the third letter of a Russian list, and looks like the B that the prompt offered."""
    assert read(_choice("ru"), "В").label == "B"
    native = reader_for("choice", "ru", answers=dict(zip("ABCD", ["А", "Б", "В", "Г"], strict=True)))
    assert read(native, "В").label == "C"


def test_fewer_options_take_letters_off_offer() -> None:
    reader = _choice("en", "ABCDE").with_options(["Oslo", "Rome", "Paris"])
    assert reader.labels == ("A", "B", "C")
    assert read(reader, "D").label is None
    assert read(reader, "C").label == "C"


@pytest.mark.parametrize(
    ("reply", "label", "rule"),
    [
        ("Paris", "C", "text"),
        ("paris.", "C", "text"),
        ("**Paris, Texas**", "D", "text"),
        ("It must be Paris, Texas, I think.", "D", "text inside"),
        ("The capital is Paris.", "C", "text inside"),
        ("Paris or Rome", None, "several answers"),
        ("B) Paris", "B", "start"),
        ("Parisian", None, "no answer"),
        (r"\boxed{\text{Rome}}", "B", "boxed"),
    ],
)
def test_option_texts(reply: str, label: str | None, rule: str) -> None:
    answer = read(_choice("en").with_options(["Oslo", "Rome", "Paris", "Paris, Texas"]), reply)
    assert answer.label == label
    assert label is None or answer.rule == rule


def test_an_option_that_is_a_number_comes_before_the_number_of_an_option() -> None:
    numbers = _choice("en").with_options(["2", "3", "4", "5"])
    assert read(numbers, "3").label == "B"
    assert read(numbers, "The result is 5.").label == "D"
    assert read(numbers, "1").label == "A"


def test_letters_count_by_their_own_alphabet_where_options_have_texts_too() -> None:
    """В is the third letter next to Б, whether an option is known by its letter alone or by a text as well."""
    texts = dict(zip("ABCD", ("один", "два", "три", "четыре"), strict=True))
    for answers in ({one: [one] for one in texts}, {one: [one, text] for one, text in texts.items()}):
        reader = reader_for("choice", "ru", answers=answers)
        assert [read(reader, reply).label for reply in ("В, не Б.", "В")] == ["C", "B"]
