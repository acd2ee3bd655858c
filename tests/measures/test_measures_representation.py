from __future__ import annotations

import doctest
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hesperus.measures.representation as representation
from hesperus.measures import Bootstrap, draws, representation_similarity

RNG = np.random.default_rng(3)


def parallel(languages: int = 4, items: int = 30, width: int = 12) -> np.ndarray:
    """Sentences whose meaning shows through their language, less and less from language to language."""
    meaning = RNG.normal(size=(items, width))
    noise = RNG.normal(size=(languages, items, width)) * np.arange(1, languages + 1)[:, None, None]
    return (meaning + noise + 1.5).astype(np.float32)


def by_definition(a: np.ndarray, b: np.ndarray) -> float:
    """Loops over sentences and nothing else."""
    cosine = [[float(np.dot(u, v) / np.linalg.norm(u) / np.linalg.norm(v)) for v in b] for u in a]
    n = len(a)
    matching = sum(cosine[i][i] for i in range(n)) / n
    others = sum(cosine[i][j] for i in range(n) for j in range(n) if i != j) / (n * (n - 1))
    return matching - others


def test_all_pairs_are_those_of_the_definition() -> None:
    states = parallel().astype(np.float64)
    found = representation_similarity(states)
    assert [tuple(pair) for pair in found.pairs] == list(combinations(range(4), 2))
    expected = [by_definition(states[a], states[b]) for a, b in found.pairs]
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.matching - found.baseline == pytest.approx(found.value)
    assert found.mean.value == pytest.approx(np.mean(expected), abs=1e-12)
    matrix = found.matrix()
    assert np.array_equal(matrix, matrix.T, equal_nan=True) and matrix[1, 3] == found.value[4]
    assert found.low.shape == (6,) and np.isnan(found.low).all() and found.mean.low is None


def test_worked_by_hand() -> None:
    # Two sentences at right angles; the second language holds one of them still and turns the other by 60 degrees.
    first = [[2.0, 0.0], [0.0, 5.0]]
    second = [[1.0, 0.0], [np.sqrt(3) / 2, 0.5]]
    found = representation_similarity(np.array([first, second]))
    assert found.matching[0] == pytest.approx(0.75)
    assert found.baseline[0] == pytest.approx(np.sqrt(3) / 4)


def test_every_resample_is_the_measure_of_the_drawn_items() -> None:
    states = parallel(3, 25, 7)
    bootstrap = Bootstrap(60, seed=5)
    found = representation_similarity(states, bootstrap=bootstrap)
    drawn = draws(25, bootstrap)
    assert drawn is not None
    units = states / np.linalg.norm(states, axis=2, keepdims=True)
    spread = []
    for weights in np.concatenate(list(drawn.blocks())).astype(np.float64):
        row = []
        for a, b in found.pairs:
            cosine = units[a] @ units[b].T
            together = np.outer(weights, weights)
            np.fill_diagonal(together, 0.0)  # copies of one item do match
            row.append(weights @ np.diag(cosine) / weights.sum() - (together * cosine).sum() / together.sum())
        spread.append(row)
    ends = np.quantile(np.array(spread), [0.025, 0.975], axis=0)
    assert found.low == pytest.approx(ends[0], abs=1e-5)
    assert found.high == pytest.approx(ends[1], abs=1e-5)
    mean = np.quantile(np.mean(spread, axis=1), [0.025, 0.975])
    assert (found.mean.low, found.mean.high) == pytest.approx(tuple(mean), abs=1e-5)
    assert found.estimate(2).value == found.value[2] and found.estimate(2).low == found.low[2]


def test_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    states = parallel(3, 40, 6)
    states[1, 7] = 0.0
    whole = representation_similarity(states, bootstrap=Bootstrap(50))
    monkeypatch.setattr(representation, "_NUMBERS", 3 * 6 * 7)
    parts = representation_similarity(states, bootstrap=Bootstrap(50))
    assert parts.value == pytest.approx(whole.value, abs=1e-12)
    assert parts.low == pytest.approx(whole.low, abs=1e-6)


