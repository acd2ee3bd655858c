"""A small world for whole studies: questions with a yes or a no, and an endpoint that translates and answers them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from loopback_endpoint import Action, Say, user_text

TASK = """
name: tides
description: Do two sentences mean the same?
form: label
fields: [first, second]
labels: [same, different]
answers: {same: yes, different: no}
layout: '{prefix} {first.word} 1: "{first}" {second.word} 2: "{second}" {suffix}'
instructions:
  en:
    prefix: Do these sentences mean the same?
    words: {first: Sentence, second: Sentence}
    suffix: Please answer with "yes" or "no".
    answers: {same: "yes", different: "no"}
source: {obtain: made by the test}
columns:
  fields: {first: first, second: second}
  gold: label
  groups: {sea: sea}
gold:
  labels: {"1": same, "0": different}
key:
  columns: [id]
"""
GERMAN = {
    "Do these sentences mean the same?": '"Bedeuten diese Sätze dasselbe?"',
    "Sentence": '"Satz"',
    'Please answer with "yes" or "no".': 'Bitte antworten Sie mit "Ja" oder "Nein".',
}


def write_task(folder: Path, items: int = 24) -> Path:
    """A task file with its data beside it."""
    rows = [
        {"id": f"t{n:03}", "first": f"The tide {n} rises.", "second": f"Tide {n} is rising.", "label": n % 2,
         "sea": ("north", "south")[n % 2]}
        for n in range(items)
    ]  # fmt: skip
    (folder / "tides.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = folder / "tides.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


def answer(body: dict[str, Any], count: int) -> Action:
    """Translate into German by table or by a mark; answer by a hash of the input, in the instruction's language."""
    text = user_text(body)
    if text.startswith("Please translate the following text into German: "):
        original = text.split(": ", 1)[1][1:-1]
        return Say(GERMAN.get(original, f'"DE {original}"'))
    german = "Bitte antworten" in text
    same = hashlib.sha256(text.encode()).digest()[0] < 150
    return Say(("Ja." if same else "Nein") if german else ("Yes" if same else "No."))
