"""Agreement of raters from long tables, and what is said of tables that are not in order."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hesperus.analysis.raters import categories_table, confusion_table, raters_table
from hesperus.analysis.rating_tables import RaterSettings
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import Bootstrap
from hesperus.tables import read_table

OBSERVERS = {
    "a": "1 2 3 3 2 1 4 1 2 . . .", "b": "1 2 3 3 2 2 4 1 2 5 . 3",
    "c": ". 3 3 3 2 3 4 2 2 5 1 .", "d": "1 2 3 3 2 4 4 1 2 5 1 .",
}  # fmt: skip
"""Krippendorff (2011), four observers and twelve units."""

LONG = pl.DataFrame(
    [
        {"unit": f"u{place:02}", "who": rater, "score": None if rating == "." else rating}
        for rater, line in OBSERVERS.items()
        for place, rating in enumerate(line.split())
    ]
)
SETTINGS = RaterSettings(("unit",), "who", "score", "ordinal", bootstrap=Bootstrap(200))


def test_krippendorffs_example_as_a_long_table(tmp_path: Path) -> None:
    for name, write in (
        ("r.csv", LONG.write_csv),
        ("r.parquet", LONG.write_parquet),
        ("r.jsonl", LONG.write_ndjson),
    ):
        write(tmp_path / name)
        found = raters_table(read_table(tmp_path / name), SETTINGS)
        alpha = found.only("statistic", ["krippendorff_alpha"]).rows[0]
        assert alpha["value"] == pytest.approx(0.815, abs=5e-4)
        assert (alpha["n"], alpha["excluded"]) == (11, 1)
        assert found.signature["without_rating"] == 7
        assert any("7 of" in note and "no rating" in note for note in found.signature["notes"])
    statistics = [row["statistic"] for row in found.rows]
    assert statistics.count("cohen_kappa_quadratic") == statistics.count("cohen_kappa") == 6
    assert statistics.count("bias") == 4
    assert {"percent", "fleiss_kappa", "gwet_ac1"} <= set(statistics)
    fleiss = found.only("statistic", ["fleiss_kappa"]).rows[0]
    assert fleiss["value"] is None and "2 to 4 ratings" in str(fleiss["reason"])


def test_groups_are_measured_apart(shared_data: Path) -> None:
    with gzip.open(shared_data / "estonian_multi_annotator" / "ratings.csv.gz") as stream:
        frame = pl.read_csv(stream.read(), infer_schema=False)
    settings = RaterSettings(
        ("generator", "conversation"), "annotator", "value", "ordinal", by=("scale",), bootstrap=Bootstrap(50)
    )
    found = raters_table(frame, settings).only("statistic", ["krippendorff_alpha"])
    values = {row["scale"]: row["value"] for row in found.rows}
    assert values == {"fluency": pytest.approx(0.190, abs=5e-4), "coherence": pytest.approx(0.228, abs=5e-4)}


def test_names_in_an_order_and_confusion() -> None:
    frame = pl.DataFrame(
        {
            "u": [1, 2, 3, 1, 2, 3],
            "w": ["x"] * 3 + ["y"] * 3,
            "r": ["low", "mid", "high", "low", "high", "high"],
        }
    )
    settings = RaterSettings(
        ("u",), "w", "r", "ordinal", order=("low", "mid", "high"), bootstrap=Bootstrap(0)
    )
    rows = confusion_table(frame, settings).rows
    counts = {(row["rating_a"], row["rating_b"]): row["count"] for row in rows if row["count"]}
    assert counts == {("low", "low"): 1, ("mid", "high"): 1, ("high", "high"): 1}
    bias = raters_table(frame, settings).only("statistic", ["bias"]).rows
    assert [row["value"] for row in bias] == [pytest.approx(-1 / 3), pytest.approx(1 / 3)]
    with pytest.raises(DataError, match="line 2, field 'r': 'mid' is not in the order given"):
        raters_table(frame, RaterSettings(("u",), "w", "r", "ordinal", order=("low", "high")))


def test_the_same_rating_again_is_counted_another_one_is_refused() -> None:
    twice = pl.concat([LONG, LONG.head(2)])
    found = raters_table(twice, SETTINGS)
    assert found.signature["repeated"] == 2
    assert found.rows[0]["value"] == pytest.approx(0.815, abs=5e-4)
    changed = pl.concat([LONG, LONG.head(1).with_columns(score=pl.lit("4"))])
    with pytest.raises(
        DataError, match=r"line 1: a rated unit=u00 more than once, differently.*--duplicates first or last"
    ):
        raters_table(changed, SETTINGS)
    last = RaterSettings(("unit",), "who", "score", "ordinal", duplicates="last", bootstrap=Bootstrap(0))
    first = RaterSettings(("unit",), "who", "score", "ordinal", duplicates="first", bootstrap=Bootstrap(0))
    assert raters_table(changed, first).rows[0]["value"] == pytest.approx(0.815, abs=5e-4)
    assert raters_table(changed, last).rows[0]["value"] != pytest.approx(0.815, abs=5e-3)


def test_a_rater_who_changes_her_mind_twice_has_the_last_word() -> None:
    frame = pl.DataFrame({"u": [1, 1, 1, 1], "w": ["x", "x", "x", "y"], "r": ["1", "2", "1", "1"]})
    settings = RaterSettings(("u",), "w", "r", duplicates="last", bootstrap=Bootstrap(0))
    assert raters_table(frame, settings).only("statistic", ["percent"]).rows[0]["value"] == 1.0


def test_bad_tables_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(DataError, match="cannot be read"):
        read_table(tmp_path / "broken.parquet")
    with pytest.raises(UnknownNameError, match="unknown column of r.csv: 'scor'; did you mean 'score'"):
        raters_table(LONG, RaterSettings(("unit",), "who", "scor"), file="r.csv")
    wrong = LONG.with_columns(
        score=pl.when(pl.col("unit") == "u03").then(pl.lit("good")).otherwise(pl.col("score"))
    )
    with pytest.raises(
        DataError,
        match="line 4, field 'score': 'good' of rater 'a' is no number, which the level ordinal needs",
    ):
        raters_table(wrong, SETTINGS)
    scaled = RaterSettings(("unit",), "who", "score", "ordinal", scale=(1, 4))
    with pytest.raises(DataError, match="'5' of rater .* is out of the scale from 1 to 4"):
        raters_table(LONG, scaled)
    with pytest.raises(DataError, match="agreement needs two raters, found 1"):
        raters_table(LONG.filter(pl.col("who") == "a"), SETTINGS)
    with pytest.raises(DataError, match="there is no rating"):
        raters_table(LONG.with_columns(score=pl.lit(None, dtype=pl.String)), SETTINGS)
    with pytest.raises(DataError, match="line 1, field 'who': is empty"):
        raters_table(LONG.with_columns(who=pl.when(pl.col("who") != "a").then(pl.col("who"))), SETTINGS)


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown level of measurement: 'likert'"):
        RaterSettings(("u",), "w", "r", "likert")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="named twice"):
        RaterSettings(("u",), "u", "r")
    with pytest.raises(UsageError, match="give --unit"):
        RaterSettings((), "w", "r")
    with pytest.raises(UsageError, match="nominal scale has no ends"):
        RaterSettings(("u",), "w", "r", "nominal", scale=(1, 5))
    with pytest.raises(UnknownNameError, match="rule for duplicates"):
        RaterSettings(("u",), "w", "r", duplicates="mean")  # type: ignore[arg-type]


def test_a_ratio_scale_begins_at_0() -> None:
    frame = pl.DataFrame({"u": [1, 1, 2, 2], "w": list("xyxy"), "r": ["1", "2", "3", "-1"]})
    settings = RaterSettings(("u",), "w", "r", "ratio", bootstrap=Bootstrap(0))
    with pytest.raises(
        DataError, match=r"r\.csv, line 5, field 'r': '-1' of rater 'y' is below 0, and a ratio scale"
    ):
        raters_table(frame, settings, file="r.csv")
    # JSON lines have no heading.
    with pytest.raises(DataError, match=r"r\.jsonl, line 4, "):
        raters_table(frame, settings, file="r.jsonl")
    zero = raters_table(frame.with_columns(r=pl.Series(["1", "2", "3", "0"])), settings)
    assert zero.rows[0]["statistic"] == "krippendorff_alpha" and zero.rows[0]["value"] is not None


def test_packed_tables_are_read_as_plain_ones(tmp_path: Path) -> None:
    for name, write in (("r.csv", LONG.write_csv), ("r.jsonl", LONG.write_ndjson)):
        write(tmp_path / name)
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
        assert read_table(packed).equals(read_table(tmp_path / name))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"item,who,score\n" * 40)[:-9])
    with pytest.raises(DataError, match=r"cut\.csv\.gz: is no whole gzip file"):
        read_table(tmp_path / "cut.csv.gz")
    (tmp_path / "r.parquet.gz").write_bytes(b"")
    with pytest.raises(UsageError, match=r"text also with \.gz"):
        read_table(tmp_path / "r.parquet.gz")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("latin.csv", b"item,who,score\n1,a,1\n1,b,caf\xe9\n", "line 3: is not UTF-8"),
        ("ragged.csv", b'item,who,score\n1,"a\nb",1\n1,b,2,3\n', "line 4: cannot be read as CSV: 4 fields where the heading has 3"),
        ("ragged.tsv", b"item\twho\n1\ta\n1\tb\tc\td\n", "line 3: cannot be read as TSV: 4 fields where the heading has 2"),
        ("open.csv", b'item,who,score\n1,a,1\n1,b,"2\n', "line 3: cannot be read as CSV: unexpected end of data"),
        ("list.jsonl", b'{"item": 1}\n\n[3]\n', "line 3: cannot be read as JSONL: expected an object, found list"),
        ("cut.jsonl", b'{"item": 1}\n{"item": \n', "line 2: cannot be read as JSONL: no JSON"),
        ("deep.jsonl", b"[" * 100_000, "line 1: cannot be read as JSONL: no JSON"),
        ("empty.csv", b"\n", "is empty"),
    ],
)  # fmt: skip
def test_a_broken_file_names_its_line(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name)) and said in str(caught.value)


def _asked(level: str | None = None) -> pl.DataFrame:
    """Two questions on which raters agree by chance only, one answered low and one high; a third one with names."""
    rng = np.random.default_rng(3)
    rows = []
    for place in range(80):
        for who in "xy":
            low, high = rng.integers(1, 3), rng.integers(4, 6)
            for question, rating in (
                ("low", low),
                ("high", high),
                ("passed", ["pass", "fail"][rng.integers(0, 2)]),
            ):
                rows.append({"unit": f"u{place}", "rater": who, "question": question, "rating": str(rating)})
    frame = pl.DataFrame(rows)
    declared = {"low": "ordinal", "high": "ordinal", "passed": "nominal"}
    return frame if level is None else frame.with_columns(level=pl.col("question").replace_strict(declared))


def test_questions_are_never_pooled_and_keep_their_level() -> None:
    found = raters_table(
        _asked("declared"), RaterSettings(("unit",), "rater", "rating", bootstrap=Bootstrap(100))
    )
    alphas = {row["question"]: row for row in found.rows if row["statistic"] == "krippendorff_alpha"}
    assert {name: row["level"] for name, row in alphas.items()} == {
        "low": "ordinal", "high": "ordinal", "passed": "nominal",
    }  # fmt: skip
    for row in alphas.values():
        assert row["n"] == 80 and abs(float(str(row["value"]))) < 0.3
    # Pooled, the difference between the questions passes for agreement.
    pooled = (
        _asked().filter(pl.col("question") != "passed").with_columns(unit=pl.col("unit") + pl.col("question"))
    )
    settings = RaterSettings(("unit",), "rater", "rating", "ordinal", bootstrap=Bootstrap(0))
    assert raters_table(pooled.drop("question"), settings).rows[0]["value"] > 0.6  # type: ignore[operator]
    with pytest.raises(UsageError, match="leave question out of --unit"):
        raters_table(_asked("declared"), RaterSettings(("unit", "question"), "rater", "rating"))
    one = raters_table(_asked("declared"), RaterSettings(("unit",), "rater", "rating", questions=("low",)))
    assert {row["question"] for row in one.rows} == {"low"}
    with pytest.raises(UnknownNameError, match="unknown question of the ratings: 'lou'; did you mean 'low'"):
        raters_table(_asked(), RaterSettings(("unit",), "rater", "rating", questions=("lou",)))


def test_a_declared_scale_is_not_read_as_names() -> None:
    plain = LONG.rename({"who": "rater", "score": "rating"}).with_columns(question=pl.lit("cue"))
    asked = RaterSettings(("unit",), "rater", "rating", bootstrap=Bootstrap(0))
    named = raters_table(plain, asked)
    assert (named.rows[0]["level"], named.rows[0]["value"]) == ("nominal", pytest.approx(0.743, abs=5e-4))
    assert "--level ordinal" in str(named.signature["notes"])
    declared = plain.with_columns(level=pl.lit("ordinal"))
    assert raters_table(declared, asked).rows[0]["value"] == pytest.approx(0.815, abs=5e-4)
    given = replace(asked, level="nominal")
    assert raters_table(declared, given).rows[0]["value"] == pytest.approx(0.743, abs=5e-4)
    scaled = raters_table(plain, replace(asked, scale=(1, 5)))
    assert (scaled.rows[0]["level"], scaled.signature["notes"]) == (
        "ordinal",
        ["7 of 48 rows hold no rating and are not counted"],
    )
    names = plain.with_columns(
        rating=pl.col("rating").replace_strict(dict(zip("12345", "vwaxy", strict=True)))
    )
    ordered = names.with_columns(level=pl.lit("ordinal"), order=pl.lit("v,w,a,x,y"))
    assert raters_table(ordered, asked).rows[0]["value"] == pytest.approx(0.815, abs=5e-4)
    torn = declared.with_columns(
        level=pl.when(pl.col("rater") == "a").then(pl.lit("nominal")).otherwise("level")
    )
    with pytest.raises(DataError, match="field 'level': says 'nominal' and 'ordinal' of one question"):
        raters_table(torn, asked)


def test_items_are_drawn_with_all_their_units() -> None:
    plain = LONG.rename({"who": "rater", "score": "rating"})
    asked = RaterSettings(("unit",), "rater", "rating", "ordinal", bootstrap=Bootstrap(300))
    thrice = pl.concat(
        [plain.with_columns(item=pl.col("unit"), unit=pl.col("unit") + f"#{k}") for k in range(3)]
    )
    few = {row["statistic"]: row for row in raters_table(plain, asked).rows if not row["rater_a"]}
    many = {row["statistic"]: row for row in raters_table(thrice, asked).rows if not row["rater_a"]}
    assert many["percent"]["n"] == 3 * int(str(few["percent"]["n"]))
    for end in ("value", "low", "high"):
        assert many["percent"][end] == pytest.approx(few["percent"][end])
    alone = {row["statistic"]: row for row in raters_table(thrice.drop("item"), asked).rows}
    for name in ("percent", "krippendorff_alpha"):
        width = {
            key: row[name]["high"] - row[name]["low"] for key, row in (("items", many), ("units", alone))
        }
        assert width["units"] < 0.8 * width["items"]


def test_ratings_that_differ_in_a_column_are_measured_by_it() -> None:
    frame = pl.DataFrame(
        {
            "u": ["1", "1", "2", "2"] * 2,
            "w": list("xyxy") * 2,
            "r": list("11223344"),
            "aspect": ["a"] * 4 + ["b"] * 4,
        }
    )
    with pytest.raises(DataError, match=r"measure each of its values apart \(--by aspect\)"):
        raters_table(frame, RaterSettings(("u",), "w", "r"))


def test_categories_are_counted_by_model_and_sense() -> None:
    rows = [
        {"unit": f"{model}|{place}", "item": f"{place}", "model": model, "b": "de_from_en", "rater": who,
         "question": "category", "rating": rating, "level": "nominal"}
        for model, said in (("m", ["meaning", "meaning", "quality", None]), ("n", ["none"] * 4))
        for place, rating in enumerate(said)
        for who in "xy"
    ]  # fmt: skip
    rows[1]["rating"] = "quality"
    found = categories_table(
        pl.DataFrame(rows), RaterSettings(("unit",), "rater", "rating", bootstrap=Bootstrap(50))
    )
    shares = {(row["model"], row["category"]): row for row in found.rows}
    assert {key: row["value"] for key, row in shares.items()} == {
        ("m", "meaning"): pytest.approx(1.5 / 3), ("m", "quality"): pytest.approx(1.5 / 3), ("m", "none"): 0.0,
        ("n", "meaning"): 0.0, ("n", "quality"): 0.0, ("n", "none"): 1.0,
    }  # fmt: skip
    assert {row["n"] for row in found.rows} == {3, 4} and {row["b"] for row in found.rows} == {"de_from_en"}
    low, high = (shares["m", "meaning"][end] for end in ("low", "high"))
    assert low < 0.5 < high  # type: ignore[operator]
    with pytest.raises(UsageError, match="every question is a scale"):
        categories_table(LONG, SETTINGS)


def test_spellings_of_one_rating_are_one() -> None:
    """A rater's file may say 0 where another's says 0.0, and Pass where it says pass: they agree."""
    for pair in (("0", "0.0"), ("Pass", "pass"), ("ja", "Ja.")):
        rows = [
            (f"u{n}", rater, pair[rater == "b"] if n % 3 else "other") for n in range(9) for rater in "ab"
        ]
        frame = pl.DataFrame(rows, schema=["unit", "rater", "rating"], orient="row")
        found = raters_table(frame, RaterSettings(("unit",), "rater", "rating", bootstrap=Bootstrap(0)))
        values = {row["statistic"]: row["value"] for row in found.rows}
        assert values["percent"] == values["krippendorff_alpha"] == 1.0
        assert any("6 ratings count in another spelling" in note for note in found.signature["notes"])  # type: ignore[union-attr]
