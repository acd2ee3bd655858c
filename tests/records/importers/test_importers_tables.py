"""Tables as people have them: nested, wide, without an id, with language and model in the names of files."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from hesperus.analysis.reply_language import language_notes
from hesperus.analysis.run_notes import gold_notes
from hesperus.cli import import_
from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError
from hesperus.records import read_run
from hesperus.records.importers import Imported, ImportSettings, import_logs
from hesperus.records.importers.import_settings import Source
from hesperus.records.importers.table_advice import advice

app = typer.Typer()
app.command("import")(import_.command)


def _write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return path


def _cells(imported: Imported) -> dict[tuple[str, str, str], str | None]:
    rows = imported.records.select("model", "input", "item", "answer").iter_rows()
    return {(model, language, item): answer for model, language, item, answer in rows}


NESTED = [
    {"id": 1, "topic": "x", "question": {"en": "A?", "de": "B?"}, "answer": {"m-1": {"en": "A", "de": "B"}, "m-2": {"en": "C"}}},
    {"id": 2, "topic": "x", "question": {"en": "C?", "de": "D?"}, "answer": {"m-1": {"en": "B", "de": "B"}, "m-2": {"en": "D"}}},
]  # fmt: skip


@pytest.mark.parametrize("shape", ["array", "wrapped", "by id", "lines"])
def test_nested_answers_of_models_and_languages(tmp_path: Path, shape: str) -> None:
    values: dict[str, Any] = {
        "array": NESTED,
        "wrapped": {"date": "today", "rows": NESTED},
        "by id": {
            str(row["id"]): {name: value for name, value in row.items() if name != "id"} for row in NESTED
        },
        "lines": "\n".join(map(json.dumps, NESTED)),
    }
    path = _write(tmp_path / ("t.jsonl" if shape == "lines" else "t.json"), values[shape])
    imported = import_logs(path)
    assert _cells(imported) == {
        ("m-1", "en", "1"): "A", ("m-1", "de", "1"): "B", ("m-2", "en", "1"): "C",
        ("m-1", "en", "2"): "B", ("m-1", "de", "2"): "B", ("m-2", "en", "2"): "D",
    }  # fmt: skip
    assert not imported.left_out
    patterned = import_logs(path, ImportSettings(wide_columns="answer.{model}.{language}", key=()))
    assert _cells(patterned) == _cells(imported)


def test_columns_of_models_with_languages_and_empty_cells(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "t.csv", "id,gold,gpt-4o_en,gpt-4o_pt-BR,aya_en,aya_kz\n1,A,A,(B),C,A\n2,B,B,,A,B\n"
    )
    imported = import_logs(path)
    assert _cells(imported) == {
        ("gpt-4o", "en", "1"): "A", ("gpt-4o", "pt-BR", "1"): "B", ("gpt-4o", "en", "2"): "B", ("aya", "en", "1"): "C",
        ("aya", "en", "2"): "A",
    }  # fmt: skip
    assert {left.reason: left.count for left in imported.left_out} == {
        "cell empty": 1,
        "language not known": 0,
    }
    named = import_logs(path, ImportSettings(languages={"kz": "kk"}))
    assert _cells(named)["aya", "kk", "2"] == "B" and len(named.records) == 7


def test_advice_on_columns_of_lists(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["1"], "one": [["A", "B"]], "two": [["B"]]})
    said = advice(
        frame, ImportSettings(columns={"item": "qid"}), Source(tmp_path / "t.jsonl", "t.jsonl", "table")
    )
    assert "two" in said


def test_verdicts_are_no_labels(tmp_path: Path) -> None:
    path = _write(tmp_path / "t.csv", "id,answer,a_en,a_sw\n1,2,1,0\n2,1,1,1\n")
    with pytest.raises(DataError, match="0 and 1 only: give --wide correct"):
        import_logs(path)
    records = import_logs(path, ImportSettings(wide="correct")).records
    assert records.sort("input", "item")["answer"].to_list() == ["right", "right", "wrong", "right"]
    (note,) = gold_notes(records)
    assert note.startswith("t: of each answer it is only known whether it is right")
    assert set(records["gold"]) == {"right"} and records["options"].to_list() == [["right", "wrong"]] * 4


def test_options_between_bars(tmp_path: Path) -> None:
    path = _write(tmp_path / "t.csv", "id,language,model,answer,gold,options\n1,de,m,A,B,A|B | C\n")
    records = import_logs(path).records
    assert records["options"].to_list() == [["A", "B", "C"]]


@pytest.mark.parametrize("absolute", [False, True])
def test_files_of_one_name_are_told_apart_by_their_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absolute: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("in/de/gpt-4.csv", "in/sw/gpt-4.csv"):
        _write(tmp_path / place, "id,answer\n1,A\n2,B\n")
    first = tmp_path / "in/de/gpt-4.csv" if absolute else Path("in/de/gpt-4.csv")
    imported = import_logs([first, Path("in/sw/gpt-4.csv")])
    assert {cell[1] for cell in _cells(imported)} == {"de", "sw"}
    assert [log["log"] for log in imported.logs] == ["de/gpt-4.csv", "sw/gpt-4.csv"]


def test_an_id_without_a_heading_and_one_of_two_columns(tmp_path: Path) -> None:
    path = _write(tmp_path / "gpt-4o_answers.csv", ",en,sw\n0,A,B\n1,B,B\n")
    assert set(_cells(import_logs(path))) == {("gpt-4o", tag, item) for tag in ("en", "sw") for item in "01"}
    rows = "topic,id,en,sw\nx,1,A,B\nx,2,B,B\ny,1,C,C\ny,2,A,A\n"
    path = _write(tmp_path / "gpt-4o.csv", rows)
    wanted = {("gpt-4o", tag, f"{topic}/{n}") for tag in ("en", "sw") for topic in "xy" for n in (1, 2)}
    assert set(_cells(import_logs(path))) == wanted
    assert set(_cells(import_logs(path, ImportSettings(key=("topic", "id"))))) == wanted


@pytest.mark.parametrize(
    "places",
    [
        ("answers_de_gpt-4o.csv", "answers_sw_gpt-4o.csv"),
        ("gpt-4o_de.csv", "gpt-4o_sw.csv"),
        ("gpt-4o/answers_de.csv", "gpt-4o/answers_sw.csv"),
        ("de/gpt-4o/answers.csv", "sw/gpt-4o/answers.csv"),
    ],
)
def test_language_and_model_in_the_name(tmp_path: Path, places: tuple[str, str]) -> None:
    for place, labels in zip(places, ("AB", "BB"), strict=True):
        _write(tmp_path / place, "id,answer\n1,{}\n2,{}\n".format(*labels))
    imported = import_logs(tmp_path, ImportSettings(tool="table"))
    assert _cells(imported) == {
        ("gpt-4o", "de", "1"): "A", ("gpt-4o", "de", "2"): "B", ("gpt-4o", "sw", "1"): "B", ("gpt-4o", "sw", "2"): "B",
    }  # fmt: skip
    assert set(imported.records["task"]) == {"answers"}
    assert all(str(log["evidence"]).startswith("siblings") for log in imported.logs)


def test_patterns_for_names(tmp_path: Path) -> None:
    for tag in ("de", "sw"):
        _write(tmp_path / f"out-{tag}-house7.csv", "id,answer\n1,A\n")
    rules = {"language_from": "name:out-(..)-", "model_from": "name:-(house7)", "task": "quiz"}
    imported = import_logs(tmp_path, ImportSettings(tool="table", **rules))  # type: ignore[arg-type]
    assert set(_cells(imported)) == {("house7", "de", "1"), ("house7", "sw", "1")}
    with pytest.raises(UsageError, match="--model-from 'x'"):
        import_logs(tmp_path, ImportSettings(tool="table", model_from="x"))


def test_instruction_tuned_is_not_italian(tmp_path: Path) -> None:
    path = _write(tmp_path / "responses_gemma-2-9b-it.csv", "id,en,de\n1,A,B\n")
    assert {model for model, _, _ in _cells(import_logs(path))} == {"gemma-2-9b-it"}


@pytest.mark.parametrize(
    ("name", "text", "flags"),
    [
        ("t.csv", "qid,lang,said,right\n1,de,A,A\n2,de,B,A\n1,fr,C,A\n2,fr,A,A\n", []),
        ("t.csv", "qid,lang,said,right\n1,de,A,A\n2,de,B,A\n", ["--map", "item=nothing"]),
        ("t.csv", "nr,idioma,prediction\n1,de,A\n2,de,B\n1,fr,C\n2,fr,A\n", []),
        ("t.csv", "id,en,de\n1,A,B\n2,B,B\n", []),
        ("t.csv", "id,gold,gpt-4,llama\n1,A,A,B\n2,B,B,B\n", []),
        ("t.csv", "id,gold,ours,theirs\n1,A,A,B\n2,B,B,B\n", []),
        ("de_t.csv", "id,gold,gpt-4,llama\n1,A,A,B\n2,B,B,B\n", []),
        ("gpt-4.csv", "id,en,de\n1,1,0\n2,0,1\n", []),
        ("t.csv", "topic,id,LANG,output\nx,1,de,A\ny,1,de,B\nx,1,fr,C\ny,1,fr,A\n", ["--map", "answer=x"]),
    ],
)
def test_the_command_that_is_shown_works(tmp_path: Path, name: str, text: str, flags: list[str]) -> None:
    path = _write(tmp_path / name, text)
    out = tmp_path / "run"
    failed = CliRunner().invoke(app, [str(path), "--out", str(out), *flags])
    assert isinstance(failed.exception, HesperusError)
    said = str(failed.exception)
    for column in text.splitlines()[0].split(","):
        assert f"{column} (" in said
    shown = said[said.index("hesperus import ") :].rstrip(")")
    words = [
        {"RUN": str(out), "NAME": "my/model", "=TAG": "=de"}.get(word, word) for word in shlex.split(shown)
    ]
    words = ["item=qid" if "item" in word and "COLUMN" in word else word for word in words[2:]]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (shown, done.output, done.exception)
    assert read_run(out).records["answer"].null_count() == 0


def test_a_wrong_column_shows_what_is_there(tmp_path: Path) -> None:
    path = _write(tmp_path / "t.csv", "qid,lang,said\n1,de,A\n")
    with pytest.raises(UnknownNameError, match=r"qid \(1\); lang \(de\); said \(A\)"):
        import_logs(path, ImportSettings(columns={"answer": "answr"}, model="m"))


REAL = [
    ("idm_african_mcq_outputs/o1mini_raw_answers.csv.gz", {}, 3271 * 12, 1, 12),
    ("idm_african_mcq_outputs/winogrande_correct_run0.csv.gz", {"wide": "correct"}, 1767 * 36, 3, 12),
    ("truthfulqa_multi/responses_gemma-2-9b-it.jsonl.gz", {"replies": False}, 817 * 5, 1, 5),
    ("calmqa_longform_outputs/aya_13b.jsonl.gz", {"tool": "table", "languages": {"balochi": "bal", "hiligaynon": "hil", "kirundi": "rn"}}, 874, 1, 23),
    ("en_ru_zh_kk_free_answers/answers.jsonl.gz", {"languages": {"kz": "kk"}}, 600, 3, 4),
    ("lm_eval_logs", {}, 600, 2, 5),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "settings", "rows", "models", "languages"), REAL, ids=[row[0] for row in REAL]
)
def test_public_answers_as_they_lie(
    shared_data: Path, place: str, settings: dict[str, Any], rows: int, models: int, languages: int
) -> None:
    if not (shared_data / place).exists():
        pytest.skip(f"no {place}")
    imported = import_logs(shared_data / place, ImportSettings(**settings))
    records = imported.records
    assert (len(records), records["model"].n_unique(), records["input"].n_unique()) == (
        rows,
        models,
        languages,
    )
    assert not imported.failed and not any(left.reason == "language not known" for left in imported.left_out)


def test_imported_replies_have_their_language(tmp_path: Path) -> None:
    german = "Die Antwort ist die zweite, weil Wasser bei hundert Grad kocht."
    english = "The answer is the second one, because water boils at a hundred degrees."
    rows = [
        {"item": str(i), "language": "de", "model": "m", "answer": "B", "reply": text}
        for i, text in enumerate([german, english, english, "B"])
    ]
    imported = import_logs(_write(tmp_path / "t.json", rows))
    assert imported.records.sort("item")["reply_language"].to_list() == ["de", "en", "en", None]
    notes = language_notes(imported.records)
    assert (
        len(notes) == 1
        and "m: 2 of 3 replies count as in another language" in notes[0]
        and "; of 1 more it cannot be told" in notes[0]
        and "English 2" in notes[0]
    )
    bare = [{name: row[name] for name in row if name != "reply"} for row in rows]
    assert "reply_language" not in import_logs(_write(tmp_path / "bare.json", bare)).records.columns


def test_an_answer_next_to_a_prediction_is_not_taken_for_the_model_s(tmp_path: Path) -> None:
    for tag in ("de", "sw"):
        rows = [
            {"": n, "question": f"Q{n}?", "prediction": "ABCD"[n % 4], "answer": "ABCD"[n % 3]}
            for n in range(12)
        ]
        (tmp_path / "out" / tag).mkdir(parents=True)
        pl.DataFrame(rows).write_csv(tmp_path / "out" / tag / "gpt-4.csv")
    asked = [str(tmp_path / "out"), "--from", "table", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, asked)
    said = done.output + str(done.exception)
    assert "'answer' next to 'prediction' is mostly the right answer" in said
    assert "--map answer=prediction --key '(index)' --map gold=answer" in said
    done = CliRunner().invoke(app, [*asked, "--map", "answer=prediction", "--map", "gold=answer"])
    records = read_run(tmp_path / "run").records
    # A language is no task: both files are of one, and their items are the same.
    assert records["task"].unique().to_list() == ["out"] and set(records["input"]) == {"de", "sw"}
    assert records.filter(pl.col("item") == "3")["answer"].unique().to_list() == ["D"]
    assert records.filter(pl.col("item") == "3")["gold"].unique().to_list() == ["A"]


def test_the_command_for_nested_fields_names_them(tmp_path: Path) -> None:
    rows = [{"id": n, "meta": {"lang": tag, "model": "m"}, "response": {"text": "A"}, "target": "A"}
            for n in range(6) for tag in ("en", "de")]  # fmt: skip
    file = _write(tmp_path / "nest.json", rows)
    done = CliRunner().invoke(app, [str(file), "--out", str(tmp_path / "run")])
    said = done.output + str(done.exception)
    command = said.partition("Try: hesperus ")[2].partition("\n")[0].replace("RUN", str(tmp_path / "run"))
    assert CliRunner().invoke(app, shlex.split(command)[1:]).exit_code == 0, command
    assert set(read_run(tmp_path / "run").records["gold"]) == {"A"}


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_csv_of_a_spreadsheet_with_another_separator_is_a_table(tmp_path: Path, separator: str) -> None:
    rows = [["qid", "lang", "answer", "gold", "model"], *([f"{n}", lang, "AB"[n % 2], "A", "m"] for n in range(3) for lang in ("en", "de"))]  # fmt: skip
    file = _write(tmp_path / "t.csv", "\n".join(separator.join(row) for row in rows) + "\n")
    imported = import_logs(file, ImportSettings(columns={"item": "qid", "language": "lang"}))
    assert _cells(imported)["m", "de", "1"] == "B" and len(imported.records) == 6
    # A heading with a comma is one with commas, whatever else is in it.
    commas = _write(tmp_path / "c.csv", "item,model;name,lang,answer,gold\n1,m;n,en,A,A\n")
    columns = {"item": "item", "language": "lang", "model": "model;name"}
    assert _cells(import_logs(commas, ImportSettings(columns=columns))) == {("m;n", "en", "1"): "A"}
    with pytest.raises(DataError, match="line 3.*6 fields where the heading has 5"):
        import_logs(
            _write(tmp_path / "bad.csv", separator.join(rows[0]) + "\n1\n" + separator.join("123456") + "\n")
        )


def test_the_first_folder_of_a_path_is_between_slashes_too(tmp_path: Path) -> None:
    for language in ("en", "de"):
        _write(tmp_path / "logs" / language / "run" / "out.json", [{"id": 1, "choice": "A", "key": "A"}])
    settings = ImportSettings(
        tool="table", model="m", columns={"item": "id", "answer": "choice", "gold": "key"}, language_from="path:/([a-z]{2})/"
    )  # fmt: skip
    assert sorted(import_logs(tmp_path / "logs", settings).records["input"]) == ["de", "en"]
