"""Items that broke: right in the baseline, not right now."""

from __future__ import annotations

import polars as pl

from hesperus.analysis.item_changes import COLUMNS, broken_items
from hesperus.records import conform


def records(
    answers: dict[tuple[str, str], str | None], gold: str | None = "A", model: str = "m"
) -> pl.DataFrame:
    rows = [
        {"model": model, "task": "t", "item": item, "instruction": tag, "input": tag, "repeat": 1, "gold": gold,
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
    found = broken_items(records(BEFORE), records(after)).answers
    assert found.columns == list(COLUMNS)
    assert found.select("item", "input", "before", "now", "senses").rows() == [
        ("1", "en", "A", "B", 2),
        ("1", "sw", "A", "refused", 2),
        ("2", "en", "A", "B", 1),
    ]


def test_nothing_breaks_without_gold_or_common_items_and_how_much_was_compared_is_said() -> None:
    before = records(BEFORE)
    for after, compared in ((before, 4), (records({("9", "en"): "B"}), 0)):
        found = broken_items(before, after)
        assert found.answers.is_empty() and found.compared == compared
    unknown = broken_items(records(BEFORE, None), records(dict.fromkeys(BEFORE, "B"), None))
    assert unknown.answers.is_empty() and unknown.compared == 0


def test_a_model_alone_in_each_run_is_compared_whatever_it_is_called() -> None:
    worse = dict.fromkeys(BEFORE, "B")
    found = broken_items(records(BEFORE), records(worse, model="another"))
    assert found.compared == 4 and set(found.answers["item"]) == {"1", "2", "4"}
    assert set(found.answers["model"]) == {"another"}
    several = pl.concat([records(worse, model="another"), records(worse, model="third")])
    assert broken_items(records(BEFORE), several).compared == 0
