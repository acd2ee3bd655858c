from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from log_makers import FIXTURES

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import conform
from hesperus.records.importers import Imported, ImportSettings, import_logs
from hesperus.records.importers.zipped import Entries

INSPECT = FIXTURES / "inspect"


def _reasons(imported: Imported) -> dict[str, int]:
    found: dict[str, int] = {}
    for left in imported.left_out:
        found[left.reason] = found.get(left.reason, 0) + left.count
    return found


def _repacked(source: Path, target: Path, change: Any) -> None:
    """The log with other entries, packed as older releases did (Deflate)."""
    entries = Entries(source, source.name)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name in entries:
            data = change(name, entries.read(name))
            if data is not None:
                file.writestr(name, data)


# Inspect


def test_real_logs_of_inspect_under_zstandard() -> None:
    imported = import_logs([INSPECT / "atlas_en.eval", INSPECT / "atlas_de.eval"])
    records = conform(imported.records)
    assert not imported.left_out
    assert records.filter(input="en").height == 12 and records.filter(input="de").height == 6
    assert set(records["model"]) == {"mockllm/model"} and set(records["task"]) == {"atlas"}
    assert set(records["repeat"]) == {1, 2}
    golds = records.group_by("item").agg(pl.col("gold").n_unique())
    assert golds.height == 6 and golds["gold"].to_list() == [1] * 6
    for reply, answer, outcome in records.select("reply", "answer", "outcome").iter_rows():
        letter = reply.removeprefix("ANSWER: ") if reply.startswith("ANSWER: ") else None
        assert (answer, outcome) == (letter, "answered" if letter else "invalid")


def test_the_json_of_inspect_gives_the_same() -> None:
    zipped = import_logs(INSPECT / "atlas_de.eval").records
    assert import_logs(INSPECT / "json").records.sort("item").equals(zipped.sort("item"))


def test_samples_that_only_count_are_joined_by_row() -> None:
    imported = import_logs(INSPECT / "atlas_rows_de.eval")
    assert imported.logs[0]["joined_by"] == "row, gold checked"
    assert set(imported.records["item"]) == {"1", "2", "3", "4", "5", "6"}
    with pytest.raises(DataError, match="first 'capital': the id names rows with different answers"):
        import_logs(INSPECT / "atlas_de.eval", ImportSettings(key=("relation",)))


def _inspect_json(path: Path, samples: list[tuple[object, str, str]]) -> Path:
    """A log of numbers as answers, from ids, languages and answers, which are all right."""
    log = json.loads((FIXTURES / "inspect" / "json" / "atlas_de.json").read_text(encoding="utf-8"))
    log["eval"] |= {"task": "mgsm", "task_registry_name": "mgsm", "task_args": {}, "task_args_passed": {}}
    log["eval"]["dataset"] |= {"samples": len(samples), "sample_ids": [name for name, *_ in samples]}
    first, log["samples"] = log["samples"][0], []
    for name, spoken, answer in samples:
        sample = json.loads(json.dumps(first)) | {"id": name, "target": answer, "choices": None}
        sample["metadata"] = {"language": spoken}
        sample["output"]["completion"] = sample["output"]["choices"][0]["message"]["content"] = answer
        sample["scores"] = {"match": {"value": "C", "answer": answer}}
        log["samples"].append(sample)
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def test_samples_that_are_counted_through_all_languages_are_numbered_in_each(tmp_path: Path) -> None:
    samples = [
        (place * 3 + n + 1, tag, str(10 + n))
        for place, tag in enumerate(("de", "sw", "zh"))
        for n in range(3)
    ]
    records = import_logs(_inspect_json(tmp_path / "mgsm.json", samples)).records
    assert {tag: sorted(records.filter(input=tag)["item"]) for tag in ("de", "sw", "zh")} == {
        tag: ["0", "1", "2"] for tag in ("de", "sw", "zh")
    }


