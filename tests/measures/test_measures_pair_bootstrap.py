"""The bootstrap of every pair at once is the bootstrap of each pair; means and differences are of the same resamples."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from hesperus.measures import (
    INTERVAL_METHODS,
    INVALID,
    MISSING,
    Bootstrap,
    HardRuns,
    IntervalMethod,
    Key,
    SoftRuns,
    agreement_statistics,
    bootstrap_pairs,
    difference,
    draws,
    estimate,
    intervals,
    kappa_p_statistic,
    pair_bootstrap,
    rank_consistency_statistic,
)
from hesperus.measures.classes import FAILED, INVALID_RULES, InvalidRule
from hesperus.measures.pair_basis import PairBasis, pair_basis

RUNS, ITEMS, OPTIONS = 5, 60, 5
PAIRS = np.array(list(combinations(range(RUNS), 2)))
HARD = ("raw", "kappa_p", "cohen_kappa", "scott_pi", "error_consistency")
SEEDED = Bootstrap(200, seed=3)


def _random(seed: int, *, ragged: bool = True) -> tuple[np.ndarray, np.ndarray, Key]:
    rng = np.random.default_rng(seed)
    options = rng.integers(2, OPTIONS + 1, ITEMS).astype(np.int32)
    gold = (rng.random(ITEMS) * options).astype(np.int32)
    probs = rng.dirichlet(np.ones(OPTIONS), (RUNS, ITEMS)) * (np.arange(OPTIONS) < options[:, None])
    probs /= probs.sum(axis=2, keepdims=True)
    codes = probs.argmax(axis=2).astype(np.int32)
    if ragged:
        gold[:3] = INVALID
        codes[rng.random(codes.shape) < 0.1] = INVALID
        codes[rng.random(codes.shape) < 0.1] = MISSING
        probs[1, 8] = probs[2, 30] = np.nan
    return codes, probs, Key(gold, options)


@pytest.fixture(params=["one chunk", "many chunks", "columns of their own"])
def sized(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of memory that lead every way through the code."""
    if request.param != "one chunk":
        monkeypatch.setattr(pair_bootstrap, "_PAIRS", 3)
        monkeypatch.setattr(pair_bootstrap, "_TILE", 300)
    if request.param == "columns of their own":
        monkeypatch.setattr(pair_bootstrap, "_BELONGING", 30)


@pytest.mark.usefixtures("sized")
@pytest.mark.parametrize("invalid", ["disagree", "agree", "drop"])
@pytest.mark.parametrize("ragged", [True, False])
def test_hard_answers_pair_by_pair(invalid: str, ragged: bool) -> None:
    codes, _, key = _random(0, ragged=ragged)
    runs = HardRuns(codes, key, invalid)  # type: ignore[arg-type]
    found = bootstrap_pairs(runs, PAIRS, statistics=HARD, bootstrap=SEEDED)  # type: ignore[arg-type]
    for index, (a, b) in enumerate(PAIRS):
        single = agreement_statistics(codes[a], codes[b], key=key, invalid=invalid)  # type: ignore[arg-type]
        for name in HARD:
            one, many = estimate(single[name], SEEDED), found[name]  # type: ignore[index]
            assert many.n[index] == one.n
            shown = (many.value[index], many.low[index], many.high[index])
            assert shown == pytest.approx((one.value, one.low, one.high), abs=1e-12)


@pytest.mark.usefixtures("sized")
@pytest.mark.parametrize("ragged", [True, False])
def test_probabilities_pair_by_pair(ragged: bool) -> None:
    _, probs, key = _random(1, ragged=ragged)
    found = bootstrap_pairs(
        SoftRuns(probs, key), PAIRS, statistics=("kappa_p", "rank_consistency"), bootstrap=SEEDED
    )
    for index, (a, b) in enumerate(PAIRS):
        for statistic, name in (
            (kappa_p_statistic(probs[a], probs[b], key=key), "kappa_p"),
            (rank_consistency_statistic(probs[a], probs[b], key=key), "rank_consistency"),
        ):
            one, many = estimate(statistic, SEEDED), found[name]  # type: ignore[index]
            assert many.n[index] == one.n
            assert many.value[index] == pytest.approx(one.value, abs=1e-12)
            assert (many.low[index], many.high[index]) == pytest.approx((one.low, one.high), abs=1e-5)


