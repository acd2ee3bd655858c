"""Tests between pairs and what else is known, against scipy and the p values that the literature prints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hesperus.measures import correlations, mann_whitney, pearson_test


@pytest.mark.parametrize(("first", "second"), [(1, 3), (3, 3), (5, 40), (8, 12), (9, 9), (30, 50)])
def test_mann_whitney_is_that_of_scipy(first: int, second: int) -> None:
    rng = np.random.default_rng(first)
    x, y = rng.normal(size=first), rng.normal(0.5, size=second)
    found, known = mann_whitney(x, y), stats.mannwhitneyu(x, y)
    assert (found.statistic, found.p) == pytest.approx((known.statistic, known.pvalue), abs=1e-12)


def test_mann_whitney_with_ties_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, 30), rng.integers(1, 6, 20)
    found, known = mann_whitney(x, y), stats.mannwhitneyu(x, y)
    assert (found.statistic, found.p) == pytest.approx((known.statistic, known.pvalue), abs=1e-12)


@pytest.mark.parametrize(
    ("u", "p"), [(12150, 1.95e-21), (16686, 6.89e-11), (17278, 8.60e-10), (15148, 4.89e-14), (180, 1.10e-67)]
)
def test_the_printed_p_values_count_each_pair_of_languages_twice(u: int, p: float) -> None:
    """Mishra et al. (2025), Tables 3 and 4, within 2 × 190 pairs of languages and 140 pairs of models.

    With each pair once, 190 × 140, the printed U would not be rare at all.
    """
    whole, rest = divmod(u, 140)
    y = np.arange(140.0)
    x = np.concatenate([np.full(whole, 1000.0), [rest - 0.5], np.full(380 - whole - 1, -1000.0)])
    x += np.linspace(0, 1e-3, 380)
    found = mann_whitney(x, y)
    assert found.statistic == u
    assert found.p == pytest.approx(p, rel=6e-3)


@pytest.mark.parametrize(
    ("r", "n", "p"), [(0.7864, 8, 0.02062), (0.7884, 8, 0.02009), (0.9230, 20, 6.82e-09)]
)
def test_the_printed_p_values_of_correlations(r: float, n: int, p: float) -> None:
    """Mishra et al. (2025), Table 2: eight models, twenty languages."""
    rng = np.random.default_rng(n)
    x = stats.zscore(rng.normal(size=n))
    other = rng.normal(size=n)
    other = stats.zscore(other - other.mean() - x * (other @ x) / (x @ x))
    found = pearson_test(x, r * x + np.sqrt(1 - r * r) * other)
    assert found.statistic == pytest.approx(r)
    assert found.p == pytest.approx(p, rel=2e-2)


def test_pearson_is_that_of_scipy_and_leaves_out_gaps() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=20)
    y = x + rng.normal(size=20)
    known = stats.pearsonr(x[2:], y[2:])
    x[0], y[1] = np.nan, np.nan
    found = pearson_test(x, y)
    assert (found.statistic, found.p, found.n) == pytest.approx((known.statistic, known.pvalue, 18))
    line = pearson_test([1, 2, 3], [2, 4, 6])
    assert (line.statistic, line.p) == (pytest.approx(1), None) and "one line" in line.reason


def test_what_cannot_be_tested_says_why() -> None:
    assert mann_whitney([], [1.0]).reason == "one of the samples is empty"
    assert mann_whitney(np.ones(9), np.ones(9)).reason == "all values are the same"
    assert pearson_test([1, 2], [1, 2]).reason.startswith("fewer than three")
    assert pearson_test([1, 1, 1], [1, 2, 3]).statistic is None
    assert np.isnan(correlations(np.full((1, 3), 0.1), np.arange(3.0)[None, :])[0])


def test_bad_use_is_refused() -> None:
    with pytest.raises(ValueError, match=r"two lists of one length: \(2,\) and \(3,\)"):
        pearson_test([1, 2], [1, 2, 3])
