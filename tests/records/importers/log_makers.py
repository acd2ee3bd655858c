"""Writes logs as the tools do, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).with_name("fixtures")

DATE = "2025-01-02T03-04-05.000006"


def lm_eval_row(
    number: int,
    document: Mapping[str, Any],
    scores: Sequence[float],
    *,
    target: object,
    texts: Sequence[str] = ("A", "B", "C", "D"),
    accuracy: float | None = None,
) -> dict[str, Any]:
    """A row of scored options in the layout of 0.4.3 and later."""
    filtered = [[str(score), "False"] for score in scores]
    best = max(range(len(scores)), key=lambda place: scores[place])
    if accuracy is None:
        accuracy = float(str(target) in (str(best), texts[best % len(texts)]))
    return {
        "doc_id": number,
        "doc": dict(document),
        "target": str(target),
        "arguments": {
            f"gen_args_{n}": {"arg_0": 'Ask "x"\\', "arg_1": f" {text}"} for n, text in enumerate(texts)
        },
        "resps": [[score] for score in filtered],
        "filtered_resps": filtered,
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"{hash_of(document)}",
        "prompt_hash": "0",
        "target_hash": "0",
        "acc": accuracy,
    }


def hash_of(document: Mapping[str, Any]) -> str:
    """Any text that depends on the document."""
    return str(len(json.dumps(document)))


def write_lm_eval(
    folder: Path,
    task: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    model: str = "org/model",
    date: str = DATE,
    config: Mapping[str, Any] | None = None,
) -> Path:
    """samples_*.jsonl and results_*.json, as the harness names and writes them; returns the samples."""
    folder = folder / model.replace("/", "__")
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / f"results_{date}.json"
    held = (
        json.loads(results.read_text(encoding="utf-8"))
        if results.exists()
        else {"results": {}, "configs": {}}
    )
    held["results"][task] = {}
    held["configs"][task] = {
        "task": task,
        "test_split": "test",
        "output_type": "multiple_choice",
        **(config or {}),
    }
    held |= {"model_name": model, "model_source": "hf"}
    results.write_text(json.dumps(held), encoding="utf-8")
    path = folder / f"samples_{task}_{date}.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def mmlu_rows(
    count: int, *, gold: Sequence[int] | None = None, shift: int = 0, start: int = 0
) -> list[dict[str, Any]]:
    """Rows of global_mmlu_full_*: letters, target a letter, likeliest option (number + shift) % 4."""
    rows = []
    for number in range(start, start + count):
        place = gold[number - start] if gold is not None else (7 * number + number // 3) % 4
        scores = [-5.0, -5.0, -5.0, -5.0]
        scores[(number + shift) % 4] = -1.0
        document = {"sample_id": f"anatomy/test/{number}", "subject": "anatomy", "question": f"Q{number}?"}
        rows.append(lm_eval_row(number - start, document, scores, target="ABCD"[place]))
    return rows