@pytest.mark.usefixtures("sized")
def test_means_of_groups_and_their_differences_are_of_the_same_resamples() -> None:
    # A difference as a statistic has pseudo-items of its own on either side, so only counts give the very same spread.
    percentile = replace(SEEDED, interval="percentile")
    codes, _, key = _random(2)
    groups = [np.array([0, 4]), np.array([9]), np.array([], dtype=int)]
    found = bootstrap_pairs(HardRuns(codes, key), PAIRS, bootstrap=SEEDED, groups=groups)["kappa_p"]
    assert found.means[0] == pytest.approx(found.value[[0, 4]].mean())
    assert found.means[1] == pytest.approx(found.value[9])
    assert np.isnan(found.means[2]) and np.isnan(found.spread[2]).all()
    assert np.quantile(found.spread[1], 0.025) == pytest.approx(found.low[9])
    first, last = (agreement_statistics(codes[a], codes[b], key=key)["kappa_p"] for a, b in PAIRS[[0, 9]])
    pair = bootstrap_pairs(HardRuns(codes, key), PAIRS[[0, 9]], bootstrap=percentile, groups=[[0], [1]])[
        "kappa_p"
    ]
    apart = estimate(difference(first, last), percentile)
    assert np.quantile(pair.spread[0] - pair.spread[1], [0.025, 0.975]) == pytest.approx(
        (apart.low, apart.high)
    )


def test_without_resamples_there_are_values_only() -> None:
    codes, probs, key = _random(3)
    for runs in (HardRuns(codes, key), SoftRuns(probs, key)):
        found = bootstrap_pairs(runs, PAIRS, groups=[np.arange(10)])["kappa_p"]
        assert np.isfinite(found.value).all() and np.isnan(found.low).all() and np.isnan(found.high).all()
        assert found.spread.shape == (1, 0) and found.means[0] == pytest.approx(found.value.mean())


def test_pairs_that_are_undefined_stay_out_of_means() -> None:
    codes = np.array([[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0], [MISSING] * 4], dtype=np.int32)
    key = Key(np.array([0, 1, 1, 0], np.int32), np.full(4, 2, np.int32))
    pairs = np.array([[0, 1], [0, 2], [0, 3]])
    found = bootstrap_pairs(HardRuns(codes, key), pairs, bootstrap=SEEDED, groups=[np.arange(3)])["kappa_p"]
    assert np.isnan(found.value[[0, 2]]).all() and found.n.tolist() == [4, 4, 0]
    assert found.means[0] == pytest.approx(found.value[1])
    assert np.isnan(found.low[[0, 2]]).all() and np.isfinite(found.low[1])


def test_items_with_one_option_take_agreement_beyond_chance_from_their_own_pairs_only() -> None:
    codes, _, key = _random(5, ragged=False)
    options = key.options.copy()
    options[-2:] = 1
    codes[:, -2:] = 0
    codes[:2, -2:] = MISSING
    key = Key(np.minimum(key.gold, options - 1).astype(np.int32), options)
    found = bootstrap_pairs(HardRuns(codes, key), np.array([[0, 1], [1, 2], [2, 3]]), bootstrap=SEEDED)[
        "kappa_p"
    ]
    alone = estimate(agreement_statistics(codes[0], codes[1], key=key)["kappa_p"], SEEDED)
    assert (found.value[0], found.low[0], found.high[0]) == pytest.approx(
        (alone.value, alone.low, alone.high)
    )
    assert np.isfinite(found.value[1]) and np.isnan(found.value[2]), "only the last two were both asked them"


def test_slabs_are_the_resamples_in_larger_blocks() -> None:
    for method in INTERVAL_METHODS:
        drawn = draws(7, Bootstrap(53, seed=5, interval=method))
        assert drawn is not None
        for rows in (1, 10, 53, 1000):
            slabs = np.concatenate([slab.copy() for slab in drawn.slabs(rows)])
            np.testing.assert_array_equal(slabs, np.concatenate(list(drawn.blocks())))
            np.testing.assert_allclose(slabs.sum(axis=1) * drawn.scale, 7.0)
            assert drawn.bayesian or (slabs.sum(axis=1) == 7).all()


