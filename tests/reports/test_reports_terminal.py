"""Tables in terminals of any width: rows stay whole, numbers are never cut, nothing that was measured is left out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from hesperus.analysis.compared import changed_sentence
from hesperus.analysis.table import Table
from hesperus.reports.formats import format_table

KEYS = ("model", "task", "a", "b", "statistic")
MEASURED = ("value", "low", "high", "n", "answered", "excluded", "reason")


def _row(
    model: str, b: str, statistic: str, value: float | None, reason: str = "", excluded: int = 0
) -> dict[str, object]:
    a = "instruction=en,input=en,repeat=1"
    low, high = (None, None) if value is None else (value - 0.05, value + 0.05)
    cells = (
        model,
        "atlas",
        a,
        f"instruction={b},input={b}",
        statistic,
        value,
        low,
        high,
        200,
        1.0,
        excluded,
        reason or None,
    )
    return dict(zip((*KEYS, *MEASURED), cells, strict=True))


TABLE = Table(
    "consistency",
    (*KEYS, *MEASURED),
    (
        _row("pocket/m", "de_from_en", "consistency", 0.845),
        _row("pocket/m", "de_from_en", "consistency_incorrect", None, "no item is wrong on the source's side", 3),
        _row("pocket/l", "sw_from_en", "consistency", 0.512),
        _row("pocket/l", "sw_from_en", "consistency_incorrect", 0.251),
    ),
    {},
)  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_a_row_is_one_line_and_every_number_is_whole(width: int) -> None:
    lines = format_table(TABLE, "table", width=width).splitlines()
    assert max(map(cell_len, lines)) <= width
    for number in ("0.845 [0.795, 0.895]", "0.512 [0.462, 0.562]", "0.251 [0.201, 0.301]"):
        assert sum(number in line for line in lines) == 1
    text = " ".join(" ".join(lines).split())
    assert "no item is wrong on the source's side" in text and "pocket/m" in text and "sw_from_en" in text


def test_what_names_the_rows_moves_into_headings_and_conditions_are_short() -> None:
    lines = format_table(TABLE, "table", width=80).splitlines()
    assert lines[3] == "atlas  en" and lines[4].startswith("pocket/m  de_from_en  consistency ")
    narrow = format_table(TABLE, "table", width=60).splitlines()
    assert sum(line.startswith("pocket/m") for line in narrow) == 1
    assert any(line.startswith("consistency ") for line in narrow)
    under = lines[next(i for i, line in enumerate(lines) if "–" in line) + 1]
    assert under.startswith("    excluded 3; no item is wrong")


def test_conditions_in_short_say_instruction_input_and_repeat() -> None:
    rows = [_row("m", "x", "s" * 30, 0.5) for _ in range(3)]
    rows[0]["b"] = "instruction=de_from_en,input=en"
    rows[1]["b"] = "instruction=en,input=en,repeat=2"
    rows[2]["b"] = "instruction=en,input=de_from_en"
    text = format_table(Table("m", TABLE.columns, tuple(rows), {}), "table", width=80)
    assert all(
        re.search(rf"(?m)^(en  )?{short} ", text) for short in ("de_from_en/en", "en #2", "en/de_from_en")
    )


def test_a_wide_table_is_cut_between_columns_and_says_whose_row_it_is_each_time() -> None:
    columns = ("model", *(f"statistic_{place}" for place in range(12)))
    rows = [{"model": name, **{column: 0.123 for column in columns[1:]}} for name in ("a", "b")]
    text = format_table(Table("wide", columns, tuple(rows), {}), "table", width=70)
    lines = text.splitlines()
    heads = [line for line in lines if line.startswith("model")]
    assert len(heads) > 1 and max(map(len, lines)) <= 70
    assert [name for head in heads for name in head.split()[1:]] == list(columns[1:])
    assert sum(line.startswith("a ") for line in lines) == len(heads)


def test_long_texts_go_under_their_row_and_none_is_lost() -> None:
    long = "a sentence that is far too long for the width of this terminal, and that must be read to its end"
    rows = tuple(
        {"section": "s", "item": f"item {n}", "finding": long, "command": f"hesperus {n} {long}"}
        for n in range(2)
    )
    text = format_table(Table("list", ("section", "item", "finding", "command"), rows, {}), "table", width=60)
    assert " ".join(text.split()).count(long) == 4 and "command hesperus 0" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 60


def test_the_answer_comes_first() -> None:
    assert format_table(TABLE, "table", lead="the answer").splitlines()[0] == "the answer"
    assert "the answer" not in format_table(TABLE, "json", lead="the answer")


def test_a_comparison_says_how_much_is_certain() -> None:
    columns = ("value", "p_holm")
    rows = ((0.1, 0.01), (-0.2, 0.02), (0.3, 0.06), (None, None))
    made = Table("compare accuracy", columns, tuple(dict(zip(columns, row, strict=True)) for row in rows), {})
    assert (
        changed_sentence(made)
        == "compare accuracy: 2 of 3 differences are certain (p_holm < 0.05): 1 higher, 1 lower"
    )
    untested = Table("compare accuracy", columns, ({"value": 0.1, "p_holm": None},), {})
    assert changed_sentence(untested) == "compare accuracy: 1 difference, none tested"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(max_size=40), st.floats(-1e6, 1e6) | st.none(), st.text(max_size=120)),
        min_size=1,
        max_size=6,
    ),
    st.integers(40, 160),
)
def test_any_text_fits_any_width_and_stays_text(
    cells: list[tuple[str, float | None, str]], width: int
) -> None:
    rows = tuple({"name": name, "value": value, "reason": reason} for name, value, reason in cells)
    lines = format_table(Table("m", ("name", "value", "reason"), rows, {}), "table", width=width).split("\n")
    assert all(cell_len(line) <= width + 1 for line in lines)
    assert not [c for line in lines for c in line if ord(c) < 32 or 0x7F <= ord(c) < 0xA0]


def test_a_list_of_properties_wraps_in_its_own_column() -> None:
    rows = (
        {"property": "languages", "value": "de fr " * 30},
        {"property": "url", "value": "https://example.org"},
    )
    lines = format_table(Table("task", ("property", "value"), rows, {}), "table", width=60).splitlines()
    assert (
        max(map(len, lines)) <= 60
        and lines[1].startswith("languages  de fr")
        and lines[2].startswith(" " * 11)
    )
    assert " ".join(" ".join(lines).split()).count("de fr") == 30


def test_values_that_are_all_undefined_stay_values() -> None:
    rows = tuple(_row("pocket/m", "de_from_en", name, None, "nothing was answered") for name in ("a", "b"))
    lines = format_table(Table("m", TABLE.columns, rows, {}), "table", width=60).splitlines()
    assert max(map(len, lines)) <= 60 and sum("nothing was answered" in line for line in lines) == 2
