"""Whole studies of open answers: planted losses are found, every stage can be killed, nothing is asked twice."""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from open_world import FACTS, PRECISION, RECALL, kind_of, world, write_task

import hesperus as hs
from command_line import hesperus
from hesperus.analysis.open_answers.open_tables import run_table
from hesperus.analysis.table import Table
from hesperus.errors import DataError, ModelError, UnknownNameError, UsageError
from hesperus.languages import language, languages
from hesperus.models.pocket import beliefs
from hesperus.records import read_run, write_run
from hesperus.studies.asked.keeping import StudyRun
from hesperus.studies.asked.stages import default_folder, plan_study, run_study
from hesperus.studies.translate_then_evaluate.open_study import OpenAnswersStudy
from loopback_endpoint import Action, Say, Send, serving
from own_process import started
from waiting import until

ITEMS = 6


def study(folder: Path, url: str = "http://127.0.0.1:9/v1", /, **more: Any) -> OpenAnswersStudy:
    task = folder / "rivers.yaml"
    if not task.exists():
        write_task(folder, ITEMS)
    values = {
        "task": str(task), "data": str(task.with_suffix(".jsonl")), "models": ["http/m"], "languages": ["de"],
        "translator": "http/t", "judge": "http/j", "base_url": url,
    }  # fmt: skip
    return OpenAnswersStudy.from_mapping({**values, **more})


def study_table(run: StudyRun, name: str) -> Table:
    return run_table(run.folder, name, run.run.study)


def numbers(rows: Any) -> dict[tuple[str, str], Any]:
    return {(row["language"], row["statistic"]): row for row in rows}


def test_a_study_finds_what_the_other_language_leaves_out(tmp_path: Path) -> None:
    with serving(world) as endpoint:
        run = run_study(study(tmp_path, endpoint.url), tmp_path / "run")
    run.raise_if_incomplete()
    assert run.records.select("instruction", "input").unique().sort("input").rows() == [
        ("de_from_en@http/t", "de_from_en@http/t"), ("en", "en"),
    ]  # fmt: skip
    # Words spelt backwards are no German, which is seen and counted; the texts are compared all the same.
    outcomes = run.records.group_by("input").agg(pl.col("outcome").unique().sort())
    assert dict(outcomes.iter_rows())["en"] == ["answered"]
    assert set(run.records["outcome"]) == {"answered", "wrong_language"}
    found = numbers(study_table(run, "scores").rows)
    for name, truth in (("precision", PRECISION), ("recall", RECALL)):
        row = found["de", name]
        assert (row["value"], row["ceiling"], row["n"]) == (pytest.approx(truth), 1.0, ITEMS), name
        assert row["relative"] == pytest.approx(truth)
    checks = numbers(study_table(run, "prompts").rows)
    assert checks["de", "bleu"]["value"] == pytest.approx(100) and checks["de", "chrf"][
        "value"
    ] == pytest.approx(100)
    assert max(Counter(endpoint.asked).values()) == 1
    home = run.folder / "evaluations" / "information"
    claims = pl.read_parquet(home / "details.parquet")
    assert claims.filter(side_by_side="ceiling", verdict="supported").height == 2 * FACTS * ITEMS
    assert set(read_run(run.folder).items["input"].unique()) == {"en", "de_from_en@http/t"}  # type: ignore[index]


def test_records_that_were_changed_have_no_stored_scores(tmp_path: Path) -> None:
    with serving(world) as endpoint:
        run = run_study(study(tmp_path, endpoint.url), tmp_path / "run")
    again = read_run(run.folder)
    write_run(again, run.folder)
    table = study_table(run, "scores")
    bundled = hs.bundle(run.folder, tmp_path / "run.zip", texts="hash")
    assert hs.verify(bundled.path).passed
    other = pl.when(pl.col("input") != "en").then(pl.lit("Nein.")).otherwise(pl.col("reply"))
    first = pl.col("item") == again.records["item"][0]
    refused = {
        "outcome": pl.when(first).then(pl.lit("refused")).otherwise(pl.col("outcome")),
        "answer": pl.when(~first).then(pl.col("answer")),
    }
    for records in (
        again.records.with_columns(reply=other),
        again.records.with_columns(**refused),
        again.records.head(3),
    ):
        write_run(replace(again, records=records), run.folder)
        for use in (
            lambda: study_table(run, "scores"),
            lambda: hs.report(run.folder, tmp_path / "page.html"),
        ):
            with pytest.raises(DataError, match="changed since.*run the study again"):
                use()
    write_run(replace(again, records=again.records.reverse()), run.folder)
    assert study_table(run, "scores").rows == table.rows


