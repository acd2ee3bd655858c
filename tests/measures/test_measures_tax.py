"""Measures of the audit of translated benchmarks: against definitions, other implementations, worked numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from hesperus.measures import (
    Bootstrap,
    Statistic,
    TaxPairs,
    difference,
    discordant,
    estimate,
    item_signal,
    residue_strata,
    share_statistic,
    side_statistics,
    spearman,
    spearman_p,
    tax_bounds,
    tax_statistic,
    unmatched_difference,
)


def _pairs(rng: np.random.Generator, models: int = 3, items: int = 40) -> TaxPairs:
    valid = rng.random((2, models, items)) < 0.9
    right = (rng.random((2, models, items)) < 0.6) & valid
    return TaxPairs(right[0], right[1], valid[0], valid[1], rng.random((models, items)) < 0.95)


def test_the_tax_of_a_model_is_the_difference_of_its_accuracies_over_strict_pairs() -> None:
    pairs = _pairs(np.random.default_rng(1)).of_models([1])
    first, second = (estimate(side).value for side in side_statistics(pairs))
    positive, negative = discordant(pairs)
    found = estimate(tax_statistic(pairs))
    assert first is not None and second is not None and found.value is not None
    assert found.value == pytest.approx(first - second)
    assert found.value == pytest.approx((positive - negative) / pairs.strict.sum())
    assert found.n + found.excluded == pairs.asked.sum() and found.excluded > 0 and "invalid" in found.reason


def test_printed_cell_of_the_paper() -> None:
    """MMMLU, gpt-4o: 209 pairs, 10 positive and 4 negative, accuracies .818 and .789 (its Table 1)."""
    first, second = np.zeros((1, 209), bool), np.zeros((1, 209), bool)
    first[0, :171] = True
    second[0, 10:171] = True
    second[0, 171:175] = True
    whole = np.ones((1, 209), bool)
    pairs = TaxPairs(first, second, whole, whole, whole)
    assert discordant(pairs) == (10, 4)
    sides = [round(float(estimate(side).value or 0), 3) for side in side_statistics(pairs)]
    assert sides == [0.818, 0.789]
    found = estimate(tax_statistic(pairs), Bootstrap(10_000, 42))
    assert (
        found.value == pytest.approx(6 / 209) and found.low is not None and found.low < 0 < (found.high or 0)
    )


def test_resamples_keep_all_models_of_an_item_together() -> None:
    """Three copies of one model are no more information than one."""
    one = _pairs(np.random.default_rng(2), models=1)
    three = one.of_models([0, 0, 0])
    exact = Bootstrap(500, interval="percentile")
    assert estimate(tax_statistic(three), exact) == estimate(tax_statistic(one), exact)
    copies, single = (estimate(tax_statistic(pairs), Bootstrap(500)) for pairs in (three, one))
    assert (copies.low, copies.high) == pytest.approx((single.low, single.high), abs=0.02)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_bounds_hold_every_way_in_which_unreadable_answers_could_have_been_meant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = _pairs(rng, models=2, items=12)
    meant = [
        right | (~valid & (rng.random(right.shape) < 0.5))
        for right, valid in ((pairs.first_right, pairs.first_valid), (pairs.second_right, pairs.second_valid))
    ]
    whole = np.ones_like(pairs.asked)
    true = estimate(tax_statistic(TaxPairs(meant[0], meant[1], whole, whole, pairs.asked))).value
    low, high = (estimate(bound).value for bound in tax_bounds(pairs))
    assert true is not None and low is not None and high is not None
    assert low - 1e-12 <= true <= high + 1e-12
    open_ones = (~pairs.first_valid & pairs.asked).sum() + (~pairs.second_valid & pairs.asked).sum()
    assert high - low == pytest.approx(open_ones / pairs.asked.sum())


def test_signal_of_an_item_is_the_mean_over_its_models() -> None:
    pairs = _pairs(np.random.default_rng(3))
    signal, strict = item_signal(pairs), pairs.strict
    kept = strict.any(axis=0)
    assert np.isnan(signal[~kept]).all()
    weighted = (signal[kept] * strict.sum(axis=0)[kept]).sum() / strict.sum()
    assert weighted == pytest.approx(estimate(tax_statistic(pairs)).value)


def test_strata_by_hand() -> None:
    anchor = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], bool)
    back = np.array([[0, 1, 1, 1], [1, 1, 1, 1]], bool)
    mine = np.array([[0, 0, 0, 1], [0, 0, 0, 1]], np.int32)
    theirs = np.array([[2, 0, 2, 2], [2, 0, 2, 2]], np.int32)
    high, low, disagreement = residue_strata(anchor, back, np.ones(4, bool), labels=mine, others=theirs)
    assert high.tolist() == [True, False, False, False]
    assert low.tolist() == [False, True, False, False]
    assert disagreement.tolist() == [False, False, True, True]
    nobody = np.empty((0, 4), np.int32)
    _, low, disagreement = residue_strata(anchor, back, np.ones(4, bool), labels=mine, others=nobody)
    assert not disagreement.any() and low.tolist() == [False, True, True, False]


def test_groups_disagree_where_both_have_a_majority_and_these_differ() -> None:
    """The first label counts as any other; a tie, or no valid answer, is no majority."""
    right = np.ones((2, 5), bool)
    mine = np.array([[1, 0, 1, 0, -1], [1, 0, 1, 1, -1]], np.int32)
    theirs = np.array([[0, 1, -1, 0, 0], [0, -1, -1, 0, 0], [1, -1, -1, 0, 0]], np.int32)
    high, low, disagreement = residue_strata(right, right, np.ones(5, bool), labels=mine, others=theirs)
    assert not high.any()
    assert disagreement.tolist() == [True, True, False, False, False]
    assert low.tolist() == [False, False, True, True, True]
    unusable = np.array([True, False, True, True, False])
    _, low, _ = residue_strata(right, right, unusable, labels=mine, others=theirs)
    assert low.tolist() == [False, False, True, True, False]


def test_unmatched_sets_are_drawn_apart() -> None:
    """The width is that of two independent proportions; one shared set of draws would pair them."""
    rng = np.random.default_rng(5)
    a, b = (rng.random((2, 400)) < 0.5).astype(bool)
    whole = np.ones(400, bool)
    first, second = share_statistic(a, whole), share_statistic(a.copy(), whole)
    found = unmatched_difference(first, second, Bootstrap(4000))
    width = 2 * 1.96 * np.sqrt(2 * a.mean() * (1 - a.mean()) / 400)
    assert found.value == 0.0 and found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx(width, rel=0.08)
    assert estimate(difference(first, second), Bootstrap(200, interval="percentile")).low == 0.0
    assert unmatched_difference(share_statistic(b, whole), share_statistic(b[:0], whole[:0])).value is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(-2, 2)), min_size=3, max_size=30))
def test_spearman_is_scipys_with_any_ties(values: list[tuple[int, int]]) -> None:
    x, y = np.array(values, dtype=np.float64).T
    found = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found.value is None and "same" in found.reason
        return
    assert found.value == pytest.approx(float(spearmanr(x, y).statistic), abs=1e-9)


def test_each_resample_is_ranked_anew() -> None:
    """The interval is that of scipy's ρ over the same drawn items, ranked again for each draw."""
    from hesperus.measures import draws

    rng = np.random.default_rng(7)
    x, bootstrap = rng.integers(1, 6, 25).astype(np.float64), Bootstrap(60, 3, interval="percentile")
    y = x + rng.integers(-3, 4, 25)
    shared = draws(25, bootstrap)
    assert shared is not None
    slow = [
        float(spearmanr(np.repeat(x, counts), np.repeat(y, counts)).statistic)
        for block in shared.blocks()
        for counts in block
    ]
    found = spearman(x, y, bootstrap=bootstrap)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(slow, [0.025, 0.975])))


