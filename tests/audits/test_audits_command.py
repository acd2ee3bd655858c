"""`hesperus audit`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from hesperus.audits import read_exclusions
from hesperus.cli.audit import command
from hesperus.errors import UnknownNameError, UsageError

app = typer.Typer()
app.command()(command)


def run(*arguments: str | Path, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def write(path: Path, tag: str, *changed: tuple[int, str, object]) -> Path:
    rows = [
        {"id": f"q{n}", "question": f"{tag} {n} [red]?", "options": [f"{tag} a", f"{tag} b"], "gold": "A"}
        for n in range(3)
    ]
    for place, name, value in changed:
        rows[place][name] = value  # type: ignore[assignment]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_clean_task_passes() -> None:
    done = run("atlas", "--language", "en", "--language", "sw", "--format", "json")
    document = json.loads(done.stdout)
    assert (document["measure"], document["rows"]) == ("audit", [])
    assert document["signature"]["languages"] == ["en", "sw"]
    assert document["signature"]["audited"] == "atlas"
    shown = run("atlas", "--language", "en", "--language", "sw").stdout
    assert shown.startswith("atlas: no findings in 200 items in 2 languages\n")


def test_findings_the_list_and_the_exit_code(tmp_path: Path) -> None:
    english = write(tmp_path / "en.jsonl", "en")
    german = write(
        tmp_path / "de.jsonl", "de", (1, "gold", "B"), (2, "options", ["de a", "de\x1b[2Ja &amp;"])
    )
    done = run(english, german, "--format", "json", "--out", tmp_path / "x.csv", code=1)
    document = json.loads(done.stdout)
    assert [(row["kind"], row["severity"], row["item"], row["languages"]) for row in document["rows"]] == [
        ("gold_differs", "exclude", "q1", ["de"]),
        ("damaged", "review", "q2", ["de"]),
    ]
    assert document["signature"]["found"] == {"gold_differs.exclude": 1, "damaged.review": 1}
    assert "x.csv: 1 of 3 items" in done.stderr
    assert read_exclusions(tmp_path / "x.csv") == {"q1": "gold differs in de"}
    run(english, german, "--strict", "--out", tmp_path / "y.csv", code=1)
    assert read_exclusions(tmp_path / "y.csv") == {"q1": "gold differs in de", "q2": "damaged: de"}
    rows = list(csv.DictReader(io.StringIO(run(english, german, "--format", "csv", code=1).stdout)))
    assert [row["kind"] for row in rows] == ["gold_differs", "damaged"]


def test_what_each_kind_was_found_is_no_constant_of_the_table(tmp_path: Path) -> None:
    english = write(tmp_path / "en.jsonl", "en")
    german = write(
        tmp_path / "de.jsonl",
        "de",
        (0, "gold", "C"),
        (1, "options", ["de a", "de a"]),
        (2, "options", ["de a"]),
    )
    shown = run(english, german, code=1).stdout.splitlines()
    head = next(line for line in shown if line.startswith("Kind"))
    assert head.split()[:3] == ["Kind", "Findings", "Items"] and not any(
        "Items 1 " in line for line in shown[:3]
    )


def test_review_alone_fails_only_when_strict(tmp_path: Path) -> None:
    english = write(tmp_path / "en.jsonl", "en")
    german = write(tmp_path / "de.jsonl", "de", (2, "options", ["de a", "de &amp;"]))
    run(english, german)
    run(english, german, "--strict", code=1)


def test_hostile_text_is_shown_as_what_it_is(tmp_path: Path) -> None:
    english = write(tmp_path / "en.jsonl", "en")
    german = write(tmp_path / "de.jsonl", "de", (0, "question", "\x1b[31mTODO\u202e[bold]: x\ufffd"))
    done = run(english, german, "--show", "0", code=1)
    assert "damaged" in done.stdout and "\x1b" not in done.stdout and "\u202e" not in done.stdout
    assert "one language" not in done.stderr and "too few to learn the small words of en, de" in done.stderr


def test_few_findings_of_each_kind_are_shown_to_people(tmp_path: Path) -> None:
    english = write(tmp_path / "en.jsonl", "en")
    german = write(tmp_path / "de.jsonl", "de", *((n, "gold", "B") for n in range(3)))
    shown = run(english, german, "--show", "1", code=1).stdout
    assert "q0" in shown and "q1" not in shown
    assert "gold differs between languages" in shown
    assert "q2" in run(english, german, "--show", "0", code=1).stdout


def test_bad_use_is_explained(tmp_path: Path) -> None:
    english = write(tmp_path / "en.jsonl", "en")
    with pytest.raises(UnknownNameError, match="unknown task: 'atlass'; did you mean 'atlas'"):
        run("atlass")
    with pytest.raises(UsageError, match="one task at a time: 'atlas' and 'xnli' were given"):
        run("atlas", "xnli")
    with pytest.raises(UsageError, match="--map is for files that no task describes"):
        run("atlas", "--map", "id=item")
    with pytest.raises(UsageError, match="--data names the data of a task"):
        run(english, "--data", english)
    with pytest.raises(UsageError, match="--map .id.: write COLUMN=ROLE"):
        run(english, "--map", "id")
    assert (
        run(english, "--map", "id=item")
        .stdout.splitlines()[0]
        .endswith("no findings in 3 items in 1 language")
    )


def test_no_findings_are_said_in_words() -> None:
    found, _, guessed = run("atlas", "--language", "en", "--language", "sw").stdout.partition("\n\n")
    assert found == "atlas: no findings in 200 items in 2 languages" and guessed.startswith(
        "answers without knowledge"
    )
