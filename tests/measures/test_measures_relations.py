"""Tests between pairs and what else is known, against scipy and the p values that the literature prints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hesperus.measures import correlations, mann_whitney, mantel_test, pearson_test


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
    assert pearson_test([1, 2, 3], [2, 4, 6]).p == 0.0


def test_what_cannot_be_tested_says_why() -> None:
    assert mann_whitney([], [1.0]).reason == "one of the samples is empty"
    assert mann_whitney(np.ones(9), np.ones(9)).reason == "all values are the same"
    assert pearson_test([1, 2], [1, 2]).reason.startswith("fewer than three")
    assert pearson_test([1, 1, 1], [1, 2, 3]).statistic is None
    assert np.isnan(correlations(np.full((1, 3), 0.1), np.arange(3.0)[None, :])[0])
    flat = np.ones((4, 4))
    assert mantel_test(flat, flat).reason == "fewer than three pairs, or one side does not vary"


def _square(values: np.ndarray) -> np.ndarray:
    return values + values.T


def test_mantel_finds_what_is_there_and_not_what_is_not() -> None:
    rng = np.random.default_rng(5)
    place = rng.normal(size=12)
    apart = np.abs(place[:, None] - place)
    noise = _square(rng.normal(size=(12, 12)))
    close = mantel_test(apart, -apart + 0.3 * noise, permutations=499)
    assert close.statistic is not None and close.statistic < -0.5 and close.p == 1 / 500
    a, b = np.triu_indices(12, 1)
    assert close.statistic == pytest.approx(np.corrcoef(apart[a, b], (-apart + 0.3 * noise)[a, b])[0, 1])
    chances = [mantel_test(apart, _square(rng.normal(size=(12, 12))), permutations=99).p for _ in range(40)]
    assert 0.3 < np.mean([p for p in chances if p is not None]) < 0.7
    assert mantel_test(apart, noise, permutations=99, seed=1) == mantel_test(
        apart, noise, permutations=99, seed=1
    )


def test_mantel_compares_two_kinds_of_pairs_and_leaves_out_the_rest() -> None:
    rng = np.random.default_rng(6)
    models = np.repeat(np.arange(4), 3)
    languages = np.tile(np.arange(3), 4)
    same_model = models[:, None] == models
    kind = np.where(same_model, 1.0, np.where(languages[:, None] == languages, 0.0, np.nan))
    value = 0.3 * same_model + 0.05 * _square(rng.normal(size=(12, 12)))
    value[0, 5] = value[5, 0] = np.nan
    found = mantel_test(kind, value, permutations=499)
    assert found.n == 12 + 18 and found.p == 1 / 500
    assert mantel_test(kind, value, permutations=99, strata=np.arange(12)).p == 1.0, (
        "nothing moves within a run"
    )
    held = mantel_test(kind, value, permutations=99, strata=models).p
    assert held is not None and held > 0.01, "runs that move within their model stay within their model"


def test_bad_use_is_refused() -> None:
    with pytest.raises(ValueError, match=r"two lists of one length: \(2,\) and \(3,\)"):
        pearson_test([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="two square tables of the same runs"):
        mantel_test(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="permutations must be 1 or more, not 0"):
        mantel_test(np.ones((3, 3)), np.ones((3, 3)), permutations=0)
