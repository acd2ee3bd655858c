"""Items in another sense: every field and every option is a text of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from hesperus.errors import SenseError
from hesperus.senses.choice_options import clean_option
from hesperus.types import Item

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GAP = re.compile(r"<mask>|\[MASK\]|_{2,}|(?<!\S)_(?!\S)")


def item_texts(item: Item) -> tuple[str, ...]:
    """The texts of an item that a maker is given, each once: its fields in their order, then its options."""
    return tuple(
        dict.fromkeys(text for text in (*item.fields.values(), *(item.options or ())) if text.strip())
    )


def remake_item(item: Item, made: Mapping[str, str], language: str) -> Item:
    """The same item from made texts; id, gold, groups and the order of fields and options stay.

    Args:
        item: The original.
        made: Original text to made text.
        language: BCP-47 tag of the made texts.

    Raises:
        SenseError: A text was not made, came back empty, lost the gap that is to be filled (``<mask>``, ``_``), or
            came back with its option letter doubled.
    """
    fields = {name: _made(item, name, text, made) for name, text in item.fields.items()}
    options = None
    if item.options is not None:
        try:
            options = tuple(
                clean_option(_made(item, f"option {letter}", text, made), text, letter)
                for letter, text in zip(_LETTERS, item.options, strict=False)
            )
        except SenseError as error:
            raise SenseError(f"item {item.id!r}: {error}") from None
        if len(options) != len(item.options):
            raise SenseError(f"item {item.id!r}: {len(item.options)} options, letters for {len(_LETTERS)}")
    return replace(item, language=language, fields=fields, options=options)


def _made(item: Item, name: str, text: str, made: Mapping[str, str]) -> str:
    if not text.strip():
        return text
    if text not in made:
        raise SenseError(f"item {item.id!r}, {name}: nothing was made of {text!r}")
    result = made[text]
    if not result.strip():
        raise SenseError(f"item {item.id!r}, {name}: {text!r} came back empty")
    if len(_GAP.findall(text)) != len(_GAP.findall(result)):
        raise SenseError(
            f"item {item.id!r}, {name}: the gap to be filled was lost or doubled: {result!r} from {text!r}"
        )
    return result
