"""One odd file stops nothing: it is named, the others are imported, and memory does not depend on what an archive claims."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest
from log_makers import lm_eval_row, mmlu_rows, write_lm_eval
from typer.testing import CliRunner

from hesperus.errors import DataError
from hesperus.records.importers import ImportSettings, import_logs
from hesperus.tables import read_table

HEADER = {"status": "success", "eval": {"task": "quiz_de", "model": "org/m", "task_args": {"language": "de"}}}

PEAK = """
import re, sys
from hesperus.records.importers import import_logs
try:
    imported = import_logs(sys.argv[1])
    print(len(imported.records), len(imported.left_out))
finally:
    # Not ru_maxrss, which a process takes over from the one that started it.
    print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""


def _eval(path: Path, samples: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(HEADER))
        for name, text in samples.items():
            file.writestr(f"samples/{name}_epoch_1.json", text)
    return path


def _sample(name: str, reply: str = "B", **more: object) -> bytes:
    output = {"choices": [{"message": {"content": reply}, "stop_reason": "stop"}]}
    scores = {"match": {"value": "C", "answer": "B"}}
    sample = {
        "id": name,
        "epoch": 1,
        "target": "B",
        "choices": ["x", "y"],
        "output": output,
        "scores": scores,
    }
    return json.dumps(sample | more).encode()


def _deep(count: int) -> str:
    return "[" * count + "]" * count


def test_every_kind_of_broken_log_is_a_failure_of_its_own(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(3))
    _eval(tmp_path / "good.eval", {"q1": _sample("q1")})
    secret = _eval(tmp_path / "secret.eval", {"q1": _sample("q1")})
    data = bytearray(secret.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.find(mark)
        while start >= 0:
            data[start + place] |= 1
            start = data.find(mark, start + 4)
    secret.write_bytes(bytes(data))
    (tmp_path / "deep.json").write_text(
        '{"eval": {"task": "t", "model": "m", "metadata": ' + _deep(10**5) + "}}"
    )
    (tmp_path / "samples_byte_en.jsonl").write_bytes(b'{"doc_id": 0, "doc": {"q": "\xff"}}\n')
    (tmp_path / "samples_deep_en.jsonl").write_text('{"doc_id": 0, "doc": ' + _deep(10**5) + "}\n")
    (tmp_path / "scenario_state.json").write_text('{"adapter_spec": ' + _deep(10**5) + "}")
    (tmp_path / "promptfoo.json").write_text('{"evalId": "x", "results": {"results": ' + _deep(10**5) + "}}")
    (tmp_path / "details_x|y|0_2025.parquet").write_bytes(b"PAR1nothingPAR1")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b'[{"doc_id": 0}]' * 100)[:-20])
    imported = import_logs(tmp_path)
    assert sorted(imported.records["task"].unique()) == ["global-mmlu", "quiz"]
    assert {left.place for left in imported.failed} >= {
        "deep.json", "details_x|y|0_2025.parquet", "promptfoo.json", "samples_byte_en.jsonl", "samples_deep_en.jsonl",
        "scenario_state.json", "secret.eval",
    }  # fmt: skip
    assert all(left.detail for left in imported.failed)
    reasons = {left.place: left.detail for left in imported.failed}
    assert "encrypted" in reasons["secret.eval"]


def test_a_row_that_is_nested_too_deeply_costs_only_itself(tmp_path: Path) -> None:
    rows = mmlu_rows(3)
    path = write_lm_eval(tmp_path, "global_mmlu_full_de", rows)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines.insert(1, '{"doc_id": 9, "doc": ' + _deep(10**5) + "}")
    path.write_text("\n".join(lines), encoding="utf-8")
    imported = import_logs(tmp_path)
    assert len(imported.records) == 3 and not imported.failed
    assert [(left.count, "line 2" in left.detail) for left in imported.left_out] == [(1, True)]


