"""What must hold for every measure, wherever it holds; a new measure joins by adding a line to CASES."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from hesperus.measures import (
    INVALID,
    MISSING,
    Bootstrap,
    Codes,
    Key,
    SenseRuns,
    Statistic,
    above_statistics,
    ac3_statistic,
    accuracy_statistic,
    agreement_statistics,
    compare,
    consistency_statistic,
    decomposition_statistics,
    difference,
    direction_statistics,
    estimate,
    kappa_p_statistic,
    label_share_statistic,
    nominal_alpha_statistic,
    pearson_statistic,
    pooled_accuracy_statistic,
    range_statistics,
    rank_consistency_statistic,
    share_statistic,
    split_statistics,
    subset_consistency_statistic,
    validity_statistic,
)

LABELS, ITEMS = 4, 60


@dataclass(frozen=True)
class Data:
    """Four runs of answers, the truth, a score and two runs of probabilities, over the same items."""

    runs: Codes
    key: Key
    score: np.ndarray
    probs: np.ndarray

    def items(self, order: np.ndarray) -> Data:
        key = Key(self.key.gold[order], self.key.options[order])
        return Data(self.runs[:, order], key, self.score[order], self.probs[:, order])

    def renamed(self, names: np.ndarray) -> Data:
        def code(codes: Codes) -> Codes:
            return np.where(codes >= 0, names[codes], codes).astype(np.int32)

        probs = np.empty_like(self.probs)
        probs[:, :, names] = self.probs
        return replace(
            self, runs=code(self.runs), key=replace(self.key, gold=code(self.key.gold)), probs=probs
        )

    def turned(self) -> Data:
        return replace(self, runs=self.runs[[1, 0, 2, 3]], probs=self.probs[::-1])


@dataclass(frozen=True)
class Case:
    """A measure; what does not hold for it is said here."""

    name: str
    measure: Callable[[Data], Statistic]
    symmetric: bool = True
    nameless: bool = True
    replicable: bool = True
    """False where a term for small samples tells one sample from the same one three times over."""


def _agreement(name: str, invalid: str = "disagree") -> Callable[[Data], Statistic]:
    return lambda d: agreement_statistics(d.runs[0], d.runs[1], key=d.key, invalid=invalid)[name]


def _part(name: str) -> Callable[[Data], Statistic]:
    return lambda d: decomposition_statistics(SenseRuns(*d.runs[[0, 1, 2, 3, 2]]))[name]


def _scored(data: Data) -> tuple[np.ndarray, np.ndarray]:
    both = compare(data.runs[0], data.runs[1])
    return both.agree, both.counted


CASES = [
    Case("consistency", lambda d: consistency_statistic(d.runs[0], d.runs[1])),
    Case("consistency, agree", lambda d: consistency_statistic(d.runs[0], d.runs[1], invalid="agree")),
    Case("consistency, drop", lambda d: consistency_statistic(d.runs[0], d.runs[1], invalid="drop")),
    Case("consistency, lowest", lambda d: range_statistics(d.runs[0], d.runs[1])[0]),
    Case("consistency, highest", lambda d: range_statistics(d.runs[0], d.runs[1])[1]),
    Case(
        "consistency, source correct",
        lambda d: split_statistics(d.runs[0], d.runs[1], gold=d.key.gold)[0],
        symmetric=False,
    ),
    Case(
        "consistency, source incorrect",
        lambda d: split_statistics(d.runs[0], d.runs[1], gold=d.key.gold)[1],
        symmetric=False,
    ),
    Case(
        "direction",
        lambda d: direction_statistics(d.runs[0], d.runs[1], classes=LABELS)[0, 1],
        symmetric=False,
        nameless=False,
    ),
    Case("accuracy", lambda d: accuracy_statistic(d.runs[0], d.key.gold), symmetric=False),
    Case("validity", lambda d: validity_statistic(d.runs[0]), symmetric=False),
    Case("share of a label", lambda d: label_share_statistic(d.runs[0], 1), symmetric=False, nameless=False),
    Case("share", lambda d: share_statistic(d.runs[0] == INVALID, d.runs[0] != MISSING), symmetric=False),
    Case("correlation", lambda d: pearson_statistic(d.score, _scored(d)[0], counted=_scored(d)[1])),
    Case("consistency above", lambda d: above_statistics(*_scored(d), score=d.score, threshold=0.5)[0]),
    Case("share above", lambda d: above_statistics(*_scored(d), score=d.score, threshold=0.5)[1]),
    Case("decomposition, instruction", _part("instruction"), symmetric=False),
    Case("decomposition, interaction", _part("interaction"), symmetric=False),
    Case("raw agreement", _agreement("raw")),
    Case("kappa_p", _agreement("kappa_p")),
    Case("kappa_p, agree", _agreement("kappa_p", "agree")),
    Case("kappa_p, drop", _agreement("kappa_p", "drop")),
    Case("Cohen's kappa", _agreement("cohen_kappa")),
    Case("Cohen's kappa, agree", _agreement("cohen_kappa", "agree")),
    Case("Scott's pi", _agreement("scott_pi")),
    Case("error consistency", _agreement("error_consistency")),
    Case("kappa_p, soft", lambda d: kappa_p_statistic(d.probs[0], d.probs[1], key=d.key)),
    Case("RankC", lambda d: rank_consistency_statistic(d.probs[0], d.probs[1], key=d.key)),
    Case("consistency of three", lambda d: subset_consistency_statistic(d.runs, size=3)),
    Case(
        "consistency of three, agree", lambda d: subset_consistency_statistic(d.runs, size=3, invalid="agree")
    ),
    Case(
        "consistency of three, drop", lambda d: subset_consistency_statistic(d.runs, size=3, invalid="drop")
    ),
    Case("AC3", lambda d: ac3_statistic(d.runs, key=d.key, size=3)),
    Case("pooled accuracy", lambda d: pooled_accuracy_statistic(d.runs, d.key.gold)),
    Case("alpha of runs", lambda d: nominal_alpha_statistic(d.runs), replicable=False),
    Case(
        "alpha of runs, agree", lambda d: nominal_alpha_statistic(d.runs, invalid="agree"), replicable=False
    ),
    Case("alpha of runs, drop", lambda d: nominal_alpha_statistic(d.runs, invalid="drop"), replicable=False),
    Case(
        "difference",
        lambda d: difference(
            accuracy_statistic(d.runs[0], d.key.gold), accuracy_statistic(d.runs[1], d.key.gold)
        ),
        symmetric=False,
    ),
]


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(7)
    gold = rng.integers(0, LABELS, ITEMS).astype(np.int32)
    runs = np.where(rng.random((4, ITEMS)) < 0.6, gold, rng.integers(0, LABELS, (4, ITEMS))).astype(np.int32)
    runs[rng.random(runs.shape) < 0.1] = INVALID
    runs[rng.random(runs.shape) < 0.05] = MISSING
    gold[:3] = INVALID
    probs = rng.dirichlet(np.ones(LABELS), (2, ITEMS))
    probs[0, 5] = np.nan
    options = np.full(ITEMS, LABELS, dtype=np.int32)
    return Data(runs, Key(gold, options), rng.random(ITEMS), probs)


def _value(case: Case, data: Data) -> float:
    value = estimate(case.measure(data)).value
    assert value is not None
    return value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_measure(case: Case, data: Data) -> None:
    value = _value(case, data)
    rng = np.random.default_rng(11)
    near = pytest.approx(value, abs=1e-12)
    assert -1.0 <= value <= 1.0
    assert _value(case, data.items(rng.permutation(ITEMS))) == near, "the order of items must not matter"
    if case.replicable:
        assert _value(case, data.items(np.tile(np.arange(ITEMS), 3))) == near, (
            "items thrice are the same shares"
        )
    unasked = data.items(np.arange(ITEMS))
    empty = Data(
        np.hstack([unasked.runs, np.full((4, 5), MISSING, np.int32)]),
        Key(np.append(data.key.gold, [0] * 5).astype(np.int32), np.append(data.key.options, [4] * 5).astype(np.int32)),
        np.append(data.score, [0.9] * 5),
        np.concatenate([data.probs, np.full((2, 5, LABELS), np.nan)], axis=1),
    )  # fmt: skip
    assert _value(case, empty) == near, "items that nobody was asked must not count"
    if case.nameless:
        assert _value(case, data.renamed(np.array([2, 0, 3, 1]))) == near, "names of labels must not matter"
    if case.symmetric:
        assert _value(case, data.turned()) == near, "the sides may be exchanged"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_interval_holds_its_value_and_repeats_by_seed(case: Case, data: Data) -> None:
    statistic = case.measure(data)
    found = estimate(statistic, Bootstrap(200, seed=3))
    assert found.value is not None and found.low is not None and found.high is not None
    assert found.low <= found.value <= found.high
    assert found == estimate(statistic, Bootstrap(200, seed=3))
    assert estimate(statistic).low is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_measure_of_nothing_is_undefined_and_says_why(case: Case) -> None:
    runs = np.full((4, 3), MISSING, dtype=np.int32)
    key = Key(np.zeros(3, np.int32), np.full(3, 4, np.int32))
    empty = Data(runs, key, np.zeros(3), np.full((2, 3, 4), np.nan))
    found = estimate(case.measure(empty), Bootstrap(50))
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
    assert found.reason
