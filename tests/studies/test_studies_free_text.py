"""Free text from the task file to the measure: gold and replies under one spelling, in every language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.records import read_run
from hesperus.studies.asked.keeping import StudyRun
from hesperus.studies.asked.stages import run_study
from hesperus.studies.reread.parsers import read_replies
from hesperus.studies.reread.rereading import reread
from hesperus.studies.similarity.similarity_study import SimilarityStudy
from hesperus.tasks import items_frame, items_from_frame, load_items, task
from loopback_endpoint import Action, Say, serving, user_text

TASK = """
name: capitals
description: Where is the government?
form: text
fields: [country]
layout: "{prefix} {country} {suffix}"
instructions:
  en: {prefix: What is the capital of, suffix: Answer with a name.}
  de: {prefix: Was ist die Hauptstadt von, suffix: Antworte mit einem Namen.}
source: {obtain: made by the test}
columns:
  fields: {country: country}
  gold: capital
  aliases: also
gold:
  read: text
key: {columns: [id]}
"""
# Country in both languages, capital in both, aliases in both; replies in both.
WORLD: list[tuple[str, tuple[str, str], tuple[Any, Any], tuple[Any, Any], tuple[str, str]]] = [
    ("it", ("Italy", "Italien"), ("Rome", "Rom"), (None, None), ("rome.", '"Rom"')),
    ("fr", ("France", "Frankreich"), ("Paris", "Paris"), (None, None), ("The answer is Paris.", "**PARIS**")),
    ("in", ("India", "Indien"), ("New Delhi", "Neu-Delhi"), (["New-Delhi"], ["Delhi"]), ("NEW DELHI", "delhi")),
    ("pl", ("Poland", "Polen"), (["Warsaw", "Warszawa"], "Warschau"), (None, None), ("Warszawa", "warschau!")),
    ("at", ("Austria", "Österreich"), ("Vienna", "Wien"), (None, None), ("Graz", "Graz.")),
    ("pt", ("Portugal", "Portugal"), ("Lisbon", "Lissabon"), (None, None), ("Porto", "Coimbra")),
    ("gr", ("Greece", "Griechenland"), ("Athens", None), (None, None), ("Athens", "Athen")),
]  # fmt: skip


def write_world(folder: Path) -> Path:
    for place, tag in enumerate(("en", "de")):
        rows = [
            {"id": key, "country": names[place], "capital": golds[place], "also": also[place]}
            for key, names, golds, also, _ in WORLD
        ]
        (folder / f"{tag}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    path = folder / "capitals.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


def answer(body: dict[str, Any], count: int) -> Action:
    text = user_text(body)
    for _, names, _, _, replies in WORLD:
        for place, opening in enumerate(("What is the capital of", "Was ist die Hauptstadt von")):
            if text.startswith(f"{opening} {names[place]} "):
                return Say(replies[place])
    raise AssertionError(text)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    folder = tmp_path_factory.mktemp("capitals")
    path = write_world(folder)
    with serving(answer) as endpoint:
        study = SimilarityStudy.from_mapping(
            {"task": str(path), "data": str(folder / "{language}.jsonl"), "models": "http/tide", "languages": ["de", "en"],
             "scoring": "generate", "base_url": endpoint.url, "comparison": {"permutations": 9}}
        )  # fmt: skip
        done = run_study(study, folder / "run")
    done.raise_if_incomplete()
    return done


def test_no_item_is_lost_because_its_gold_is_spelt_otherwise(tmp_path: Path) -> None:
    path = write_world(tmp_path)
    items = load_items(str(path), ["de", "en"], source=str(tmp_path / "{language}.jsonl"))
    assert items.coverage == {"kept": len(WORLD)}
    assert any(note.startswith("5 of 7 items spell their gold differently") for note in items.notes)
    assert any(note.startswith("1 item without gold") for note in items.notes)
    german = {item.id: item for item in items["de"]}
    assert german["pl"].gold == "Warsaw" and german["pl"].accepted == {"Warsaw": ("Warschau",)}
    assert german["in"].accepted == {"New Delhi": ("Neu-Delhi", "Delhi")}
    assert german["gr"].gold is None
    assert items_from_frame(items_frame(items), task="capitals").by_language == items.by_language
    shared = TASK.replace("read: text", "read: text\n  across: shared")
    path.write_text(shared, encoding="utf-8")
    assert load_items(str(path), ["de", "en"], source=str(tmp_path / "{language}.jsonl")).coverage == {
        "kept": 1, "gold differs": 5, "gold missing": 1,
    }  # fmt: skip


def test_replies_and_gold_are_one_word_in_every_language(run: StudyRun) -> None:
    told = {(row["item"], row["input"]): row for row in run.records.iter_rows(named=True)}
    for key, label in (("it", "Rome"), ("fr", "Paris"), ("in", "New Delhi"), ("pl", "Warsaw")):
        for tag in ("en", "de"):
            assert (told[key, tag]["answer"], told[key, tag]["gold"]) == (label, label)
    assert told["at", "en"]["answer"] == told["at", "de"]["answer"] == "graz"
    assert told["pt", "en"]["answer"] != told["pt", "de"]["answer"]
    assert told["gr", "de"]["gold"] is None and told["gr", "en"]["answer"] == told["gr", "en"]["gold"]


def test_accuracy_and_agreement_rest_on_the_same_spelling(run: StudyRun) -> None:
    def measured(what: str) -> list[dict[str, Any]]:
        result = CliRunner().invoke(app, ["measure", what, str(run.folder), "--format", "json"])
        assert result.exit_code == 0, result.output
        return list(json.loads(result.stdout)["rows"])

    accuracy = {row["input"]: (row["value"], row["n"]) for row in measured("accuracy")}
    assert accuracy == {"en": (pytest.approx(5 / 7), 7), "de": (pytest.approx(4 / 6), 6)}
    same = next(row for row in measured("consistency") if row["statistic"] == "consistency")
    assert (same["value"], same["n"]) == (pytest.approx(5 / 7), 7)


def test_reading_the_replies_again_finds_the_same(run: StudyRun) -> None:
    held = read_run(run.folder)
    described = task(str(run.folder / str(held.study["task"])))
    again, counts = reread(read_replies(run.folder), items=held.items, described=described)
    assert sum(counts.changed.values()) == 0
    assert again["answer"].to_list() == held.records["answer"].to_list()


def test_the_atlas_accepts_each_languages_name() -> None:
    items = load_items("atlas-open", ["en", "de", "th"])
    assert len(items.ids) == 160
    for item in items["de"]:
        assert item.gold in item.accepted and len(item.accepted) == len(item.options or ()) == 4
        assert item.accepted[item.gold][0] in (item.options or ())


@pytest.mark.parametrize(("cell", "accepted"), [('["12", "12.0", 13]', ("12", "13")), ("7", ("7",))])
def test_numbers_have_several_right_answers(cell: str, accepted: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "sums.yaml"
    text = (
        TASK.replace("form: text", "form: number")
        .replace("  aliases: also\n", "")
        .replace("read: text", "read: number")
    )
    path.write_text(text, encoding="utf-8")
    pl.DataFrame({"id": ["a"], "country": ["x"], "capital": [cell]}).write_csv(tmp_path / "en.csv")
    item = load_items(str(path), ["en"], source=str(tmp_path / "en.csv"))["en"][0]
    assert item.gold == accepted[0] and item.accepted == {accepted[0]: accepted}
