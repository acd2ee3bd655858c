"""A run folder names no endpoint, and is gone on with all the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import polars as pl
import pytest
import yaml
from typer.testing import CliRunner, Result

from hesperus.cli.app import app
from hesperus.errors import UsageError
from hesperus.studies.asked.keeping import lost_questions
from hesperus.studies.asked.study_files import ENDPOINTS_FILE, masked
from loopback_endpoint import Action, Endpoint, Say, Send, serving, user_text

SIZE = ["--limit", "2"]
STUDIES = {
    "multisense": ["--task", "atlas", "--source", "en", "--target", "de", *SIZE],
    "similarity": ["--task", "atlas", "--language", "en", "--language", "de", "--scoring", "generate", *SIZE],
    "translation_tax": ["--task", "atlas", "--target", "de", *SIZE],
    "translate_then_evaluate": ["--task", "atlas-describe", "--language", "de", "--translator", "http/m", *SIZE],
}  # fmt: skip
FAILED = "nobody says this"


def behave(body: dict[str, object], count: int) -> Action:
    """One question is refused for good."""
    if count == 2:
        return Send({"error": {"message": FAILED}}, 400)
    return Say("A" if "A." in user_text(body) else "the same words")


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.chdir(tmp_path)
    with serving(behave) as served:
        yield served


def typed(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def asked(study: str, url: str, *more: object) -> Result:
    return typed(
        "run", study, *STUDIES[study], "--model", "http/m", "--base-url", url, "--out", "runs/mine", *more
    )


def files_that_name(place: str, folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and place.encode() in path.read_bytes()]


@pytest.mark.parametrize("study", STUDIES)
def test_no_file_of_a_run_folder_and_no_page_names_the_endpoint(study: str, endpoint: Endpoint) -> None:
    done = asked(study, endpoint.url)
    assert FAILED in str(done.exception), done.stderr
    assert typed("report", "runs/mine", "--out", "page.html").exit_code == 0
    place = urlsplit(endpoint.url).netloc
    assert files_that_name(place, Path("runs/mine")) == []
    assert place not in Path("page.html").read_text(encoding="utf-8")
    assert yaml.safe_load(Path("runs/mine/study.yaml").read_text())["base_url"] == masked(endpoint.url)
    beside = Path("runs") / ENDPOINTS_FILE
    assert json.loads(beside.read_text()) == {masked(endpoint.url): endpoint.url}


def test_a_run_goes_on_from_its_folder_and_with_the_same_flags(endpoint: Endpoint) -> None:
    asked("similarity", endpoint.url)
    before = {path.name: path.read_bytes() for path in Path("runs/mine").iterdir()}
    count = len(endpoint.bodies)
    again = typed("run", "runs/mine")
    assert again.exit_code in (0, 3), (again.stderr, again.exception)
    assert len(endpoint.bodies) == count + 1, "the one that failed, and no other"
    flags = asked("similarity", endpoint.url)
    assert flags.exit_code == 0 and len(endpoint.bodies) == count + 1
    named = typed("run", "runs/mine", "--base-url", endpoint.url)
    assert named.exit_code == 0 and len(endpoint.bodies) == count + 1
    after = {path.name: path.read_bytes() for path in Path("runs/mine").iterdir()}
    assert before.keys() == after.keys() and before["study.yaml"] == after["study.yaml"]
    assert before["signature.json"] == after["signature.json"]


def test_a_run_that_was_passed_on_is_read_and_asks_for_the_endpoint_only_to_be_run(
    endpoint: Endpoint,
) -> None:
    asked("similarity", endpoint.url)
    (Path("runs") / ENDPOINTS_FILE).unlink()
    for command in (["measure", "accuracy"], ["report"]):
        assert typed(*command, "runs/mine").exit_code == 0
    assert typed("run", "runs/mine", "--table", "similarity").exit_code == 0
    refused = typed("run", "runs/mine")
    assert isinstance(refused.exception, UsageError)
    assert "does not tell its endpoint" in str(refused.exception) and "--base-url" in str(refused.exception)
    (Path("runs") / ENDPOINTS_FILE).write_text("[")
    broken = typed("run", "runs/mine")
    assert ENDPOINTS_FILE in str(broken.exception) and "no JSON" in str(broken.exception)


def test_addresses_of_providers_are_no_secret() -> None:
    assert masked("https://api.openai.com/v1") == "https://api.openai.com/v1"
    assert masked(masked("http://lab.example.org/v1")) == masked("http://lab.example.org/v1")
    assert "lab" not in masked("http://lab.example.org/v1")


def test_questions_without_a_reply_are_counted_by_kind_of_reason() -> None:
    notes = ["dns: a", "html: b", "html: c", None, "timeout: d", "timeout: e", "timeout: f"]
    rows = {"model": "m", "instruction": "en", "input": "de", "outcome": "error"}
    lost = pl.DataFrame([{**rows, "note": note} for note in notes])
    assert lost_questions(lost.lazy()) == [
        "m, instruction=en,input=de: 7 questions unanswered (3 × timeout: d; 2 × html: b; 1 × dns: a; and 1 of other kinds)"
    ]
    assert lost_questions(lost[:1].lazy()) == ["m, instruction=en,input=de: 1 questions unanswered (dns: a)"]
