"""Replies, token by token. Each row draws from its own generator, so that nothing else in a batch decides its reply.

Prompts are computed as a tree, and their rows join the batch; where rows have ended, others take their places. Architectures
that cannot do that are left to transformers' own loop, in batches that end with their longest reply.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np

from hesperus.errors import PermanentError
from hesperus.fingerprint import fingerprint
from hesperus.models.hf.caches import bytes_of_a_token, joined, kept_cache
from hesperus.models.hf.encoding import Encoder
from hesperus.models.hf.memory import padded
from hesperus.models.hf.runtime import Runtime
from hesperus.models.hf.trees import Tokens, common, in_order
from hesperus.types import Reply, Request

torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

DEFAULT_TOKENS = 256
"""Longest reply where the request sets no end."""

_STATES = 2 << 30
"""Bytes of keys and values that are held at a time; of an accelerator, half of what is free if that is more."""

_ENDED = 8
"""Rows are taken out, and others in, once one of so many has ended."""


@dataclass(slots=True)
class _Row:
    """A reply in the making.

    Attributes:
        prompt: Tokens of the prompt.
        request: What is asked.
        limit: Most tokens of the reply.
        tokens: Those written, a stop that ended them not among them.
        ended: Whether it ended with a stop; None while it is written.
        draw: What tokens are drawn with; None before the first.
    """

    prompt: Tokens
    request: Request
    limit: int
    tokens: list[int] = field(default_factory=list)
    ended: bool | None = None
    draw: np.random.Generator | None = None

    def random(self) -> float:
        """Draw from a generator that depends on the request alone: prompt, settings (a seed among them) and repeat."""
        if self.draw is None:
            one = self.request
            self.draw = np.random.default_rng(int(fingerprint([one.prompt, one.settings, one.repeat]), 16))
        return self.draw.random()

    def take(self, token: int, stops: frozenset[int]) -> None:
        """Add a token, or end."""
        if token in stops:
            self.ended = True
            return
        self.tokens.append(token)
        if len(self.tokens) >= self.limit:
            self.ended = False

    @property
    def length(self) -> int:
        """Tokens with held keys and values: all but the last one written."""
        return len(self.prompt) + max(0, len(self.tokens) - 1)

    @property
    def longest(self) -> int:
        """Tokens that may come to be held."""
        return len(self.prompt) + self.limit


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
    rows = [_Row(prompt, request, _limit(runtime, len(prompt), request)) for prompt, request in asked]
    if runtime.branches:
        _Writing(runtime, rows).run()
    else:
        lengths = [row.longest for row in rows]
        order, cost = padded(lengths)
        alike = None if runtime.pads else [len(row.prompt) for row in rows]
        runtime.room.run(order, cost, lambda batch: _together(runtime, [rows[i] for i in batch]), alike=alike)
    return [
        Reply(
            encoder.decode(row.tokens), "stop" if row.ended else "length", None, len(row.prompt), len(row.tokens), served_by
        )
        for row in rows
    ]  # fmt: skip


class _Writing:
    """Rows that are written together, and those that wait.

    Args:
        runtime: The model.
        rows: All of them.
    """

    def __init__(self, runtime: Runtime, rows: Sequence[_Row]) -> None:
        order, _ = in_order([row.prompt for row in rows], runtime.spine)
        self._runtime, self._stops = runtime, frozenset(runtime.stops)
        self._waiting = deque(rows[place] for place in order)
        self._active: list[_Row] = []
        self._full = False
        self._cache: Any = None
        cuda = runtime.device.type == "cuda"
        self._bytes = max(_STATES, torch.cuda.mem_get_info(runtime.device)[0] // 2 if cuda else 0)
        self._bytes_of_a_token = 1

    def run(self) -> None:
        """Write until all rows have ended.

        Raises:
            PermanentError: As of `replies`.
        """
        while self._waiting or self._active:
            ended = sum(row.ended is not None for row in self._active)
            renewed = ended * _ENDED >= max(1, len(self._active))
            # One pass over a tree of prompts may bring fewer than there is room for.
            joining = [] if self._full and not renewed else self._next()
            self._full = not joining
            work = partial(self._renew, joining) if renewed or joining else self._step
            if not self._runtime.room.fits(work):
                self._begin_anew(joining)

    def _begin_anew(self, joining: Sequence[_Row]) -> None:
        """After memory has run out: all rows wait, and half as many are written at a time."""
        active = [row for row in self._active if row.ended is None]
        count = len(active) + len(joining)
        if count <= 1:
            raise self._runtime.room.full(max(row.longest for row in (*active, *joining)))
        self._runtime.room.rows = count // 2
        self._runtime.room.tell(f"{count // 2} replies are written at a time")
        for row in (*active, *joining):
            row.tokens, row.ended, row.draw = [], None, None
        self._waiting.extendleft(reversed(active))
        self._active, self._cache, self._full = [], None, False

    def _next(self) -> list[_Row]:
        """The rows that can join: so many at a time, so many tokens to compute, so much to hold."""
        runtime = self._runtime
        staying = [row for row in self._active if row.ended is None]
        found: list[_Row] = []
        longest, new, before = max((row.longest for row in staying), default=0), 0, runtime.spine
        for row in islice(self._waiting, max(0, runtime.room.rows - len(staying))):
            longest = max(longest, row.longest)
            new += len(row.prompt) - common(before, row.prompt)
            before = row.prompt
            held = (len(staying) + len(found) + 1) * longest * self._bytes_of_a_token
            if (found and new > runtime.pack) or ((found or staying) and held > self._bytes):
                break
            found.append(row)
        return found

    def _renew(self, joining: Sequence[_Row]) -> None:
        """Take out the rows that have ended, and take others in."""
        staying = [place for place, row in enumerate(self._active) if row.ended is None]
        lengths = [self._active[place].length for place in staying]
        layers: Sequence[Any] = ()
        paths, begun = [], []
        if joining:
            prompts = [row.prompt for row in joining]
            grown = self._runtime.grow(prompts, [len(prompt) - 1 for prompt in prompts])
            self._bytes_of_a_token = bytes_of_a_token(grown.cache)
            ends = torch.as_tensor([spots[-1] for spots in grown.spots], device=grown.logits.device)
            self._take(joining, grown.logits[ends])
            begun = [place for place, row in enumerate(joining) if row.ended is None]
            paths = [grown.paths[place] for place in begun]
            layers = grown.cache.layers if begun else ()
        active = [*(self._active[place] for place in staying), *(joining[place] for place in begun)]
        cache = None
        if active:
            old = self._cache.layers if staying else ()
            cache = kept_cache(joined(old, staying, lengths, layers, paths))
        self._active, self._cache = active, cache
        for _ in joining:
            self._waiting.popleft()

    def _step(self) -> None:
        """Write one more token of every row."""
        rows = self._active
        lengths = np.array([row.length for row in rows])
        width = int(self._cache.get_seq_length()) + 1
        back = np.arange(width - 1, -1, -1)  # how far a token is from the new one

        def seen(window: int | None) -> Any:
            far = lengths if window is None else np.minimum(lengths, window - 1)
            return (back <= far[:, None])[:, None, None]

        last = np.array([[row.tokens[-1]] for row in rows])
        logits = self._runtime.attended(
            last, lengths[:, None], seen, self._cache, keep=np.zeros(1, np.int64)
        )[:, 0]
        self._take(rows, logits)

    def _take(self, rows: Sequence[_Row], logits: Any) -> None:
        """Add the next token of the rows that are written; logits of all, [rows, vocabulary]."""
        for row, token in zip(rows, _chosen(self._runtime.name, logits, rows), strict=True):
            if row.ended is None:
                row.take(token, self._stops)


def _together(runtime: Runtime, rows: Sequence[_Row]) -> None:
    """Write replies in transformers' own loop, which keeps whatever an architecture has for a cache."""
    ids, mask = runtime.rows([row.prompt for row in rows])
    limit, stops = max(row.limit for row in rows), frozenset(runtime.stops)
    config = transformers.GenerationConfig(
        do_sample=False, num_beams=1, max_new_tokens=limit, eos_token_id=runtime.stops or None, pad_token_id=runtime.padding
    )  # fmt: skip
    for row in rows:
        row.tokens, row.ended, row.draw = [], None, None

    def choose(input_ids: Any, scores: Any) -> Any:
        del input_ids
        tokens = _chosen(runtime.name, scores, rows)
        for row, token in zip(rows, tokens, strict=True):
            if row.ended is None:
                row.take(token, stops)
        return torch.full_like(scores, float("-inf")).scatter(
            1, torch.tensor(tokens, device=scores.device)[:, None], 0.0
        )

    def ended(input_ids: Any, scores: Any, **rest: Any) -> Any:
        del scores, rest
        return torch.tensor([row.ended is not None for row in rows], device=input_ids.device)

    with torch.inference_mode():
        runtime.model.generate(
            ids,
            attention_mask=mask,
            generation_config=config,
            logits_processor=[choose],
            stopping_criteria=[ended],
        )


