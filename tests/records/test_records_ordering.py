from __future__ import annotations

import random

import polars as pl
import pytest

from hesperus.records.ordering import in_key_order
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
