"""Curves over what was measured: a straight line through points with its band, and the density of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hesperus.analysis.similarity.similarity_findings import SimilarityFindings
from hesperus.analysis.table import Row

BAND_POINTS = 4
"""With fewer points, resamples of the points are mostly no line."""
_RESAMPLES = 1000
_LINE_STEPS, _DENSITY_STEPS = 40, 160

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Point:
    """A model or a language: what is known of it, and the mean similarity of its pairs."""

    name: str
    x: float
    row: Row

    @property
    def y(self) -> float:
        """The mean."""
        return float(self.row["value"])


def relation_points(found: SimilarityFindings, relation: Row) -> list[Point]:
    """The points that a row of relations correlates."""
    beside = found.beside(str(relation["with"]), str(relation["points"]))
    return [
        Point(str(row["group"]), beside[str(row["group"])], row)
        for row in found.means(str(relation["design"]))
        if row["group"] != "all" and row["value"] is not None and row["group"] in beside
    ]


def fitted_line(x: Floats, y: Floats, seed: int, level: float) -> list[dict[str, object]]:
    """The least-squares line over the range of x, and the band of lines through resampled points."""
    if float(np.ptp(x)) == 0.0:
        return []
    grid = np.linspace(x.min(), x.max(), _LINE_STEPS)
    fitted = _fit(x[None, :], y[None, :], grid)[0]
    low: Sequence[float | None] = [None] * _LINE_STEPS
    high = low
    if len(x) >= BAND_POINTS:
        drawn = np.random.default_rng(seed).integers(0, len(x), (_RESAMPLES, len(x)))
        fits = _fit(x[drawn], y[drawn], grid)
        tail = (1 - level) / 2
        ends = np.nanquantile(fits, [tail, 1 - tail], axis=0)
        low, high = ([float(end) for end in side] for side in ends)
    return [
        {"x": float(at), "y": float(value), "low": below, "high": above}
        for at, value, below, above in zip(grid, fitted, low, high, strict=True)
    ]


def _fit(x: Floats, y: Floats, grid: Floats) -> Floats:
    """Least squares in every row; NaN where all x of a row are one."""
    middle, mean = x.mean(axis=1, keepdims=True), y.mean(axis=1, keepdims=True)
    spread = ((x - middle) ** 2).sum(axis=1)
    slope = np.full(len(x), np.nan)
    np.divide(((x - middle) * (y - mean)).sum(axis=1), spread, out=slope, where=spread > 0)
    fitted: Floats = mean + slope[:, None] * (grid[None, :] - middle)
    return fitted


def density(at: Floats, domain: tuple[float, float]) -> list[tuple[float, float]]:
    """Gaussian kernel density with Silverman's width; nothing for values that are all alike."""
    if len(at) < 3 or float(np.ptp(at)) == 0.0:
        return []
    quartiles = np.subtract(*np.percentile(at, [75, 25])) / 1.349
    spread = min(float(at.std(ddof=1)), float(quartiles) or np.inf)
    width = 0.9 * spread * len(at) ** -0.2
    grid = np.linspace(*domain, _DENSITY_STEPS)
    heights = np.exp(-0.5 * ((grid[:, None] - at[None, :]) / width) ** 2).sum(axis=1)
    heights /= len(at) * width * np.sqrt(2 * np.pi)
    return [(float(x), float(y)) for x, y in zip(grid, heights, strict=True)]