def test_a_sample_whose_language_is_unknown_does_not_take_that_of_the_first(tmp_path: Path) -> None:
    samples = [("a", "DE_DE", "1"), ("b", "DE_DE", "2"), ("a2", "AR_XY", "1"), ("a3", "Elvish", "1")]
    imported = import_logs(_inspect_json(tmp_path / "log.json", samples))
    assert dict(imported.records.select("item", "input").iter_rows()) == {
        "a": "de-DE",
        "b": "de-DE",
        "a2": "ar",
    }
    assert _reasons(imported) == {"language not known": 1}


def test_an_eval_with_a_missing_sample_and_a_failed_one(tmp_path: Path) -> None:
    def change(name: str, data: bytes) -> bytes | None:
        if name.endswith("france_epoch_1.json"):
            return None
        if name.endswith("spain_epoch_1.json"):
            sample = json.loads(data)
            sample["error"] = {"message": "time-out", "traceback": "", "traceback_ansi": ""}
            sample["scores"] = None
            return json.dumps(sample).encode()
        if name.endswith("italy_epoch_1.json"):
            return data[: len(data) // 2]
        if name == "header.json":
            return json.dumps(json.loads(data) | {"status": "error"}).encode()
        return data

    _repacked(INSPECT / "atlas_de.eval", tmp_path / "part.eval", change)
    imported = import_logs(tmp_path / "part.eval")
    assert imported.records.height == 4
    assert imported.records.filter(item="capital/spain")["outcome"].to_list() == ["error"]
    assert _reasons(imported) == {"sample cannot be read": 1, "run not finished": 0, "sample missing": 2}
    missing = next(left for left in imported.left_out if left.reason == "sample missing")
    assert missing.detail == "not in the log: capital/france (epoch 1), capital/italy (epoch 1)"


def test_stopped_and_blocked_replies(tmp_path: Path) -> None:
    stops = iter(["max_tokens", "content_filter", "stop", "stop", "stop", "stop"])

    def change(name: str, data: bytes) -> bytes:
        if not name.startswith("samples/"):
            return data
        sample = json.loads(data)
        sample["output"]["choices"][0]["stop_reason"] = next(stops)
        sample["scores"]["choice"]["answer"] = ""
        return json.dumps(sample).encode()

    _repacked(INSPECT / "atlas_de.eval", tmp_path / "part.eval", change)
    records = import_logs(tmp_path / "part.eval").records
    assert sorted(records["outcome"]) == ["blocked", "invalid", "invalid", "invalid", "invalid", "truncated"]


def test_a_run_that_was_stopped_has_the_header_of_its_start(tmp_path: Path) -> None:
    _repacked(INSPECT / "atlas_de.eval", tmp_path / "x.eval", lambda n, d: None if n == "header.json" else d)
    imported = import_logs(tmp_path / "x.eval")
    assert imported.records.height == 6 and _reasons(imported) == {"run not finished": 0}
    _repacked(
        INSPECT / "atlas_de.eval", tmp_path / "y.eval", lambda n, d: d if n.startswith("samples") else None
    )
    with pytest.raises(DataError, match="without header.json is no log of Inspect"):
        import_logs(tmp_path / "y.eval")


def test_an_eval_that_was_cut_or_is_damaged(tmp_path: Path) -> None:
    data = (INSPECT / "atlas_de.eval").read_bytes()
    cut = tmp_path / "cut.eval"
    cut.write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match="cannot be opened as a ZIP file .*was it cut"):
        import_logs(cut)
    entries = zipfile.ZipFile(INSPECT / "atlas_de.eval").infolist()
    sample = next(entry for entry in entries if entry.filename.startswith("samples/"))
    broken = bytearray(data)
    middle = sample.header_offset + 60 + sample.compress_size // 2
    broken[middle : middle + 8] = bytes(8)
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(bytes(broken))
    imported = import_logs(damaged)
    assert imported.records.height == 5
    assert _reasons(imported) == {"sample cannot be read": 1, "sample missing": 1}


def test_an_entry_that_claims_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hesperus.records.importers.zipped.LARGEST", 1000)
    with pytest.raises(DataError, match=r"claims [\d,]+ bytes"):
        import_logs(INSPECT / "atlas_de.eval")


