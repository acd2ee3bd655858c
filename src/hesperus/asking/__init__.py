"""Asking models: request keys, the reply store, limits and budgets. No reply is ever paid for twice."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.asking.engine import ask
    from hesperus.asking.keys import request_key
    from hesperus.asking.policy import Budget, Policy, Prices
    from hesperus.asking.progress import Progress
    from hesperus.asking.spending import Spending
    from hesperus.asking.store import ReplyStore

__all__ = [
    "Budget",
    "Policy",
    "Prices",
    "Progress",
    "ReplyStore",
    "Spending",
    "ask",
    "request_key",
]

_HOME = {
    "Budget": "policy",
    "Policy": "policy",
    "Prices": "policy",
    "Progress": "progress",
    "ReplyStore": "store",
    "Spending": "spending",
    "ask": "engine",
    "request_key": "keys",
}


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(f"hesperus.asking.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
