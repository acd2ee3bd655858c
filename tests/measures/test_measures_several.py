"""More than two runs at once, against the sums as they are written."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hesperus.measures import (
    INTERVAL_METHODS,
    INVALID,
    MISSING,
    Bootstrap,
    Codes,
    IntervalMethod,
    Key,
    ac3_statistic,
    agreement_statistics,
    estimate,
    krippendorff_alpha,
    nominal_alpha_statistic,
    pooled_accuracy_statistic,
    subset_consistency_statistic,
)
from hesperus.measures.several import together_statistics


def _codes(seed: int, *, holes: bool) -> Codes:
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((5, 40)) < 0.6, rng.integers(0, 3, 40), rng.integers(0, 3, (5, 40))).astype(
        np.int32
    )
    if holes:
        codes[rng.random(codes.shape) < 0.15] = INVALID
        codes[rng.random(codes.shape) < 0.15] = MISSING
    return codes


@pytest.mark.parametrize("size", [2, 3, 5])
def test_consistency_of_subsets_is_the_mean_over_subsets(size: int) -> None:
    codes = _codes(0, holes=False)
    shares = [
        np.mean([len(set(column)) == 1 for column in codes[list(some)].T])
        for some in combinations(range(5), size)
    ]
    assert estimate(subset_consistency_statistic(codes, size=size)).value == pytest.approx(
        np.mean(shares), abs=1e-12
    )


@pytest.mark.parametrize("invalid", ["disagree", "agree", "drop"])
def test_an_item_counts_with_the_subsets_that_have_it(invalid: str) -> None:
    codes = _codes(1, holes=True)
    agreeing = counted = 0
    for column in codes.T:
        for some in combinations(column, 3):
            if MISSING in some or (invalid == "drop" and INVALID in some):
                continue
            counted += 1
            agreeing += len(set(some)) == 1 and (some[0] != INVALID or invalid == "agree")
    found = estimate(subset_consistency_statistic(codes, size=3, invalid=invalid))  # type: ignore[arg-type]
    assert found.value == pytest.approx(agreeing / counted, abs=1e-12)


def test_ac3_is_the_harmonic_mean() -> None:
    codes = _codes(2, holes=False)
    key = Key(codes[0], np.full(40, 3, np.int32))
    consistent = estimate(subset_consistency_statistic(codes, size=4)).value
    right = estimate(pooled_accuracy_statistic(codes, key.gold)).value
    assert consistent is not None and right == pytest.approx((codes == codes[0]).mean())
    found = estimate(ac3_statistic(codes, key=key, size=4)).value
    assert found == pytest.approx(2 * consistent * right / (consistent + right))
    wrong = Key(np.full(40, 7, np.int32), key.options)
    apart = np.arange(5, dtype=np.int32)[:, None] + np.zeros((5, 40), np.int32)
    both = estimate(ac3_statistic(apart, key=wrong, size=2))
    assert both.value is None and both.reason == "accuracy and consistency are both 0"
    none = Key(np.full(40, INVALID, np.int32), key.options)
    assert estimate(ac3_statistic(codes, key=none, size=2)).reason == "no item with a gold label counts"
    empty = np.full((3, 40), MISSING, np.int32)
    assert estimate(ac3_statistic(empty, key=key, size=3)).reason == "no item was answered by 3 runs"
    ungraded = estimate(pooled_accuracy_statistic(codes, none.gold))
    assert ungraded.reason == "no item with a gold label counts; 40 without a gold label"
    assert (ungraded.n, ungraded.excluded) == (0, 40)


def test_all_measures_of_several_runs_by_name() -> None:
    codes = _codes(4, holes=True)
    key = Key(codes[0], np.full(40, 3, np.int32))
    found = {
        (size, name): estimate(statistic).value
        for size, name, statistic in together_statistics(codes, key=key, sizes=(2, 5, 6))
    }
    assert list(found) == [
        (None, "krippendorff_alpha"), (None, "accuracy"), (2, "subset_consistency"), (2, "ac3"),
        (5, "subset_consistency"), (5, "ac3"),
    ]  # fmt: skip
    assert found[5, "ac3"] == estimate(ac3_statistic(codes, key=key, size=5)).value
    assert found[2, "subset_consistency"] == estimate(subset_consistency_statistic(codes, size=2)).value


@pytest.mark.parametrize("invalid", ["disagree", "agree", "drop"])
def test_alpha_of_runs_is_krippendorffs_alpha_of_their_answers(invalid: str) -> None:
    codes = _codes(3, holes=True)
    ratings = codes.astype(np.float64)
    ratings[codes == MISSING] = np.nan
    unread = codes == INVALID
    if invalid == "drop":
        ratings[unread] = np.nan
    elif invalid == "disagree":
        ratings[unread] = 100.0 + np.arange(unread.sum())
    found = estimate(nominal_alpha_statistic(codes, invalid=invalid))  # type: ignore[arg-type]
    assert found.value == pytest.approx(krippendorff_alpha(ratings).value, abs=1e-12)


@pytest.mark.parametrize("method", INTERVAL_METHODS)
def test_alpha_of_runs_has_the_interval_of_krippendorffs_alpha(method: IntervalMethod) -> None:
    """Two ways to the same: columns with pseudo-items in their corners, and sums over tables of ratings."""
    codes, bootstrap = _codes(6, holes=False), Bootstrap(300, interval=method)
    found = estimate(nominal_alpha_statistic(codes), bootstrap)
    other = krippendorff_alpha(codes.astype(np.float64), bootstrap=bootstrap)
    assert found.low is not None and found.high is not None
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=1e-9)


@pytest.mark.parametrize("invalid", ["disagree", "agree", "drop"])
def test_pooled_accuracy_counts_unreadable_answers_as_wrong_unless_they_are_dropped(invalid: str) -> None:
    codes = _codes(5, holes=True)
    gold = np.where(np.arange(40) < 35, codes[0] % 3, -1).astype(np.int32)
    counted = ((codes >= 0) if invalid == "drop" else (codes != MISSING)) & (gold >= 0)
    assert (codes[counted] == INVALID).any() == (invalid != "drop")
    found = estimate(pooled_accuracy_statistic(codes, gold, invalid=invalid))  # type: ignore[arg-type]
    assert found.value == pytest.approx((codes == gold)[counted].sum() / counted.sum())
    assert found.n == counted.any(axis=0).sum()


def test_alpha_of_two_whole_runs_is_nearly_scotts_pi() -> None:
    codes = _codes(4, holes=False)[:2]
    key = Key(codes[0], np.full(40, 3, np.int32))
    pi = estimate(agreement_statistics(codes[0], codes[1], key=key)["scott_pi"]).value
    assert pi is not None
    assert estimate(nominal_alpha_statistic(codes)).value == pytest.approx(1 - (1 - pi) * (1 - 1 / 80))


def test_what_is_undefined_says_why() -> None:
    same = np.zeros((3, 4), dtype=np.int32)
    assert estimate(nominal_alpha_statistic(same)).reason == "all answers are the same"
    lonely = np.full((3, 4), MISSING, dtype=np.int32)
    lonely[0] = 1
    found = estimate(nominal_alpha_statistic(lonely))
    assert (found.excluded, found.reason) == (4, "no item with two answers; 4 that too few runs answered")
    found = estimate(subset_consistency_statistic(lonely, size=2))
    assert found.reason == "no item was answered by 2 runs; 4 that too few runs answered"


@pytest.mark.parametrize("size", [1, 4])
def test_a_subset_has_two_runs_or_more_and_no_more_than_there_are(size: int) -> None:
    with pytest.raises(ValueError, match=f"a subset has 2 to 3 of the 3 runs, not {size}"):
        subset_consistency_statistic(np.zeros((3, 4), np.int32), size=size)


def test_an_unknown_rule_is_refused() -> None:
    for call in (
        lambda codes: subset_consistency_statistic(codes, size=2, invalid="skip"),  # type: ignore[arg-type]
        lambda codes: nominal_alpha_statistic(codes, invalid="skip"),  # type: ignore[arg-type]
        lambda codes: pooled_accuracy_statistic(codes, codes[0], invalid="skip"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match="invalid must be one of disagree, agree, drop, not 'skip'"):
            call(np.zeros((3, 4), np.int32))
