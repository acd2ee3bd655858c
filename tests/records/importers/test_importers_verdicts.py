"""Gold that is text keeps its place, and what the tool says of an answer stands beside what we say."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from log_makers import mmlu_rows, write_lm_eval

from hesperus.records.importers import Imported, ImportSettings, import_logs

GOLDS = {"en": ["Rome", "Vienna", "Warsaw"], "de": ["Rom", "Wien", "Warschau"]}


def _eval(folder: Path, language: str, answers: list[str], values: list[Any], targets: list[Any]) -> None:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{language}.eval", "w") as file:
        header = {"task": "capitals", "model": "org/m", "task_args": {"language": language}}
        file.writestr("header.json", json.dumps({"status": "success", "eval": header}))
        for number, (answer, value, target) in enumerate(zip(answers, values, targets, strict=True)):
            score = {"match": {"value": value, "answer": answer}}
            output = {"choices": [{"message": {"content": answer}, "stop_reason": "stop"}]}
            sample = {"id": f"c{number}", "epoch": 1, "target": target, "output": output, "scores": score}
            file.writestr(f"samples/c{number}_epoch_1.json", json.dumps(sample))


def _columns(imported: Imported, language: str, *names: str) -> list[list[Any]]:
    rows = imported.records.filter(input=language).sort("item")
    return [rows[name].to_list() for name in names]


def test_text_targets_are_one_label_in_every_language(tmp_path: Path) -> None:
    _eval(tmp_path, "en", ["rome.", "Berlin", "warsaw"], ["C", "I", "C"], GOLDS["en"])
    _eval(tmp_path, "de", ["Rom", "Es ist Wien", "Krakau"], ["C", "C", "I"], GOLDS["de"])
    imported = import_logs(tmp_path)
    assert not imported.left_out
    english, german = (_columns(imported, tag, "gold", "answer", "verdict") for tag in ("en", "de"))
    assert english == [["Rome", "Vienna", "Warsaw"], ["Rome", "berlin", "Warsaw"], [True, False, True]]
    assert german == [["Rome", "Vienna", "Warsaw"], ["Rome", "Vienna", "krakau"], [True, True, False]]
    assert any("1 answers in other words are right by the tool's verdict" in note for note in imported.notes)


def _tables(folder: Path, rows: dict[str, list[str]], head: str = "id,gold,answer") -> Imported:
    folder.mkdir(exist_ok=True)
    for language, lines in rows.items():
        numbered = [f"q{number},{line}" for number, line in enumerate(lines)]
        (folder / f"t_{language}.csv").write_text("\n".join([head, *numbered]) + "\n", encoding="utf-8")
    return import_logs(folder, ImportSettings(model="m", tool="table"))


def test_a_wrong_answer_is_one_label_too_where_it_is_gold_of_another_item(tmp_path: Path) -> None:
    imported = _tables(
        tmp_path / "capitals",
        {
            "en": ["Rome,Vienna", "Vienna,vienna.", "bank,Oslo", "bench,bank"],
            "de": ["Rom,Wien", "Wien,Rom", "Bank,Oslo", "Bank,Bank"],
        },
    )
    english, german = (_columns(imported, tag, "gold", "answer") for tag in ("en", "de"))
    assert english == [["Rome", "Vienna", "bank", "bench"], ["Vienna", "Vienna", "oslo", "bank"]]
    assert german == [["Rome", "Vienna", "bank", "bench"], ["Vienna", "Rome", "oslo", "bench"]]
    assert any("2 answers are no gold of their language" in note for note in imported.notes)
    other = _tables(
        tmp_path / "x", {"en": ["bank,x", "bench,x", "z,y"], "de": ["Bank,x", "Bank,x", "Z,Bank"]}
    )
    assert _columns(other, "de", "answer")[0][2] == "bank", "words of two labels stay words"


def test_a_label_that_is_a_number_in_one_language_and_a_word_in_another_is_one(tmp_path: Path) -> None:
    imported = _tables(tmp_path, {"en": ["0,0", "1,0", "0,1"], "de": ["zero,zero", "one,zero", "zero,one"]})
    assert _columns(imported, "de", "gold", "answer") == _columns(imported, "en", "gold", "answer")


def test_options_in_the_words_of_a_language_have_the_labels_of_their_places(tmp_path: Path) -> None:
    head = "id,gold,answer,options"
    english = ["yes,yes,yes|no", "no,yes,yes|no", "yes,no,yes|no"]
    imported = _tables(
        tmp_path / "same",
        {"en": english, "de": ["ja,ja,ja|nein", "nein,ja,ja|nein", "ja,nein,ja|nein"]},
        head,
    )
    assert not imported.left_out
    assert _columns(imported, "de", "gold", "answer", "options") == _columns(
        imported, "en", "gold", "answer", "options"
    )
    turned = {"en": english, "de": ["ja,ja,nein|ja", "nein,ja,nein|ja", "ja,nein,nein|ja"]}
    assert [one.reason for one in _tables(tmp_path / "turned", turned, head).left_out] == ["gold differs"]
    shared = {"en": english, "de": ["no,no,no|yes", "yes,yes,no|yes", "no,no,no|yes"]}
    assert [one.reason for one in _tables(tmp_path / "shared", shared, head).left_out] == ["gold differs"]


def test_a_verdict_that_is_another_than_ours_is_said_with_an_example(tmp_path: Path) -> None:
    _eval(tmp_path, "en", ["Rome", "Berlin", "Warsaw"], [0, 0, 1], GOLDS["en"])
    imported = import_logs(tmp_path)
    note = next(note for note in imported.notes if "verdict is another" in note)
    assert "in 1 of 3 rows" in note and "item 'c0': answer 'Rome', gold 'Rome', wrong by the log" in note


def test_several_targets_are_all_right(tmp_path: Path) -> None:
    _eval(
        tmp_path,
        "en",
        ["Roma", "Wien", "x"],
        ["C", "C", "I"],
        [["Rome", "Roma"], ["Vienna", "Wien"], ["Warsaw"]],
    )
    assert _columns(import_logs(tmp_path), "en", "answer") == [["Rome", "Vienna", "x"]]


def test_long_answers_have_no_gold(tmp_path: Path) -> None:
    sentences = [
        f"This is a whole sentence about the city of {city}, with much detail." for city in GOLDS["en"]
    ]
    _eval(tmp_path, "en", sentences, [0.3, 0.2, 0.9], sentences)
    imported = import_logs(tmp_path)
    assert imported.records["gold"].null_count() == 3 and "verdict" not in imported.records.columns


def test_the_accuracy_of_the_harness_stands_beside_ours(tmp_path: Path) -> None:
    rows = mmlu_rows(60)
    rows[7]["acc"] = 1.0 - rows[7]["acc"]
    write_lm_eval(tmp_path, "global_mmlu_full_de", rows)
    imported = import_logs(tmp_path)
    assert imported.records["verdict"].to_list() == [row["acc"] == 1.0 for row in rows]
    assert [note for note in imported.notes if "in 1 of 60 rows" in note and "anatomy/test/7" in note]


def test_generated_text_of_the_harness(tmp_path: Path) -> None:
    for language, golds in GOLDS.items():
        rows = [
            {
                "doc_id": n, "doc": {"id": f"c{n}", "question": "?"}, "target": gold, "arguments": {},
                "resps": [[f" {gold}!"]], "filtered_resps": [f"{gold}!"], "filter": "none", "exact_match": 1.0,
            }
            for n, gold in enumerate(golds)
        ]  # fmt: skip
        config = {"output_type": "generate_until", "dataset_name": language}
        write_lm_eval(tmp_path, f"capitals_{language}", rows, config=config)
    imported = import_logs(tmp_path)
    assert imported.records["answer"].to_list() == imported.records["gold"].to_list() == GOLDS["en"] * 2
    assert imported.records["verdict"].all() and set(imported.records["task"]) == {"capitals"}
