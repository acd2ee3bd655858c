"""Translations that are there already: looked up in a file, or the text itself.

Columns: ``source`` and ``target`` (language tags in any style), ``translation``, and ``text`` (what was translated), or
``item`` (the item's id), or both. CSV, TSV, JSONL and Parquet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from hesperus.errors import DataError, PermanentError, UnknownNameError, UsageError
from hesperus.fingerprint import file_hash
from hesperus.languages import normalise
from hesperus.tables import read_table
from hesperus.translation.codes import unsupported
from hesperus.translation.translator import GREEDY, Decoding

if TYPE_CHECKING:
    import polars as pl


def with_content(name: str, texts: Sequence[str]) -> list[int]:
    """Places of the texts that hold more than white space, from 0; the others stay as they are.

    Half of a surrogate pair is refused.
    """
    for number, text in enumerate(texts):
        # isascii is much quicker than encoding, and most texts that are long enough to matter in time pass it.
        if not text.isascii():
            try:
                text.encode("utf-8")
            except UnicodeEncodeError as error:
                raise PermanentError(
                    f"{name}: text {number + 1} of {len(texts)} holds half of a surrogate pair at character "
                    f"{error.start + 1}; it was decoded wrongly",
                    kind="bad_text",
                ) from error
    return [number for number, text in enumerate(texts) if text and not text.isspace()]


_NEEDED = ("source", "target", "translation")
_Key = tuple[str, str, str]


class FileTranslator:
    """Looks translations up.

    Args:
        path: The file.

    Raises:
        DataError: It cannot be read, lacks a column, or gives one text two translations.
    """

    def __init__(self, path: Path) -> None:
        table = _table(path)
        self.name = f"file/{path.name}"
        self.identity: Mapping[str, str] = MappingProxyType(
            {"translator": "file", "content": file_hash(path)}
        )
        self._by_text = _looked_up(path, table, "text")
        self._by_item = _looked_up(path, table, "item")
        keys = self._by_text or self._by_item
        self._pairs = frozenset((source, target) for source, target, _ in keys)

    def supports(self, source: str, target: str) -> bool:
        """Whether the file holds any translation of this pair."""
        return (normalise(source), normalise(target)) in self._pairs

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        """Look up each text; see hesperus.translation.Translator."""
        if not self._by_text:
            raise UsageError(f"{self.name} names items and no texts: it can be asked by item only")
        return self._found(self._by_text, texts, texts, (source, target))

    def translate_items(
        self, items: Sequence[str], texts: Sequence[str], source: str, target: str
    ) -> Sequence[str]:
        """Look up translations by item id."""
        if not self._by_item:
            raise UsageError(f"{self.name} has no column item: it can be asked by text only")
        if len(items) != len(texts):
            raise ValueError(f"{len(items)} items have {len(texts)} texts")
        return self._found(self._by_item, items, texts, (source, target))

    def _found(
        self, held: Mapping[_Key, str], keys: Sequence[str], texts: Sequence[str], pair: tuple[str, str]
    ) -> Sequence[str]:
        if not self.supports(*pair):
            has = ", ".join(f"{source} to {target}" for source, target in sorted(self._pairs)[:8])
            raise unsupported(self.name, *pair, has or "nothing")
        source, target = map(normalise, pair)
        done = list(texts)
        missing = []
        for place in with_content(self.name, texts):
            found = held.get((source, target, keys[place]))
            if found is None:
                missing.append(place)
            else:
                done[place] = found
        if missing:
            raise PermanentError(
                f"{self.name} lacks {len(missing)} of {len(texts)} translations from {source} to {target}, the first "
                f"of {keys[missing[0]][:80]!r}",
                kind="missing",
            )
        return done


def _table(path: Path) -> pl.DataFrame:
    """The file's columns that matter, as text."""
    import polars as pl

    table = read_table(path)
    known = [name for name in (*_NEEDED, "text", "item") if name in table.columns]
    lacking = [name for name in _NEEDED if name not in known]
    if lacking or not {"text", "item"} & set(known):
        raise DataError(
            f"lacks the column {', '.join(lacking) or 'text or item'}; it has {', '.join(table.columns) or 'none'}",
            file=path,
        )
    return table.select(pl.col(known).cast(pl.String))


def _looked_up(path: Path, table: pl.DataFrame, by: str) -> dict[_Key, str]:
    """Translations by source, target and text or item; rows without a translation are as good as absent."""
    if by not in table.columns:
        return {}
    found: dict[_Key, str] = {}
    tags: dict[str, str] = {}
    for row, values in enumerate(table.select("source", "target", by, "translation").iter_rows(), start=1):
        source, target, key, translation = values
        if translation is None or key is None:
            continue
        for field, tag in (("source", source), ("target", target)):
            if tag not in tags:
                try:
                    tags[tag] = normalise(tag)
                except UnknownNameError as error:
                    raise DataError(str(error), file=path, line=row, field=field) from error
        at = (tags[source], tags[target], key)
        if found.setdefault(at, translation) != translation:
            raise DataError(
                f"a second translation of {key[:60]!r} from {source} to {target}, other than the first",
                file=path,
                line=row,
            )
    return found


class IdentityTranslator:
    """Gives texts back as they are: for answers that are in the wanted language already, or that shall be read as asked."""

    name = "none"
    identity: Mapping[str, str] = MappingProxyType({"translator": "none"})

    def supports(self, source: str, target: str) -> bool:
        """Every pair of languages that exist."""
        return bool(normalise(source) and normalise(target))

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        """The texts."""
        self.supports(source, target)
        return list(texts)
