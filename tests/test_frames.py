"""Frames of Python values are those that Polars makes."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus import frames
from hesperus.frames import TextColumn, distinct_rows, frame_of, places_among

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


@pytest.mark.parametrize("kind", [pl.String(), pl.Categorical()])
def test_texts_of_a_column_are_a_sequence_of_texts(
    kind: pl.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "_AT_ONCE", 3)
    names = [f"n{number}" for number in range(8)]
    texts = TextColumn(pl.Series(names, dtype=kind))
    assert list(texts) == names and len(texts) == 8
    assert (texts[0], texts[-1], list(texts[2:4])) == ("n0", "n7", ["n2", "n3"])
    assert texts == names and texts == tuple(names) and (*names,) == texts
    assert texts == TextColumn(pl.Series(names, dtype=kind))
    assert texts != names[:7] and texts != [*names[:7], "x"] and texts != 8
    assert texts != TextColumn(pl.Series(names[::-1], dtype=kind))
    assert repr(texts) == repr(tuple(names))
    with pytest.raises(IndexError):
        texts[8]


@pytest.mark.parametrize("kind", [pl.String(), pl.Categorical()])
def test_places_among_names(kind: pl.DataType) -> None:
    pl.Series(["other", "values"], dtype=pl.Categorical())  # have codes of their own
    column = pl.Series(["b", None, "c", "b", "a"], dtype=kind)
    names = pl.Series(["c", "b", "a"], dtype=kind)
    assert places_among(column, names).tolist() == [1, -1, 0, 1, 2]
    assert places_among(column, names.cast(pl.String)).tolist() == [1, -1, 0, 1, 2]
    assert places_among(column.clear(), names.clear()).tolist() == []
    assert places_among(pl.Series([None, None], dtype=kind), names).tolist() == [-1, -1]


@pytest.mark.parametrize("names", [[4, 5, 6, 7], [1, 5, 2**31 - 1]])
def test_places_among_numbers(names: list[int]) -> None:
    column = pl.Series([names[-1], names[0], names[1], names[0]], dtype=pl.UInt32)
    assert places_among(column, pl.Series(names, dtype=pl.UInt32)).tolist() == [len(names) - 1, 0, 1, 0]
    assert places_among(column.clear(), pl.Series([], dtype=pl.UInt32)).tolist() == []


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([None, 1, 2]))), st.integers(1, 5))
def test_distinct_rows_are_counted_in_the_order_in_which_they_come(
    rows: list[tuple[str, int | None]], at_once: int
) -> None:
    frame = pl.DataFrame(rows, schema={"text": pl.String, "number": pl.Int64}, orient="row")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frames, "_ROWS_AT_ONCE", at_once)
        found = distinct_rows(frame, ("number", "text"))
    expected = {(number, text): 0 for text, number in rows}
    for text, number in rows:
        expected[number, text] += 1
    assert found.rows() == [(*row, count) for row, count in expected.items()]
