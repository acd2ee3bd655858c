"""`hesperus evaluate` as a person types it: on ready answers, on real ones, on a run, and on what it must refuse."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from hesperus.cli.app import app
from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError
from loopback_endpoint import Action, Say, serving, user_text

Call = Callable[..., Result]
PERU = "Peru is in South America. Its capital is Lima. It borders Chile."


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """The command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, ["evaluate", *map(str, arguments)])


def write(path: Path, *rows: tuple[str, str, str, str | None]) -> Path:
    frame = pl.DataFrame(
        [
            {"model": model, "task": "t", "item": item, "instruction": tag, "input": tag,
             "outcome": "answered" if text else "blocked", "reply": text}
            for model, item, tag, text in rows
        ]
    )  # fmt: skip
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ndjson(path)
    return path


def rows(done: Result) -> dict[tuple[str, str, str], dict[str, object]]:
    assert done.exit_code == 0, (done.stdout, done.stderr, done.exception)
    document = json.loads(done.stdout)
    assert set(document) == {"measure", "rows", "intervals", "signature"}
    return {(row["model"], row["language"], row["statistic"]): row for row in document["rows"]}


def refused(done: Result, error: type[HesperusError], *words: str) -> None:
    assert isinstance(done.exception, error), (done.exception, done.stdout)
    assert done.exception.exit_code == 2 and done.stdout == ""
    for word in words:
        assert word in str(done.exception), str(done.exception)


def test_information_of_ready_answers(call: Call, tmp_path: Path) -> None:
    file = write(
        tmp_path / "answers.parquet",
        ("m/a", "1", "en", PERU), ("m/a", "1", "de", "Peru is in South America. Its capital is Lima. It borders Ghana."),
        ("m/a", "2", "en", PERU), ("m/a", "2", "de", None), ("m/b", "1", "en", PERU), ("m/b", "1", "de", PERU),
    )  # fmt: skip
    done = call(
        "information",
        file,
        "--reference",
        "en",
        "--translator",
        "none",
        "--judge",
        "embedded",
        "--format",
        "json",
    )
    found = rows(done)
    precision = found["m/a", "de", "precision"]
    assert precision["value"] == pytest.approx(1 / 3) and precision["n"] == 2 and precision["excluded"] == 0
    assert found["m/a", "de", "recall_answered"]["value"] == pytest.approx(2 / 3)
    assert (
        found["m/b", "de", "mean_f"]["value"] == 1.0 and 0.0 < found["m/b", "de", "f_of_means"]["low"] < 1.0
    )
    assert "3 pairs: 1 candidate silent, 2 compared" in done.stderr
    shown = call("information", file, "--model", "m/b")
    assert (
        "F of means" in shown.stdout and "m/a" not in shown.stdout and shown.stdout.startswith("information")
    )


def test_equivalence_and_a_property(call: Call, tmp_path: Path) -> None:
    file = write(
        tmp_path / "short.jsonl",
        ("m", "1", "en", "5"), ("m", "1", "de", "five"), ("m", "2", "en", "Paris"), ("m", "2", "de", "Lyon"),
    )  # fmt: skip
    found = rows(call("equivalence", file, "--format", "json"))
    assert found["m", "de", "agreement"]["value"] == 0.5
    file = write(
        tmp_path / "refusals.jsonl",
        ("m", "1", "en", PERU), ("m", "1", "de", "I'm sorry, but I can't help with that."),
        ("m", "2", "en", PERU), ("m", "2", "de", PERU),
    )  # fmt: skip
    found = rows(call("refusal", file, "--format", "json", "--out", "kept"))
    assert found["m", "de", "agreement"]["value"] == 0.5
    assert {"agreement.refusal", "kappa.refusal", "change.refusal"} <= {name for _, _, name in found}
    assert (tmp_path / "kept" / "refusal" / "pairs.parquet").is_file()


