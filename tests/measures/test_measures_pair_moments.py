"""Intervals of very many pairs come from moments: they are those of resamples, which nobody draws."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import hesperus
from hesperus.measures import INVALID, MISSING, Bootstrap, HardRuns, Key, bootstrap_pairs
from hesperus.measures.classes import FAILED, INVALID_RULES, InvalidRule
from hesperus.measures.pair_basis import pair_basis
from hesperus.measures.pair_moments import pairs_by_moments

RUNS = 5
PAIRS = np.array(list(combinations(range(RUNS), 2)))
DRAWN = Bootstrap(10_000, seed=1)
NOISE = 0.05
"""Share of its width by which an end of an interval from so many resamples may miss, with what the fit misses."""


def _runs(
    items: int, *, known: float = 0.5, invalid: InvalidRule = "disagree", ragged: bool = False
) -> HardRuns:
    rng = np.random.default_rng(0)
    options = rng.choice((2, 4, 5), items).astype(np.int32)
    gold = (rng.random(items) * options).astype(np.int32)
    guesses = (rng.random((RUNS, items)) * options).astype(np.int32)
    codes = np.where(rng.random((RUNS, items)) < known, gold, guesses).astype(np.int32)
    if ragged:
        gold[:20] = INVALID
        for code in (INVALID, MISSING, FAILED):
            codes[rng.random(codes.shape) < 0.05] = code
        codes[0, gold % 2 == 0] = MISSING
        codes[4] = INVALID
    return HardRuns(codes, Key(gold, options), invalid)


@pytest.mark.parametrize("invalid", INVALID_RULES)
@pytest.mark.parametrize("ragged", [True, False])
def test_the_ends_are_those_of_resamples(invalid: InvalidRule, ragged: bool) -> None:
    runs = _runs(1500, invalid=invalid, ragged=ragged)
    found = pairs_by_moments(runs, PAIRS, pair_basis(runs, PAIRS), DRAWN)
    drawn = bootstrap_pairs(runs, PAIRS, statistics=runs.statistics, bootstrap=DRAWN)
    for name in runs.statistics:
        one, two = found[name], drawn[name]
        assert np.array_equal(one.n, two.n)
        np.testing.assert_allclose(one.value, two.value, rtol=0.0, atol=1e-12)
        width = two.high - two.low
        for mine, theirs in ((one.low, two.low), (one.high, two.high)):
            assert np.array_equal(np.isnan(mine), np.isnan(theirs))
            assert np.nanmax(np.abs(mine - theirs) / width, initial=0.0) < NOISE, name


@pytest.mark.parametrize(("items", "known"), [(150, 0.5), (1000, 0.99)])
def test_pairs_of_few_items_or_few_errors_are_resampled(items: int, known: float) -> None:
    runs = _runs(items, known=known)
    found = pairs_by_moments(runs, PAIRS, pair_basis(runs, PAIRS), DRAWN)["error_consistency"]
    drawn = bootstrap_pairs(runs, PAIRS, statistics=("error_consistency",), bootstrap=DRAWN)[
        "error_consistency"
    ]
    assert np.array_equal(found.low, drawn.low)
    assert np.array_equal(found.high, drawn.high)


def test_runs_that_always_agree_have_an_interval() -> None:
    runs = _runs(1500)
    same = HardRuns(runs.codes[[0, 0]], runs.key)
    pairs = np.array([[0, 1]])
    found = pairs_by_moments(same, pairs, pair_basis(same, pairs), DRAWN)
    drawn = bootstrap_pairs(same, pairs, statistics=same.statistics, bootstrap=DRAWN)
    for name in same.statistics:
        assert found[name].value == found[name].high == 1.0
        assert found[name].low < 1.0
        assert 1.0 - found[name].low == pytest.approx(1.0 - drawn[name].low, rel=0.1)


def test_a_table_of_very_many_resampled_items_says_that_nothing_was_drawn() -> None:
    runs = _runs(1500)
    letters = np.array(list("ABCDE"))
    records = pl.concat(
        pl.DataFrame(
            {"item": [f"i{place:04}" for place in range(1500)], "answer": letters[codes], "gold": letters[runs.key.gold],
             "options": [list("ABCDE"[:count]) for count in runs.key.options]}
        ).with_columns(model=pl.lit(f"m{run}"), task=pl.lit("t"), instruction=pl.lit("en"), input=pl.lit("en"))
        for run, codes in enumerate(runs.codes)
    )  # fmt: skip
    few, many = (hesperus.measure("agreement", records, resamples=count) for count in (4000, 10**8))
    assert few.signature.get("pairs") is None
    assert many.signature["pairs"] == "moments"
    assert "worked out from its moments" in str(many.document()["intervals"])
    assert "worked out" not in str(few.document()["intervals"])
    for one, two in zip(many.rows, few.rows, strict=True):
        assert (one["statistic"], one["n"]) == (two["statistic"], two["n"])
        assert one["value"] == pytest.approx(two["value"], abs=1e-12)
        for end in ("low", "high"):
            assert one[end] == pytest.approx(two[end], abs=NOISE * (two["high"] - two["low"]))
    old = hesperus.measure("agreement", records, resamples=2000, interval="percentile")
    assert old.signature.get("pairs") is None
