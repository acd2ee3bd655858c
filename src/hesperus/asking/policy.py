"""How hard to ask, and how much may be spent. Nothing here decides a reply, so nothing here enters a key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hesperus.errors import UsageError


@dataclass(frozen=True, slots=True)
class Prices:
    """What tokens cost.

    Attributes:
        tokens_in: Price of a million prompt tokens.
        tokens_out: Price of a million reply tokens, in the same currency.
    """

    tokens_in: float
    tokens_out: float

    def __post_init__(self) -> None:
        _check("price", self.tokens_in, 0)
        _check("price", self.tokens_out, 0)

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Price of that many tokens."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent; None is without limit. Replies from the store are free.

    Attributes:
        requests: Requests sent, further tries included.
        tokens: Tokens in and out.
        money: In the currency of ``prices``, without which it is refused.
        prices: What tokens of the asked model cost.
    """

    requests: int | None = None
    tokens: int | None = None
    money: float | None = None
    prices: Prices | None = None

    def __post_init__(self) -> None:
        _check("budget of requests", self.requests, 0)
        _check("budget of tokens", self.tokens, 0)
        _check("budget of money", self.money, 0)
        if self.money is not None and self.prices is None:
            raise UsageError("a budget of money needs the model's prices per million tokens")


BatchMode = Literal["wait", "submit", "export"]
"""Submit batches and wait for them; submit and end, to be run again; or write them as files for another machine."""


@dataclass(frozen=True, slots=True)
class Batching:
    """How requests are handed over by the file.

    Attributes:
        mode: See BatchMode.
        poll: Seconds after which a batch is first looked at; then ever longer, up to a minute.
        most_requests: Most requests in one file.
        most_bytes: Most bytes of one file.
    """

    mode: BatchMode = "wait"
    poll: float = 1.0
    most_requests: int = 50_000
    most_bytes: int = 190 * 10**6


@dataclass(frozen=True, slots=True)
class Policy:
    """How a model is asked.

    Attributes:
        concurrency: Most requests in flight. The run starts lower and finds what the endpoint bears.
        retries: Further tries after the first, for failures that may pass.
        timeout: Seconds that one try may take.
        patience: Longest wait, in seconds, that an endpoint may ask for. Beyond it the run stops.
        budget: What may be spent.
        batching: Whether requests over HTTP go in batches, and how; None asks them one by one.
    """

    concurrency: int = 64
    retries: int = 8
    timeout: float = 120.0
    patience: float = 600.0
    budget: Budget = field(default_factory=Budget)
    batching: Batching | None = None

    def __post_init__(self) -> None:
        _check("concurrency", self.concurrency, 1)
        _check("retries", self.retries, 0)
        _check("timeout", self.timeout, 0.001)
        _check("patience", self.patience, 0)


def _check(name: str, value: float | None, least: float) -> None:
    if value is not None and not value >= least:
        raise UsageError(f"{name} is {value}, expected at least {least:g}")
