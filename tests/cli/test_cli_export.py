"""`hesperus export` of the items of a run."""

from __future__ import annotations

from pathlib import Path

import typer
from typer.testing import CliRunner

from hesperus.cli.export import command
from hesperus.studies.asked.stages import run_study
from hesperus.studies.multisense.multisense_study import MultisenseStudy


def test_a_run_whose_models_made_senses_gives_its_originals(tmp_path: Path) -> None:
    study = MultisenseStudy.from_mapping(
        {
            "task": "atlas",
            "models": ["pocket/s", "pocket/m"],
            "target": ["de"],
            "conditions": ["X"],
            "sample": {"n": 3},
        }
    )
    run_study(study, tmp_path / "run", store=tmp_path / "replies.sqlite")
    app = typer.Typer()
    app.command()(command)
    arguments = ["lm-eval", str(tmp_path / "run"), "--out", str(tmp_path / "tasks")]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0 and "3 items in en" in done.stderr
    assert len((tmp_path / "tasks" / "atlas_en.jsonl").read_text(encoding="utf-8").splitlines()) == 3
