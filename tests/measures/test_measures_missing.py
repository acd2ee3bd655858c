"""Missing is not wrong: no reply changes no number, and where nothing is answered there is no number."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.measures import (
    FAILED,
    INVALID,
    INVALID_RULES,
    MISSING,
    Bootstrap,
    Codes,
    HardRuns,
    InvalidRule,
    Key,
    SenseRuns,
    Statistic,
    TaxPairs,
    accuracy_statistic,
    agreement_statistics,
    bootstrap_pairs,
    consistency_statistic,
    decomposition_statistics,
    direction_statistics,
    estimate,
    estimates,
    hard_pairs,
    label_share_statistic,
    range_statistics,
    replied,
    split_statistics,
    tax_bounds,
    tax_statistic,
    validity_statistic,
)
from hesperus.measures.several import together_statistics
from hesperus.types import Estimate

HARD = ("raw", "kappa_p", "cohen_kappa", "scott_pi", "error_consistency")
RULES = pytest.mark.parametrize("invalid", INVALID_RULES)
PAIRS = np.array(list(combinations(range(5), 2)))


def _every(codes: Codes, gold: Codes, invalid: InvalidRule) -> Iterator[tuple[str, Statistic]]:
    """Every statistic of labels, of five runs."""
    key = Key(gold, np.full(len(gold), 4, dtype=np.int32))
    for place, run in enumerate(codes):
        yield f"accuracy {place}", accuracy_statistic(run, gold, invalid=invalid)
        yield f"label share {place}", label_share_statistic(run, 0)
    for a, b in combinations(range(len(codes)), 2):
        yield f"consistency {a} {b}", consistency_statistic(codes[a], codes[b], invalid=invalid)
        for name, part in zip(
            "ri", split_statistics(codes[a], codes[b], gold=gold, invalid=invalid), strict=True
        ):
            yield f"split {name} {a} {b}", part
        for name, part in zip("lh", range_statistics(codes[a], codes[b]), strict=True):
            yield f"range {name} {a} {b}", part
        for moved, part in direction_statistics(codes[a], codes[b], classes=4, invalid=invalid).items():
            yield f"direction {moved} {a} {b}", part
        for name, part in agreement_statistics(codes[a], codes[b], key=key, invalid=invalid).items():
            yield f"{name} {a} {b}", part
    for name, part in decomposition_statistics(SenseRuns(*codes), invalid=invalid).items():
        yield f"decomposition {name}", part
    for size, name, part in together_statistics(codes, key=key, sizes=(2, 5), invalid=invalid):
        yield f"together {name} {size}", part


def _numbers(codes: Codes, gold: Codes, invalid: InvalidRule) -> tuple[list[str], list[Estimate]]:
    names, statistics = zip(*_every(codes, gold, invalid), strict=True)
    return list(names), estimates(statistics, Bootstrap(20))


@st.composite
def five_runs(draw: st.DrawFn) -> tuple[Codes, Codes]:
    items = draw(st.integers(1, 12))
    cell = st.sampled_from([MISSING, INVALID, 0, 0, 1, 2, 3])
    table = draw(st.lists(st.lists(cell, min_size=items, max_size=items), min_size=5, max_size=5))
    gold = draw(st.lists(st.sampled_from([INVALID, 0, 1, 2, 3]), min_size=items, max_size=items))
    return np.array(table, dtype=np.int32), np.array(gold, dtype=np.int32)


@RULES
@settings(derandomize=True, max_examples=12, deadline=None)
@given(runs=five_runs(), random=st.randoms(use_true_random=False))
def test_a_question_without_a_reply_changes_no_number(
    invalid: InvalidRule, runs: tuple[Codes, Codes], random: object
) -> None:
    codes, gold = runs
    holes = np.argwhere(codes == MISSING)
    failed = codes.copy()
    for row, column in holes[[random.random() < 0.6 for _ in holes]]:  # type: ignore[attr-defined]
        failed[row, column] = FAILED
    (names, before), (_, after) = (_numbers(table, gold, invalid) for table in (codes, failed))
    for name, one, two in zip(names, before, after, strict=True):
        assert (one.value, one.low, one.high, one.n) == (two.value, two.low, two.high, two.n), name
        assert two.excluded >= one.excluded, name


@RULES
@settings(derandomize=True, max_examples=20, deadline=None)
@given(runs=five_runs())
def test_all_pairs_at_once_are_the_pairs_one_by_one(invalid: InvalidRule, runs: tuple[Codes, Codes]) -> None:
    codes, gold = runs
    codes = np.where(codes == 3, FAILED, codes).astype(np.int32)
    key = Key(gold, np.full(len(gold), 3, dtype=np.int32))
    found = bootstrap_pairs(
        HardRuns(codes, key, invalid), PAIRS, statistics=HARD, bootstrap=Bootstrap(5), groups=[np.arange(10)]
    )
    graded = codes[:, gold >= 0]
    fast = hard_pairs(codes, key=key, invalid=invalid)
    for place, (a, b) in enumerate(PAIRS):
        single = agreement_statistics(codes[a], codes[b], key=key, invalid=invalid)
        again = agreement_statistics(
            graded[a], graded[b], key=Key(gold[gold >= 0], key.options[gold >= 0]), invalid=invalid
        )
        for name in HARD:
            one = estimate(single[name])
            spread = found[name]
            assert spread.n[place] == one.n
            assert spread.value[place] == pytest.approx(
                np.nan if one.value is None else one.value, nan_ok=True
            )
            value = estimate(again[name]).value
            matrix = getattr(fast, name)
            assert matrix[a, b] == pytest.approx(np.nan if value is None else value, nan_ok=True)
    for name in HARD:
        defined = np.isfinite(found[name].value)
        assert np.isnan(found[name].means[0]) == (not defined.any())


@RULES
@pytest.mark.parametrize("silent", [INVALID, FAILED])
@pytest.mark.parametrize("items", [1, 2, 5, 40])
def test_a_run_without_any_answer_has_no_number(invalid: InvalidRule, silent: int, items: int) -> None:
    rng = np.random.default_rng(items)
    gold = rng.integers(0, 4, items).astype(np.int32)
    codes = np.tile(gold, (5, 1))
    codes[0] = codes[1] = silent
    for name, found in zip(*_numbers(codes, gold, invalid), strict=True):
        about = {int(word) for word in name.split() if word.isdigit()}
        if name.startswith("all_languages"):
            # Three runs answer: subsets of two of them are measured, of all five none is.
            assert (found.value is None) == name.endswith(" 5") or "alpha" in name, name
        elif about & {0, 1} or name.startswith("decomposition"):
            assert (found.value, found.low, found.high, found.n) == (None, None, None, 0), name
            assert found.excluded == items and found.reason, name
    for mine in (estimate(validity_statistic(run)) for run in codes[:2]):
        assert mine.value == (None if silent == FAILED else 0.0)


@RULES
@pytest.mark.parametrize("silent", [INVALID, FAILED])
def test_where_no_run_answers_all_together_are_undefined(invalid: InvalidRule, silent: int) -> None:
    codes, gold = np.full((5, 40), silent, dtype=np.int32), np.zeros(40, dtype=np.int32)
    for name, found in zip(*_numbers(codes, gold, invalid), strict=True):
        assert found.value is found.low is found.high is None and found.n == 0 and found.reason, name


def test_what_is_missing_is_counted_with_its_reason() -> None:
    a = np.array([0, 0, FAILED, FAILED, INVALID, MISSING], dtype=np.int32)
    b = np.array([0, 1, 0, MISSING, 0, 0], dtype=np.int32)
    found = estimate(consistency_statistic(a, b))
    assert (found.value, found.n, found.excluded) == (1 / 3, 3, 3)
    assert found.reason == "2 items without a reply (error); 1 item asked on one side only"
    right = estimate(accuracy_statistic(a, np.zeros(6, dtype=np.int32)))
    assert (right.value, right.n, right.excluded) == (2 / 3, 3, 2)
    assert right.reason == "2 items without a reply (error)"
    assert replied(a).tolist() == [True, True, False, False, True, False]


def test_the_tax_of_silence_is_no_number() -> None:
    none, all_ = np.zeros((2, 30), dtype=np.bool_), np.ones((2, 30), dtype=np.bool_)
    pairs = TaxPairs(none, all_, none, all_, all_)
    for statistic in (tax_statistic(pairs), *tax_bounds(pairs)):
        assert estimate(statistic, Bootstrap(20)).value is None
