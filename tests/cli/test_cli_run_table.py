"""`hesperus run RUN --table …` of a finished run reads its folder, and leaves every file as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hesperus.cli.app import app


def call(*words: object) -> tuple[str, str]:
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout, done.stderr


def test_a_table_of_a_finished_run_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = [
        "run",
        "multisense",
        "--task",
        "atlas",
        "--model",
        "pocket/s",
        "--target",
        "de",
        "--limit",
        "5",
        "-q",
    ]
    wide, _ = call(*asked, "--out", "kept", "--table", "validity", "--format", "json")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in Path("kept").iterdir()}
    (tmp_path / "replies.sqlite").unlink()
    for given in ("kept", "kept/study.yaml"):
        again, said = call("run", given, "--table", "validity", "--format", "json")
        assert again == wide and "nothing was asked" in said
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in Path("kept").iterdir()} == before
    assert not (tmp_path / "replies.sqlite").exists()
    # With another setting beside it is another study, which is asked.
    _, said = call("run", "kept", "--limit", "4", "--table", "validity", "-q")
    assert "nothing was asked" not in said and (tmp_path / "runs").is_dir()
