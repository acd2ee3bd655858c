"""Rows as a tree: every token sees its own beginning, and nothing is there twice."""

from __future__ import annotations

import itertools
import random

import numpy as np

from hesperus.models.hf.trees import common, in_order, tree


def test_a_tree_holds_every_beginning_once_and_shows_it_to_its_rows():
    rng = random.Random(3)
    for _ in range(200):
        after = tuple(rng.choices(range(3), k=rng.randint(0, 5)))
        given = [tuple(rng.choices(range(3), k=rng.randint(1, 6))) for _ in range(rng.randint(1, 7))]
        order, new = in_order(given, after)
        assert sorted(order) == list(range(len(given)))
        rows = [given[place] for place in order]
        known = after[: rng.randint(0, common(after, rows[0]))]
        made = tree(known, rows)
        beginnings = {row[:end] for row in rows for end in range(1, len(row) + 1)}
        beginnings -= {known[:end] for end in range(len(known) + 1)}
        assert len(made.ids) == len(beginnings)
        if len(known) == common(after, rows[0]):
            assert len(made.ids) == sum(new)
        tokens = np.concatenate([np.array(known, np.int64), made.ids])
        for window in (None, 1, 3):
            seen = made.seen(window)
            for row, path in zip(rows, made.paths, strict=True):
                assert tuple(tokens[path]) == row
                assert made.positions[path].tolist() == list(range(len(row)))
                for place, token in enumerate(path):
                    if token >= len(known):
                        first = 0 if window is None else max(0, place + 1 - window)
                        assert (
                            np.flatnonzero(seen[token - len(known)]).tolist()
                            == path[first : place + 1].tolist()
                        )


def test_what_rows_have_in_common():
    for a, b in itertools.product([(), (1,), (1, 2), (1, 2, 3), (2, 2, 3), (1, 2, 4, 5)], repeat=2):
        expected = next(
            (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
        )
        assert common(a, b) == expected
