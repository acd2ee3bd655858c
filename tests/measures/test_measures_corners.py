"""Pseudo-items stand where items can stand, and pull an interval both ways."""

from __future__ import annotations

import numpy as np
import pytest
from test_measures_invariance import CASES, LABELS, Case, Data, data  # noqa: F401

from hesperus.measures import (
    Bootstrap,
    Key,
    NoCorners,
    Statistic,
    ac3_statistic,
    agreement_statistics,
    chance_statistic,
    cohen_statistic,
    difference,
    estimate,
    fleiss_statistic,
    gwet_statistic,
    mean_statistic,
    pearson_statistic,
    share_statistic,
    summed_by,
)
from hesperus.measures.statistic import beside

OTHERWISE = ("alpha, ", "unmatched difference", "Spearman", "representations")
"""Measures that are not reduced from columns: they resample in ways of their own."""


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case.name.startswith(OTHERWISE)], ids=lambda case: case.name
)
def test_pseudo_items_are_possible_items_and_pull_both_ways(case: Case, data: Data) -> None:  # noqa: F811
    found = case.measure(data)
    assert isinstance(found, Statistic) and not isinstance(found.corners, NoCorners)
    columns = np.stack([np.asarray(column, dtype=float) for column in found.columns])
    corners = np.array(found.corners)
    # A rater's bias may be as large as the scale, whatever the ratings at hand.
    low, high = (1.0 - LABELS, LABELS - 1.0) if case.name == "bias of a rater" else (0.0, 1.0)
    if case.name == "correlation":
        # As far from the mean on either side as items are, on whichever side of it.
        low = -float(np.sqrt(columns[3].max() * columns[4].max()))
    assert (corners >= np.minimum(columns.min(axis=1), low) - 1e-9).all()
    assert (corners <= np.maximum(columns.max(axis=1), high) + 1e-9).all()
    sums = columns.sum(axis=1)
    value = float(found.reduce(sums))
    pulled = [float(found.reduce(sums + 50.0 * corner)) for corner in corners]
    assert max(pulled) > value
    assert min(pulled) < value or min(pulled) == value == 0.0


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case.name.startswith(OTHERWISE)], ids=lambda case: case.name
)
def test_no_items_take_a_number_beyond_its_limits(case: Case, data: Data) -> None:  # noqa: F811
    found = case.measure(data)
    assert isinstance(found, Statistic)
    low, high = found.limits or (-np.inf, np.inf)
    assert low < high
    columns = np.stack([np.asarray(column, dtype=float) for column in found.columns], axis=1)
    weights = np.random.default_rng(2).multinomial(
        len(columns), np.full(len(columns), 1 / len(columns)), size=200
    )
    values = found.reduce(weights @ columns)
    assert ((values >= low - 1e-9) & (values <= high + 1e-9))[np.isfinite(values)].all()


@pytest.mark.parametrize(("options", "corners"), [(2, 4), (3, 5)])
def test_a_pair_of_answers_can_be_wrong_and_different_only_among_three_options(
    options: int, corners: int
) -> None:
    codes = np.array([0, 1, 1, 0, 1], np.int32)
    key = Key(codes, np.full(5, options, np.int32))
    found = agreement_statistics(codes, codes[::-1].copy(), key=key)
    assert len(np.array(found["kappa_p"].corners)) == corners
    assert len(np.array(found["error_consistency"].corners)) == 4


def test_a_pseudo_item_has_each_label_alike_often_and_unreadable_is_one_where_it_agrees() -> None:
    codes = np.array([0, 1, 2, 0, -1], np.int32)
    key = Key(np.abs(codes), np.full(5, 3, np.int32))
    for invalid, classes in (("disagree", 3), ("agree", 4)):
        found = agreement_statistics(codes, codes, key=key, invalid=invalid)  # type: ignore[arg-type]
        corners = np.array(found["cohen_kappa"].corners)
        np.testing.assert_allclose(corners[:, 2:], 1 / classes)
        assert corners[:, :2].tolist() == [[1.0, 1.0], [1.0, 0.0]]


def test_the_difference_of_a_share_from_itself_is_not_certain() -> None:
    """All items alike on both sides prove little of other items: the interval has a width."""
    share = share_statistic(np.arange(30) % 3 == 0, np.ones(30, bool))
    found = estimate(difference(share, share), Bootstrap(200))
    assert found.value == 0.0
    assert found.low is not None and found.high is not None and found.low < -0.01 < 0.01 < found.high


def test_no_units_are_no_items() -> None:
    nothing = summed_by(share_statistic(np.empty(0, bool), np.empty(0, bool)), np.empty(0, np.int64))
    found = estimate(nothing, Bootstrap(10))
    assert (found.value, found.n) == (None, 0)


def test_chance_agreement_is_the_sum_of_products_of_shares() -> None:
    """An invalid answer counts and agrees with nothing: 5 answers a side, 2 and 2 with 3 and 2."""
    a, b = np.array([0, 0, 1, 1, -1], np.int32), np.array([0, 1, 0, 1, 0], np.int32)
    assert estimate(chance_statistic(a, b)).value == pytest.approx((2 * 3 + 2 * 2) / 25)


def test_pseudo_items_of_a_correlation_stand_in_the_middle_wholly_in_step_or_out_of_step() -> None:
    x, y = np.array([0.0, 1.0, 2.0, 5.0]), np.array([1.0, 0.0, 4.0, 3.0])
    in_step, out_of_step = np.array(pearson_statistic(x, y).corners)
    # The further from the mean, the less in step the items are (2.0 here), yet no further than the furthest of them.
    far = 4.0 / y.var()
    assert far < 1.0 + 1.5 * (1.0 - np.corrcoef(x, y)[0, 1] ** 2)
    both = x.std() * y.std()
    assert in_step == pytest.approx([1.0, 0.0, 0.0, *(far * np.array([x.var(), y.var(), both]))])
    assert out_of_step == pytest.approx([1.0, 0.0, 0.0, *(far * np.array([x.var(), y.var(), -both]))])


