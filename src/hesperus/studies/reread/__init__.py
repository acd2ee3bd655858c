"""Reads stored replies again: another reader, better packs, corrections by hand. Asks nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

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

__getattr__, __dir__ = lazily(__name__, _HOMES)