def test_slabs_run_on_over_the_ends_of_blocks() -> None:
    """So many items that a block holds five resamples: a slab ends within a block, or takes from two or three."""
    drawn = draws(200_000, Bootstrap(13, seed=5))
    assert drawn is not None
    blocks = list(drawn.blocks())
    assert [len(block) for block in blocks] == [5, 5, 3]
    whole = np.concatenate(blocks)
    for rows, heights in ((2, [2] * 6 + [1]), (4, [4, 4, 4, 1]), (7, [7, 6]), (13, [13]), (99, [13])):
        slabs = [slab.copy() for slab in drawn.slabs(rows)]
        assert [len(slab) for slab in slabs] == heights
        np.testing.assert_array_equal(np.concatenate(slabs), whole)


@pytest.mark.parametrize("method", INTERVAL_METHODS)
def test_intervals_are_quantiles_and_leave_out_what_is_undefined(method: IntervalMethod) -> None:
    rng = np.random.default_rng(0)
    for count in (2, 3, 999, 1000):
        spread = rng.normal(size=(4, count))
        low, high = intervals(spread, np.median(spread, axis=1), Bootstrap(level=0.9, interval=method))
        np.testing.assert_allclose([low, high], np.quantile(spread, [0.05, 0.95], axis=1), atol=1e-12)
    spread = np.arange(20.0).reshape(2, 10)
    spread[0, :4], spread[1, :5] = np.nan, np.nan
    low, high = intervals(spread, np.array([6.0, 16.0]), Bootstrap(level=0.5, interval=method))
    assert (low[0], high[0]) == pytest.approx(tuple(np.quantile(np.arange(4.0, 10.0), [0.25, 0.75])))
    assert np.isnan(low[1]) and np.isnan(high[1])
    assert np.isnan(intervals(spread, np.full(2, np.nan), Bootstrap(interval=method))).all()


def test_an_interval_holds_its_value_and_is_withheld_where_resamples_are_alike() -> None:
    spread, ones = np.linspace(0.0, 1.0, 101)[None, :], np.ones((1, 101))
    exact = Bootstrap(level=0.9, interval="percentile")
    low, high = intervals(spread, np.array([1.2]), Bootstrap(level=0.9))
    assert (low[0], high[0]) == pytest.approx((0.05, 1.2))
    # The percentile interval is what it is, save for what float32 loses.
    assert intervals(spread, np.array([1.2]), exact)[1][0] == pytest.approx(0.95)
    assert intervals(spread, np.array([0.95 + 1e-7]), exact)[1][0] == 0.95 + 1e-7
    assert np.isnan(intervals(ones, np.ones(1), Bootstrap())).all()
    assert [end[0] for end in intervals(ones, np.ones(1), exact)] == [1.0, 1.0]


def test_bad_use_is_refused() -> None:
    codes, probs, key = _random(4)
    with pytest.raises(ValueError, match="no statistic 'cohen_kappa' of these runs; there are raw, kappa_p"):
        bootstrap_pairs(SoftRuns(probs, key), PAIRS, statistics=("cohen_kappa",))
    with pytest.raises(ValueError, match="pairs name the runs 0 to 4, not 0 to 5"):
        bootstrap_pairs(HardRuns(codes, key), np.array([[0, 5]]))
    with pytest.raises(ValueError, match="a group names the pairs 0 to 9"):
        bootstrap_pairs(HardRuns(codes, key), PAIRS, groups=[np.array([10])])
    with pytest.raises(ValueError, match=r"codes are \[runs, 60 items\], not \(5, 59\)"):
        HardRuns(codes[:, 1:], key)
    with pytest.raises(ValueError, match=r"probs are \[runs, 60 items, options\]"):
        SoftRuns(probs[:, 1:], key)
    with pytest.raises(ValueError, match="invalid must be one of disagree, agree, drop, not 'ignore'"):
        HardRuns(codes, key, "ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", HARD)
