"""Is it the translation? An item's score (BLEU, chrF, COMET, …) next to whether its answers agree."""

from __future__ import annotations

import numpy as np

from hesperus.measures.classes import Mask
from hesperus.measures.permuting import least_common, permuted_correlation_p
from hesperus.measures.resample import Bootstrap, Floats
from hesperus.measures.statistic import SHARE, Column, Corners, Statistic, divide, estimate, ratio
from hesperus.types import Estimate

FEW = 10
"""Items of the smaller class from which on resamples say how sure a correlation with yes and no is."""

_FURTHER = 1.5
"""Mean squared distances by which a pseudo-item of a correlation lies further from the mean, of items that are not in step."""

_OVER = 1e-4
"""A perfect chrF may be a rounding above 100."""


def pearson(
    x: Column, y: Column, *, counted: Mask | None = None, bootstrap: Bootstrap | None = None
) -> Estimate:
    """Pearson's correlation of two per-item numbers, in [−1, 1].

    Args:
        x: [items].
        y: [items]; a mask counts as 0 and 1.
        counted: Items that count; all where None.
        bootstrap: How to make the interval; None leaves it out.

    Returns:
        The estimate; undefined where fewer than two items count or one side does not vary.

    Example:
        >>> import numpy as np
        >>> round(pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).value, 6)
        0.5
    """
    return estimate(pearson_statistic(x, y, counted=counted), bootstrap)


def mean_statistic(score: Column, counted: Mask, *, excluded: int = 0, reason: str = "") -> Statistic:
    """Mean of a score per item.

    Args:
        score: [items]; what is not finite does not count.
        counted: Items that count.
        excluded: Items that were left out before.
        reason: Why.

    Returns:
        The mean before it is reduced. Its corners are the ends of the scale: 0 and 1, or 0 and 100, where all scores lie
        between them; else the lowest and the highest score that occur.
    """
    kept = counted & np.isfinite(score)
    values = np.where(kept, score, 0.0)
    held = np.asarray(score, dtype=np.float64)[kept]
    low, high = (float(held.min()), float(held.max())) if len(held) else (0.0, 1.0)
    if low >= 0.0 and high <= 100.0 + _OVER:
        low, high = 0.0, 1.0 if high <= 1.0 + _OVER else 100.0
    return Statistic((values, kept), ratio, ((low, 1.0), (high, 1.0)), int(kept.sum()), excluded, reason)


def pearson_statistic(x: Column, y: Column, *, counted: Mask | None = None) -> Statistic:
    """Pearson's correlation before it is reduced; items with a score that is not finite do not count."""
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"a correlation needs the same items: {x.shape} and {y.shape}")
    usable = np.isfinite(x) & np.isfinite(y)
    keep = usable if counted is None else usable & counted
    lost = 0 if counted is None else int((counted & ~usable).sum())
    u, v = _centred(x, keep), _centred(y, keep)
    n = max(int(keep.sum()), 1)
    vary_x, vary_y = float((u * u).sum()) / n, float((v * v).sum()) / n
    both = float(np.sqrt(vary_x * vary_y))
    # Wholly in step or wholly out of step. The less in step the items are, the more a single one further out would change.
    step = float((u * v).sum()) / (n * both) if both else 0.0
    far = 1.0 + _FURTHER * (1.0 - step * step)
    if both:  # No further than an item can be on either side: yes and no have no tails.
        far = min(far, float((u * u).max()) / vary_x, float((v * v).max()) / vary_y)
    away = (1.0, 0.0, 0.0, far * vary_x, far * vary_y)
    corners: Corners = ((*away, far * both), (*away, -far * both))
    return Statistic(
        columns=(keep, u, v, u * u, v * v, u * v),
        reduce=_correlation,
        corners=corners,
        n=int(keep.sum()),
        excluded=lost,
        reason=f"{lost} without a score" if lost else "",
        undefined="fewer than two items, or one side does not vary",
    )


def pearson_p(
    x: Column,
    y: Column,
    *,
    counted: Mask | None = None,
    resamples: int = 2000,
    ceiling: int = 0,
    seed: int = 0,
) -> float | None:
    """Two-sided p value of Pearson's correlation by permuting one side: valid however few items disagree.

    Args:
        x: [items].
        y: [items]; a mask counts as 0 and 1.
        counted: Items that count; all where None.
        resamples: Permutations; 0 leaves p out.
        ceiling: Permutations up to which more are drawn where p is small (see permuting.monte_carlo_p).
        seed: Seed of the generator.

    Returns:
        In (0, 1]; None if fewer than two items count or one side does not vary, or nothing is permuted.
    """
    keep = np.isfinite(x) & np.isfinite(y)
    keep = keep if counted is None else keep & counted
    u, v = x[keep].astype(np.float64), y[keep].astype(np.float64)
    if not resamples or not len(u) or (u == u[0]).all() or (v == v[0]).all():
        return None
    return permuted_correlation_p(u, v, resamples=resamples, ceiling=ceiling, seed=seed)


def too_few_differ(*sides: Column) -> str:
    """Why a correlation has no interval: on a side fewer than 10 items differ from the most common value; else empty.

    Of so few items most resamples hold the same handful, and their quantiles exclude 0 by chance in 13 to 35 % of data
    sets without any correlation.
    """
    least = min(least_common(side) for side in sides)
    items = "1 item differs" if least == 1 else f"{least} items differ"
    return f"no interval: on one side only {items} from the rest" if least < FEW else ""


def _centred(values: Column, keep: Mask) -> Floats:
    # Centring changes no correlation and keeps the sums of squares from cancelling.
    numbers = np.where(keep, values, 0.0).astype(np.float64)
    if not keep.any():
        return numbers
    return np.where(keep, numbers - numbers[keep].mean(), 0.0)


def _correlation(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = (sums[..., k] for k in range(6))
    vary_x, vary_y = n * xx - x * x, n * yy - y * y
    # A constant side leaves only rounding; a real variance is far above it.
    real = (vary_x > 1e-12 * n * xx) & (vary_y > 1e-12 * n * yy)
    product = np.where(real, vary_x * vary_y, 0.0)
    return np.clip(divide(n * xy - x * y, np.sqrt(product)), -1.0, 1.0)


def above_statistics(
    agree: Mask, counted: Mask, *, score: Column, threshold: float
) -> tuple[Statistic, Statistic]:
    """Consistency of the items with a score that lies strictly above a threshold, and their share.

    Args:
        agree: Items with answers that agree.
        counted: Items that count.
        score: A number per item; where it is not finite the item is below every threshold.
        threshold: The paper's is BLEU 50.

    Returns:
        P(agree | score > threshold), and the share of counted items with a score above the threshold.
    """
    above = counted & np.isfinite(score) & (np.asarray(score, dtype=np.float64) > threshold)
    inside = Statistic(
        (agree & above, above),
        ratio,
        SHARE,
        int(above.sum()),
        undefined=f"no item with a score above {threshold:g}",
    )
    share = Statistic(
        (above, counted), ratio, SHARE, int(counted.sum()), undefined="no item counts on both sides"
    )
    return inside, share
