"""All languages of a model at once, as a table and as a command; and RankC on facts with many candidates."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from hesperus.analysis.agreement import agreement_table, all_languages_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.cli import measure
from hesperus.measures import Bootstrap, krippendorff_alpha
from hesperus.records import Selection, conform, records_frame, write_records
from hesperus.types import Record

POINT = Bootstrap(0)
LANGUAGES = ("en", "de", "sw", "th")


def _records(models: tuple[str, ...] = ("m",)) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    rows = []
    for model in models:
        for language in LANGUAGES:
            for item in range(50):
                answer = "AB"[int(rng.random() < 0.3)] if rng.random() < 0.9 else None
                outcome = "answered" if answer else "invalid"
                rows.append(
                    Record(model, "t", str(item), language, language, 1, outcome, answer, "A", ("A", "B"))
                )
    return records_frame(rows)


def _run(*arguments: object) -> str:
    app = typer.Typer()
    app.command()(measure.command)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_table_holds_what_the_definitions_give() -> None:
    records = _records()
    found = {
        (row["size"], row["statistic"]): row["value"]
        for row in all_languages_table(records, MeasureSettings(bootstrap=POINT)).rows
    }
    wide = records.pivot("input", index="item", values="answer").drop("item")
    ratings = np.array([[{"A": 0.0, "B": 1.0}.get(a, np.nan) for a in wide[name]] for name in wide.columns])
    dropped = all_languages_table(records, MeasureSettings(invalid="drop", bootstrap=POINT)).rows[0]
    assert dropped["value"] == pytest.approx(krippendorff_alpha(ratings).value, abs=1e-12)
    assert found[None, "accuracy"] == pytest.approx((ratings == 0).mean(), abs=1e-12)
    all_four = (ratings == ratings[0]).all(axis=0).mean()
    assert found[4, "subset_consistency"] == pytest.approx(all_four, abs=1e-12)
    right = found[None, "accuracy"]
    assert found[4, "ac3"] == pytest.approx(2 * all_four * right / (all_four + right), abs=1e-12)
    assert {size for size, _ in found} == {None, 2, 3, 4}


def test_gold_that_differs_repeats_and_mixed_senses_do_not_count() -> None:
    records = _records()
    moved = records.with_columns(
        gold=pl.when((pl.col("input") == "sw") & (pl.col("item") == "7")).then(pl.lit("B")).otherwise("gold")
    )
    row = all_languages_table(moved, MeasureSettings(bootstrap=POINT)).rows[0]
    assert (row["n"], row["excluded"]) == (49, 1) and "1 whose gold differs between senses" in row["reason"]
    again = pl.concat([records, records.with_columns(repeat=pl.lit(2, dtype=pl.Int32))])
    mixed = pl.concat([again, records.filter(input="sw").with_columns(instruction=pl.lit("en"))])
    assert (
        all_languages_table(conform(mixed), MeasureSettings(bootstrap=POINT)).rows
        == all_languages_table(records, MeasureSettings(bootstrap=POINT)).rows
    )


def test_the_command(tmp_path: Path) -> None:
    write_records(_records(("m1", "m2")), tmp_path / "r.parquet")
    document = json.loads(
        _run("all_languages", tmp_path / "r.parquet", "--format", "json", "--resamples", 200)
    )
    assert document["measure"] == "all_languages" and len(document["rows"]) == 2 * (2 + 2 * 3)
    assert all(row["low"] <= row["value"] <= row["high"] for row in document["rows"])
    narrow = _run(
        "all_languages", tmp_path / "r.parquet", "--format", "csv", "--resamples", 0, "--statistic", "ac3"
    )
    assert {row["statistic"] for row in csv.DictReader(io.StringIO(narrow))} == {"ac3"}
    one = (
        _records()
        .filter(input="en")
        .with_columns(answer=pl.lit(None, dtype=pl.String), outcome=pl.lit("invalid"))
    )
    write_records(one, tmp_path / "one.parquet")
    app = typer.Typer()
    app.command()(measure.command)
    result = CliRunner().invoke(app, ["all_languages", str(tmp_path / "one.parquet")])
    assert result.exit_code == 0 and "no rows: no model in" in result.stderr


def test_undefined_values_have_a_reason() -> None:
    same = _records().with_columns(
        answer=pl.lit("A"), outcome=pl.lit("answered"), gold=pl.lit(None, dtype=pl.String)
    )
    rows = {
        (row["size"], row["statistic"]): row
        for row in all_languages_table(same, MeasureSettings(bootstrap=POINT)).rows
    }
    assert rows[None, "krippendorff_alpha"]["value"] is None
    assert rows[None, "krippendorff_alpha"]["reason"] == "all answers are the same"
    assert rows[None, "accuracy"]["reason"].startswith("no item with a gold label counts; 50 without")
    assert rows[2, "ac3"]["reason"] == "no item with a gold label counts"
    assert rows[2, "subset_consistency"]["value"] == 1.0


def test_rankc_of_facts_with_many_candidates(shared_data: Path) -> None:
    """Scores that follow the entity, in two languages; the definition as it is written, over sets of the top j."""
    path = shared_data / "NC_bmlama17_subset" / "every_17th_row_17lang.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path.name}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        facts = [json.loads(line) for line in lines]
    rng = np.random.default_rng(0)
    letters = "ABCDEFGHIJ"
    rows, wanted = [], []
    for fact in facts:
        sides = [fact["q"][tag] for tag in ("en", "fr")]
        count = len(sides[0]["candidates"])
        assert len(sides[1]["candidates"]) == count and sides[0]["gold"] == sides[1]["gold"]
        scores = rng.random(count) + 0.5 * rng.random((2, count))
        probs = scores / scores.sum(axis=1, keepdims=True)
        for tag, side, own in zip(("en", "fr"), sides, probs, strict=True):
            rows.append(
                Record(
                    "m", "facts", str(fact["row"]), tag, tag, 1, "answered", letters[int(own.argmax())],
                    letters[side["gold"]], tuple(letters[:count]), tuple(own.tolist()),
                )
            )  # fmt: skip
        weights = np.exp(count - np.arange(1.0, count + 1))
        top = [np.argsort(-own) for own in probs]
        shared = [len({*top[0][:j]} & {*top[1][:j]}) / j for j in range(1, count + 1)]
        wanted.append(float(weights @ shared / weights.sum()))
    found = agreement_table(
        records_frame(rows),
        MeasureSettings(a=Selection.parse("en"), b=Selection.parse("fr"), bootstrap=POINT),
    )
    values = {row["statistic"]: row for row in found.rows}
    assert values["rank_consistency"]["value"] == pytest.approx(float(np.mean(wanted)), abs=1e-9)
    assert values["rank_consistency"]["n"] == len(facts) == 400
