"""Intervals, tests and corrections, against other implementations, planted truth and hand counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hesperus.measures import (
    INTERVAL_METHODS,
    Bootstrap,
    Draws,
    IntervalMethod,
    NoCorners,
    Statistic,
    accuracy,
    benjamini_hochberg,
    consistency,
    difference,
    draws,
    estimate,
    estimates,
    holm,
    pearson,
    share_statistic,
    wilson,
)
from hesperus.measures.statistic import ratio


def _share(values: np.ndarray) -> Statistic:
    return share_statistic(values, np.ones_like(values))


def test_draws_are_counts_of_whole_resamples_and_shared() -> None:
    drawn = Draws(50, Bootstrap(300, seed=1, interval="percentile"))
    blocks = np.vstack(list(drawn.blocks()))
    assert blocks.shape == (300, 50)
    assert (blocks.sum(axis=1) == 50).all()
    assert np.array_equal(blocks, np.vstack(list(drawn.blocks())))
    assert abs(float(blocks.mean(axis=0).std()) - np.sqrt(1 / 300)) < 0.02
    assert draws(50, Bootstrap(300)) is draws(50, Bootstrap(300))
    assert draws(0, Bootstrap(300)) is None and draws(50, Bootstrap(0)) is None
    values = np.random.default_rng(0).random((50, 2))
    assert drawn.sums(values) == pytest.approx(blocks.astype(float) @ values)
    with pytest.raises(ValueError, match="draws are of 50 items, the columns of 3"):
        drawn.sums(np.zeros((3, 1)))


@pytest.mark.parametrize("method", INTERVAL_METHODS)
def test_sums_of_whole_columns_are_exact_next_to_others(method: IntervalMethod) -> None:
    rng = np.random.default_rng(1)
    drawn = Draws(500, Bootstrap(300, interval=method))
    columns = rng.integers(-2, 3, (500, 4)).astype(float)
    columns[:, 1] = rng.random(500)
    columns[:, 3] *= 2.0**22 + 1  # whole, but too large for float32
    weights = np.concatenate(list(drawn.blocks())).astype(float)
    np.testing.assert_array_equal(
        drawn.sums(columns)[:, [0, 2, 3]], (weights @ columns)[:, [0, 2, 3]] * drawn.scale[:, None]
    )
    assert drawn.sums(columns)[:, 1] == pytest.approx(weights @ columns[:, 1] * drawn.scale, rel=1e-14)


def test_bayesian_weights_are_exponential_and_corners_are_half_an_item() -> None:
    drawn = Draws(50, Bootstrap(2000, seed=1))
    weights = np.vstack(list(drawn.blocks())) / 16.0
    assert weights.mean() == pytest.approx(1.0, abs=0.02) and weights.std() == pytest.approx(1.0, abs=0.02)
    assert weights.min() > 0
    # P(weight > t) = e^-t of an exponential weight
    for bar in (0.5, 1.0, 2.0, 4.0):
        assert (weights > bar).mean() == pytest.approx(np.exp(-bar), abs=0.02)
    np.testing.assert_allclose(drawn.sums(np.ones((50, 1))), 50.0)
    corners = drawn.corners(3) / 16.0
    assert corners.mean() == pytest.approx(0.5, abs=0.03) and corners.var() == pytest.approx(0.5, abs=0.05)
    assert np.abs(np.corrcoef(corners.T) - np.eye(3)).max() < 0.08
    # What one measure draws changes nothing of what another does.
    assert np.array_equal(Draws(50, Bootstrap(2000, seed=1)).corners(5)[:, :3], drawn.corners(3))
    assert not np.array_equal(Draws(50, Bootstrap(2000, seed=2)).corners(3), drawn.corners(3))


@pytest.mark.parametrize("kept", [0, 1 << 27])
def test_masks_are_weighed_alike_whether_they_were_weighed_before(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hesperus.measures.resample._SUMS_KEPT", kept)
    masks = np.random.default_rng(3).random((5, 40)) < 0.4
    drawn = Draws(40, Bootstrap(30))
    weights = np.vstack(list(drawn.blocks())).astype(float)
    for chosen in ([0, 1], [1, 1, 4, 0], [2, 3], [4, 2]):
        assert np.array_equal(drawn.of_masks(list(masks[chosen])), (weights @ masks[chosen].T).T)


@pytest.mark.parametrize("method", INTERVAL_METHODS)
def test_draws_too_large_to_keep_are_drawn_again_alike(
    monkeypatch: pytest.MonkeyPatch, method: IntervalMethod
) -> None:
    kept = np.vstack(list(Draws(40, Bootstrap(30, interval=method)).blocks()))
    monkeypatch.setattr("hesperus.measures.resample._KEPT", 0)
    monkeypatch.setattr("hesperus.measures.resample._BLOCK", 100)
    again = Draws(40, Bootstrap(30, interval=method))
    for _ in range(2):
        assert np.array_equal(np.vstack(list(again.blocks())), kept)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"resamples": -1}, "resamples must be 0 or more, not -1"),
        ({"seed": -3}, "seed must be 0 or more, not -3"),
        ({"level": 1.0}, "between 0 and 1, not 1.0"),
        ({"interval": "bca"}, "interval must be one of bayesian, percentile, not 'bca'"),
    ],
)
def test_impossible_bootstraps_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bootstrap(**settings)  # type: ignore[arg-type]


def test_the_percentile_interval_is_that_of_resampling_item_by_item() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 3, 400).astype(np.int32)
    b = np.where(rng.random(400) < 0.7, a, rng.integers(0, 3, 400)).astype(np.int32)
    found = consistency(a, b, bootstrap=Bootstrap(4000, seed=9, interval="percentile"))
    same = a == b
    other = np.random.default_rng(77)
    by_hand = np.array([same[other.integers(0, 400, 400)].mean() for _ in range(4000)])
    low, high = np.quantile(by_hand, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.006)
    assert found.high == pytest.approx(high, abs=0.006)


def test_the_interval_of_a_correlation_is_that_of_resampling_item_by_item() -> None:
    rng = np.random.default_rng(5)
    x = rng.exponential(size=60)
    y = x + rng.exponential(size=60)
    found = pearson(x, y, bootstrap=Bootstrap(4000, seed=2, interval="percentile"))
    rows = np.random.default_rng(8).integers(0, 60, (4000, 60))
    low, high = np.quantile([np.corrcoef(x[row], y[row])[0, 1] for row in rows], [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(4)
    covered = 0
    for trial in range(200):
        codes = (rng.random(300) < 0.8).astype(np.int32)
        found = accuracy(codes, np.ones(300, np.int32), bootstrap=Bootstrap(400, seed=trial % 5))
        assert found.low is not None and found.high is not None
        covered += found.low <= 0.8 <= found.high
    assert 0.90 <= covered / 200 <= 0.99


@pytest.mark.parametrize(
    ("items", "least", "mean"), [(20, 0.88, 0.965), (60, 0.88, 0.945), (200, 0.90, 0.94)]
)
def test_a_share_near_one_is_covered_at_every_truth(items: int, least: float, mean: float) -> None:
    """Exact, over all numbers of wrong items: a grid of a few truths does not show where an interval steps."""
    every = np.arange(items)
    found = estimates((_share(every >= wrong) for wrong in range(items + 1)), Bootstrap(2000))
    right = np.arange(items, -1, -1)
    truths = np.linspace(0.9, 0.99, 91)
    covered = []
    for truth in truths:
        held = [one.low <= truth <= one.high for one in found if one.low is not None and one.high is not None]
        covered.append(float(np.dot(stats.binom.pmf(right, items, truth), held)))
    assert len(held) == items + 1
    assert min(covered) > least and float(np.mean(covered)) > mean


def test_a_difference_shares_its_resamples() -> None:
    rng = np.random.default_rng(6)
    a = rng.random(500) < 0.6
    paired = estimate(difference(_share(a), _share(a)), Bootstrap(200, interval="percentile"))
    assert (paired.value, paired.low, paired.high, paired.n) == (0.0, 0.0, 0.0, 500)
    with pytest.raises(ValueError, match="same items: 500 and 3"):
        difference(_share(a), _share(a[:3]))
    with pytest.raises(ValueError, match="reduced together need the same items"):
        estimates([_share(a), _share(a[:3])])


def test_an_interval_from_a_minority_of_resamples_is_left_out() -> None:
    one = np.zeros(50, dtype=bool)
    one[0] = True
    percentile, why = Bootstrap(500, interval="percentile"), NoCorners("a test of what happens without")
    rare = Statistic((one, one), ratio, why, n=1)
    assert estimate(rare, percentile).low == 1.0
    # Without pseudo-items all resamples are alike, which is no reason for certainty.
    alike = estimate(rare, Bootstrap(500))
    assert (alike.value, alike.low) == (1.0, None) and "no interval" in alike.reason
    assert estimate(rare).reason == ""
    never = Statistic((one, one), lambda s: np.where(s[..., 0] == 1, 1.0, np.nan), why, n=1)
    for bootstrap in (percentile, Bootstrap(500)):
        found = estimate(never, bootstrap)
        assert (found.value, found.low, found.high) == (1.0, None, None)


def test_a_corner_has_a_number_for_each_column() -> None:
    ones = np.ones(5, bool)
    with pytest.raises(ValueError, match="a corner has a number for each of 2 columns"):
        Statistic((ones, ones), ratio, ((1.0, 1.0), (1.0,)), n=5)


def test_many_statistics_go_through_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).random((40, 30)) < 0.5
    together = estimates([_share(v) for v in values], Bootstrap(100))
    monkeypatch.setattr("hesperus.measures.statistic._COLUMNS_AT_ONCE", 3)
    assert estimates((_share(v) for v in values), Bootstrap(100)) == together
    assert estimates([]) == []


def test_pearson_is_numpys_and_undefined_where_a_side_does_not_vary() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.random(200) * 100 + 1e6, rng.random(200) < 0.5
    assert pearson(x, y).value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
    x[3] = np.nan
    found = pearson(x, y, counted=np.ones(200, bool))
    assert (found.n, found.excluded, found.reason) == (199, 1, "1 without a score")
    assert (
        pearson(np.full(5, 0.1), np.arange(5.0)).reason == "fewer than two items, or one side does not vary"
    )
    with pytest.raises(ValueError, match="same items"):
        pearson(x, y[:3])


def test_holm_and_benjamini_hochberg_as_in_the_books() -> None:
    p = [0.01, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert holm([]) == [] == benjamini_hochberg([])
    assert holm([None, 0.9, 0.8]) == [None, 1.0, 1.0]
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match=r"p value 1 is 1.5, outside \[0, 1\]"):
            adjust([0.1, 1.5])


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    from scipy.stats import false_discovery_control

    assert benjamini_hochberg(p) == pytest.approx(list(false_discovery_control(p)))


def test_wilson_is_scipys_and_has_width_at_the_ends() -> None:
    from scipy.stats import binomtest

    for successes, n in [(0, 10), (10, 10), (3, 17), (160, 200)]:
        theirs = binomtest(successes, n).proportion_ci(method="wilson")
        ours = wilson(successes, n)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert wilson(0, 0).reason == "no item to measure"
    with pytest.raises(ValueError, match="3 of 2 is no share"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, level=0)
