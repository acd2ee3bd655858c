"""Runs as studies leave them: of yes and no in four languages, hostile replies among them; and a quiz of several models."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hesperus.records import SCHEMA, Run, conform
from hesperus.types import Sense

NAMES = {
    "en": ["Paris", "France", "Cairo", "Egypt", "Tokyo", "Japan", "Rome", "Italy", "Lima", "Peru", "Oslo", "Norway"],
    "de": ["Paris", "Frankreich", "Kairo", "Ägypten", "Tokio", "Japan", "Rom", "Italien", "Lima", "Peru", "Oslo",
           "Norwegen"],
    "ar": ["باريس", "فرنسا", "القاهرة", "مصر", "طوكيو", "اليابان", "روما", "إيطاليا", "ليما", "بيرو", "أوسلو", "النرويج"],
    "zh": ["巴黎", "法国", "开罗", "埃及", "东京", "日本", "罗马", "意大利", "利马", "秘鲁", "奥斯陆", "挪威"],
}  # fmt: skip
QUESTION = {
    "en": "Is {} the capital of {}?",
    "de": "Ist {} die Hauptstadt von {}?",
    "ar": "هل {} عاصمة {}؟",
    "zh": "{}是{}的首都吗？",
}
WORDS = {"en": ("Yes", "No"), "de": ("Ja", "Nein"), "ar": ("نعم", "لا"), "zh": ("是", "否")}

HOSTILE = (
    "<script>alert('reply')</script><img src=x onerror=alert(1)></style></svg> \x1b[31mred\x1b[0m \u202edesrever "
    "[bold]{{ 7 * 7 }}{% raw %} http://example.org/x.png"
)

ERROR_RATE = {"de": 0.06, "ar": 0.3, "zh": 0.16, "en": 0.04}


@dataclass(frozen=True)
class Maker:
    """Makes rows of a simulated study with a known chance of error by language."""

    rng: random.Random
    languages: tuple[str, ...]

    def items(self) -> list[tuple[str, int, int]]:
        """Every city with every country: 36 questions, 6 of them true."""
        return [(f"q{city}-{land}", city, land) for city in range(6) for land in range(6)]

    def reply(self, gold: str, language: str, rate: float) -> tuple[str, str | None, str]:
        drawn = self.rng.random()
        if drawn < rate * 0.1:
            return "refused", None, "I cannot help with that."
        if drawn < rate * 0.15:
            return "empty", None, ""
        if drawn < rate * 0.3:
            return "invalid", None, f"{WORDS[language][0]}? {WORDS[language][1]}?"
        wrong = {"yes": "no", "no": "yes"}[gold]
        answer = wrong if drawn < rate else gold
        return "answered", answer, f"{WORDS[language][answer == 'no']}."

    def rows(self, model: str, skill: float) -> Iterator[dict[str, object]]:
        made = [f"{tag}_from_en" for tag in self.languages]
        cells = [("en", "en", 1), ("en", "en", 2)]
        cells += [(a, b, 1) for m in made for a, b in ((m, m), (m, "en"), ("en", m))]
        for item, city, land in self.items():
            gold = "yes" if city == land else "no"
            for instruction, given, repeat in cells:
                tag, other = Sense.parse(instruction).language, Sense.parse(given).language
                rate = skill * (0.4 * ERROR_RATE[tag] + 0.6 * ERROR_RATE[other]) + 0.02
                outcome, answer, reply = self.reply(gold, tag, rate)
                yield {
                    "model": model, "task": "capitals", "item": item, "instruction": instruction, "input": given,
                    "repeat": repeat, "outcome": outcome, "answer": answer, "gold": gold,
                    "options": ["yes", "no"], "probs": None, "reply": reply,
                }  # fmt: skip

    def texts(self, models: tuple[str, ...]) -> pl.DataFrame:
        rows = []
        for item, city, land in self.items():
            for tag in ("en", *self.languages):
                text = QUESTION[tag].format(NAMES[tag][2 * city], NAMES[tag][2 * land + 1])
                base = {
                    "item": item,
                    "language": tag,
                    "question": text,
                    "gold": "yes" if city == land else "no",
                }
                rows.append({**base, "input": tag, "model": None})
                if tag != "en":
                    rows += [{**base, "input": f"{tag}_from_en", "model": model} for model in models]
        return pl.DataFrame(rows, schema_overrides={"model": pl.String})


def study(models: dict[str, float], languages: tuple[str, ...] = ("de", "ar", "zh")) -> Run:
    maker = Maker(random.Random(7), languages)
    rows = [row for model, skill in models.items() for row in maker.rows(model, skill)]
    return Run(
        pl.DataFrame(rows, schema=SCHEMA),
        maker.texts(tuple(models)),
        {"study": "multisense", "task": "capitals", "models": list(models), "source": ["en"]},
        {"hesperus": "0.1.0", "MultisenseStudy": {"temperature": 0.25}},
    )


def quiz(
    models: Sequence[str] = ("a/small", "a/large", "b/small"),
    languages: Sequence[str] = ("en", "de", "nl", "zu", "xh"),
    *,
    items: int = 60,
    perfect: Sequence[str] = (),
) -> pl.DataFrame:
    """Choice questions of three subjects; models err each in its own way, in some languages never."""
    rng = np.random.default_rng(11)
    gold = rng.integers(0, 4, items)
    rows = []
    for model in models:
        own = rng.normal(size=(items, 4))
        for step, language in enumerate(languages):
            scores = own + rng.normal(size=(items, 4))
            scores[np.arange(items), gold] += 99 if language in perfect else 1.6 - 0.2 * (step % 5)
            for item, answer in enumerate(scores.argmax(axis=1)):
                rows.append(
                    {"model": model, "task": "quiz", "item": f"q{item:03}", "instruction": language,
                     "input": language, "answer": "ABCD"[answer], "gold": "ABCD"[gold[item]],
                     "options": list("ABCD"), "subject": ("law", "maths", "art")[item % 3]}
                )  # fmt: skip
    return conform(pl.DataFrame(rows))
