from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
import typer
from log_makers import FIXTURES, lm_eval_row, mmlu_rows, write_lm_eval
from typer.testing import CliRunner, Result

from hesperus.cli import export, import_
from hesperus.errors import HesperusError
from hesperus.records import conform, read_records, read_run

app = typer.Typer()
app.command("import")(import_.command)
app.command("export")(export.command)


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def _fails(*arguments: object) -> str:
    result = _run(*arguments)
    assert isinstance(result.exception, HesperusError) and result.exception.exit_code == 2, result.output
    return str(result.exception)


def test_import_writes_a_run_and_says_what_it_left_out(tmp_path: Path) -> None:
    result = _run("import", FIXTURES / "lm_eval", "--out", tmp_path / "run", "--format", "json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["measure"] == "import" and len(document["rows"]) == 10
    assert document["signature"]["ImportSettings"]["again"] == "newest"
    assert "records (2 models, 3 tasks, 3 languages, 6 items) written to" in result.stderr
    assert "another filter: 'strict' is taken, not flexible; --filter chooses" in result.stderr
    assert read_run(tmp_path / "run").records.height == 60


def test_import_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,l,a\n1,de,A\n2,de,\n", encoding="utf-8")
    flags = ["--map", "item=q", "--map", "language=l", "--map", "answer=a", "--model", "m"]
    assert _run("import", tmp_path / "t.csv", "--out", tmp_path / "t.parquet", *flags).exit_code == 0
    assert read_records(tmp_path / "t.parquet")["outcome"].to_list() == ["answered", "empty"]
    common = ("import", tmp_path / "t.csv", "--out", tmp_path / "x.parquet")
    assert "write COLUMN=FIELD" in _fails(*common, "--map", "item")
    assert "--map item is given twice" in _fails(*common, "--map", "item=q", "--map", "item=l")
    assert "write NAME=TAG" in _fails(*common, "--language", "kz")
    assert "unknown format of logs: 'lmeval'" in _fails(*common, "--from", "lmeval")


def test_control_characters_of_a_log_do_not_reach_the_terminal(tmp_path: Path) -> None:
    rows = mmlu_rows(3)
    rows[1]["doc"]["sample_id"] = "\x1b[31mred"
    rows[1]["filtered_resps"][0][0] = "nan"
    write_lm_eval(tmp_path / "logs", "global_mmlu_full_de", rows)
    result = _run("import", tmp_path / "logs", "--out", tmp_path / "run", "--format", "csv")
    assert result.exit_code == 0 and "\x1b" not in result.stderr + result.stdout


def test_many_reasons_are_cut_short(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(3))
    for number in range(25):
        (tmp_path / f"samples_x{number}_de.jsonl").write_text("-", encoding="utf-8")
    result = _run("import", tmp_path, "--out", tmp_path / "run")
    assert (
        result.stderr.count("excluded:") == 20
        and "and 5 more reasons; all stand in study.yaml" in result.stderr
    )


def test_export_of_records(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert _run("import", FIXTURES / "inspect" / "atlas_de.eval", "--out", run).exit_code == 0
    assert _run("export", "table", run, "--out", tmp_path / "t.csv").exit_code == 0
    assert read_records(tmp_path / "t.csv").height == 6
    wide = _run(
        "export", "table", run, "--shape", "wide", "--value", "outcome", "--out", tmp_path / "w.jsonl"
    )
    assert "6 rows of 4 columns" in wide.stderr
    assert (
        _run("export", "dataset", run, "--title", "T", "--licence", "mit", "--out", tmp_path / "ds").exit_code
        == 0
    )
    assert "license: mit" in (tmp_path / "ds" / "README.md").read_text(encoding="utf-8")
    assert "unknown export: 'tabel'; did you mean 'table'" in _fails("export", "tabel", run, "--out", "x")
    assert _run("export", "inspect", run, "--out", tmp_path / "x").exit_code == 0
    bare = tmp_path / "bare"
    _run("import", FIXTURES / "inspect" / "atlas_de.eval", "--out", bare, "--no-texts")
    assert "the run has no items.parquet" in _fails("export", "inspect", bare, "--out", tmp_path / "y")


def test_export_of_a_task(tmp_path: Path) -> None:
    flags = ("--language", "en", "--language", "sw", "--out", tmp_path)
    result = _run("export", "lm-eval", "atlas", *flags)
    assert result.exit_code == 0 and "--tasks atlas_en,atlas_sw" in result.stderr
    rows = [
        json.loads(line) for line in (tmp_path / "atlas_sw.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert (
        len(rows) == 200
        and rows[0]["item"] == "capital/liechtenstein"
        and rows[0]["choices"][rows[0]["gold"]] == "Vaduz"
    )
    assert _run("export", "inspect", "atlas", "--name", "world", *flags).exit_code == 0
    assert re.search(
        r"def world\(language: str = 'en'|\"en\"", (tmp_path / "world.py").read_text(encoding="utf-8")
    )
    assert "which languages of atlas?" in _fails("export", "inspect", "atlas", "--out", tmp_path)


@pytest.mark.parametrize("command", ["import", "export"])
def test_help_shows_examples(command: str) -> None:
    assert f"hesperus {command} " in _run(command, "--help").output


def test_a_table_with_a_column_per_language(tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    table.write_text(
        "task,q,en,sw,gold\nquiz,1,A,(B),A\nquiz,2,Hard to say,B.,B\nsums,1,4,five,4\n", encoding="utf-8"
    )
    flags = ("--map", "item=q", "--model", "m", "--wide", "reply")
    result = _run("import", table, "--out", tmp_path / "r.parquet", *flags)
    assert result.exit_code == 0, result.output
    records = read_records(tmp_path / "r.parquet").sort("task", "item", "input")
    assert records["answer"].to_list() == ["A", "B", None, "B", "4", None]
    assert records["outcome"].to_list() == [
        "answered",
        "answered",
        "refused",
        "answered",
        "answered",
        "invalid",
    ]
    assert records["reply"].to_list()[2] == "Hard to say"
    assert (
        "note: quiz: replies read by hesperus's own parser, 3 of 4 answered; the labels are A to B"
        in result.stderr
    )
    assert "note: sums: replies read by hesperus's own parser, 1 of 2 answered\n" in result.stderr
    assert "6 records (1 model, 2 tasks, 2 languages, 2 items)" in result.stderr
    as_answers = ("--map", "item=q", "--model", "m", "--wide", "answer", "--out", tmp_path / "a.parquet")
    assert _run("import", table, *as_answers).exit_code == 0
    assert "Hard to say" in read_records(tmp_path / "a.parquet")["answer"].to_list()
    common = ("import", table, "--out", tmp_path / "x", "--map", "item=q", "--model", "m")
    assert _run(*common).exit_code == 0
    assert "unknown content of a wide table's columns: 'gold'" in _fails(*common, "--wide", "gold")
    table.write_text("q,answer,gold\n1,A,A\n", encoding="utf-8")
    assert (
        "no column is named by a language. columns: q (1); answer (A); gold (A). Try: hesperus import"
        in _fails(*common, "--wide", "reply")
    )


def test_a_mapped_column_is_no_language_though_its_name_is_a_tag(tmp_path: Path) -> None:
    table, out = tmp_path / "wide.csv", tmp_path / "r.parquet"
    table.write_text("qid,num,en,sw\n1,x,A,B\n2,y,B,B\n", encoding="utf-8")
    flags = ("--map", "item=qid", "--group", "num", "--wide", "answer", "--model", "my/m")
    result = _run("import", table, *flags, "--out", out)
    assert result.exit_code == 0, result.output
    records = read_records(out)
    assert set(records["input"]) == {"en", "sw"} and set(records["item"]) == {"1", "2"}
    assert set(records["num"]) == {"x", "y"}


def test_a_records_table_needs_no_import(tmp_path: Path) -> None:
    assert _run("import", FIXTURES / "lm_eval", "--out", tmp_path / "run").exit_code == 0
    said = _fails("import", tmp_path / "run" / "records.parquet", "--out", tmp_path / "x")
    assert "this is a records table already: every command takes it as it is" in said


def test_the_place_of_the_records_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "folder.parquet").mkdir()
    logs = tmp_path / "no logs here"
    for name, message in (
        ("records.csv", "`hesperus export table` makes .csv"),
        ("file", "is a file, a run needs a folder"),
        ("folder.parquet", "is a folder, and the name ends as that of a file"),
        ("file/below/run", "cannot be written below"),
    ):
        assert message in _fails("import", logs, "--out", tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.parquet"]


def test_a_run_that_asked_is_not_written_over(tmp_path: Path) -> None:
    write_lm_eval(tmp_path / "logs", "global_mmlu_full_de", mmlu_rows(4))
    out = tmp_path / "run"
    words = ("import", tmp_path / "logs", "--out", out)
    assert _run(*words).exit_code == _run(*words).exit_code == 0
    before, file = (out / "records.parquet").read_bytes(), out / "study.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("study: import", "study: multisense"), "utf-8")
    assert "holds a run of the study 'multisense'" in _fails(*words)
    assert (out / "records.parquet").read_bytes() == before


def test_one_name_for_two_tasks_with_the_same_items_is_refused(tmp_path: Path) -> None:
    for task in ("hard", "easy"):
        rows = [lm_eval_row(n, {"id": n}, [-1.0, -2.0], target=0, texts=("x", "y")) for n in range(3)]
        write_lm_eval(tmp_path / "logs", f"{task}_de", rows)
    common = ("import", tmp_path / "logs", "--out", tmp_path / "run", "--task", "both")
    assert "as 'easy' and as 'hard': --task gives both one name" in " ".join(_fails(*common).split())
    assert _run(*common, "--again", "repeats").exit_code == 0
    assert read_run(tmp_path / "run").records["repeat"].to_list() == [1, 2] * 3


def test_the_same_reason_is_told_once(tmp_path: Path) -> None:
    for task in ("one", "two", "three"):
        write_lm_eval(tmp_path, f"global_mmlu_full_{task[:2]}", mmlu_rows(3), model=f"org/{task}")
    message = _fails("import", tmp_path, "--out", tmp_path / "run", "--filter", "strict")
    assert message.count("no filter 'strict'; there is 'none'") == 1 and " more: " in message


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
def test_a_file_that_cannot_be_read_is_listed_and_the_rest_imported(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(3))
    (tmp_path / "samples_quiz_en.jsonl").symlink_to("/proc/self/mem")
    result = _run("import", tmp_path, "--out", tmp_path / "run")
    assert result.exit_code == 1 and read_run(tmp_path / "run").records.height == 3
    assert "excluded: samples_quiz_en.jsonl: the file: cannot be opened: Input/output error" in result.stderr


def test_senses_are_no_languages_in_what_was_read(tmp_path: Path) -> None:
    table = tmp_path / "run.csv"
    rows = [f"{n},m,{code},{code},A,A" for n in (1, 2) for code in ("en", "de", "de_from_en")]
    table.write_text("item,model,instruction,input,answer,gold\n" + "\n".join(rows) + "\n", encoding="utf-8")
    records = tmp_path / "records.parquet"
    conform(
        pl.read_csv(table, schema_overrides={"item": pl.String}).with_columns(task=pl.lit("t"))
    ).write_parquet(records)
    shared = ("--organization", "We", "--relationship", "first_party")
    assert _run("export", "every-eval-ever", records, "--out", tmp_path / "shared", *shared).exit_code == 0
    result = _run("import", tmp_path / "shared", "--out", tmp_path / "again")
    assert "6 records (1 model, 1 task, 2 languages in 3 senses, 2 items) written to" in result.stderr
