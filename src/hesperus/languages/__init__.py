"""Language tags in any style, and the words that each language needs: labels, letters, digits, cues, requests.

The parts are loaded when they are first used; importing this room costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.languages.checking import Finding, check
    from hesperus.languages.requests import naturalise_request, paraphrase_request, translation_request
    from hesperus.languages.tags import Language, language, languages, normalise
    from hesperus.languages.wordings import Pack, pack, packs, read_pack

__all__ = [
    "Finding",
    "Language",
    "Pack",
    "check",
    "language",
    "languages",
    "naturalise_request",
    "normalise",
    "pack",
    "packs",
    "paraphrase_request",
    "read_pack",
    "translation_request",
]

_HOMES = {
    "Finding": "checking",
    "Language": "tags",
    "Pack": "wordings",
    "check": "checking",
    "language": "tags",
    "languages": "tags",
    "naturalise_request": "requests",
    "normalise": "tags",
    "pack": "wordings",
    "packs": "wordings",
    "paraphrase_request": "requests",
    "read_pack": "wordings",
    "translation_request": "requests",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