def _chosen(name: str, logits: Any, rows: Sequence[_Row]) -> list[int]:
    """The next token of every row, from logits, [rows, vocabulary]: the likeliest, or drawn."""
    if bool(logits.isnan().any()):
        raise PermanentError(
            f"{name} gave no number for the next token; its weights or its dtype do not carry the numbers: try "
            "float32 or bfloat16",
            kind="not_finite",
        )
    tokens: list[int] = logits.argmax(-1).tolist()
    places = [
        place for place, row in enumerate(rows) if row.request.settings.temperature and row.ended is None
    ]
    if not places:
        return tokens
    settings = [rows[place].request.settings for place in places]
    real = torch.float32 if logits.device.type == "mps" else torch.float64
    heat, mass = (
        torch.tensor(values, device=logits.device, dtype=real)
        for values in (
            [one.temperature for one in settings], [1.0 if one.top_p is None else one.top_p for one in settings]
        )
    )  # fmt: skip
    chances = torch.softmax(logits[places].to(real) / heat[:, None], -1)
    if bool((mass < 1).any()):
        chances = _nucleus(chances, mass)
    sums = chances.cumsum(-1)
    drawn = torch.tensor([rows[place].random() for place in places], device=logits.device, dtype=real)
    found = torch.searchsorted(sums, (drawn * sums[:, -1])[:, None], right=True).clamp(max=sums.shape[1] - 1)
    for place, token in zip(places, found[:, 0].tolist(), strict=True):
        tokens[place] = token
    return tokens


def _nucleus(chances: Any, mass: Any) -> Any:
    """The fewest tokens that hold so much of the chances; the others get none."""
    ordered, order = chances.sort(dim=-1, descending=True, stable=True)
    ordered[ordered.cumsum(-1) - ordered >= mass[:, None]] = 0.0
    return torch.zeros_like(chances).scatter(-1, order, ordered)


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
