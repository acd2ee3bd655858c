"""The items behind the numbers, as a page shows them."""

from __future__ import annotations

import polars as pl

from hesperus.records import Run, conform
from hesperus.reports.blocks import Grid, Mark, Page, Sentences
from hesperus.reports.html_page import html
from hesperus.reports.item_matrix import items_blocks


def run_of(answers: dict[str, dict[str, str | None]], *, items: pl.DataFrame | None = None) -> Run:
    """Answers by item and sense; None is a refusal. The right answer is yes."""
    rows = [
        {"model": "m", "task": "t", "item": item, "instruction": sense, "input": sense, "gold": "yes",
         "answer": answer, "outcome": "refused" if answer is None else "answered"}
        for item, senses in answers.items() for sense, answer in senses.items()
    ]  # fmt: skip
    return Run(conform(pl.DataFrame(rows)), items)


def grid_of(run: Run) -> Grid:
    return next(block for block in items_blocks(run) if isinstance(block, Grid))


def test_items_that_lose_most_stand_first_and_even_ones_are_left_out() -> None:
    run = run_of(
        {
            "same": {"en": "yes", "de": "yes", "sw": "yes"},
            "one": {"en": "yes", "de": "yes", "sw": "no"},
            "both": {"en": "yes", "de": "no", "sw": "no"},
            "silent": {"en": "yes", "de": "yes", "sw": None},
        }
    )
    grid = grid_of(run)
    assert [line[0] for line in grid.rows] == ["both", "one", "silent"]
    assert [column.name for column in grid.columns] == [
        "Item", "Right answer", "English (en)", "German (de), original", "Swahili (sw), original",
    ]  # fmt: skip
    assert grid.rows[0][2:] == (Mark("yes", "right"), Mark("no", "wrong", True), Mark("no", "wrong", True))
    assert str(grid.rows[2][-1]) == "refused –"
    said = next(block for block in items_blocks(run) if isinstance(block, Sentences)).texts[0]
    assert said.startswith("3 of 3 items") and "of 4 items" in said


def test_every_answer_alike_is_said_and_one_sense_has_no_section() -> None:
    same = run_of({"a": {"en": "yes", "de": "yes"}})
    assert [block.texts for block in items_blocks(same) if isinstance(block, Sentences)] == [
        ("Every item has the same answer in all senses.",)
    ]
    assert list(items_blocks(run_of({"a": {"en": "no"}}))) == []


def test_texts_of_strangers_are_text_and_questions_are_shortened() -> None:
    hostile = "<script>alert(1)</script>\u202e{{ 7 * 7 }}" + "x" * 5000
    texts = pl.DataFrame({"item": ["a"], "language": ["en"], "field:question": [hostile]})
    run = run_of({"a": {"en": "yes", "de": "<b>no</b>" + "y" * 4000}}, items=texts)
    page = html(Page.of("Items", [], items_blocks(run)))
    assert (
        "<script>alert" not in page and "<b>no" not in page and "\u202e" not in page and "{{ 7 * 7 }}" in page
    )
    assert "x" * 200 not in page and "y" * 200 not in page, "long texts are shortened"
