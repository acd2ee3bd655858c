"""Hidden states of the last token of texts, in every layer."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from hesperus.errors import PermanentError
from hesperus.models.hf.memory import padded
from hesperus.models.hf.runtime import Runtime
from hesperus.models.hf.trees import Tokens

torch: Any = import_module("torch")

_STATES = 1 << 27
"""Numbers of hidden states that are held at a time."""


def last_token_states(runtime: Runtime, texts: Sequence[Tokens], into: npt.NDArray[np.float32]) -> None:
    """Write the hidden states of the last token of each text.

    Args:
        runtime: The model.
        texts: Texts as tokens.
        into: [layers, texts, hidden], with the layers of `shape_of`; may be mapped from a file.

    Raises:
        PermanentError: A text is longer than the model's context (kind ``too_long``), or does not fit into memory.
    """
    for tokens in texts:
        if runtime.context is not None and len(tokens) > runtime.context:
            raise PermanentError(
                f"{runtime.name} reads {runtime.context} tokens; a text has {len(tokens)}", kind="too_long"
            )

    def compute(batch: Sequence[int]) -> None:
        states = _states(runtime, [texts[place] for place in batch])
        for layer, held in enumerate(states):
            into[layer, list(batch)] = held[:, -1].float().cpu().numpy()

    layers, hidden = into.shape[0], into.shape[2]
    longest = max(map(len, texts), default=1)
    lengths = [len(tokens) for tokens in texts]
    order, cost = padded(lengths, layers * hidden * longest * runtime.room.tokens // _STATES)
    runtime.room.run(order, cost, compute, alike=None if runtime.pads else lengths)


def shape_of(runtime: Runtime) -> tuple[int, int]:
    """Layers, the embeddings as the first, and numbers in a hidden state."""
    states = _states(runtime, [(runtime.stops or (0,))[:1]])
    return len(states), int(states[0].shape[-1])


def _states(runtime: Runtime, texts: Sequence[Tokens]) -> tuple[Any, ...]:
    """Hidden states of every layer, [rows, tokens, hidden] each; the output head is not computed."""
    ids, mask = runtime.rows(texts)
    with torch.inference_mode():
        out = runtime.body(ids, mask)
    states: tuple[Any, ...] | None = out.get("hidden_states")
    if states is None:
        raise PermanentError(
            f"{runtime.name} is of an architecture that shows no hidden states", kind="no_states"
        )
    return states
