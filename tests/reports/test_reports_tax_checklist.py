"""Every command that a checklist prints runs as it stands: on a run that asked, and on records of another origin."""

from __future__ import annotations

import json
import shlex
import signal
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.annotation import Judgement, RatingStore
from hesperus.cli.app import app
from hesperus.errors import DataError
from hesperus.measures import krippendorff_alpha
from hesperus.reports.tax.checklist import AND
from hesperus.studies.asked.stages import run_study
from hesperus.studies.translation_tax.simulator import Planted, simulated_benchmark
from hesperus.studies.translation_tax.tax_study import TaxStudy
from loopback_endpoint import free_port
from own_process import started
from waiting import LIMIT


def checklist(words: list[str]) -> dict[str, dict[str, str]]:
    done = CliRunner().invoke(app, ["tax", "checklist", *words, "--resamples", "0", "--format", "json"])
    assert done.exit_code == 0, (words, done.exception)
    return {row["item"]: row for row in json.loads(done.stdout)["checklist"]["rows"]}


def open_points(rows: dict[str, dict[str, str]]) -> dict[str, str]:
    """Points that were not done, to their command; those without one say what they need."""
    found = {item: row for item, row in rows.items() if row["status"] == "not done"}
    for item, row in found.items():
        assert bool(row["command"]) != row["finding"].startswith(("needs ", "not possible")), (item, row)
    return {item: row["command"] for item, row in found.items() if row["command"]}


def carry_out(command: str) -> None:
    """Run the commands one after another, as a shell would."""
    for step in filter(None, command.split(AND)):
        words = shlex.split(step)
        assert words[0] == "hesperus"
        out = Path(words[words.index(">") + 1]) if ">" in words else None
        words = words[1 : words.index(">") if out else None]
        if words[:2] == ["annotate", "serve"]:
            serve_and_rate(words)
            continue
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, (step, done.output, done.exception)
        if out is not None:
            out.write_text(done.stdout, encoding="utf-8")


def serve_and_rate(words: list[str]) -> None:
    """The page comes up; then both raters say something about every unit, as the page would store it."""
    server = started(*words, "--port", free_port())
    assert "serving" in server.stderr.readline()
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=LIMIT)
    assert server.returncode in (0, 130)
    with RatingStore(Path(words[2])) as store:
        for number, rater in enumerate(store.raters()):
            said = [
                Judgement(code, question.name, "rated", question.values(unit.labels)[(place + number * (place % 5 == 0)) % len(question.values(unit.labels))], f"{rater.name}-{code}-{question.name}")
                for place, (code, unit) in enumerate(store.sheet.by_code.items())
                for question in store.sheet.scheme.questions
            ]  # fmt: skip
            store.append(rater, said)


def test_the_commands_of_a_run_that_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = TaxStudy.from_mapping(
        {"task": "atlas", "models": ["pocket/s", "pocket/m"], "target": "de", "sample": {"n": 4},
         "answers": {"temperature": 0.0, "max_tokens": 8}, "naturalise": {"rewriter": "pocket/m"}}
    )  # fmt: skip
    run = run_study(study, Path("my runs") / "tax").folder
    before = open_points(checklist([str(run)]))
    assert {
        "audit of ids, options and gold on every side", "E2 rating of cues against the tax of items",
        "rewritten items checked by people", "rewritten items verified by another model", "E1 between groups of models",
        "cells that depend on the parser, by several parsers",
    } <= set(before)  # fmt: skip
    for command in dict.fromkeys(before.values()):
        assert shlex.quote(str(run)) in command and "RUN" not in command and "MODEL" not in command
        assert all(command.split(AND)) and not command.rstrip().endswith("&&")
        if not command.startswith("hesperus tax checklist"):
            carry_out(command)
            continue
        again = checklist(shlex.split(command)[3:])
        assert not {
            item for item, own in before.items() if own == command and again[item]["status"] == "not done"
        }
    after = open_points(checklist([str(run)]))
    for name in ("ratings.csv", "checks.csv"):  # exported before anybody had rated
        file = run / name
        rated = file.read_text()
        file.write_text(rated.splitlines()[0] + "\n")
        assert set(open_points(checklist([str(run)]))) > set(after)
        done = CliRunner().invoke(app, ["measure", "raters", str(file)])
        assert isinstance(done.exception, DataError) and "there is no rating" in str(done.exception)
        file.write_text(rated)
    # What asks further models or names groups makes another audit, or another call; everything else is done here.
    assert set(after) <= {
        item
        for item, command in before.items()
        if command.startswith(("hesperus tax checklist", "hesperus run"))
    }


