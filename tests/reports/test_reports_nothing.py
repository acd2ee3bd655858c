"""A run in which nothing was answered ends with that sentence, whatever is asked of it; few items give no undefined number."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from hesperus.cli.app import app
from hesperus.errors import HesperusError
from hesperus.records import Run, conform, write_run
from hesperus.types import OUTCOMES

SILENT = ("truncated", "empty", "blocked", "refused", "invalid", "error")
_NUMBERS_THAT_ARE_NONE = re.compile(r"\b(nan|inf|NaN|None)\b")


def call(*arguments: object) -> Result:
    """A command; a refusal that says what is wrong is fine, a defect is not."""
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    if not isinstance(done.exception, SystemExit | HesperusError | None):
        raise done.exception
    assert done.exit_code != 70, done.stderr
    assert not _NUMBERS_THAT_ARE_NONE.search(done.stdout), arguments
    return done


def answers(
    items: int, outcomes: tuple[str, ...], senses: tuple[str, ...], *, task: str = "quiz"
) -> pl.DataFrame:
    """Two models; outcomes take turns over items and senses."""
    rows = []
    for model in ("m1", "m2"):
        for place, sense in enumerate(senses):
            for item in range(items):
                outcome = outcomes[(item + place) % len(outcomes)]
                rows.append(
                    {"model": model, "task": task, "item": f"{task}{item}", "instruction": sense, "input": sense, "repeat": 1,
                     "outcome": outcome, "answer": "AB"[(item + place) % 2] if outcome == "answered" else None, "gold": "A",
                     "options": ["A", "B", "C", "D"], "reply": None if outcome in ("error", "empty") else "A"}
                )  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"answer": pl.String, "reply": pl.String})


def saved(folder: Path, frame: pl.DataFrame, study: str) -> Path:
    write_run(Run(conform(frame), study={"study": study, "task": "quiz"}), folder)
    return folder


def audit(folder: Path, items: int, outcomes: tuple[str, ...]) -> Path:
    senses = ("en", "zh", "en_from_zh", "zh~natural")
    native = answers(items, outcomes, ("zh",), task="local")
    return saved(folder, pl.concat([answers(items, outcomes, senses), native]), "import")


def replies(file: Path, items: int, outcomes: tuple[str, ...]) -> Path:
    frame = answers(items, outcomes, ("en", "de", "sw")).drop("answer", "gold", "options")
    said = (
        pl.when(pl.col("reply").is_null())
        .then(None)
        .otherwise(pl.lit("Bells ring 3 times. Boats carry 4 boxes."))
    )
    frame.with_columns(reply=said).write_parquet(file)
    return file


def says_so(*command: object) -> None:
    done = call(*command, "--resamples", 20)
    assert "nothing was answered: of " in done.stderr, command
    assert not re.search(r"\d\.\d", done.stdout), f"no number stands in its place: {command}"


@pytest.mark.parametrize("lost", SILENT)
def test_whatever_became_of_the_replies_the_sentence_is_there(tmp_path: Path, lost: str) -> None:
    """Of labels, of an audit and of open answers, which look at outcomes each in their own way."""
    labels = saved(tmp_path / "labels", answers(3, (lost,), ("en", "de")), "multisense")
    texts = replies(tmp_path / "texts.parquet", 3, (lost,))
    says_so("measure", "consistency", labels)
    says_so("measure", "back_translation", audit(tmp_path / "audit", 3, (lost,)), "--task", "quiz")
    says_so("evaluate", "information", texts, "--reference", "en", "--translator", "none")


@pytest.mark.parametrize("lost", ["invalid", "error"])
def test_every_command_ends_with_the_sentence(tmp_path: Path, lost: str) -> None:
    labels = saved(tmp_path / "labels", answers(3, (lost,), ("en", "de")), "multisense")
    audited = audit(tmp_path / "audit", 3, (lost,))
    says_so("compare", labels, labels)
    says_so("measure", "native_control", audited, "--native-task", "local", "--translated", "zh")
    says_so("measure", "bounds", audited, "--task", "quiz")
    out = tmp_path / "page.html"
    for command in (("report", labels), ("report", audited, "--task", "quiz")):
        assert call(*command, "--out", out, "--resamples", 20).exit_code == 0
        assert "Nothing was answered" in out.read_text(encoding="utf-8"), command


def test_a_comparison_with_a_model_that_answers_nothing_says_so(tmp_path: Path) -> None:
    made = (
        (answers(3, (lost,), ("en", "de")), model)
        for lost, model in (("answered", "m/good"), ("error", "m/silent"))
    )
    both = pl.concat(
        [frame.filter(pl.col("model") == "m1").with_columns(model=pl.lit(name)) for frame, name in made]
    )
    run = saved(tmp_path / "both", both, "multisense")
    named = ("--model-a", "m/silent", "--model-b", "m/good")
    told = call("compare", run, run, "accuracy", *named, "--resamples", 20)
    assert told.exit_code == 0 and told.stdout == ""
    assert "side a (m/silent): nothing was answered" in told.stderr and "side b (" not in told.stderr
    assert "no difference could be measured: " in told.stderr and "without a reply (error)" in told.stderr


def test_a_comparison_names_the_side_that_answers_nothing(tmp_path: Path) -> None:
    good = saved(tmp_path / "good", answers(3, ("answered",), ("en", "de")), "multisense")
    bad = saved(tmp_path / "bad", answers(3, ("blocked",), ("en", "de")), "multisense")
    told = call("compare", good, bad, "accuracy", "--resamples", 20)
    assert "side b: nothing was answered" in told.stderr and "side a:" not in told.stderr
    rows = json.loads(call("compare", good, bad, "accuracy", "--resamples", 20, "--format", "json").stdout)[
        "rows"
    ]
    assert {row["value"] for row in rows} == {None} and {row["answered_b"] for row in rows} == {0.0}


FEW = [
    (1, ("error",)),
    (1, ("answered",)),
    (2, ("answered", "error")),
    (5, tuple(OUTCOMES)),
]
"""How many items, and what becomes of them in turn."""


@pytest.mark.parametrize(("items", "outcomes"), FEW)
def test_a_few_items_give_no_undefined_number(tmp_path: Path, items: int, outcomes: tuple[str, ...]) -> None:
    labels = saved(tmp_path / "labels", answers(items, outcomes, ("en", "de", "de_from_en")), "multisense")
    alike = saved(tmp_path / "alike", answers(items, outcomes, ("en", "de", "sw")), "similarity")
    audited = audit(tmp_path / "audit", items, outcomes)
    texts = replies(tmp_path / "texts.parquet", items, outcomes)
    for what in (
        "summary",
        "accuracy",
        "agreement",
        "consistency",
        "decomposition",
        "directions",
        "labels",
        "outcomes",
        "all_languages",
    ):
        call("measure", what, labels, "--resamples", 20)
    for what in ("similarity", "means", "contrasts", "scoring"):
        call("measure", what, alike, "--resamples", 20)
    call(
        "check",
        labels,
        "--require",
        "consistency >= 0.5",
        "--require",
        "accuracy.low >= 0.1",
        "--resamples",
        20,
    )
    for what in ("back_translation", "validity", "bounds", "checklist"):
        call("tax", what, audited, "--task", "quiz", "--resamples", 20)
    call(
        "measure",
        "native_control",
        audited,
        "--native-task",
        "local",
        "--translated",
        "zh",
        "--resamples",
        20,
    )
    for what in ("information", "refusal"):
        call("evaluate", what, texts, "--reference", "en", "--translator", "none", "--resamples", 20)