def test_every_stage_can_be_killed_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    """SIGKILL while prompts and answers are translated, while models answer, and while the judge judges."""
    whole = tmp_path / "whole"
    whole.mkdir()
    with serving(world) as endpoint:
        expected = run_study(study(whole, endpoint.url), whole / "run")
        total = len(endpoint.asked)

    def slowly(body: dict[str, Any], count: int) -> Action:
        said = world(body, count)
        assert isinstance(said, Say)
        return Say(said.text, seconds=0.04)

    interrupted: list[str] = []
    with serving(slowly) as endpoint:
        kept = study(tmp_path, endpoint.url, concurrency=2)
        file = tmp_path / "study.yaml"
        file.write_text(yaml.safe_dump(kept.model_dump(mode="json")), encoding="utf-8")
        words, plain = ("run", file, "--out", tmp_path / "run", "-q"), {"NO_COLOR": "1"}
        for stage in ("translate", "answer", "judge"):
            running = started(*words, environment=plain)
            before = sum(kind_of(body) == stage for body in endpoint.bodies)
            until(
                lambda stage=stage, before=before: (
                    sum(kind_of(body) == stage for body in endpoint.bodies) >= before + 4
                ),
                running=running,
            )
            running.send_signal(signal.SIGKILL)
            running.wait()
            interrupted.append(kind_of(endpoint.bodies[-1]))
            assert not (tmp_path / "run" / "signature.json").exists()
        done = hesperus(*words, environment=plain)
        assert done.returncode == 0, done.stderr
        # What was under way when the process was killed may come again: at most both connections, three times.
        assert total <= len(endpoint.asked) <= total + 3 * 2
    assert interrupted == ["translate", "answer", "judge"]
    ours, theirs = (
        pl.read_parquet(at / "run/evaluations/information/pairs.parquet") for at in (tmp_path, whole)
    )
    assert ours.equals(theirs)
    assert read_run(tmp_path / "run").records.equals(read_run(whole / "run").records)
    assert expected.faults == ()


def test_a_second_run_asks_and_translates_nothing_and_writes_the_same(tmp_path: Path) -> None:
    with serving(world) as endpoint:
        first = run_study(study(tmp_path, endpoint.url), tmp_path / "run")
        asked = len(endpoint.asked)
        again = run_study(
            OpenAnswersStudy.read(first.folder / "study.yaml"),
            tmp_path / "again",
            store=tmp_path / "replies.sqlite",
        )
        assert len(endpoint.asked) == asked
        judged = study(tmp_path, endpoint.url, judge="embedded")
        run_study(judged, tmp_path / "other", store=tmp_path / "replies.sqlite")
        assert len(endpoint.asked) == asked
    for file in sorted(path.relative_to(first.folder) for path in first.folder.rglob("*") if path.is_file()):
        assert (again.folder / file).read_bytes() == (first.folder / file).read_bytes(), file


def test_a_judge_that_returns_prose_is_counted_and_the_rest_stands(tmp_path: Path) -> None:
    def prosaic(body: dict[str, Any], count: int) -> Action:
        if kind_of(body) == "judge" and "river 3" in str(body):
            return Say("Well, I think that this is a fine text about a river.")
        return world(body, count)

    with serving(prosaic) as endpoint:
        run = run_study(study(tmp_path, endpoint.url, control=False), tmp_path / "run")
    row = numbers(study_table(run, "scores").rows)["de", "precision"]
    assert (row["n"], row["excluded"]) == (ITEMS - 1, 1) and "1 not readable" in row["reason"]
    assert row["value"] == pytest.approx(PRECISION) and row["ceiling"] is None


def test_a_translator_that_fails_stops_the_run_and_the_next_goes_on(tmp_path: Path) -> None:
    broken = [True]

    def failing(body: dict[str, Any], count: int) -> Action:
        if kind_of(body) == "translate" and broken[0] and "150" not in str(body) and "Boats" not in str(body):
            return (
                Send({"error": {"message": "no such model"}}, status=404)
                if "htgnel" in str(body)
                else world(body, count)
            )
        return world(body, count)

    with serving(failing) as endpoint:
        with pytest.raises(ModelError):
            run_study(study(tmp_path, endpoint.url), tmp_path / "run")
        answered = Counter(kind_of(body) for body in endpoint.bodies)["answer"]
        broken[0] = False
        run_study(study(tmp_path, endpoint.url), tmp_path / "run").raise_if_incomplete()
        assert Counter(kind_of(body) for body in endpoint.bodies)["answer"] == answered == 2 * ITEMS


