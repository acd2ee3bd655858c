"""Logs that two tools wrote about pocket/s, held against what the model says when it is asked directly."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
import pytest

from hesperus.models import LocalModel, model
from hesperus.normalization import comparable
from hesperus.records import conform
from hesperus.records.importers import Imported, ImportSettings, import_logs
from hesperus.records.importers.zipped import Entries
from hesperus.studies.reread.rereading import reread
from hesperus.types import Prompt, Reply, Request, Settings

LOGS = Path(__file__).with_name("logs")
LETTERS = "ABCD"


@pytest.fixture(scope="module")
def checkpoint() -> LocalModel:
    """The model that both tools asked: pocket/s as it was then, which stands beside the logs."""
    return model(f"hf/{LOGS / 'checkpoint'}")  # type: ignore[return-value]  # a local model


@pytest.fixture(scope="module")
def lm_eval() -> Imported:
    return import_logs(LOGS / "lm_eval")


@pytest.fixture(scope="module")
def inspect() -> Imported:
    return import_logs(LOGS / "inspect")


def _documents(task: str, language: str) -> dict[str, dict[str, object]]:
    path = next((LOGS / "lm_eval" / "pocket-s").glob(f"samples_{task}_{language}_*.jsonl"))
    rows = [json.loads(line)["doc"] for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["item"]: row for row in rows}


def _direct(
    asked_of: LocalModel, prompts: list[str], options: list[tuple[str, ...]] | None = None
) -> list[Reply]:
    greedy = Settings(temperature=0.0, max_tokens=32)
    asked = [
        Request(asked_of.name, Prompt(prompt), greedy, options=options[place] if options else None)
        for place, prompt in enumerate(prompts)
    ]
    return asked_of.replies(asked)


@pytest.mark.parametrize("language", ["en", "de", "sw"])
def test_scored_options_are_those_of_the_model(
    lm_eval: Imported, checkpoint: LocalModel, language: str
) -> None:
    documents = _documents("atlas", language)
    records = lm_eval.records.filter(task="atlas", input=language)
    assert sorted(records["item"]) == sorted(documents) and len(documents) == 12
    wanted = [documents[item] for item in records["item"]]
    replies = _direct(
        checkpoint, [str(doc["prompt"]) for doc in wanted], [tuple(doc["choices"]) for doc in wanted]
    )  # type: ignore[arg-type]
    for row, doc, reply in zip(records.iter_rows(named=True), wanted, replies, strict=True):
        assert row["gold"] == doc["answer"] and row["options"] == list(LETTERS)
        scores = reply.option_logprobs
        assert scores is not None
        total = sum(math.exp(score) for score in scores)
        assert row["probs"] == pytest.approx([math.exp(score) / total for score in scores], abs=1e-5)
        assert row["answer"] == LETTERS[max(range(4), key=scores.__getitem__)]
        assert row["relation"] == row["item"].split("/")[0]


@pytest.mark.parametrize("language", ["en", "de", "sw"])
def test_generated_names_are_those_of_the_model(
    lm_eval: Imported, inspect: Imported, checkpoint: LocalModel, language: str
) -> None:
    documents = _documents("atlas_open", language)
    replies = _direct(checkpoint, [str(doc["prompt"]) for doc in documents.values()])
    known = {item: reply.text for item, reply in zip(documents, replies, strict=True)}
    for imported in (lm_eval, inspect):
        records = imported.records.filter(task="atlas-open", input=language)
        right = dict(zip(records["item"], records["gold"], strict=True))
        own = {item: comparable(str(doc["answer"])) for item, doc in documents.items()}
        # The label of an item is its English gold in every language; other answers are their words as they are compared.
        labels = {
            item: right[item] if comparable(text) == own[item] else comparable(text)
            for item, text in known.items()
        }
        assert dict(zip(records["item"], records["answer"], strict=True)) == labels
        assert right["capital/italy"] == "Rome" if "capital/italy" in right else right


def test_letters_that_a_scorer_did_not_read_are_read_again(inspect: Imported, checkpoint: LocalModel) -> None:
    records = conform(inspect.records.filter(task="atlas"))
    assert records["outcome"].to_list() == ["invalid"] * 36
    again, counts = reread(records)
    assert counts.after["answered"] == 36
    for log in (log for log in inspect.logs if log["task"] == "atlas"):
        entries = Entries(LOGS / "inspect" / str(log["log"]), str(log["log"]))
        samples = [json.loads(entries.read(name)) for name in entries if name.startswith("samples/")]
        assert len(samples) == 12
        asked = _direct(checkpoint, [sample["messages"][0]["content"] for sample in samples])
        known = {sample["id"]: reply.text for sample, reply in zip(samples, asked, strict=True)}
        rows = again.filter(input=log["language"])
        assert dict(zip(rows["item"], rows["answer"], strict=True)) == known
        assert {sample["id"]: sample["target"] for sample in samples} == dict(
            zip(rows["item"], rows["gold"], strict=True)
        )


def test_both_tools_give_the_same_items_of_the_same_task(lm_eval: Imported, inspect: Imported) -> None:
    for imported in (lm_eval, inspect):
        assert imported.left_out == ()
        assert imported.notes[0].startswith("atlas-open: gold is text; ")
        assert not any("guessed" in note for note in imported.notes)
        cells = imported.records.group_by("task", "input").agg(pl.len(), pl.col("item").sort())
        assert cells.height == 6 and set(cells["len"]) == {12}
        assert cells["item"].n_unique() == 1
        assert set(imported.records["model"]) == {"hf/pocket-s"}
    golds = [
        imported.records.filter(task="atlas").select("item", "input", "gold").sort(pl.all())
        for imported in (lm_eval, inspect)
    ]
    assert golds[0].equals(golds[1])


def test_both_tools_in_one_import_are_two_logs_of_the_same() -> None:
    newest = import_logs(LOGS)
    assert {left.reason for left in newest.left_out} == {"a second log of the same"}
    assert len(newest.records) == 72
    both = import_logs(LOGS, ImportSettings(again="repeats"))
    assert len(both.records) == 144 and set(both.records["repeat"]) == {1, 2} and not both.left_out


def test_the_logs_name_no_place_of_a_machine() -> None:
    for path in LOGS.rglob("*"):
        if path.suffix == ".eval":
            entries = Entries(path, path.name)
            data = b"".join(entries.read(name) for name in entries)
        else:
            data = path.read_bytes() if path.is_file() else b""
        for place in (b"/tmp/", b"/home/", b"/root/", b"/Users/", b"C:\\\\"):
            assert place not in data, (path.name, place)
