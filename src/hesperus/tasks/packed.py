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

_IN_MEMORY = 1 << 20
"""Bytes that are held in memory; of more, the first lie in a temporary file. A study of many languages has as many of each."""

_AT_ONCE = 1 << 10
"""Values of a column that are packed together."""

_TOGETHER = 1 << 7
"""Items that are read from the file together where all are gone through."""


class PackedBytes:
    """Bytes that are added at the end and read again by their place: few in memory, many in a temporary file."""

    __slots__ = ("__weakref__", "_file", "_is_at", "_written", "held")

    def __init__(self) -> None:
        self.held = bytearray()
        self._file: BinaryIO | None = None
        self._written, self._is_at = 0, -1

    def __len__(self) -> int:
        return self._written + len(self.held)

    def settle(self) -> None:
        """Move what was added to the file where it is much."""
        if len(self.held) < _IN_MEMORY:
            return
        try:
            self._append()
        except OSError as error:  # a full disk
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from error

    def _append(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="hesperus-items-")  # noqa: SIM115 - closed with this
            weakref.finalize(self, self._file.close)
        self._file.seek(self._written)
        self._file.write(self.held)
        self._file.flush()
        self._written, self._is_at = self._written + len(self.held), -1
        self.held = bytearray()

    def read(self, start: int, end: int) -> bytes | memoryview:
        """What lies between two places; both are places at which something was added, or its end."""
        if start >= self._written:
            return memoryview(self.held)[start - self._written : end - self._written]
        assert self._file is not None, "it was written"
        if self._is_at != start:  # what is held is mostly read in its order
            self._file.seek(start)
        found = self._file.read(min(end, self._written) - start)
        self._is_at = start + len(found)
        return found if end <= self._written else found + self.held[: end - self._written]


class PackedItems(Sequence[Item]):
    """Items in their order, used by one thread at a time.

    Args:
        items: They are held packed: few in memory, many in a temporary file.
    """

    __slots__ = ("_bytes", "_ends", "_hashes", "_last", "_loose", "_order", "_rest")

    def __init__(self, items: Iterable[Item] = ()) -> None:
        # One piece, not one for each item: those would lie between what is let go, and keep its memory from being given back.
        self._bytes, self._ends, self._loose = PackedBytes(), array("Q", [0]), dict[int, Item]()
        self._hashes, self._order = array("q"), array("I")
        self._last: tuple[int, Item | None] = (-2, None)
        self._rest: Iterator[Item] | None = None
        for item in items:
            self.append(item)

    def append(self, item: Item) -> None:
        """Add an item behind the last."""
        packed = self._bytes
        try:
            _ENCODER.encode_into(item, packed.held, -1)
        except UnicodeEncodeError:  # half a surrogate pair, which is said where the item is asked
            del packed.held[len(packed.held) - len(packed) + self._ends[-1] :]
            self._loose[len(self)] = item
        self._ends.append(len(packed))
        self._hashes.append(hash(item.id))
        packed.settle()

    def by_hash(self) -> tuple[array[int], array[int]]:
        """Hashes of the ids, and places in the order of these hashes; worked out once."""
        if len(self._order) < len(self):
            self._order = array("I", np.argsort(self._hashes, kind="stable").astype(np.uintc))
        return self._hashes, self._order

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[Item]:
        return _items_from(0, self._bytes, self._ends, self._loose)

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
        return self.at(places) if isinstance(places, int) else tuple(map(self.at, places))

    def at(self, place: int) -> Item:
        """The item at a place from 0; the last one that was looked up is not made anew, those after it are read together."""
        last, found = self._last
        if last == place and found is not None:
            return found
        if last != place - 1:
            self._rest = None
        elif self._rest is None:
            self._rest = _items_from(place, self._bytes, self._ends, self._loose)
        found = None if self._rest is None else next(self._rest, None)
        if found is None:
            start, end = self._ends[place], self._ends[place + 1]
            found = self._loose[place] if start == end else _DECODER.decode(self._bytes.read(start, end))
        self._last = (place, found)
        return found


def _items_from(
    place: int, packed: PackedBytes, ends: array[int], loose: Mapping[int, Item]
) -> Iterator[Item]:
    """The packed items from one on, of which some are read together; it holds no PackedItems, which may hold it."""
    for first in range(place, len(ends) - 1, _TOGETHER):
        last = min(first + _TOGETHER, len(ends) - 1)
        start = ends[first]
        data = memoryview(bytes(packed.read(start, ends[last])))
        for here in range(first, last):
            one = data[ends[here] - start : ends[here + 1] - start]
            yield _DECODER.decode(one) if one else loose[here]


class ItemsById(Mapping[str, Item]):
    """Items by id, in their order.

    Args:
        items: They are held packed; no two have one id.
    """

    __slots__ = ("_hashes", "_items", "_near", "_order")

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = items if isinstance(items, PackedItems) else PackedItems(items)
        # Places by the hash of the id, not ids by place: twelve bytes for each item, where a dictionary takes two hundred.
        self._hashes, self._order = self._items.by_hash()
        self._near = 0

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

    def place(self, item: str) -> int:
        """Where the item with this id is among them, from 0."""
        if self._found(item) is None:
            raise KeyError(item)
        return self._near

    @property
    def has_doubles(self) -> bool:
        """Whether two of the items have one id."""
        hashes = np.asarray(self._hashes, np.int64)[np.asarray(self._order, np.uintc)]
        alike = np.isin(self._hashes, hashes[1:][np.diff(hashes) == 0])
        names = [self._items[place].id for place in np.flatnonzero(alike).tolist()]
        return len(set(names)) < len(names)

    def _found(self, item: object) -> Item | None:
        """The item with an id, whose place is then the nearest."""
        if not isinstance(item, str):
            return None
        items, near = self._items, self._near
        for place in (near, near + 1):  # mostly they are looked up in their order
            if place < len(items) and (found := items.at(place)).id == item:
                self._near = place
                return found
        wanted, hashes, order = hash(item), self._hashes, self._order
        for rank in range(bisect_left(order, wanted, key=hashes.__getitem__), len(order)):
            if hashes[order[rank]] != wanted:
                return None
            if (found := items.at(order[rank])).id == item:
                self._near = order[rank]
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
    """The values of one column of data, packed some at a time; they are mostly read in their order.

    Args:
        packed: Where they are packed, next to those of other columns; None: they alone.
    """

    __slots__ = ("_held", "_last", "_packed", "_parts")

    def __init__(self, packed: PackedBytes | None = None) -> None:
        self._packed = PackedBytes() if packed is None else packed
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
            self._parts.append(_packed(self._last, self._packed))
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


def _packed(values: list[object], into: PackedBytes) -> Callable[[], list[object]]:
    """What gives the values again; whole numbers beyond 64 bits, of which no packing is known, are held as they are."""
    try:
        data = _ENCODER.encode(values)
    except (OverflowError, TypeError, UnicodeEncodeError):
        return lambda: values
    start = len(into)
    into.held += data
    end = len(into)
    into.settle()
    return lambda: msgspec.msgpack.decode(into.read(start, end))
