"""The pocket checkpoint behind a server that is not ours: the same study over HTTP gives the same answers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from hesperus.models.pocket import WEIGHTS
from hesperus.studies.asked.stages import run_study
from hesperus.studies.multisense.multisense_study import MultisenseStudy

STARTS_WITHIN = 180.0


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`transformers serve` on a free port of this machine, ended with the tests."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("serve") / "log"
    command = [
        str(Path(sys.executable).with_name("transformers")), "serve", str(WEIGHTS / "s"), "--host", "127.0.0.1",
        "--port", str(port), "--device", "cpu", "--dtype", "float32",
    ]  # fmt: skip
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("wb") as written:
        server = subprocess.Popen(command, stdout=written, stderr=subprocess.STDOUT, env=environment)
        try:
            _wait(f"http://127.0.0.1:{port}", server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(20)


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline:
        if server.poll() is not None:
            pytest.fail(f"transformers serve ended: {log.read_text(errors='replace')[-2000:]}")
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2):
                return
        except urllib.error.HTTPError:
            return  # it answers, if not to this path
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.25)
    pytest.fail(f"transformers serve did not answer: {log.read_text(errors='replace')[-2000:]}")


def test_the_study_over_http_equals_the_embedded_one(served: str, tmp_path: Path) -> None:
    name = str(WEIGHTS / "s")
    common = {
        "task": "atlas", "target": ["de", "zh"], "sample": {"n": 8}, "repeats": 1, "concurrency": 2,
        "answers": {"temperature": 0, "max_tokens": 8}, "making": {"temperature": 0, "max_tokens": 96},
    }  # fmt: skip
    local = run_study(
        MultisenseStudy.from_mapping({**common, "models": ["pocket/s"]}), tmp_path / "local" / "run"
    )
    remote = run_study(
        MultisenseStudy.from_mapping({**common, "models": [f"http/{name}"], "base_url": served}),
        tmp_path / "remote" / "run",
    )
    remote.raise_if_incomplete()
    columns = ["item", "instruction", "input", "repeat", "outcome", "answer", "reply"]
    assert local.records.select(columns).equals(remote.records.select(columns))
    assert len(remote.records) == 8 * 7