def test_a_scorer_is_chosen_and_fields_are_named() -> None:
    records = import_logs(INSPECT / "atlas_de.eval", ImportSettings(filter="choice")).records
    assert records.height == 6
    with pytest.raises(DataError, match="no scorer 'match'; there is choice"):
        import_logs(INSPECT / "atlas_de.eval", ImportSettings(filter="match"))
    with pytest.raises(DataError, match="no field 'qid'; there is language, relation"):
        import_logs(INSPECT / "atlas_de.eval", ImportSettings(key=("qid",)))


def test_json_that_is_not_of_inspect(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"eval": {"task": 3}}', encoding="utf-8")
    with pytest.raises(DataError, match="not as Inspect writes it"):
        import_logs(path)


def test_a_score_that_was_not_given_is_not_a_number_in_the_log(tmp_path: Path) -> None:
    path = _inspect_json(tmp_path / "log.json", [("a", "de", "1"), ("b", "de", "NaN"), ("c", "de", "3")])
    log = json.loads(path.read_text(encoding="utf-8"))
    log["samples"][0]["scores"]["match"]["value"] = float("nan")
    log["samples"][1]["scores"]["match"]["value"] = {"x": -float("inf")}
    path.write_text(json.dumps(log), encoding="utf-8")
    imported = import_logs(path)
    assert imported.records["reply"].to_list() == ["1", "NaN", "3"] and not imported.left_out
    assert imported.records["verdict"].to_list() == [None, None, True]
    # What is no JSON for another reason is refused as before.
    path.write_text(path.read_text(encoding="utf-8").replace("NaN,", "nan,"), encoding="utf-8")
    with pytest.raises(DataError, match="not as Inspect writes it"):
        import_logs(path)


# HELM


def _helm(
    folder: Path, language: str, *, method: str = "multiple_choice_joint", gold: list[int] | None = None
) -> Path:
    """scenario_state.json and run_spec.json with the fields that HELM writes."""
    folder.mkdir(parents=True)
    states: list[dict[str, Any]] = []
    for number, right in enumerate(gold or [0, 1, 1]):
        instance = {
            "input": {"text": f"q{number}"},
            "references": [
                {"output": {"text": f"o{place}"}, "tags": ["correct"] if place == right else []}
                for place in range(2)
            ],
            "split": "test",
            "id": f"id{number}",
        }
        base = {
            "instance": instance,
            "request_mode": "original",
            "train_trial_index": 0,
            "prompt_truncated": False,
        }
        if "separate" in method:
            for place in range(2):
                completion = {"text": "", "logprob": -1.0 - place, "tokens": []}
                states.append(
                    base
                    | {"reference_index": place, "result": {"success": True, "completions": [completion]}}
                )
            states.append(base | {"request_mode": "calibration", "reference_index": 0, "result": None})
        else:
            completion = {"text": (" A", " B.", "I think")[number], "logprob": 0, "tokens": []}
            states.append(
                base
                | {
                    "output_mapping": {"A": "o0", "B": "o1"},
                    "result": {"success": True, "completions": [completion]},
                }
            )
    perturbed = json.loads(json.dumps(states[0]))
    perturbed["instance"]["perturbation"] = {"name": "dialect"}
    scenario = {
        "adapter_spec": {"method": method, "model": "openai/gpt-4o"},
        "request_states": [*states, perturbed],
    }
    (folder / "scenario_state.json").write_text(json.dumps(scenario), encoding="utf-8")
    spec = {
        "name": f"mmlu_multi:subject=anatomy,language={language},model=openai_gpt-4o",
        "scenario_spec": {"class_name": "x", "args": {"subject": "anatomy", "language": language}},
    }
    (folder / "run_spec.json").write_text(json.dumps(spec), encoding="utf-8")
    return folder / "scenario_state.json"


