"""Tables for terminals, programs, spreadsheets, pages and papers."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.analysis.table import Table
from hesperus.errors import UnknownNameError
from hesperus.reports.formats import FORMATS, format_table, print_table
from waiting import ends

COLUMNS = ("model", "b", "statistic", "value", "low", "high", "n", "excluded", "reason")


def row(*cells: object) -> dict[str, object]:
    return dict(zip(COLUMNS, cells, strict=True))


TABLE = Table(
    "consistency",
    COLUMNS,
    (
        row("pocket/m", "instruction=de_from_en,input=de_from_en", "T", 0.8723, 0.841, 0.9012, 300, 0, ""),
        row(
            "pocket/m",
            "instruction=ar_from_en,input=en",
            "I",
            None,
            None,
            None,
            0,
            300,
            "no item on both sides",
        ),
        row("pocket/m", "مرحبا", "X", 0.00001, -0.0001, 0.5, 1200, 0, ""),
    ),
    {"hesperus": "0.1.0", "MeasureSettings": {"invalid": "disagree", "bootstrap": {"seed": 0}}},
)


def test_json_is_one_document_with_full_numbers_and_null_for_nothing() -> None:
    found = json.loads(format_table(TABLE, "json"))
    assert list(found) == ["measure", "rows", "intervals", "signature"]
    assert found["rows"][0]["value"] == 0.8723
    assert found["rows"][1]["value"] is None and found["rows"][1]["reason"] == "no item on both sides"
    assert found["signature"]["MeasureSettings"]["bootstrap"] == {"seed": 0}


def test_csv_keeps_numbers_in_full_and_leaves_nothing_empty() -> None:
    found = list(csv.DictReader(io.StringIO(format_table(TABLE, "csv"))))
    assert found[0]["value"] == "0.8723" and found[0]["low"] == "0.841"
    assert found[1]["value"] == "" and found[2]["b"] == "مرحبا"


def test_a_person_sees_the_interval_with_the_value_and_a_dash_for_nothing() -> None:
    text = format_table(TABLE, "table")
    # Of several statistics the first line is about the first.
    assert text.splitlines()[0].startswith("consistency: 87.2 % (") and "Statistic" in text
    assert "87.2 [84.1, 90.1]" in text
    assert "\n\n" not in text.strip() and "low" not in text
    line = next(line for line in text.splitlines() if "Arabic" in line)
    assert " – " in line or line.endswith("–")
    assert "no item on both sides" in text and "excluded 300" in text
    assert "invalid disagree, seed 0" in text


def test_the_wide_format_has_every_row_and_column() -> None:
    lines = format_table(TABLE, "wide").splitlines()
    assert sum(line.startswith("pocket/m") or "pocket/m" in line for line in lines) >= 1
    assert all(name in " ".join(lines) for name in ("Items", "Excluded", "Value"))


def test_numbers_stand_flush_right() -> None:
    lines = format_table(TABLE, "table").replace("\u2068", "").replace("\u2069", "").splitlines()
    ends = {line.index(end) + len(end) for line in lines for end in ("90.1]", "50.0]") if end in line}
    assert len(ends) == 1


def test_right_to_left_text_is_kept_apart_from_its_line() -> None:
    assert "\u2068مرحبا\u2069" in format_table(TABLE, "table")


def test_markdown_and_latex_escape_their_own_signs() -> None:
    nasty = Table("m", ("name", "value"), ({"name": r"a|b_c*[x](y)<i>~&%$#{^}\ ", "value": 1.5},), {})
    assert r"a\|b_c\*\[x\](y)\<i\>\~\&%$\#{^}\\" in format_table(nasty, "markdown")
    latex = format_table(nasty, "latex")
    escaped = (
        r"a\textbar{}b\_c*[x](y)\textless{}i\textgreater{}\textasciitilde{}\&\%\$\#\{\textasciicircum{}\}"
    )
    assert escaped + r"\textbackslash{}" in latex
    assert latex.startswith("\\begin{tabular}{lr}\n\\toprule\n")
    assert "87.2 [84.1, 90.1]" in format_table(TABLE, "markdown")
    assert "--" in format_table(TABLE, "latex")


def test_tables_for_papers_say_how_they_were_made() -> None:
    signed = "hesperus 0.1.0, invalid disagree, seed 0"
    assert f"\n`{signed}`\n" in format_table(TABLE, "markdown")
    assert f"\n% {signed}\n" in format_table(TABLE, "latex")
    assert f"<small>{signed}</small>" in format_table(TABLE, "html")
    # CSV is read by programs: nothing but rows
    assert len(list(csv.reader(io.StringIO(format_table(TABLE, "csv"))))) == 4


def test_what_is_set_for_a_model_says_what_it_is_and_nothing_is_told_twice() -> None:
    signature = {"translator": "none", "translation": {"translator": "none"}, "trained_on": {"a/b": ["de"]}}
    last = format_table(Table("m", ("model",), ({"model": "a/b"},), signature), "table").splitlines()[-1]
    assert last == 'translator none, trained_on {a/b ["de"]}'


def test_the_signs_of_our_own_headings_are_none_of_a_font_for_latex() -> None:
    columns = (
        "model_a",
        "model_b",
        "task",
        "a",
        "b",
        "statistic",
        "value",
        "low",
        "high",
        "n",
        "excluded",
        "reason",
    )
    row = dict(
        zip(columns, ("m", "m", "t", "en", "de", "kappa_p", -0.25, -0.5, 0.125, 9, 0, ""), strict=True)
    )
    latex = format_table(Table("agreement", columns, (row,), {}), "latex")
    assert r"$\kappa$p" in latex and "$-$0.250 [$-$0.500, 0.125]" in latex
    assert latex.split("\\end{tabular}")[0].isascii()


def test_a_column_of_several_units_says_them_in_its_cells() -> None:
    columns = ("statistic", "value", "low", "high", "n", "excluded", "reason", "p", "p_holm")
    share = dict(zip(columns, ("consistency", 0.575, 0.5, 0.75, 40, 0, "", 0.02, 0.04), strict=True))
    number = share | {"statistic": "kappa_p", "value": 0.25, "p": None, "p_holm": None}
    mixed = format_table(Table("some", columns, (share, number), {}), "markdown")
    assert "57.5 [50.0, 75.0] %" in mixed and "| 0.250 [0.500, 0.750] |" in mixed and "Value, %" not in mixed
    # A p value never comes without the one that is corrected over the table
    assert "p (Holm)" in mixed and "0.020 (0.040)" in mixed
    # What is of a part of the items has the unit of the whole
    part = share | {"statistic": "precision_right_language"}
    alike = format_table(
        Table("some", columns, (part, share | {"statistic": "agreement.empathy"}), {}), "markdown"
    )
    assert "Value, %" in alike and "0.575" not in alike
    alone = format_table(Table("some", columns, (share, share), {}), "markdown")
    assert "Value, %" in alone and "| 57.5 [50.0, 75.0] |" in alone


def test_a_reason_that_counts_is_not_counted_twice() -> None:
    counted = row("m", "x", "T", 0.5, 0.25, 0.75, 9, 3, "3 items asked on one side only")
    text = format_table(
        Table("consistency", COLUMNS, (counted, row("n", *list(counted.values())[1:])), {}), "markdown"
    )
    assert "| 3 items asked on one side only |" in text and "3: 3" not in text


def test_a_row_that_begins_with_a_bracket_is_no_argument_of_the_row_before() -> None:
    odd = Table("m", ("name",), ({"name": "[1cm] x"}, {"name": "y"}), {})
    assert "\n{}[1cm] x" in format_table(odd, "latex")


HOSTILE = "\x1b[31mred\x1b[0m\x07 \u202egnp.exe \x9b1m [bold]x[/bold] a\r\nb"


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_cannot_command_a_terminal(format: str) -> None:
    text = format_table(Table("m", ("name",), ({"name": HOSTILE}, {"name": "y"}), {}), format)
    assert not set(text) & set("\x1b\x07\x9b\u202e\r")
    assert "[bold]x" in text.replace("\\", "").replace("{}", "")
    if format == "json":
        assert json.loads(text)["rows"][0]["name"] == HOSTILE


def test_unknown_format_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown format: 'jsn'; did you mean 'json'"):
        format_table(TABLE, "jsn")


@pytest.mark.parametrize("format", FORMATS)
def test_nan_is_refused(format: str) -> None:
    with pytest.raises(ValueError, match="m: column 'value' holds nan, where None and a reason belong"):
        format_table(Table("m", ("value",), ({"value": float("nan")},), {}), format)


@pytest.mark.parametrize("cells", [(1, True, 1, 0, False), (1, 1.0, True, 0, -0.0, None, "1", 0.5)])
def test_equal_values_of_other_kinds_stay_what_they_are(cells: tuple[object, ...]) -> None:
    made = Table("m", ("value",), tuple({"value": cell} for cell in cells), {})
    found = json.loads(format_table(made, "json"))["rows"]
    assert [repr(row["value"]) for row in found] == list(map(repr, cells))


def test_infinity_is_refused_beside_text() -> None:
    mixed = Table("m", ("value",), ({"value": "x"}, {"value": float("inf")}), {})
    with pytest.raises(ValueError, match="holds inf"):
        format_table(mixed, "json")


def test_lines_that_only_numbers_name_are_named_by_the_first_of_them() -> None:
    columns = ("layer", "value", "low", "high", "n", "excluded", "reason")
    rows = [(0, 0.1, 0.0, 0.2, 9, 0, ""), (1, 0.5, 0.4, 0.6, 9, 0, "")]
    made = Table("representations", columns, tuple(dict(zip(columns, one, strict=True)) for one in rows), {})
    assert (
        format_table(made, "table").splitlines()[0] == "representations: 0.100 (layer 0) to 0.500 (layer 1)"
    )


@pytest.mark.parametrize("format", FORMATS)
def test_no_rows(format: str) -> None:
    text = format_table(Table("consistency", COLUMNS, (), {}), format)
    assert text.endswith("\n")
    assert format != "table" or "no rows" in text


def test_other_values_are_written_as_json_and_yes_or_no() -> None:
    table = Table("m", ("flag", "many", "text"), ({"flag": True, "many": [1, "é"], "text": "a\n b"},), {})
    assert format_table(table, "csv") == 'flag,many,text\nTrue,"[1, ""é""]","a\n b"\n'
    text = format_table(table, "table")
    assert "yes" in text and '[1, "é"]' in text and "a ⏎ b" in text


text = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.lists(st.tuples(text, st.none() | st.floats(-1e6, 1e6)), max_size=4))
def test_every_format_writes_every_table(rows: list[tuple[str, float | None]]) -> None:
    table = Table("m", ("name", "value"), tuple({"name": n, "value": v} for n, v in rows), {})
    for format in FORMATS:
        written = format_table(table, format)
        assert written.endswith("\n")
    assert [(r["name"], r["value"]) for r in json.loads(format_table(table, "json"))["rows"]] or rows == []


def test_print_writes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(TABLE, "csv")
    print_table(TABLE, "table")
    out, err = capsys.readouterr()
    assert out == format_table(TABLE, "csv") + format_table(TABLE, "table") and not err


def test_a_terminal_gets_its_own_width() -> None:
    code = (
        "from hesperus.analysis.table import Table; from hesperus.reports.formats import print_table\n"
        "print_table(Table('m', ('name', 'value'), ({'name': 'x' * 70, 'value': 0.5}, {'name': 'y', 'value': None}), {}), 'table')"
    )
    main, side = pty.openpty()
    environment = {**os.environ, "COLUMNS": "50", "TERM": "xterm"}
    with subprocess.Popen([sys.executable, "-c", code], stdout=side, env=environment) as process:
        ends(process)
        os.close(side)
        shown = os.read(main, 10_000).decode()
    os.close(main)
    assert "\x1b[" in shown  # headings are bold or dim on a terminal
    below = shown.partition("\n")[2]  # the first line says the number, too
    assert "x" * 51 not in shown and "x…" in shown and below.count("0.50") == 1
