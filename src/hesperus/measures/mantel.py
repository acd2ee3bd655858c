"""Mantel's test: all pairs of a run move together when runs are permuted. Needs scipy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod

import numpy as np
import numpy.typing as npt

from hesperus.measures.permuting import NO_RESAMPLES, monte_carlo_ps
from hesperus.measures.relations import Relation, correlations
from hesperus.measures.resample import Floats

Orders = npt.NDArray[np.intp]

_NODES = 10_000
"""Branches after which the best set of runs found so far is taken; a limit of time would not be repeatable."""

_CACHED = 1 << 14
"""Numbers that are permuted at a time, few enough to stay in the cache of a core: a quarter of the time of a whole block."""

UNDEFINED = "fewer than three pairs, or one side does not vary"


def mantel_tests(
    xs: Iterable[Floats],
    y: Floats,
    *,
    permutations: int = 9999,
    seed: int = 0,
    strata: npt.NDArray[np.integer] | None = None,
    ceiling: int = 0,
) -> list[Relation]:
    """Mantel's test: do two measures of all pairs go together, beyond what permuted runs show?

    Several measures are tested with the same other one, each for itself: the permutations of runs are drawn once, which costs
    a fraction where the runs are many. With x = 1 for pairs of one kind, 0 for pairs of another and NaN for all others, it
    tests the difference of the two kinds. The other measure must be there for all pairs, also those that x leaves out: a
    permutation moves them into the places that count. Where it is undefined, the fewest runs that leave no hole are dropped.

    Args:
        xs: Tables, symmetric, [runs, runs]; the diagonal is not looked at, pairs with NaN do not count. One at a time is held.
        y: Another measure of the same pairs, likewise; its runs are permuted.
        permutations: Random permutations; if there are no more of them at all, every one is tried. 0 leaves p out.
        seed: Seed of the generator.
        strata: A code for each run; runs are permuted only with those of the same code. None permutes all.
        ceiling: Permutations up to which more are drawn where p is small (see permuting.monte_carlo_p).

    Returns:
        For each table Pearson's correlation over pairs, and the two-sided p value: the share of all permutations that are as
        extreme, or (1 + as extreme) / (1 + permutations). Undefined where fewer than three pairs count or a side does not vary.

    Raises:
        ValueError: The tables are not square and of one shape, or `permutations` is less than 0.

    Reference: Mantel (1967).
    """
    if permutations < 0:
        raise ValueError(f"permutations must be 0 or more, not {permutations}")
    shape, dropped = y.shape, runs_to_drop(y)
    kept = np.setdiff1d(np.arange(len(y)), dropped)
    y = y[np.ix_(kept, kept)]
    sides = [_Side.of(_square(x, shape)[np.ix_(kept, kept)], y) for x in xs]
    # Where two languages are compared, the pairs of a model with its pivot are all of its pairs.
    tested = {side.key: side for side in sides if not np.isnan(side.observed)}
    codes = np.zeros(len(kept), dtype=np.intp) if strata is None else np.asarray(strata)[kept]
    groups = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    found: Sequence[float | None]
    if not permutations:
        found = [None] * len(tested)
    elif prod(factorial(len(group)) for group in groups) <= permutations + 1:
        orders = _all_orders(groups, len(kept))
        found = [side.extreme(y, orders) / len(orders) for side in tested.values()]
    else:
        found = _sampled(
            list(tested.values()), y, groups, permutations=permutations, seed=seed, ceiling=ceiling
        )
    ps = dict(zip(tested, found, strict=True))
    untold = "" if permutations else NO_RESAMPLES
    return [
        Relation(None, None, "mantel", len(side.a), UNDEFINED, dropped)
        if np.isnan(side.observed)
        else Relation(side.observed, ps[side.key], "mantel", len(side.a), untold, dropped)
        for side in sides
    ]


def _square(x: Floats, shape: tuple[int, ...]) -> Floats:
    if x.ndim != 2 or x.shape[0] != x.shape[1] or x.shape != shape:
        raise ValueError(f"two square tables of the same runs are needed: {x.shape} and {shape}")
    return x


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """The pairs of a test that count, and what was observed.

    Attributes:
        a: First run of each pair.
        b: Second run of each pair.
        score: The measure of each pair, centered and of length 1.
        observed: Pearson's correlation; NaN where it is undefined.
        least: Spread below which a permutation does not vary.
    """

    a: npt.NDArray[np.intp]
    b: npt.NDArray[np.intp]
    score: Floats
    observed: float
    least: float

    @classmethod
    def of(cls, x: Floats, y: Floats) -> _Side:
        a, b = np.triu_indices(len(x), 1)
        counted = np.isfinite(x[a, b])
        a, b = a[counted], b[counted]
        here, beside = x[a, b], y[a, b]
        observed = float(correlations(here[None, :], beside[None, :])[0]) if len(a) >= 3 else np.nan
        if np.isnan(observed):
            return cls(a, b, here, np.nan, 0.0)
        score = here - here.mean()
        return cls(
            a, b, score / np.sqrt(score @ score), observed, 1e-12 * max(1.0, float(np.abs(beside).max()))
        )

    @property
    def key(self) -> tuple[bytes, bytes, bytes]:
        """Equal for tests of the same pairs and measure, which have the same p value."""
        return self.a.tobytes(), self.b.tobytes(), self.score.tobytes()

    def extreme(self, y: Floats, orders: Orders) -> int:
        """How many orders of runs, [orders, runs], are at least as extreme as what was observed."""
        step = max(1, _CACHED // max(1, len(self.a)))
        return sum(self._extreme(y, orders[place : place + step]) for place in range(0, len(orders), step))

    def _extreme(self, y: Floats, orders: Orders) -> int:
        moved = y.ravel().take(orders[:, self.a] * len(y) + orders[:, self.b])
        moved -= moved.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        # A permutation without a correlation is no evidence against chance.
        found = np.divide(
            moved @ self.score, spread, out=np.full(len(moved), np.inf), where=spread > self.least
        )
        return int((np.abs(found) >= abs(self.observed) - 1e-9).sum())


def _sampled(
    sides: Sequence[_Side],
    y: Floats,
    groups: Sequence[npt.NDArray[np.intp]],
    *,
    permutations: int,
    seed: int,
    ceiling: int,
) -> list[float]:
    generator = np.random.default_rng(seed)

    def extreme(rows: int, places: npt.NDArray[np.intp]) -> Floats:
        orders = np.empty((rows, len(y)), dtype=np.intp)
        for group in groups:
            orders[:, group] = generator.permuted(np.tile(group, (rows, 1)), axis=1)
        return np.array([float(sides[place].extreme(y, orders)) for place in places])

    width = len(y) + max((len(side.a) for side in sides), default=0)
    return monte_carlo_ps(extreme, len(sides), width=width, resamples=permutations, ceiling=ceiling)


def runs_to_drop(y: Floats) -> tuple[int, ...]:
    """The fewest runs without which a measure of all pairs is defined for every pair (a smallest vertex cover).

    Args:
        y: Symmetric, [runs, runs]; the diagonal is not looked at.

    Returns:
        Indices, sorted; of several such sets one, always the same.
    """
    a, b = np.triu_indices(len(y), 1)
    hole = ~np.isfinite(y[a, b])
    a, b = a[hole], b[hole]
    if not len(a):
        return ()
    # Few need them, and they are slow to load.
    from scipy.optimize import Bounds, LinearConstraint, milp  # type: ignore[import-untyped]
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

    used, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    rows = np.tile(np.arange(len(a)), 2)
    edges = csr_array((np.ones(len(rows)), (rows, places)), shape=(len(a), len(used)))
    # Of two runs that lack each other the later one goes: a weight too small to let a larger set win.
    cost = 1.0 - np.arange(len(used)) / (4.0 * len(used) ** 2)
    found = milp(
        cost,
        constraints=LinearConstraint(edges, lb=1.0),
        integrality=np.ones(len(used)),
        bounds=Bounds(0, 1),
        options={"node_limit": _NODES},
    )
    chosen = used if found.x is None else used[np.round(found.x).astype(bool)]
    return tuple(int(run) for run in chosen)


def _all_orders(groups: list[npt.NDArray[np.intp]], runs: int) -> Orders:
    orders = np.empty((prod(factorial(len(group)) for group in groups), runs), dtype=np.intp)
    for row, chosen in enumerate(product(*(permutations(group) for group in groups))):
        for group, order in zip(groups, chosen, strict=True):
            orders[row, group] = order
    return orders