def test_a_single_pair_is_that_pair(name: str) -> None:
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 4, (2, 60)).astype(np.int32)
    key = Key(rng.integers(0, 4, 60).astype(np.int32), np.full(60, 4, np.int32))
    found = bootstrap_pairs(
        HardRuns(codes, key), np.array([[0, 1]]), bootstrap=Bootstrap(200), statistics=[name]
    )[name]
    alone = estimate(agreement_statistics(codes[0], codes[1], key=key)[name], Bootstrap(200))
    assert (found.value[0], found.low[0], found.high[0]) == pytest.approx(
        (alone.value, alone.low, alone.high)
    )


@pytest.mark.parametrize("rule", INVALID_RULES)
def test_the_basis_of_all_pairs_is_that_of_each(rule: InvalidRule) -> None:
    codes, _, key = _random(6)
    rng = np.random.default_rng(6)
    codes[rng.random(codes.shape) < 0.1] = FAILED
    codes[3, codes[3] >= 0] = INVALID
    codes[4, key.gold >= 0] = INVALID
    key = replace(key, options=np.where(np.arange(ITEMS) % 7, key.options, 0).astype(np.int32))
    found = pair_basis(HardRuns(codes, key, rule), PAIRS)
    for place, (a, b) in enumerate(PAIRS):
        for name, one in agreement_statistics(codes[a], codes[b], key=key, invalid=rule).items():
            assert _told(found[name], place) == (one.n, one.excluded, one.reason, one.undefined), (name, a, b)


def test_of_a_single_item_that_one_run_does_not_answer_nothing_is_compared() -> None:
    codes, key = np.array([[0], [INVALID]], np.int32), Key(np.zeros(1, np.int32), np.full(1, 4, np.int32))
    found = pair_basis(HardRuns(codes, key), np.array([[0, 1]]))
    for name, one in agreement_statistics(codes[0], codes[1], key=key).items():
        assert _told(found[name], 0) == (one.n, one.excluded, one.reason, one.undefined), name
    assert (found["raw"].n[0], found["raw"].excluded[0]) == (0, 1)


@pytest.mark.parametrize("many", [127, 128, 255, 256, 300])
def test_labels_beyond_a_byte_are_told_apart(many: int) -> None:
    """Of three answers the second is another label, which a byte would take for the same, or for none."""
    codes = np.array([[many, many, INVALID], [many, many - 256 if many > 256 else 0, INVALID]], np.int32)
    key = Key(np.full(3, many, np.int32), np.full(3, many + 1, np.int32))
    found = bootstrap_pairs(HardRuns(codes, key), np.array([[0, 1]]), statistics=("raw",))
    assert found["raw"].value[0] == 1 / 3
    assert found["raw"].value[0] == estimate(agreement_statistics(*codes, key=key)["raw"]).value


def test_the_basis_of_probabilities_is_that_of_each_pair() -> None:
    _, probs, key = _random(7)
    probs[0], probs[1, :40] = np.nan, np.nan
    found = pair_basis(SoftRuns(probs, key), PAIRS)
    for place, (a, b) in enumerate(PAIRS):
        whole = {
            "kappa_p": kappa_p_statistic(probs[a], probs[b], key=key),
            "rank_consistency": rank_consistency_statistic(probs[a], probs[b], key=key),
        }
        for name, one in whole.items():
            assert _told(found[name], place) == (one.n, one.excluded, one.reason, one.undefined), (name, a, b)


def _told(basis: PairBasis, place: int) -> tuple[int, int, str, str]:
    return basis.n[place], basis.excluded[place], basis.reason[place], basis.undefined[place]


def test_estimates_of_all_pairs_are_those_of_each_pair() -> None:
    codes, _, key = _random(8)
    codes[3, codes[3] >= 0] = INVALID
    runs = HardRuns(codes, key)
    spreads = bootstrap_pairs(runs, PAIRS, statistics=HARD, bootstrap=SEEDED)
    basis = pair_basis(runs, PAIRS)
    for name in HARD:
        cells = spreads[name].columns(basis[name])
        for place, (a, b) in enumerate(PAIRS):
            alone = estimate(agreement_statistics(codes[a], codes[b], key=key)[name], SEEDED)
            for column, values in cells.items():
                wanted = getattr(alone, column)
                near = wanted if isinstance(wanted, str) else pytest.approx(wanted, abs=1e-6)
                assert values[place] == near, (name, column, a, b)
