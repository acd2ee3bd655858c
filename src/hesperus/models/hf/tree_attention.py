"""Attention over a tree row by row: the new tokens of each row see the row's own tokens, by flash attention of torch.

With a mask, attention is computed between all tokens of a tree, which grows with their square. Row by row it does not, so that
a pass can have many more tokens; for that, keys and values that several rows begin with are copied for each of them. It needs
CUDA and half precision. `hesperus.models.hf.runtime` tries it on a model's own weights before it is used.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from hesperus.models.hf.trees import Tree

torch: Any = import_module("torch")
modeling_utils: Any = import_module("transformers.modeling_utils")
masking_utils: Any = import_module("transformers.masking_utils")
sdpa_attention: Any = import_module("transformers.integrations.sdpa_attention")

NAME, GIVEN = "hesperus_rows", "tree_rows"
"""Of this attention among those of transformers; of the argument that a model's layers hand on to it."""

Tensor = Any


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a tree that have new tokens: arrays, or tensors on a device as the kernel takes them.

    Attributes:
        keys: Numbers of the tokens of each row among known and new ones, one row after the other, [sum of lengths].
        starts: Where the new tokens of each row begin among new ones, and the end of the last, [rows + 1].
        key_starts: The same of `keys`.
        most: New tokens of the row that has most.
        most_keys: Tokens of the longest row.
    """

    keys: Any
    starts: Any
    key_starts: Any
    most: int
    most_keys: int

    def on(self, device: Any) -> Rows:
        """The same on a device."""
        parts = self.keys, self.starts, self.key_starts
        keys, starts, key_starts = (torch.as_tensor(part, device=device) for part in parts)
        return Rows(keys, starts, key_starts, self.most, self.most_keys)


def rows_of(made: Tree) -> Rows:
    """The rows of a tree. New tokens stand in the order of the rows, and those of a row at its end."""
    known = len(made.ends) - len(made.ids)
    count, starts, paths = known, [0], []
    for path in made.paths:
        if len(path) and path[-1] >= count:
            count = int(path[-1]) + 1
            starts.append(count - known)
            paths.append(path)
    lengths = [len(path) for path in paths]
    return Rows(
        np.concatenate(paths),
        np.array(starts, np.int32),
        np.cumsum([0, *lengths]).astype(np.int32),
        int(np.diff(starts).max()),
        max(lengths),
    )


def use(model: Any) -> Callable[[], None]:
    """Let a model compute its attention here. What comes without rows goes where it went before.

    Returns:
        Undoes it.

    Raises:
        NotImplementedError: This torch has no such kernel, or the model computes attention in another way than torch's own.
    """
    if _kernel() is None or model.config._attn_implementation != "sdpa":  # noqa: SLF001
        raise NotImplementedError
    modeling_utils.AttentionInterface.register(NAME, _attention)
    masking_utils.AttentionMaskInterface.register(NAME, masking_utils.sdpa_mask)
    model.set_attn_implementation(NAME)
    return lambda: model.set_attn_implementation("sdpa")


def _attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **given: Any
) -> tuple[Tensor, None]:
    """What transformers calls in each layer: [1, heads, tokens, width] each; gives [1, tokens, heads, width]."""
    rows: Rows | None = given.pop(GIVEN, None)
    if rows is None:
        found = sdpa_attention.sdpa_attention_forward(module, query, key, value, attention_mask, **given)
        return found[0], None
    if any(given.get(name) is not None for name in ("softcap", "s_aux", "position_bias")):
        raise NotImplementedError
    kernel = _kernel()
    assert kernel is not None
    window = given.get("sliding_window")
    there = rows.keys.to(key.device)
    keys, values = (part[0].transpose(0, 1).index_select(0, there) for part in (key, value))
    out = kernel(
        query[0].transpose(0, 1),
        keys,
        values,
        rows.starts.to(key.device),
        rows.key_starts.to(key.device),
        rows.most,
        rows.most_keys,
        scale=given.get("scaling"),
        window_size=(-1 if window is None else window - 1, 0),
    )
    return out[None], None


@cache
def _kernel() -> Callable[..., Tensor] | None:
    """Attention over rows of several lengths; None where this torch has none that takes windows."""
    try:
        found = import_module("torch.nn.attention.varlen").varlen_attn
    except (ImportError, AttributeError):
        return None
    takes = inspect.signature(found).parameters
    if not {"scale", "window_size"} <= set(takes):
        return None

    def shared(query: Tensor, keys: Tensor, values: Tensor, *rest: Any, **given: Any) -> Tensor:
        if query.shape[1] != keys.shape[1]:
            if "enable_gqa" in takes:
                given["enable_gqa"] = True
            else:
                times = query.shape[1] // keys.shape[1]
                keys, values = (part.repeat_interleave(times, 1) for part in (keys, values))
        return found(query, keys, values, *rest, **given)

    return shared