def test_helm_letters(tmp_path: Path) -> None:
    _helm(tmp_path / "en", "en")
    _helm(tmp_path / "de", "de")
    imported = import_logs(tmp_path)
    records = conform(imported.records)
    one = records.filter(input="de")
    assert one["item"].to_list() == ["anatomy/id0", "anatomy/id1", "anatomy/id2"]
    assert one["answer"].to_list() == ["A", "B", None] and one["outcome"][2] == "invalid"
    assert one["gold"].to_list() == ["A", "B", "B"] and one["subject"].to_list() == ["anatomy"] * 3
    assert set(records["model"]) == {"openai/gpt-4o"} and set(records["task"]) == {"mmlu_multi"}
    assert _reasons(imported) == {"perturbed copy": 2}
    assert imported.items is not None
    held = imported.items.filter(item="anatomy/id1", language="de").row(0, named=True)
    assert held["field:input"] == "q1" and held["options"] == ["o0", "o1"] and held["gold"] == "B"


def test_helm_scored_options_and_rows_that_do_not_match(tmp_path: Path) -> None:
    for language in ("en", "fr"):
        _helm(tmp_path / language, language, method="multiple_choice_separate_original")
    _helm(tmp_path / "de", "de", method="multiple_choice_separate_original", gold=[1, 1, 0])
    imported = import_logs(tmp_path)
    assert set(imported.records["input"]) == {"en", "fr"}
    assert _reasons(imported)["rows do not match"] == 3
    assert imported.records["probs"][0].to_list() == pytest.approx([0.7310585786300049, 0.2689414213699951])
    # A score that no request gave is NaN where Python wrote the log.
    path = tmp_path / "en" / "scenario_state.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"logprob": -1.0', '"logprob": NaN', 1), encoding="utf-8"
    )
    again = import_logs(path)
    assert again.records["outcome"].to_list() == ["error", "answered", "answered"]


@pytest.mark.parametrize("separate", [False, True])
def test_helm_with_two_right_options(tmp_path: Path, separate: bool) -> None:
    method = "multiple_choice_separate_original" if separate else "multiple_choice_joint"
    path = _helm(tmp_path / "en", "en", method=method)
    scenario = json.loads(path.read_text(encoding="utf-8"))
    for state in scenario["request_states"]:
        for reference in state["instance"]["references"] if state["instance"]["id"] == "id1" else ():
            reference["tags"] = ["correct"]
    path.write_text(json.dumps(scenario), encoding="utf-8")
    imported = import_logs(tmp_path)
    one = imported.records.filter(item="anatomy/id1").row(0, named=True)
    # The reply was B: each of the two is right, and the first is the label. Scores have but one label.
    assert (one["answer"], one["gold"]) == (("A", None) if separate else ("A", "A"))
    assert _reasons(imported).get("several right options") == (1 if separate else None)


def test_helm_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "scenario_state.json"
    path.write_text('{"adapter_spec": {}, "request_states": 3}', encoding="utf-8")
    with pytest.raises(DataError, match="scenario_state.json is not as HELM writes it"):
        import_logs(path)


# lighteval


