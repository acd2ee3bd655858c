"""The pocket checkpoint behind a server that is not ours: the same study over HTTP gives the same answers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hesperus.models.pocket import WEIGHTS
from hesperus.studies.asked.stages import run_study
from hesperus.studies.multisense.multisense_study import MultisenseStudy
from loopback_endpoint import free_port
from waiting import answers_at, until


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`transformers serve` on a free port of this machine, ended with the tests."""
    port = free_port()
    log = tmp_path_factory.mktemp("serve") / "log"
    command = [
        sys.executable, "-m", "transformers.cli.transformers", "serve", str(WEIGHTS / "s"), "--host", "127.0.0.1",
        "--port", str(port), "--device", "cpu", "--dtype", "float32",
    ]  # fmt: skip
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("wb") as written:
        server = subprocess.Popen(command, stdout=written, stderr=subprocess.STDOUT, env=environment)
        try:
            try:
                until(lambda: answers_at(f"http://127.0.0.1:{port}/health"), running=server)
            except (RuntimeError, TimeoutError) as error:
                pytest.fail(f"transformers serve: {error}: {log.read_text(errors='replace')[-2000:]}")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()
            server.wait()


def test_the_study_over_http_equals_the_embedded_one(served: str, tmp_path: Path) -> None:
    name = str(WEIGHTS / "s")
    common = {
        "task": "atlas", "target": ["de", "zh"], "sample": {"n": 4}, "repeats": 1, "concurrency": 2,
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
    assert len(remote.records) == 4 * 7
