"""What was meant: reading a reply into an outcome, a label and, where the model gave them, probabilities."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.answers.numerals import number_of
    from hesperus.answers.overrides import Override, Overrides, load_overrides, reply_hash
    from hesperus.answers.reader import FORMS, PRESETS, Reader, reader_for
    from hesperus.answers.reading import answer_from_logprobs, read

__all__ = [
    "FORMS",
    "PRESETS",
    "Override",
    "Overrides",
    "Reader",
    "answer_from_logprobs",
    "load_overrides",
    "number_of",
    "read",
    "reader_for",
    "reply_hash",
]

_HOMES = {
    "FORMS": "reader",
    "PRESETS": "reader",
    "Override": "overrides",
    "Overrides": "overrides",
    "Reader": "reader",
    "answer_from_logprobs": "reading",
    "load_overrides": "overrides",
    "number_of": "numerals",
    "read": "reading",
    "reader_for": "reader",
    "reply_hash": "overrides",
}


def __getattr__(name: str) -> object:
    """Load the file in which a public name lives."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