def test_the_exit_code_says_that_a_file_failed(tmp_path: Path) -> None:
    import typer

    from hesperus.cli import import_

    app = typer.Typer()
    app.command("import")(import_.command)
    logs = tmp_path / "logs"
    write_lm_eval(logs, "global_mmlu_full_de", mmlu_rows(3))
    (logs / "samples_x_en.jsonl").write_text("-", encoding="utf-8")
    result = CliRunner().invoke(app, [str(logs), "--out", str(tmp_path / "run")])
    assert result.exit_code == 1 and (tmp_path / "run" / "records.parquet").is_file()
    assert "samples_x_en.jsonl" in result.stderr and "failed: 1 file" in result.stderr


def _peak(path: Path) -> tuple[str, int]:
    code = [sys.executable, "-c", PEAK, str(path)]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    *said, peak = done.stdout.split("\n")[:-1] or ["", "0"]
    return "\n".join([*said, done.stderr]), int(peak)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_the_memory_of_a_small_archive_that_claims_much_is_bounded(tmp_path: Path) -> None:
    text = _sample("q", metadata={}).decode()
    empties = "[" + "{}," * (1 << 21) + "{}]"
    samples = {
        "a": _sample("a"),
        "b": _sample("b", reply="x" * (1 << 24)),
        "c": text.replace('"metadata": {}', f'"metadata": {{"a": {empties}}}').encode(),
        "d": text.replace('"metadata": {}', f'"events": {empties}').replace('"q"', '"d"').encode(),
        "e": b" " * ((1 << 25) + 1),
    }
    path = _eval(tmp_path / "bomb.eval", samples)
    assert path.stat().st_size < 1 << 20
    said, peak = _peak(path)
    assert said.startswith("2 3"), said
    assert 0 < peak < 300


@pytest.mark.parametrize("name", ["scenario_state.json.gz", "samples_x_de.jsonl.gz", "array.jsonl.gz"])
def test_packed_text_that_fills_the_memory_is_refused(tmp_path: Path, name: str) -> None:
    start = {"scenario": b'{"adapter_spec": "', "samples_": b'{"doc_id": "', "array.js": b'[{"doc_id": "'}[
        name[:8]
    ]
    path = tmp_path / name
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(start)
        for _ in range(66):
            file.write(b"a" * (1 << 20))
    with pytest.raises(DataError, match="more than|longer than"):
        import_logs(path)


def test_members_in_another_order_and_parts_of_another_kind_change_no_answer(tmp_path: Path) -> None:
    texts = [f"option {number}" for number in range(12)]
    rows = [
        lm_eval_row(
            n,
            {"question": f"Q{n}?", "sample_id": f"anatomy/test/{n}"},
            [-9.0] * n + [-1.0] + [-9.0] * (11 - n),
            target=texts[n],
            texts=texts,
        )
        for n in range(3)
    ]
    for row in rows:  # as a program writes it that sorts members: gen_args_10 before gen_args_2
        row["arguments"] = dict(sorted(row["arguments"].items()))
    log = write_lm_eval(tmp_path, "global_mmlu_full_de", rows)
    records = import_logs(log).records
    assert records["gold"].to_list() == records["answer"].to_list() == ["A", "B", "C"]
    results = next(log.parent.glob("results_*.json"))
    results.write_text('{"configs": [1], "results": 3, "config": "x", "model_name": {"a": 1}}')
    assert import_logs(log).records["answer"].to_list() == ["A", "B", "C"]


def test_an_odd_row_of_lighteval_is_left_out_alone(tmp_path: Path) -> None:
    path = tmp_path / "details" / "org" / "m" / "details_lighteval|xcopa:sw|0_2025-01-01T00-00-00.0.parquet"
    path.parent.mkdir(parents=True)
    rows = [
        {"query": "q", "choices": ["a", "b"], "gold_index": [place], "id": str(n)}
        for n, place in enumerate(("0", "B.", "1"))
    ]
    response = [{"logprobs": [-1.0, -2.0], "text": []}] * 3
    pl.DataFrame({"doc": rows, "model_response": response}).write_parquet(path)
    imported = import_logs(path)
    assert imported.records["item"].to_list() == ["0", "2"]
    assert [left.reason for left in imported.failed] == ["row cannot be read"]
    pl.DataFrame({"doc": ["x"], "model_response": ["y"]}).write_parquet(path)
    with pytest.raises(DataError, match="doc is String, not as lighteval writes it"):
        import_logs(path)