def test_a_plan_counts_every_stage_as_a_range_that_holds_what_is_asked(tmp_path: Path) -> None:
    made = study(tmp_path, answers={"max_tokens": 200})
    rows = plan_study(made).rows
    assert {(row["model"], row["stage"]) for row in rows} == {
        ("http/t", "translate"), ("http/m", "answer"), ("http/j", "judge"), ("http/t", "total"), ("http/m", "total"),
        ("http/j", "total"),
    }  # fmt: skip
    totals = {row["model"]: (row["requests_low"], row["requests"]) for row in rows if row["stage"] == "total"}
    with serving(world) as endpoint:
        run_study(study(tmp_path, endpoint.url, answers={"max_tokens": 200}), tmp_path / "run")
        sent = Counter(f"http/{body['model']}" for body in endpoint.bodies)
    for model, (low, high) in totals.items():
        assert low <= sent[model] * 2 and sent[model] <= high, (model, low, sent[model], high)
    assert totals["http/m"] == (2 * ITEMS, 2 * ITEMS) and sent["http/m"] == 2 * ITEMS


def test_thirty_languages_are_planned() -> None:
    tags = tuple(tag for tag in languages() if language(tag).paper_family)
    made = OpenAnswersStudy.from_mapping(
        {"task": "information-prompts", "models": ["http/a", "http/b"], "languages": tags, "translator": "http/t",
         "judge": "http/j", "sample": {"n": 150}, "base_url": "http://127.0.0.1:9/v1"}
    )  # fmt: skip
    rows = plan_study(made).rows
    answers = [row for row in rows if row["stage"] == "answer"]
    assert (
        len(tags) == 30
        and len(answers) == 2 * 31
        and sum(int(str(row["requests"])) for row in answers) == 2 * 31 * 150
    )


@pytest.mark.parametrize(
    ("more", "error", "said"),
    [
        ({"languages": ["de", "en"]}, DataError, "en is the reference"),
        ({"languages": ["nowhere-land"]}, UnknownNameError, "nowhere-land"),
        ({"trained_on": {"http/x": "de"}}, DataError, "http/x"),
        ({"trained_on": ["http/m"]}, DataError, "NAME=VALUE"),
        ({"evalute": "information"}, UnknownNameError, "did you mean 'evaluate'"),
        ({"translator": None}, DataError, "translator"),
    ],
)
def test_faults_of_a_study_are_named(
    more: dict[str, Any], error: type[Exception], said: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=said):
        study(tmp_path, **more)


def test_what_cannot_be_done_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with serving(world) as endpoint:
        for more, said in (
            ({"evaluate": "empathy"}, "python -m recipes.empathy` in hesperus's source"),
            ({"translator": f"file/{tmp_path / 'none.csv'}"}, "none.csv"),
        ):
            with pytest.raises((UsageError, DataError), match=said):
                run_study(study(tmp_path, endpoint.url, **more), tmp_path / "run")
        assert endpoint.asked == []


def test_flags_and_files_declare_the_same_languages_of_training(tmp_path: Path) -> None:
    by_flag = study(tmp_path, trained_on=["http/m=deu,fr"])
    assert (
        by_flag.trained_on
        == {"http/m": ("de", "fr")}
        == study(tmp_path, trained_on={"http/m": ["de", "fr"]}).trained_on
    )
    assert default_folder(by_flag).name.startswith("open-rivers-")


def test_the_planted_loss_of_information_is_found_with_its_coverage(tmp_path: Path) -> None:
    """Pocket models describe countries and translate within their world; what they believe in each language is known."""
    tags = ("de", "hi", "sw")
    made = OpenAnswersStudy.from_mapping(
        {"task": "atlas-describe", "models": ["pocket/l"], "languages": tags, "translator": "pocket/l",
         "answers": {"temperature": 0, "max_tokens": 128}, "sample": {"n": 12}, "bootstrap": {"resamples": 200}}
    )  # fmt: skip
    run = run_study(made, tmp_path / "run")
    run.raise_if_incomplete()
    found = numbers(study_table(run, "scores").rows)
    believed = beliefs()["l"]
    countries = {item.removeprefix("describe/") for item in run.records["item"].unique()}
    values = []
    for tag in tags:
        same = [
            believed["en"][fact] == believed[tag][fact]
            for fact in believed["en"]
            if fact.split("/")[1] in countries
        ]
        planted = sum(same) / len(same)
        for name in ("precision", "recall", "f_of_means"):
            row = found[tag, name]
            assert row["value"] == pytest.approx(planted, abs=0.02), (tag, name)
            assert row["low"] - 0.01 <= planted <= row["high"] + 0.01
            assert row["ceiling"] >= 0.97 and row["n"] == len(countries)
        values.append(found[tag, "f_of_means"]["value"])
    assert values == sorted(values, reverse=True) and values[0] - values[-1] > 0.3
