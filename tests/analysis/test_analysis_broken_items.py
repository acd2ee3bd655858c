"""Items that broke: right in the baseline, not right now."""

from __future__ import annotations

import polars as pl

from hesperus.analysis.broken_items import COLUMNS, broken_items
from hesperus.records import conform


def records(answers: dict[tuple[str, str], str | None], gold: str | None = "A") -> pl.DataFrame:
    rows = [
        {"model": "m", "task": "t", "item": item, "instruction": tag, "input": tag, "repeat": 1, "gold": gold,
         "outcome": "answered" if answer in ("A", "B") else answer or "refused",
         "answer": answer if answer in ("A", "B") else None, "options": ["A", "B"]}
        for (item, tag), answer in answers.items()
    ]  # fmt: skip
    return conform(pl.DataFrame(rows, infer_schema_length=None))


BEFORE = {
    ("1", "en"): "A",
    ("1", "sw"): "A",
    ("2", "en"): "A",
    ("3", "en"): "B",
    ("4", "en"): "A",
    ("5", "en"): "error",
}


def test_what_was_right_and_is_not_is_listed_the_widest_loss_first() -> None:
    after = {
        ("1", "en"): "B",
        ("1", "sw"): None,
        ("2", "en"): "B",
        ("3", "en"): "A",
        ("4", "en"): "error",
        ("5", "en"): "B",
    }
    found = broken_items(records(BEFORE), records(after))
    assert found.columns == list(COLUMNS)
    assert found.select("item", "input", "before", "now", "senses").rows() == [
        ("1", "en", "A", "B", 2),
        ("1", "sw", "A", "refused", 2),
        ("2", "en", "A", "B", 1),
    ]


def test_nothing_breaks_without_gold_or_common_items() -> None:
    before = records(BEFORE)
    assert broken_items(before, before).is_empty()
    assert broken_items(records(BEFORE, None), records(dict.fromkeys(BEFORE, "B"), None)).is_empty()
    assert broken_items(before, records({("9", "en"): "B"})).is_empty()