def test_the_commands_of_records_of_another_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = simulated_benchmark(Planted(items=40, native=10, tax={"english": 0.3}, seed=2))
    asked = made.records.filter(pl.col("task") == "simulated")
    asked.select("model", "task", "item", "instruction", "input", "answer", "gold").write_csv("answers.csv")
    before = open_points(checklist(["answers.csv"]))
    assert {"E1 between groups of models", "strata fixed before rewriting, with a fingerprint"} <= set(before)
    for command in dict.fromkeys(before.values()):
        *others, last = command.split(AND)
        carry_out(" && ".join(others))
        again = checklist(shlex.split(last)[3:])
        assert not {
            item for item, own in before.items() if own == command and again[item]["status"] == "not done"
        }


def test_agreement_is_that_of_each_question_on_its_own_scale(tmp_path: Path) -> None:
    """Two questions that are answered at different heights agree by chance only; a graded one is no name."""
    made = simulated_benchmark(Planted(items=40, native=10, tax={"english": 0.3}, seed=2))
    made.write(tmp_path / "run")
    rows = []
    for place in range(30):
        for number, rater in enumerate("xy"):
            graded = 1 + (place + number * (place % 3 == 0)) % 5
            low, high = 1 + (place * 7 + number * 3) % 2, 4 + (place * 5 + number) % 2
            for question, rating in (
                ("semantic", graded),
                ("difficulty", low),
                ("excess", high),
                ("key", "pass"),
                ("order", "pass"),
            ):
                rows.append(
                    {"unit": f"t{place:05}", "rater": rater, "question": question, "rating": str(rating)}
                )
    pl.DataFrame(rows).write_csv(tmp_path / "checks.csv")
    found = checklist([str(tmp_path / "run"), "--checks", str(tmp_path / "checks.csv")])
    line = found["agreement on checks of rewritten items"]
    parts = {part.split(" (")[0]: part for part in line["finding"].split("; ")}
    table = [
        [int(r["rating"]) for r in rows if (r["question"], r["rater"]) == ("semantic", who)] for who in "xy"
    ]
    expected = krippendorff_alpha(table, "ordinal").value
    assert expected is not None and expected > 0.5
    assert f"semantic (ordinal): α {expected:.3f}" in parts["semantic"]
    for question in ("difficulty", "excess"):
        value = float(parts[question].split("α ")[1].split(" ")[0].rstrip(",").replace("−", "-"))
        assert value < 0.3
    assert parts["key"].startswith("key (nominal)") and line["status"] == "done, with a warning"


def test_where_every_model_is_often_unreadable_none_is_said_to_be_robust(tmp_path: Path) -> None:
    rows = [
        {"model": "m/a", "task": "t", "item": f"q{item}", "instruction": code[:2], "input": code, "repeat": repeat,
         "outcome": "answered" if item % 2 else "invalid", "answer": "A" if item % 2 else None, "gold": "A",
         "options": ["A", "B"]}
        for code in ("de", "en", "en_from_de")
        for repeat in (1, 2)
        for item in range(20)
    ]  # fmt: skip
    (tmp_path / "records.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = checklist([str(tmp_path / "records.jsonl")])
    line = found["E1 with and without parser-sensitive models"]
    assert line["status"] == "done, with a warning" and line["finding"].startswith(
        "every model has too few valid answers"
    )
    cells = found["cells with too few valid answers"]["finding"].split("; ")
    assert [cell.partition(": ")[0] for cell in cells] == [
        f"m/a, t, {code}, repeat {repeat}" for code in ("de", "en", "en_from_de") for repeat in (1, 2)
    ]