def test_what_is_kept_and_groups_and_counts(call: Call, tmp_path: Path) -> None:
    file = write(
        tmp_path / "a.jsonl",
        *[("m", str(n), tag, PERU) for n in range(3) for tag in ("en", "de", "fr", "hi")],
    )
    done = call(
        "information", file, "--table", "groups", "--trained-on", "m=deu", "--out", "kept", "--format", "json", "--resamples", 50
    )  # fmt: skip
    assert done.exit_code == 0, done.exception
    groups = {(row["grouping"], row["group"]): row["languages"] for row in json.loads(done.stdout)["rows"]}
    assert groups["trained_on", "in"] == "de" and groups["paper_family", "Romance"] == "de fr"
    kept = {path.name for path in (tmp_path / "kept" / "information").iterdir()}
    assert kept == {"pairs.parquet", "details.parquet", "sentences.parquet", "scores.parquet", "groups.parquet",
                    "counts.parquet", "signature.json"}  # fmt: skip
    counts = call("information", file, "--table", "counts", "--format", "csv", "--language", "hi")
    assert counts.stdout.count("\n") == 2 and ",hi," in counts.stdout


def test_the_embedded_judge_says_what_it_cannot_read(call: Call, tmp_path: Path) -> None:
    said = [("m", "1", tag, PERU) for tag in ("en", "es", "de", "en-GB")]
    file = write(tmp_path / "a.jsonl", *said)
    knows = "the embedded judge knows the rules of English only"
    for what in ("information", "equivalence"):
        done = call(what, file, "--language", "es", "--format", "json")
        (line,) = [line for line in done.stderr.splitlines() if knows in line]
        assert "replies in Spanish were not translated" in line and "--translator apertium" in line
        assert json.loads(done.stdout)["signature"]["notes"] == [line]
    assert "replies in German, Spanish were" in call("information", file).stderr
    german = call("information", file, "--reference", "de", "--language", "es")
    assert f"{knows}, and the texts it compared are in German" in german.stderr
    # English in another region needs no translation, and a property no judge.
    for arguments in (("information", file, "--language", "en-GB"), ("refusal", file, "--language", "es")):
        done = call(*arguments, "--format", "json")
        assert done.exit_code == 0 and knows not in done.stderr, done.stderr
        assert "notes" not in json.loads(done.stdout)["signature"]


def test_translated_replies_are_what_the_embedded_judge_reads(call: Call, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", ("m", "1", "en", PERU), ("m", "1", "es", "Perú."))
    made = tmp_path / "made.jsonl"
    pl.DataFrame([{"source": "es", "target": "en", "text": "Perú.", "translation": PERU}]).write_ndjson(made)
    done = call("information", file, "--translator", f"file/{made}", "--format", "json")
    assert rows(done)["m", "es", "precision"]["value"] == 1.0 and "English only" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("information", "gone.jsonl"), UsageError, ("gone.jsonl", "no such file")),
        (
            ("information", "a.jsonl", "--reference", "sv"),
            UnknownNameError,
            ("reference language", "'sv'", "en"),
        ),
        (("information", "a.jsonl", "--language", "sw"), UnknownNameError, ("'sw'",)),
        (("information", "a.jsonl", "--translator", "apertum"), UnknownNameError, ("apertum",)),
        (("information", "a.jsonl", "--judge", "nobody/x"), UnknownNameError, ("nobody",)),
        (("information", "a.jsonl", "--table", "score"), UnknownNameError, ("did you mean 'scores'",)),
        (("information", "a.jsonl", "--missing", "x"), UsageError, ("leave-out or no-answer",)),
        (("information", "a.jsonl", "--trained-on", "m"), UsageError, ("MODEL=de,fr",)),
        (
            ("information", "a.jsonl", "--trained-on", "n=de"),
            UnknownNameError,
            ("model of --trained-on", "known: m"),
        ),
        (("information", "english.jsonl"), DataError, ("nothing to compare", "English")),
        (("information", "bare.jsonl"), DataError, ("bare.jsonl", "no column 'reply'")),
        (("empathy", "a.jsonl"), UsageError, ("python -m recipes.empathy", "--classifier")),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: tuple[str, ...], error: type[HesperusError], words: tuple[str, ...], call: Call, tmp_path: Path
) -> None:
    write(tmp_path / "a.jsonl", ("m", "1", "en", PERU), ("m", "1", "de", PERU))
    write(tmp_path / "english.jsonl", ("m", "1", "en", PERU))
    pl.DataFrame({"model": ["m"], "item": ["1"], "input": ["en"]}).write_ndjson(tmp_path / "bare.jsonl")
    refused(call(*arguments), error, *words)


