"""Items and columns of data as MessagePack: they take little memory, and one is made anew, in a microsecond, where it is looked at."""

from __future__ import annotations

import tempfile
import weakref
from array import array
from bisect import bisect_left
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from typing import BinaryIO, overload

import msgspec
import numpy as np
import polars as pl

from hesperus.types import Item

_ENCODER, _DECODER = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Item)

_IN_MEMORY = 1 << 22
"""Bytes of items that are held in memory; of more, all lie in a temporary file."""

_AT_ONCE = 1 << 10
"""Values of a column that are packed together."""


class PackedItems(Sequence[Item]):
    """Items in their order, used by one thread at a time.

    Args:
        items: They are held packed: few in memory, many in a temporary file.
    """

    __slots__ = ("__weakref__", "_ends", "_file", "_loose", "_packed")

    def __init__(self, items: Iterable[Item]) -> None:
        # One piece, not one for each item: those would lie between what is let go, and keep its memory from being given back.
        self._packed, self._ends, self._loose = bytearray(), array("Q", [0]), dict[int, Item]()
        self._file: BinaryIO | None = None
        written = 0
        for item in items:
            try:
                _ENCODER.encode_into(item, self._packed, -1)
            except UnicodeEncodeError:  # half a surrogate pair, which is said where the item is asked
                del self._packed[self._ends[-1] - written :]
                self._loose[len(self)] = item
            self._ends.append(written + len(self._packed))
            if len(self._packed) >= _IN_MEMORY:
                written += self._written()
        if self._file is not None:
            self._written()

    def _written(self) -> int:
        try:
            return self._appended()
        except OSError as error:  # a full disk
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from error

    def _appended(self) -> int:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="hesperus-items-")  # noqa: SIM115 - closed with the items
            weakref.finalize(self, self._file.close)
        count = self._file.write(self._packed)
        self._file.flush()
        self._packed = bytearray()
        return count

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[Item]:
        return map(self._at, range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Whether another sequence holds equal items."""
        return tuple(self) == (tuple(other) if isinstance(other, PackedItems) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, place: int | slice) -> Item | tuple[Item, ...]:
        """One item, or some as a tuple."""
        places = range(len(self))[place]
        return self._at(places) if isinstance(places, int) else tuple(map(self._at, places))

    def _at(self, place: int) -> Item:
        start, end = self._ends[place], self._ends[place + 1]
        if start == end:
            return self._loose[place]
        if self._file is None:
            return _DECODER.decode(memoryview(self._packed)[start:end])
        if self._file.tell() != start:  # items are mostly read in their order
            self._file.seek(start)
        return _DECODER.decode(self._file.read(end - start))


class ItemsById(Mapping[str, Item]):
    """Items by id, in their order.

    Args:
        items: They are held packed; no two have one id.
    """

    __slots__ = ("_hashes", "_items", "_order")

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = items if isinstance(items, PackedItems) else PackedItems(items)
        # Places by the hash of the id, not ids by place: twelve bytes for each item, where a dictionary takes two hundred.
        hashes = np.fromiter((hash(item.id) for item in self._items), np.int64, len(self._items))
        order = np.argsort(hashes, kind="stable")
        self._order, self._hashes = array("I", order.astype(np.uintc)), array("q", hashes[order])

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return (item.id for item in self._items)

    def __contains__(self, item: object) -> bool:
        return self._found(item) is not None

    def __getitem__(self, item: str) -> Item:
        """The item with this id."""
        found = self._found(item)
        if found is None:
            raise KeyError(item)
        return found

    def items(self) -> ItemsView[str, Item]:
        """Ids and items, each item made once."""
        return _Pairs(self)

    def values(self) -> ValuesView[Item]:
        """The items."""
        return _Values(self)

    def _found(self, item: object) -> Item | None:
        if not isinstance(item, str):
            return None
        wanted = hash(item)
        for near in range(bisect_left(self._hashes, wanted), len(self._hashes)):
            if self._hashes[near] != wanted:
                return None
            found = self._items[self._order[near]]
            if found.id == item:
                return found
        return None


class _Pairs(ItemsView[str, Item]):
    _mapping: ItemsById

    def __iter__(self) -> Iterator[tuple[str, Item]]:
        return ((item.id, item) for item in self._mapping._items)


class _Values(ValuesView[Item]):
    _mapping: ItemsById

    def __iter__(self) -> Iterator[Item]:
        return iter(self._mapping._items)


class Golds(Mapping[str, str | None]):
    """Item id to gold.

    Args:
        items: The items of one language by id.
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Item]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __getitem__(self, item: str) -> str | None:
        """The gold of the item with this id."""
        return self._items[item].gold


class PackedColumn(Sequence[object]):
    """The values of one column of data, packed some at a time; they are mostly read in their order."""

    __slots__ = ("_held", "_last", "_parts")

    def __init__(self) -> None:
        self._parts: list[Callable[[], list[object]]] = []
        self._last: list[object] = []
        self._held: tuple[int, list[object]] = (-1, [])

    @classmethod
    def of_series(cls, series: pl.Series) -> PackedColumn:
        """The values of a series, which stays as it is."""
        column = cls()
        whole = len(series) // _AT_ONCE * _AT_ONCE
        column._parts = [series.slice(start, _AT_ONCE).to_list for start in range(0, whole, _AT_ONCE)]
        column._last = series.slice(whole).to_list()
        return column

    def append(self, value: object) -> None:
        """Add a value behind the last."""
        self._last.append(value)
        if len(self._last) == _AT_ONCE:
            self._parts.append(_packed(self._last))
            self._last, self._held = [], (-1, [])

    def fill(self, length: int) -> None:
        """Add None until there are so many values."""
        while len(self) < length:
            self.append(None)

    def __len__(self) -> int:
        return len(self._parts) * _AT_ONCE + len(self._last)

    def __eq__(self, other: object) -> bool:
        """Whether another sequence holds equal values."""
        return list(self) == (list(other) if isinstance(other, PackedColumn) else other)

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[object]:
        for part in self._parts:
            yield from part()
        yield from self._last

    @overload
    def __getitem__(self, row: int) -> object: ...
    @overload
    def __getitem__(self, row: slice) -> list[object]: ...
    def __getitem__(self, row: int | slice) -> object:
        """One value, or some as a list."""
        if isinstance(row, slice):
            return [self[place] for place in range(*row.indices(len(self)))]
        if row < 0:
            row += len(self)
        part, place = divmod(row, _AT_ONCE)
        if self._held[0] != part:
            self._held = (part, self._last if part == len(self._parts) else self._parts[part]())
        return self._held[1][place]


def _packed(values: list[object]) -> Callable[[], list[object]]:
    """What gives the values again; whole numbers beyond 64 bits, of which no packing is known, are held as they are."""
    try:
        data = _ENCODER.encode(values)
    except (OverflowError, TypeError, UnicodeEncodeError):
        return lambda: values
    return lambda: msgspec.msgpack.decode(data)
