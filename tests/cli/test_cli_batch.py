"""A study by batches and by files ends as the same study asked one request after another."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from batch_endpoint import replied, serving_batches
from command_line import hesperus
from hesperus.asking import ReplyStore
from hesperus.cli.app import app
from hesperus.models import LocalModel, model
from hesperus.types import Prompt, Request
from loopback_endpoint import Say, serving, user_text
from own_process import started
from waiting import last_words, until

STUDY = [
    "multisense",
    "--task",
    "atlas",
    "--source",
    "en",
    "--target",
    "de",
    "--limit",
    "3",
    "--model",
    "http/m",
]


@cache
def brain() -> LocalModel:
    """The embedded model, which answers behind each endpoint here."""
    found = model("pocket/m")
    assert isinstance(found, LocalModel)
    return found


def said_to(body: Mapping[str, Any]) -> str:
    """What the model says to a request."""
    (reply,) = brain().replies([Request("pocket/m", Prompt(user_text(body)))])
    return reply.text


def answer(key: str, body: Mapping[str, Any], batch: int) -> Mapping[str, Any]:
    """A line of a batch."""
    return replied(said_to(body), body)


def run(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(words))
    said = done.exception if done.exit_code == 1 and done.exception else done.output
    actual = getattr(done.exception, "exit_code", done.exit_code)
    assert actual == code, f"{said}"
    return f"{done.output}\n{done.exception}"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The records of the study, asked one request after another."""
    out = tmp_path_factory.mktemp("single") / "run"
    with serving(lambda body, count: Say(said_to(body))) as endpoint:
        run("run", *STUDY, "--base-url", endpoint.url, "--out", str(out), "--quiet")
    return (out / "records.parquet").read_bytes()


def test_by_batches(tmp_path: Path, records: bytes) -> None:
    with serving_batches(answer=answer) as endpoint:
        command = ["run", *STUDY, "--base-url", endpoint.url, "--out", str(tmp_path / "run"), "--quiet"]
        run(*command, "--batch", "wait")
        assert (tmp_path / "run" / "records.parquet").read_bytes() == records
        stages = len(endpoint.batches)
        assert stages > 1 and endpoint.calls["POST /chat"] == 0
        run(*command, "--batch", "wait")
        assert len(endpoint.batches) == stages


def test_by_batches_without_waiting(tmp_path: Path, records: bytes) -> None:
    with serving_batches(answer=answer) as endpoint:
        command = [
            "run",
            *STUDY,
            "--base-url",
            endpoint.url,
            "--out",
            str(tmp_path / "run"),
            "--quiet",
            "--batch",
            "submit",
        ]
        stages = 0
        while not (tmp_path / "run" / "records.parquet").is_file():
            done = CliRunner().invoke(app, command)
            if done.exit_code:
                assert done.exception.exit_code == 5 and "run the same command again" in str(done.exception)
                stages += 1
        assert stages == len(endpoint.batches) > 1
    assert (tmp_path / "run" / "records.parquet").read_bytes() == records


def test_by_files(tmp_path: Path, records: bytes) -> None:
    study = [*STUDY, "--base-url", "http://127.0.0.1:9/v1", "--out", str(tmp_path / "run")]
    said = run("batch", "export", *study, code=5)
    assert "are to be answered elsewhere" in said and "hesperus batch import" in said
    requests = tmp_path / "replies.batches" / "requests"
    for stage in range(9):
        (file,) = requests.glob("*.jsonl")
        replies = tmp_path / f"{stage}.jsonl"
        lines = map(json.loads, file.read_text().splitlines())
        answered = [{"custom_id": line["custom_id"], **answer("", line["body"], 1)} for line in lines]
        replies.write_text("".join(json.dumps(one) + "\n" for one in answered))
        taking = ["batch", "import", *study, "--replies", str(replies)]
        if CliRunner().invoke(app, taking).exit_code == 0:
            break
    assert stage > 0 and not list(requests.glob("*.jsonl"))
    assert (tmp_path / "run" / "records.parquet").read_bytes() == records
    assert "no such file of replies" in run("batch", "import", *study, "--replies", "nowhere.jsonl", code=2)


def test_the_plan_counts_the_price_in_batches(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("models: {http/m: {input: 2, output: 4, batch: 0.5}, http/n: {input: 2, output: 4}}")
    plan = [
        "plan",
        *STUDY,
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--prices",
        str(prices),
        "--format",
        "json",
    ]

    def price(*more: str) -> list[float]:
        rows = json.loads(CliRunner().invoke(app, [*plan, *more]).stdout)["rows"]
        return [row["price_high"] for row in rows if row["stage"] == "total"]

    full, half = price("--model", "http/n"), price("--model", "http/n", "--batch", "wait")
    assert half == pytest.approx([full[0] / 2, full[1]], rel=0.01)
    assert (
        "no price in batches for http/n"
        in CliRunner().invoke(app, [*plan, "--model", "http/n", "--batch", "wait"]).stderr
    )


def test_an_interrupt_ends_the_waiting_and_not_the_batch(tmp_path: Path, records: bytes) -> None:
    with serving_batches(answer=answer, looks=10**6) as endpoint:
        words = [
            "run",
            *STUDY,
            "--base-url",
            endpoint.url,
            "--out",
            str(tmp_path / "run"),
            "--quiet",
            "--batch",
            "wait",
        ]
        process = started(*words)
        until(lambda: endpoint.looked, running=process)
        process.send_signal(signal.SIGINT)
        said = last_words(process)
        assert process.returncode == 130 and "run the same command again to go on" in said
        assert len(endpoint.batches) == 1
        endpoint.looks = 1
        run(*words)
        with ReplyStore(tmp_path / "replies.sqlite") as store:
            assert len(endpoint.asked) == len(store), "nothing was submitted twice"
    assert (tmp_path / "run" / "records.parquet").read_bytes() == records


def test_what_is_pending_is_no_error(tmp_path: Path) -> None:
    study = [*STUDY, "--base-url", "http://127.0.0.1:9/v1", "--out", str(tmp_path / "run")]
    ended = hesperus("batch", "export", *study)
    assert ended.returncode == 5 and ended.stderr.startswith("pending: http/m: making senses: 15 requests")
