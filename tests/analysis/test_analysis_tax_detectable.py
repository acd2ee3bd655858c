"""The smallest difference of two taxes that their test would find: planted, and found about as often as it says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hesperus.analysis.tax.difference_rows import exchanged_p, of_two_sets
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.measures import (
    Bootstrap,
    TaxPairs,
    difference,
    estimate,
    exchanged_detectable,
    influences,
    side_statistics,
    tax_statistic,
    unmatched_detectable,
)

SETTINGS = TaxSettings(bootstrap=Bootstrap(499, 1))
Rng = np.random.Generator


def way_back(rng: Rng, models: int, items: int, lost: float) -> TaxPairs:
    """Right on the original, and on what came back: of what was right a share is lost, of what was wrong some is won."""
    ease = np.clip(0.8 + 0.15 * rng.normal(size=items), 0.02, 0.98)
    first = rng.random((models, items)) < ease
    second = np.where(first, rng.random((models, items)) >= lost, rng.random((models, items)) < 0.15)
    whole = np.ones_like(first)
    return TaxPairs(first, second, whole, whole, whole)


def two_runs(rng: Rng, models: int, items: int, worse: float) -> TaxPairs:
    """Right in a second run, and in a first: most answers stay, and the second run is worse by so much."""
    ease = np.clip(0.7 + 0.15 * rng.normal(size=items), 0.02, 0.98)
    harder = np.clip(ease - worse, 0.0, 1.0)
    before = rng.random((models, items)) < ease
    stays = rng.random((models, items)) < 0.6
    kept, anew = rng.random((2, models, items)) < np.stack([harder / ease, harder])[:, None]
    after, whole = np.where(stays, before & kept, anew), np.ones_like(before)
    return TaxPairs(after, before, whole, whole, whole)


def value(pairs: TaxPairs) -> float:
    found = estimate(tax_statistic(pairs)).value
    assert found is not None
    return found


def planted(make: Callable[[float], float], start: float, wanted: float) -> float:
    """What has to be planted so that the number moves by so much."""
    planted, begun = np.linspace(start, 0.8, 12), make(start)
    moved = np.abs([make(one) - begun for one in planted])
    return float(np.interp(wanted, np.maximum.accumulate(moved), planted))


@pytest.mark.parametrize(("models", "items"), [(1, 60), (1, 300), (4, 100)])
def test_a_tax_that_differs_by_as_much_is_found_about_as_often_as_it_says(models: int, items: int) -> None:
    rng = np.random.default_rng(3)

    def detectable(before: TaxPairs, after: TaxPairs) -> float:
        sides = value(before), value(after)
        moves = influences(difference(tax_statistic(after), tax_statistic(before)))
        return exchanged_detectable(moves, sides, (-1.0, 1.0)) or np.nan

    named = np.mean([detectable(*(way_back(rng, models, items, 0.12) for _ in range(2))) for _ in range(40)])
    lost = planted(lambda share: value(way_back(np.random.default_rng(0), 1, 100_000, share)), 0.12, named)
    found, again = [], []
    for number in range(200):
        before, after = way_back(rng, models, items, 0.12), way_back(rng, models, items, lost)
        p = exchanged_p(tax_statistic(after), tax_statistic(before), settings=SETTINGS, tests=1)
        found.append(p is not None and p <= 0.05)
        if number < 50:
            again.append(detectable(before, after))
    assert 0.7 <= np.mean(found) <= 0.88
    assert np.nanmean(again) == pytest.approx(named, rel=0.15), "also where there is such a difference"


@pytest.mark.parametrize(("models", "items"), [(1, (60, 60)), (1, (400, 300)), (4, (80, 60))])
def test_a_gap_that_differs_by_as_much_is_found_about_as_often_as_it_says(
    models: int, items: tuple[int, int]
) -> None:
    rng = np.random.default_rng(4)

    def detectable(sets: list[TaxPairs]) -> float:
        sides = [estimate(one).value or 0.0 for one in side_statistics(sets[0])]
        return unmatched_detectable(*map(tax_statistic, sets), (sides[0], sides[1])) or np.nan  # type: ignore[misc]

    def made(worse: float) -> list[TaxPairs]:
        return [two_runs(rng, models, items[0], worse), two_runs(rng, models, items[1], 0.0)]

    named = float(np.mean([detectable(made(0.0)) for _ in range(40)]))
    worse = planted(lambda less: value(two_runs(np.random.default_rng(0), 1, 100_000, less)), 0.0, named)
    found, again = [], []
    for number in range(200):
        sets = made(worse)
        p = of_two_sets(*sets, settings=SETTINGS, tests=1)[1]
        found.append(p is not None and p <= 0.05)
        if number < 50:
            again.append(detectable(sets))
    assert 0.7 <= np.mean(found) <= 0.88
    assert np.nanmean(again) == pytest.approx(named, rel=0.15), "also where there is such a difference"


def test_what_nothing_would_show_is_not_named() -> None:
    rng = np.random.default_rng(1)
    alike, other = two_runs(rng, 1, 30, 0.0), two_runs(rng, 1, 30, 0.1)
    same = TaxPairs(*(alike.first_right,) * 2, *(alike.first_valid,) * 3)
    assert unmatched_detectable(tax_statistic(same), tax_statistic(other), (0.7, 0.7)) is None
    few = [two_runs(rng, 1, 2, 0.5) for _ in range(2)]
    assert unmatched_detectable(*map(tax_statistic, few), (0.5, 0.5)) is None  # type: ignore[misc]
