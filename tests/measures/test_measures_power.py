"""What `detectable` promises, by simulation: a difference of that size is found about four times of five."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from hesperus.measures import (
    Bootstrap,
    HardRuns,
    Key,
    NoCorners,
    Statistic,
    agreement_detectable,
    agreement_statistics,
    bootstrap_pairs,
    difference,
    draws,
    evened,
    exchanged_detectable,
    influences,
    mcnemar_power,
    mean_statistic,
    permutation_test,
    resampled_detectable,
    resampled_p,
    sign_test,
    smallest_detectable_difference,
)
from hesperus.measures.power import Apart

Rng = np.random.Generator


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("share", "alike"), [(0.6, 0.0), (0.9, 0.0), (0.6, 0.6), (0.9, 0.6), (0.1, 0.3), (1.0, 0.0)]
)
@pytest.mark.parametrize("n", [60, 2000])
def test_a_detectable_difference_of_shares_is_found_as_often_as_it_says(
    share: float, alike: float, n: int, exact: bool
) -> None:
    """Of a share of the items both sides are right or wrong together, of the others by themselves."""
    delta = smallest_detectable_difference(
        (1 - alike) * 2 * share * (1 - share), n, (share, share), exact=exact
    )
    assert delta is not None
    other = share - delta if share > 0.5 else share + delta
    wins = (1 - alike) * share * (1 - other) + alike * max(0.0, share - other)
    losses = (1 - alike) * other * (1 - share) + alike * max(0.0, other - share)
    kinds = np.random.default_rng(8).multinomial(n, [wins, losses, 1 - wins - losses], size=20_000)
    table, counts = np.unique(kinds[:, :2], axis=0, return_counts=True)
    found = [(sign_test(int(a), int(b), exact=exact).value or 0) <= 0.05 for a, b in table]
    assert counts[found].sum() / 20_000 == pytest.approx(0.8, abs=0.015)


def test_sides_that_lie_apart_need_about_the_difference_that_alike_ones_need() -> None:
    apart = smallest_detectable_difference(0.9 * 0.2 + 0.1 * 0.8, 200, (0.9, 0.8))
    alike = smallest_detectable_difference(2 * 0.9 * 0.1, 200, (0.9, 0.9))
    assert apart == pytest.approx(alike, rel=0.05)
    assert apart == smallest_detectable_difference(0.9 * 0.2 + 0.1 * 0.8, 200, (0.8, 0.9))


def test_what_nothing_would_show_has_no_detectable_difference() -> None:
    assert smallest_detectable_difference(0.0, 3, (1.0, 1.0)) is None, "three items are never significant"
    assert smallest_detectable_difference(0.0, 5, (1.0, 1.0), exact=True) is None
    assert (smallest_detectable_difference(0.0, 4, (1.0, 1.0)) or 0) > 0.9
    assert smallest_detectable_difference(0.5, 0, (0.5, 0.5)) is None
    assert smallest_detectable_difference(0.5, 8, (0.5, 0.5)) is None, "no side can lose more than a half"
    assert mcnemar_power(0.3, 0.3, 40, exact=True) < mcnemar_power(0.3, 0.3, 40)
    for error, values in (
        ("discordant share lies in", (1.5, 10, 0.5, 0.95, 0.8)),
        ("both shares lie in", (0.5, 10, 1.5, 0.95, 0.8)),
        ("power lies between", (0.5, 10, 0.5, 0.95, 1.0)),
        ("power lies between", (0.5, 10, 0.5, 0.95, 0.0)),
        ("the level of an interval", (0.5, 10, 0.5, 0.0, 0.8)),
        ("level of an interval", (0.5, 10, 0.5, 1.0, 0.8)),
    ):
        discordant, n, share, level, power = values
        with pytest.raises(ValueError, match=error):
            smallest_detectable_difference(discordant, int(n), (share, 0.5), level=level, power=power)


# designs ----------------------------------------------------------------------------------------------------------------


def test_the_detectable_difference_of_resamples() -> None:
    spread = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    assert resampled_detectable(spread) == pytest.approx(1.96 + 0.8416, rel=1e-2)
    assert resampled_detectable(np.ones(50)) is None and resampled_detectable(np.array([1.0])) is None


def test_what_rests_on_few_items_has_a_larger_detectable_difference() -> None:
    rng = np.random.default_rng(3)
    signs = np.where(np.arange(12) % 2, 1.0, -1.0)
    spread = rng.standard_exponential((200_000, 12)) @ signs
    found = resampled_detectable(spread)
    # Twelve equally important items: 11 degrees of freedom, variances too small by 11 / 13, and a part in √12 of each
    # standard deviation on top.
    reach = (stats.t.ppf(0.975, 11) + stats.t.ppf(0.8, 11)) * (13 / 11) ** 0.5
    assert found is not None
    sized = found / spread.std()
    assert sized**2 == pytest.approx(reach**2 * (1 + sized / 12**0.5), rel=0.06)


def designs(rng: Rng, items: int, more: float, bootstrap: Bootstrap) -> np.ndarray:
    """Resamples of mean κ_p within models less that between models; a model copies a share of its own answers."""
    gold = (np.arange(items) % 4).astype(np.int32)

    def run() -> np.ndarray:
        return np.where(rng.random(items) < 0.6, gold, (gold + rng.integers(1, 4, items)) % 4).astype(
            np.int32
        )

    base, own = run(), [run() for _ in range(3)]
    codes = np.stack(
        [
            np.where(rng.random(items) < more, own[model], np.where(rng.random(items) < 0.4, base, run()))
            for model in range(3)
            for _ in range(3)
        ]
    ).astype(np.int32)
    model, language = np.repeat(range(3), 3), np.tile(range(3), 3)
    a, b = np.triu_indices(9, 1)
    within, between = model[a] == model[b], language[a] == language[b]
    kept = within | between
    groups = [np.flatnonzero(within[kept]), np.flatnonzero(between[kept])]
    key = Key(gold, np.full(items, 4, np.int32))
    pairs = np.column_stack([a, b])[kept]
    found = bootstrap_pairs(HardRuns(codes, key), pairs, bootstrap=bootstrap, groups=groups)["kappa_p"]
    return evened(found.spread[0] - found.spread[1], bootstrap, items)


@pytest.mark.parametrize("items", [60, 200])
def test_the_detectable_difference_of_designs_is_found_about_as_often_as_it_says(items: int) -> None:
    rng, bootstrap = np.random.default_rng(5), Bootstrap(400)
    named = np.mean([resampled_detectable(designs(rng, items, 0.0, bootstrap)) or np.nan for _ in range(30)])
    shares = np.linspace(0.0, 0.6, 7)
    apart = [np.median(designs(rng, 8_000, more, Bootstrap(20))) for more in shares]
    more = float(np.interp(named, apart, shares))
    found = [(resampled_p(designs(rng, items, more, bootstrap)) or 1.0) <= 0.05 for _ in range(120)]
    assert 0.7 <= np.mean(found) <= 0.9


# agreement of two runs --------------------------------------------------------------------------------------------------


def agreements(rng: np.random.Generator, items: int, shares: tuple[float, float]) -> Statistic:
    """κ_p of two runs that are right on nine items of ten and copy a share of the answers, on either side."""
    gold = np.zeros(items, np.int32)

    def run() -> np.ndarray:
        return np.where(rng.random(items) < 0.9, 0, rng.integers(1, 4, items)).astype(np.int32)

    key, sides = Key(gold, np.full(items, 4, np.int32)), []
    for share in shares:
        one, own = run(), run()
        other = np.where(rng.random(items) < share, one, own).astype(np.int32)
        sides.append(agreement_statistics(one, other, key=key)["kappa_p"])
    return difference(sides[1], sides[0])


def test_the_detectable_difference_of_kappa_p_is_found_about_as_often_as_it_says() -> None:
    rng, bootstrap = np.random.default_rng(6), Bootstrap(300)
    near = [agreements(rng, 200, (0.2, 0.2)) for _ in range(20)]
    named = np.mean([agreement_detectable(one, 1, bootstrap) or np.nan for one in near])
    found = []
    for _ in range(100):
        one = agreements(rng, 200, (0.2, 0.2 + float(named)))
        drawn = draws(200, bootstrap)
        assert drawn is not None
        spread = one.resampled(drawn.sums(np.column_stack([c.astype(float) for c in one.columns])), drawn)
        found.append((resampled_p(spread) or 1.0) <= 0.05)
    assert 0.68 <= np.mean(found) <= 0.9
    percentile = replace(bootstrap, interval="percentile")
    bare = replace(near[0], corners=NoCorners("none"))
    assert agreement_detectable(near[0], 1, percentile) == agreement_detectable(bare, 1, percentile)
    assert agreement_detectable(near[0], 1, percentile) == agreement_detectable(bare, 1, bootstrap), (
        "percentile intervals have no pseudo-items"
    )
    assert agreement_detectable(near[0], 0, bootstrap) is None, "every item counts: that column cannot move"
    assert agreement_detectable(near[0], 1, Bootstrap(0)) is None
    assert agreement_detectable(agreements(rng, 4, (0.2, 0.2)), 1, bootstrap) is None


def test_what_lies_between_minus_one_and_one_has_room_as_what_lies_between_none_and_one() -> None:
    """A number from −1 to 1 is twice a share less one: what can be detected is twice as much."""
    moves = np.array([0.2, -0.2, 0.2, 0.0, -0.2] * 8)
    for values in ((0.9, 0.9), (0.6, 0.5)):
        share = exchanged_detectable(moves, values, (0.0, 1.0))
        stretched = tuple(2.0 * value - 1.0 for value in values)
        twice = exchanged_detectable(2.0 * moves, stretched, (-1.0, 1.0))  # type: ignore[arg-type]
        assert share is not None and twice == pytest.approx(2.0 * share)


# exchanged sides --------------------------------------------------------------------------------------------------------


def claims(rng: Rng, prompts: int, kept: float, lost: float) -> Statistic:
    """Share of five claims kept in a second run less that in a first, prompt by prompt."""
    ease = np.clip(kept + 0.2 * (rng.random(prompts) - 0.5), 0.0, 1.0)
    first, second = (rng.binomial(5, np.clip(ease - less, 0.0, 1.0)) / 5 for less in (0.0, lost))
    whole = np.ones(prompts, bool)
    return difference(mean_statistic(second, whole), mean_statistic(first, whole))


def detectable(apart: Statistic, limits: tuple[float, float] | None = (0.0, 1.0)) -> float | None:
    second, first = (float(apart.columns[place].mean()) for place in (0, 2))
    return exchanged_detectable(influences(apart), (first, second), limits)


@pytest.mark.parametrize(("prompts", "kept"), [(25, 0.5), (60, 0.9), (200, 0.9), (60, 0.97)])
def test_the_detectable_difference_of_exchanged_sides_is_found_about_as_often_as_it_says(
    prompts: int, kept: float
) -> None:
    rng = np.random.default_rng(4)
    named = np.mean([detectable(claims(rng, prompts, kept, 0.0)) or np.nan for _ in range(40)])
    found, again = [], []
    for number in range(300):
        one = claims(rng, prompts, kept, float(named))
        if number < 60:
            again.append(detectable(one) or np.nan)
        moved = (one.columns[0] - one.columns[2]).astype(float)
        found.append((permutation_test(moved, resamples=499).value or 1.0) <= 0.05)
    assert 0.7 <= np.mean(found) <= 0.9
    assert np.mean(again) == pytest.approx(float(named), rel=0.15), "also where there is such a difference"


def test_exchanged_sides_that_nothing_would_show_have_no_detectable_difference() -> None:
    rng = np.random.default_rng(1)
    moves = rng.normal(size=5)
    assert exchanged_detectable(moves, (0.5, 0.5), None) is None, "2 of 2^5 exchanges are more than 5 %"
    assert exchanged_detectable(np.zeros(50), (0.5, 0.5), None) is None
    assert exchanged_detectable(np.ones(6) * 0.2, (0.5, 0.7), (0.0, 1.0)) is not None
    few = exchanged_detectable(rng.normal(size=8), (0.5, 0.5), (0.4, 0.6))
    assert few is None, "no room for a difference that eight prompts would show"


def test_many_exchanged_sides_are_tested_as_by_a_normal_test() -> None:
    moves = np.random.default_rng(2).normal(size=200_000)
    found = exchanged_detectable(moves, (0.5, 0.5), None)
    assert found == pytest.approx(2.8016 / 200_000**0.5, rel=1e-2)
    yes_no = np.repeat([1.0, -1.0, 0.0], [40, 40, 120])
    assert exchanged_detectable(yes_no, (0.5, 0.5), (0.0, 1.0)) == smallest_detectable_difference(
        0.4, 200, (0.5, 0.5), exact=True
    ), "prompts that differ by all or nothing make an exact sign test"


def test_amounts_that_differ_by_rounding_are_alike_on_every_scale() -> None:
    """Points of 100 000 are compared as shares of 1 are: the sign test is then exact."""
    signs = np.repeat([1.0, -1.0, 0.0], [20, 12, 28])
    rounded = signs * (1.0 + 1e-8 * np.arange(60))
    for scale in (1.0, 1e5):
        whole, near = (
            exchanged_detectable(scale * moves, (0.5 * scale, 0.6 * scale), (0.0, scale))
            for moves in (signs, rounded)
        )
        assert whole is not None and near == pytest.approx(whole, rel=1e-5)


def test_influences_are_the_items_own_values_of_a_mean_and_sum_to_any_other_number() -> None:
    rng = np.random.default_rng(7)
    one = claims(rng, 30, 0.6, 0.1)
    assert influences(one) == pytest.approx(one.columns[0] - one.columns[2])
    kappa = agreements(rng, 200, (0.2, 0.6))
    values = influences(kappa)
    whole = kappa.reduce(np.array([column.sum() for column in kappa.columns], dtype=float))
    assert values.mean() == pytest.approx(float(whole), rel=1e-3)
    drawn = rng.integers(0, 200, (2000, 200))
    columns = np.column_stack([np.asarray(column, float) for column in kappa.columns])
    resampled = kappa.reduce(columns[drawn].sum(axis=1))
    assert values.std() / 200**0.5 == pytest.approx(resampled.std(), rel=0.1), "a standard error"


@pytest.mark.parametrize("sides", [(0.9, 0.7), (0.2, 0.5), (0.6, 0.45)])
@pytest.mark.parametrize("more", [0.0, 0.05])
def test_a_side_that_has_lost_all_differs_in_what_the_other_holds(
    sides: tuple[float, float], more: float
) -> None:
    alike = Apart(400, abs(sides[0] - sides[1]) + more, 1.0, sides, (0.0, 1.0))
    assert alike.squared(alike.most) == pytest.approx(alike.most)
