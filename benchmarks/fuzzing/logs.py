"""Logs of other tools: a small log of each, changed, through its reader and on to records."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import polars as pl
from polars.testing import assert_frame_equal

from hesperus.records import conform
from hesperus.records.importers.asked_texts import items_of
from hesperus.records.importers.import_settings import ImportSettings, Source
from hesperus.records.importers.joining import join_logs, records_of
from hesperus.records.importers.known_importers import importer
from hesperus.records.importers.settling import with_reply_languages

from .draws import ODD_TEXTS, damaged, mutated, reordered, written
from .trying import Changed, Target

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "records" / "importers" / "fixtures"
SETTINGS = ImportSettings()


def _imported(path: Path, tool: str, settings: ImportSettings) -> pl.DataFrame | None:
    """The records of one file; None where none is in it."""
    logs, _ = importer(tool).reader()(Source(path, path.name, tool), settings)
    joined, _, _ = join_logs([log for log in logs if log.model], settings.again)
    if not joined:
        return None
    _, bare = items_of(joined)
    return conform(with_reply_languages(records_of(bare)))


Way = Literal["hurt", "plain", "reordered"]
"""How bytes are written: now and then damaged; as they are; with other blanks, escapes and order of members."""


def _tried(
    write: Callable[[random.Random, Path, Way], Path], tool: str, settings: ImportSettings = SETTINGS
) -> Target:
    """Import a file; or the same one in two ways of writing it, which must give the same."""

    def target(rng: random.Random, folder: Path) -> None:
        if rng.random() < 0.8:
            _imported(write(rng, folder, "hurt"), tool, settings)
            return
        state = rng.getstate()
        records = _imported(write(rng, folder, "plain"), tool, settings)
        rng.setstate(state)
        again = _imported(write(rng, folder, "reordered"), tool, settings)
        if records is None or again is None:
            if records is not again:
                raise Changed(f"{tool}: records only in one order of members")
            return
        # Text that holds JSON has the order of its members.
        told = pl.col("reply").str.starts_with("{") | pl.col("reply").str.starts_with("[")
        records, again = (one.filter(~told.fill_null(False)) for one in (records, again))
        try:
            assert_frame_equal(records, again)
        except AssertionError as error:
            raise Changed(f"{tool}: other order of members: {str(error)[:250]}") from None

    return target


def _bytes(rng: random.Random, value: object, way: Way) -> bytes:
    """JSON of a value. As many choices are drawn in every way."""
    own, hurt = random.Random(rng.random()), random.Random(rng.random())
    data = written(own, reordered(own, value) if way == "reordered" else value, escaped=way != "hurt")
    return damaged(hurt, data) if way == "hurt" and hurt.random() < 0.15 else data


@cache
def _samples() -> tuple[tuple[dict[str, Any], ...], ...]:
    kinds = ("atlas_de", "atlas_gen_de", "atlas_letters_de")
    found = (next((FIXTURES / "lm_eval" / "tiny-a").glob(f"samples_{kind}_*.jsonl")) for kind in kinds)
    return tuple(
        tuple(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:3])
        for path in found
    )


def lm_eval(rng: random.Random, folder: Path, way: Way) -> Path:
    """Samples and results of lm-evaluation-harness."""
    rows = [mutated(rng, row) if rng.random() < 0.5 else row for row in rng.choice(_samples())]
    config = {
        "task": "atlas_de",
        "test_split": "test",
        "output_type": "multiple_choice",
        "metadata": {"version": 1},
    }
    results = {
        "results": {"atlas_de": {}},
        "configs": {"atlas_de": config},
        "model_name": "org/m",
        "model_source": "hf",
    }
    date = "2025-01-02T03-04-05.000006"
    odd = mutated(rng, results) if rng.random() < 0.3 else results
    (folder / f"results_{date}.json").write_bytes(_bytes(rng, odd, way))
    path = folder / f"samples_atlas_de_{date}.jsonl"
    data = b"\n".join(_bytes(rng, row, way).replace(b"\n", b" ") for row in rows)
    path.write_bytes(gzip.compress(data, 1) if rng.random() < 0.1 else data)
    return path


@cache
def _eval() -> dict[str, Any]:
    log: dict[str, Any] = json.loads(
        next((FIXTURES / "inspect" / "json").glob("*.json")).read_text(encoding="utf-8")
    )
    log["eval"]["model_args"] = {}
    log["samples"] = [{**one, "attachments": {}} for one in log["samples"][:3]]
    return {name: log[name] for name in ("version", "status", "eval", "samples")}


def inspect_json(rng: random.Random, folder: Path, way: Way) -> Path:
    """A log of Inspect as JSON."""
    path = folder / "log.json"
    path.write_bytes(_bytes(rng, mutated(rng, _eval()), way))
    return path


def inspect_eval(rng: random.Random, folder: Path, way: Way) -> Path:
    """A log of Inspect as an archive."""
    log = _eval()
    header = {name: log[name] for name in ("version", "status", "eval")}
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", _bytes(rng, mutated(rng, header) if rng.random() < 0.3 else header, way))
        for place, sample in enumerate(log["samples"]):
            name = rng.choice(ODD_TEXTS[:40]) if rng.random() < 0.05 else f"samples/{place}_epoch_1.json"
            data = _bytes(rng, mutated(rng, sample) if rng.random() < 0.5 else sample, way)
            file.writestr(name.encode("utf-8", "replace").decode().replace("\x00", "") or "x", data)
    path, whole = folder / "log.eval", sink.getvalue()
    hurt = random.Random(rng.random())
    path.write_bytes(damaged(hurt, whole) if way == "hurt" and hurt.random() < 0.2 else whole)
    return path


def _helm(method: str) -> dict[str, Any]:
    states: list[dict[str, Any]] = []
    for number in range(3):
        references = [
            {"output": {"text": f"o{place}"}, "tags": ["correct"] * (place == number % 2)}
            for place in range(2)
        ]
        base = {
            "instance": {
                "input": {"text": f"q{number}"},
                "references": references,
                "split": "test",
                "id": f"id{number}",
            },
            "request_mode": "original",
            "train_trial_index": 0,
            "prompt_truncated": False,
        }
        for place in range(2 if "separate" in method else 1):
            completion = {"text": (" A", " B.", "I think")[number], "logprob": -1.0 - place, "tokens": []}
            more = (
                {"reference_index": place}
                if "separate" in method
                else {"output_mapping": {"A": "o0", "B": "o1"}}
            )
            states.append({**base, **more, "result": {"success": True, "completions": [completion]}})
    return {"adapter_spec": {"method": method, "model": "openai/gpt-4o"}, "request_states": states}


def helm(rng: random.Random, folder: Path, way: Way) -> Path:
    """scenario_state.json and run_spec.json of HELM."""
    spec = {
        "name": "mmlu_multi:subject=anatomy,language=de,model=openai_gpt-4o",
        "scenario_spec": {"class_name": "x", "args": {"subject": "anatomy", "language": "de"}},
    }
    state = _helm(rng.choice(("multiple_choice_joint", "multiple_choice_separate_original")))
    (folder / "run_spec.json").write_bytes(
        _bytes(rng, mutated(rng, spec) if rng.random() < 0.3 else spec, way)
    )
    path = folder / "scenario_state.json"
    path.write_bytes(_bytes(rng, mutated(rng, state), way))
    return path


def promptfoo(rng: random.Random, folder: Path, way: Way) -> Path:
    """Results of promptfoo."""
    results = [
        {
            "promptIdx": 0,
            "testIdx": number,
            "provider": {"id": "openai:chat:gpt-4o", "label": ""},
            "vars": {"question_id": f"q{number}", "language": "de", "question": "…"},
            "testCase": {"assert": [{"type": "equals", "value": gold}], "metadata": {"subject": "maths"}},
            "response": {"output": "(A)", "tokenUsage": {}},
            "success": True,
        }
        for number, gold in enumerate("AB")
    ]
    data = {"evalId": "x", "results": {"version": 3, "timestamp": "2025-01-01", "results": results}}
    path = folder / "quiz.json"
    path.write_bytes(_bytes(rng, mutated(rng, data), way))
    return path


_LIGHTEVAL: tuple[dict[str, list[Any]], ...] = (
    {
        "full_prompt": ["q1", "q2"],
        "choices": [["a", "b"], ["a", "b"]],
        "gold_index": [[0], [1]],
        "predictions": [[[-1.0, 0.0], [-2.0, 0.0]], [[-3.0, 0.0], [-1.0, 1.0]]],
    },
    {
        "doc": [
            {"query": f"q{n}", "choices": ["a", "b"], "gold_index": [n], "id": str(n), "task_name": "x"}
            for n in (0, 1)
        ],
        "model_response": [{"logprobs": [-1.0, -2.0], "text": []}, {"logprobs": [-3.0, -1.0], "text": ["x"]}],
    },
)


def lighteval(rng: random.Random, folder: Path, way: Way) -> Path:
    """Details of lighteval: Parquet whose columns may be of any kind."""
    columns = rng.choice(_LIGHTEVAL)
    changed = {name: mutated(rng, cells) if rng.random() < 0.6 else cells for name, cells in columns.items()}
    place = folder / "details" / "org" / "m"
    place.mkdir(parents=True, exist_ok=True)
    path = place / "details_lighteval|xcopa:sw|0_2025-01-01T00-00-00.0.parquet"
    sink = io.BytesIO()
    _frame(changed).write_parquet(sink)
    hurt = random.Random(rng.random())
    path.write_bytes(
        damaged(hurt, sink.getvalue()) if way == "hurt" and hurt.random() < 0.1 else sink.getvalue()
    )
    return path


def _frame(columns: dict[str, object]) -> pl.DataFrame:
    """A table of the columns that can be one."""
    frame = pl.DataFrame({"index": [0, 1]})
    for name, cells in columns.items():
        try:
            added = frame.with_columns(pl.Series(name, cells, strict=False))
            added.write_parquet(io.BytesIO())
            frame = added
        except Exception:  # no column of any table: nothing of ours has been called yet
            continue
    return frame


_TABLE = (
    {
        "qid": "1",
        "lang": "eng",
        "choice": "A",
        "truth": "A",
        "scores": [0.75, 0.25],
        "labels": ["A", "B"],
        "topic": "x",
    },
    {
        "qid": "1",
        "lang": "swh_Latn",
        "choice": "B",
        "truth": "A",
        "scores": [0.5, 0.5],
        "labels": ["A", "B"],
        "topic": "x",
    },
    {
        "qid": "2",
        "lang": "eng",
        "choice": None,
        "truth": "B",
        "scores": None,
        "labels": ["A", "B"],
        "topic": "y",
    },
)
TABLE_SETTINGS = ImportSettings(
    tool="table",
    columns={
        "item": "qid",
        "language": "lang",
        "answer": "choice",
        "gold": "truth",
        "probs": "scores",
        "options": "labels",
    },
    model="m",
    task="t",
    groups=("topic",),
)


def table(rng: random.Random, folder: Path, way: Way) -> Path:
    """A table of a user's own, as JSON lines or CSV."""
    rows = [mutated(rng, row) if rng.random() < 0.5 else row for row in _TABLE]
    if rng.random() < 0.6:
        path = folder / "mine.jsonl"
        path.write_bytes(b"\n".join(_bytes(rng, row, way).replace(b"\n", b" ") for row in rows))
        return path
    path = folder / "mine.csv"
    names = list(_TABLE[0])
    lines = [
        names,
        *([row.get(name, "") if isinstance(row, dict) else row for name in names] for row in rows),
    ]
    text = "\n".join(",".join(json.dumps(str(cell)) for cell in line) for line in lines)
    data = text.encode("utf-8", "surrogatepass")
    path.write_bytes(damaged(rng, data) if rng.random() < 0.2 else data)
    return path


LOGS: dict[str, Target] = {
    "lm-eval": _tried(lm_eval, "lm-eval"),
    "inspect": _tried(inspect_json, "inspect"),
    "eval": _tried(inspect_eval, "inspect"),
    "helm": _tried(helm, "helm"),
    "promptfoo": _tried(promptfoo, "promptfoo"),
    "lighteval": _tried(lighteval, "lighteval"),
    "table-import": _tried(table, "table", TABLE_SETTINGS),
}
"""Importers by name."""
