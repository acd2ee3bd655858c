from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest
from log_makers import mmlu_rows, write_lm_eval

from hesperus.records.importers import import_logs
from hesperus.records.importers.option_scores import softmax


def test_values_of_another_kind(tmp_path: Path) -> None:
    rows = mmlu_rows(8)
    rows[1]["acc"], rows[2]["acc"], rows[3]["acc"] = 10**400, "no", bool(rows[3]["acc"])
    rows[4]["filter"], rows[5]["filter"] = ["none"], 3
    rows[6]["doc_id"] = 1 << 63
    write_lm_eval(tmp_path, "global_mmlu_full_de", rows)
    imported = import_logs(tmp_path)
    assert imported.records["item"].to_list() == [f"anatomy/test/{number}" for number in (0, 1, 2, 3, 7)]
    assert imported.records["outcome"].to_list() == ["answered"] * 5
    assert {left.reason: left.count for left in imported.left_out} == {
        "another filter": 2,
        "row of another form": 1,
    }
    assert "line 7: ValueError: doc_id is too large" in imported.left_out[0].detail


def test_scores_are_the_same_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [
        [-1.0, -2.5],
        [],
        [math.nan, -1.0],
        None,
        [-math.inf] * 3,
        [-3.0, -1.0, -1.0],
        [math.inf, 0.0],
    ] * 3
    values = pl.Series(lists, dtype=pl.List(pl.Float64))
    whole = softmax(values)
    assert whole.best.tolist() == [0, -1, -1, -1, -1, 1, -1] * 3
    assert whole.broken.tolist() == [False, False, True, False, False, False, True] * 3
    for size in (1, 2, 5, 100):
        monkeypatch.setattr("hesperus.records.importers.option_scores._BLOCK", size)
        found = softmax(values)
        assert found.probs.equals(whole.probs, null_equal=True) and found.probs.dtype == whole.probs.dtype
        for name in ("best", "broken", "flat"):
            assert getattr(found, name).tolist() == getattr(whole, name).tolist()
    assert softmax(values.clear()).best.tolist() == [] and len(softmax(values.clear()).probs) == 0
