"""Blocks of a page: what is constant is said once, sections without content are left out."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hesperus.reports.blocks import Page, Section, Sentences
from hesperus.reports.columns import Column
from hesperus.reports.formats import answer
from hesperus.reports.grid import Grid, Number
from hesperus.reports.terminal import print_grid

HEADS = (Column("Model"), Column("Right, %", unit="number"), Column("Items", unit="number"))


def test_a_column_that_says_the_same_in_every_line_is_said_in_the_caption() -> None:
    lines = tuple(
        (f"m{place}", Number(0.1 * place, "percentage"), Number(200, "count")) for place in range(1, 4)
    )
    short = Grid("Shares.", HEADS, lines).told_once()
    assert [column.name for column in short.columns] == ["Model", "Right, %"]
    assert short.caption == "Shares. In every line: Items 200."
    assert short.texts == (("m1", "10.0"), ("m2", "20.0"), ("m3", "30.0"))


def test_the_first_line_says_of_all_lines_only_what_holds_of_all() -> None:
    heads = (Column("Model"), Column("difference", "Difference", "points"))
    lines = tuple((name, Number(0.0, "points", -width, width)) for name, width in (("a", 0.09), ("b", 0.2)))
    assert answer("tax", Grid("", heads, lines)) == "tax: Difference 0.0 points in all 2 lines"
    alike = tuple((name, Number(0.0, "points", -0.09, 0.09)) for name in "ab")
    assert answer("tax", Grid("", heads, alike)) == "tax: Difference 0.0 [−9.0, +9.0] points in all 2 lines"
    empty = (*alike, ("c", Number(None, "points", reason="it is empty")))
    assert answer("tax", Grid("", heads, empty)) == "tax: Difference 0.0 [−9.0, +9.0] points in 2 of 3 lines"
    assert answer("tax", Grid("", heads, empty[2:])) == "tax"


def test_a_terminal_keeps_results_where_there_is_room_and_else_says_that_they_are_of_every_line() -> None:
    heads = (
        Column("Model"),
        Column("T", unit="percentage"),
        Column("I", unit="percentage"),
        Column("n", "Items", "count"),
    )
    lines = tuple(
        (f"m{place}", Number(0.1 * place, "percentage", 0.0, 1.0), Number(1.0, "percentage", 0.9, 1.0), Number(200, "count"))
        for place in range(1, 4)
    )  # fmt: skip

    def screen(width: int) -> list[str]:
        console = Console(width=width, file=io.StringIO())
        print_grid(Grid("", heads, lines), console, lead="What was found")
        return console.file.getvalue().splitlines()  # type: ignore[attr-defined]

    wide, narrow = screen(80), screen(36)
    assert wide[1] == "Items 200" and wide[2].split() == ["Model", "T,", "%", "I,", "%"]
    assert [line.count("100.0 [90.0, 100.0]") for line in wide[4:7]] == [1, 1, 1]
    assert " ".join(narrow[1:3]).replace("\u00a0", " ") == "Items 200 · in every line I 100.0 % [90.0, 100.0]"
    assert "I, %" not in "\n".join(narrow[3:])


def test_two_lines_keep_every_column() -> None:
    grid = Grid(
        "Shares.", HEADS, tuple((f"m{place}", Number(0.5), Number(200, "count")) for place in range(2))
    )
    assert grid.told_once() == grid


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("cd"), st.sampled_from("ef")), max_size=6))
def test_nothing_that_differs_is_lost(rows: list[tuple[str, str, str]]) -> None:
    grid = Grid("What.", HEADS, tuple(rows))
    short = grid.told_once()
    assert len(short.rows) == len(rows)
    for place, column in enumerate(HEADS):
        if len({row[place] for row in rows}) > 1:
            assert column in short.columns


def test_an_undefined_number_has_a_reason_and_no_interval() -> None:
    gone = Number(None, "share", 0.1, 0.2, "nothing was answered")
    assert (str(gone), gone.ends) == ("– (nothing was answered)", "")
    assert str(Number(0.995, "percentage", 0.9, 1.0)) == "99.5 [90.0, 100.0]"


def test_sections_without_content_are_left_out() -> None:
    page = Page.of(
        "Title",
        [],
        [Section("Empty", "empty"), Section("Full", "full"), Section("Below", "below", 3), None,
         Sentences(("There.",)), Section("Last", "last"), Sentences(())],
    )  # fmt: skip
    assert [section.anchor for section in page.sections] == ["full", "below"]