def _lighteval(root: Path, task: str, frame: pl.DataFrame) -> Path:
    path = (
        root
        / "details"
        / "org"
        / "model"
        / "2025-01-01T00-00-00.0"
        / f"details_{task}_2025-01-01T00-00-00.0.parquet"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_parquet(path)
    return path


def test_lighteval_before_and_after_0_11(tmp_path: Path) -> None:
    old = pl.DataFrame(
        {
            "full_prompt": ["q1", "q2"],
            "choices": [["a", "b"], ["a", "b"]],
            "gold_index": [[0], [1]],
            "predictions": [[[-1.0, 0.0], [-2.0, 0.0]], [[-3.0, 0.0], [-1.0, 1.0]]],
        }
    )
    new = pl.DataFrame(
        {
            "doc": [
                {"query": f"q{n}", "choices": ["a", "b"], "gold_index": [n], "id": str(n), "task_name": "x"}
                for n in (0, 1)
            ],
            "model_response": [
                {"logprobs": [-1.0, -2.0], "text": []},
                {"logprobs": [-3.0, -1.0], "text": []},
            ],
        }
    )
    text = old.with_columns(
        choices=pl.Series(["['a', 'b']"] * 2),
        gold_index=pl.Series(["[0]", "[1]"]),
        predictions=pl.Series(["[(-1.0, False), (-2.0, False)]", "[(-3.0, False), (-1.0, True)]"]),
    )
    _lighteval(tmp_path / "old", "lighteval|xcopa:sw|0", old)
    _lighteval(tmp_path / "new", "lighteval|xcopa:sw|0", new)
    found = import_logs(tmp_path / "old").records
    assert found["answer"].to_list() == ["A", "B"] and found["gold"].to_list() == ["A", "B"]
    assert set(found["model"]) == {"hf/org/model"} and set(found["task"]) == {"xcopa"}
    again = import_logs(tmp_path / "new")
    assert again.records.equals(found)
    assert again.items is not None and again.items["options"].to_list() == [["a", "b"]] * 2
    assert again.items["field:query"].to_list() == ["q0", "q1"]
    with pytest.raises(DataError):
        # Scores in pairs that became text cannot be told from single ones.
        _lighteval(tmp_path / "text", "lighteval|xcopa:sw|0", text.drop("choices"))
        import_logs(tmp_path / "text", ImportSettings(key=("idx",)))


def test_lighteval_rows_whose_gold_or_scores_are_odd(tmp_path: Path) -> None:
    def row(number: int, gold: list[int], scores: list[float]) -> dict[str, Any]:
        doc = {"query": f"q{number}", "choices": ["a", "b", "c"], "gold_index": gold, "id": str(number)}
        return {"doc": doc, "model_response": {"logprobs": scores, "text": []}}

    rows = [
        row(0, [1], [-2.0, -1.0, -3.0]),
        row(1, [1, 2], [-2.0, -3.0, -1.0]),
        row(2, [7], [-2.0, -1.0, -3.0]),
        row(3, [1], [-2.0, -1.0]),
    ]
    _lighteval(tmp_path, "lighteval|xcopa:sw|0", pl.DataFrame(rows))
    imported = import_logs(tmp_path)
    assert imported.records["answer"].to_list() == ["B", "C", "B"]
    assert imported.records["gold"].to_list() == ["B", None, None]
    assert _reasons(imported) == {
        "several right options": 1, "the right answer is no option": 1, "row cannot be read": 1,
    }  # fmt: skip


def test_lighteval_generation_and_forms(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "full_prompt": ["q"],
            "gold": [["12"]],
            "gold_index": [[0]],
            "choices": [["12"]],
            "predictions": [["It is 12"]],
        }
    )
    _lighteval(tmp_path, "lighteval|mgsm_swa_cf|0", frame)
    imported = import_logs(tmp_path)
    assert imported.records.select("task", "input", "gold", "outcome", "reply").row(0) == (
        "mgsm-cf", "sw", "12", "invalid", "It is 12",
    )  # fmt: skip
    # The form is before the subject, and how culturally sensitive items are (ca, cs) is no language.
    _lighteval(tmp_path / "parts", "lighteval|global_mmlu_ca_swa_mcf:anatomy|0", frame)
    assert import_logs(tmp_path / "parts").records.select("task", "input", "item").row(0) == (
        "global-mmlu-ca-mcf", "sw", "anatomy/0",
    )  # fmt: skip


def test_lighteval_that_is_empty_or_none(tmp_path: Path) -> None:
    path = _lighteval(
        tmp_path, "lighteval|xcopa:sw|0", pl.DataFrame({"choices": [], "gold_index": [], "full_prompt": []})
    )
    with pytest.raises(DataError, match="the file is empty"):
        import_logs(path)
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        import_logs(path)


# promptfoo


