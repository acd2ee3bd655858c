"""Log-probabilities of options: the sum over each option's tokens, given the prompt.

What prompts and options begin with in common is computed once, as far as the architecture allows; what else is in a batch
is masked, so it changes a number by rounding only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from hesperus.errors import PermanentError
from hesperus.models.hf.encoding import Scored
from hesperus.models.hf.memory import padded
from hesperus.models.hf.runtime import Runtime
from hesperus.models.hf.trees import Tokens, in_order

torch: Any = import_module("torch")

_LOGITS = 1 << 27
"""Logits that are held at a time, as float32."""

_WORDS_OF_A_TOKEN = 1 << 15
"""Words of the vocabulary whose logits take about as much memory as a token of a small model."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row to compute.

    Attributes:
        prompt: Its tokens.
        begun: All tokens but the last of the options that follow it.
        ways: These options: place of the prompt, number of the option, its tokens.
    """

    prompt: Tokens
    begun: Tokens
    ways: list[tuple[int, int, Tokens]]


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
    (_by_tree if runtime.branches else _padded)(runtime, _rows_of(asked), sums)
    return [tuple(_finite(value, runtime.name) for value in row) for row in sums]


def _by_tree(runtime: Runtime, rows: Sequence[_Row], sums: list[list[float]]) -> None:
    """What prompts and options begin with in common is computed once."""
    tokens = [row.prompt + row.begun for row in rows]
    order, new = in_order(tokens, runtime.spine)
    # Logits of a token take about as much as a token of a small model for every so many words of the vocabulary.
    heavy = runtime.vocabulary // _WORDS_OF_A_TOKEN
    costs = [count + heavy * (len(row.begun) + 1) for count, row in zip(new, rows, strict=True)]

    def compute(batch: Sequence[int]) -> None:
        grown = runtime.grow(
            [tokens[index] for index in batch], [len(rows[index].prompt) - 1 for index in batch]
        )
        ways = [
            (spots, *way) for index, spots in zip(batch, grown.spots, strict=True) for way in rows[index].ways
        ]
        spots = torch.as_tensor(np.concatenate([spots for spots, *_ in ways]), device=grown.logits.device)
        wanted = torch.tensor([token for *_, option in ways for token in option], device=grown.logits.device)
        values = (grown.logits[spots, wanted] - grown.logits.logsumexp(-1)[spots]).double().cpu().numpy()
        ends = np.cumsum([len(option) for *_, option in ways])
        found = np.add.reduceat(values, ends - [len(option) for *_, option in ways])
        for (_, place, number, _), value in zip(ways, found.tolist(), strict=True):
            sums[place][number] = value

    runtime.room.run(order, lambda batch: sum(costs[index] for index in batch), compute, most=runtime.pack)


def _padded(runtime: Runtime, rows: Sequence[_Row], sums: list[list[float]]) -> None:
    """Each prompt with each option but its last token, from the start."""

    def compute(batch: Sequence[int]) -> None:
        held = [rows[index] for index in batch]
        ids, mask = runtime.rows([row.prompt + row.begun for row in held])
        logits = runtime.forward(ids, mask, keep=max(len(row.begun) for row in held) + 1)
        for place, row in enumerate(held):
            for question, number, option in row.ways:
                wanted = torch.tensor(option, device=logits.device)
                sums[question][number] = float(_picked(logits[place, -len(option) :], wanted).sum())

    widest = max((len(row.begun) + 1 for row in rows), default=1)
    lengths = [len(row.prompt) + len(row.begun) for row in rows]
    order, cost = padded(lengths, runtime.vocabulary * widest * runtime.room.tokens // _LOGITS)
    runtime.room.run(order, cost, compute, alike=None if runtime.pads else lengths)


def _rows_of(asked: Sequence[Scored]) -> list[_Row]:
    """What is computed: each prompt with all but the last token of each option, what is alike once."""
    rows: dict[tuple[Tokens, Tokens], _Row] = {}
    for place, one in enumerate(asked):
        for number, option in enumerate(one.options):
            if option:
                row = rows.setdefault((one.prompt, option[:-1]), _Row(one.prompt, option[:-1], []))
                row.ways.append((place, number, option))
    return list(rows.values())


def _picked(logits: Any, tokens: Any) -> Any:
    """Log-probabilities of tokens, [..., tokens], from logits, [..., tokens, vocabulary]."""
    return logits.gather(-1, tokens[..., None])[..., 0] - logits.logsumexp(-1)


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
