"""Which pairs of runs answer which question, and the runs of a task measured: every pair, and its means in every resample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import log

import numpy as np
import numpy.typing as npt

from hesperus.analysis.similarity.run_arrays import LaidRuns
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.errors import DataError, UsageError
from hesperus.measures import (
    Bootstrap,
    HardRuns,
    PairSpread,
    SoftRuns,
    bootstrap_pairs,
    draws,
    intervals,
    replied,
)
from hesperus.records import Cell
from hesperus.types import Estimate

WITHIN, BETWEEN, PIVOT, PARTNER, BETWEEN_OF = (
    "within_model", "between_models", "pivot", "partner", "between_models_of",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Pairs to be averaged.

    Attributes:
        design: Name of the design.
        name: Model or language that the pairs have in common; ``all`` where they have none.
        pairs: Indices into the pairs of the design.
    """

    design: str
    name: str
    pairs: npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Designs:
    """All pairs of all designs, each once.

    Attributes:
        pairs: Indices of runs, [pairs, 2].
        groups: Groups of pairs.
    """

    pairs: npt.NDArray[np.intp]
    groups: tuple[Group, ...]

    @property
    def places(self) -> dict[tuple[str, str], int]:
        """Design and name of each group that has pairs, to its index."""
        return {(group.design, group.name): index for index, group in enumerate(self.groups)}


def sense_of(cell: Cell) -> str:
    """What represents the language of a run: its sense, or both where instruction and input differ."""
    return cell.input if cell.instruction == cell.input else f"{cell.instruction}/{cell.input}"


def designs(cells: Sequence[Cell], settings: SimilaritySettings) -> Designs:
    """Spell out the designs for the first repeats of the runs.

    Within a model: all pairs of its languages; the pivot's pairs among them. Between models: all pairs of models in a
    language, grouped by language and by model; the pairs of partners among them.
    """
    first = [(index, cell) for index, cell in enumerate(cells) if cell.repeat == 1]
    found = partners(dict.fromkeys(cell.model for _, cell in first), settings)
    pairs: list[tuple[int, int]] = []
    members: dict[tuple[str, str], list[int]] = {}

    def into(design: str, name: str) -> None:
        members.setdefault((design, name), []).append(len(pairs) - 1)

    for (i, a), (j, b) in combinations(first, 2):
        if a.model == b.model:
            pairs.append((i, j))
            into(WITHIN, a.model)
            into(WITHIN, "all")
            if settings.pivot in (sense_of(a), sense_of(b)):
                into(PIVOT, a.model)
                into(PIVOT, "all")
        elif (a.instruction, a.input) == (b.instruction, b.input):
            pairs.append((i, j))
            into(BETWEEN, sense_of(a))
            into(BETWEEN, "all")
            for model, other in ((a.model, b.model), (b.model, a.model)):
                into(BETWEEN_OF, model)
                if found.get(model) == other:
                    into(PARTNER, model)
    groups = tuple(
        Group(design, name, np.array(held, dtype=np.intp))
        for (design, name), held in sorted(members.items(), key=_order)
    )
    return Designs(np.array(pairs, dtype=np.intp).reshape(-1, 2), groups)


def partners(models: Sequence[str] | dict[str, None], settings: SimilaritySettings) -> dict[str, str]:
    """For each model of known size and family, the model of another family nearest in size (first by name where equal)."""
    known = sorted(model for model in models if model in settings.sizes and model in settings.families)
    found = {}
    for model in known:
        others = [other for other in known if settings.families[other] != settings.families[model]]
        if others:
            size = settings.sizes[model]
            found[model] = min(others, key=lambda other: (abs(settings.sizes[other] - size), other))
    return found


def log_size(model: str, settings: SimilaritySettings) -> float | None:
    """Natural logarithm of a model's parameters, or None if they are not given."""
    size = settings.sizes.get(model)
    return log(size) if size else None


def _order(entry: tuple[tuple[str, str], list[int]]) -> tuple[int, bool, str]:
    design, name = entry[0]
    return (WITHIN, PIVOT, BETWEEN, BETWEEN_OF, PARTNER).index(design), name == "all", name


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

    The seed moves on by `seed_step`, so that groups of items that are averaged are resampled independently.

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


def with_interval(value: float, spread: Floats, bootstrap: Bootstrap) -> tuple[float, float, float]:
    """A number with the ends of the interval that its resamples give; NaN where there is none."""
    low, high = intervals(spread[None, :], np.array([value]), bootstrap)
    return value, float(low[0]), float(high[0])


def estimate_of(
    value: float, low: float, high: float, *, n: int, excluded: int, reason: str = "", undefined: str = ""
) -> Estimate:
    """A number with its interval as an estimate; NaN becomes None, and the reason says why."""
    if np.isnan(value):
        return Estimate(None, n=n, excluded=excluded, reason="; ".join(filter(None, (undefined, reason))))
    below, above = (None if np.isnan(end) else end for end in (low, high))
    return Estimate(value, below, above, n, excluded, reason)


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
