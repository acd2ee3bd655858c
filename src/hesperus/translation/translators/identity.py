"""`none`: every text is its own translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from hesperus.languages import normalise
from hesperus.translation.translator import GREEDY, Decoding


class IdentityTranslator:
    """Gives texts back as they are: for answers that are in the wanted language already, or that shall be read as asked."""

    @property
    def name(self) -> str:
        """``none``."""
        return "none"

    @property
    def identity(self) -> Mapping[str, str]:
        """Nothing but its name."""
        return MappingProxyType({"translator": "none"})

    def supports(self, source: str, target: str) -> bool:
        """Every pair of languages that exist.

        Raises:
            UnknownNameError: There is no such language.
        """
        return bool(normalise(source) and normalise(target))

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        """The texts.

        Raises:
            UnknownNameError: There is no such language.
        """
        self.supports(source, target)
        return list(texts)