def test_spearman_says_what_is_undefined_and_what_was_left_out() -> None:
    y = np.array([1.0, 0.0, np.nan, 1.0])
    assert spearman(np.array([3.0, 3.0, 3.0, 3.0]), y).reason == (
        "all values of the first side are the same, so no correlation is defined; 1 without both numbers"
    )
    assert spearman(y[:2], y[:2]).reason == "fewer than three items have both numbers"
    assert spearman_p(np.ones(4), y) is None
    with pytest.raises(ValueError, match="same items"):
        spearman(np.ones(3), np.ones(4))


def test_an_interval_needs_more_than_a_couple_of_items_that_differ() -> None:
    """Random ratings beside one item with a tax: percentiles of the resamples that hold it would often shut out 0."""
    rng = np.random.default_rng(2)
    for differing, has_interval in ((1, False), (2, False), (8, True)):
        tax = np.zeros(60)
        tax[:differing] = 1.0
        found = spearman(rng.integers(1, 6, 60), tax, bootstrap=Bootstrap(400))
        assert found.value is not None and (found.low is not None) == has_interval
        assert ("too few items vary, so there is no interval" in found.reason) != has_interval


def test_permutation_p_of_spearman_holds_its_level_under_ties() -> None:
    rng = np.random.default_rng(11)
    p = [
        spearman_p(rng.integers(1, 6, 30), rng.integers(-1, 2, 30), resamples=99, seed=k) or 1.0
        for k in range(200)
    ]
    assert np.mean(np.array(p) <= 0.1) < 0.18  # 200 draws at .10: .18 is 3.8 standard deviations above
    assert (spearman_p(np.arange(20.0), np.arange(20.0), resamples=199) or 1) == pytest.approx(1 / 200)


def test_pairs_of_uneven_shape_are_refused() -> None:
    mask = np.ones((2, 3), bool)
    with pytest.raises(ValueError, match="models, items"):
        TaxPairs(mask, mask, mask, mask, mask[:1])
    assert isinstance(tax_statistic(TaxPairs(*[mask] * 5)), Statistic)
