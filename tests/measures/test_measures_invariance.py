"""What must hold for every measure, wherever it holds; a new measure joins by adding a line to CASES."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from hesperus.measures import (
    CLASSIFIER,
    INFORMATION,
    INVALID,
    LEVELS,
    MISSING,
    UNCLASSIFIED,
    WEIGHTS,
    Bootstrap,
    Codes,
    Key,
    SenseRuns,
    Statistic,
    TaxPairs,
    above_statistics,
    ac3_statistic,
    accuracy_statistic,
    agreement_statistics,
    bias_statistic,
    classifier_statistics,
    cohen_statistic,
    compare,
    consistency_statistic,
    decomposition_statistics,
    difference,
    direction_statistics,
    estimate,
    fleiss_statistic,
    gwet_statistic,
    information_statistics,
    item_signal,
    kappa_p_statistic,
    krippendorff_alpha,
    label_share_statistic,
    nominal_alpha_statistic,
    pearson_statistic,
    percent_statistic,
    pooled_accuracy_statistic,
    profile_statistics,
    range_statistics,
    rank_consistency_statistic,
    representation_similarity,
    share_statistic,
    side_statistics,
    spearman,
    split_statistics,
    subset_consistency_statistic,
    tax_bounds,
    tax_statistic,
    unmatched_difference,
    validity_statistic,
)
from hesperus.types import Estimate

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

    @property
    def ratings(self) -> np.ndarray:
        """The same answers as what four raters said: [raters, units], NaN where one said nothing."""
        return np.where(self.runs >= 0, self.runs, np.nan)

    @property
    def levels(self) -> np.ndarray:
        """The same answers as levels of a property: [runs, texts]."""
        return np.where(self.runs >= 0, self.runs, UNCLASSIFIED)

    @property
    def pairs(self) -> TaxPairs:
        """Runs 0 and 1 as two models in one condition, 2 and 3 as the same models in the other."""
        right, valid, asked = self.runs == self.key.gold, self.runs >= 0, self.runs != MISSING
        there = asked[:2] & asked[2:] & (self.key.gold >= 0)
        return TaxPairs(right[:2], right[2:], valid[:2], valid[2:], there)

    def turned(self) -> Data:
        return replace(self, runs=self.runs[[1, 0, 2, 3]], probs=self.probs[::-1])


Measured = Statistic | Callable[[Bootstrap | None], Estimate]
"""A statistic, or a measure that reduces otherwise and makes its own interval."""


@dataclass(frozen=True)
class Case:
    """A measure; what does not hold for it is said here."""

    name: str
    measure: Callable[[Data], Measured]
    symmetric: bool = True
    nameless: bool = True
    replicable: bool = True
    """False where a term for small samples tells one sample from the same one three times over."""


def _agreement(name: str, invalid: str = "disagree") -> Callable[[Data], Statistic]:
    return lambda d: agreement_statistics(d.runs[0], d.runs[1], key=d.key, invalid=invalid)[name]


def _part(name: str) -> Callable[[Data], Statistic]:
    return lambda d: decomposition_statistics(SenseRuns(*d.runs[[0, 1, 2, 3, 2]]))[name]


def _alpha(data: Data, level: str) -> Measured:
    return lambda bootstrap: krippendorff_alpha(data.ratings, level, bootstrap=bootstrap)  # type: ignore[arg-type]


def _information(name: str) -> Callable[[Data], Measured]:
    return lambda d: information_statistics(d.probs[0, :, 0], d.probs[1, :, 0])[name]


def _profile(name: str) -> Callable[[Data], Measured]:
    return lambda d: profile_statistics(d.levels[[0, 2]].T, d.levels[[1, 3]].T, properties=["one", "two"])[
        name
    ]


def _classifier(name: str) -> Callable[[Data], Measured]:
    def measured(data: Data) -> Statistic:
        said = np.where(data.runs[0] >= 0, data.runs[0] > 1, UNCLASSIFIED).astype(int)
        return classifier_statistics((data.key.gold > 1).astype(int), said)[name]

    return measured


def _spearman(data: Data) -> Measured:
    return lambda bootstrap: spearman(data.score, data.probs[0, :, 0], bootstrap=bootstrap)


def _unmatched(data: Data) -> Measured:
    a, b = (accuracy_statistic(run, data.key.gold) for run in data.runs[:2])
    return lambda bootstrap: unmatched_difference(a, b, bootstrap)


def _states(data: Data) -> Measured:
    return lambda bootstrap: representation_similarity(data.probs, bootstrap=bootstrap).estimate(0)


def _found(measured: Measured, bootstrap: Bootstrap | None = None) -> Estimate:
    return estimate(measured, bootstrap) if isinstance(measured, Statistic) else measured(bootstrap)


def _scored(data: Data) -> tuple[np.ndarray, np.ndarray]:
    both = compare(data.runs[0], data.runs[1])
    return both.agree, both.counted


def _all_rated(data: Data) -> np.ndarray:
    """Fleiss wants as many ratings of each unit: those of all four, and units without any."""
    ratings = data.ratings
    return np.where(np.isfinite(ratings).all(axis=0), ratings, np.nan)


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
    Case("percent of raters", lambda d: percent_statistic(d.ratings)),
    Case("Fleiss of raters", lambda d: fleiss_statistic(_all_rated(d))),
    Case("Gwet's AC1", lambda d: gwet_statistic(d.ratings)),
    *(
        Case(
            f"Cohen of raters, {kind}",
            lambda d, kind=kind: cohen_statistic(*d.ratings[:2], weights=kind),
            nameless=kind == "none",
        )
        for kind in WEIGHTS
    ),
    Case("bias of a rater", lambda d: bias_statistic(d.ratings, 0), symmetric=False, nameless=False),
    *(
        Case(
            f"alpha, {level}",
            lambda d, level=level: _alpha(d, level),
            nameless=level == "nominal",
            replicable=False,
        )
        for level in LEVELS
    ),
    *(
        Case(
            f"information, {name}",
            _information(name),
            symmetric=name.endswith(("_f", "means")),
            nameless=False,
        )
        for name in INFORMATION
    ),
    Case("profiles, exact", _profile("exact")),
    Case("profiles, agreement", _profile("agreement.one")),
    Case("profiles, kappa", _profile("kappa.one")),
    Case("profiles, change", _profile("change.one"), symmetric=False, nameless=False),
    *(Case(f"classifier, {name}", _classifier(name), symmetric=False, nameless=False) for name in CLASSIFIER),
    Case("tax", lambda d: tax_statistic(d.pairs), symmetric=False),
    Case("tax, first side", lambda d: side_statistics(d.pairs)[0], symmetric=False),
    Case("tax, second side", lambda d: side_statistics(d.pairs)[1], symmetric=False),
    Case("tax, lowest", lambda d: tax_bounds(d.pairs)[0], symmetric=False),
    Case("tax, highest", lambda d: tax_bounds(d.pairs)[1], symmetric=False),
    Case("unmatched difference", _unmatched, symmetric=False),
    Case("Spearman", _spearman, symmetric=False, nameless=False),
    # Two copies of an item are sentences of one meaning that count as sentences that do not match.
    Case("representations", _states, replicable=False),
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
    value = _found(case.measure(data)).value
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
    measured = case.measure(data)
    found = _found(measured, Bootstrap(200, seed=3))
    assert found.value is not None and found.low is not None and found.high is not None
    assert found.low <= found.value <= found.high
    assert found == _found(measured, Bootstrap(200, seed=3))
    assert _found(measured).low is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_measure_of_nothing_is_undefined_and_says_why(case: Case) -> None:
    runs = np.full((4, 3), MISSING, dtype=np.int32)
    key = Key(np.zeros(3, np.int32), np.full(3, 4, np.int32))
    empty = Data(runs, key, np.zeros(3), np.full((2, 3, 4), np.nan))
    found = _found(case.measure(empty), Bootstrap(50))
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
    assert found.reason


def test_scales_may_be_stretched_as_far_as_their_level_allows(data: Data) -> None:
    """Names may be any, an order any rising numbers, distances any line, ratios any unit."""
    table = data.ratings + 1.0
    stretched: dict[str, tuple[np.ndarray, ...]] = {
        "nominal": (-table, table**3, 7.0 - 2.0 * table),
        "ordinal": (table**3, np.exp(table), 3.0 * table - 100.0, -table),
        "interval": (3.0 * table - 100.0, -table),
        "ratio": (0.25 * table, 1000.0 * table),
    }
    for level, tables in stretched.items():
        value = krippendorff_alpha(table, level).value  # type: ignore[arg-type]
        for other in tables:
            assert krippendorff_alpha(other, level).value == pytest.approx(value, abs=1e-9), level  # type: ignore[arg-type]
    assert krippendorff_alpha(table**3, "interval").value != pytest.approx(
        krippendorff_alpha(table, "interval").value
    )
    for weights in WEIGHTS:
        value = estimate(cohen_statistic(*table[:2], weights=weights)).value
        for other in (5.0 - 2.0 * table, table + 40.0):
            assert estimate(cohen_statistic(*other[:2], weights=weights)).value == pytest.approx(value)
    apart = estimate(bias_statistic(table, 1)).value
    assert apart is not None
    assert estimate(bias_statistic(3.0 * table + 1.0, 1)).value == pytest.approx(3.0 * apart)
    x, y = data.score, data.probs[0, :, 0]
    assert spearman(np.exp(9 * x), -1.0 / (y + 0.1)).value == pytest.approx(spearman(x, y).value)
    assert spearman(-x, y).value == pytest.approx(-spearman(x, y).value)  # type: ignore[operator]
    assert spearman(y, x).value == pytest.approx(spearman(x, y).value)


def test_who_shared_the_work_does_not_matter_to_measures_that_do_not_ask_who_rated(data: Data) -> None:
    """One rater's units handed to two, each half of them, are the same ratings."""
    half = np.arange(ITEMS) % 2 == 0
    first, rest = data.ratings[:1], data.ratings[1:]
    split = np.vstack([np.where(half, first, np.nan), np.where(half, np.nan, first), rest])
    for make in (percent_statistic, gwet_statistic):
        assert estimate(make(split)) == estimate(make(data.ratings))
    for level in LEVELS:
        assert krippendorff_alpha(split, level) == krippendorff_alpha(data.ratings, level)
    models = data.pairs
    cut = TaxPairs(*(np.vstack([mask, mask]) for mask in models.masks[:-1]), np.vstack([models.asked & half, models.asked & ~half]))  # fmt: skip
    for pair in ((models, cut), (models, models.of_models([1, 0]))):
        for make_tax in (tax_statistic, lambda p: tax_bounds(p)[0], lambda p: tax_bounds(p)[1]):
            assert estimate(make_tax(pair[1])) == estimate(make_tax(pair[0]))
        np.testing.assert_array_equal(item_signal(pair[1]), item_signal(pair[0]))


