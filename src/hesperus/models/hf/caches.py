"""Keys and values of rows: kept in buffers that grow in place, picked apart and put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from hesperus.models.hf.trees import Integers

torch: Any = import_module("torch")
cache_utils: Any = import_module("transformers.cache_utils")

Tensor = Any
Kept = tuple[Tensor, Tensor]
"""Keys and values of a layer, [rows, heads, tokens, width] each."""

_SPARE = 32
"""Tokens that a buffer has room for beyond what it holds, where it grows one at a time."""


class _Layer(cache_utils.DynamicLayer):  # type: ignore[misc]
    """Keys and values of a layer; one more token is written behind the others, which are not copied."""

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **rest: Any) -> Kept:
        """What transformers calls with new keys and values; all of them come back."""
        del args, rest
        if getattr(self, "_buffers", None) is None:
            self.dtype, self.device, self.is_initialized = key_states.dtype, key_states.device, True
            self.keys, self.values = key_states[:, :, :0], value_states[:, :, :0]
            self._buffers = self.keys, self.values
        used, new = self.keys.shape[2], key_states.shape[2]
        if used + new > self._buffers[0].shape[2]:
            self._buffers = tuple(
                _widened(held, used + new + (_SPARE if new == 1 else 0)) for held in (self.keys, self.values)
            )
        for buffer, states in zip(self._buffers, (key_states, value_states), strict=True):
            buffer[:, :, used : used + new] = states
        self.keys, self.values = (buffer[:, :, : used + new] for buffer in self._buffers)
        return self.keys, self.values


def kept_cache(layers: Sequence[Kept]) -> Any:
    """A cache for a pass that holds these keys and values."""
    cache = cache_utils.Cache(layer_class_to_replicate=_Layer)
    for number, (keys, values) in enumerate(layers):
        cache.update(keys, values, number)
    return cache


def picked(layers: Iterable[Any], tokens: Integers | slice) -> list[Kept]:
    """Keys and values of some tokens of the first row.

    Args:
        layers: Of a cache, or as this gives them.
        tokens: Which.
    """
    found = []
    for layer in layers:
        both = layer if isinstance(layer, tuple) else (layer.keys, layer.values)
        found.append(tuple(_of_tokens(part, tokens) for part in both))
    return found


def joined(
    layers: Sequence[Any],
    rows: Sequence[int],
    lengths: Sequence[int],
    more: Sequence[Any],
    paths: Sequence[Integers],
) -> list[Kept]:
    """Keys and values of rows of a batch and of rows of a tree, as a batch with aligned ends of rows.

    Args:
        layers: Of the batch; empty before the first.
        rows: Those of the batch that stay.
        lengths: Their tokens.
        more: Layers of the tree; may be none.
        paths: For each new row, its tokens in the tree.
    """
    new = [len(path) for path in paths]
    held, fresh = max(lengths, default=0), max(new, default=0)
    # What stands before a row is masked; any token will do.
    places = np.zeros((len(new), fresh), np.int64)
    for place, path in enumerate(paths):
        places[place, fresh - len(path) :] = path
    made: list[Kept] = []
    for number in range(max(len(layers), len(more))):
        parts = []
        for name in ("keys", "values"):
            some: Any = getattr((layers or more)[number], name)
            width = max(held, fresh)
            buffer = some.new_zeros((len(rows) + len(new), some.shape[1], width, some.shape[3]))
            if rows:
                chosen = torch.as_tensor(np.asarray(rows), device=some.device)
                buffer[: len(rows), :, width - held :] = some[:, :, some.shape[2] - held :].index_select(
                    0, chosen
                )
            if new:
                found = _of_tokens(getattr(more[number], name), places.reshape(-1))[0]
                buffer[len(rows) :, :, width - fresh :] = found.unflatten(1, places.shape).transpose(0, 1)
            parts.append(buffer)
        made.append((parts[0], parts[1]))
    return made


def bytes_of_a_token(cache: Any) -> int:
    """Bytes of keys and values that a token takes in all layers."""
    parts = [part for layer in cache.layers for part in (layer.keys, layer.values)]
    return sum(part[0, :, 0].numel() * part.element_size() for part in parts)


def _of_tokens(part: Tensor, tokens: Integers | slice) -> Tensor:
    if isinstance(tokens, slice):
        return part[:, :, tokens]
    return part[:1].index_select(2, torch.as_tensor(tokens, device=part.device))


def _widened(held: Tensor, tokens: int) -> Tensor:
    buffer = held.new_empty((*held.shape[:2], tokens, held.shape[3]))
    buffer[:, :, : held.shape[2]] = held
    return buffer
