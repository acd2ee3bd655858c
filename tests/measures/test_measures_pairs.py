"""All pairs block by block, RankC of all pairs, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest

from hesperus.measures import (
    INVALID,
    MISSING,
    HardSums,
    Key,
    SoftSums,
    estimate,
    hard_pairs,
    rank_consistency_statistic,
    rank_pairs,
    soft_pairs,
)
from hesperus.measures.agreement import BY_CHANCE

RUNS, ITEMS, OPTIONS = 6, 500, 5


def _random(seed: int, *, whole: bool) -> tuple[np.ndarray, np.ndarray, Key]:
    rng = np.random.default_rng(seed)
    options = rng.integers(2, OPTIONS + 1, ITEMS).astype(np.int32)
    gold = (rng.random(ITEMS) * options).astype(np.int32)
    probs = rng.dirichlet(np.ones(OPTIONS), (RUNS, ITEMS)) * (np.arange(OPTIONS) < options[:, None])
    probs /= probs.sum(axis=2, keepdims=True)
    codes = probs.argmax(axis=2).astype(np.int32)
    if not whole:
        codes[rng.random(codes.shape) < 0.1] = INVALID
        codes[rng.random(codes.shape) < 0.1] = MISSING
        probs[rng.random(codes.shape) < 0.1] = np.nan
        gold[rng.random(ITEMS) < 0.05] = INVALID
    return codes, probs, Key(gold, options)


def _direct(p: np.ndarray, q: np.ndarray, key: Key) -> float:
    """κ_p as its definition is written, item by item."""
    kept = np.isfinite(p).all(axis=1) & np.isfinite(q).all(axis=1) & (key.gold >= 0)
    places = np.flatnonzero(kept)
    observed = np.mean([sum(float(p[i, c]) * float(q[i, c]) for c in range(OPTIONS)) for i in places])
    on_p, on_q = (np.mean([float(r[i, key.gold[i]]) for i in places]) for r in (p, q))
    others = np.mean([1.0 / (int(key.options[i]) - 1) for i in places])
    expected = on_p * on_q + (1 - on_p) * (1 - on_q) * others
    return float((observed - expected) / (1 - expected))


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("block", [64, 10_000])
def test_kappa_p_of_all_pairs_is_the_direct_sum_to_a_billionth(whole: bool, block: int) -> None:
    _, probs, key = _random(1, whole=whole)
    found = soft_pairs(probs, key=key, block=block)
    for a in range(RUNS):
        for b in range(RUNS):
            assert found.kappa_p[a, b] == pytest.approx(_direct(probs[a], probs[b], key), abs=1e-9)


def test_a_block_that_every_run_has_may_follow_one_that_some_lack() -> None:
    codes, probs, key = _random(3, whole=True)
    codes[2, :50], probs[2, :50] = MISSING, np.nan
    for block in (50, 500):
        assert hard_pairs(codes, key=key, block=block).n[2, 3] == ITEMS - 50
        found = soft_pairs(probs, key=key, block=block)
        assert found.n[0, 1] == ITEMS and found.n[1, 2] == ITEMS - 50
        assert found.kappa_p[1, 2] == pytest.approx(_direct(probs[1], probs[2], key), abs=1e-12)


def test_rank_consistency_of_all_pairs_is_that_of_each_pair() -> None:
    _, probs, key = _random(4, whole=False)
    n, found = rank_pairs(probs, key=key, block=77)
    for a in range(RUNS):
        for b in range(RUNS):
            single = estimate(rank_consistency_statistic(probs[a], probs[b], key=key))
            assert (n[a, b], found[a, b]) == (single.n, pytest.approx(single.value, abs=1e-12))


def test_what_is_undefined_is_named() -> None:
    codes = np.array([[0, 1, MISSING], [0, 1, MISSING], [MISSING, MISSING, 1]], dtype=np.int32)
    found = hard_pairs(codes, key=Key(np.array([0, 1, 0], np.int32), np.full(3, 2, np.int32)))
    assert found.reason("kappa_p", 0, 1) == BY_CHANCE
    assert found.reason("kappa_p", 0, 2) == "no item that both runs answered counts"
    assert found.reason("raw", 0, 1) == ""
    for name in ("kappa", "reason"):
        with pytest.raises(ValueError, match=f"no measure '{name}' of these pairs"):
            found.reason(name, 0, 1)
    soft = soft_pairs(np.full((2, 1, 2), np.nan), key=Key(np.zeros(1, np.int32), np.full(1, 2, np.int32)))
    with pytest.raises(ValueError, match="no measure 'cohen_kappa'"):
        soft.reason("cohen_kappa", 0, 1)


def test_other_runs_or_items_than_announced_are_refused() -> None:
    key = Key(np.zeros(3, np.int32), np.full(3, 2, np.int32))
    with pytest.raises(ValueError, match="expected 2 runs × 3 items, found 2 × 4"):
        HardSums(2).add(np.zeros((2, 4), np.int32), key)
    with pytest.raises(ValueError, match="expected 3 runs × 3 items, found 2 × 3"):
        SoftSums(3).add(np.zeros((2, 3, 2)), key)