def _promptfoo(path: Path, *, prompts: int = 1) -> Path:
    results = []
    for prompt in range(prompts):
        for language in ("en", "de"):
            for number, gold in enumerate(("A", "B")):
                results.append(
                    {
                        "promptIdx": prompt,
                        "testIdx": number,
                        "provider": {"id": "openai:chat:gpt-4o", "label": ""},
                        "vars": {"question_id": f"q{number}", "language": language, "question": "…"},
                        "testCase": {
                            "assert": [{"type": "equals", "value": gold}],
                            "metadata": {"subject": "maths"},
                        },
                        "response": {"output": "(A)" if number == 0 else "perhaps", "tokenUsage": {}},
                        "success": True,
                    }
                )
    failed = json.loads(json.dumps(results[0]))
    failed["vars"]["question_id"], failed["response"] = "q9", {"error": "429"}
    data = {
        "evalId": "x",
        "results": {"version": 3, "timestamp": "2025-01-01", "results": [*results, failed]},
    }
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_promptfoo(tmp_path: Path) -> None:
    path = _promptfoo(tmp_path / "quiz.json")
    imported = import_logs(path)
    records = conform(imported.records)
    assert (
        records.height == 5
        and set(records["model"]) == {"openai/gpt-4o"}
        and set(records["task"]) == {"quiz"}
    )
    one = records.filter(input="de")
    assert one["answer"].to_list() == ["A", None] and one["gold"].to_list() == ["A", "B"]
    assert one["subject"].to_list() == ["maths"] * 2 and one["reply"].to_list() == ["(A)", "perhaps"]
    assert records.filter(item="q9")["outcome"].to_list() == ["error"]
    assert imported.items is not None and imported.items.columns[5:] == ["field:question"]
    lines = tmp_path / "quiz.jsonl"
    held = json.loads(path.read_text(encoding="utf-8"))["results"]["results"]
    lines.write_text("".join(json.dumps(one) + "\n" for one in held), encoding="utf-8")
    assert import_logs(lines).records.equals(imported.records)
    assert set(import_logs(_promptfoo(tmp_path / "two.json", prompts=2)).records["task"]) == {
        "two-prompt1",
        "two-prompt2",
    }


def test_promptfoo_keys_and_languages(tmp_path: Path) -> None:
    path = _promptfoo(tmp_path / "quiz.json")
    assert set(import_logs(path, ImportSettings(key=("subject", "question_id"))).records["item"]) == {
        "maths/q0", "maths/q1", "maths/q9",
    }  # fmt: skip
    with pytest.raises(DataError, match="no variable 'qid' in every test"):
        import_logs(path, ImportSettings(key=("qid",)))
    held = json.loads(path.read_text(encoding="utf-8"))
    for one in held["results"]["results"]:
        del one["vars"]["question_id"]
    path.write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(DataError, match="no variable is known to be the same in every language"):
        import_logs(path)
    path.write_text('{"evalId": 1, "results": {"results": 3}}', encoding="utf-8")
    with pytest.raises(DataError, match="not as promptfoo writes it"):
        import_logs(path)
    path.write_text('{"evalId": "1", "results": {"results": []}}', encoding="utf-8")
    with pytest.raises(DataError, match="has no results"):
        import_logs(path)


# Tables

TABLE = pl.DataFrame(
    {
        "qid": ["1", "2", "1", "2", "1"],
        "lang": ["eng", "eng", "swh_Latn", "swh_Latn", "klingon!"],
        "choice": ["A", "B", "A", None, "A"],
        "truth": ["A", "A", "A", "A", "A"],
        "scores": [[0.75, 0.25]] * 5,
        "labels": [["A", "B"]] * 5,
        "topic": ["x", "y", "x", "y", "x"],
    }
)
COLUMNS = {
    "item": "qid", "language": "lang", "answer": "choice", "gold": "truth", "probs": "scores", "options": "labels",
}  # fmt: skip


def test_tables_of_every_kind_give_the_same(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "t.parquet")
    TABLE.write_ndjson(tmp_path / "t.jsonl")
    flat = TABLE.with_columns(scores=pl.Series(["[0.75, 0.25]"] * 5), labels=pl.Series(['["A", "B"]'] * 5))
    flat.write_csv(tmp_path / "t.csv")
    flat.write_csv(tmp_path / "t.tsv", separator="\t")
    settings = ImportSettings(columns=COLUMNS, model="my/model", task="quiz", groups=("topic",))
    first: pl.DataFrame | None = None
    for ending in ("parquet", "jsonl", "csv", "tsv"):
        imported = import_logs(tmp_path / f"t.{ending}", settings)
        first = imported.records if first is None else first
        assert imported.records.equals(first), ending
        assert _reasons(imported) == {"language not known": 1}
    assert first is not None
    assert first.select("item", "input", "outcome").rows() == [
        ("1", "en", "answered"), ("2", "en", "answered"), ("1", "sw", "answered"), ("2", "sw", "empty"),
    ]  # fmt: skip
    assert first["topic"].to_list() == ["x", "y", "x", "y"]


