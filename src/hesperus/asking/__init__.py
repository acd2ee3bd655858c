"""Asking models: request keys, the reply store, limits and budgets. No reply is ever paid for twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.asking.engine import ask, ask_in_parts, held
    from hesperus.asking.keys import request_key
    from hesperus.asking.policy import Batching, Budget, Policy, Prices
    from hesperus.asking.progress import Progress
    from hesperus.asking.spending import Spending
    from hesperus.asking.store import ReplyStore

__all__ = [
    "Batching",
    "Budget",
    "Policy",
    "Prices",
    "Progress",
    "ReplyStore",
    "Spending",
    "ask",
    "ask_in_parts",
    "held",
    "request_key",
]

__getattr__, __dir__ = lazily(__name__)
