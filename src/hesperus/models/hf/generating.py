"""Replies, token by token. Each row draws from its own generator, so that nothing else in a batch decides its reply.

transformers' own loop keeps cache, masks and positions; which token comes next is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from hesperus.errors import PermanentError
from hesperus.fingerprint import fingerprint
from hesperus.models.hf.encoding import Encoder, Tokens
from hesperus.models.hf.runtime import Runtime
from hesperus.types import Reply, Request

torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

DEFAULT_TOKENS = 256
"""Longest reply where the request sets no end."""


def replies(
    runtime: Runtime, encoder: Encoder, asked: Sequence[tuple[Tokens, Request]], served_by: str | None
) -> list[Reply]:
    """Write a reply to each prompt.

    Args:
        runtime: The model.
        encoder: Turns tokens into text.
        asked: Prompts as tokens, with their requests.
        served_by: The exact model version.

    Returns:
        Replies in the order of the prompts.

    Raises:
        PermanentError: A prompt leaves no room for a reply (kind ``too_long``), the numbers are not finite (kind
            ``not_finite``), or a row alone does not fit into memory.
    """
    limits = [_limit(runtime, len(prompt), request) for prompt, request in asked]
    made: dict[int, Reply] = {}

    def compute(batch: Sequence[int]) -> None:
        written = _written(runtime, [asked[place] for place in batch], [limits[place] for place in batch])
        for place, tokens in zip(batch, written, strict=True):
            stop = next((i for i, token in enumerate(tokens) if token in runtime.stops), None)
            kept = tokens[: limits[place] if stop is None else min(stop, limits[place])]
            stopped = stop is not None and stop < limits[place]
            made[place] = Reply(
                encoder.decode(kept),
                "stop" if stopped else "length",
                None,
                len(asked[place][0]),
                len(kept),
                served_by,
            )

    lengths = [len(prompt) + limit for (prompt, _), limit in zip(asked, limits, strict=True)]
    alike = None if runtime.pads else [len(prompt) for prompt, _ in asked]
    runtime.room.run(lengths, compute, alike=alike)
    return [made[place] for place in range(len(asked))]


def _written(
    runtime: Runtime, asked: Sequence[tuple[Tokens, Request]], limits: Sequence[int]
) -> list[list[int]]:
    """Tokens of the replies to a batch; what follows a stop or the limit has no meaning."""
    ids, mask = runtime.rows([prompt for prompt, _ in asked])
    config = transformers.GenerationConfig(
        do_sample=False,
        num_beams=1,
        max_new_tokens=max(limits),
        eos_token_id=list(runtime.stops) or None,
        pad_token_id=runtime.padding,
    )
    ends = torch.tensor(limits, device=runtime.device)
    begun = ids.shape[1]

    def ended(ids: Any, scores: Any, **rest: Any) -> Any:
        del scores, rest
        return ids.shape[1] - begun >= ends

    with torch.inference_mode():
        out = runtime.model.generate(
            ids,
            attention_mask=mask,
            generation_config=config,
            logits_processor=[_Choice(runtime, [request for _, request in asked])],
            stopping_criteria=[ended],
        )
    rows: list[list[int]] = out[:, begun:].tolist()
    return rows


class _Choice:
    """Draws the next token of the rows that sample, and leaves it as the only one; greedy rows stay as they are."""

    def __init__(self, runtime: Runtime, requests: Sequence[Request]) -> None:
        self._name = runtime.name
        self._rows = [row for row, request in enumerate(requests) if request.settings.temperature]
        drawn = [requests[row] for row in self._rows]
        self._draws = [_generator(request) for request in drawn]
        real = torch.float32 if runtime.device.type == "mps" else torch.float64
        given = {"device": runtime.device, "dtype": real}
        self._heat = torch.tensor([request.settings.temperature for request in drawn], **given)
        self._mass = torch.tensor(
            [1.0 if request.settings.top_p is None else request.settings.top_p for request in drawn], **given
        )

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """What transformers calls before each token: logits in, logits out, [rows, vocabulary]."""
        del input_ids
        if bool(scores.isnan().any()):
            raise PermanentError(
                f"{self._name} gave no number for the next token; its weights or its dtype do not carry the numbers: try "
                "float32 or bfloat16",
                kind="not_finite",
            )
        if not self._rows:
            return scores
        chances = torch.softmax(scores[self._rows].to(self._heat.dtype) / self._heat[:, None], -1)
        if bool((self._mass < 1).any()):
            chances = _nucleus(chances, self._mass)
        sums = chances.cumsum(-1)
        drawn = torch.tensor([draw.random() for draw in self._draws], device=sums.device, dtype=sums.dtype)
        chosen = torch.searchsorted(sums, (drawn * sums[:, -1])[:, None], right=True)
        chosen = chosen.clamp(max=sums.shape[1] - 1)
        left = scores.clone()
        left[self._rows] = float("-inf")
        left[torch.tensor(self._rows, device=left.device), chosen[:, 0]] = 0.0
        return left


def _nucleus(chances: Any, mass: Any) -> Any:
    """The fewest tokens that hold so much of the chances; the others get none."""
    ordered, order = chances.sort(dim=-1, descending=True, stable=True)
    ordered[ordered.cumsum(-1) - ordered >= mass[:, None]] = 0.0
    return torch.zeros_like(chances).scatter(-1, order, ordered)


def _generator(request: Request) -> np.random.Generator:
    """A generator that depends on the request alone: prompt, settings (a seed among them) and repeat."""
    return np.random.default_rng(int(fingerprint([request.prompt, request.settings, request.repeat]), 16))


def _limit(runtime: Runtime, used: int, request: Request) -> int:
    """Most tokens that a reply may have."""
    wanted = request.settings.max_tokens
    wanted = DEFAULT_TOKENS if wanted is None else max(1, wanted)
    if runtime.context is None:
        return wanted
    if used >= runtime.context:
        raise PermanentError(
            f"{runtime.name} reads {runtime.context} tokens; the prompt alone has {used}", kind="too_long"
        )
    return min(wanted, runtime.context - used)
