"""p values and what a test can find: against scipy, published values, and their own promises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hesperus.measures import (
    Bootstrap,
    difference,
    draws,
    enough_permutations,
    intervals,
    mcnemar_test,
    pearson_p,
    permutation_test,
    resampled_p,
    share_statistic,
    sign_test,
    spearman,
    spearman_p,
    too_few_differ,
    unmatched_p,
)
from hesperus.measures import evened as both_sides
from hesperus.measures.permuting import monte_carlo_p


def test_the_sign_test_is_scipys_exact_one_or_the_tail_of_a_beta_distribution() -> None:
    for wins, losses in [(0, 0), (1, 0), (9, 1), (5, 5), (30, 12), (0, 400)]:
        n = wins + losses
        exact = stats.binomtest(wins, n).pvalue if n else 1.0
        assert sign_test(wins, losses, exact=True).value == pytest.approx(exact)
        tail = stats.beta(max(wins, losses) + 0.5, min(wins, losses) + 0.5).cdf(0.5)
        assert sign_test(wins, losses).value == pytest.approx(2 * tail, rel=1e-9)
        assert sign_test(losses, wins).value == sign_test(wins, losses).value
    assert sign_test(5, 5).value == sign_test(0, 0).value == 1.0
    with pytest.raises(ValueError, match="cannot be negative: -1, 2"):
        sign_test(-1, 2)


@pytest.mark.parametrize(
    ("items", "wins", "losses"), [(20, 5, 0), (20, 6, 2), (60, 4, 0), (200, 12, 3), (200, 20, 22)]
)
def test_the_sign_test_is_what_the_resamples_of_the_interval_say(items: int, wins: int, losses: int) -> None:
    first, second = np.zeros(items, bool), np.zeros(items, bool)
    first[:wins], second[wins : wins + losses] = True, True
    both = np.ones(items, bool)
    apart = difference(share_statistic(first, both), share_statistic(second, both))
    drawn = draws(items, Bootstrap(40_000))
    assert drawn is not None
    spread = apart.resampled(drawn.sums(np.column_stack([c.astype(float) for c in apart.columns])), drawn)
    worked_out = mcnemar_test(first, second, counted=both).value
    assert worked_out == pytest.approx(2 * min((spread < 0).mean(), (spread > 0).mean()), abs=0.006)


@pytest.mark.parametrize("items", [20, 60, 200])
@pytest.mark.parametrize("expected", [3, 4, 6, 8, 12, 16])
def test_the_sign_test_finds_something_in_3_to_6_percent_where_there_is_nothing(
    items: int, expected: int
) -> None:
    """Added up over all numbers of items that differ and all ways in which they fall to the two sides."""
    found = 0.0
    for differ in range(items + 1):
        wins = np.arange(differ + 1)
        rejected = [(sign_test(int(w), differ - int(w)).value or 0.0) <= 0.05 for w in wins]
        found += (
            stats.binom.pmf(differ, items, expected / items)
            * stats.binom.pmf(wins, differ, 0.5)[rejected].sum()
        )
    assert 0.03 <= found <= 0.06


def test_mcnemar_gives_the_published_p_values() -> None:
    """Airway hyper-responsiveness before and after transplantation: Fagerland, Lydersen and Laake (2013), Table 2."""
    before = np.repeat([True, True, False, False], [1, 1, 7, 12])
    after = np.repeat([True, False, True, False], [1, 1, 7, 12])
    everything = np.ones(21, dtype=bool)
    assert round(mcnemar_test(before, after, counted=everything, exact=True).value or 0, 4) == 0.0703
    nothing = mcnemar_test(before, after, counted=~everything)
    assert (nothing.value, nothing.reason) == (None, "no item counts on both sides")


def mid_p(wins: int, losses: int) -> float:
    """What was seen counts by half."""
    seen = float(stats.binom.pmf(wins, wins + losses, 0.5))
    return 1.0 if wins == losses else float(stats.binomtest(wins, wins + losses).pvalue) - seen


def test_the_permutation_test_is_exact_when_small_and_close_when_large() -> None:
    few = np.array([1.0, 1.0, 1.0, 0.0, -1.0])
    assert permutation_test(few).value == pytest.approx(sign_test(3, 1, exact=True).value)
    many = np.concatenate([np.ones(40), -np.ones(22), np.zeros(100)])
    close = permutation_test(many, resamples=20_000).value
    assert close == pytest.approx(sign_test(40, 22, exact=True).value, abs=0.01)
    for wins, losses in ((3, 1), (9, 2), (6, 6)):
        apart = np.array([1.0] * wins + [-1.0] * losses + [0.0] * 5)
        assert permutation_test(apart, mid=True).value == pytest.approx(mid_p(wins, losses))
    wide = permutation_test(np.array([1.0] * 40 + [-1.0] * 22), resamples=20_000, mid=True).value
    assert wide == pytest.approx(mid_p(40, 22), abs=0.005)
    assert permutation_test(np.zeros(4), mid=True).value == 1.0
    assert permutation_test(np.zeros(4)).value == 1.0
    assert permutation_test(np.array([])).reason == "no item counts on both sides"
    assert permutation_test(np.ones(60), resamples=99).value == pytest.approx(0.01)
    assert permutation_test(np.ones(60), resamples=99, ceiling=999).value == pytest.approx(0.001)
    with pytest.raises(ValueError, match="difference of item 1 is not finite"):
        permutation_test(np.array([0.0, np.nan]))
    with pytest.raises(ValueError, match="resamples must be 1 or more"):
        permutation_test(few, resamples=0)


def test_more_is_drawn_only_where_little_was_extreme() -> None:
    drawn: list[int] = []

    def every_tenth(rows: int) -> int:
        drawn.append(rows)
        return rows // 10

    assert monte_carlo_p(every_tenth, width=1, resamples=1000, ceiling=9000) == 101 / 1001
    assert sum(drawn) == 1000
    ten, nine = (
        monte_carlo_p(lambda rows, few=few: few * rows / 1000, width=1, resamples=1000, ceiling=9000)
        for few in (10, 9)
    )
    assert ten == 11 / 1001 and nine == pytest.approx(82 / 9001), "fewer than ten of the first ask for more"
    assert monte_carlo_p(lambda rows: 0, width=1, resamples=1000, ceiling=9000) == 1 / 9001
    assert enough_permutations(2000, 66) * 0.05 > 66 and enough_permutations(2000, 1) == 2000
    assert enough_permutations(0, 66) == 0


def test_resampled_p_agrees_with_the_interval_of_the_same_resamples() -> None:
    rng = np.random.default_rng(3)
    seen = set()
    for centre in np.linspace(-4, 4, 41):
        spread = centre + rng.normal(size=2000)
        low, high = np.quantile(spread, [0.025, 0.975])
        p = resampled_p(spread)
        assert p is not None and p == resampled_p(-spread)
        assert (p < 0.05) == (low > 0 or high < 0)
        seen.add(p < 0.05)
    assert seen == {True, False}


@pytest.mark.parametrize("z", [1.0, 2.5, 3.0, 4.0])
def test_the_tail_of_resampled_p_is_that_of_a_normal_distribution(z: float) -> None:
    spread = z + stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    assert resampled_p(spread) == pytest.approx(2 * stats.norm.sf(z), rel=0.1)
    assert 1 <= (resampled_p(spread[25::50]) or 0) / (2 * stats.norm.sf(z)) < 6


def test_resampled_p_counts_as_long_as_one_percent_lies_beyond_0() -> None:
    spread = np.sort(3.0 + np.random.default_rng(4).normal(size=2000))
    for beyond, counted in ((30, True), (20, True), (19, False)):
        moved = spread - (spread[beyond - 1] + spread[beyond]) / 2
        assert (resampled_p(moved) == pytest.approx(2 * (1 + beyond) / 2001)) == counted


def test_resampled_p_stops_where_resamples_say_nothing() -> None:
    assert resampled_p(np.zeros(2000)) == 1.0
    assert resampled_p(np.full(2000, 0.4)) is None, "resamples that are all alike"
    assert resampled_p(np.array([])) is None
    for undefined, says in ((10, False), (9, True)):
        half = np.concatenate([np.arange(1.0, 11.0), np.full(undefined, np.nan)])
        assert (resampled_p(half) is not None) == says, "half of the resamples are no majority"
    assert resampled_p(100 + np.random.default_rng(0).normal(size=2000)) == 1e-6
    assert resampled_p(1 + np.random.default_rng(0).random(9)) == 0.2, "too few for a tail: 2 / 10"


def test_evened_resamples_have_an_even_interval_and_p() -> None:
    skewed = np.random.default_rng(4).gamma(1.0, size=2000) - 0.02
    evened = both_sides(skewed, Bootstrap(), 10**9)
    middle = float(np.median(skewed))
    low, high = intervals(evened[None, :], np.array([middle]), Bootstrap())
    assert high[0] - middle == pytest.approx(middle - low[0]) and low[0] < 0.0
    assert np.median(np.abs(evened - middle)) == pytest.approx(np.median(np.abs(skewed - middle)))
    p, before = resampled_p(evened), resampled_p(skewed)
    assert p is not None and before is not None and before < 0.05 < p
    assert both_sides(skewed, Bootstrap(interval="percentile"), 60) is skewed
    assert np.isnan(both_sides(np.full(3, np.nan), Bootstrap(), 60)).all()


@pytest.mark.parametrize(("items", "t"), [(20, 2.0930), (60, 2.0010), (200, 1.9720)])
def test_evened_resamples_of_few_items_reach_as_far_as_students_t(items: int, t: float) -> None:
    """Means of normal values: weights Exp(1) vary by (n − 1)/(n + 1) of the variance that the mean has."""
    rng = np.random.default_rng(6)
    values = rng.normal(size=items)
    weights = rng.exponential(size=(40_000, items))
    evened = both_sides(weights @ values / weights.sum(axis=1), Bootstrap(), items)
    low, high = (
        float(end[0]) for end in intervals(evened[None, :], np.array([np.median(evened)]), Bootstrap())
    )
    assert (high - low) / 2 == pytest.approx(t * values.std(ddof=1) / np.sqrt(items), rel=0.03)
    assert np.isfinite(both_sides(rng.normal(size=50), Bootstrap(), 1)).all()


def test_correlation_with_yes_and_no_is_tested_by_permutation() -> None:
    rng = np.random.default_rng(4)
    score, agree = rng.normal(size=300), np.ones(300, dtype=bool)
    agree[:6] = False
    chance = [pearson_p(rng.permutation(score), agree, resamples=199, seed=k) or 0.0 for k in range(60)]
    assert stats.kstest(chance, "uniform").pvalue > 0.01
    assert pearson_p(score, score > 1, resamples=99, ceiling=1999) == 1 / 2000
    x, y = rng.normal(size=40), rng.normal(size=40)
    assert pearson_p(x, y, resamples=20_000) == pytest.approx(stats.pearsonr(x, y).pvalue, abs=0.02)
    assert pearson_p(score, np.ones(300, dtype=bool)) is None
    assert pearson_p(score, agree, resamples=0) is None and spearman_p(x, y, resamples=0) is None


def test_no_resamples_are_no_interval_of_a_rank_correlation() -> None:
    x, y = np.arange(20.0), np.arange(20.0) % 7
    found = spearman(x, y, bootstrap=Bootstrap(0))
    assert (
        found.value == pytest.approx(stats.spearmanr(x, y).statistic)
        and found.low is None
        and found.high is None
    )


def test_only_items_that_count_are_permuted() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=40), rng.normal(size=40)
    counted = np.arange(40) % 3 > 0
    gaps = np.where(np.arange(40) == 1, np.nan, x)
    assert pearson_p(x, y, counted=counted, resamples=99) == pearson_p(x[counted], y[counted], resamples=99)
    kept = counted & np.isfinite(gaps)
    assert pearson_p(gaps, y, counted=counted, resamples=99) == pearson_p(x[kept], y[kept], resamples=99)


def test_an_interval_is_withheld_where_few_items_differ() -> None:
    some = np.arange(300.0)
    assert "only 9 items" in too_few_differ(some, some < 9)
    assert too_few_differ(some, some < 10) == "" == too_few_differ(some, some >= 10)


def _studentized(first: np.ndarray, second: np.ndarray) -> float:
    error = first.var() / len(first) + second.var() / len(second)
    apart = abs(first.mean() - second.mean())
    return float(apart / np.sqrt(error)) if error else (np.inf if apart else 0.0)


def _share_beyond(drawn: np.ndarray, seen: float) -> float:
    return float((drawn > seen + 1e-9).mean() + 0.5 * (np.abs(drawn - seen) <= 1e-9).mean())


def test_items_that_change_sets_are_tested_as_fisher_does_and_in_few_items_not_at_all() -> None:
    first, second = np.array([1.0] * 18 + [0.0] * 2), np.array([1.0] * 9 + [0.0] * 11)
    ones = np.ones(20)
    p = unmatched_p((first, ones), (second, ones), resamples=20_000)
    exact = stats.fisher_exact([[18, 2], [9, 11]]).pvalue
    assert p is not None and exact / 3 < p < exact, "mid-p lies below the exact p"
    assert unmatched_p((first, ones), (first, ones), resamples=99) == 1.0
    few, many = np.array([1.0] * 5 + [0.0]), np.array([1.0] * 12 + [0.0] * 28)
    p = unmatched_p((few, np.ones(6)), (many, np.ones(40)), resamples=20_000)
    rng, by_hand = np.random.default_rng(1), []
    for _ in range(5000):
        mixed = rng.permutation(np.concatenate([few, many]))
        by_hand.append(_studentized(mixed[:6], mixed[6:]))
    assert p == pytest.approx(_share_beyond(np.array(by_hand), _studentized(few, many)), abs=0.015), (
        "6 and 40 items"
    )
    none = np.zeros(20)
    assert unmatched_p((first, none), (second, ones), resamples=99) is None, "no item of the first set counts"
    assert unmatched_p((first[:1], ones[:1]), (second, ones), resamples=99) is None
    assert unmatched_p((first, ones), (second, ones), resamples=0) is None
    apart = unmatched_p((ones[:3], ones[:3]), (none[:3], ones[:3]), resamples=20_000)
    assert apart == pytest.approx(0.05, abs=0.005), (
        "two of the twenty ways are as far apart, and count by half"
    )


@pytest.mark.parametrize(("count", "bar"), [(2000, 20), (149, 1), (150, 2), (44, 1)])
def test_the_tail_goes_through_the_median_and_the_one_percent_quantile(count: int, bar: int) -> None:
    spread = np.sort(np.random.default_rng(count).normal(4.0, 1.0, count))
    assert spread[0] > 0, "nothing lies beyond 0, so the tail is continued"
    reach = np.median(spread) / (np.median(spread) - spread[bar - 1])
    z = stats.norm.isf((1 + bar) / (1 + count))
    assert resampled_p(spread) == pytest.approx(2 * stats.norm.sf(z * reach), rel=1e-9)


def test_up_to_14_items_that_differ_every_pattern_of_signs_is_tried() -> None:
    moved = np.array([1.0, 2.0, -3.0, 5.0, 8.0, -1.5, 4.0, 6.5, -2.5, 7.0, 3.5, 9.0, -0.5, 10.0])
    signs = 1.0 - 2.0 * (np.arange(1 << 14)[:, None] >> np.arange(14) & 1)
    extreme = np.abs(signs @ moved) >= abs(moved.sum()) - 1e-9
    assert permutation_test(np.append(moved, 0.0), resamples=19).value == extreme.mean()
    assert permutation_test(np.append(moved, 0.25), resamples=19).value in np.arange(1, 21) / 20
