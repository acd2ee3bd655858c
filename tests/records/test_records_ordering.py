from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

from hesperus.records import ordering
from hesperus.records.files import write_part
from hesperus.records.ordering import in_key_order, merged
from hesperus.records.schema import KEY


def _records(rows: int, values: int, seed: int = 0) -> pl.DataFrame:
    """Rows with different keys in any order, in several pieces, with a list and a null beside them."""
    draw = random.Random(seed)
    keys = {
        (
            *(f"{draw.randrange(values)}é\n{'x' * draw.randrange(3)}" for _ in range(5)),
            draw.randrange(1, values + 3),
        )
        for _ in range(rows)
    }
    shuffled = sorted(keys, key=lambda key: draw.random())
    whole = pl.DataFrame(
        shuffled, schema=dict.fromkeys(KEY[:5], pl.String) | {"repeat": pl.Int32}, orient="row"
    )
    whole = whole.with_columns(
        probs=pl.concat_list(pl.int_range(pl.len()) / 7, pl.lit(0.5)),
        reply=pl.when(pl.col("repeat") > 1).then(pl.col("item")),
    )
    third = len(whole) // 3
    return pl.concat([whole[:third], whole[third : 2 * third], whole[2 * third :]], rechunk=False)


@pytest.mark.parametrize(("rows", "values"), [(1, 1), (50, 1), (400, 2), (2000, 5), (3000, 5000)])
def test_the_order_is_that_of_the_key(rows: int, values: int) -> None:
    records = _records(rows, values)
    if values == 5000:
        # More places than a whole number can count: the way around is taken.
        assert pl.Series([records[name].n_unique() for name in KEY]).cast(pl.Float64).product() > 2.0**64
    assert in_key_order(records).equals(records.sort(KEY))


def test_an_empty_table_and_keys_that_do_not_differ() -> None:
    empty = _records(5, 2).clear()
    assert in_key_order(empty).equals(empty)
    same = pl.concat([_records(1, 1)] * 2)
    assert in_key_order(same).equals(same)
    absent = _records(40, 3).with_columns(item=pl.when(pl.int_range(pl.len()) != 3).then(pl.col("item")))
    assert in_key_order(absent).equals(absent.sort(KEY)) and absent["item"].null_count() == 1


@pytest.mark.parametrize(("files", "values"), [(1, 40), (3, 4), (7, 40), (7, 1)])
def test_files_are_merged_some_items_at_a_time(
    files: int, values: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordering, "_LEAST_STEP", 2)
    records = _records(700, values)
    paths = [tmp_path / f"{number}.parquet" for number in range(files)]
    for number, path in enumerate(paths):
        write_part(in_key_order(records.gather_every(files, number)), path)
    parts = list(merged(paths, 50))
    assert pl.concat(parts).equals(records.sort(KEY))
    assert all(part.height for part in parts)
    items = [set(part.select(KEY[:3]).iter_rows()) for part in parts]
    assert sum(map(len, items)) == len(set().union(*items)), "no item is in two parts"
    most = records.group_by(KEY[:3]).len()["len"].max()
    assert isinstance(most, int) and max(part.height for part in parts) <= 2 * 50 + most
    assert values == 1 or len(parts) > 2
