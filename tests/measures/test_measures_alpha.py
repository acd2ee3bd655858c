"""Krippendorff's α and Fleiss' κ against published worked examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hesperus.measures import LEVELS, Bootstrap, estimate, fleiss_statistic, krippendorff_alpha

_ = np.nan
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
"""Krippendorff (2011), four observers and twelve units."""


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_the_example_of_krippendorff(level: Any, published: float) -> None:
    found = krippendorff_alpha(OBSERVERS, level, bootstrap=Bootstrap(300))
    assert found.value == pytest.approx(published, abs=5e-4)
    assert (found.n, found.excluded, found.reason) == (11, 1, "1 rated once")
    assert found.low is not None and found.high is not None and found.low < found.value <= found.high + 1e-9


def _ratings(rows: list[list[float | None]]) -> np.ndarray:
    return np.array([[np.nan if value is None else value for value in row] for row in rows])


def test_the_collected_examples(shared_data: Path) -> None:
    examples = json.loads(
        (shared_data / "agreement_worked_examples" / "examples.json").read_text(encoding="utf-8")
    )
    for name in ("krippendorff_2011_4x12", "wikipedia_3x15"):
        for level, value in examples[name]["computed"].items():
            assert krippendorff_alpha(
                _ratings(examples[name]["ratings_by_observer"]), level
            ).value == pytest.approx(value, abs=1e-8)
    anxiety = _ratings(examples["anxiety_3_raters"]["ratings_by_subject"]).T
    for level in ("nominal", "ordinal", "interval"):
        computed = examples["anxiety_3_raters"]["computed"][f"krippendorff_{level}"]
        assert krippendorff_alpha(anxiety, level).value == pytest.approx(computed, abs=1e-8)  # type: ignore[arg-type]
    fleiss = np.array(examples["fleiss_1971_diagnoses"]["ratings_by_subject"])
    assert estimate(fleiss_statistic(fleiss.T)).value == pytest.approx(0.43024452, abs=1e-8)
    assert krippendorff_alpha(fleiss.T).value == pytest.approx(0.433409828, abs=1e-8)
    counts = examples["fleiss_14_raters_10_subjects"]["counts_by_subject"]
    rated = np.stack([np.repeat(np.arange(len(one)), one) for one in counts], axis=1)
    assert estimate(fleiss_statistic(rated)).value == pytest.approx(0.209930704, abs=1e-8)


def test_fleiss_of_two_raters_is_the_pi_of_scott() -> None:
    """Two of three units alike, both categories half of all ratings: (2/3 - 1/2) / (1 - 1/2)."""
    assert estimate(fleiss_statistic([[0, 0, 1], [0, 1, 1]])).value == pytest.approx(1 / 3)
    assert estimate(fleiss_statistic([[0, 0], [1, 1]])).value == pytest.approx(-1.0)


def _by_hand(ratings: np.ndarray, level: str) -> float:
    """All pairs of ratings, as the definition is written."""
    kept = ratings[:, np.isfinite(ratings).sum(axis=0) >= 2]
    values = kept[np.isfinite(kept)]
    levels, counts = np.unique(values, return_counts=True)

    def apart(x: float, y: float) -> float:
        if level == "nominal":
            return float(x != y)
        if level == "interval":
            return (x - y) ** 2
        if level == "ratio":
            return ((x - y) / (x + y)) ** 2 if x + y else 0.0
        low, high = sorted((int(np.searchsorted(levels, x)), int(np.searchsorted(levels, y))))
        return float(counts[low : high + 1].sum() - (counts[low] + counts[high]) / 2) ** 2

    observed = 0.0
    for unit in kept.T:
        given = unit[np.isfinite(unit)]
        observed += sum(apart(x, y) for x in given for y in given) / (len(given) - 1)
    expected = sum(apart(x, y) for x in values for y in values) / (len(values) - 1)
    return 1.0 - observed / expected


@pytest.mark.parametrize("level", LEVELS)
def test_random_ratings_with_gaps_by_hand(level: Any) -> None:
    rng = np.random.default_rng(9)
    ratings = (rng.integers(0, 5, 25) + rng.integers(0, 3, (4, 25))).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    assert krippendorff_alpha(ratings, level).value == pytest.approx(_by_hand(ratings, level), abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_resampled_units_are_units_that_stand_there_as_often(level: Any) -> None:
    # The weights are the one thing that no caller can give.
    from hesperus.measures.alpha import _alpha, _units

    rng = np.random.default_rng(10)
    ratings = rng.integers(1, 6, (3, 12)).astype(float)
    weights = rng.integers(0, 3, 12)
    units = _units(ratings, level)
    found = _alpha(*units.sums(weights[None, :].astype(float))[:3])[0]
    assert found == pytest.approx(
        krippendorff_alpha(np.repeat(ratings, weights, axis=1), level).value, abs=1e-12
    )


def test_many_distinct_ratings_far_from_zero_keep_their_digits() -> None:
    rng = np.random.default_rng(11)
    ratings = rng.normal(size=30) + rng.normal(scale=0.5, size=(3, 30))
    near = krippendorff_alpha(ratings, "interval").value
    assert krippendorff_alpha(ratings + 1e6, "interval").value == pytest.approx(near, abs=1e-6)


def test_an_item_without_two_ratings_is_drawn_for_nothing() -> None:
    ratings = np.random.default_rng(3).integers(0, 3, (2, 12)).astype(float)
    alone = krippendorff_alpha(ratings, bootstrap=Bootstrap(200), items=np.arange(12) // 2)
    with_another = np.insert(ratings, 4, [1.0, np.nan], axis=1)
    items = np.insert(np.arange(12) // 2 + (np.arange(12) >= 4), 4, 2)
    found = krippendorff_alpha(with_another, bootstrap=Bootstrap(200), items=items)
    assert (found.value, found.low, found.high, found.excluded) == (alone.value, alone.low, alone.high, 1)
    assert alone.low is not None


def test_what_is_undefined_says_why() -> None:
    found = krippendorff_alpha([[1, 1], [1, 1]], bootstrap=Bootstrap(10))
    assert (found.value, found.reason) == (None, "all ratings are the same")
    found = krippendorff_alpha([[1, np.nan], [np.nan, 1]])
    assert (found.value, found.reason) == (None, "no unit has two ratings; 2 rated once")
    assert krippendorff_alpha([[1, np.nan], [np.nan, 1]]).n == 0
    mostly = [[1.0] * 9 + [2.0], [1.0] * 10]
    assert krippendorff_alpha(mostly, bootstrap=Bootstrap(50)).value is not None


def test_bad_use_is_refused() -> None:
    with pytest.raises(ValueError, match="one of nominal, ordinal, interval, ratio, not 'likert'"):
        krippendorff_alpha([[1, 2]], "likert")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"\[raters, units\], not 1-dimensional"):
        krippendorff_alpha([1, 2])
    with pytest.raises(ValueError, match="finite, or NaN"):
        krippendorff_alpha([[1, np.inf], [1, 2]])
    with pytest.raises(ValueError, match="no negative ratings"):
        krippendorff_alpha([[1, -1], [1, 2]], "ratio")


def test_an_alpha_whose_resamples_are_all_undefined_has_no_interval_and_says_so() -> None:
    ratings = [[1.0, 1.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0, np.nan]]
    drawn = [
        krippendorff_alpha(ratings, bootstrap=Bootstrap(1, seed, interval="percentile")) for seed in range(20)
    ]
    without = [one for one in drawn if one.low is None]
    assert 0 < len(without) < 20, "of one resample: it may hold only units whose ratings are all the same"
    for one in without:
        assert one.value is not None and (one.high, one.n, one.excluded) == (None, 4, 1)
        assert "no interval" in one.reason and "1 rated once" in one.reason
