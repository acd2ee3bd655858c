"""Rows as a tree: every token sees its own beginning, and nothing is there twice."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hf_checkpoints import by_hand, make, torch

from hesperus.models import Loading, ModelOptions
from hesperus.models.hf import HfModel, tree_attention
from hesperus.models.hf.tree_attention import rows_of
from hesperus.models.hf.trees import common, in_order, tree
from hesperus.types import Prompt, Request


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
        rows_as_the_mask_shows_them(made, len(known))


def rows_as_the_mask_shows_them(made, known):
    """Each new token is in one row, whose tokens up to it are all that the mask lets it see."""
    seen, held, at = made.seen(), rows_of(made), []
    for row, (start, end) in enumerate(itertools.pairwise(held.starts)):
        path = held.keys[held.key_starts[row] : held.key_starts[row + 1]]
        assert path[start - end :].tolist() == list(range(known + start, known + end))
        for token in range(start, end):
            assert np.flatnonzero(seen[token]).tolist() == path[: len(path) + token + 1 - end].tolist()
        at += range(start, end)
    assert at == list(range(len(made.ids)))


def row_by_row(query, keys, values, starts, key_starts, most, most_keys, *, scale, window_size):
    """What flash attention computes on a GPU, where tests have none: each row by itself, its ends aligned."""
    left, right = window_size
    assert right == 0
    out = torch.empty_like(query)
    for (start, end), (first, last) in zip(
        itertools.pairwise(starts.tolist()), itertools.pairwise(key_starts.tolist()), strict=True
    ):
        assert 0 < end - start <= most and last - first <= most_keys
        back = torch.arange(last - first) - torch.arange(last - first - (end - start), last - first)[:, None]
        seen = (back <= 0) & ((left < 0) | (back >= -left))
        parts = (
            part[a:b].transpose(0, 1)
            for part, a, b in ((query, start, end), (keys, first, last), (values, first, last))
        )
        found = torch.nn.functional.scaled_dot_product_attention(
            *parts, attn_mask=seen, scale=scale, enable_gqa=True
        )
        out[start:end] = found.transpose(0, 1)
    return out


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "mistral", "gemma3"])
def test_rows_by_themselves_give_what_a_mask_gives(architecture, tmp_path, monkeypatch):
    folder = make(tmp_path / "m", architecture)
    made = HfModel(f"hf/{folder}", ModelOptions(loading=Loading(device="cpu")))
    begun = "Paris is a city in France. " * 2
    requests = [
        Request("x", Prompt(begun + text), options=(" A", " yes", " no, never"))
        for text in ("Why? ", "Why is it so? ", "Where? ")
    ]
    made.replies(requests[:1])
    monkeypatch.setattr(tree_attention, "_kernel", lambda: row_by_row)
    made._runtime._try_by_rows()
    assert made._runtime.by_rows
    for request, reply in zip(requests, made.replies(requests), strict=True):
        expected = by_hand(folder, request.prompt.user, request.options)
        assert reply.option_logprobs == pytest.approx(expected, abs=1e-4)


def test_a_kernel_that_gives_something_else_is_not_used(tmp_path, monkeypatch):
    folder = make(tmp_path / "m")
    made = HfModel(f"hf/{folder}", ModelOptions(loading=Loading(device="cpu")))
    request = Request("x", Prompt("Why? "), options=(" A", " no, never"))
    made.replies([request])
    monkeypatch.setattr(tree_attention, "_kernel", lambda: lambda query, *rest, **given: query)
    made._runtime._try_by_rows()
    assert not made._runtime.by_rows
    assert made.replies([request])[0].option_logprobs == pytest.approx(
        by_hand(folder, "Why? ", request.options), abs=1e-4
    )


def test_what_rows_have_in_common():
    for a, b in itertools.product([(), (1,), (1, 2), (1, 2, 3), (2, 2, 3), (1, 2, 4, 5)], repeat=2):
        expected = next(
            (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
        )
        assert common(a, b) == expected
