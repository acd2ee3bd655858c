"""`hesperus measure raters` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import hesperus
from hesperus.api import measure

TABLE = "item,who,score\n" + "".join(
    f"{item},{who},{score}\n" for item, scores in enumerate(["112", "223", "333", "455"]) for who, score in zip("abc", scores, strict=True)
)  # fmt: skip

RATED = ("--unit", "item", "--rater", "who", "--rating", "score")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_long_table_is_measured(table: Path) -> None:
    done = hesperus(
        "measure", "raters", table, *RATED, "--level", "interval", "--format", "json", "--resamples", "100", "--scale", "1:5",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["measure"] == "raters"
    rows = {(row["statistic"], row["rater_a"], row["rater_b"]): row for row in document["rows"]}
    # Pairs of a unit: 112 has one equal of three, 223 one, 333 three, 455 one.
    assert rows["percent", "", ""]["value"] == pytest.approx((1 / 3 + 1 / 3 + 1 + 1 / 3) / 4)
    assert rows["bias", "c", ""]["value"] > 0 > rows["bias", "a", ""]["value"]
    assert rows["cohen_kappa_quadratic", "a", "b"]["n"] == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--unit", "item"], "--unit COLUMN --rater COLUMN --rating COLUMN"),
        (["--unit", "item", "--rater", "who", "--rating", "score", "--scale", "5:1"], "begins with its lowest rating"),
        (["--unit", "item", "--rater", "who", "--rating", "score", "--scale", "wide"], "--scale is LOW:HIGH"),
        (["--unit", "item", "--rater", "who", "--rating", "score", "--level", "ordinal", "--scale", "1:4"], "line 12, field 'score': '5' of rater 'b' is out of"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(table: Path, words: list[str], message: str) -> None:
    done = hesperus("measure", "raters", table, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_flags_that_choose_records_are_refused(table: Path) -> None:
    done = hesperus(
        "measure", "raters", table, *RATED, "--level", "nominal", "--resamples", "0", "--model", "m"
    )
    assert done.returncode == 2
    assert "--model chooses among records, and raters measures a table of ratings" in done.stderr
    assert measure(
        "raters", table, unit=["item"], rater="who", rating="score", level="nominal", resamples=0
    ).rows


def test_other_measures_take_no_raters(table: Path) -> None:
    done = hesperus("measure", "accuracy", table, "--unit", "item")
    assert done.returncode == 2
    assert "--unit belongs to `measure raters`, not to accuracy" in done.stderr


def test_a_scale_that_one_rater_turned_round_is_said(tmp_path: Path) -> None:
    rows = [(item, who, rating) for item in range(12) for who, rating in (("a", item % 5), ("b", min(4, item % 5 + item % 2)), ("c", 4 - item % 5))]  # fmt: skip

    def said(raters: str) -> str:
        file = tmp_path / f"{raters}.csv"
        lines = [f"{item},{who},{rating}" for item, who, rating in rows if who in raters]
        file.write_text("\n".join(["item,who,score", *lines]) + "\n", encoding="utf-8")
        done = hesperus("measure", "raters", file, *RATED, "--level", "ordinal", "--resamples", "200")
        assert done.returncode == 0, done.stderr
        return done.stderr

    assert "note: c rates against the others: high where the others rate low" in said("abc")
    assert "note: a and c rate against each other: high where the other rates low" in said("ac")
    assert "against" not in said("ab")
