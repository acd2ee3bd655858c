"""κ_p against the package of its authors, on random data, soft and hard, with mixed numbers of options."""

from __future__ import annotations

import lmsim.metrics as lmsim
import numpy as np
import pytest

from hesperus.measures import HardRuns, Key, SoftRuns, bootstrap_pairs


@pytest.mark.parametrize("mixed", [True, False])
def test_kappa_p_is_that_of_its_authors(mixed: bool) -> None:
    rng = np.random.default_rng(17)
    items = 400
    options = (rng.integers(2, 7, items) if mixed else np.full(items, 4)).astype(np.int32)
    gold = (rng.random(items) * options).astype(np.int32)
    probs = rng.dirichlet(np.ones(6), (2, items)) * (np.arange(6) < options[:, None])
    probs /= probs.sum(axis=2, keepdims=True)
    rows = [[run[i, : options[i]] for i in range(items)] for run in probs]
    key = Key(gold, options)
    for soft in (True, False):
        oracle = lmsim.CAPA(prob=soft)
        hot = [[np.eye(options[i])[row.argmax()] for i, row in enumerate(run)] for run in rows]
        given = rows if soft else hot
        known = oracle.compute_k(given[0], given[1], list(gold))
        runs = SoftRuns(probs, key) if soft else HardRuns(probs.argmax(axis=2).astype(np.int32), key)
        found = bootstrap_pairs(runs, np.array([[0, 1]]))["kappa_p"].value[0]
        assert found == pytest.approx(known, abs=1e-12)
        if not soft:
            errors = bootstrap_pairs(runs, np.array([[0, 1]]), statistics=("error_consistency",))
            known = lmsim.EC().compute_k(given[0], given[1], list(gold))
            assert errors["error_consistency"].value[0] == pytest.approx(known, abs=1e-12)