def test_numbers_and_files_that_are_none(tmp_path: Path) -> None:
    _eval(tmp_path / "odd.eval", {"q1": _sample("q1"), "q2": _sample("q2", epoch=2**64)})
    imported = import_logs(tmp_path / "odd.eval")
    assert imported.records["item"].to_list() == ["q1"]
    assert "sample cannot be read" in {left.reason for left in imported.left_out}
    (tmp_path / "empty.json").write_bytes(b"")
    with pytest.raises(DataError, match="empty.json: cannot be read: is empty"):
        import_logs(tmp_path / "empty.json", ImportSettings(tool="inspect"))


def test_a_table_on_which_the_reader_of_parquet_breaks_down(tmp_path: Path) -> None:
    rng = random.Random(1)
    frame = pl.DataFrame({"a": list(range(50)), "b": [str(n) for n in range(50)]})
    frame.write_parquet(tmp_path / "good.parquet")
    good = (tmp_path / "good.parquet").read_bytes()
    path = tmp_path / "bad.parquet"
    kinds = set()
    for _ in range(400):
        place = rng.randrange(len(good))
        path.write_bytes(good[:place] + bytes([rng.randrange(256)]) + good[place + 1 :])
        try:
            read_table(path)
        except DataError as error:
            kinds.add(type(error.__context__).__name__)
    assert "PanicException" in kinds


def test_an_array_that_is_nested_too_deeply_for_every_reader(tmp_path: Path) -> None:
    path = tmp_path / "samples_global_mmlu_full_de_2025-01-02T03-04-05.000006.jsonl"
    path.write_text('[{"doc_id": 0, "doc": ' + _deep(200_000) + "}]")
    with pytest.raises(DataError, match="neither JSON lines nor a JSON array"):
        import_logs(path)


def test_a_score_that_is_no_number_moves_no_option(tmp_path: Path) -> None:
    rows = mmlu_rows(6)
    rows[3]["filtered_resps"] = [["yes", "False"], ["-1.0", "True"], ["-5.0", "False"], ["-5.0", "False"]]
    imported = import_logs(write_lm_eval(tmp_path, "global_mmlu_full_de", rows))
    assert imported.records.height == 5 and imported.records["probs"].list.len().to_list() == [4] * 5
    assert [(left.reason, left.count) for left in imported.left_out] == [("row of another form", 1)]


@pytest.mark.parametrize("member", ["target", "filter", "acc", "doc"])
def test_a_member_that_stands_among_the_prompts_is_not_lost(tmp_path: Path, member: str) -> None:
    plain = write_lm_eval(tmp_path / "plain", "global_mmlu_full_de", mmlu_rows(4))
    rows = mmlu_rows(4)
    names = ["doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "acc"]
    names.remove(member)
    names.insert(names.index("arguments") + 1, member)
    moved = write_lm_eval(
        tmp_path / "moved", "global_mmlu_full_de", [{name: row[name] for name in names} for row in rows]
    )
    wanted = import_logs(plain).records
    assert import_logs(moved).records.equals(wanted) and wanted["gold"].null_count() == 0


def test_a_whole_number_without_end_is_text_like_others(tmp_path: Path) -> None:
    rows = mmlu_rows(6)
    rows[0]["doc"]["subject"] = 10**400
    records = import_logs(write_lm_eval(tmp_path, "global_mmlu_full_de", rows)).records
    assert records.height == 6 and records["subject"][0] == str(10**400)
