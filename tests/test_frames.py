"""Frames of Python values are those that Polars makes."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.frames import frame_of

PAIR = pl.Struct({"label": pl.String, "texts": pl.List(pl.String)})


def lists_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.none() | st.lists(st.none() | inner, max_size=3), max_size=6)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(lists_of(st.text(max_size=3)), lists_of(st.floats(allow_nan=False)))
def test_lists_come_out_as_they_went_in(texts: list[Any], numbers: list[Any]) -> None:
    for values, kind in ((texts, pl.List(pl.String)), (numbers, pl.List(pl.Float64))):
        schema = {"n": pl.Int32(), "x": kind}
        frame = frame_of({"x": values, "n": range(len(values))}, schema)
        assert frame.equals(pl.DataFrame({"n": range(len(values)), "x": values}, schema=schema))
        assert frame.schema == schema


def test_lists_of_pairs_and_wrong_values() -> None:
    rows = [[{"label": "a", "texts": ["x", "y"]}, {"label": "b", "texts": []}], None, []]
    assert frame_of({"x": rows}, {"x": pl.List(PAIR)})["x"].to_list() == rows
    assert frame_of({"x": [("a", "b"), None]}, {"x": pl.List(pl.String)})["x"].to_list() == [["a", "b"], None]
    with pytest.raises(TypeError):
        frame_of({"x": [["a", 1]]}, {"x": pl.List(pl.String)})
