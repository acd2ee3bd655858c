"""A small world for studies of open answers: an endpoint that answers, translates and judges, and knows what it hides."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from loopback_endpoint import Action, Say, user_text

TASK = """
name: rivers
description: Questions with open answers, in English.
form: text
fields: [prompt]
layout: "{prompt}"
instructions: {en: {prefix: "", words: {}, suffix: "", answers: {}}}
source: {obtain: made by the test}
columns: {fields: {prompt: prompt}}
key: {columns: [id]}
"""
FACTS = 5
"""Sentences of an English answer."""

_QUOTED = re.compile(r'"(.*)"', re.DOTALL)
_MARKED = re.compile(r"^<<<(?P<mark>[0-9a-f]{8})\n(?P<text>.*?)\n(?P=mark)>>>$", re.DOTALL | re.MULTILINE)


def write_task(folder: Path, items: int) -> Path:
    """A task file with its prompts beside it."""
    rows = [{"id": f"r{n:03}", "prompt": f"Tell me about river {n}."} for n in range(items)]
    (folder / "rivers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = folder / "rivers.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


def mirrored(text: str) -> str:
    """Every word spelt backwards: the other language of this world, and the way back from it."""
    return re.sub(r"[^\W\d_]+", lambda word: word[0][::-1], text)


def told(river: int, *, english: bool) -> list[str]:
    """The sentences about a river; the other language leaves out the last, and says another number in the third."""
    facts = [
        f"The river {river} rises near mountain {river + 7}.",
        f"Its length is {100 + river} kilometres.",
        f"People built {river + 3 if english else river + 4} bridges across it.",
        f"Boats carry grain down to harbour {river + 11}.",
        f"Fishermen catch about {200 + river} salmon every spring.",
    ]
    return facts if english else facts[:-1]


PRECISION, RECALL = 3 / 4, 3 / 5
"""What an evaluator must find of `told`: one claim in four is contradicted, and of five one more is not said."""


def kind_of(body: dict[str, Any]) -> str:
    """`judge`, `translate` or `answer`: what a request wants."""
    text = user_text(body)
    if "Reply with a JSON" in text:
        return "judge"
    return "translate" if _QUOTED.search(text) else "answer"


def world(body: dict[str, Any], count: int) -> Action:
    """Answers, translates or judges."""
    text = user_text(body)
    kind = kind_of(body)
    if kind == "judge":
        return Say(judged(text))
    if kind == "translate":
        found = _QUOTED.search(text)
        assert found is not None
        return Say(mirrored(found[1]))
    number = re.search(r"\d+", text)
    assert number is not None, text
    english = "river" in text
    answer = " ".join(told(int(number[0]), english=english))
    return Say(answer if english else mirrored(answer))


def judged(prompt: str) -> str:
    """The verdicts of an honest judge: a claim is a sentence, and supported where the text has it word for word."""
    if prompt.startswith("List the claims"):
        (text,) = (found["text"] for found in list(_MARKED.finditer(prompt))[-1:])
        return json.dumps([sentence for sentence in re.split(r"(?<=\.)\s+", text.strip()) if sentence])
    text, listed = (found["text"] for found in _MARKED.finditer(prompt))
    claims = re.findall(r"^\d+\. (.*)$", listed, re.MULTILINE)
    return json.dumps(
        {str(n): "supported" if claim in text else "not supported" for n, claim in enumerate(claims, 1)}
    )