def test_states_without_a_direction_are_left_out_and_said() -> None:
    states = parallel()
    clean = representation_similarity(np.delete(states, [2, 11, 20], axis=1))
    states[1, 2] = 0.0
    states[3, 11, 4] = np.nan
    states[0, 20, 0] = np.inf
    found = representation_similarity(states, bootstrap=Bootstrap(20))
    assert found.value == pytest.approx(clean.value, abs=1e-12)
    assert (found.n, found.excluded) == (27, 3)
    assert found.estimate(0).reason == "3 with a state of zeros or of no finite numbers"
    states[0, 1:] = 0.0
    nothing = representation_similarity(states, bootstrap=Bootstrap(20))
    assert nothing.estimate(0).value is None and nothing.mean.value is None
    assert nothing.estimate(0).reason.startswith("fewer than two items to compare; 29 with")
    assert np.isnan(nothing.matrix()).all()


def test_lengths_do_not_overflow() -> None:
    states = parallel(2, 10, 5).astype(np.float64)
    expected = representation_similarity(states).value
    assert representation_similarity((states * 1e30).astype(np.float32)).value == pytest.approx(
        expected, abs=1e-6
    )
    assert representation_similarity(states * 1e-300).value == pytest.approx(expected, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(3, 9))
def test_lengths_order_and_names_do_not_matter(seed: int, languages: int, items: int) -> None:
    generator = np.random.default_rng(seed)
    states = generator.normal(size=(languages, items, 5))
    value = representation_similarity(states).matrix()
    assert np.nanmax(np.abs(value)) <= 2.0
    scaled = states * generator.uniform(0.1, 10.0, size=(languages, items, 1))
    assert np.allclose(representation_similarity(scaled).matrix(), value, equal_nan=True)
    order = generator.permutation(items)
    assert np.allclose(representation_similarity(states[:, order]).matrix(), value, equal_nan=True)
    turned = states @ np.linalg.qr(generator.normal(size=(5, 5)))[0]
    assert np.allclose(representation_similarity(turned).matrix(), value, equal_nan=True)
    swap = generator.permutation(languages)
    assert np.allclose(
        representation_similarity(states[swap]).matrix(), value[np.ix_(swap, swap)], equal_nan=True
    )
    same = representation_similarity(np.stack([states[0], states[0]]))
    assert same.matching[0] == pytest.approx(1.0)


def test_bad_shapes_are_refused() -> None:
    for shape in ((3, 4), (1, 3, 4)):
        with pytest.raises(ValueError, match="languages, items, numbers"):
            representation_similarity(np.ones(shape))


def test_the_example_runs() -> None:
    failures, tried = doctest.testmod(representation)
    assert tried and not failures


def test_the_example_in_the_docs_runs() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "representations.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(page.partition("```python\n")[2].partition("```")[0], names)
    found = names["found"]
    assert found.estimate(0).n == 50 and found.matrix().shape == (3, 3)


def test_sentences_that_share_their_states_score_exactly_nothing() -> None:
    rng = np.random.default_rng(3)
    states = np.repeat(rng.normal(size=(3, 1, 16)), 50, axis=1)
    found = representation_similarity(states)
    assert (found.value == 0.0).all() and found.mean.value == 0.0
    assert found.matching == pytest.approx(found.baseline) and not found.resampled


def test_of_one_sentence_there_is_nothing_that_does_not_match() -> None:
    found = representation_similarity(np.ones((2, 1, 4)), bootstrap=Bootstrap(20))
    assert np.isnan(found.value).all() and not found.resampled
    assert (found.mean.value, found.estimate(0).value, found.n) == (None, None, 1)
    assert "NO_INTERVAL" not in found.mean.reason and "no interval" not in found.estimate(0).reason