def test_a_table_as_it_stands_and_doubled_rows(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "model": "m",
            "task": "t",
            "item": ["1", "1", "2"],
            "instruction": "en",
            "input": "de_from_en",
            "answer": ["A", "A", "B"],
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    imported = import_logs(tmp_path / "t.csv", ImportSettings(tool="table"))
    assert imported.records.select("item", "instruction", "input").rows() == [
        ("1", "en", "de_from_en"),
        ("2", "en", "de_from_en"),
    ]
    assert _reasons(imported) == {"row occurs twice": 1}


def test_what_a_table_lacks(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    TABLE.select("qid", "lang", "choice").write_csv(path)
    mapped = {"item": "qid", "language": "lang", "answer": "choice"}
    with pytest.raises(DataError, match=r"no column 'model': give --model NAME or --map model=COLUMN"):
        import_logs(path, ImportSettings(columns=mapped))
    with pytest.raises(DataError, match="no column 'answer'"):
        import_logs(path, ImportSettings(columns={"item": "qid", "language": "lang"}, model="m"))
    with pytest.raises(DataError, match="no language: give --map language=COLUMN"):
        import_logs(path, ImportSettings(columns={"item": "qid", "answer": "choice"}, model="m"))
    with pytest.raises(UnknownNameError, match="unknown column of the records: 'itme'; did you mean 'item'"):
        import_logs(path, ImportSettings(columns={"itme": "qid"}, model="m"))
    with pytest.raises(UnknownNameError, match="unknown column of t.csv: 'id'"):
        import_logs(path, ImportSettings(columns={"item": "id"}, model="m"))
    with pytest.raises(UsageError, match="of a table is '=TAG'"):
        import_logs(path, ImportSettings(columns=mapped, model="m", language_from="config:x"))
    # Without its language, an item stands there several times, with answers that differ.
    single = ImportSettings(columns={"item": "qid", "answer": "choice"}, model="m", language_from="=de")
    one = import_logs(path, single)
    assert one.records.select("item", "answer", "input").rows() == [("1", "A", "de")]
    assert _reasons(one) == {"row occurs twice": 2, "id occurs twice": 2}
    with pytest.raises(DataError, match="a table in JSON is an array of objects"):
        other = tmp_path / "t.json"
        other.write_text("{}", encoding="utf-8")
        import_logs(other, ImportSettings(tool="table"))


def test_real_answers_as_a_long_table(shared_data: Path, tmp_path: Path) -> None:
    """Published answers of one model in twelve languages, as any spreadsheet holds them."""
    source = shared_data / "idm_african_mcq_outputs" / "o1mini_raw_answers.csv.gz"
    if not source.is_file():
        pytest.skip(f"no {source.name}")
    wide = pl.read_csv(source, infer_schema=False)
    languages = [name for name in wide.columns if name not in ("task", "item", "gold")]
    long = wide.unpivot(languages, index=["task", "item", "gold"], variable_name="lang", value_name="said")
    long.with_columns(read=pl.col("said").str.extract(r"^\s*([A-D1-2])")).write_csv(tmp_path / "long.csv")
    settings = ImportSettings(
        columns={"language": "lang", "answer": "read", "reply": "said"}, model="o1-mini"
    )
    imported = import_logs(tmp_path / "long.csv", settings)
    assert imported.records.height == 3271 * 12 and not imported.left_out
    agreed = imported.records.filter(pl.col("task") == "belebele").pivot(
        "input", index="item", values="answer"
    )
    assert (agreed["en"] == agreed["af"]).mean() == pytest.approx(0.937, abs=0.01)