def test_pseudo_items_of_ac3_are_alike_and_right_alike_and_wrong_or_split() -> None:
    codes = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0]], np.int32)
    key = Key(np.zeros(4, np.int32), np.full(4, 3, np.int32))
    found = ac3_statistic(codes, key=key, size=2)
    right, wrong, split = np.array(found.corners)
    assert right.tolist() == [3, 3, 3, 3] and wrong.tolist() == [3, 3, 0, 3]
    assert split == pytest.approx([0, 3, 3 * 6 / 12, 3]), "as often right as all are"


def test_pseudo_items_of_items_wholly_in_step_vary_as_they_do() -> None:
    x = np.array([0.0, 1.0, 2.0, 5.0])
    for y, sign in ((3.0 * x, 1.0), (-x, -1.0)):
        in_step, _ = np.array(pearson_statistic(x, y).corners)
        assert in_step == pytest.approx([1.0, 0.0, 0.0, x.var(), y.var(), x.std() * y.std()]), sign


def test_pseudo_items_of_two_sides_are_no_further_apart_than_items_are() -> None:
    whole = np.ones(3, bool)
    near = difference(
        mean_statistic(np.array([0.2, 0.5, 1.0]), whole), mean_statistic(np.array([0.3, 0.3, 1.0]), whole)
    )
    corners = np.array(near.corners)
    assert corners[:, [0, 2]] == pytest.approx(np.array([[0, 0], [0.4, 0.6], [0.6, 0.4], [1, 1]]))
    assert (corners[:, [1, 3]] == 1.0).all()


def test_pseudo_items_of_one_part_are_none_of_another() -> None:
    share = share_statistic(np.arange(3) > 0, np.ones(3, bool))
    score = mean_statistic(np.array([0.2, 50.0, 100.0]), np.ones(3, bool))
    assert beside(share, score) == (
        *((*corner, 0.0, 0.0) for corner in share.corners),  # type: ignore[union-attr]
        *((0.0, 0.0, *corner) for corner in score.corners),  # type: ignore[union-attr]
    )


def test_raters_on_a_scale_are_alike_at_either_end_of_it() -> None:
    found = cohen_statistic([1, 2, 3, 4], [1, 2, 4, 4], weights="linear")
    lowest, highest, apart = np.array(found.corners)
    assert lowest.tolist() == [1.0, 0.0, *[1, 0, 0, 0] * 2] and highest.tolist() == [
        1.0,
        0.0,
        *[0, 0, 0, 1] * 2,
    ]
    assert apart[:2] == pytest.approx([1.0, np.abs(np.subtract.outer(range(4), range(4))).mean()])


@pytest.mark.parametrize(
    "found",
    [
        gwet_statistic([[0, 1, 2, 0], [0, 1, 1, 0]]),
        fleiss_statistic([[0, 1, 2, 0], [0, 1, 1, 0]]),
        cohen_statistic([0, 1, 2, 0], [0, 1, 1, 0]),
    ],
    ids=["AC1", "Fleiss", "Cohen"],
)
def test_raters_who_agree_on_everything_else_or_nothing_are_possible(found: Statistic) -> None:
    assert not isinstance(found.corners, NoCorners)
    one = np.array(found.corners)
    together = found.reduce(one[:, None] + one[None, :])
    assert np.nanmax(together) == pytest.approx(1.0) and np.nanmin(together) < 0.0
    assert np.isfinite(found.reduce(one.sum(axis=0)))


def test_an_item_that_does_not_count_moves_no_corner() -> None:
    codes, other = np.array([0, 1, 2, 0, 1], np.int32), np.array([0, 2, 2, 1, 1], np.int32)
    alone = agreement_statistics(codes, other, key=Key(codes, np.array([3, 3, 4, 4, 3], np.int32)))
    with_one = agreement_statistics(
        np.append(codes, 0).astype(np.int32),
        np.append(other, 0).astype(np.int32),
        key=Key(np.append(codes, 0).astype(np.int32), np.array([3, 3, 4, 4, 3, 1], np.int32)),
    )
    assert alone["kappa_p"].corners == with_one["kappa_p"].corners
    others = (3 * 0.5 + 2 * 1 / 3) / 5
    assert np.array(alone["kappa_p"].corners) == pytest.approx(
        np.array(
            [
                [1, 1, 1, 1, others],
                [1, 0, 1, 0, others],
                [1, 0, 0, 1, others],
                [1, 1, 0, 0, others],
                [1, 0, 0, 0, others],
            ]
        )
    ), "both right; only the first; only the second; both wrong and alike; both wrong and different"


def test_the_ends_of_a_scale_are_those_that_the_scores_lie_between() -> None:
    everything = np.ones(3, bool)
    ends = {
        (0.2, 0.4, 1.0): (0.0, 1.0),
        (0.2, 50.0, 100.0): (0.0, 100.0),
        (0.2, 50.0, 101.0): (0.2, 101.0),
        (-0.1, 0.4, 0.9): (-0.1, 0.9),
    }
    for scores, (low, high) in ends.items():
        found = mean_statistic(np.array(scores), everything)
        assert found.corners == ((low, 1.0), (high, 1.0))


def test_either_end_of_gwets_coefficient_is_that_of_a_unit_by_itself() -> None:
    ends = gwet_statistic([[0, 1, 2, 0], [0, 1, 1, 0]])
    alike, different = ends.reduce(np.array(ends.corners))
    assert alike == pytest.approx(1.0) and different < 0.0
