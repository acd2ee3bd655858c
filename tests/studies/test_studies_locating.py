"""A study runs from any folder: the files it names are found where it was declared, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from hesperus.cli.app import app
from hesperus.errors import UsageError
from hesperus.studies.asked.declaring import Terms
from hesperus.studies.asked.session import models_named
from hesperus.studies.asked.stages import run_study
from hesperus.studies.asked.study_files import home_of
from hesperus.studies.multisense.multisense_study import MultisenseStudy
from loopback_endpoint import Say, serving

RIDDLES = """
name: riddles
description: Who is it? Three options.
form: choice
fields: [riddle]
options: 3
layout: "{prefix} {riddle.word}: {riddle} {options} {suffix}"
instructions:
  en: {prefix: Who is meant?, words: {riddle: Riddle}, suffix: 'Please answer with "A", "B" or "C".'}
  de: {prefix: Wer ist gemeint?, words: {riddle: Rätsel}, suffix: 'Bitte antworten Sie mit "A", "B" oder "C".'}
source: {languages: {en: en, de: de}}
columns: {fields: {riddle: text}, options: [first, second, third], gold: answer}
gold: {read: letter}
key: {columns: [id]}
"""
ROWS = "id,text,first,second,third,answer\n1,I bark,dog,cat,cow,A\n2,I meow,dog,cat,cow,B\n"
ASKED = {
    "task": "riddles.yaml",
    "data": "data/{language}.csv",
    "models": ["pocket/s"],
    "prices": "prices.yaml",
}
STUDIES = {
    "multisense": {**ASKED, "source": ["en"], "target": ["de"]},
    "similarity": {**ASKED, "languages": ["en", "de"]},
    "translation_tax": {**ASKED, "target": "de", "native": {"task": "riddles.yaml", "data": "data/de.csv"}},
    "translate_then_evaluate": {"task": "atlas-describe", "models": ["pocket/s"], "languages": ["de"],
                                "translator": "pocket/l", "sample": {"n": 2}, "prices": "prices.yaml"},
}  # fmt: skip


def typed(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a task, its data and a price file; the working directory is another one."""
    folder, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (folder / "data").mkdir(parents=True)
    elsewhere.mkdir()
    (folder / "riddles.yaml").write_text(RIDDLES, encoding="utf-8")
    for language in ("en", "de"):
        (folder / "data" / f"{language}.csv").write_text(ROWS, encoding="utf-8")
    (folder / "prices.yaml").write_text("currency: EUR\nas_of: 2025-06\nmodels: {}\n", encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    return folder


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_finds_its_files_from_another_folder(study: str, project: Path) -> None:
    file = project / "runs" / "mine" / "study.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(yaml.safe_dump({"study": study, **STUDIES[study]}), encoding="utf-8")
    done = typed("plan", file.parent, "--format", "json")
    assert done.exit_code == 0, (done.stderr, done.exception)
    assert f"its files are those of {project}" in done.stderr
    (project / "prices.yaml").unlink()
    lost = typed("plan", file.parent)
    assert isinstance(lost.exception, UsageError) and ".yaml" in str(lost.exception)


def test_a_run_folder_runs_again_in_its_place_byte_for_byte(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Path.cwd()
    monkeypatch.chdir(project)
    flags = ("--task", "riddles.yaml", "--data", "data/{language}.csv", "--model", "pocket/s", "--language", "en",
             "--language", "de", "--resamples", 20, "--quiet")  # fmt: skip
    assert typed("run", "similarity", *flags).exit_code == 0
    (folder,) = (project / "runs").glob("similarity-*")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert (
        "riddles.yaml" in before["study.yaml"].decode() and str(project) not in before["study.yaml"].decode()
    )
    monkeypatch.chdir(elsewhere)
    done = typed("run", folder, "--quiet")
    assert done.exit_code == 0, (done.stderr, done.exception)
    assert f"run folder: {folder}" in done.stderr and Path.cwd() == elsewhere
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert list(elsewhere.iterdir()) == [], "nothing is written where the command was typed"
    # A flag makes another study, and its paths and that of --out are those of the working directory.
    (elsewhere / "own.csv").write_text(ROWS, encoding="utf-8")
    models = ("--model", "pocket/s", "--model", "pocket/m")
    other = typed(
        "run", folder, "--data", "own.csv", "--language", "en", *models, "--out", "out/other", "--quiet"
    )
    assert other.exit_code == 0, (other.stderr, other.exception)
    kept = (elsewhere / "out" / "other" / "study.yaml").read_text(encoding="utf-8")
    assert "data: ../../own.csv" in kept and str(elsewhere) not in kept
    assert (elsewhere / "out" / "replies.sqlite").is_file()


def test_the_working_directory_comes_first_and_a_name_is_no_file(project: Path) -> None:
    file = project / "study.yaml"
    assert home_of({"task": "riddles.yaml", "exclude": ["a"]}, file) == project
    assert home_of({"task": "riddles.yaml", "data": "nowhere.csv"}, file) is None
    assert (
        home_of({"task": "atlas", "grouping": "global-mmlu", "data": None, "models": ["hf/./x"]}, file)
        is None
    )
    assert (
        home_of({"records": [str(project / "data"), "data"]}, project / "runs" / "x" / "study.yaml")
        == project
    )
    Path("riddles.yaml").write_text(RIDDLES, encoding="utf-8")
    assert home_of({"task": "riddles.yaml"}, file) is None


def test_an_address_that_nobody_is_asked_at_is_refused() -> None:
    url = "http://127.0.0.1:9/v1"
    for names in (["pocket/s", "pocket/m"], ["hf/org/name"], []):
        with pytest.raises(UsageError, match="--base-url is given, and "):
            models_named(names, Terms(base_url=url))
    done = typed(
        "plan", "multisense", "--task", "atlas", "--model", "pocket/s", "--target", "de", "--base-url", url
    )
    assert "pocket/s: nothing here is asked over HTTP" in str(done.exception)
    assert set(models_named(["http/mine", "pocket/s"], Terms(base_url=url))) == {"http/mine", "pocket/s"}


def test_a_named_run_folder_runs_again_in_its_place_unless_a_flag_changes_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("multisense", "--task", "atlas", "--model", "pocket/s", "--target", "de", "--limit", "3")
    assert typed("run", *asked, "--out", "mine", "--quiet").exit_code == 0
    before = {path.name: path.read_bytes() for path in Path("mine").iterdir()}
    for again in ("mine", "mine/study.yaml"):
        done = typed("run", again, "--quiet")
        assert done.exit_code == 0 and "run folder: mine " in done.stderr
    assert {path.name: path.read_bytes() for path in Path("mine").iterdir()} == before
    assert not Path("runs").exists()
    other = typed("run", "mine", "--limit", "4", "--quiet")
    assert other.exit_code == 0 and "run folder: runs/atlas-" in other.stderr
    assert {path.name: path.read_bytes() for path in Path("mine").iterdir()} == before


def test_what_is_passed_on_names_no_absolute_path_and_a_run_folder_runs_again(
    project: Path, tmp_path: Path
) -> None:
    file = tmp_path / "study.yaml"
    absolute = {
        key: str(project / value) for key, value in ASKED.items() if isinstance(value, str)
    }  # the models are a list
    file.write_text(
        yaml.safe_dump({**ASKED, **absolute, "source": ["en"], "target": [], "repeats": 2}), encoding="utf-8"
    )
    run = tmp_path / "runs" / "mine"
    done = typed("run", file, "--out", run, "--quiet")
    assert done.exit_code == 0, (done.stderr, done.exception)
    before = (run / "study.yaml").read_bytes()
    assert str(tmp_path).encode() not in before + (run / "signature.json").read_bytes()
    assert yaml.safe_load(before)["task"] == "../../project/riddles.yaml"
    again = typed("run", run, "--quiet")
    assert again.exit_code == 0, (again.stderr, again.exception)
    assert (run / "study.yaml").read_bytes() == before
    assert typed("report", run).exit_code == 0
    assert str(tmp_path) not in (run / "report.html").read_text(encoding="utf-8")


def test_signature_and_report_name_no_endpoint(tmp_path: Path) -> None:
    values = {"task": "atlas", "models": ["http/m"], "repeats": 2, "sample": {"n": 2}}
    with serving(lambda *_: Say("A")) as endpoint:
        study = MultisenseStudy.from_mapping({**values, "base_url": endpoint.url})
        folder = run_study(study, tmp_path / "run").folder
        host = endpoint.url.split("/")[2]
    assert (
        host not in (folder / "signature.json").read_text()
        and "address-" in (folder / "signature.json").read_text()
    )
    assert typed("report", folder).exit_code == 0
    assert host not in (folder / "report.html").read_text(encoding="utf-8")
