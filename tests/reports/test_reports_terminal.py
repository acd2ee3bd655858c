"""Tables in terminals of any width: rows stay whole, numbers are never cut, nothing that was measured is excluded."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from hesperus.analysis.compared import changed_sentence
from hesperus.analysis.reply_language import language_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import Table
from hesperus.measures import Bootstrap
from hesperus.records import conform
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
    "a measure of a plug-in",
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
def test_a_row_is_one_line_with_its_number_and_why_there_is_none_is_said_below(width: int) -> None:
    lines = format_table(TABLE, "table", width=width).splitlines()
    assert max(map(cell_len, lines)) <= width
    for value in (
        r"84\.5 \[79\.5, 89\.5\]|85 \[80, 90\]",
        r"25\.1 \[20\.1, 30\.1\]|25 \[20, 30\]",
    ):
        assert sum(re.search(value, line) is not None for line in lines) == 1
    text = " ".join(" ".join(lines).split())
    assert "no item is wrong on the source's side" in text and "excluded 3" in text
    assert "pocket/m" in text and "Swahili" in text


def test_names_and_numbers_get_short_before_a_column_is_left_out() -> None:
    wide, narrow = (format_table(TABLE, "table", width=width) for width in (160, 64))
    assert "German (de) from English" in wide and "84.5 [79.5, 89.5]" in wide
    assert "German from English" in narrow and "85 [80, 90]" in narrow
    assert "--format wide has also" not in wide


def test_what_names_the_rows_moves_into_headings_where_it_stays_the_same() -> None:
    rows = [
        _row(f"{model} {'long ' * 5}", f"{tag}_from_en", "s" * 9, 0.5 + place / 100)
        for model in ("m/a", "m/b")
        for place, tag in enumerate(("de", "sw", "ar", "hi"))
    ]
    lines = format_table(Table("m", TABLE.columns, tuple(rows), {}), "table", width=46).splitlines()
    assert max(map(cell_len, lines)) <= 46
    assert [line[:3] for line in lines if line.startswith("m/")] == ["m/a", "m/b"]


def test_conditions_say_instruction_input_and_repeat() -> None:
    rows = [_row("m", "x", "s", 0.5 + place / 10) for place in range(3)]
    rows[0]["b"] = "instruction=de_from_en,input=en"
    rows[1]["b"] = "instruction=en,input=en,repeat=2"
    rows[2]["b"] = "instruction=en,input=de_from_en"
    text = format_table(Table("m", TABLE.columns, tuple(rows), {}), "table", width=70)
    for short in ("German from English / English", "English, repeat 2", "English / German from English"):
        assert any(line.startswith(short) for line in text.splitlines()), text


def test_columns_that_do_not_fit_are_named_and_no_row_is_broken() -> None:
    columns = ("model", *(f"statistic_{place}" for place in range(12)))
    rows = [
        {"model": name, **{column: 0.123 + place / 100 for column in columns[1:]}}
        for place, name in enumerate("ab")
    ]
    lines = format_table(Table("wide", columns, tuple(rows), {}), "table", width=70).splitlines()
    assert max(map(len, lines)) <= 70 and sum(line.startswith("a ") for line in lines) == 1
    said = " ".join(lines)
    assert "Statistic 0" in said and "--format wide has also:" in said and "Statistic 11" in said
    whole = format_table(Table("wide", columns, tuple(rows), {}), "wide").splitlines()
    assert all(f"Statistic {place}" in whole[1] for place in range(12))


def test_what_is_the_same_in_every_line_is_said_once() -> None:
    rows = tuple({"model": name, "task": "atlas", "value": place / 10} for place, name in enumerate("abc"))
    lines = format_table(Table("m", ("model", "task", "value"), rows, {}), "table", width=60).splitlines()
    assert lines[1] == "Task atlas" and "atlas" not in " ".join(lines[2:])
    same = tuple({"model": name, "of": name, "value": 1.0} for name in "abc")
    text = format_table(Table("m", ("model", "of", "value"), same, {}), "table", width=60)
    assert "the same in all 3 lines" in text and "Value 1.000" in text
    whole = format_table(Table("m", ("model", "of", "value"), same, {}), "wide", width=60).splitlines()
    assert [line.split() for line in whole[-3:]] == [[name, name, "1.000"] for name in "abc"]


def test_long_texts_of_a_checklist_go_under_their_row_and_none_is_lost() -> None:
    long = "a sentence that is far too long for the width of this terminal, and that must be read to its end"
    rows = tuple(
        {
            "section": f"s{n}",
            "item": f"item {n}",
            "status": "done",
            "finding": long,
            "command": f"hesperus {n} {long}",
        }
        for n in range(2)
    )
    columns = ("section", "item", "status", "finding", "command")
    text = format_table(Table("reporting checklist", columns, rows, {}), "table", width=60)
    assert " ".join(text.split()).count(long) == 4 and "hesperus 0" in text
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
        == "compare accuracy: 2 of 3 differences are significant (p_holm < 0.05): 1 higher, 1 lower"
    )
    untested = Table("compare accuracy", columns, ({"value": 0.1, "p_holm": None},), {})
    assert changed_sentence(untested) == "compare accuracy: 1 difference, none tested"


@settings(max_examples=30, deadline=None)
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


def test_values_that_are_all_undefined_say_why_once() -> None:
    rows = tuple(_row("pocket/m", "de_from_en", name, None, "nothing was answered") for name in ("a", "b"))
    text = format_table(Table("m", TABLE.columns, rows, {}), "table", width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert " ".join(text.split()).count("nothing was answered") == 1


def test_languages_of_replies_have_a_table_of_their_own_below_the_rates() -> None:
    texts = {
        "fr": "Le train de Lyon partira aujourd'hui avec une demi-heure de retard à cause des travaux.",
        "de": "Der Zug nach München fährt heute wegen der Bauarbeiten eine halbe Stunde später ab.",
    }
    rows = [
        {"model": "m", "task": "open", "item": f"i{place}", "instruction": asked, "input": asked, "answer": text, "reply": text}
        for asked in ("fr", "de")
        for place, text in enumerate([texts["fr"]] * 3 + [texts["de"]])
    ]  # fmt: skip
    found = language_table(conform(pl.DataFrame(rows)), MeasureSettings(bootstrap=Bootstrap(50)))
    lines = format_table(found, "table", width=100).splitlines()
    start = lines.index("In which language the replies are.")
    rates, shares = (
        [line for line in part if line.startswith(("French", "German"))]
        for part in (lines[:start], lines[start:])
    )
    assert [line.split()[0] for line in rates] == ["French", "German"] and not any(
        "–" in one for one in rates
    )
    assert [tuple(line.split()[place] for place in (0, 2, 4)) for line in shares] == [
        ("French", "German", "25.0"), ("French", "French", "75.0"), ("German", "German", "25.0"), ("German", "French", "75.0"),
    ]  # fmt: skip