def test_an_unsupported_pair_names_who_would_do_it(call: Call, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", ("m", "1", "en", PERU), ("m", "1", "sw", PERU))
    refused(
        call("information", file, "--translator", "apertium"),
        UsageError,
        "Swahili (sw) to English (en)",
        "NLLB",
        "--language",
    )


def test_real_answers_through_real_rules(call: Call, tmp_path: Path, shared_data: Path) -> None:
    """Answers of a model to TruthfulQA in five languages; Spanish goes through Apertium, with its ceiling."""
    source = shared_data / "truthfulqa_multi" / "responses_gemma-2-9b-it.jsonl.gz"
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        answers = [json.loads(next(lines)) for _ in range(12)]
    said = [
        ("gemma", str(row["doc_id"]), tag, row["response"][tag])
        for row in answers
        for tag in ("en", "es", "eu")
    ]
    file = write(tmp_path / "truthful.jsonl", *said)
    arguments = (
        "information",
        file,
        "--translator",
        "apertium",
        "--language",
        "es",
        "--format",
        "json",
        "--resamples",
        200,
    )
    first = call(*arguments)
    row = rows(first)["gemma", "es", "f_of_means"]
    assert row["n"] == 12 and 0.0 <= float(str(row["value"])) < float(str(row["ceiling"])) < 1.0
    assert float(str(row["low"])) <= float(str(row["value"])) <= float(str(row["high"]))
    again = call(*arguments, "--out", "kept")
    assert rows(again) == rows(first) and "from the store" in again.stderr
    sentences = pl.read_parquet(tmp_path / "kept" / "information" / "sentences.parquet")
    assert sentences.height > 40 and set(sentences["side_by_side"]) == {"score", "ceiling"}


def test_long_real_answers_with_missing_cells(call: Call, tmp_path: Path, shared_data: Path) -> None:
    """CaLMQA: each language has some of the questions; a question that a language lacks is counted, not scored."""
    tags = {"english": "en", "spanish": "es", "german": "de", "swahili": "sw"}
    with gzip.open(
        shared_data / "calmqa_longform_outputs" / "gpt_4o.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        answers = [json.loads(next(lines)) for _ in range(12)]
    said = [
        ("gpt", row["id"], tags[name], text)
        for row in answers for name, text in row["answer"].items() if name in tags
    ]  # fmt: skip
    file = write(tmp_path / "calm.jsonl", *said)
    found = rows(call("information", file, "--translator", "none", "--format", "json", "--resamples", 0))
    english = {item for _, item, tag, _ in said if tag == "en"}
    for tag in {tag for *_, tag, _ in said} - {"en"}:
        here = {item for _, item, other, _ in said if other == tag}
        row = found["gpt", tag, "precision"]
        assert row["n"] == len(english & here) and row["excluded"] == len(english ^ here)
        # Unread German and Spanish share names and numbers with English, and hardly a claim.
        assert float(str(row["value"])) < 0.2


def test_a_study_and_then_its_run_evaluated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    asked = runner.invoke(
        app,
        ["run", "translate_then_evaluate", "--task", "atlas-describe", "--model", "pocket/s", "--language", "de", "--language",
         "hi", "--limit", "4", "--translator", "pocket/s", "--trained-on", "pocket/s=de", "--out", "runs/d", "-q"],
    )  # fmt: skip
    assert asked.exit_code == 0, asked.exception
    assert "F of means" in asked.stdout and "Ceiling" in asked.stdout
    groups = runner.invoke(
        app, ["run", "runs/d", "--table", "groups", "--out", "runs/d", "--format", "json", "-q"]
    )
    found = {
        (row["grouping"], row["group"]): row
        for row in json.loads(groups.stdout)["rows"]
        if row["statistic"] == "recall"
    }
    assert found["trained_on", "in"]["languages"] == "de" and found["trained_on", "out"]["languages"] == "hi"
    again = runner.invoke(
        app,
        ["evaluate", "information", "runs/d", "--translator", "pocket/s", "--store", "runs/replies.sqlite", "--translations",
         "runs/translations.sqlite", "--format", "json"],
    )  # fmt: skip
    scores = runner.invoke(app, ["run", "runs/d", "--out", "runs/d", "--format", "json", "-q"])
    wanted = {(row["language"], row["statistic"]): row["value"] for row in json.loads(scores.stdout)["rows"]}
    assert {
        (row["language"], row["statistic"]): row["value"] for row in json.loads(again.stdout)["rows"]
    } == pytest.approx(wanted)
    assert "from the store" in again.stderr
    planned = runner.invoke(app, ["plan", "runs/d", "--format", "json", "--store", "runs/replies.sqlite"])
    (answers,) = [
        row for row in json.loads(planned.stdout)["rows"] if row["what"] == "instruction=de,input=de"
    ]
    assert (answers["requests_low"], answers["requests"], answers["to_ask"]) == (4, 4, 0)


def test_a_refused_reply_refuses_and_an_empty_one_is_left_out(call: Call, tmp_path: Path) -> None:
    lines = ["model,item,input,outcome,reply"]
    for item, became in enumerate(["refused", "empty", "blocked", "answered", "refused"]):
        sorry = '"I am sorry, but I cannot answer that."'
        lines.append(f"m,{item},en,answered,{sorry if item == 4 else PERU}")
        lines.append(f"m,{item},de,{became},{PERU if became == 'answered' else ''}")
    file = tmp_path / "replies.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = rows(call("refusal", file, "--format", "json"))
    # Item 0 refuses in German only, 3 in neither, 4 in both; 1 and 2 say nothing of refusals.
    agreement = found["m", "de", "agreement"]
    assert (agreement["value"], agreement["n"], agreement["excluded"]) == (pytest.approx(2 / 3), 3, 2)
    assert agreement["reason"] == "2 without an answer on a side"
    assert found["m", "de", "change.refusal"]["value"] == pytest.approx(1 / 3)
    shown = call("refusal", file)
    assert "refused counts as present" in shown.stdout and "one side 0" not in shown.stdout
    length = rows(call("length", file, "--format", "json"))["m", "de", "agreement"]
    assert (length["n"], length["excluded"]) == (1, 4)


def test_verdicts_that_could_not_be_read_are_asked_again(call: Call, tmp_path: Path) -> None:
    file = write(
        tmp_path / "r.jsonl", ("m", "1", "en", "Paris"), ("m", "1", "de", "Paris, of course"),
        ("m", "2", "en", "Rome"), ("m", "2", "de", "The city of Rome"),
    )  # fmt: skip
    sane = False

    def judge(body: dict[str, Any], _: int) -> Action:
        readable = sane or "Rome" in user_text(body)
        return Say('{"verdict": "same"}' if readable else "I would say the same.")

    with serving(judge) as endpoint:
        words = ["equivalence", file, "--judge", "http/judge", "--base-url", endpoint.url, "--format", "json"]
        first = call(*words)
        value = rows(first)["m", "de", "agreement"]
        assert (value["n"], value["excluded"]) == (1, 1)
        assert "of the judge's replies 0 come from the store and 8 it gave now" in first.stderr
        assert "1 pair could not be judged from them: --retry-unread" in first.stderr
        asked = len(endpoint.bodies)
        assert asked == 8
        again = call(*words)
        assert rows(again)["m", "de", "agreement"]["n"] == 1 and len(endpoint.bodies) == asked
        assert "of the judge's replies 8 come from the store and 0 it gave now" in again.stderr
        sane = True
        retried = call(*words, "--retry-unread")
        assert rows(retried)["m", "de", "agreement"]["n"] == 2 and len(endpoint.bodies) == asked + 2
        assert "could not be judged" not in retried.stderr
        # What was read at the retry stands in the store like any other reply.
        for more in ((), ("--retry-unread",)):
            kept = call(*words, *more)
            assert rows(kept)["m", "de", "agreement"]["n"] == 2 and len(endpoint.bodies) == asked + 2


def test_an_engine_that_is_none_or_lacks_its_name_is_refused(call: Call, tmp_path: Path) -> None:
    file = write(tmp_path / "answers.jsonl", ("m/a", "1", "en", PERU), ("m/a", "1", "de", PERU))
    refused(call("length", file, "--engine", "rey"), UnknownNameError, "unknown engine: 'rey'", "ray")
    asked = ("information", file, "--judge", "pocket/s", "--engine-workers", 2)
    refused(call(*asked), UsageError, "--engine-workers is for --engine ray")


def test_prompts_in_the_column_of_languages_are_told_as_such_and_not_as_doubled_rows(
    call: Call, tmp_path: Path
) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("model,item,language,input,reply\nm,1,en,Tell me.,Peru.\nm,1,de,Tell me.,Peru.\n")
    refused(call("information", file), DataError, "line 2", "'input'", "unknown language: 'Tell me.'")
