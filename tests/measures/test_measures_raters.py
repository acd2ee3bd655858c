"""Agreement of raters against published and independently computed values, and by its own properties."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.measures import (
    Bootstrap,
    bias_statistic,
    category_statistic,
    cohen_statistic,
    confusion,
    estimate,
    fleiss_statistic,
    gwet_statistic,
    krippendorff_alpha,
    percent_statistic,
)

_ = np.nan


def _value(statistic: Any) -> float:
    found = estimate(statistic).value
    assert found is not None
    return found


@pytest.fixture(scope="module")
def examples(shared_data: Path) -> dict[str, Any]:
    text = (shared_data / "agreement_worked_examples" / "examples.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def test_cohen_on_the_vision_of_7477_women(examples: dict[str, Any]) -> None:
    table, computed = (
        np.array(examples["stuart_1953_vision"]["confusion_right_by_left"]),
        examples["stuart_1953_vision"]["computed"],
    )
    right, left = np.indices(table.shape).reshape(2, -1).repeat(table.reshape(-1), axis=1).astype(float)
    for weights, name in (("none", "unweighted"), ("linear", "linear"), ("quadratic", "quadratic")):
        assert _value(cohen_statistic(right, left, weights=weights)) == pytest.approx(
            computed[f"kappa_{name}"], abs=1e-8
        )  # type: ignore[arg-type]
    values, counts = confusion(right, left)
    assert values.tolist() == [0, 1, 2, 3]
    assert counts.tolist() == table.tolist()


def test_cohen_of_two_who_rated_anxiety(examples: dict[str, Any]) -> None:
    first, second, _third = np.array(examples["anxiety_3_raters"]["ratings_by_subject"], dtype=float).T
    computed = examples["anxiety_3_raters"]["computed"]
    for weights, name in (("none", "unweighted"), ("linear", "linear"), ("quadratic", "quadratic")):
        found = _value(cohen_statistic(first, second, weights=weights))  # type: ignore[arg-type]
        assert found == pytest.approx(computed[f"kappa_raters_1_2_{name}"], abs=1e-8)


def test_fleiss_on_thirty_patients(examples: dict[str, Any]) -> None:
    ratings = np.array(examples["fleiss_1971_diagnoses"]["ratings_by_subject"], dtype=float).T
    found = estimate(fleiss_statistic(ratings), Bootstrap(300))
    assert found.value == pytest.approx(0.43024452, abs=1e-8)
    assert found.low is not None and found.high is not None and found.low < 0.43 < found.high


def test_published_kappas_of_two_people_in_five_languages(shared_data: Path) -> None:
    folder = shared_data / "truthfulqa_multi"
    published = json.loads((folder / "iaa_published.json").read_text(encoding="utf-8"))
    with (folder / "iaa_two_annotators.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for language in ("en", "es", "ca", "eu", "gl"):
        here = [row for row in rows if row["lang"] == language]
        for scale in ("truth", "info"):
            a, b = ([float(row[f"{scale}_{who}"] == "yes") for row in here] for who in "ab")
            assert _value(cohen_statistic(a, b)) == pytest.approx(published[language][scale], abs=1e-12)


def test_alpha_of_conversations_and_of_translations(shared_data: Path, examples: dict[str, Any]) -> None:
    with gzip.open(
        shared_data / "estonian_multi_annotator" / "ratings.csv.gz", "rt", encoding="utf-8"
    ) as lines:
        rows = list(csv.DictReader(lines))
    for scale, published in (("fluency", 0.190), ("coherence", 0.228)):
        here = [row for row in rows if row["scale"] == scale and row["value"]]
        units = sorted({(row["generator"], row["conversation"]) for row in here})
        people = sorted({row["annotator"] for row in here})
        table = np.full((len(people), len(units)), np.nan)
        for row in here:
            table[people.index(row["annotator"]), units.index((row["generator"], row["conversation"]))] = (
                float(row["value"])
            )
        assert krippendorff_alpha(table, "ordinal").value == pytest.approx(published, abs=5e-4)
    with gzip.open(
        shared_data / "mlqe_direct_assessment" / "da_scores_dev.csv.gz", "rt", encoding="utf-8"
    ) as lines:
        scored = list(csv.DictReader(lines))
    for pair, published in (("en-de", 0.373), ("ro-en", 0.806), ("ru-en", 0.890)):
        scores = [
            [float(x) for x in row["scores_0_100"].split()] for row in scored if row["lang_pair"] == pair
        ]
        table = np.full((max(map(len, scores)), len(scores)), np.nan)
        for place, values in enumerate(scores):
            table[: len(values), place] = values
        assert krippendorff_alpha(table, "interval").value == pytest.approx(published, abs=5e-4)


def _gwet_by_hand(ratings: np.ndarray) -> float:
    """Gwet (2014), as it is written: pairs of raters of a unit, and guessing by the mean share of each category."""
    values = np.unique(ratings[np.isfinite(ratings)])
    agreed, units, shares = 0.0, 0, np.zeros(len(values))
    rated = 0
    for unit in ratings.T:
        given = unit[np.isfinite(unit)]
        if len(given):
            rated += 1
            shares += [(given == value).mean() for value in values]
        if len(given) >= 2:
            units += 1
            pairs = [(x, y) for i, x in enumerate(given) for j, y in enumerate(given) if i != j]
            agreed += float(np.mean([x == y for x, y in pairs]))
    shares /= rated
    chance = sum(share * (1 - share) for share in shares) / (len(values) - 1)
    return float((agreed / units - chance) / (1 - chance))


def test_gwet_with_gaps_by_hand() -> None:
    rng = np.random.default_rng(3)
    ratings = rng.choice([1.0, 1.0, 1.0, 2.0, 5.0], size=(4, 30))
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    assert _value(gwet_statistic(ratings)) == pytest.approx(_gwet_by_hand(ratings), abs=1e-12)


def test_where_nearly_all_say_yes_gwet_stays_high_and_kappa_does_not() -> None:
    a, b = np.ones(100), np.ones(100)
    a[:3], b[3:6] = 0, 0
    # p_o = .94, both say yes 97 times: κ = (.94 − .9418)/(1 − .9418); AC1: π = .97, chance 2·.97·.03 = .0582.
    assert _value(cohen_statistic(a, b)) == pytest.approx((0.94 - 0.9418) / 0.0582, abs=1e-9)
    assert _value(gwet_statistic([a, b])) == pytest.approx((0.94 - 0.0582) / (1 - 0.0582), abs=1e-9)
    assert _value(percent_statistic([a, b])) == pytest.approx(0.94)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 12), st.integers(2, 4))
def test_order_of_raters_and_units_does_not_matter(seed: int, raters: int, units: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, values, (raters, units)).astype(float)
    shuffled = ratings[rng.permutation(raters)][:, rng.permutation(units)]
    for measure in (percent_statistic, fleiss_statistic, gwet_statistic):
        one, other = estimate(measure(ratings)), estimate(measure(shuffled))
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert one.value == pytest.approx(other.value, abs=1e-12)
            assert one.value <= 1.0 + 1e-12
    for weights in ("none", "linear", "quadratic"):
        one = estimate(cohen_statistic(ratings[0], ratings[1], weights=weights))  # type: ignore[arg-type]
        other = estimate(cohen_statistic(ratings[1], ratings[0], weights=weights))  # type: ignore[arg-type]
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert one.value == pytest.approx(other.value, abs=1e-12)


def test_a_rater_who_adds_one_has_a_bias_of_one() -> None:
    truth = np.array([1.0, 2, 3, 4, 2, 1])
    ratings = np.stack([truth, truth, truth + 1.0])
    ratings[0, 5] = ratings[1, 5] = np.nan
    found = estimate(bias_statistic(ratings, 2), Bootstrap(100))
    assert (found.value, found.n, found.excluded) == (1.0, 5, 1)
    assert found.low is not None and found.low < 0.0  # five units that are all alike prove little
    assert found.reason == "1 rated by nobody else"
    assert _value(bias_statistic(ratings, 0)) == pytest.approx(-0.5)


def test_what_is_undefined_says_why() -> None:
    same = [[1.0, 1.0], [1.0, 1.0]]
    for statistic in (fleiss_statistic(same), gwet_statistic(same), cohen_statistic(*same)):
        found = estimate(statistic, Bootstrap(10))
        assert found.value is None and found.reason.startswith("all ratings are the same")
    found = estimate(fleiss_statistic([[1, 2, 3], [1, 2, 2], [1, _, 2]]))
    assert found.value is None and found.reason.startswith("units have from 2 to 3 ratings") and found.n == 0
    found = estimate(percent_statistic([[1, _], [_, 2]]))
    assert (found.value, found.reason) == (None, "no unit has two ratings; 2 rated once")
    found = estimate(cohen_statistic([1, _], [_, 1]))
    assert (found.value, found.reason) == (None, "no unit that both rated; 2 rated by one of the two only")
    assert estimate(bias_statistic([[1, _], [_, 1]], 0)).reason.startswith("no unit that another rated too")


def test_bad_use_is_refused() -> None:
    with pytest.raises(ValueError, match="one of none, linear, quadratic, not 'cubic'"):
        cohen_statistic([1], [1], weights="cubic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="as many for each rater"):
        cohen_statistic([1, 2], [1])
    with pytest.raises(ValueError, match="finite, or NaN"):
        percent_statistic([[np.inf], [1]])
    with pytest.raises(ValueError, match="not 1-dimensional"):
        gwet_statistic([1, 2])
    with pytest.raises(ValueError, match="no rater 2 among 2"):
        bias_statistic([[1], [1]], 2)


def test_a_bias_is_the_distance_to_the_mean_of_the_others_by_hand() -> None:
    ratings = [[5, 1, 3, np.nan], [1, 2, np.nan, 4], [3, 4, np.nan, np.nan]]
    found = bias_statistic(ratings, 0)
    assert estimate(found).value == pytest.approx(((5 - 2) + (1 - 3)) / 2)
    assert (found.n, found.excluded, found.reason) == (2, 1, "1 rated by nobody else")
    assert found.corners == ((4.0, 1.0), (-4.0, 1.0)), "as far apart as the scale is wide"
    for nobody in (-1, 3):
        with pytest.raises(ValueError, match=f"there is no rater {nobody} among 3"):
            bias_statistic(ratings, nobody)
    silent = bias_statistic(np.full((2, 3), np.nan), 1)
    assert (silent.n, silent.corners) == (0, ((0.0, 1.0), (-0.0, 1.0)))


def test_the_share_of_a_category_is_shared_by_raters_who_differ() -> None:
    ratings = np.array([[1.0, 1.0, 2.0, np.nan], [1.0, 2.0, 2.0, np.nan]])
    found = {category: estimate(category_statistic(ratings, category)) for category in (1.0, 2.0, 3.0)}
    assert [one.value for one in found.values()] == [0.5, 0.5, 0.0]
    assert (found[1.0].n, found[1.0].excluded) == (3, 1)
