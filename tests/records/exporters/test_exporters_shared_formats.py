"""Croissant metadata and Every Eval Ever: files as they were validated, and records that come back as they went.

The files in golden/ were held to mlcroissant 1.1.1 (`mlcroissant validate`, and its records read) and to every-eval-ever 0.3.0
(its JSON schemas and `validate`), which tests do not install. Whoever changes what is written makes them anew and validates them.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hesperus.errors import DataError, UsageError
from hesperus.records import conform
from hesperus.records.exporters import DatasetCard, EvaluationSource, write_dataset, write_every_eval
from hesperus.records.importers import ImportSettings, import_logs
from hesperus.version import __version__

GOLDEN = Path(__file__).parent / "golden"
SOURCE = EvaluationSource("A lab", "third_party", 1_750_000_000.0)
COLUMNS = ("model", "task", "item", "instruction", "input", "repeat", "outcome", "answer", "gold", "options", "probs", "reply",
           "subject")  # fmt: skip


def records() -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for item, gold in (("q1", "A"), ("q2", "B"), ("q/3 ü", "A")):
        for sense, answer in (("en", "A"), ("sw_from_en", "B"), ("ar", None)):
            rows.append(
                {"model": "my/org/model", "task": "quiz: one", "item": item, "instruction": sense, "input": sense, "repeat": 1,
                 "outcome": "answered" if answer else "refused", "answer": answer, "gold": gold, "options": ["A", "B"],
                 "probs": [0.25, 0.75] if answer == "B" else None, "reply": f"<b>{answer}</b> \u202e لا", "subject": "law",
                 "tokens_in": 7, "tokens_out": 2}
            )  # fmt: skip
    again = [{**row, "repeat": 2, "answer": "B"} for row in rows if row["input"] == "en"]
    lost = [
        {**rows[0], "item": "q4", "outcome": "error", "answer": None, "reply": None},
        {**rows[0], "item": "q5", "gold": None},
    ]
    return conform(pl.DataFrame([*rows, *again, *lost], infer_schema_length=None))


def items() -> pl.DataFrame:
    held = {
        "item": ["q1", "q1"],
        "language": ["en", "ar"],
        "field:question": ["What?", "ماذا؟"],
        "input": ["en", "ar"],
    }
    return pl.DataFrame(held).with_columns(model=pl.lit(None, dtype=pl.String))


def same_as_golden(text: str, name: str) -> None:
    """The text, with the version in the place of a mark."""
    assert text.replace(__version__, "VERSION") == (GOLDEN / name).read_text(encoding="utf-8")


def test_every_eval_ever_is_written_as_it_was_validated(tmp_path: Path) -> None:
    made = write_every_eval(records(), tmp_path, SOURCE, items())
    assert (made.samples, made.left_out) == (12, 2)
    (file,) = made.files
    place = file.relative_to(tmp_path).as_posix()
    assert re.fullmatch(
        "data/quiz_one/my/org_model/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}.json",
        place,
    )
    same_as_golden(file.read_text(encoding="utf-8"), "every_eval.json")
    samples = file.with_name(f"{file.stem}_samples.jsonl").read_text(encoding="utf-8")
    same_as_golden(samples, "every_eval_samples.jsonl")
    said = json.loads(file.read_text(encoding="utf-8"))
    results = {one["evaluation_result_id"]: one["score_details"] for one in said["evaluation_results"]}
    assert len(results) == 4
    assert results["accuracy;instruction=ar;input=ar;repeat=1"]["score"] == 0
    english = results["accuracy;instruction=en;input=en;repeat=1"]
    assert english["score"] == pytest.approx(2 / 3) and english["uncertainty"]["num_samples"] == 3
    for line in map(json.loads, samples.splitlines()):
        assert line["evaluation_result_id"] in results and line["evaluation_id"] == said["evaluation_id"]
        assert all(isinstance(value, str) for value in line["metadata"].values())


def test_records_come_back_from_every_eval_ever_as_they_went(tmp_path: Path) -> None:
    write_every_eval(records(), tmp_path, SOURCE, items())
    kept = records().filter(pl.col("gold").is_not_null() & (pl.col("outcome") != "error"))
    found = import_logs([tmp_path], ImportSettings()).records
    assert found.select(COLUMNS).sort(COLUMNS[:6]).equals(kept.select(COLUMNS).sort(COLUMNS[:6]))


def test_samples_of_other_tools_are_read(tmp_path: Path) -> None:
    """Without hesperus' own metadata: the language from a field, or as the user says; a multi-turn sample by its last answer."""

    def sample(item: str, answer: str, **more: object) -> str:
        turn = {"turn_idx": 0, "source": "output.raw", "extraction_method": "regex"}
        given = {
            "schema_version": "0.2.0", "evaluation_id": "math/org/model/1", "model_id": "org/model", "evaluation_name": "math",
            "sample_id": item, "interaction_type": "single_turn", "input": {"raw": "How many?", "reference": ["A"]},
            "output": {"raw": [f"It is {answer}."]}, "evaluation": {"score": 1.0, "is_correct": answer == "A"},
            "answer_attribution": [{**turn, "extracted_value": "C", "is_terminal": False},
                                   {**turn, "extracted_value": answer, "is_terminal": True}],
        }  # fmt: skip
        return json.dumps({**given, **more})

    turns = {
        "interaction_type": "multi_turn",
        "output": None,
        "messages": [{"turn_idx": 0, "role": "assistant"}],
    }
    lines = [
        sample("1", "A", metadata={"language": "de"}),
        sample("2", "B", metadata={"language": "de"}, **turns),
    ]
    (tmp_path / "any_name.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = import_logs([tmp_path], ImportSettings())
    assert found.records["input"].to_list() == ["de", "de"] and found.logs[0]["tool"] == "every-eval-ever"
    assert found.records.sort("item")["answer"].to_list() == ["A", "B"]

    (tmp_path / "any_name.jsonl").write_text(
        "\n".join([sample("1", "A"), sample("2", "B")]), encoding="utf-8"
    )
    said = import_logs([tmp_path], ImportSettings(language_from="=fr")).records
    assert set(said["input"]) == {"fr"} and said["gold"].to_list() == ["A", "A"]

    (tmp_path / "any_name.jsonl").write_text(
        f'{lines[0]}\n{{"interaction_type": "single_turn"}}', encoding="utf-8"
    )
    with pytest.raises(DataError, match="sample 2 is not as Every Eval Ever writes it"):
        import_logs([tmp_path], ImportSettings())


def test_what_the_schema_has_no_place_for_is_refused(tmp_path: Path) -> None:
    open_answers = records().with_columns(gold=pl.lit(None, dtype=pl.String))
    with pytest.raises(UsageError, match="no record has a right label"):
        write_every_eval(open_answers, tmp_path, SOURCE)
    with pytest.raises(UsageError, match="a relationship is one of first_party"):
        EvaluationSource("A lab", "friend")


def test_croissant_is_written_as_it_was_validated(tmp_path: Path) -> None:
    write_dataset(records(), tmp_path, DatasetCard("Answers to a quiz", "cc-by-4.0"))
    text = (tmp_path / "croissant.json").read_text(encoding="utf-8")
    # The bytes of a Parquet file differ between versions of what writes it
    same_as_golden(re.sub(r'("sha256": ")\w+|("contentSize": ")\d+', r"\1\2SOME", text), "croissant.json")
    said = json.loads(text)
    assert "http://mlcommons.org/croissant/1.0" in said["conformsTo"] and said["inLanguage"] == [
        "ar",
        "en",
        "sw",
    ]
    (files,) = said["distribution"]
    assert (tmp_path / files["contentUrl"]).is_file()
    (sets,) = said["recordSet"]
    columns = pl.read_parquet(tmp_path / files["contentUrl"]).columns
    assert [field["name"] for field in sets["field"]] == columns
    assert {key["@id"].split("/")[1] for key in sets["key"]} <= set(columns)
    assert len([name for name in said if name.startswith("rai:")]) == 12
    assert said["rai:dataBiases"].endswith(": ar 0.000, en 1.000, sw_from_en 1.000.")


def test_croissant_names_the_kind_of_every_column(tmp_path: Path) -> None:
    """A loader casts every value to what its column is said to be: a day that is said to be text stops it."""
    more = {
        "day": pl.lit(dt.date(2026, 3, 1)), "asked_at": pl.lit(dt.datetime(2026, 3, 1, 9, tzinfo=dt.UTC)), "clock": pl.lit(dt.time(9)),
        "hard": pl.lit(True), "weight": pl.lit(0.5), "many": pl.lit([1, 2]),
    }  # fmt: skip
    write_dataset(records().with_columns(**more), tmp_path, DatasetCard("Answers to a quiz"))
    (sets,) = json.loads((tmp_path / "croissant.json").read_text(encoding="utf-8"))["recordSet"]
    kinds = {field["name"]: (field["dataType"], field.get("repeated", False)) for field in sets["field"]}
    assert {name: kinds[name] for name in more} == {
        "day": ("sc:Date", False), "asked_at": ("sc:DateTime", False), "clock": ("sc:Time", False), "hard": ("sc:Boolean", False),
        "weight": ("sc:Float", False), "many": ("sc:Integer", True),
    }  # fmt: skip
