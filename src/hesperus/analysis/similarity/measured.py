"""Runs of a task, measured: every pair of every design, and its means in every resample of the items."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hesperus.analysis.similarity.designs import Designs, designs
from hesperus.analysis.similarity.run_arrays import LaidRuns
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.errors import DataError, UsageError
from hesperus.measures import HardRuns, PairSpread, SoftRuns, bootstrap_pairs, draws, replied

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One task, or one group of its items.

    Attributes:
        runs: The runs.
        designs: Pairs and groups of pairs.
        statistic: Name of the measure; ``…_soft`` where it is of probabilities.
        spread: The measure of every pair, and the means of groups in every resample.
        accuracy: Accuracy of every run, invalid answers wrong, [runs]; NaN where undefined.
        accuracies: The same in every resample, [runs, resamples].
    """

    runs: LaidRuns
    designs: Designs
    statistic: str
    spread: PairSpread
    accuracy: Floats
    accuracies: Floats


def measured(runs: LaidRuns, settings: SimilaritySettings, *, seed_step: int = 0) -> Measured:
    """Measure all pairs of all designs.

    Args:
        runs: The runs.
        settings: What to compare.
        seed_step: Added to the seed, so that groups of items that are averaged are resampled independently.

    Raises:
        DataError: No two runs to compare, or probabilities are wanted and missing.
        UsageError: A measure that these answers do not have.
    """
    plan = designs(runs.cells, settings)
    if not len(plan.pairs):
        raise DataError(
            "no two runs to compare: similarity needs a model in two languages, or two models in one"
        )
    soft = takes_probabilities(runs, settings)
    compared: SoftRuns | HardRuns
    if soft:
        assert runs.probs is not None
        compared = SoftRuns(runs.probs, runs.soft_key)
    else:
        compared = HardRuns(runs.codes, runs.key, settings.invalid)
    if settings.statistic not in compared.statistics:
        kind = "probabilities" if soft else "labels"
        raise UsageError(f"{kind} have no {settings.statistic}; there is {', '.join(compared.statistics)}")
    given = settings.bootstrap
    bootstrap = replace(given, seed=given.seed + seed_step)
    spread = bootstrap_pairs(
        compared,
        plan.pairs,
        statistics=(settings.statistic,),
        bootstrap=bootstrap,
        groups=[group.pairs for group in plan.groups],
    )[settings.statistic]
    known = replied(runs.codes) & (runs.key.gold >= 0)
    # A run that answers nothing has no accuracy (see measures.correctness).
    known &= np.asarray((known & (runs.codes >= 0)).any(axis=1, keepdims=True))
    right = known & (runs.codes == runs.key.gold)
    columns = np.concatenate([right, known]).T.astype(np.float64)
    resampled = draws(len(runs.items), bootstrap)
    sums = resampled.sums(columns).T if resampled else np.empty((columns.shape[1], 0))
    count = len(runs.cells)
    name = (
        f"{settings.statistic}_soft"
        if soft and settings.statistic != "rank_consistency"
        else settings.statistic
    )
    plain = columns.sum(axis=0)
    return Measured(
        runs, plan, name, spread, _share(plain[:count], plain[count:]), _share(sums[:count], sums[count:])
    )


def takes_probabilities(runs: LaidRuns, settings: SimilaritySettings) -> bool:
    """Whether probabilities are compared: where they are asked for, or where every answer has them.

    Raises:
        DataError: They are asked for, and no record has any.
    """
    if settings.answers == "hard":
        return False
    if runs.probs is None:
        if settings.answers == "soft":
            raise DataError("no record has probabilities; compare labels, or score the options")
        return False
    if settings.answers == "soft":
        return True
    scored = np.asarray(np.isfinite(runs.probs).all(axis=2))
    return bool(scored[replied(runs.codes)].all())


def _share(part: Floats, whole: Floats) -> Floats:
    found = np.full(part.shape, np.nan)
    np.divide(part, whole, out=found, where=whole > 0)
    return found
