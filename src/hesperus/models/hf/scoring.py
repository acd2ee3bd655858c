"""Log-probabilities of options: the sum over each option's tokens, given the prompt.

The prompt is computed once for all its options. What a row shares with a longer row next to it is padding, which is
masked, so a batch changes a number by rounding only.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from hesperus.errors import PermanentError
from hesperus.models.hf.encoding import Scored, Tokens
from hesperus.models.hf.runtime import Runtime

torch: Any = import_module("torch")

_LOGITS = 1 << 27
"""Logits that are held at a time, as float32."""


def option_logprobs(runtime: Runtime, asked: Sequence[Scored]) -> list[tuple[float, ...]]:
    """Natural-log probability of every option after its prompt; of an empty option it is 0.

    Args:
        runtime: The model.
        asked: Prompts with their options.

    Returns:
        For each prompt the numbers of its options, in their order.

    Raises:
        PermanentError: A prompt with an option is longer than the model's context (kind ``too_long``), a number is not
            finite (kind ``not_finite``), or a row alone does not fit into memory.
    """
    for one in asked:
        _check_length(runtime, one)
    sums: list[list[float]] = [[0.0] * len(one.options) for one in asked]
    if runtime.continues:
        _from_cache(runtime, asked, sums)
    else:
        _from_the_start(runtime, asked, sums)
    return [tuple(_finite(value, runtime.name) for value in row) for row in sums]


def _from_cache(runtime: Runtime, asked: Sequence[Scored], sums: list[list[float]]) -> None:
    """Prompts once, then the rest of every option of more than one token after its cached prompt."""
    most = max((_rows_after(one) for one in asked), default=0)

    def compute(batch: Sequence[int]) -> None:
        ids, mask = runtime.rows([asked[place].prompt for place in batch])
        after = [
            (row, number, option)
            for row, place in enumerate(batch)
            for number, option in enumerate(asked[place].options)
            if len(option) > 1
        ]
        done = runtime.forward(ids, mask, keep=1, caching=bool(after))
        made = [list(sums[place]) for place in batch]
        _add_first(done.logits[:, 0], [asked[place] for place in batch], made)
        if after:
            _add_rest(runtime, (mask, done.cache), after, made)
        for place, row in zip(batch, made, strict=True):
            sums[place] = row

    widest = max((len(option) for one in asked for option in one.options), default=1)
    rows = max(1, _LOGITS // (runtime.vocabulary * max(1, most) * widest))
    runtime.room.run([len(one.prompt) for one in asked], compute, width=1 + most, rows=rows)


def _add_first(logits: Any, asked: Sequence[Scored], made: list[list[float]]) -> None:
    """Add the log-probability of the first token of every option."""
    spots = [
        (row, number, option[0])
        for row, one in enumerate(asked)
        for number, option in enumerate(one.options)
        if option
    ]
    rows = torch.tensor([row for row, _, _ in spots], device=logits.device, dtype=torch.long)
    tokens = torch.tensor([token for _, _, token in spots], device=logits.device, dtype=torch.long)
    values = (logits[rows, tokens] - logits.logsumexp(-1)[rows]).tolist()
    for (row, number, _), value in zip(spots, values, strict=True):
        made[row][number] = value


def _add_rest(
    runtime: Runtime,
    cached: tuple[Any, Any],
    after: Sequence[tuple[int, int, Tokens]],
    made: list[list[float]],
) -> None:
    """Add the log-probabilities of all further tokens of the options of more than one."""
    mask, cache = cached
    origins = torch.tensor([row for row, _, _ in after], device=runtime.device)
    cache.batch_select_indices(origins)
    ids, there = runtime.tails([option[:-1] for _, _, option in after])
    wanted, _ = runtime.tails([option[1:] for _, _, option in after])
    logits = runtime.forward(
        ids, torch.cat([mask[origins], there], dim=1), keep=ids.shape[1], cache=cache
    ).logits
    values = (_picked(logits, wanted) * there).sum(-1).tolist()
    for (row, number, _), value in zip(after, values, strict=True):
        made[row][number] += value


def _from_the_start(runtime: Runtime, asked: Sequence[Scored], sums: list[list[float]]) -> None:
    """Whole rows, for architectures with a cache that cannot be continued: each prompt with each option but its last token."""
    rows = list(
        dict.fromkeys(
            (place, option[:-1]) for place, one in enumerate(asked) for option in one.options if option
        )
    )

    def compute(batch: Sequence[int]) -> None:
        held = [rows[index] for index in batch]
        longest = max(len(begun) for _, begun in held) + 1
        ids, mask = runtime.rows([asked[place].prompt + begun for place, begun in held])
        logits = runtime.forward(ids, mask, keep=longest).logits
        for row, (place, begun) in enumerate(held):
            for number, option in enumerate(asked[place].options):
                if option and option[:-1] == begun:
                    wanted = torch.tensor(option, device=runtime.device)
                    sums[place][number] = float(_picked(logits[row, -len(option) :], wanted).sum())

    widest = max((len(begun) + 1 for _, begun in rows), default=1)
    lengths = [len(asked[place].prompt) + len(begun) for place, begun in rows]
    fitting = max(1, _LOGITS // (runtime.vocabulary * widest))
    runtime.room.run(lengths, compute, rows=fitting, alike=None if runtime.pads else lengths)


def _picked(logits: Any, tokens: Any) -> Any:
    """Log-probabilities of tokens, [..., tokens], from logits, [..., tokens, vocabulary]."""
    return logits.gather(-1, tokens[..., None])[..., 0] - logits.logsumexp(-1)


def _rows_after(one: Scored) -> int:
    return sum(len(option) > 1 for option in one.options)


def _check_length(runtime: Runtime, one: Scored) -> None:
    longest = len(one.prompt) + max((len(option) for option in one.options), default=0)
    if runtime.context is not None and longest > runtime.context:
        raise PermanentError(
            f"{runtime.name} reads {runtime.context} tokens; prompt and option have {longest}",
            kind="too_long",
        )


def _finite(value: float, name: str) -> float:
    if value != value or value in (float("inf"), float("-inf")):
        raise PermanentError(
            f"{name} gave {value} for the log-probability of an option; its weights or its dtype do not carry the "
            "numbers: try float32 or bfloat16",
            kind="not_finite",
        )
    return value
