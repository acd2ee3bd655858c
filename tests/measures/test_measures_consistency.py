from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.measures import (
    FAILED,
    INVALID,
    MANY_CLASSES,
    MISSING,
    SenseRuns,
    accuracy,
    compare,
    consistency,
    decomposition_statistics,
    direction_statistics,
    estimate,
    label_share_statistic,
    range_statistics,
    split_statistics,
    validity_statistic,
)

codes = st.lists(st.sampled_from([FAILED, MISSING, INVALID, 0, 1, 2]), min_size=1, max_size=30)


def _array(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int32)


@st.composite
def two_runs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    a = draw(codes)
    b = draw(st.lists(st.sampled_from([FAILED, MISSING, INVALID, 0, 1, 2]), min_size=len(a), max_size=len(a)))
    return _array(a), _array(b)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(two_runs())
def test_consistency_is_what_counting_by_hand_gives(runs: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = runs
    missing = (MISSING, FAILED)
    asked = [(x, y) for x, y in zip(a, b, strict=True) if x not in missing and y not in missing]
    valid = [(x, y) for x, y in asked if INVALID not in (x, y)]
    somewhere = sum(not (x == y == MISSING) for x, y in zip(a, b, strict=True))
    by_hand = {
        "disagree": (sum(x == y for x, y in valid), len(asked)),
        "agree": (sum(x == y for x, y in asked), len(asked)),
        "drop": (sum(x == y for x, y in valid), len(valid)),
    }
    if not all(any(pair[side] != INVALID for pair in asked) for side in (0, 1)):
        by_hand = dict.fromkeys(by_hand, (0, 0))
    shares = []
    for rule, (same, n) in by_hand.items():
        found = consistency(a, b, invalid=rule)
        excluded = somewhere - n
        assert (found.n, found.excluded) == (n, excluded)
        assert found.value == (same / n if n else None)
        assert bool(found.reason) == (excluded > 0 or n == 0)
        shares += [same / n] if n else []
    low, high = (estimate(statistic).value for statistic in range_statistics(a, b))
    assert (low, high) == ((min(shares), max(shares)) if shares else (None, None))


@settings(derandomize=True, max_examples=40, deadline=None)
@given(two_runs(), st.randoms(use_true_random=False))
def test_the_split_and_the_directions_add_up(runs: tuple[np.ndarray, np.ndarray], random: object) -> None:
    a, b = runs
    gold = _array([random.choice([0, 1, 2]) for _ in a])  # type: ignore[attr-defined]
    for rule in ("disagree", "agree", "drop"):
        whole = consistency(a, b, invalid=rule)
        right, wrong = (estimate(part) for part in split_statistics(a, b, gold=gold, invalid=rule))
        left_out = sum(part.excluded - whole.excluded for part in (right, wrong))
        assert right.n + wrong.n + left_out == whole.n
        if rule != "agree" or not left_out:
            agreeing = sum(part.value * part.n for part in (right, wrong) if part.value is not None)
            assert agreeing == pytest.approx((whole.value or 0.0) * whole.n)
        shares = [estimate(s) for s in direction_statistics(a, b, classes=3, invalid=rule).values()]
        moved = whole.n - round((whole.value or 0.0) * whole.n)
        assert {share.n for share in shares} == {moved}
        if moved:
            assert sum(share.value for share in shares if share.value is not None) == pytest.approx(1.0)


def test_the_reasons_name_what_is_missing() -> None:
    a, b = _array([0, MISSING, INVALID, 1]), _array([0, 1, 0, MISSING])
    assert consistency(a, b).reason == "2 items asked on one side only"
    assert consistency(a, b, invalid="drop").reason == (
        "2 items asked on one side only; 1 item with an invalid answer dropped"
    )
    right, wrong = split_statistics(_array([0, 0]), _array([0, 1]), gold=_array([1, 1]))
    assert estimate(right).reason == "no item that the source answers correctly"
    assert estimate(wrong).value == 0.5
    same = _array([0, 1])
    assert {estimate(s).reason for s in direction_statistics(same, same, classes=2).values()} == {
        "no item is inconsistent"
    }


def test_directions_leave_out_what_cannot_be() -> None:
    a, b = _array([0, INVALID]), _array([1, INVALID])
    with_pair = {*product([0, 1, INVALID], repeat=2)} - {(0, 0), (1, 1)}
    assert set(direction_statistics(a, b, classes=2)) == with_pair
    assert set(direction_statistics(a, b, classes=2, invalid="agree")) == with_pair - {(INVALID, INVALID)}
    assert set(direction_statistics(a, b, classes=2, invalid="drop")) == {(0, 1), (1, 0)}


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"same items: \(2,\) and \(3,\)"):
        compare(_array([0, 1]), _array([0, 1, 2]))
    with pytest.raises(ValueError, match="one of disagree, agree, drop, not 'ignore'"):
        compare(_array([0]), _array([0]), invalid="ignore")  # type: ignore[arg-type]


