"""Records as Every Eval Ever stores evaluations (schema 0.3.0): a file of results and a file of samples per task and model.

The schema of the EvalEval Coalition knows neither languages nor what an input was made from, and an id of a sample is that of one
data set. So each cell of the records (instruction, input, repeat) is a result of its own, with both codes and the language
among its `metric_parameters`; each sample has them in its `metadata`; and `sample_id` is the id of the item, the same in
every language.

Not in these files: records without a right label, since a sample must say whether it is correct; and records with the outcome
`error`, which have no reply, since the schema would count them as wrong.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.errors import UsageError
from hesperus.fingerprint import JSON
from hesperus.records.conform import conform
from hesperus.records.files import write_content
from hesperus.records.schema import KEY, SCHEMA
from hesperus.version import __version__
from hesperus.wording import parsed

SCHEMA_VERSION = "0.3.0"
"""Of the schema; `every_eval_ever validate` of that version takes the files."""

OWN = ("instruction", "input", "repeat", "outcome", "language", "task", "options", "probs")
"""Names in a sample's metadata that are not groups."""

RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
_CELL = ("instruction", "input", "repeat")
_PASSED = (
    *SCHEMA,
    "rule",
    "note",
    "reply_language",
    "reasoning",
    "reasoning_language",
    "tokens_in",
    "tokens_out",
)
"""Columns that have a place of their own, or none; the others are groups."""


