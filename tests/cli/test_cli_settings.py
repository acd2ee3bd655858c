"""Every setting of a study is a flag, a key and a keyword; whatever is wrong in one is named, and nothing is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import hesperus
from hesperus.api.declared import declared_study
from hesperus.api.studies import study_declaration
from hesperus.cli.app import app
from hesperus.declared_studies import declared_studies
from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError
from hesperus.studies.asked.settings import SHORT, settings_of

LEAST: dict[str, dict[str, Any]] = {
    "multisense": {"task": "atlas", "models": ["pocket/s"], "target": ["de"]},
    "similarity": {"task": "atlas", "models": ["pocket/s"], "languages": ["en", "de"]},
    "translate_then_evaluate": {"task": "atlas-describe", "models": ["pocket/s"], "languages": ["de"], "translator": "none"},
    "translation_tax": {"task": "atlas", "models": ["pocket/s"], "target": "de", "naturalise": {"rewriter": "pocket/l"}, "native": {"task": "atlas"}},
}  # fmt: skip


def call(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def in_place(values: Any, key: str) -> Any:
    for step in key.split("."):
        values = values.get(step) if isinstance(values, dict) else None
    return values


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", LEAST)
def test_every_flag_is_the_key_of_a_file(name: str) -> None:
    flags = [one for one in settings_of(study_declaration(name)) if one.kind is int and not one.is_many]
    assert len(flags) > 10
    for one in flags:
        least = {key: value for key, value in LEAST[name].items() if key != one.key.partition(".")[0]}
        given = {**least, one.key: "3"}
        if one.key.startswith("naturalise"):
            given["naturalise.rewriter"] = "pocket/l"
        if one.key.startswith("native"):
            given["native.task"] = "atlas"
        if one.key.endswith("sample.seed"):
            given[one.key.replace("seed", "n")] = 5
        if one.key.endswith("per_group"):
            given[one.key.replace("per_group", "by")] = "subject"
        study = declared_study(name, given).study
        assert in_place(study.model_dump(mode="json"), one.key) == 3, one.key


def test_short_names_are_those_of_keys_that_exist() -> None:
    known = {name: settings_of(study_declaration(name)) for name in declared_studies()}
    keys = {one.key for many in known.values() for one in many}
    assert keys >= {key for key in SHORT if key.partition(".")[0] != "bootstrap"} and "bootstrap.seed" in keys
    for name, many in known.items():
        flags = [one.flag for one in many]
        assert len(set(flags)) == len(flags), name
        assert not [one.key for one in many if not one.text]


@pytest.mark.parametrize("name", declared_studies())
def test_the_schema_of_a_study_knows_its_keys(name: str) -> None:
    schema = json.loads(call("run", name, "--schema").stdout)
    assert set(schema["properties"]) == {
        one.key.partition(".")[0] for one in settings_of(study_declaration(name))
    } | {"study"}
    assert schema["additionalProperties"] is False
    assert all({"description", "$ref"} & set(one) for one in schema["properties"].values())


def test_short_and_full_names_of_a_flag_say_the_same_and_lay_over_a_file() -> None:
    Path("s.yaml").write_text(
        "task: atlas\nmodels: pocket/s\ntarget: [de]\nsample: {by: subject, per_group: 2, seed: 9}\n"
    )
    asked = [
        json.loads(call("plan", "s.yaml", flag, 6, "--format", "json").stdout)
        for flag in ("--limit", "--sample.n")
    ]
    assert asked[0] == asked[1]
    assert {row["requests"] for row in asked[0]["rows"] if row["stage"] == "answer"} == {6}
    sample = declared_study("s.yaml", {"sample.n": 6}).study.sample
    assert (sample.n, sample.by, sample.seed) == (6, None, 9)
    both = declared_study("s.yaml", {"sample.n": 6, "sample.seed": 4}).study.sample
    assert (both.n, both.seed) == (6, 4)


def test_intervals_are_set_by_flag() -> None:
    study = declared_study("translate_then_evaluate", {**LEAST["translate_then_evaluate"], "bootstrap.resamples": "7"}).study  # fmt: skip
    assert study.bootstrap.resamples == 7
    study = declared_study("similarity", {**LEAST["similarity"], "comparison.bootstrap.seed": "3"}).study
    assert study.comparison.bootstrap.seed == 3


@pytest.mark.parametrize(
    ("lines", "error", "words"),
    [
        ("taks: atlas", UnknownNameError, ["s.yaml, line 4", "'taks'", "did you mean 'task'"]),
        ("answers:\n  temprature: 0", UnknownNameError, ["line 5", "did you mean 'answers.temperature'"]),
        ("instructions:\n  de:\n    sufix: x", UnknownNameError, ["line 6", "'instructions.de.sufix'", "suffix"]),
        ("target: [fr]", DataError, ["line 4", "'target'", "given twice"]),
        ("repeats: true", DataError, ["line 4", "'repeats'", "a number"]),
        ("repeats: [2]", DataError, ["line 4", "'repeats'"]),
        ("repeats: 1000000000", DataError, ["line 4", "'repeats'", "1000"]),
        ("sample: {n: 99999999999}", DataError, ["line 4", "'sample.n'"]),
        ("answers: {max_tokens: 99999999999}", DataError, ["line 4", "'answers.max_tokens'"]),
        ("originals: perhaps", DataError, ["line 4", "'originals'"]),
        ("system: {a: b}", DataError, ["line 4", "'system'"]),
        ("scoring: logprob", DataError, ["line 4", "'scoring'", "logprobs"]),
        ("answers: " + "x" * 5000, DataError, ["line 4", "no preset"]),
    ],
)  # fmt: skip
def test_a_fault_of_a_file_is_named_with_its_line_and_nothing_is_asked(
    lines: str, error: type[HesperusError], words: list[str]
) -> None:
    Path("s.yaml").write_text(f"task: atlas\nmodels: [pocket/s]\ntarget: [de]\n{lines}\n", encoding="utf-8")
    done = call("run", "s.yaml")
    assert isinstance(done.exception, error) and done.exception.exit_code == 2
    assert len(str(done.exception)) < 800
    for word in words:
        assert word in str(done.exception), word
    assert [path.name for path in Path().iterdir()] == ["s.yaml"]


@pytest.mark.parametrize(
    ("flags", "error", "words"),
    [
        (("--modle", "x"), UnknownNameError, ["flag of the study multisense", "'--model'"]),
        (("--records", "x"), UnknownNameError, ["flag of the study multisense: '--records'"]),
        (("--task", "atlas", "--target", "de"), UsageError, ["needs --model"]),
        (("--task", "atlas", "--task", "xnli", "--model", "pocket/s"), UsageError, ["--task is given 2 times"]),
        (("--task", "atlas", "--model", "pocket/s", "--limit", "many"), UsageError, ["--limit: write a whole number", "'many'"]),
        (("--task", "atlas", "--model", "pocket/s", "--limit", "-1"), UsageError, ["--limit: at least 1"]),
        (("--task", "atlas", "--model", "pocket/s", "--target", "de", "--request", "top_k"), UsageError, ["--request: ", "NAME=JSON"]),
    ],
)  # fmt: skip
def test_a_fault_of_a_flag_is_named(
    flags: tuple[str, ...], error: type[HesperusError], words: list[str]
) -> None:
    done = call("run", "multisense", *flags)
    assert isinstance(done.exception, error) and done.exception.exit_code == 2
    for word in words:
        assert word in str(done.exception), word
    assert not list(Path().iterdir())


def test_a_fault_of_a_flag_laid_over_a_file_does_not_blame_the_file() -> None:
    Path("s.yaml").write_text(
        "task: atlas\nmodels: [pocket/s]\ntarget: [de]\nsample: {n: 5}\n", encoding="utf-8"
    )
    done = call("run", "s.yaml", "--limit", "many")
    assert str(done.exception) == "--limit: write a whole number (given: 'many')"
    with pytest.raises(DataError, match=r"^field 'sample\.n': write a whole number"):
        hesperus.plan("s.yaml", limit="many")
    Path("s.yaml").write_text(
        "task: atlas\nmodels: [pocket/s]\ntarget: [de]\nsample: {n: many}\n", encoding="utf-8"
    )
    done = call("run", "s.yaml", "--temperature", 0)
    assert str(done.exception).startswith("s.yaml, line 4, field 'sample.n': ")


def test_flags_may_stand_before_the_study() -> None:
    words = (
        "--limit",
        3,
        "--originals",
        "--format",
        "json",
        "--task",
        "atlas",
        "--model",
        "pocket/s",
        "--target",
        "de",
    )
    assert call("plan", *words, "multisense").stdout == call("plan", "multisense", *words).stdout != ""