def test_accuracy_validity_and_shares_keep_unreadable_answers_in_the_denominator() -> None:
    answers = _array([0, 1, INVALID, MISSING, 1])
    gold = _array([0, 0, 1, 1, INVALID])
    found = accuracy(answers, gold)
    assert (found.value, found.n, found.excluded) == (1 / 3, 3, 1)
    assert found.reason == "1 item without a gold label"
    dropped = accuracy(answers, gold, invalid="drop")
    assert (dropped.value, dropped.n, dropped.excluded) == (0.5, 2, 2)
    assert dropped.reason == "1 item without a gold label; 1 item with an invalid answer dropped"
    assert estimate(validity_statistic(answers)).value == 0.75
    assert estimate(label_share_statistic(answers, 1)).value == 0.5


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_parts_of_inconsistency_sum_to_the_whole(seed: int, with_repeat: bool) -> None:
    rng = np.random.default_rng(seed)
    runs = rng.integers(MISSING, 3, (5, 40)).astype(np.int32)
    parts = decomposition_statistics(SenseRuns(*runs[:4], runs[4] if with_repeat else None))
    values = {name: estimate(part).value for name, part in parts.items()}
    assert ("noise" in values) == with_repeat
    total, invalid = values.pop("total"), values.pop("invalid")
    if total is None:
        assert set(values.values()) == {None}
        return
    assert sum(values.values()) == pytest.approx(total)
    assert 0 <= invalid <= total


def test_a_planted_source_of_inconsistency_is_found() -> None:
    rng = np.random.default_rng(5)
    source = rng.integers(0, 3, 4000).astype(np.int32)

    def disturbed(share: float, codes: np.ndarray) -> np.ndarray:
        return np.where(rng.random(len(codes)) < share, (codes + 1) % 3, codes).astype(np.int32)

    runs = SenseRuns(
        source=source,
        both=disturbed(0.05, disturbed(0.2, source)),
        instruction=disturbed(0.05, source),
        input=disturbed(0.2, source),
        repeat=source,
    )
    found = {name: estimate(part).value for name, part in decomposition_statistics(runs).items()}
    assert found["noise"] == 0
    assert found["instruction"] == pytest.approx(0.05, abs=0.015)
    assert found["input"] == pytest.approx(0.2, abs=0.03)


def test_directions_of_free_answers_are_those_that_occur() -> None:
    rng = np.random.default_rng(3)
    classes = MANY_CLASSES + 1
    a, b = (rng.integers(INVALID, classes, 60).astype(np.int32) for _ in range(2))
    found = direction_statistics(a, b, classes=classes)
    moved = {(int(x), int(y)) for x, y in zip(a, b, strict=True) if x != y or x == INVALID}
    assert set(found) == moved and len(moved) < classes**2
    assert sum(estimate(share).value or 0.0 for share in found.values()) == pytest.approx(1)
    few = direction_statistics(a % MANY_CLASSES, b % MANY_CLASSES, classes=MANY_CLASSES)
    assert len(few) == (MANY_CLASSES + 1) ** 2 - MANY_CLASSES
