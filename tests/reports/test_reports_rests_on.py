"""What the numbers of a line rest on is said of all of them, and a table says whose numbers it has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from page_outline import undrawn
from typer.testing import CliRunner

import hesperus as hs
from hesperus.cli.app import app
from hesperus.records import write_records
from hesperus.reports.page_files import page_json, page_markdown

GOLD = ("A", "B", "C", "A", "B", "C")
ORIGINAL, MADE = ("en", "en"), ("de_from_en", "de_from_en")
ALL = (ORIGINAL, MADE, ("de_from_en", "en"), ("en", "de_from_en"))
Answer = Callable[[str, tuple[str, str], int], str | None]


def table(file: Path, answer: Answer, *, models: tuple[str, ...] = ("m/a", "m/b"), german: str = "") -> Path:
    """Six items in all four senses; no answer is a failed request; `german` is gold of what was put into German."""
    rows = [
        {"model": model, "task": "quiz", "item": f"i{place}", "instruction": sense[0], "input": sense[1], "repeat": 1,
         "answer": said, "outcome": "answered" if said else "error", "options": list("ABC"),
         "gold": german if german and sense[1] != "en" else gold}
        for model in models for sense in ALL for place, gold in enumerate(GOLD)
        for said in [answer(model, sense, place)]
    ]  # fmt: skip
    write_records(pl.DataFrame(rows, schema_overrides={"answer": pl.String}), file)
    return file


def screen(*arguments: object) -> tuple[str, str]:
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(one) for one in arguments])
    assert done.exit_code == 0, done.stderr
    return done.stdout, done.stderr


def test_items_are_those_of_every_number_of_the_line(tmp_path: Path) -> None:
    lost = table(tmp_path / "t.parquet", lambda _, sense, place: GOLD[place] if sense[1] == "en" else None)
    shown, _ = screen("measure", "consistency", lost, "--resamples", 20)
    line = next(line for line in shown.splitlines() if line.startswith("m/a"))
    # T and X are of no item, I is of six; what was excluded is counted once, and its reason is whole
    assert "0 to 6  50.0 to 100.0" in line and line.split()[-1] == "6"
    assert "excluded 6: no item counts on both sides; 6 items without a reply (error) (every line)" in shown
    some = table(
        tmp_path / "some.parquet", lambda _, sense, place: GOLD[place] if sense[1] == "en" or place else None
    )
    shown, _ = screen("measure", "consistency", some, "--resamples", 20)
    assert "5 to 6" in shown
    for other in ("accuracy", "all_languages"):
        assert "6, 6" not in screen("measure", other, lost, "--resamples", 20)[0]


def test_a_part_of_the_items_is_no_other_number_of_items(tmp_path: Path) -> None:
    half = table(tmp_path / "t.parquet", lambda _, __, place: GOLD[place] if place < 3 else "A")
    shown, _ = screen("measure", "consistency", half, "--resamples", 20, "--format", "markdown")
    line = next(line for line in shown.splitlines() if line.startswith("| quiz | m/a"))
    assert "| 6 | 100.0 | 0 |" in line


def test_a_table_with_rows_of_one_model_names_it(tmp_path: Path) -> None:
    changed = table(
        tmp_path / "t.parquet",
        lambda model, sense, place: "B" if (model, sense, place) == ("m/b", MADE, 0) else GOLD[place],
    )
    page = hs.open_run(changed).page(resamples=50).page
    table_of_changes = next(
        one for one in json.loads(page_json(page))["tables"] if one["caption"].startswith("Where changed")
    )
    assert [row["Model"] for row in table_of_changes["rows"]] == ["m/b"]
    said = "In every line: Model m/b"
    assert said in page_markdown(page).replace("\\", "") and said in undrawn(page)
    alone = table(
        tmp_path / "one.parquet",
        lambda _, sense, place: "B" if (sense, place) == (MADE, 0) else GOLD[place],
        models=("m/b",),
    )
    assert "Model: m/b" not in undrawn(hs.open_run(alone).page(resamples=50).page)


def test_differing_gold_is_no_lack_of_consistency(tmp_path: Path) -> None:
    differs = table(tmp_path / "t.parquet", lambda _, __, place: GOLD[place], german="A")
    _, notes = screen("measure", "summary", differs)
    assert "gold differs" in notes and "more than chance" not in notes
    same = table(
        tmp_path / "same.parquet",
        lambda _, sense, place: GOLD[place] if sense == ORIGINAL else "A",
        german="B",
    )
    _, notes = screen("measure", "summary", same)
    assert "consistency is not shown to be more than chance" in notes


@pytest.mark.parametrize(
    ("what", "said"),
    [("decomposition", "in another sense alone"), ("contrasts", "two models in two languages")],
)
def test_no_rows_says_what_this_measure_needs(tmp_path: Path, what: str, said: str) -> None:
    whole = pl.read_parquet(
        table(tmp_path / "t.parquet", lambda _, __, place: GOLD[place], models=("m/a",))
    ).filter(pl.col("instruction") == pl.col("input"))
    write_records(whole, tmp_path / "whole.parquet")
    _, told = screen("measure", what, tmp_path / "whole.parquet", "--resamples", 20)
    assert said in told and "--a and --b" not in told


def test_the_detectable_difference_has_the_unit_of_the_difference(tmp_path: Path) -> None:
    right = table(tmp_path / "a.parquet", lambda _, __, place: GOLD[place])
    wrong = table(tmp_path / "b.parquet", lambda _, __, place: "A")
    shown, _ = screen("compare", right, wrong, "accuracy", "--format", "markdown")
    detectable = [line.split("|")[-4].strip() for line in shown.splitlines() if line.startswith("| quiz")]
    assert detectable and all(10 < float(text) <= 100 for text in detectable if text != "–")
