"""Reads stored replies again: another reader, better packs, corrections by hand. Asks nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.studies.reread.readers import language_of
    from hesperus.studies.reread.reading import RereadCounts, reread
    from hesperus.studies.reread.rows import read_replies

__all__ = ["RereadCounts", "language_of", "read_replies", "reread"]

_HOMES = {
    "RereadCounts": "reading",
    "language_of": "readers",
    "read_replies": "rows",
    "reread": "reading",
}


def __getattr__(name: str) -> object:
    """Load the file in which a public name lives."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
