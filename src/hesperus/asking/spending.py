"""What a run has spent and what it holds in reserve, so that a budget is never passed."""

from __future__ import annotations

from dataclasses import dataclass

from hesperus.asking.policy import Budget, Prices
from hesperus.types import Reply, Request

OVERHEAD_TOKENS = 64
"""Allowance for what a chat template adds to a prompt."""

UNBOUNDED_REPLY = 4096
"""Tokens held in reserve for a reply whose length the request does not bound."""


@dataclass(slots=True)
class Spending:
    """What was spent. Hand the same one to several calls of ``ask`` for one budget over all of them.

    Attributes:
        requests: Requests sent, further tries included.
        tokens_in: Prompt tokens.
        tokens_out: Reply tokens.
        money: In the currency of the budget's prices.
    """

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class Hold:
    """The most that one request can cost."""

    tokens_in: int
    tokens_out: int


class Purse:
    """Spending within a budget: each request is held for at its worst, then charged what it cost.

    The worst is one token per UTF-8 byte of the prompt (byte-level vocabularies cannot need more) and the
    whole of ``max_tokens``. An endpoint that reports no usage is charged the worst.

    Args:
        budget: What may be spent.
        spending: What was spent already; added to.
    """

    def __init__(self, budget: Budget, spending: Spending) -> None:
        self._budget, self._spending = budget, spending
        self._free = Prices(0.0, 0.0)
        self._bounded = budget.tokens is not None or budget.money is not None
        self._held_tokens, self._held_money, self._holds = 0, 0.0, 0

    def hold(self, request: Request) -> Hold | None:
        """Set aside what the request may cost, and count it as sent; None if the budget would be passed."""
        budget, spent = self._budget, self._spending
        if budget.requests is not None and spent.requests >= budget.requests:
            return None
        hold = _worst(request) if self._bounded else Hold(0, 0)
        tokens = hold.tokens_in + hold.tokens_out
        money = self._prices.cost(hold.tokens_in, hold.tokens_out)
        if budget.tokens is not None:
            gone = spent.tokens_in + spent.tokens_out + self._held_tokens
            if gone + tokens > budget.tokens:
                return None
        if budget.money is not None and spent.money + self._held_money + money > budget.money:
            return None
        spent.requests += 1
        self._held_tokens += tokens
        self._held_money += money
        self._holds += 1
        return hold

    @property
    def waits(self) -> bool:
        """True while requests in flight may still give back what they hold."""
        return self._bounded and self._holds > 0

    def settle(self, hold: Hold, reply: Reply | None, *, charged: bool = True) -> None:
        """Charge what the request cost and give back the rest.

        Args:
            hold: From ``hold``.
            reply: What came back, or None.
            charged: False where a try failed in a way that no provider bills.
        """
        self._held_tokens -= hold.tokens_in + hold.tokens_out
        self._held_money -= self._prices.cost(hold.tokens_in, hold.tokens_out)
        self._holds -= 1
        if not charged:
            return
        known_in = reply.tokens_in if reply is not None else None
        known_out = reply.tokens_out if reply is not None else None
        tokens_in = hold.tokens_in if known_in is None else known_in
        tokens_out = hold.tokens_out if known_out is None else known_out
        self._spending.tokens_in += tokens_in
        self._spending.tokens_out += tokens_out
        self._spending.money += self._prices.cost(tokens_in, tokens_out)

    @property
    def _prices(self) -> Prices:
        return self._budget.prices or self._free

    def __str__(self) -> str:
        """What is spent of what, for the message that ends a run."""
        budget, spent = self._budget, self._spending
        parts = []
        if budget.requests is not None:
            parts.append(f"{spent.requests} of {budget.requests} requests")
        if budget.tokens is not None:
            parts.append(f"{spent.tokens_in + spent.tokens_out} of {budget.tokens} tokens")
        if budget.money is not None:
            parts.append(f"{spent.money:.4f} of {budget.money:g} in money")
        return ", ".join(parts)


def _worst(request: Request) -> Hold:
    prompt = request.prompt
    tokens_in = len(prompt.user.encode()) + len((prompt.system or "").encode()) + OVERHEAD_TOKENS
    if request.options is not None:
        # Scoring generates one token; endpoints that echo are sent the prompt once per option.
        calls = len(request.options)
        tokens_in = tokens_in * calls + sum(len(option.encode()) for option in request.options)
        return Hold(tokens_in, calls)
    limit = request.settings.max_tokens
    return Hold(tokens_in, UNBOUNDED_REPLY if limit is None else limit)
