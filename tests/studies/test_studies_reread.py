"""Reading stored replies again: by task, by sense code, with corrections, as a command."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from hesperus.answers import load_overrides, reply_hash
from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError
from hesperus.records import Run, read_records, read_run, write_records, write_run
from hesperus.studies.reread.parsers import language_of, read_replies
from hesperus.studies.reread.rereading import reread
from hesperus.version import __version__
from waiting import bounded_work


def frame(rows: list[dict[str, object]], **common: object) -> pl.DataFrame:
    base: dict[str, object] = {
        "model": "m/x",
        "task": "xnli",
        "instruction": "en",
        "input": "en",
        "repeat": 1,
    }
    full = [{**base, **common, "item": str(number), **row} for number, row in enumerate(rows)]
    return pl.DataFrame(full, infer_schema_length=None)


@pytest.mark.parametrize(
    ("code", "language"),
    [("en", "en"), ("de_from_en", "de"), ("de_test1", "de"), ("de~test1", "de"), ("zh-Hant_from_en", "zh-Hant"), ("en~paraphrase", "en"), ("de_from_en@nllb", "de")],
)  # fmt: skip
def test_language_of_an_instruction(code: str, language: str) -> None:
    assert language_of(code) == language


def test_codes_that_name_no_language() -> None:
    for code in ("", "1", "_en", "english-ish words"):
        with pytest.raises(ValueError, match="does not begin with a language"):
            language_of(code)


def test_labels_follow_the_task_and_words_the_instruction() -> None:
    rows: list[dict[str, object]] = [
        {"reply": "(C) Keines von beiden.", "instruction": "de_test1"},
        {"reply": "B) La première phrase contredit la seconde", "instruction": "fr"},
        {"reply": "A）第一个句子涵盖了第二个句子", "instruction": "zh_from_en"},
        {"reply": "Los dos", "instruction": "es"},
        {"reply": "Ja", "task": "paws-x", "instruction": "de_from_en"},
        {"reply": "不是。", "task": "boolq", "instruction": "zh"},
        {"reply": "No.", "task": "boolq", "instruction": "de_from_en"},
        {"reply": "", "task": "boolq"},
    ]
    read_again, counts = reread(frame(rows))
    assert read_again["answer"].to_list() == [
        "neutral",
        "contradiction",
        "entailment",
        None,
        "same",
        "no",
        None,
        None,
    ]
    assert read_again["outcome"].to_list()[3:] == [
        "invalid",
        "answered",
        "answered",
        "wrong_language",
        "empty",
    ]
    assert read_again["rule"].null_count() == 0
    assert counts.before == {} and sum(counts.changed.values()) == 8
    assert counts.after == {"answered": 5, "invalid": 1, "wrong_language": 1, "empty": 1}


def test_one_task_for_every_row() -> None:
    read_again, _ = reread(frame([{"reply": "C"}], task="xnli-mine"), task="xnli")
    assert read_again["answer"].to_list() == ["neutral"]
    assert read_again["task"].to_list() == ["xnli-mine"]
    with pytest.raises(UnknownNameError, match="unknown task: 'xnli-mine'"):
        reread(frame([{"reply": "C"}], task="xnli-mine"))


def test_choices_read_the_options_of_their_row_and_the_texts_of_their_item() -> None:
    rows: list[dict[str, object]] = [
        {"reply": "B", "options": ["A", "B"]},
        {"reply": "D", "options": ["A", "B"]},
        {"reply": "Paris", "options": ["A", "B"]},
        {"reply": "Paris", "options": ["A", "B"], "input": "en_from_de"},
    ]
    records = frame(rows, task="belebele")
    items = pl.DataFrame(
        {"item": ["2", "2"], "language": ["en", "de"], "options": [["Rome", "Paris"], ["Rom", "Paris"]]}
    )
    read_again, _ = reread(records, items=items)
    assert read_again["answer"].to_list() == ["B", None, "B", None]
    assert reread(records)[0]["answer"].to_list() == ["B", None, None, None]


def test_rows_without_reply_and_scored_rows_stay() -> None:
    rows: list[dict[str, object]] = [
        {"reply": None, "outcome": "error", "answer": None, "probs": None, "options": None, "rule": "timeout", "note": "n0"},
        {"reply": None, "outcome": "answered", "answer": "A", "probs": [0.9, 0.1], "options": ["A", "B"], "rule": "logprobs", "note": "n1"},
        {"reply": "", "outcome": "answered", "answer": "B", "probs": [0.1, 0.9], "options": ["A", "B"], "rule": "logprobs", "note": "n2"},
        {"reply": "A", "outcome": "invalid", "answer": None, "probs": None, "options": ["A", "B"], "rule": "old", "note": "n3"},
    ]  # fmt: skip
    records = frame(rows, task="xcopa")
    read_again, counts = reread(records)
    assert read_again["outcome"].to_list() == ["error", "answered", "answered", "answered"]
    assert read_again["answer"].to_list() == [None, "A", "B", "A"]
    assert read_again["rule"].to_list() == ["timeout", "logprobs", "logprobs", "exact"]
    assert (counts.rows, counts.without_reply, counts.scored) == (4, 1, 2)
    assert counts.changed == {"answered": 1}
    untouched = [name for name in records.columns if name not in ("outcome", "answer", "rule")]
    assert read_again.select(untouched).equals(records.select(untouched))


def test_how_a_reply_ended_is_kept_in_mind() -> None:
    rows: list[dict[str, object]] = [
        {"reply": "Let me see, it", "outcome": "truncated"},
        {"reply": "C) neither, since", "outcome": "truncated"},
        {"reply": "A", "outcome": "blocked"},
        {"reply": "well", "outcome": "invalid"},
    ]
    assert reread(frame(rows))[0]["outcome"].to_list() == ["truncated", "answered", "blocked", "invalid"]
    finished = frame([{"reply": "well", "finish": "length"}, {"reply": "A", "finish": "filter"}])
    assert reread(finished)[0]["outcome"].to_list() == ["truncated", "blocked"]


def test_presets() -> None:
    records = frame([{"reply": "Therefore, the answer is (C)."}])
    assert reread(records, parser="strict")[0]["answer"].to_list() == [None]
    with pytest.raises(UnknownNameError, match="unknown parser: 'defaul'; did you mean 'default'"):
        reread(records, parser="defaul")


def test_bad_rows_are_named() -> None:
    with pytest.raises(DataError, match=r"line 2, field 'instruction': '\?' does not begin with a language"):
        reread(frame([{"reply": "A"}, {"reply": "A", "instruction": "?"}]))
    with pytest.raises(DataError, match="no column 'reply'; nothing can be read again without"):
        reread(frame([{"answer": "A"}]))
    with pytest.raises(
        DataError, match="the task 'paws-x' has no words for same, different in the language 'haw'"
    ):
        reread(frame([{"reply": "A", "instruction": "haw"}], task="paws-x"))
    with pytest.raises(UnknownNameError, match="unknown language"):
        reread(frame([{"reply": "A", "instruction": "qzz"}]))


HEADER = "model,task,item,instruction,input,repeat,reply_hash,label,outcome,note\n"


def test_corrections_by_hand_win_where_the_reply_is_the_reviewed_one(tmp_path: Path) -> None:
    file = tmp_path / "reviewed.csv"
    lines = [
        f"m/x,xnli,0,en,en,1,{reply_hash('Neither of the two.')},neutral,,plain",
        f"m/x,xnli,1,en,en,1,{reply_hash('Something else')},neutral,,stale",
        f"m/x,xnli,99,en,en,1,{reply_hash('A')},neutral,,no such item",
        f"m/x,xnli,2,en,en,1,{reply_hash('A')},,refused,ironic",
    ]
    file.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    records = frame([{"reply": "Neither of the two."}, {"reply": "B"}, {"reply": "A"}])
    read_again, counts = reread(records, overrides=load_overrides(file))
    assert read_again["answer"].to_list() == ["neutral", "contradiction", None]
    assert read_again["rule"].to_list() == ["override", "exact", "override"]
    assert (counts.overridden, counts.stale, counts.unmatched) == (2, (3,), (4,))
    file.write_text(HEADER + lines[0].replace("neutral", "nuetral") + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2, field 'label': unknown label of xnli: 'nuetral'"):
        reread(records, overrides=load_overrides(file))


def test_the_work_of_many_replies_grows_as_their_number() -> None:
    codes = ["en", "de", "zh", "fr", "es", "de_from_en", "zh_from_en", "en_from_de"]
    texts = [
        "A.",
        "(B)",
        "C)",
        "Die richtige Antwort ist (C) Keines von beiden.",
        "A）第一个句子涵盖了第二个句子",
    ]
    height = 40_000
    records = pl.DataFrame(
        {
            "model": ["m/x"] * height,
            "task": ["xnli"] * height,
            "item": [str(place // len(codes)) for place in range(height)],
            "instruction": [codes[place % len(codes)] for place in range(height)],
            "input": ["en"] * height,
            "repeat": [1] * height,
            "reply": [texts[place % 5] + " x" * (place % 200) for place in range(height)],
        }
    )
    with bounded_work():
        read_again, counts = reread(records)
    assert counts.after == {"answered": height}
    assert read_again["answer"].null_count() == 0


def _write(folder: Path, kind: str, records: pl.DataFrame) -> Path:
    file = folder / f"replies.{kind}"
    if kind == "parquet":
        records.write_parquet(file)
    elif kind == "csv":
        records.write_csv(file)
    elif kind == "tsv":
        records.write_csv(file, separator="\t")
    else:
        records.write_ndjson(file)
    return file


@pytest.mark.parametrize("kind", ["parquet", "csv", "tsv", "jsonl"])
def test_files_in_which_nothing_is_read_yet(tmp_path: Path, kind: str) -> None:
    records = frame([{"reply": "A"}, {"reply": "B"}])
    bare = read_replies(_write(tmp_path, kind, records))
    assert "answer" not in bare.columns and bare["repeat"].to_list() == [1, 1]
    null = records.with_columns(answer=pl.lit(None), outcome=pl.lit(None))
    assert reread(read_replies(_write(tmp_path, kind, null)))[1].before == {}
    at_odds = records.with_columns(outcome=pl.lit("answered"))
    read_again, counts = reread(read_replies(_write(tmp_path, kind, at_odds)))
    assert counts.before == {"answered": 2}
    assert read_again["answer"].to_list() == ["entailment", "contradiction"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        read_replies(tmp_path / "absent.parquet")
    note = tmp_path / "note.txt"
    note.write_text("x")
    with pytest.raises(UsageError, match="not a table; expected a name that ends in"):
        read_replies(note)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match="cannot be read"):
        read_replies(broken)
    doubled = _write(tmp_path, "parquet", frame([{"reply": "A", "item": "0"}, {"reply": "B", "item": "0"}]))
    with pytest.raises(DataError, match="the same key"):
        read_replies(doubled)


def _command(*arguments: object) -> tuple[str, str]:
    from hesperus.cli.reread import command

    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if isinstance(result.exception, HesperusError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def test_command_on_a_file(tmp_path: Path) -> None:
    file = _write(
        tmp_path, "parquet", frame([{"reply": "A", "mine": 7}, {"reply": "?", "mine": 8}], task="other")
    )
    out = tmp_path / "again.parquet"
    stdout, stderr = _command(file, "--task", "xnli", "--out", out, "--format", "json")
    document = json.loads(stdout)
    assert document["measure"] == "reread"
    assert document["rows"] == [
        {"outcome": "answered", "before": 0, "after": 1, "changed": 1},
        {"outcome": "empty", "before": 0, "after": 1, "changed": 1},
    ]
    assert document["signature"]["parser"] == "default"
    assert "2 of 2 rows changed" in stderr
    written = read_records(out)
    assert written["answer"].to_list() == ["entailment", None]
    assert written["mine"].to_list() == [7, 8]
    again = tmp_path / "third.parquet"
    assert "0 of 2 rows changed" in _command(out, "--task", "xnli", "--out", again)[0]
    assert again.read_bytes() == out.read_bytes()


def test_command_on_a_run(tmp_path: Path) -> None:
    items = pl.DataFrame({"item": ["0"], "language": ["en"], "gold": ["B"], "options": [["Rome", "Paris"]]})
    records = frame(
        [{"reply": "Paris!", "options": ["A", "B"], "outcome": "invalid", "answer": None, "gold": "B"}],
        task="belebele",
    )
    run, out = tmp_path / "run", tmp_path / "out"
    write_run(Run(records, items, {"task": "s"}, {"hesperus": __version__}), run)
    _command(run, "--out", out)
    again = read_run(out)
    assert again.records["answer"].to_list() == ["B"]
    assert again.items is not None and again.study == {"task": "s"}
    assert again.signature["hesperus"] == __version__ and again.signature["reread"]["parser"] == "default"  # type: ignore[index]
    _command(run, "--out", tmp_path / "flat.parquet")
    assert read_records(tmp_path / "flat.parquet")["answer"].to_list() == ["B"]


def test_command_tells_what_it_did_not_do(tmp_path: Path) -> None:
    file = tmp_path / "in.parquet"
    write_records(frame([{"reply": "A", "answer": None}, {"reply": None, "answer": None}]), file)
    reviewed = tmp_path / "r.csv"
    reviewed.write_text(
        HEADER
        + f"m/x,xnli,0,en,en,1,{reply_hash('other')},neutral,,w\nm/x,xnli,9,en,en,1,{reply_hash('A')},neutral,,w\n"
    )
    stderr = _command(file, "--out", tmp_path / "o.parquet", "--overrides", reviewed)[1]
    assert "as they were: rows without a reply 1, rows answered by probabilities 0" in stderr
    assert "overrides not applied because their reply has changed: line 2" in stderr
    assert "overrides not applied because their record is not there: line 3" in stderr


def test_command_refuses_to_write_over_what_it_reads(tmp_path: Path) -> None:
    file = _write(tmp_path, "parquet", frame([{"reply": "A"}]))
    before = file.read_bytes()
    with pytest.raises(UsageError, match="is what is read; give --out another name"):
        _command(file, "--out", tmp_path / "." / "replies.parquet")
    assert file.read_bytes() == before
    with pytest.raises(UsageError, match="records are written as Parquet"):
        _command(file, "--out", tmp_path / "o.csv")


def test_options_say_how_a_task_that_nobody_describes_is_read() -> None:
    rows = frame(
        [
            {"reply": "The answer is B.", "options": ["A", "B", "C"], "task": "our_quiz"},
            {
                "reply": "whatever",
                "options": None,
                "task": "our_chat",
                "answer": "was",
                "outcome": "answered",
            },
            {"reply": "Ja.", "options": ["yes", "no"], "task": "our_poll", "instruction": "de"},
            {"reply": "A", "options": None},
        ],
    )
    written, counts = reread(rows)
    assert written["answer"].to_list() == ["B", "was", "yes", "entailment"]
    assert counts.undescribed == {"our_chat": 1}
    with pytest.raises(UnknownNameError, match="unknown task: 'our_chat'.*--task NAME or FILE says how"):
        reread(rows.filter(pl.col("task") == "our_chat"))


def test_open_answers_are_left_alone() -> None:
    rows = frame(
        [
            {
                "reply": "Kenya is in Africa.",
                "answer": "Kenya is in Africa.",
                "outcome": "answered",
                "rule": "whole text",
            },
            {"reply": "No.", "answer": None, "outcome": "refused", "rule": "refusal phrase"},
        ],
        task="atlas-describe",
    )
    written, counts = reread(rows)
    assert written.select(rows.columns).equals(rows) and counts.whole == 2 and not counts.changed


@pytest.mark.parametrize("below", ["run", "runs/tides-1"])
def test_command_finds_the_task_file_of_the_run(below: str, tmp_path: Path) -> None:
    described = tmp_path / "tides.yaml"
    described.write_text(
        "name: tides\ndescription: Two labels.\nform: label\nfields: [text]\nlabels: [rising, falling]\n"
        "layout: '{prefix} {text} {suffix}'\n"
        "instructions: {en: {prefix: 'Which?', suffix: 'Answer up or down.', answers: {rising: [up], falling: [down]}}}\n"
        "columns: {fields: {text: text}, gold: gold}\ngold: {read: label}\nkey: {columns: [id]}\n",
        encoding="utf-8",
    )
    run = tmp_path / below
    records = frame([{"reply": "Up.", "answer": None, "outcome": "invalid"}], task="tides")
    write_run(
        Run(records, None, {"task": str(described) if below == "run" else described.name}, {}),
        run,
    )
    _command(run, "--out", tmp_path / "out")
    assert read_run(tmp_path / "out").records["answer"].to_list() == ["rising"]
    described.unlink()
    with pytest.raises(UnknownNameError, match="unknown task: 'tides'"):
        _command(run, "--out", tmp_path / "lost")
