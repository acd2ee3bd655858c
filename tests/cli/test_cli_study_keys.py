"""Keys of a run's study.yaml that this version does not know: every command that reads the run says so, or refuses."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import polars as pl
import pytest
from pydantic import BaseModel
from typer.testing import CliRunner, Result

from hesperus.api.studies import study_declaration
from hesperus.cli.app import app
from hesperus.declared_studies import declared_studies, keys_of
from hesperus.errors import DataError, HesperusError, UnknownKeyWarning
from hesperus.records import Run, read_run, write_run
from hesperus.studies.multisense.multisense_study import MultisenseStudy

RECORDS = pl.DataFrame(
    [
        {"model": "m", "task": "t", "item": f"q{item}", "instruction": tag, "input": tag, "repeat": 1,
         "outcome": "answered", "answer": "AB"[(item + (tag == "de")) % 2], "gold": "A", "options": ["A", "B"]}
        for tag in ("en", "de")
        for item in range(6)
    ]
)  # fmt: skip
KNOWN = {"study": "multisense", "task": "t", "models": ["m"], "source": ["en"], "target": ["de"]}


def run_of(folder: Path, study: dict[str, object]) -> Path:
    write_run(Run(RECORDS, None, study, {"hesperus": "0.1.0"}), folder)
    return folder


def call(*words: object) -> Result:
    with warnings.catch_warnings():  # the command takes over how warnings are told
        done = CliRunner().invoke(app, list(map(str, words)))
    if not isinstance(done.exception, SystemExit | HesperusError | None):
        raise done.exception
    return done


@pytest.mark.parametrize(
    "command",
    [
        ("measure", "accuracy", "RUN", "--resamples", 0),
        ("measure", "summary", "RUN", "--resamples", 0),
        ("compare", "RUN", "RUN", "--resamples", 0),
        ("check", "RUN", "--require", "accuracy >= 0", "--resamples", 0),
        ("report", "RUN", "--out", "OUT/page.html", "--resamples", 0),
        ("bundle", "RUN", "--out", "OUT/run.zip", "--resamples", 0),
        ("figure", "accuracy", "RUN", "--out", "OUT/figure.svg"),
    ],
)
def test_every_command_names_the_keys_it_does_not_know(command: tuple[object, ...], tmp_path: Path) -> None:
    study = {**KNOWN, "invald": "agree", "answers": {"temprature": 0.5}, "sample": {"n": 6}}
    run = run_of(tmp_path / "run", study)
    done = call(*(str(word).replace("RUN", str(run)).replace("OUT", str(tmp_path)) for word in command))
    assert done.exit_code == 0, done.output
    (said,) = [line for line in done.stderr.splitlines() if "does not know" in line]
    assert "2 keys" in said and "'invald' (did you mean 'invalid'?) on line 9" in said
    assert "'answers.temprature' (did you mean 'answers.temperature'?) on line 11" in said
    assert "all numbers rest on the other keys" in said


def test_a_bundle_is_named_as_the_reader_has_it(tmp_path: Path) -> None:
    run, file = run_of(tmp_path / "run", {**KNOWN, "vote": "most"}), tmp_path / "run.zip"
    call("bundle", run, "--out", file, "--resamples", 0)
    line = json.loads(call("measure", "accuracy", run, "--resamples", 0, "--format", "json").stdout)[
        "signature"
    ]["short"]
    for more in ((), ("--signature", line)):
        done = call("verify", file, *more)
        assert done.exit_code == 0, done.stderr
        (said,) = [text for text in done.stderr.splitlines() if "does not know" in text]
        assert said.startswith(f"note: {file}: study.yaml has a key"), said


def test_the_page_says_it_too(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", {**KNOWN, "vote": "most"})
    call("report", run, "--out", tmp_path / "page.html", "--resamples", 0)
    assert "study.yaml has a key that this version of hesperus does not know" in (
        tmp_path / "page.html"
    ).read_text(encoding="utf-8")


def test_a_key_that_would_decide_numbers_is_refused(tmp_path: Path) -> None:
    for study, words in (
        ({"study": "similarity", "comparison": {"pivots": "en"}}, ("line 3", "'comparison.pivots'", "'comparison.pivot'")),
        ({**KNOWN, "bootstrap": {"sed": 1}}, ("'bootstrap.sed'", "'bootstrap.seed'")),
    ):  # fmt: skip
        run = run_of(tmp_path / "run", study)
        for command in (("measure", "accuracy"), ("report",), ("check",), ("view",)):
            more = ("--require", "accuracy >= 0") if command == ("check",) else ()
            done = call(*command, run, *more)
            assert isinstance(done.exception, DataError), (command, done.output)
            said = str(done.exception)
            assert all(word in said for word in words) and "would decide numbers" in said


def test_a_study_that_does_not_exist_is_named(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", {**KNOWN, "study": "multisence"})
    said = call("measure", "accuracy", run, "--resamples", 0).stderr
    assert (
        "a study that this version of hesperus does not know: 'multisence' (did you mean 'multisense'?)"
        in said
    )
    # A plug-in's study has keys of its own.
    run_of(run, {**KNOWN, "study": "mine", "plugins": ["mine.py"], "colour": "red"})
    assert "does not know" not in call("measure", "accuracy", run, "--resamples", 0).stderr


def test_nothing_is_said_of_keys_that_are_known(tmp_path: Path) -> None:
    study = MultisenseStudy.from_mapping(
        {"task": "atlas", "models": ["pocket/s"], "target": ["de"], "instructions": {"de": {"words": {"q": "Frage"}}}},
        file="study.yaml",
    )  # fmt: skip
    written = json.loads(study.model_dump_json())
    for one in (written, {"invalid": "agree", "bootstrap": {"seed": 1}}, {"study": "import", "logs": []}):
        with warnings.catch_warnings():
            warnings.simplefilter("error", UnknownKeyWarning)
            assert read_run(run_of(tmp_path / "run", one)).study == one


def keys_below(annotation: object) -> dict[str, Any] | None:
    """Keys of a field as pydantic knows them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: keys_below(field.annotation) for name, field in annotation.model_fields.items()}
    below = next((found for inner in get_args(annotation) if (found := keys_below(inner))), None)
    origin = get_origin(annotation)
    return {"*": below} if below and isinstance(origin, type) and issubclass(origin, Mapping) else below


@pytest.mark.parametrize("name", declared_studies())
def test_the_keys_that_are_read_are_those_of_the_fields(name: str) -> None:
    assert keys_of(name) == keys_below(study_declaration(name))
