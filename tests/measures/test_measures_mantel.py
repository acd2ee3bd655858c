"""Mantel's test against every permutation, with pairs that no design shows, and with runs that lack a value."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.measures import Relation, mantel_tests, runs_to_drop


def square(values: np.ndarray) -> np.ndarray:
    return values + values.T


def mantel_test(x: np.ndarray, y: np.ndarray, **settings: Any) -> Relation:
    return mantel_tests([x], y, **settings)[0]


def brute_force(x: np.ndarray, y: np.ndarray) -> float:
    """The share of all permutations of the runs whose correlation is at least as large, with numpy alone."""
    a, b = np.triu_indices(len(x), 1)
    kept = np.isfinite(x[a, b])
    a, b = a[kept], b[kept]
    seen = abs(np.corrcoef(x[a, b], y[a, b])[0, 1])
    found = [
        abs(np.corrcoef(x[a, b], y[np.ix_(order, order)][a, b])[0, 1])
        for order in map(list, permutations(range(len(x))))
    ]
    return float(np.mean(np.array(found) >= seen - 1e-9))


@pytest.mark.parametrize("runs", [4, 5, 6])
def test_few_runs_are_permuted_in_every_way(runs: int) -> None:
    rng = np.random.default_rng(runs)
    x, y = square(rng.normal(size=(runs, runs))), square(rng.normal(size=(runs, runs)))
    assert mantel_test(x, y).p == pytest.approx(brute_force(x, y))
    x[0, 1] = x[1, 0] = np.nan
    found = mantel_test(x, y)
    assert found.p == pytest.approx(brute_force(x, y)) and found.n == runs * (runs - 1) // 2 - 1


def test_many_permutations_come_close_to_all() -> None:
    rng = np.random.default_rng(2)
    place = rng.normal(size=7)
    x = np.abs(place[:, None] - place)
    y = x + 1.2 * square(rng.normal(size=(7, 7)))
    every = mantel_test(x, y).p
    assert every is not None and every == pytest.approx(mantel_test(x, y, permutations=4000).p, abs=0.02)


def test_what_is_there_is_found() -> None:
    rng = np.random.default_rng(5)
    place = rng.normal(size=12)
    apart, noise = np.abs(place[:, None] - place), square(rng.normal(size=(12, 12)))
    y = -apart + 0.3 * noise
    close = mantel_test(apart, y, permutations=499)
    a, b = np.triu_indices(12, 1)
    assert close.statistic == pytest.approx(np.corrcoef(apart[a, b], y[a, b])[0, 1])
    assert close.p == 1 / 500 and mantel_test(apart, y, permutations=499, ceiling=4999).p == 1 / 5000
    assert mantel_test(apart, noise, permutations=99) == mantel_test(apart, noise, permutations=99)


def two_kinds(models: int, languages: int, effect: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Runs of models in languages: pairs of one model are 1, of one language 0, others not compared but measured."""
    rng = np.random.default_rng(seed)
    model, language = np.repeat(np.arange(models), languages), np.tile(np.arange(languages), models)
    own = model[:, None] == model
    kind = np.where(own, 1.0, np.where(language[:, None] == language, 0.0, np.nan))
    return kind, effect * own + 0.05 * square(rng.normal(size=own.shape))


def test_two_kinds_of_pairs_are_compared_and_the_others_move_along() -> None:
    kind, value = two_kinds(4, 3, 0.3, seed=6)
    found = mantel_test(kind, value, permutations=999)
    assert (found.n, found.p, found.dropped) == (12 + 18, 1 / 1000, ())
    models = np.repeat(np.arange(4), 3)
    assert mantel_test(kind, value, permutations=99, strata=np.arange(12)).p == 1.0
    held = mantel_test(kind, value, permutations=99, strata=models).p
    assert held is not None and held > 0.01, "runs that move within their model stay within their model"


def test_runs_without_a_value_are_dropped_and_nothing_is_permuted_into_a_hole() -> None:
    kind, value = two_kinds(4, 3, 0.3, seed=6)
    holed = value.copy()
    holed[2] = holed[:, 2] = np.nan
    holed[0, 5] = holed[5, 0] = np.nan
    found = mantel_test(kind, holed, permutations=499)
    kept = [run for run in range(12) if run not in found.dropped]
    assert found.dropped == (2, 5)
    whole = mantel_test(kind[np.ix_(kept, kept)], value[np.ix_(kept, kept)], permutations=499)
    assert (found.statistic, found.p, found.n) == (whole.statistic, whole.p, whole.n)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1]), max_size=8))
def test_the_fewest_runs_are_dropped(holes: set[tuple[int, int]]) -> None:
    y = np.zeros((7, 7))
    for a, b in holes:
        y[a, b] = y[b, a] = np.nan
    dropped = runs_to_drop(y)
    assert all(a in dropped or b in dropped for a, b in holes)
    for fewer in combinations(range(7), max(0, len(dropped) - 1)):
        assert not dropped or any(a not in fewer and b not in fewer for a, b in holes)


def test_what_cannot_be_tested_says_why() -> None:
    flat, three = np.ones((4, 4)), np.full((3, 3), np.nan)
    assert mantel_test(flat, flat).reason == "fewer than three pairs, or one side does not vary"
    gone = mantel_test(np.ones((3, 3)), three)
    assert (gone.statistic, gone.p, len(gone.dropped)) == (None, None, 2)
    kind, value = two_kinds(4, 3, 0.3, seed=6)
    assert mantel_test(kind, value, permutations=0).reason == "no resamples, hence no test"
    with pytest.raises(ValueError, match="two square tables of the same runs"):
        mantel_test(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="permutations must be 0 or more, not -1"):
        mantel_test(flat, flat, permutations=-1)


def test_three_runs_have_a_correlation_and_two_have_none() -> None:
    x = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 4.0], [2.0, 4.0, 0.0]])
    y = np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 7.0], [1.0, 7.0, 0.0]])
    a, b = np.triu_indices(3, 1)
    found = mantel_test(x, y, permutations=0)
    assert (found.statistic, found.n) == (pytest.approx(np.corrcoef(x[a, b], y[a, b])[0, 1]), 3)
    assert mantel_test(x[:2, :2], y[:2, :2]).statistic is None


def test_tests_that_share_their_permutations_are_those_of_one_each() -> None:
    rng = np.random.default_rng(5)
    y = rng.random((14, 14))
    y = y + y.T
    noise = rng.random((14, 14))
    kinds = [
        y + 0.1 * (noise + noise.T),  # goes on to the ceiling, the others do not
        noise + noise.T,
        np.where(noise + noise.T > 1.2, np.nan, y),
        np.full((14, 14), np.nan),
    ]
    for how in ({"permutations": 199, "ceiling": 1999}, {"permutations": 0}, {"permutations": 199}):
        together = mantel_tests(kinds, y, seed=3, **how)
        assert together == [mantel_test(kind, y, seed=3, **how) for kind in kinds]
    small = [kind[:5, :5] for kind in kinds]
    assert mantel_tests(small, y[:5, :5]) == [mantel_test(kind, y[:5, :5]) for kind in small]
