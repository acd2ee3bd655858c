"""Is a model closer to itself in other languages than to other models in one language? Tests of differences of designs."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from hesperus.measures import benjamini_hochberg, holm, mann_whitney, mantel_test, percentiles
from hesperus.reports.measured.similarity_designs import BETWEEN, BETWEEN_OF, PARTNER, PIVOT, WITHIN, Group
from hesperus.reports.measured.similarity_measured import Floats, Measured
from hesperus.reports.measured.similarity_settings import SimilaritySettings
from hesperus.reports.table import ESTIMATE_COLUMNS, estimate_cells
from hesperus.types import Estimate

Row = dict[str, object]

TEST_COLUMNS = (
    "task", "model", "comparison", "statistic", *ESTIMATE_COLUMNS, "detectable", "p_items", "p_items_holm",
    "p_items_bh", "p_mantel", "p_mantel_holm", "u", "p_mann_whitney", "p_mann_whitney_holm",
)  # fmt: skip

_POWER = 0.8

_COMPARED = ((WITHIN, BETWEEN_OF), (PIVOT, BETWEEN_OF), (WITHIN, PARTNER), (PIVOT, PARTNER))


def test_rows(found: Measured, task: str, settings: SimilaritySettings) -> list[Row]:
    """One row a model and comparison, and one over all models.

    `value` is the difference of mean similarity, its interval and `p_items` are of resampled items; `p_mantel` permutes
    runs; `p_mann_whitney` takes pairs for independent, as the literature does, each pair once. Adjusted p values are
    over the models of a comparison. `detectable` is the smallest difference that so many items would show (power 0.8).
    """
    rows: list[Row] = []
    models = dict.fromkeys(cell.model for cell in found.runs.cells)
    for left, right in _COMPARED:
        made = [_row(found, task, settings, (left, model), (right, model)) for model in models]
        family = [row for row in made if row is not None]
        for name in ("p_items", "p_mantel", "p_mann_whitney"):
            values = [row[name] for row in family]
            adjusted = holm(values)  # type: ignore[arg-type]
            for row, value in zip(family, adjusted, strict=True):
                row[f"{name}_holm"] = value
        for row, value in zip(family, benjamini_hochberg([row["p_items"] for row in family]), strict=True):  # type: ignore[misc]
            row["p_items_bh"] = value
        rows += family
    overall = _row(found, task, settings, (WITHIN, "all"), (BETWEEN, "all"))
    if overall is not None:
        rows.append({**overall, "model": None})
    return rows


def _row(
    found: Measured, task: str, settings: SimilaritySettings, left: tuple[str, str], right: tuple[str, str]
) -> Row | None:
    place_a, place_b = found.designs.group(*left), found.designs.group(*right)
    if place_a is None or place_b is None:
        return None
    spread = found.spread
    a, b = found.designs.groups[place_a], found.designs.groups[place_b]
    difference = float(spread.means[place_a] - spread.means[place_b])
    resampled = spread.spread[place_a] - spread.spread[place_b]
    u = mann_whitney(spread.value[a.pairs], spread.value[b.pairs])
    mantel = _mantel(found, a, b, settings)
    row: Row = {
        "task": task,
        "model": left[1],
        "comparison": f"{left[0]} − {right[0]}",
        "statistic": found.statistic,
        **estimate_cells(_difference(difference, resampled, found, settings)),
        "detectable": detectable(resampled),
        "p_items": two_sided(resampled),
        "p_items_holm": None,
        "p_items_bh": None,
        "p_mantel": mantel,
        "p_mantel_holm": None,
        "u": u.statistic,
        "p_mann_whitney": u.p,
        "p_mann_whitney_holm": None,
    }
    return row


def _difference(value: float, resampled: Floats, found: Measured, settings: SimilaritySettings) -> Estimate:
    items, lost = len(found.runs.items), found.runs.differing
    if np.isnan(value):
        return Estimate(None, n=items, excluded=lost, reason="one of the designs has no pair with a value")
    low, high = (float(end[0]) for end in percentiles(resampled[None, :], settings.bootstrap.level))
    ends = (None, None) if np.isnan(low) else (low, high)
    return Estimate(value, ends[0], ends[1], items, lost)


def detectable(resampled: Floats) -> float | None:
    """The smallest difference that so many items would show, with a power of 0.8 at a level of 0.05, two-sided.

    Args:
        resampled: The difference in every resample of the items, [resamples]; undefined ones are left out.
    """
    kept = resampled[np.isfinite(resampled)]
    if len(kept) < 2:
        return None
    normal = NormalDist()
    return (normal.inv_cdf(0.975) + normal.inv_cdf(_POWER)) * float(kept.std(ddof=1))


def two_sided(resampled: Floats) -> float | None:
    """How often resampling the items turns the difference round, on both sides, never 0.

    Args:
        resampled: As in `detectable`.
    """
    kept = resampled[np.isfinite(resampled)]
    if not len(kept):
        return None
    least = min(int((kept <= 0).sum()), int((kept >= 0).sum()))
    return min(1.0, 2.0 * (1 + least) / (1 + len(kept)))


def _mantel(found: Measured, a: Group, b: Group, settings: SimilaritySettings) -> float | None:
    """Permutes runs: pairs of the first design are 1, of the second 0, all others are left out."""
    runs = len(found.runs.cells)
    kind, value = np.full((runs, runs), np.nan), np.full((runs, runs), np.nan)
    i, j = found.designs.pairs.T
    value[i, j] = value[j, i] = found.spread.value
    for group, code in ((b, 0.0), (a, 1.0)):
        i, j = found.designs.pairs[group.pairs].T
        kind[i, j] = kind[j, i] = code
    return mantel_test(kind, value, permutations=settings.permutations, seed=settings.bootstrap.seed).p
