"""A bundle of a run: what it holds, that its bytes are stable, and that every number comes out of it again."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from forgery import FEW, MakeBundle, changed, opened, refitted, save

import hesperus as hs
from command_line import hesperus
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.evidence import recompute
from hesperus.evidence.bundle import read_bundle
from hesperus.records import write_records

STUDIES = ("multisense", "similarity", "open_answers", "tax")


@pytest.mark.parametrize("study", STUDIES)
def test_every_number_of_a_study_comes_out_again(
    study: str, demo_runs: dict[str, Path], bundled: MakeBundle
) -> None:
    made = bundled(study, **FEW)
    found = hs.verify(made.path)
    assert found.passed, found.differences[:5]
    assert found.numbers == made.numbers > 1000
    assert found.id == made.id
    direct = hs.measure("outcomes", demo_runs[study], **FEW).document()
    assert json.loads(opened(made.path)["numbers.json"])["outcomes"] == direct


def test_how_scores_were_made_is_kept(demo_runs: dict[str, Path], bundled: MakeBundle) -> None:
    held = json.loads(opened(bundled("multisense", **FEW).path)["numbers.json"])
    direct = hs.measure("translation", demo_runs["multisense"], **FEW).document()
    assert direct["signature"]["scores"][0]["QualitySettings"]
    assert held["translation"] == direct


@pytest.mark.parametrize("study", STUDIES)
def test_hashes_in_the_place_of_texts_recompute_all_but_what_reads_texts(
    study: str, bundled: MakeBundle
) -> None:
    made, kept = bundled(study, texts="hash", **FEW), bundled(study, **FEW)
    assert hs.verify(made.path).passed
    assert set(kept.tables) - set(made.tables) <= {"language"}
    everything = b"".join(opened(made.path).values())
    assert long_texts(opened(kept.path))
    left = {
        text
        for text in long_texts(opened(kept.path))
        if json.dumps(text, ensure_ascii=False)[1:-1].encode() in everything
    }
    assert not left


def long_texts(held: dict[str, bytes]) -> set[str]:
    """Every text of several words in the tables and findings of a bundle, but for the words in which hesperus gives a reason."""

    def texts(value: object, name: str = "") -> Iterator[str]:
        if isinstance(value, str):
            yield from [value] if len(value) > 24 and " " in value and name != "reason" else []
        elif isinstance(value, dict):
            for key, inner in value.items():
                yield from texts(inner, key)
        elif isinstance(value, list):
            for inner in value:
                yield from texts(inner, name)

    lines = [
        line for name, content in held.items() if name.endswith(".jsonl") for line in content.splitlines()
    ]
    findings = [content for name, content in held.items() if name.endswith(("audit.json", "strata.json"))]
    return {text for line in (*lines, *findings) for text in texts(json.loads(line))}


def test_texts_stay_only_where_every_task_may_be_shared(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    """Item rows keep their ids, languages and groups, so that a holder of the benchmark can put the texts back."""
    run = tmp_path / "run"
    shutil.copytree(demo_runs["similarity"], run)
    finding = {"kind": "numbers", "item": "x", "detail": "2 in en (The two of them), 3 in de (Alle drei)"}
    (run / "audit.json").write_text(json.dumps({"measure": "audit", "rows": [finding]}), encoding="utf-8")
    few = pl.read_parquet(run / "records.parquet").filter(pl.col("model") == "pocket/s")
    for name, hashed in (("atlas", False), ("xnli", True), ("a task of mine", True)):
        write_records(few.with_columns(task=pl.lit(name)), run / "records.parquet")
        made = hs.bundle(run, tmp_path / "bundle.zip", resamples=0)
        assert made.hashed is hashed, name
    rows = [json.loads(line) for line in opened(made.path)["run/items.jsonl"].splitlines()]
    items = pl.read_parquet(run / "items.parquet")
    assert [row["item"] for row in rows] == items["item"].to_list()
    hashes = {row["field:question"] for row in rows}
    assert all(re.fullmatch("sha256:[0-9a-f]{32}", text) for text in hashes)
    held = json.loads(opened(made.path)["run/audit.json"])["rows"][0]
    assert held["detail"].startswith("sha256:") and held["kind"] == "numbers"
    question = items["field:question"][0]
    assert rows[0]["field:question"] == f"sha256:{hashlib.sha256(question.encode()).hexdigest()[:32]}"


def test_the_same_run_gives_the_same_bytes(
    demo_runs: dict[str, Path], bundled: MakeBundle, tmp_path: Path
) -> None:
    copy = tmp_path / "elsewhere" / "run"
    shutil.copytree(demo_runs["tax"], copy)
    for path in copy.rglob("*"):
        os.utime(path, (1, 1))
    first = bundled("tax", **FEW)
    second = hs.bundle(copy, tmp_path / "b.zip", **FEW)
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.id == second.id
    other = hs.bundle(copy, tmp_path / "c.zip", resamples=0)
    assert other.id != first.id


def test_a_run_without_scores_gives_the_same_bytes(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(demo_runs["multisense"], run)
    (run / "scores.parquet").unlink(missing_ok=True)
    first, second = (hs.bundle(run, out=tmp_path / f"{name}.zip", resamples=0) for name in "ab")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert "no item scores" in json.loads(opened(first.path)["manifest.json"])["absent"]["translation"]


def test_a_records_file_is_bundled_too(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    records = hs.read_records(demo_runs["multisense"]).drop("options", "probs")
    records.write_csv(table)
    made = hs.bundle(table, **FEW)
    assert made.path == tmp_path / "mine.zip"
    assert hs.verify(made.path).passed


@pytest.mark.parametrize("study", STUDIES)
def test_the_script_agrees_on_all_numbers_that_it_knows(study: str, bundled: MakeBundle) -> None:
    held = opened(bundled(study, **FEW).path)
    counts, differing = recompute.check(
        lambda name: held[name].decode() if name in held else None, list(held)
    )
    assert differing == []
    main = {"accuracy", "validity", "outcomes", "labels", "consistency", "directions", "decomposition", "agreement",
            "summary", "similarity", "scores", "back_translation"}  # fmt: skip
    for table in main & counts.keys():
        assert counts[table][2] == 0, f"{table} has rows that the script does not know"
    assert sum(agree for agree, _, _ in counts.values()) > 100


def test_the_script_runs_alone_and_finds_a_changed_answer(bundled: MakeBundle, tmp_path: Path) -> None:
    """In an interpreter without any package, hesperus among them; one answer that was changed moves accuracy."""
    held = opened(bundled("tax", **FEW).path)
    for name, content in held.items():
        place = tmp_path / "unpacked" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    alone = [sys.executable, "-I", "-S", str(tmp_path / "unpacked" / "recompute.py")]
    done = subprocess.run(alone, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "accuracy" in done.stdout

    records = tmp_path / "unpacked" / "run" / "records.jsonl"
    first, *rest = records.read_text(encoding="utf-8").splitlines()
    row = json.loads(first)
    row["answer"] = next(option for option in row["options"] if option != row["answer"])
    records.write_text("\n".join([json.dumps(row), *rest]) + "\n", encoding="utf-8")
    done = subprocess.run(alone, capture_output=True, text=True)
    assert done.returncode == 1
    assert "accuracy: model=" in done.stdout


def test_a_changed_file_is_named_and_the_number_that_it_moves(bundled: MakeBundle, tmp_path: Path) -> None:
    held = opened(bundled("multisense", **FEW).path)
    lines = held["run/records.jsonl"].splitlines()
    row = json.loads(lines[0])
    row["answer"] = next(option for option in row["options"] if option != row["answer"])
    held["run/records.jsonl"] = b"\n".join([json.dumps(row).encode(), *lines[1:]]) + b"\n"

    found = hs.verify(save(held, tmp_path / "changed.zip"))
    assert not found.passed
    assert "run/records.jsonl" in {one.place for one in found.differences}
    hidden = hs.verify(save(refitted(held), tmp_path / "hidden.zip"))
    about = [one for one in hidden.differences if one.place == "accuracy"]
    assert [(one.column, row["model"] in one.row) for one in about] == [
        ("value", True), ("low", True), ("high", True), ("signature", False),
    ]  # fmt: skip


def test_any_one_value_changed_is_caught(bundled: MakeBundle, tmp_path: Path) -> None:
    """Any change at all, where the manifest keeps its hashes; benchmarks/bundles.py tries 10,000."""
    held = opened(bundled("tax", **FEW).path)
    draw = random.Random(0)
    for name in sorted(held.keys() - {"manifest.json"}) * 5:
        other, where = changed(held, name, draw)
        assert set(read_bundle(save(other, tmp_path / "changed.zip")).damaged) == {name}, where
    damaged, _ = changed(held, "README.txt", draw)
    found = hs.verify(save(damaged, tmp_path / "changed.zip"))
    assert [one.place for one in found.differences] == ["README.txt"], (
        "damage alone is told, also of what has no numbers"
    )


def test_a_claimed_number_that_was_changed_is_caught_though_all_hashes_fit(
    bundled: MakeBundle, tmp_path: Path
) -> None:
    held = opened(bundled("open_answers", **FEW).path)
    draw = random.Random(1)
    for _ in range(4):
        other, where = changed(held, "numbers.json", draw)
        found = hs.verify(save(refitted(other), tmp_path / "changed.zip"))
        assert 1 <= len(found.differences) <= 3, where


def test_nothing_of_this_machine_leaves_it(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(demo_runs["tax"], run)
    study = (run / "study.yaml").read_text(encoding="utf-8")
    study = study.replace("base_url: null", "base_url: http://10.1.2.3:8000/v1").replace(
        "data: null", "data: /srv/secret/place/items.csv"
    )
    (run / "study.yaml").write_text(study, encoding="utf-8")
    made = hs.bundle(run, tmp_path / "bundle.zip", **FEW)
    everything = b"".join(opened(made.path).values())
    for word in (b"10.1.2.3", b"/srv/secret", str(tmp_path).encode()):
        assert word not in everything
    assert made.removed == ("study.yaml: data", "study.yaml: base_url")
    assert hs.verify(made.path).passed


def test_a_run_that_holds_a_key_is_refused(
    demo_runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    shutil.copytree(demo_runs["tax"], run)
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret-0123456789")
    records = pl.read_parquet(run / "records.parquet")
    records = records.with_columns(pl.lit("echo sk-very-secret-0123456789").alias("note"))
    hs.read_records(records).write_parquet(run / "records.parquet", metadata={"hesperus.records": "2"})
    with pytest.raises(DataError, match="SOME_API_KEY") as refused:
        hs.bundle(run, tmp_path / "bundle.zip", texts="keep", **FEW)
    assert "very-secret" not in str(refused.value)
    assert not (tmp_path / "bundle.zip").exists()


def test_wrong_words_are_refused(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="way of texts"):
        hs.bundle(demo_runs["tax"], texts="hide")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="setting of a bundle"):
        hs.bundle(demo_runs["tax"], by="subject")
    with pytest.raises(UsageError, match="no such"):
        hs.bundle(tmp_path / "nowhere", **FEW)


def test_the_commands(demo_runs: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "bundle.zip"
    packed = hesperus("bundle", str(demo_runs["tax"]), "--out", str(out), "--resamples", "0")
    assert packed.returncode == 0, packed.stderr
    assert "numbers in" in packed.stdout
    well = hesperus("verify", str(out))
    assert (well.returncode, well.stdout.startswith("verified: ")) == (0, True)
    held = opened(out)
    other, _ = changed(held, "numbers.json", random.Random(3))
    wrong = hesperus("verify", str(save(refitted(other), tmp_path / "wrong.zip")))
    assert wrong.returncode == 1
    assert "not verified" in wrong.stdout
    (tmp_path / "none.zip").write_bytes(b"PK\x03\x04 not a zip")
    for place in (tmp_path / "none.zip", tmp_path / "absent.zip"):
        broken = hesperus("verify", str(place))
        assert broken.returncode == 2
        assert broken.stderr.startswith("error: ")
