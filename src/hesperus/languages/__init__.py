"""Language tags in any style, and the words that each language needs: labels, letters, digits, cues, requests.

The parts are loaded when they are first used; importing this room costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.languages.checking import Finding, check
    from hesperus.languages.identification import (
        TextLanguage,
        are_alike,
        identified_languages,
        identify,
        is_identified,
        text_language,
    )
    from hesperus.languages.replies import compared_reply, language_asked, reply_language
    from hesperus.languages.requests import naturalise_request, paraphrase_request, translation_request
    from hesperus.languages.tags import Language, language, languages, normalise
    from hesperus.languages.wordings import Pack, pack, pack_or_none, packs, read_pack

__all__ = [
    "Finding", "Language", "Pack", "TextLanguage", "are_alike", "check", "compared_reply",
    "identified_languages", "identify", "is_identified", "language", "language_asked", "languages",
    "naturalise_request", "normalise", "pack", "pack_or_none", "packs", "paraphrase_request", "read_pack", "reply_language",
    "text_language", "translation_request",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
