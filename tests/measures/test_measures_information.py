"""Precision, recall and both F over pairs of texts."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hesperus.measures.information  # noqa: F401
from hesperus.measures import (
    INFORMATION,
    Bootstrap,
    difference,
    estimate,
    information,
    information_statistics,
)

shares = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30)


def test_the_docstring_holds() -> None:
    import sys

    assert doctest.testmod(sys.modules["hesperus.measures.information"]).failed == 0


@given(shares)
def test_against_the_definitions(pairs: list[tuple[float, float]]) -> None:
    p, r = [a for a, _ in pairs], [b for _, b in pairs]
    found = information(p, r)
    mean_p, mean_r = math.fsum(p) / len(p), math.fsum(r) / len(r)
    own = [2 * a * b / (a + b) if a + b > 0 else 0.0 for a, b in pairs]
    of_means = 2 * mean_p * mean_r / (mean_p + mean_r) if mean_p + mean_r > 0 else 0.0
    wanted = (mean_p, mean_r, of_means, math.fsum(own) / len(own))
    for name, value in zip(INFORMATION, wanted, strict=True):
        assert found[name].value == pytest.approx(value, abs=1e-9)
        assert found[name].n == len(pairs)


@given(shares)
def test_the_mean_of_f_never_passes_the_f_of_means(pairs: list[tuple[float, float]]) -> None:
    # The harmonic mean is concave (Jensen).
    found = information([a for a, _ in pairs], [b for _, b in pairs])
    assert found["mean_f"].value is not None and found["f_of_means"].value is not None
    assert found["mean_f"].value <= found["f_of_means"].value + 1e-9


def test_intervals_resample_items_with_all_their_pairs() -> None:
    rng = np.random.default_rng(1)
    p, r = rng.random(40), rng.random(40)
    bootstrap = Bootstrap(resamples=500, seed=3)
    alone = information(p, r, bootstrap=bootstrap)
    # Each pair three times under one item tells nothing new: the same intervals. As items of their own they would.
    names = np.repeat(np.arange(40) * 7, 3)
    tripled = information(np.repeat(p, 3), np.repeat(r, 3), items=names, bootstrap=bootstrap)
    naive = information(np.repeat(p, 3), np.repeat(r, 3), bootstrap=bootstrap)
    for name in INFORMATION:
        assert tripled[name].low == pytest.approx(alone[name].low)
        assert tripled[name].high == pytest.approx(alone[name].high)
        width = lambda e: e.high - e.low  # noqa: E731
        assert width(naive[name]) < 0.75 * width(alone[name])


def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for seed in range(200):
        p, r = rng.beta(2, 2, 60), rng.beta(4, 2, 60)
        found = information(p, r, bootstrap=Bootstrap(resamples=300, seed=seed))["f_of_means"]
        assert found.low is not None and found.high is not None
        truth = 2 * 0.5 * (2 / 3) / (0.5 + 2 / 3)
        covered += found.low <= truth <= found.high
    assert 0.88 <= covered / 200 <= 0.99


def test_differences_of_languages_are_paired() -> None:
    rng = np.random.default_rng(2)
    p, r = rng.random(50), rng.random(50)
    better = information_statistics(np.minimum(1, p + 0.1), r)["precision"]
    apart = estimate(difference(better, information_statistics(p, r)["precision"]), Bootstrap(500))
    assert apart.low is not None and apart.low > 0.05


def test_pairs_without_a_number_are_left_out_of_all_four() -> None:
    found = information([1.0, math.nan, 0.5], [0.0, 1.0, math.nan])
    for name in INFORMATION:
        assert (found[name].n, found[name].excluded) == (1, 2)
        assert "2 without a precision or recall" in found[name].reason
    assert (found["precision"].value, found["recall"].value) == (1.0, 0.0)


def test_nothing_to_score_is_said() -> None:
    statistics = information_statistics([], [], excluded=3, reason="3 unreadable")
    for statistic in statistics.values():
        found = estimate(statistic, Bootstrap(10))
        assert found.value is None and found.excluded == 3
        assert found.reason == "no pair of texts to score; 3 unreadable"


@pytest.mark.parametrize(
    ("p", "r", "items", "said"),
    [
        ([0.5], [0.5, 0.5], None, "the same pairs"),
        ([1.5], [0.5], None, r"precision lies in \[0, 1\]"),
        ([0.5], [-0.1], None, r"recall lies in \[0, 1\]"),
        ([0.5, 0.5], [0.5, 0.5], [0], "as many items"),
    ],
)
def test_bad_input(p: list[float], r: list[float], items: list[int] | None, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        information_statistics(p, r, items=items)
