"""The composite action: its shell steps as they are written, with the real command on an embedded model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
import yaml

import hesperus as hs
from hesperus.records import read_records, write_records

ROOT = Path(__file__).resolve().parent.parent.parent
STUDY = """study: similarity
task: atlas
models: [pocket/l]
languages: [en, de, sw]
sample: {n: 24}
"""


@dataclass(frozen=True)
class Job:
    """A folder in which the steps of the action are run.

    Attributes:
        folder: Working directory.
    """

    folder: Path

    def steps(self, *, is_asked: bool = True, **inputs: str) -> int:
        """Run the shell steps but for the installation and, of a run that is there, asking; the first exit code that is not 0."""
        left_out = ("Install",) if is_asked else ("Install", "Ask")
        action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        given = {name: str(one["default"]) for name, one in action["inputs"].items()} | inputs
        assert given.keys() == action["inputs"].keys()
        for step in action["runs"]["steps"]:
            if "run" in step and step["name"] not in left_out:
                done = self.step(step, given)
                if done.returncode:
                    return done.returncode
        return 0

    def step(self, step: Mapping[str, object], given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        assert step["shell"] == "bash" and "${{" not in str(step["run"]), (
            "an input would be part of a command"
        )
        script, env = self.folder / "step.sh", dict(os.environ)
        script.write_text(str(step["run"]), encoding="utf-8")
        for name, value in dict(step["env"]).items():  # type: ignore[call-overload]
            env[name] = given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        env |= {
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
        }
        # The command of these tests' own environment, as pip would install it
        env["PATH"] = f"{self.folder / 'bin'}{os.pathsep}{env['PATH']}"
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], cwd=self.folder, env=env, text=True, check=False,
        )  # fmt: skip

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("job")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    command = folder / "bin" / "hesperus"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hesperus "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    made = Job(folder)
    assert made.steps(study="study.yaml", run="runs/old", baseline="runs/none", **{"max-drop": "0.02"}) == 0
    return made


def test_a_run_without_a_baseline_is_asked_and_has_a_page(job: Job) -> None:
    assert "nothing to check" in job.summary
    assert (job.folder / "runs/old/report.html").stat().st_size > 20_000


def test_a_run_that_holds_passes(job: Job) -> None:
    wanted = "accuracy[en] >= 0.5\n\nvalidity >= 0.9"
    shutil.copytree(job.folder / "runs/old", job.folder / "runs/new")
    given = {"run": "runs/new", "require": wanted, "baseline": "runs/old", "max-drop": "accuracy=0.02"}
    assert job.steps(is_asked=False, **given) == 0
    assert (
        "## hesperus check: 3 of 3 satisfied" in job.summary and "### Items that broke: none" in job.summary
    )
    tree = ElementTree.parse(job.folder / "runs/new/check.xml").getroot()
    assert tree.get("failures") == "0" and int(str(tree.get("tests"))) > 5
    places = (job.folder / "output").read_text(encoding="utf-8").splitlines()
    assert places[-3:] == [
        "junit=runs/new/check.xml",
        "summary=runs/new/check.md",
        "report=runs/new/report.html",
    ]


def test_a_run_that_broke_fails_and_names_the_items(job: Job) -> None:
    records = read_records(job.folder / "runs/old", columns=["country", "relation"])
    hit = pl.col("input").is_in(["sw", "de"]) & (pl.col("answer") == pl.col("gold"))
    other = pl.when(pl.col("gold") == "A").then(pl.lit("B")).otherwise(pl.lit("A"))
    worse = records.with_columns(answer=pl.when(hit).then(other).otherwise("answer"))
    folder = job.folder / "runs/broken"
    shutil.copytree(job.folder / "runs/old", folder)
    write_records(worse, folder / "records.parquet")
    assert (
        job.steps(is_asked=False, run="runs/broken", baseline="runs/old", **{"max-drop": "accuracy=0.02"})
        == 1
    )
    lost = hs.check(folder, (), baseline=job.folder / "runs/old", max_drop="accuracy=0.02")
    assert not all(row["passed"] for row in lost.rows)
    told = job.summary.rpartition("## hesperus check")[2]
    count = records.filter(hit).height
    assert f"Right in the baseline and not in this run: {count} answers to" in told
    twice = records.filter(hit).group_by("item").len().filter(pl.col("len") == 2)["item"].sort()
    first = [line for line in told.splitlines() if line.startswith("| pocket/l")][-min(30, count) :]
    assert f"| {twice[0]} |" in first[0]


def test_a_requirement_is_never_a_command(job: Job) -> None:
    evil = "accuracy[en] >= 0.1; touch stolen\n$(touch stolen) >= 1"
    assert job.steps(is_asked=False, run="runs/old", require=evil) == 2
    assert not (job.folder / "stolen").exists()
