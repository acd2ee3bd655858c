"""Canonical JSON, hashes of it, and signatures made from dataclass fields.

A signature is built by code from every field, so that no parameter can be left out of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from itertools import repeat
from pathlib import Path

from hesperus.version import __version__

_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
_SIMPLE = frozenset((type(None), bool, int, float, str))

_TOLD_APART = frozenset((int, str, type(None)))
"""Types of which no value is equal to one of another: 1 is 1.0 and True."""
_MOST_KNOWN = 1 << 16
"""Cells of a column whose text is kept."""
_ROWS = 4096
"""Rows that are written together."""

HASH = "sha256:"
"""How the hash of a text begins."""

JSON = None | bool | int | float | str | list["JSON"] | dict[str, "JSON"]


def plain(value: object) -> JSON:
    """Turn dataclasses, mappings and sequences into what JSON can say.

    Raises:
        TypeError: The value holds something else (a set, a function, …).
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [inner if type(inner) in _SIMPLE else plain(inner) for inner in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): inner if type(inner) in _SIMPLE else plain(inner) for key, inner in value.items()}
    raise TypeError(f"{type(value).__name__} has no canonical JSON: {value!r}")


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no blanks, text as UTF-8; the same value always gives the same string.

    Raises:
        ValueError: A number is NaN or infinite.
        TypeError: See plain.
    """
    return _CANONICAL.encode(plain(value))


class JSONRows:
    """Writes rows of cells as JSON, column by column: a table of all pairs of 400 runs has 400,000 of them.

    Args:
        begins: What comes before the cell of each column.
        end: What ends a row.
        encode: JSON of any cell; asked once for each text that is different.
        floats: JSON of many floats.
    """

    def __init__(
        self,
        begins: Sequence[str],
        end: str,
        encode: Callable[[object], str],
        floats: Callable[[Sequence[float]], Sequence[str]],
    ) -> None:
        self._begins, self._end, self._encode, self._floats = begins, end, encode, floats

    def __call__(
        self, columns: Sequence[Sequence[object]], kinds: Sequence[Set[type]]
    ) -> Iterator[list[str]]:
        """A text for each row, some thousand rows at a time.

        Args:
            columns: The cells of each column, all of one length.
            kinds: The types of the cells of each.
        """
        known = [_Known(begin, self._encode) for begin in self._begins]
        for start in range(0, len(columns[0]), _ROWS):
            parts: list[Iterable[str]] = []
            for begin, cells, held, texts in zip(self._begins, columns, kinds, known, strict=True):
                here = cells[start : start + _ROWS]
                if held <= _TOLD_APART:
                    parts.append(map(texts.__getitem__, here))
                else:
                    parts += [repeat(begin), self._texts(here, held)]
            rows = zip(*parts, repeat(self._end, len(columns[0][start : start + _ROWS])), strict=False)
            yield list(map("".join, rows))

    def _texts(self, cells: Sequence[object], kinds: Set[type]) -> Iterable[str]:
        if kinds == {float}:
            return self._floats(cells)  # type: ignore[arg-type]
        if kinds == {float, type(None)}:
            texts = self._floats([0.0 if cell is None else cell for cell in cells])  # type: ignore[misc]
            return ["null" if cell is None else text for cell, text in zip(cells, texts, strict=True)]
        return map(self._encode, cells)


class _Known(dict[object, str]):
    """Cells of a column as JSON, with what comes before them; of each the text is made once."""

    def __init__(self, begin: str, encode: Callable[[object], str]) -> None:
        super().__init__()
        self._begin, self._encode = begin, encode

    def __missing__(self, cell: object) -> str:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        text = self[cell] = self._begin + self._encode(cell)
        return text


def fingerprint(value: object) -> str:
    """32 hexadecimal digits of BLAKE2b over the canonical JSON."""
    return hashlib.blake2b(canonical_json(value).encode(), digest_size=16).hexdigest()


def text_hash(text: str) -> str:
    """``sha256:…`` of a text; of such a hash, itself."""
    if text.startswith(HASH):
        return text
    return HASH + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def file_hash(path: Path) -> str:
    """BLAKE2b-128 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def signature(*settings: object) -> dict[str, JSON]:
    """Describe how a number was made: the package's version and every field of the given dataclasses.

    Args:
        settings: Dataclass instances; each appears under its class name.

    Raises:
        TypeError: An argument is no dataclass instance.
    """
    described: dict[str, JSON] = {"hesperus": __version__}
    for value in settings:
        if not is_dataclass(value) or isinstance(value, type):
            raise TypeError(f"a signature is made from dataclass instances, not {type(value).__name__}")
        described[type(value).__name__] = plain(value)
    return described
