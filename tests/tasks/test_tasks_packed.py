"""Items that are held packed come back as they were, by place and by id."""

from __future__ import annotations

import weakref

import polars as pl
import pytest

from hesperus.tasks import packed as room
from hesperus.tasks.packed import Golds, ItemsById, PackedBytes, PackedColumn, PackedItems
from hesperus.types import Item

ITEMS = (
    Item("a", "de", {"frage": "Wie?", "text": ""}, None, None, {"subject": "law"}),
    Item("b", "de", {"frage": "Was – „so“?"}, "B", ("eins", "zwei"), {}, {"B": ("zwei", "2")}),
    Item("c", "de", {"frage": "half a pair \ud800"}, "A", ()),
    Item("d", "de", {"z": "1", "a": "2"}),
)


@pytest.fixture(params=["in memory", "in a file"])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where items are held."""
    if request.param == "in a file":
        monkeypatch.setattr(room, "_IN_MEMORY", 40)


@pytest.mark.usefixtures("place")
def test_items_come_back_as_they_were() -> None:
    packed = PackedItems(ITEMS)
    assert tuple(packed) == ITEMS
    assert len(packed) == 4
    assert [packed[place] for place in (0, 1, 2, -1)] == [ITEMS[0], ITEMS[1], ITEMS[2], ITEMS[3]]
    assert packed[1:3] == ITEMS[1:3]
    assert list(packed[3].fields) == ["z", "a"]
    assert packed == ITEMS
    assert packed == PackedItems(list(ITEMS))
    assert packed != PackedItems(ITEMS[:3])


@pytest.mark.usefixtures("place")
def test_items_are_found_by_id_in_their_order() -> None:
    by_id = ItemsById(ITEMS)
    assert list(by_id) == ["a", "b", "c", "d"]
    assert dict(by_id) == {item.id: item for item in ITEMS}
    assert "b" in by_id and "e" not in by_id
    assert by_id.get("e") is None
    assert list(by_id.values()) == list(ITEMS) and len(by_id.items()) == 4
    golds = Golds(by_id)
    assert dict(golds) == {"a": None, "b": "B", "c": "A", "d": None} and golds.get("e") is None


def test_no_items_are_no_trouble() -> None:
    assert list(PackedItems(())) == []
    assert dict(ItemsById(())) == {}


def test_the_values_of_a_column_come_back_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_AT_ONCE", 4)
    values = ["a", None, 2**70, 1.5, True, ["x", {"y": [1]}], "ü", 7, {"k": None}, "last"]
    column = PackedColumn()
    for value in values:
        column.append(value)
    assert list(column) == values == [column[row] for row in range(len(values))]
    assert [column[row] for row in (9, 0, -1, 3)] == ["last", "a", "last", 1.5] and column[2:7] == values[2:7]
    column.append("more")
    assert column[10] == "more" and column[9] == "last"
    column.fill(14)
    assert list(column) == [*values, "more", None, None, None] and column[12] is None
    with pytest.raises(IndexError):
        column[14]
    series = pl.Series([str(number) for number in range(10)])
    assert PackedColumn.of_series(series) == series.to_list()
    assert PackedColumn.of_series(series)[9] == "9"


def test_bytes_are_read_by_their_place_wherever_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_IN_MEMORY", 10)
    packed, places = PackedBytes(), [0]
    for number in range(9):
        packed.held += str(number).encode() * (number + 1)
        places.append(len(packed))
        packed.settle()
    text = "".join(str(number) * (number + 1) for number in range(9)).encode()
    assert len(packed) == len(text) == 45 and 0 < len(packed.held) < 10
    for start in places:
        for end in (place for place in places if place >= start):
            assert bytes(packed.read(start, end)) == text[start:end], (start, end)


@pytest.mark.usefixtures("place")
def test_items_are_found_in_any_order_and_doubles_are_told() -> None:
    many = [Item(f"i{number}", "de", {"frage": str(number)}) for number in range(300)]
    by_id = ItemsById(many)
    for number in (5, 6, 7, 6, 299, 0, 1, 150):
        assert by_id[f"i{number}"] == many[number] and by_id.place(f"i{number}") == number
    assert "i300" not in by_id and list(by_id.values()) == many
    packed = PackedItems(many)
    for number in (3, 4, 5, 5, 6, 2, 3, 298, 299, 0):
        assert packed.at(number) == many[number], number
    packed.append(ITEMS[0])
    assert [packed.at(number) for number in (298, 299, 300)] == [*many[298:], ITEMS[0]]
    gone = weakref.ref(packed._bytes)
    del packed
    assert gone() is None, "it goes with the last who holds it"
    with pytest.raises(KeyError):
        by_id.place("i300")
    assert not by_id.has_doubles and not ItemsById(()).has_doubles
    assert ItemsById([*many, many[40]]).has_doubles


def test_ids_with_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "hash", lambda text: len(text), raising=False)
    by_id = ItemsById(ITEMS)
    assert [by_id[name].id for name in "dbca"] == list("dbca") and "e" not in by_id
    assert not by_id.has_doubles and ItemsById([*ITEMS, ITEMS[1]]).has_doubles
