"""Items that are held packed come back as they were, by place and by id."""

from __future__ import annotations

from hesperus.tasks.packed import ItemsById, PackedItems
from hesperus.types import Item

ITEMS = (
    Item("a", "de", {"frage": "Wie?", "text": ""}, None, None, {"subject": "law"}),
    Item("b", "de", {"frage": "Was – „so“?"}, "B", ("eins", "zwei"), {}, {"B": ("zwei", "2")}),
    Item("c", "de", {"frage": "half a pair \ud800"}, "A", ()),
    Item("d", "de", {"z": "1", "a": "2"}),
)


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


def test_items_are_found_by_id_in_their_order() -> None:
    by_id = ItemsById(ITEMS)
    assert list(by_id) == ["a", "b", "c", "d"]
    assert dict(by_id) == {item.id: item for item in ITEMS}
    assert "b" in by_id and "e" not in by_id
    assert by_id.get("e") is None


def test_no_items_are_no_trouble() -> None:
    assert list(PackedItems(())) == []
    assert dict(ItemsById(())) == {}
