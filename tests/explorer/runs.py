"""Runs to explore: a plain one, one with hostile texts, one in many languages."""

from __future__ import annotations

import random

import polars as pl

from hesperus.records import Run, conform

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> {{ 7 * 7 }}"
    "{% raw %} \u202edesrever \x1b[31mred\x1b[0m \x00 \ufffe \U000e0041 <b>bold</b> javascript:alert(1)"
)
FORMULA = '=HYPERLINK("http://example.org","x")'
LONG = "x" * 1_000_000


def quiz_run(tags: tuple[str, ...] = ("en", "de", "sw", "ar", "zh"), items: int = 40) -> Run:
    """One model, questions with subject, probabilities and texts, some replies without an answer."""
    rng = random.Random(3)
    rows, texts = [], []
    for number in range(items):
        gold = "ABCD"[number % 4]
        for tag in tags:
            wrong = rng.random() < {"en": 0.1, "de": 0.2}.get(tag, 0.5)
            outcome = "invalid" if rng.random() < 0.05 else "answered"
            answer = rng.choice([label for label in "ABCD" if label != gold]) if wrong else gold
            probs = [0.85 if label == answer else 0.05 for label in "ABCD"]
            item = f"q{number:02}"
            rows.append(
                {"model": "test/one", "task": "quiz", "item": item, "instruction": tag, "input": tag, "gold": gold,
                 "outcome": outcome, "answer": answer if outcome == "answered" else None, "options": list("ABCD"),
                 "probs": probs, "reply": f"({answer}).", "subject": ("law", "maths")[number % 2]}
            )  # fmt: skip
            options = [f"{label} in {tag}" for label in ("one", "two", "three", "four")]
            texts.append(
                {
                    "item": item,
                    "language": tag,
                    "gold": gold,
                    "options": options,
                    "field:question": f"Question {item} in {tag}?",
                }
            )
    return Run(conform(pl.DataFrame(rows)), pl.DataFrame(texts))


def hostile_run() -> Run:
    """Every text that a stranger writes is hostile: item, model, group, question, options, reply."""
    replies = {"en": HOSTILE, "ar": FORMULA, "zh": LONG, "de": "", "he": "\u202e\u2066" * 50}
    rows = [
        {"model": f"evil/{HOSTILE}", "task": "<i>task</i>", "item": item, "instruction": tag, "input": tag,
         "outcome": "invalid", "answer": None, "gold": "A", "options": ["A", "<script>alert(2)</script>"], "probs": [0.5, 0.5],
         "reply": reply, "subject": FORMULA if item == "hostile" else "@SUM(1)"}
        for item in ("hostile", FORMULA, HOSTILE) for tag, reply in replies.items()
    ]  # fmt: skip
    texts = [
        {"item": "hostile", "language": tag, "options": [HOSTILE, "{{ config }}"], f"field:{HOSTILE[:30]}": HOSTILE, "field:b": LONG}
        for tag in replies
    ]  # fmt: skip
    return Run(conform(pl.DataFrame(rows)), pl.DataFrame(texts))


def many_languages(count: int) -> Run:
    """Three questions in codes that no language has."""
    codes = [f"{a}{b}" for a in "qxyzvwuk" for b in "abcdefghijklmnopqrstuvwxyz"][:count]
    rows = [
        {"model": "m", "task": "t", "item": f"q{number}", "instruction": code, "input": code, "gold": "A",
         "answer": "AB"[(number + place) % 2], "options": ["A", "B"]}
        for number in range(3) for place, code in enumerate(codes)
    ]  # fmt: skip
    return Run(conform(pl.DataFrame(rows)))