def test_the_difference_turns_its_sign_with_its_sides(data: Data) -> None:
    one = data.pairs
    other = TaxPairs(one.second_right, one.first_right, one.second_valid, one.first_valid, one.asked)
    low, high = (estimate(bound).value for bound in tax_bounds(one))
    assert low is not None and high is not None
    assert estimate(tax_statistic(other)).value == pytest.approx(-_known(estimate(tax_statistic(one))))
    assert [estimate(bound).value for bound in tax_bounds(other)] == pytest.approx([-high, -low])
    a, b = (accuracy_statistic(run, data.key.gold) for run in data.runs[:2])
    assert _known(unmatched_difference(a, b)) == pytest.approx(-_known(unmatched_difference(b, a)))


def test_pairs_of_one_item_are_the_same_numbers_however_items_are_called(data: Data) -> None:
    items = np.arange(ITEMS) // 3
    named = np.random.default_rng(5).permutation(1000)[: ITEMS // 3][items]
    some = {"precision": data.probs[0, :, 0], "recall": data.probs[1, :, 0]}
    one, other = (information_statistics(**some, items=name) for name in (items, named))
    for name in INFORMATION:
        assert estimate(one[name]).value == pytest.approx(estimate(other[name]).value)
        assert estimate(one[name]).n == estimate(information_statistics(**some)[name]).n
    sides = data.levels[[0, 2]].T, data.levels[[1, 3]].T
    alike = [
        profile_statistics(*sides, properties=["one", "two"], items=name) for name in (None, items, named)
    ]
    for name in alike[0]:
        assert len({(_known(estimate(found[name])), found[name].n) for found in alike}) == 1
    turned = profile_statistics(*(side[:, ::-1] for side in sides), properties=["two", "one"])
    assert {name: estimate(found) for name, found in turned.items()} == {
        name: estimate(found) for name, found in alike[0].items()
    }


def test_states_may_be_turned_and_stretched_and_languages_stand_in_any_order(data: Data) -> None:
    rng = np.random.default_rng(13)
    states = rng.normal(size=(4, 20, 6)) + rng.normal(size=(1, 20, 6))
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    table = representation_similarity(states).matrix()
    longer = states * rng.uniform(0.1, 9.0, (4, 20, 1))
    np.testing.assert_allclose(representation_similarity(longer @ turn).matrix(), table, atol=1e-12)
    order = np.array([2, 0, 3, 1])
    np.testing.assert_allclose(
        representation_similarity(states[order]).matrix(), table[np.ix_(order, order)], atol=1e-12
    )


def _known(found: Estimate) -> float:
    assert found.value is not None
    return found.value


def _alike(count: int) -> Data:
    """So many items on which everybody agrees and is right, with scores at the end of their scale."""
    gold = (np.arange(count) % 2).astype(np.int32)
    probs = np.tile(np.eye(LABELS)[gold], (2, 1, 1))
    key = Key(gold, np.full(count, LABELS, np.int32))
    return Data(np.tile(gold, (4, 1)), key, np.ones(count), probs)


def _has_width(found: Estimate) -> bool:
    """True where the interval is one, or is withheld and says why."""
    if found.value is None:
        return bool(found.reason)
    if found.low is None or found.high is None:
        return "no interval" in found.reason
    return found.low <= found.value <= found.high and found.high - found.low > 1e-6


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("count", [1, 2, 3, 5, ITEMS])
def test_no_interval_is_without_width_and_each_holds_its_value(data: Data, case: Case, count: int) -> None:
    for given in (data.items(np.arange(count)), _alike(count)):
        for seed in (0, 1):
            found = _found(case.measure(given), Bootstrap(200, seed))
            assert _has_width(found), (found, seed)
            assert found == _found(case.measure(given), Bootstrap(200, seed))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_the_percentile_interval_is_that_of_counted_draws(data: Data, case: Case) -> None:
    """As drawn and reduced by hand; what makes its own interval is held against its own tests."""
    statistic = case.measure(data)
    if not isinstance(statistic, Statistic):
        return
    generator = np.random.default_rng(3)
    columns = np.column_stack([np.asarray(column, float) for column in statistic.columns])
    drawn = [generator.integers(0, len(columns), len(columns), dtype=np.uint16) for _ in range(99)]
    values = np.array([statistic.reduce(columns[rows].sum(axis=0)) for rows in drawn])
    found = estimate(statistic, Bootstrap(99, 3, interval="percentile"))
    assert (found.low, found.high) == pytest.approx(tuple(np.nanquantile(values, [0.025, 0.975])), abs=1e-12)


def test_three_of_three_prove_little() -> None:
    three = estimate(share_statistic(np.ones(3, bool), np.ones(3, bool)), Bootstrap())
    assert (three.value, three.high) == (1.0, 1.0) and three.low is not None and three.low < 0.6
    many = estimate(share_statistic(np.ones(300, bool), np.ones(300, bool)), Bootstrap())
    # Jeffreys' interval: the 2.5 % quantile of Beta(300.5, 0.5)
    assert many.low == pytest.approx(0.9917, abs=0.002)
