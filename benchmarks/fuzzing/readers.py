"""What a model says, through the answer parser: any text, and changes of it after which it still says the same."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

from hesperus.answers import Reader, read, reader_for
from hesperus.types import OUTCOMES, Finish, Reply

from .draws import ODD_TEXTS, mutated_text
from .trying import Changed

YES_NO = {
    "en": ("yes", "no"), "de": ("ja", "nein"), "fr": ("oui", "non"), "es": ("sí", "no"), "zh": ("是", "不是"), "ar": ("نعم", "لا"),
    "th": ("ใช่", "ไม่ใช่"), "ru": ("да", "нет"), "tr": ("evet", "hayır"), "hi": ("हाँ", "नहीं"), "ja": ("はい", "いいえ"), "sw": ("ndiyo", "hapana"),
    "el": ("ναι", "όχι"), "vi": ("có", "không"), "ko": ("예", "아니요"), "bn": ("হ্যাঁ", "না"),
}  # fmt: skip
OPTIONS = (
    ("one two", "12", "猫", "*"),
    ("Paris", "Paris, Texas", "London", "none of these"),
    ("1", "10", "100", "0.1"),
    ("yes", "no", "both", "A"),
)
_WORDS = (
    "A", "B", "C", "D", "(C)", "b)", "D.", "Option", "option B", "选项", "the answer is", "The correct answer is", "Answer:", "Antwort:", "答案是", "or",
    "oder", "not", "is wrong", "because", "if", "neither", "both", "I'm sorry, but", "I cannot", "，", "。", ".", ",", ";", ":", "\n", "\n\n", " ", "  ",
    '"', "“", "”", "«", "**", "*", "`", "```", "$", r"\boxed{", "}", "<think>", "</think>", "1", "٢", "1,234.5", "3.14", "-7", "½", "Paris", "London",
    "12", "one two", "猫", "#", "- ", "> ", "1. ", "|", "Tokyo", "東京", "final", "A and B", "A, not B", "…", "?", "!", "(", ")",
)  # fmt: skip


@cache
def reader_list() -> tuple[Reader, ...]:
    """Readers of every form, in many languages and presets."""
    labels = [
        reader_for("label", tag, answers={"yes": [yes], "no": [no]}) for tag, (yes, no) in YES_NO.items()
    ]
    letters = {letter: [letter] for letter in "ABCD"}
    choices = [
        reader_for("choice", tag, answers=letters, options=options)
        for tag in ("en", "zh", "ar", "ru", "tr")
        for options in (None, *OPTIONS)
    ]
    texts = [
        reader_for("text", tag, answers={"Q1": ["東京", "Tokyo"], "Q2": ["京都", "Kyoto"]})
        for tag in ("ja", "en")
    ]
    others = [
        reader_for("label", "en", answers={"yes": ["yes"], "no": ["no"]}, preset="ohmer2023"),
        reader_for("choice", "en", answers=letters, preset="strict"),
        *(reader_for("number", tag, answers={}) for tag in ("en", "de", "ar", "zh")),
        reader_for("text", "en", answers={}),
    ]
    return (*labels, *choices, *texts, *others)


_NOT_IN_BOLD = re.compile(r"[*\n]|^\s*[-+>#]|think", re.IGNORECASE)
"""Bold itself; several lines; what begins a line of a list, a quotation or a heading, or a reply with its thinking, and begins
none in bold. A dash may be a minus, too."""


def _typographic(text: str) -> str:
    return text.replace('"', "“")


HARMLESS: dict[str, Callable[[str], str]] = {
    "blanks around": lambda text: f"  {text}\n ",
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "composed": lambda text: unicodedata.normalize("NFC", text),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "byte order mark": lambda text: f"\ufeff{text}",
    "bold": lambda text: text if _NOT_IN_BOLD.search(text) else f"**{text}**",
    "thinking": lambda text: (
        text if "think" in text.casefold() else f"<think>A or B? yes, no. 7</think>{text}"
    ),
    "quotes": _typographic,
    "full stop": lambda text: text if not text[-1:].isalpha() else f"{text}.",
}
"""Changes by name after which a reply says what it said."""


def answers(rng: random.Random, folder: Path) -> None:
    """A reply, read by one of many readers; then once more after a harmless change."""
    reader = rng.choice(reader_list())
    text = _said(rng, reader)
    finish: Finish = "length" if rng.random() < 0.1 else "stop"
    answer = read(reader, Reply(text, finish))
    if (
        answer.outcome not in OUTCOMES
        or (answer.label is not None) != (answer.outcome == "answered")
        or not answer.rule
    ):
        raise Changed(f"contract: {answer!r} of {text!r}")
    if reader.form in ("label", "choice") and answer.label is not None and answer.label not in reader.labels:
        raise Changed(f"contract: {answer.label!r} is no label of {reader.labels!r}; {text!r}")
    if answer.label is None:
        return
    name = rng.choice(list(HARMLESS))
    again = read(reader, Reply(HARMLESS[name](text), finish))
    if again.label is not None and again.label != answer.label:
        raise Changed(
            f"{name}, {reader.form}: {reader.language} {reader.name} {reader.options!r} {text!r} is {answer.label!r} by "
            f"{answer.rule!r}, then {again.label!r} by {again.rule!r}"
        )


def _said(rng: random.Random, reader: Reader) -> str:
    """A reply: words of the reader's own answers among words that replies have, or anything."""
    own = [word for _, words in reader.answers for word in words] + list(reader.options or ())
    drawn = []
    for _ in range(rng.randrange(9)):
        kind = rng.random()
        words = own if kind < 0.35 and own else ODD_TEXTS if kind > 0.93 else _WORDS
        drawn.append(rng.choice(words))
    text = rng.choice(("", " ", " ")).join(drawn)
    if rng.random() < 0.3:
        text = mutated_text(rng, text)
    return text.swapcase() if rng.random() < 0.1 else text
