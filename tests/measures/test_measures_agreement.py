"""Agreement beyond chance: the worked examples of the paper, sums by hand, and all pairs against one pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.measures import (
    INVALID,
    MISSING,
    HardRuns,
    Key,
    agreement_statistics,
    bootstrap_pairs,
    estimate,
    hard_pairs,
    kappa_p_statistic,
    rank_consistency_statistic,
    soft_pairs,
)
from hesperus.measures.agreement import BY_CHANCE

STATISTICS = ("raw", "kappa_p", "cohen_kappa", "scott_pi", "error_consistency")


def _codes(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def _key(gold: np.ndarray, options: int = 3) -> Key:
    return Key(gold.astype(np.int32), np.full(len(gold), options, dtype=np.int32))


def test_the_hard_example_of_the_paper_by_its_definition() -> None:
    first, second, gold = _codes(0, 0, 0, 1, 2, 1), _codes(0, 0, 0, 1, 2, 0), _codes(0, 0, 0, 1, 2, 2)
    found = agreement_statistics(first, second, key=_key(gold))
    values = {name: estimate(found[name]).value for name in STATISTICS}
    assert values["raw"] == pytest.approx(5 / 6)
    assert values["cohen_kappa"] == pytest.approx(0.714, abs=5e-4)
    assert values["scott_pi"] == pytest.approx(0.707, abs=5e-4)
    # The paper prints 0.45: its expected agreement lacks the second term of its own definition.
    assert values["kappa_p"] == pytest.approx(0.4286, abs=5e-5)
    assert values["error_consistency"] == pytest.approx(1.0)


FIRST = np.array([[0.50, 0.45, 0.05], [0.50, 0.05, 0.45], [0.05, 0.45, 0.50]])
SECOND = np.array([[0.50, 0.05, 0.45], [0.50, 0.45, 0.05], [0.45, 0.05, 0.50]])


def test_the_soft_example_of_the_paper() -> None:
    key = _key(_codes(0, 0, 2))
    assert estimate(kappa_p_statistic(FIRST, SECOND, key=key)).value == pytest.approx(-0.128, abs=5e-4)
    assert estimate(rank_consistency_statistic(FIRST, SECOND, key=key)).value == pytest.approx(
        0.878, abs=5e-4
    )
    hard = agreement_statistics(_codes(0, 0, 2), _codes(0, 0, 2), key=key)
    assert estimate(hard["cohen_kappa"]).value == estimate(hard["scott_pi"]).value == 1.0


def test_certain_agreement_by_chance_is_undefined_and_says_so() -> None:
    right = _codes(0, 1, 2)
    found = estimate(agreement_statistics(right, right, key=_key(right))["kappa_p"])
    assert found.value is None
    assert found.reason == BY_CHANCE
    soft = np.eye(3)
    assert estimate(kappa_p_statistic(soft, soft, key=_key(right))).value is None
    constant = _codes(1, 1, 1)
    assert estimate(agreement_statistics(constant, constant, key=_key(right))["cohen_kappa"]).value is None


@pytest.mark.parametrize("options", [0, 1])
def test_without_two_known_options_only_kappa_p_is_undefined(options: int) -> None:
    a, b, gold = _codes(0, 1, 0, 1), _codes(0, 1, 1, 0), _codes(0, 0, 0, 1)
    key = Key(gold, _codes(2, options, 2, 2))
    found = {name: estimate(statistic) for name, statistic in agreement_statistics(a, b, key=key).items()}
    assert found["kappa_p"].value is None and found["kappa_p"].reason.startswith("1 of 4 items")
    assert found["raw"].value == 0.5 and found["error_consistency"].value is not None
    paired = bootstrap_pairs(
        HardRuns(np.stack([a, b]), key), np.array([[0, 1]]), statistics=("kappa_p", "raw")
    )
    assert np.isnan(paired["kappa_p"].value).all() and paired["raw"].value[0] == 0.5
    every = hard_pairs(np.stack([a, b]), key=key)
    assert np.isnan(every.kappa_p[0, 1]) and every.raw[0, 1] == 0.5
    without = Key(np.array([0, -1, 0, 1], np.int32), key.options)
    assert estimate(agreement_statistics(a, b, key=without)["kappa_p"]).value is not None


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"gold and options need the same items: \(2,\) and \(3,\)"):
        Key(_codes(0, 1), _codes(2, 2, 2))
    with pytest.raises(ValueError, match="item 1 has -1 options"):
        Key(_codes(0, 0), _codes(2, -1))
    with pytest.raises(ValueError, match="same items and options"):
        kappa_p_statistic(FIRST, SECOND[:2], key=_key(_codes(0, 0, 2)))


def _kappa_p_by_hand(p: np.ndarray, q: np.ndarray, key: Key) -> float:
    rows = range(len(p))
    observed = np.mean([sum(p[i][c] * q[i][c] for c in range(p.shape[1])) for i in rows])
    mean_p = np.mean([p[i][key.gold[i]] for i in rows])
    mean_q = np.mean([q[i][key.gold[i]] for i in rows])
    others = np.mean([1 / (key.options[i] - 1) for i in rows])
    expected = mean_p * mean_q + (1 - mean_p) * (1 - mean_q) * others
    return float((observed - expected) / (1 - expected))


def _random(seed: int, runs: int = 5, items: int = 40) -> tuple[np.ndarray, np.ndarray, Key]:
    rng = np.random.default_rng(seed)
    options = rng.integers(2, 6, items).astype(np.int32)
    gold = (rng.random(items) * options).astype(np.int32)
    probs = rng.dirichlet(np.ones(5), (runs, items)) * (np.arange(5) < options[:, None])
    probs /= probs.sum(axis=2, keepdims=True)
    codes = probs.argmax(axis=2).astype(np.int32)
    codes[rng.random(codes.shape) < 0.1] = INVALID
    codes[rng.random(codes.shape) < 0.1] = MISSING
    return codes, probs, Key(gold, options)


@settings(derandomize=True, max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_soft_kappa_p_is_the_direct_sum_with_each_items_options(seed: int) -> None:
    _, probs, key = _random(seed)
    found = estimate(kappa_p_statistic(probs[0], probs[1], key=key)).value
    assert found == pytest.approx(_kappa_p_by_hand(probs[0], probs[1], key), abs=1e-12)


def test_hard_kappa_p_is_soft_kappa_p_of_one_hot_answers() -> None:
    codes, _, key = _random(3)
    codes = np.where(codes < 0, 0, codes).astype(np.int32)
    hot = np.eye(5)[codes]
    hard = estimate(agreement_statistics(codes[0], codes[1], key=key)["kappa_p"])
    assert hard.value == pytest.approx(_kappa_p_by_hand(hot[0], hot[1], key), abs=1e-12)


@pytest.mark.parametrize("invalid", ["disagree", "agree", "drop"])
@pytest.mark.parametrize("block", [7, 1 << 14])
def test_all_pairs_at_once_equal_pair_by_pair(invalid: str, block: int) -> None:
    codes, probs, key = _random(11)
    gold = key.gold.copy()
    gold[:4] = INVALID
    key = Key(gold, key.options)
    known = gold >= 0
    matrices = hard_pairs(codes, key=key, invalid=invalid, block=block)  # type: ignore[arg-type]
    probs[1, 8] = np.nan
    soft = soft_pairs(probs, key=key, block=block)
    part = Key(gold[known], key.options[known])
    for a in range(5):
        for b in range(5):
            single = agreement_statistics(codes[a, known], codes[b, known], key=part, invalid=invalid)  # type: ignore[arg-type]
            assert matrices.n[a, b] == single["raw"].n
            for name in STATISTICS:
                value = estimate(single[name]).value
                found = getattr(matrices, name)[a, b]
                assert (value is None and np.isnan(found)) or found == pytest.approx(value, abs=1e-12)
            pair = estimate(kappa_p_statistic(probs[a], probs[b], key=key))
            assert soft.n[a, b] == pair.n
            assert soft.kappa_p[a, b] == pytest.approx(pair.value, abs=1e-12)


def test_runs_without_a_common_item_are_nan_in_matrices() -> None:
    codes = np.array([[0, MISSING], [MISSING, 1]], dtype=np.int32)
    matrices = hard_pairs(codes, key=_key(_codes(0, 1), 2))
    assert matrices.n[0, 1] == 0
    assert np.isnan(matrices.raw[0, 1]) and np.isnan(matrices.kappa_p[0, 1])
    nothing = hard_pairs(np.full((2, 2), MISSING, np.int32), key=_key(_codes(0, 1), 2))
    assert np.isnan(nothing.raw).all()


def test_rank_consistency_counts_only_an_items_own_options() -> None:
    p = np.array([[0.6, 0.4, 0.0], [0.2, 0.3, 0.5]])
    key = Key(_codes(0, 2), _codes(2, 3))
    assert estimate(rank_consistency_statistic(p, p, key=key)).value == pytest.approx(1.0)
    turned = np.array([[0.4, 0.6, 0.0], [0.2, 0.3, 0.5]])
    weights = np.exp([1.0, 0.0]) / np.exp([1.0, 0.0]).sum()
    assert estimate(rank_consistency_statistic(p, turned, key=key)).value == pytest.approx(
        (weights[1] + 1) / 2
    )
