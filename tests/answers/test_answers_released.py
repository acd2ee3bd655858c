"""The default reader against every reply that the authors released, as they read it, by hand where needed."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from hesperus.answers import Reader, read, reader_for
from hesperus.tasks import task

CLASSES = {
    "paws-x": {1: "same", 0: "different", -1: None},
    "boolq": {1: "yes", 0: "no", -1: None},
}

# Every reply on which the reader and the released labels part, and why. Key: task, instruction, start of the reply.
DISAGREEMENTS = {
    ("boolq", "de_from_en", "Vor dem 1. März 2005 war es in einigen US-Bundesstaaten möglich"): (
        'Theirs by hand: invalid. It ends `Daher lautet die Antwort "Ja, früher war es möglich, aber …"`, and the same '
        'hand reads `"Ja, es ist möglich, aber …"`, `"yes, but in minimal amounts"` as ja and yes; so do we.'
    ),
}

SUSPECTED = {
    ("boolq", "de_from_en", "No."): (
        "Released as invalid, 23 items, marked suspected_correct = nein. English under a German instruction: we agree "
        "that it is no answer, and call it wrong_language."
    ),
}


def _reader(name: str, instruction: str, preset: str = "default") -> Reader:
    language = instruction.split("_")[0]
    return reader_for("label", language, answers=task(name).instruction(language).answers, preset=preset)


def _replies(folder: Path, name: str, label: str) -> Iterator[tuple[str, str, str | int, int]]:
    table = pl.read_parquet(folder / "multisense" / f"{name}.parquet")
    yield from table.group_by("instruction", "response", label).len().sort("instruction", "response").rows()


@pytest.mark.parametrize(("name", "rows", "floor"), [("paws-x", 64_000, 1.0), ("boolq", 13_080, 0.9999)])
def test_every_released_reply_is_read_as_its_authors_read_it(
    shared_data: Path, name: str, rows: int, floor: float
) -> None:
    read_alike = total = 0
    parted = set()
    for instruction, reply, theirs, count in _replies(shared_data, name, "label"):
        ours = read(_reader(name, instruction), reply).label
        total += count
        if ours == CLASSES[name][int(theirs)]:
            read_alike += count
        else:
            parted.add((name, instruction, reply))
    listed = [key for key in DISAGREEMENTS if key[0] == name]
    for key in parted:
        assert any(key[:2] == known[:2] and key[2].startswith(known[2]) for known in listed), key
    assert len(parted) == len(listed)
    assert total == rows
    assert read_alike / total >= floor


def test_suspected_slip_of_the_release_is_wrong_language_here(shared_data: Path) -> None:
    for (name, instruction, reply), _ in SUSPECTED.items():
        counts = {
            row[2]: row[3] for row in _replies(shared_data, name, "label") if row[:2] == (instruction, reply)
        }
        assert counts == {-1: 23}
        assert read(_reader(name, instruction), reply).outcome == "wrong_language"


def test_the_hard_cases(shared_data: Path) -> None:
    with (shared_data / "multisense" / "parsing_cases.csv").open(encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file))
    assert len(cases) == 319
    parted = []
    for case in cases:
        name, instruction, reply = case["task"], case["instruction"], case["response"]
        if read(_reader(name, instruction), reply).label != CLASSES[name][int(case["label"])]:
            parted.append((name, instruction, reply))
    assert all(any(key[2].startswith(known[2]) for known in DISAGREEMENTS) for key in parted), parted


def test_outcomes_tell_refusals_from_other_unreadable_replies(shared_data: Path) -> None:
    outcomes: Counter[str] = Counter()
    for instruction, reply, _, count in _replies(shared_data, "boolq", "label"):
        outcomes[read(_reader("boolq", instruction), reply).outcome] += count
    assert outcomes["refused"] >= 60
    assert outcomes["wrong_language"] >= 23
    assert outcomes["invalid"] < 0.01 * outcomes.total()


@pytest.mark.parametrize(("name", "floor"), [("paws-x", 0.9999), ("boolq", 0.998)])
def test_the_authors_preset_follows_their_own_function(shared_data: Path, name: str, floor: float) -> None:
    words = {"yes": 1, "ja": 1, "oui": 1, "sí": 1, "是": 1, "-1": -1}
    alike = total = 0
    for instruction, reply, theirs, count in _replies(shared_data, name, "auto_standardized"):
        ours = read(_reader(name, instruction, "ohmer2023"), reply).label
        total += count
        alike += count * (ours == CLASSES[name][words.get(str(theirs), 0)])
    assert alike / total >= floor


def test_letters_in_twelve_languages_of_another_model(shared_data: Path) -> None:
    """o1-mini on parallel choices in English and eleven African languages: letters, (D), ABCD, refusals."""
    file = shared_data / "idm_african_mcq_outputs" / "o1mini_raw_answers.csv.gz"
    table = pl.read_csv(file, infer_schema_length=0).unpivot(index=["task", "item", "gold"])
    replies = table.filter(~pl.col("task").str.contains("wino")).group_by("variable", "value").len().rows()
    outcomes: Counter[str] = Counter()
    for language, reply, count in replies:
        answer = read(reader_for("choice", language, answers={x: [x] for x in "ABCD"}), reply)
        outcomes[answer.outcome] += count
        if len(bare := reply.strip("()")) == 1:
            assert answer.label == bare
        else:
            assert answer.label is None, reply
    assert outcomes["refused"] >= 15
    assert outcomes.total() == 18_048
