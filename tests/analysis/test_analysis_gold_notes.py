"""What a reader must know of the right answers of records."""

from __future__ import annotations

import polars as pl
import pytest

from hesperus.analysis.run_notes import gold_notes
from hesperus.records import conform


def _records(gold: dict[str, str | None], options: list[str] | None) -> pl.DataFrame:
    rows = [
        {"model": "m", "task": "t", "item": f"i{place}", "instruction": code, "input": code, "answer": said, "gold": right,
         "options": options}
        for code, right in gold.items() for place, said in enumerate((options or ["A", "B"])[:2])
    ]  # fmt: skip
    return conform(pl.DataFrame(rows, schema_overrides={"gold": pl.String, "options": pl.List(pl.String)}))


@pytest.mark.parametrize(
    ("gold", "options", "begins"),
    [
        ({"en": "A", "de": "A"}, ["A", "B"], None),
        ({"en": None, "de": None}, ["A", "B"], None),
        ({"en": "A", "de": "B"}, ["A", "B"], None),
        (
            {"en": "A", "de": None, "sw": None},
            ["A", "B"],
            "t: 2 items without gold in German, Swahili: accuracy there excludes them",
        ),
        (
            {"en": "right", "de": "right"},
            ["right", "wrong"],
            "t: of each answer it is only known whether it is right",
        ),
        ({"en": "right", "de": "right"}, ["right", "wrong", "both"], None),
    ],
)
def test_what_is_said_of_gold(gold: dict[str, str | None], options: list[str], begins: str | None) -> None:
    found = gold_notes(_records(gold, options))
    assert len(found) == (begins is not None) and all(note.startswith(str(begins)) for note in found)


def test_right_answers_in_other_words_are_said_to_count_as_different() -> None:
    rows = [
        {"model": "m", "task": "t", "item": f"i{place}", "instruction": code, "input": code, "answer": said, "gold": said}
        for code, answers in {"en": ["Rome", "Paris"], "de": ["Rom", "Paris"]}.items()
        for place, said in enumerate(answers)
    ]  # fmt: skip
    (told,) = gold_notes(conform(pl.DataFrame(rows)))
    assert told.startswith("t: 1 item answered rightly") and "'Rom' and 'Rome'" in told
    wrong = [row | {"gold": "Oslo"} if row["answer"] == "Rom" else row for row in rows]
    assert gold_notes(conform(pl.DataFrame(wrong))) == []