@dataclass(frozen=True, slots=True)
class EvaluationSource:
    """Who evaluated, as the schema asks.

    Attributes:
        organization: Who made the evaluation.
        relationship: Of the evaluator to the makers of the models: one of RELATIONSHIPS.
        made: When these files are made, in seconds since 1970.

    Raises:
        UsageError: No such relationship.
    """

    organization: str = "unknown"
    relationship: str = "other"
    made: float = 0.0

    def __post_init__(self) -> None:
        if self.relationship not in RELATIONSHIPS:
            raise UsageError(
                f"a relationship is one of {', '.join(RELATIONSHIPS)}, not {self.relationship!r}"
            )


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        files: Files of results.
        samples: How many samples.
        left_out: Records that the schema has no place for.
    """

    files: tuple[Path, ...]
    samples: int
    left_out: int


def write_every_eval(
    records: pl.DataFrame, folder: Path, source: EvaluationSource, items: pl.DataFrame | None = None
) -> Exported:
    """Write ``data/TASK/DEVELOPER/MODEL/ID.json`` and ``…/ID_samples.jsonl`` for each task and model.

    Args:
        records: Records.
        folder: Where `data/` is made.
        source: Who evaluated.
        items: Texts of the items (see hesperus.records.runs), for `input.raw`, which is empty without them.

    Raises:
        DataError: The records break their contract.
        UsageError: No record has a right label and a reply.
    """
    whole = conform(records)
    kept = whole.filter(pl.col("gold").is_not_null() & (pl.col("outcome") != "error")).sort(KEY)
    if kept.is_empty():
        raise UsageError(
            "no record has a right label and a reply, and Every Eval Ever has no place for others"
        )
    texts = _texts(items)
    files = []
    for (task, model), rows in kept.partition_by("task", "model", as_dict=True, maintain_order=True).items():
        files.append(_write(str(task), str(model), rows, folder, source, texts))
    return Exported(tuple(files), len(kept), len(whole) - len(kept))


def _write(
    task: str,
    model: str,
    rows: pl.DataFrame,
    folder: Path,
    source: EvaluationSource,
    texts: Mapping[tuple[str, str], str],
) -> Path:
    evaluation = f"{task}/{model}/{source.made:.0f}"
    # An id of version 4, as the schema wants it, that is the same for the same evaluation
    name = str(uuid.UUID(bytes=hashlib.sha256(evaluation.encode()).digest()[:16], version=4))
    developer, _, rest = model.partition("/")
    place = Path("data", *map(_part, (task, developer, rest or developer)))
    samples = place / f"{name}_samples.jsonl"
    about: dict[str, JSON] = {"schema_version": SCHEMA_VERSION, "evaluation_id": evaluation}
    lines = [
        json.dumps({**about, "model_id": model, **_sample(row, texts)}, ensure_ascii=False) + "\n"
        for row in rows.iter_rows(named=True)
    ]
    text = "".join(lines)
    write_content(folder / samples, text)
    document: dict[str, JSON] = {
        **about,
        "retrieved_timestamp": f"{source.made:.0f}",
        "source_metadata": {
            "source_name": "hesperus",
            "source_type": "evaluation_run",
            "source_organization_name": source.organization,
            "evaluator_relationship": source.relationship,
        },
        "eval_library": {"name": "hesperus", "version": __version__},
        "model_info": {
            "name": rest or model,
            "id": model,
            "developer": developer,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [_result(task, cell) for cell in rows.partition_by(_CELL, maintain_order=True)],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": samples.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(text.encode("utf-8")).hexdigest(),
            "total_rows": len(lines),
        },
    }
    file = folder / place / f"{name}.json"
    write_content(file, json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    return file


def _part(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip(".") or "_"


def _result(task: str, cell: pl.DataFrame) -> dict[str, JSON]:
    """Accuracy of a cell: what is not answered counts as wrong, as each sample says."""
    first = cell.row(0, named=True)
    n = len(cell)
    score = sum(map(_is_right, cell.iter_rows(named=True))) / n
    error: dict[str, JSON] = {
        "standard_error": {"value": math.sqrt(score * (1 - score) / n), "method": "analytic"}
    }
    parameters: dict[str, JSON] = {name: first[name] for name in _CELL}
    return {
        "evaluation_result_id": _result_id(first),
        "evaluation_name": task,
        "source_data": {"dataset_name": task, "source_type": "other"},
        "metric_config": {
            "evaluation_description": "Share of right answers; a question without a valid answer counts as wrong.",
            "metric_id": "accuracy",
            "metric_name": "Accuracy",
            "metric_kind": "accuracy",
            "metric_unit": "proportion",
            "metric_parameters": parameters | {"language": _language(str(first["input"]))},
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
        },
        "score_details": {
            "score": score,
            "details": {"answered": str((cell["outcome"] == "answered").sum())},
            "uncertainty": {**error, "num_samples": n},
        },
    }


def _result_id(row: Mapping[str, Any]) -> str:
    return "accuracy;" + ";".join(f"{name}={row[name]}" for name in _CELL)


def _is_right(row: Mapping[str, Any]) -> bool:
    return bool(row["outcome"] == "answered" and row["answer"] == row["gold"])


def _language(code: str) -> str:
    sense = parsed(code)
    return code if sense is None else sense.language


def _sample(row: Mapping[str, Any], texts: Mapping[tuple[str, str], str]) -> dict[str, JSON]:
    raw, gold = texts.get((row["item"], row["input"]), ""), str(row["gold"])
    answered = row["outcome"] == "answered"
    extracted: dict[str, JSON] = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": row["answer"] or "",
        "extraction_method": row.get("rule") or "hesperus",
        "is_terminal": True,
    }
    reasoning = row.get("reasoning")
    return {
        "evaluation_name": row["task"],
        "evaluation_result_id": _result_id(row),
        "sample_id": row["item"],
        "sample_hash": hashlib.sha256((raw + gold).encode("utf-8", "surrogatepass")).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": raw, "reference": [gold], "choices": row["options"]},
        "output": {"raw": [row["reply"] or ""], **({"reasoning_trace": [reasoning]} if reasoning else {})},
        "answer_attribution": [extracted] if answered else [],
        "evaluation": {"score": float(_is_right(row)), "is_correct": _is_right(row)},
        **_tokens(row),
        **({} if answered else {"error": row["outcome"]}),
        "metadata": dict(_metadata(row)),
    }


def _tokens(row: Mapping[str, Any]) -> dict[str, JSON]:
    counts = (row.get("tokens_in"), row.get("tokens_out"))
    if None in counts:
        return {}
    names = ("input_tokens", "output_tokens", "total_tokens")
    return {"token_usage": dict(zip(names, (*counts, sum(counts)), strict=True))}  # type: ignore[arg-type]  # None is sorted out


def _metadata(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the schema has no place for, as texts; groups under their own names."""
    yield "language", _language(row["input"])
    for name in ("task", *_CELL, "outcome"):
        yield name, str(row[name])
    for name in ("options", "probs"):
        if row[name] is not None:
            yield name, json.dumps(row[name], ensure_ascii=False)
    for name, value in row.items():
        if name not in _PASSED and name not in OWN and isinstance(value, str):
            yield name, value


def _texts(items: pl.DataFrame | None) -> dict[tuple[str, str], str]:
    """Item and sense code to what was asked, field by field; texts that a model made for itself are left out."""
    if items is None:
        return {}
    fields: Sequence[str] = [name for name in items.columns if name.startswith("field:")]
    found: dict[tuple[str, str], str] = {}
    for row in items.iter_rows(named=True):
        if row.get("model") is None:
            parts = [row[name] for name in fields if row[name]]
            found[row["item"], row.get("input") or row["language"]] = "\n".join(parts)
    return found
