"""Ratings of a long table are held to the scale on which they were given."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.annotation import read_scaled
from hesperus.cli.app import app
from hesperus.errors import DataError, UsageError
from hesperus.studies.translation_tax.simulator import Planted, simulated_benchmark

HEAD = "unit,rater,question,rating\n"


def _file(folder: Path, *rows: str) -> Path:
    path = folder / "ratings.csv"
    path.write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q2,ann,cue,7", "line 3, field 'rating', item 'q2': rater 'ann', question 'cue': '7' is not on the scale"),
        ("q2,ann,cue,0.99", "'0.99' is not on the scale from 1 to 5"),
        ("q2,ann,cue,-3", "'-3' is not on the scale"),
        ("q2,ann,cue,nan", "'nan' is not on the scale"),
        ("q2,ann,cue,inf", "'inf' is not on the scale"),
        ("q2,ann,cue,five", "'five' is not on the scale"),
        ("q1,ann,cue,3", "line 3, field 'rating', item 'q1': .* another rating before"),
        (",ann,cue,3", "line 3, field 'unit': is empty"),
        ("q2,,cue,3", "line 3, field 'rater': is empty"),
    ],
)  # fmt: skip
def test_a_rating_out_of_scale_is_refused_with_its_place(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_scaled(_file(tmp_path, "q1,ann,cue,4", row), (1, 5))
    assert str(tmp_path / "ratings.csv") in str(caught.value)


def test_what_was_said_twice_alike_counts_once_and_words_have_no_scale(tmp_path: Path) -> None:
    rows = ("q1,ann,cue,4", "q1,ann,cue,4.0", "q1,bo,cue, 5 ", "q2,bo,cue,", "q1,ann,why,ambiguous")
    found = read_scaled(_file(tmp_path, *rows), (1, 5))
    assert found.repeated == 1
    assert found.frame["rating"].to_list() == ["4", "5", None, "ambiguous"]
    with pytest.raises(UsageError, match="not 5 to 1"):
        read_scaled(tmp_path / "ratings.csv", (5, 1))
    (tmp_path / "ratings.csv").write_text("unit,rater,rating\nq1,ann,3\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column 'question'"):
        read_scaled(tmp_path / "ratings.csv", (1, 5))


def test_the_audit_of_a_translated_benchmark_takes_only_ratings_on_the_scale(tmp_path: Path) -> None:
    made = simulated_benchmark(Planted(items=30, native=5, tax={"english": 0.3}))
    folder = tmp_path / "planted"
    made.write(folder)
    ratings = made.ratings.with_columns(
        pl.when(pl.col("unit") == "t00007").then(9).otherwise("rating").alias("rating")
    )
    ratings.write_csv(tmp_path / "cues.csv")
    words = [str(folder), "--ratings", str(tmp_path / "cues.csv"), "--resamples", "20", "--format", "json"]
    for name in (("measure", "rating"), ("tax", "checklist")):
        refused = CliRunner().invoke(app, [*name, *words])
        assert isinstance(refused.exception, DataError)
        assert "line 9, field 'rating', item 't00007': rater 'r1', question 'cue': '9'" in str(
            refused.exception
        )
    wider = CliRunner().invoke(app, ["measure", "rating", *words, "--scale", "1:9"])
    assert wider.exit_code == 0 and json.loads(wider.stdout)["rows"]
    (tmp_path / "cues.csv").write_bytes((folder / "ratings.csv").read_bytes() + b"t00000,r1,cue,\n")
    first = made.ratings.row(0, named=True)
    with (tmp_path / "cues.csv").open("a", encoding="utf-8") as file:
        file.write(f"{first['unit']},{first['rater']},cue,{first['rating']}\n")
    again = CliRunner().invoke(app, ["measure", "rating", *words])
    assert again.exit_code == 0 and "1 rows repeat a rating of the same rater; excluded" in again.stderr
