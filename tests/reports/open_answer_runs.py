"""A run of open answers as a study leaves it: ciphers for languages, planted losses, gaps, repairs, hostile text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from hesperus.evaluators import EmbeddedJudge, information_evaluator
from hesperus.records import Run, conform, write_run
from hesperus.studies.evaluating.evaluation import Evaluation, evaluate
from hesperus.studies.evaluating.evaluators import property_named
from hesperus.studies.evaluating.keeping import write_evaluation
from hesperus.studies.evaluating.replies import paired, replies_of
from hesperus.studies.evaluating.translating import Translating
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.translation import GREEDY, Decoding

ITEMS, FACTS = 10, 5
KEPT = {"de": 5, "ar": 4, "he": 3, "hi": 2, "sw": 5}
"""Of five facts, so many are said in each language; in Swahili, two of them otherwise."""
SKILL = {"a/large": 0, "a/small": 1}
"""So many facts fewer are said by a model."""

HOSTILE = (
    "</style><script>alert('reply')</script><img src=x onerror=alert(1)> \x1b[31mred\x1b[0m \u202edesrever\u202c "
    "{{ 7 * 7 }} http://example.org/x.png "
)
STUCK, SLOW = "Bells ring 77 times.", "Boats carry 88 boxes."
"""Sentences whose translation repeats itself always, and at the first try."""

_LETTERS = {"ar": (0x0628, "\u0651"), "he": (0x05D0, "\u05bc"), "hi": (0x0915, "\u093c")}
"""First letter of a script that has no capitals, and the mark that says that a letter was one."""


class Cipher:
    """A translator: every language but English is English in other letters."""

    name = "cipher"
    identity: Mapping[str, str] = {"translator": "cipher"}  # noqa: RUF012

    def supports(self, source: str, target: str) -> bool:
        return source != target

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        return [self._one(text, source, target, decoding) for text in texts]

    def _one(self, text: str, source: str, target: str, decoding: Decoding) -> str:
        if target != "en":
            return put(text, target)
        made = back(text, source)
        if made == STUCK or (made == SLOW and decoding == GREEDY):
            return "so on and so on and so on and so on and so on and so on and so on"
        return made


def put(text: str, tag: str) -> str:
    """English into a language of this world."""
    if tag not in _LETTERS:
        return _mirrored(text)
    first, mark = _LETTERS[tag]
    return re.sub(
        "[A-Za-z]",
        lambda one: chr(first + ord(one[0].lower()) - 97) + (mark if one[0].isupper() else ""),
        text,
    )


def back(text: str, tag: str) -> str:
    """A language of this world into English."""
    if tag not in _LETTERS:
        return _mirrored(text)
    first, mark = _LETTERS[tag]
    letters = re.compile(f"([{chr(first)}-{chr(first + 25)}])({mark})?")
    return letters.sub(lambda one: chr(ord(one[1]) - first + (65 if one[2] else 97)), text)


def _mirrored(text: str) -> str:
    """The alphabet turned round: a for z, and the other way."""
    return re.sub("[A-Za-z]", lambda one: chr((155 if one[0].isupper() else 219) - ord(one[0])), text)


def facts(town: int) -> list[str]:
    """What there is to say of a town."""
    return [
        f"The tower of town {town} has {town + 11} floors.",
        f"The market of town {town} opens at {town + 3}.",
        f"The bridge of town {town} is {town + 210} metres long.",
        f"The garden of town {town} has {town + 31} benches.",
        f"The mill of town {town} was built in {town + 1500}.",
    ]


def replies() -> pl.DataFrame:
    """The answers of two models, with gaps."""
    rows = []
    for model, less in SKILL.items():
        for town in range(ITEMS):
            for tag in ("en", *KEPT):
                if model == "a/small" and tag == "hi" and town == 3:
                    continue  # never asked
                text, outcome = _said(model, town, tag, less), "answered"
                if (tag, town) == ("ar", 1) or (tag, town, model) == ("en", 2, "a/small"):
                    text, outcome = None, "refused"
                if (tag, town) == ("he", 1):
                    text, outcome = None, "blocked"
                rows.append(
                    {"model": model, "task": "towns", "item": f"town-{town}", "instruction": tag, "input": tag,
                     "repeat": 1, "outcome": outcome, "answer": text, "reply": text}
                )  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"answer": pl.String, "reply": pl.String})


def _said(model: str, town: int, tag: str, less: int) -> str | None:
    said = facts(town)
    if tag == "en":
        return " ".join([*said, *([HOSTILE.strip()] if town == 4 else [])])
    said = said[: KEPT[tag] - less]
    if tag == "sw":
        said[:2] = [re.sub(r"\d+(?=\D*$)", lambda n: str(int(n[0]) + 400), one) for one in said[:2]]
        said += [STUCK] * (town == 5) + [SLOW] * (town == 6)
    text = put(" ".join(said), tag)
    return text + (f" {HOSTILE}" if town == 4 and tag == "ar" else "")


def items() -> pl.DataFrame:
    """What was asked."""
    return pl.DataFrame(
        [
            {"item": f"town-{town}", "language": "en", "input": "en", "model": None, "gold": None,
             "field:prompt": f"Tell me about town {town}." + (HOSTILE if town == 4 else "")}
            for town in range(ITEMS)
        ],
        schema_overrides={"model": pl.String, "gold": pl.String},
    )  # fmt: skip


def evaluations(given: pl.DataFrame, whats: Sequence[str] = ("information", "length")) -> list[Evaluation]:
    """Evaluate as the study does."""
    evaluators = [
        information_evaluator(EmbeddedJudge()) if what == "information" else property_named(what, None)
        for what in whats
    ]
    with TranslationStore(":memory:") as kept:
        return evaluate(
            paired(replies_of(given), "en"),
            Translating(Cipher(), kept),
            evaluators,
            prompts={f"town-{town}": f"Tell me about town {town}." for town in range(ITEMS)},
        )


def written(folder: Path, whats: Sequence[str] = ("information", "length"), **study: object) -> Run:
    """Write a run folder; `study` adds to its study file."""
    given = replies()
    made = evaluations(given, whats)
    for one in made:
        write_evaluation(one, folder / "evaluations")
    run = Run(
        conform(given),
        items(),
        {
            "study": "translate_then_evaluate", "task": "towns", "models": list(SKILL), "languages": list(KEPT),
            "reference": "en", "translator": "cipher", "evaluate": list(whats),
            "trained_on": {"a/small": ["de", "ar"], "a/large": ["de", "sw"]},
            "bootstrap": {"resamples": 200, "seed": 5, "level": 0.9, "interval": "bayesian"},
            "base_url": "https://user:secret@example.org/v1", **study,
        },
        {"hesperus": "0.1.0", "models": {"a/large": {}}, "excluded": {"items": 2, "reasons": {"leaked": 2}, "absent": 0},
         "evaluations": {one.what: dict(one.signature) for one in made}},
    )  # fmt: skip
    pl.DataFrame(
        [
            {"language": "ar", "statistic": name, "value": value, "low": None, "high": None, "n": 10, "excluded": 0,
             "reason": ""}
            for name, value in (("bleu", 61.5), ("chrf", 72.25), ("unrepaired", 0.1))
        ],
        schema_overrides={"low": pl.Float64, "high": pl.Float64},
    ).write_parquet(folder / "prompts.parquet")  # fmt: skip
    pl.DataFrame(
        [
            {
                "evaluator": "information",
                "value": 0.96,
                "low": 0.9,
                "high": 0.99,
                "n": 250,
                "excluded": 0,
                "reason": "",
            }
        ]
    ).write_parquet(folder / "readability.parquet")
    write_run(run, folder)
    return run
