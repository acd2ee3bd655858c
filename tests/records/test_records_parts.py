"""A large file measured some models at a time has the tables and notes of the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from hesperus.analysis.item_filter import chosen_rows, doubtful_rows
from hesperus.analysis.item_matrix import item_matrix
from hesperus.analysis.similarity import run_arrays
from hesperus.analysis.views import views
from hesperus.cli.app import app
from hesperus.records import packed, parts, read_any_run, write_records
from hesperus.records.packed import packed_run
from hesperus.records.schema import SCHEMA, SCHEMA_VERSION, VERSION_KEY

MODELS, SENSES, ITEMS = 5, ("de_from_en", "en", "sw_from_en"), 8


def hesperus(*words: str) -> Result:
    """What a command says, which must work."""
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


def records(**changed: pl.Expr) -> pl.DataFrame:
    """A few models that answer in English and in two translations; some answers are unreadable, one reply is missing."""
    rows = [
        {
            "model": f"m/{model}", "task": "t", "item": f"i{item}", "instruction": sense, "input": sense, "repeat": 1,
            "outcome": "answered", "answer": "ABC"[(item * model + place) % 3], "gold": "ABC"[item % 3],
            "options": ["A", "B", "C"], "probs": None, "reply": None,
        }
        for model in range(MODELS)
        for place, sense in enumerate(SENSES)
        for item in range(ITEMS)
    ]  # fmt: skip
    lost = (pl.col("item") == "i3") & (pl.col("model") < "m/2")
    failed = lost & (pl.col("input") == "en")
    return (
        pl.DataFrame(rows, schema=SCHEMA)
        .with_columns(
            answer=pl.when(~lost).then("answer"),
            outcome=pl.when(failed).then(pl.lit("error")).when(lost).then(pl.lit("invalid")).otherwise("outcome"),
            rule=pl.lit("label"),
            reply_language=pl.when(pl.col("model") == "m/3").then(pl.lit("fr")).otherwise(pl.lit("en")),
            subject=pl.col("item").str.slice(1),
        )
        .with_columns(**changed)
    )  # fmt: skip


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_LARGE", 10)
    monkeypatch.setattr(parts, "_PART", 40)


@pytest.mark.parametrize(
    "words",
    [
        ("accuracy",),
        ("accuracy", "--by", "subject"),
        ("agreement",),
        ("agreement", "--by", "subject"),
        ("agreement", "--a", "instruction=en,input=en", "--b", "instruction=en,input=en"),
        ("agreement", "--model", "m/1", "--model", "m/4"),
        ("consistency",),
        ("decomposition",),
        ("directions",),
        ("labels",),
        ("outcomes",),
        ("validity", "--model", "m/1", "--model", "m/4"),
    ],
)
def test_parts_have_the_tables_and_notes_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    file = tmp_path / "records.parquet"
    write_records(records(), file)
    command = ("measure", words[0], str(file), *words[1:], "--format", "json", "--resamples", "50")
    whole = hesperus(*command)
    assert whole.exit_code == 0
    monkeypatch.setattr(parts, "_LARGE", 10)
    monkeypatch.setattr(parts, "_PART", 40)
    models = [word for word in words if word.startswith("m/")]
    found = parts.model_parts(file, models=models)
    assert found is not None and len(found.spans) == (1 if models else 3)
    in_parts = hesperus(*command)
    assert (in_parts.stdout, in_parts.stderr) == (whole.stdout, whole.stderr)


def test_check_reads_parts_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "records.parquet"
    write_records(records(), file)
    command = (
        "check",
        str(file),
        "--require",
        "accuracy >= 0",
        "--require",
        "consistency >= 0",
        "--format",
        "json",
    )
    whole = hesperus(*command)
    monkeypatch.setattr(parts, "_LARGE", 10)
    monkeypatch.setattr(parts, "_PART", 40)
    assert hesperus(*command).stdout == whole.stdout != ""


@pytest.mark.parametrize("what", ["similarity", "means", "agreement"])
@pytest.mark.parametrize("scored", [False, True])
def test_similarity_of_a_large_file_is_that_of_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, scored: bool
) -> None:
    file = tmp_path / "records.parquet"
    found = records()
    if scored:  # later items have one option more, so that blocks of items are of different width
        wide = pl.col("item") > "i4"
        found = found.with_columns(
            options=pl.when(wide).then(pl.lit(["A", "B", "C", "D"])).otherwise("options"),
            probs=pl.when(wide)
            .then(pl.concat_list(pl.lit(0.1), pl.lit(0.2), pl.lit(0.3), pl.lit(0.4)))
            .when(pl.col("answer") == "A")
            .then(pl.concat_list(pl.lit(0.6), pl.lit(0.3), pl.lit(0.1)))
            .when(pl.col("answer").is_not_null())
            .then(pl.concat_list(pl.lit(0.2), pl.lit(0.3), pl.lit(0.5))),
        )
    write_records(found, file)
    command = ("measure", what, str(file), "--format", "json", "--resamples", "50")
    whole = hesperus(*command)
    assert whole.exit_code == 0
    assert (run_arrays.RecordStream(file).whole().probs is not None) == scored
    monkeypatch.setattr(parts, "_LARGE", 10)
    monkeypatch.setattr(parts, "_PART", 40)
    monkeypatch.setattr(run_arrays, "_RECORDS_AT_ONCE", 3 * MODELS * len(SENSES))
    in_parts = hesperus(*command)
    assert (in_parts.stdout, in_parts.stderr) == (whole.stdout, whole.stderr)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    "changed",
    [
        {"options": pl.when(pl.col("item") != "i1").then("options")},
        {"gold": pl.when(pl.col("model") == "m/1").then(pl.lit("B")).otherwise("gold")},
        {"options": pl.when(pl.col("model") == "m/1").then(pl.lit(["A", "B", "C", "D"])).otherwise("options")},
        {"rule": pl.lit("own words")},
        {"item": pl.when(pl.col("model") == "m/1").then(pl.col("item") + "x").otherwise("item")},
    ],
)  # fmt: skip
def test_what_depends_on_other_models_is_read_whole(tmp_path: Path, changed: dict[str, pl.Expr]) -> None:
    file = tmp_path / "records.parquet"
    write_records(records(), file)
    assert parts.model_parts(file) is not None
    write_records(records(**changed), file)
    assert parts.model_parts(file) is None


@pytest.mark.usefixtures("small_parts")
def test_a_file_of_another_tool_is_checked_whole(tmp_path: Path) -> None:
    file = tmp_path / "records.parquet"
    records().write_parquet(file)
    assert parts.model_parts(file) is None
    records().write_parquet(file, metadata={VERSION_KEY: str(SCHEMA_VERSION)})
    assert parts.model_parts(file) is not None
    assert parts.model_parts(file, models=["m/unknown"]) is None
    assert parts.model_parts(file, ["no such column"]) is None


def test_views_of_each_model_are_parts_of_the_views_of_all() -> None:
    held = records()
    alone = {view.model: view.arrays for view in views(held.clone())}
    (whole,) = views(held, per_model=False)
    for view in views(held):
        expected = alone[view.model]
        assert np.shares_memory(view.arrays.answers, whole.arrays.answers)
        assert (view.arrays.cells, view.arrays.items) == (expected.cells, expected.items)
        for name in ("answers", "gold", "outcomes", "options"):
            np.testing.assert_array_equal(getattr(view.arrays, name), getattr(expected, name))


def test_a_page_chooses_the_same_rows_however_many_columns_it_looks_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    path.mkdir()
    write_records(records(), path / "records.parquet")
    run = packed_run(path)
    assert run is not None
    matrix = item_matrix({"run": run})
    rows = doubtful_rows(matrix)
    chosen, each = chosen_rows(matrix, rows, 20)
    assert each and chosen.height == 20
    monkeypatch.setattr("hesperus.analysis.item_filter._CELLS_AT_ONCE", 1)
    assert chosen_rows(matrix, rows, 20)[0].equals(chosen)
    whole = item_matrix({"run": read_any_run(path)})
    assert chosen_rows(whole, doubtful_rows(whole), 20)[0].equals(chosen)


def test_packed_records_are_the_records_and_a_column_of_one_value_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "_AT_ONCE", 7)
    frame = records().with_columns(
        options=pl.lit(["yes", "no"], pl.List(pl.String)), rule=pl.lit(None, pl.String), topic=pl.lit("law")
    )
    frame = frame.with_columns(
        options=pl.when(pl.col("item") != "i5").then("options"),
        answer=None,
        outcome=pl.lit("empty"),
        gold=None,
    )
    for name, rows in (("several", frame), ("one", frame.filter(pl.col("item") != "i5"))):
        write_records(rows, tmp_path / f"{name}.parquet")
        scan = parts.trusted_scan(tmp_path / f"{name}.parquet")
        assert scan is not None
        held = packed.packed_records(scan)
        assert held.cast({pl.Categorical: pl.String, pl.List(pl.Categorical): pl.List(pl.String)}).equals(
            scan.select(held.columns).collect()
        )
        several = {"model", "item", "instruction", "input", "reply_language", "subject"}
        codes = 4 * held.height * len(several)
        assert (held.estimated_size() < codes + 200) is (name == "one"), "the others have one value"


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    st.lists(st.text("ab1: é", max_size=3), min_size=1, max_size=9, unique=True),
    st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=3),
    st.integers(1, 7),
)
def test_items_are_numbered_in_the_order_of_their_ids_where_all_models_have_them(
    ids: list[str], models: list[tuple[int, bool]], at_once: int
) -> None:
    rows = [
        {"model": f"m{number}", "task": "t", "item": item, "repeat": repeat}
        for number, (repeats, lacks_one) in enumerate(models)
        for item in (sorted(ids)[1:] if lacks_one else sorted(ids))
        for repeat in range(1, repeats + 1)
    ]
    frame = pl.DataFrame(
        rows, schema={"model": pl.String, "task": pl.String, "item": pl.String, "repeat": pl.Int32}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "_IDS_AT_ONCE", at_once)
        patch.setattr(packed, "replies_tell_language", lambda *_: False)
        held = packed.packed_records(frame.lazy(), numbered=True)
        other = packed.packed_records(
            pl.concat([frame, frame.with_columns(task=pl.lit("u"))]).lazy(), numbered=True
        )
    there = frame["item"].unique().sort()
    is_even = len({lacks_one for _, lacks_one in models}) == 1 or len(ids) == 1
    if packed.is_numbered(held):
        assert is_even and there.gather(held["item"]).to_list() == frame["item"].to_list()
    else:
        assert not is_even or frame.is_empty()
        assert held["item"].cast(pl.String).to_list() == frame["item"].to_list()
    assert not packed.is_numbered(other), "an item of another task is another item"
