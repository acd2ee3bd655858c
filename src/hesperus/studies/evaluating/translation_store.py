"""Translated documents by all that decides them, in a file that outlives the run: nothing is translated twice.

A translation is committed as soon as it is made, so a run that is killed goes on after the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from hesperus.asking.keyed_store import KeyedStore
from hesperus.asking.sources import StoreKind
from hesperus.errors import StoreError
from hesperus.fingerprint import canonical_json
from hesperus.translation import Translated

TRANSLATIONS = StoreKind(
    called="store of translations",
    application_id=0x68657374,
    version=1,
    table="translations",
    value="made",
    tables=("CREATE TABLE translations (key TEXT PRIMARY KEY, made TEXT NOT NULL) STRICT",),
    differs="true",
    copying=(
        "INSERT INTO main.translations (key, made) SELECT key, made FROM source.translations "
        "WHERE json_valid(made) ON CONFLICT (key) DO NOTHING",
    ),
)
"""What a store of translations is; see StoreKind."""


class TranslationStore(KeyedStore):
    """Translations by key; see KeyedStore."""

    def __init__(self, path: Path | str, base: Path | None = None) -> None:
        super().__init__(TRANSLATIONS, path, base)

    def find(self, keys: Sequence[str]) -> dict[str, Translated]:
        """The stored translations among these keys."""
        try:
            return {key: msgspec.json.decode(made, type=Translated) for key, made in self.values(keys)}
        except ValueError as error:
            raise StoreError(
                f"{self.path}: a translation cannot be read ({error}); remove the file"
            ) from None

    def keep(self, key: str, made: Translated) -> None:
        """Keep a translation; it is in the file when this returns."""
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO translations (key, made) VALUES (?, ?)", (key, canonical_json(made))
            )
