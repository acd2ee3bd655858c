"""Resampled items for every pair of runs at once, for means over groups of pairs, hence for their differences.

What a resample holds is drawn once (see resample) and shared by all pairs, measures and tables over the same items. The
resampled agreement of many pairs is one product, resamples × items times items × pairs; it is made in float32, which is
exact for hard answers (whole numbers below 2^24) and leaves an error below 10^−5 in the ends of the intervals of
probabilities. Values themselves are sums in float64. Pseudo-items (the corners of each measure, see agreement) are the
same for all pairs, so that they are added to sums and cost no product.

Everything else that a measure needs (items in common, probability on gold, margins of classes) belongs to a run and
the set of items that another run has, and such sets are few: usually there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hesperus.measures.agreement import PairStatistic, beyond_chance, class_count, pair_corners
from hesperus.measures.classes import InvalidRule, Mask
from hesperus.measures.pair_spread import GatheredSpread, PairSpread
from hesperus.measures.paired_runs import HardRuns, Indices, Kind, SoftRuns
from hesperus.measures.resample import Bootstrap, Draws, Floats, draws
from hesperus.measures.statistic import divide

Runs = HardRuns | SoftRuns

_PAIRS = 2048
"""Pairs that go through one product."""

_BELONGING = 4096
"""Columns that belong to runs, up to which they are resampled once for all pairs."""

_TILE = 1 << 17
"""Resampled values that are reduced at a time; they stay in the cache."""

_ROOM = 1.0 - 1e-9
"""Agreement by chance below which there is room beyond it, whatever rounding did."""

_KINDS: Mapping[PairStatistic, Kind] = {"error_consistency": "both_right", "rank_consistency": "ranks"}
_WITH_GOLD: tuple[PairStatistic, ...] = ("kappa_p", "error_consistency")
_WITH_MARGINS: tuple[PairStatistic, ...] = ("cohen_kappa", "scott_pi")


def bootstrap_pairs(
    runs: Runs,
    pairs: npt.NDArray[np.integer],
    *,
    statistics: Sequence[PairStatistic] = ("kappa_p",),
    bootstrap: Bootstrap | None = None,
    groups: Sequence[npt.NDArray[np.integer]] = (),
) -> dict[PairStatistic, PairSpread]:
    """Measure pairs of runs, with intervals.

    Args:
        runs: The runs.
        pairs: Which pairs: indices of runs, [pairs, 2].
        statistics: What to measure.
        bootstrap: How to make intervals; None leaves them out.
        groups: Indices of pairs to average too. Differences of two groups are differences of their spreads,
            and paired.

    Returns:
        A spread for each statistic. κ_p and error consistency rest on items with a gold label, the others on all.

    Raises:
        ValueError: A statistic that these runs do not have, or a pair or group that does not exist.

    Example:
        >>> import numpy as np
        >>> from hesperus.measures import HardRuns, Key
        >>> key = Key(np.array([0, 0, 0, 1, 2, 2], np.int32), np.full(6, 3, np.int32))
        >>> codes = np.array([[0, 0, 0, 1, 2, 1], [0, 0, 0, 1, 2, 0]], np.int32)
        >>> float(bootstrap_pairs(HardRuns(codes, key), np.array([[0, 1]]))["kappa_p"].value[0].round(4))
        0.4286
    """
    table = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    _check(runs, table, statistics, groups)
    counted = runs.counted()
    resampled = draws(counted.shape[1], bootstrap) if bootstrap else None
    with_gold = counted & (runs.key.gold >= 0)
    same_items = bool(np.array_equal(counted, with_gold))
    found: dict[PairStatistic, PairSpread] = {}
    for wanted, mask in (
        ([s for s in statistics if s not in _WITH_GOLD or same_items], counted),
        ([s for s in statistics if s in _WITH_GOLD and not same_items], with_gold),
    ):
        if wanted:
            found |= _Family(runs, mask, table, wanted).measured(resampled, groups)
    return {statistic: found[statistic] for statistic in statistics}


def _check(
    runs: Runs, pairs: Indices, statistics: Sequence[str], groups: Sequence[npt.NDArray[np.integer]]
) -> None:
    for name in statistics:
        if name not in runs.statistics:
            raise ValueError(f"no statistic {name!r} of these runs; there are {', '.join(runs.statistics)}")
    count = len(runs.counted())
    if pairs.size and not 0 <= pairs.min() <= pairs.max() < count:
        raise ValueError(f"pairs name the runs 0 to {count - 1}, not {pairs.min()} to {pairs.max()}")
    for group in groups:
        if len(group) and not 0 <= np.min(group) <= np.max(group) < len(pairs):
            raise ValueError(f"a group names the pairs 0 to {len(pairs) - 1}")


class _Family:
    """Measures over the same items."""

    def __init__(
        self, runs: Runs, counted: Mask, pairs: Indices, statistics: Sequence[PairStatistic]
    ) -> None:
        self.runs, self.counted, self.pairs, self.statistics = runs, counted, pairs, statistics
        self.items: Mask = np.asarray(counted.any(axis=0))
        self.kinds: tuple[Kind, ...] = tuple(dict.fromkeys(_KINDS.get(s, "same") for s in statistics))
        self.gold = runs.on_gold()
        self.answered: Mask = np.asarray(runs.answered() & counted)
        self.all_answered = bool(np.array_equal(self.answered, counted))
        self.invalid: InvalidRule = runs.invalid if isinstance(runs, HardRuns) else "disagree"
        self.classes = runs.classes() if any(s in _WITH_MARGINS for s in statistics) else []
        known: dict[bytes, int] = {}
        packed = np.packbits(counted, axis=1)
        self.set_of = np.array([known.setdefault(row.tobytes(), len(known)) for row in packed], dtype=np.intp)
        self.sets: Mask = counted[[int(np.argmax(self.set_of == place)) for place in range(len(known))]]
        self.options = [int(count) for count in np.unique(runs.key.options)]

    def measured(
        self, resampled: Draws | None, groups: Sequence[npt.NDArray[np.integer]]
    ) -> dict[PairStatistic, PairSpread]:
        """All of it, in chunks of pairs."""
        gathered = {s: GatheredSpread(len(self.pairs), resampled, groups) for s in self.statistics}
        whole = self._belongings(self.pairs)
        # Runs with the same items share their columns over all pairs; else each chunk of pairs brings its own.
        shared = whole if whole.width <= _BELONGING else None
        tables = shared.tables(resampled) if shared else None
        step = _PAIRS if shared else max(1, _BELONGING // (4 + 2 * len(self.classes)))
        for start in range(0, len(self.pairs), step):
            part = slice(start, min(start + step, len(self.pairs)))
            if shared is not None and tables is not None:
                own, of_chunk = shared.of(part), tables
            else:
                own = self._belongings(self.pairs[part])
                of_chunk = own.tables(resampled)
            self._chunk(part, own, of_chunk, resampled, gathered)
        return {s: gathered[s].spread() for s in self.statistics}

    def _chunk(
        self,
        part: slice,
        own: _Belongings,
        tables: Mapping[PairStatistic, tuple[_Table, _Table]],
        resampled: Draws | None,
        gathered: Mapping[PairStatistic, GatheredSpread],
    ) -> None:
        a, b = self.pairs[part].T
        silent = own.silent()
        for kind, sums, spread in self._agreeing(a, b, resampled):
            for statistic in (s for s in self.statistics if _KINDS.get(s, "same") == kind):
                into = gathered[statistic]
                plain, weighed = tables[statistic]
                n = np.where(silent, 0, np.broadcast_to(plain.n[own.n][:, 0], silent.shape))
                value = own.reduce(statistic, sums[:, None], plain, slice(None))[:, 0]
                value[silent] = np.nan
                into.values(part, np.rint(n).astype(np.int64), value)
                if resampled is None:
                    continue
                rows = max(1, _TILE // max(1, spread.shape[1]))
                for start in range(0, len(sums), rows):
                    tile = slice(start, min(start + rows, len(sums)))
                    reduced = own.reduce(statistic, spread[tile], weighed, tile)
                    if silent[tile].any():
                        reduced[silent[tile]] = np.nan
                    into.resamples(slice(part.start + tile.start, part.start + tile.stop), reduced)

    def _agreeing(
        self, a: Indices, b: Indices, resampled: Draws | None
    ) -> Iterator[tuple[Kind, Floats, npt.NDArray[np.floating]]]:
        """What pairs have item by item, of each kind: its sums, and those over each resample."""
        if isinstance(self.runs, HardRuns):
            # Masks of all kinds go through the resamples together, which takes as long as a product of few of them.
            columns, sums = zip(
                *(self.runs.together(kind, a, b, items=self.items) for kind in self.kinds), strict=True
            )
            spreads = np.split(_products(np.concatenate(columns), resampled), len(columns))
            yield from zip(self.kinds, sums, spreads, strict=True)
            return
        for kind in self.kinds:
            products, total = self.runs.together(kind, a, b, items=self.items)
            yield kind, total, _products(products, resampled)

    def _belongings(self, pairs: Indices) -> _Belongings:
        a, b = pairs.T
        sets_a, sets_b = self.set_of[a], self.set_of[b]
        count = len(self.sets)
        both, n = np.unique(
            np.minimum(sets_a, sets_b) * count + np.maximum(sets_a, sets_b), return_inverse=True
        )
        mine, places = np.unique(
            np.concatenate([a * count + sets_b, b * count + sets_a]), return_inverse=True
        )
        run, other = mine // count, mine % count
        first, second = np.minimum(self.set_of[run], other), np.maximum(self.set_of[run], other)
        return _Belongings(
            family=self,
            common=self.sets[both // count] & self.sets[both % count],
            run=run,
            other=self.sets[other],
            common_of_run=np.searchsorted(both, first * count + second),
            n=n.reshape(-1),
            a=places.reshape(-1)[: len(a)],
            b=places.reshape(-1)[len(a) :],
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Belongings:
    """Columns that belong to a set of items, or to a run on a set of items.

    Attributes:
        family: The family of pairs.
        common: Sets of items that pairs have in common, [sets, items].
        run: The run of each entry.
        other: The items of the other run of each entry, [entries, items].
        common_of_run: Index into `common` for each entry.
        n: Index into `common` for each pair.
        a: Index of the entry of the first run of each pair, on the items of the second.
        b: Index of the entry of the second run, on the items of the first.
    """

    family: _Family
    common: Mask
    run: Indices
    other: Mask
    common_of_run: Indices
    n: Indices
    a: Indices
    b: Indices

    @property
    def width(self) -> int:
        """How many columns there are."""
        family = self.family
        return (1 + len(family.options)) * len(self.common) + (1 + len(family.classes)) * len(self.run)

    def silent(self) -> Mask:
        """Pairs of which one run answers none of the items in common: nothing is measured of them, [pairs]."""
        if self.family.all_answered:
            return np.zeros(len(self.n), dtype=np.bool_)
        answers: Mask = np.asarray((self.family.answered[self.run] & self.other).any(axis=1))
        return ~(answers[self.a] & answers[self.b])

    def of(self, part: slice) -> _Belongings:
        """The same for some of the pairs."""
        return _Belongings(
            self.family, self.common, self.run, self.other, self.common_of_run,
            self.n[part], self.a[part], self.b[part],
        )  # fmt: skip

    def tables(self, draws: Draws | None) -> dict[PairStatistic, tuple[_Table, _Table]]:
        """What each measure needs besides the agreement of pairs: from the plain sums, and from those of each resample."""
        family = self.family
        counted = family.counted[self.run] & self.other
        # 1 / (options − 1) is summed by number of options, so that every column of labels is whole.
        columns = [
            self.common,
            *(self.common & (family.runs.key.options == count) for count in family.options),
            family.gold[self.run] * counted,
            *(where[self.run] & counted for where in family.classes),
        ]
        stacked = np.concatenate(columns)
        plain = stacked.sum(axis=1, keepdims=True, dtype=np.float64)
        sums = (
            _products(stacked if stacked.dtype == np.bool_ else stacked.astype(np.float32), draws).astype(
                np.float64
            )
            if draws
            else np.empty((len(plain), 0))
        )
        found: dict[PairStatistic, tuple[_Table, _Table]] = {}
        for name in family.statistics:
            table = np.array(pair_corners(name, family.runs.key))
            corners = draws.corners(len(table)) @ table if draws is not None and draws.bayesian else None
            found[name] = (
                self._table(name, plain, None),
                self._table(name, sums, None if corners is None else corners.T),
            )
        return found

    def _table(self, name: PairStatistic, sums: Floats, corners: Floats | None) -> _Table:
        """Shares from sums of the columns; `corners` is what pseudo-items add to each of a pair's columns."""
        sets, entries, options = len(self.common), len(self.run), self.family.options
        held = np.zeros((5, 1)) if corners is None else corners
        n = sums[:sets] + held[0]
        agree = None if corners is None else held[1]
        of_run = n[self.common_of_run]
        rest = sums[(1 + len(options)) * sets :]
        if name in _WITH_GOLD:
            others = np.zeros_like(n)
            by_options = sums[sets : (1 + len(options)) * sets].reshape(len(options), *sums[:sets].shape)
            for part, count in zip(by_options, options, strict=True):
                # Unknown: whatever rests on such an item has no chance agreement.
                others += part / (count - 1.0) if count > 1 else np.where(part > 0, np.nan, 0.0)
            if name == "kappa_p":
                others += held[4]
            gold = rest[:entries]
            first, second = (divide(gold + held[side], of_run) for side in (2, 3))
            return _Table(n, agree, divide(others, n), [first], [second])
        if name in _WITH_MARGINS:
            labels = held[0] / class_count(self.family.runs.key, self.family.invalid)
            shares = [
                divide(rest[start : start + entries] + labels, of_run)
                for start in range(entries, len(rest), max(1, entries))
            ]
            return _Table(n, agree, None, shares, shares)
        return _Table(n, agree, None, [], [])

    def reduce(
        self, statistic: PairStatistic, observed: npt.NDArray[np.floating], table: _Table, tile: slice
    ) -> Floats:
        """The measure of some pairs from their sums, [pairs, resamples]."""
        sets, a, b = self.n[tile], self.a[tile], self.b[tile]
        n = table.n if len(table.n) == 1 else table.n[sets]
        held = observed if table.agree is None else observed + table.agree
        raw: Floats = held / n if table.n.all() else divide(held.astype(np.float64), n)
        if statistic in ("raw", "rank_consistency"):
            return raw
        if statistic in ("kappa_p", "error_consistency"):
            p, q = table.first[0][a], table.second[0][b]
            expected = p * q
            # (1 − p)(1 − q) = 1 − p − q + p q, in place: these tables are as large as all else together.
            p += q
            np.subtract(1.0, p, out=p)
            p += expected
            if statistic == "kappa_p" and table.others is not None:
                p *= table.others if len(table.others) == 1 else table.others[sets]
            expected += p
            return _beyond(raw, expected)
        expected = np.zeros_like(raw)
        for first, second in zip(table.first, table.second, strict=True):
            p, q = first[a], second[b]
            if statistic == "cohen_kappa":
                p *= q
            else:
                p += q
                p /= 2
                p *= p
            expected += p
        return _beyond(raw, expected)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Sums that belong to sets of items, and shares that belong to runs, with the pseudo-items of a measure.

    Attributes:
        n: Items in common, [sets, resamples].
        agree: What pseudo-items add to the agreement of every pair, [resamples]; None without pseudo-items.
        others: Mean of 1 / (options − 1), [sets, resamples]; None if the measure does not need it.
        first: Probability on gold, or share of each class, where a run is the first of a pair, [entries, resamples].
        second: The same where it is the second.
    """

    n: Floats
    agree: Floats | None
    others: Floats | None
    first: list[Floats]
    second: list[Floats]


def _beyond(raw: Floats, expected: Floats) -> Floats:
    """As beyond_chance, in place where chance leaves room everywhere: half of the passes over memory."""
    if not expected.max(initial=0.0) < _ROOM:
        return beyond_chance(raw, expected)
    raw -= expected
    np.subtract(1.0, expected, out=expected)
    raw /= expected
    return raw


def _products(columns: Mask | npt.NDArray[np.float32], draws: Draws | None) -> npt.NDArray[np.floating]:
    """Sums of columns over each resample, in the units of its weights, [columns, resamples]."""
    if draws is None:
        return np.empty((len(columns), 0), dtype=np.float32)
    if columns.dtype == np.bool_:
        return draws.of_masks(list(columns.astype(np.bool_, copy=False)))
    found = np.empty((len(columns), draws.bootstrap.resamples), dtype=np.float32)
    start = 0
    for slab in draws.slabs():
        np.matmul(columns, slab.T, out=found[:, start : start + len(slab)])
        start += len(slab)
    return found
