"""Layouts: a strict little template language for prompts.

======================  =====================================================================================
``{prefix}``            the instruction's prefix
``{suffix}``            the instruction's suffix
``{NAME}``              a field of the item, exactly as it is
``{NAME.word}``         the word that announces it; where NAME is a group of the item instead of a field, the
                        word for its value, which the instruction keeps under ``NAME=VALUE``
``{NAME|FILTER}``       a field through a filter; there is one filter, ``capitalise_question``
``{option.A}``          the text of one option
``{options}``           one line for each option: ``A. text``
``{{`` and ``}}``       braces
======================  =====================================================================================

Values are put in as they are and never read again, so braces in a text do no harm. Where a part of the instruction is
empty, the blank or line break next to it goes too. A colon right behind ``{NAME.word}`` is written as the language of the
instruction writes it: ``Question :`` in French, ``问题：`` in Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from hesperus.errors import DataError, SenseError, UnknownNameError
from hesperus.types import Instruction, Item

_TOKEN = re.compile(r"\{\{|\}\}|\{[^{}]*\}|[{}]")
_SLOT = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?:\.(?P<part>[A-Za-z]+))?(?:\|(?P<filter>[A-Za-z_]+))?")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTER_MARKS = tuple(re.compile(rf"[(（]?{letter}[.)．）:：、]") for letter in _LETTERS)

_QUESTION_MARKS = "?？؟⸮;;፧՞"
_MARK_OF = {
    "ja": "？", "yue": "？", "zh": "？", "am": "፧", "ti": "፧", "el": ";", "hy": "՞",
    **dict.fromkeys(("ar", "ckb", "fa", "ps", "sd", "ug", "ur"), "؟"),
}  # fmt: skip

_COLON_OF = {
    "am": "፦ ", "ti": "፦ ", "fr": " : ", "hy": "՝ ", "km": "៖ ", **dict.fromkeys(("ja", "yue", "zh"), "："),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Slot:
    """One placeholder of a layout: ``{name}``, ``{name.part}`` or ``{name|filter}``."""

    name: str
    part: str | None = None
    filter: str | None = None

    def __str__(self) -> str:
        return (
            "{"
            + self.name
            + (f".{self.part}" if self.part else "")
            + (f"|{self.filter}" if self.filter else "")
            + "}"
        )


def _capitalise_question(text: str, language: str) -> str:
    """First letter upper, the rest lower, and a question mark if it lacks one: the released BoolQ prompts."""
    question = text.rstrip().capitalize()
    if question.endswith(tuple(_QUESTION_MARKS)):
        return question
    return question + _MARK_OF.get(language.split("-")[0], "?")


_FILTERS: dict[str, Callable[[str, str], str]] = {"capitalise_question": _capitalise_question}


@lru_cache(maxsize=256)
def _parse(layout: str) -> tuple[str | Slot, ...]:
    """Split a layout into literal text and slots, adjoining text joined."""
    tokens: list[str | Slot] = []

    def literal(text: str) -> None:
        if text and tokens and isinstance(tokens[-1], str):
            tokens[-1] += text
        elif text:
            tokens.append(text)

    end = 0
    for match in _TOKEN.finditer(layout):
        literal(layout[end : match.start()])
        end = match.end()
        token = match[0]
        if token in ("{{", "}}"):
            literal(token[0])
            continue
        slot = _SLOT.fullmatch(token[1:-1]) if len(token) > 1 else None
        if slot is None:
            raise DataError(
                f"layout: {token!r} at character {match.start() + 1} is no placeholder; write {{name}}, {{name.word}}, "
                "{name|filter}, {option.A}, {options}, or double the brace to mean itself"
            )
        tokens.append(Slot(**slot.groupdict()))
    literal(layout[end:])
    return tuple(tokens)


def placeholders(layout: str) -> tuple[Slot, ...]:
    """The placeholders of a layout in their order.

    Raises:
        DataError: A brace is alone, or holds what is no placeholder.
    """
    return tuple(token for token in _parse(layout) if isinstance(token, Slot))


def render(layout: str, instruction: Instruction, item: Item) -> str:
    """Put an instruction and an item together into the text that a model is sent.

    Args:
        layout: See the table at the head of this module.
        instruction: Its prefix, words and suffix are used.
        item: Its fields, options and groups are used.

    Raises:
        UnknownNameError: A placeholder that neither the instruction nor the item can fill, or an unknown filter.
        DataError: The layout is no layout, or it would leave out a field of the item, some of its options, or a part
            of the instruction; or it asks for options that the item does not have.
        SenseError: Every option already begins with its own letter, so that the prompt would read "A. A. text".

    Example:
        >>> yes_no = {"same": ("yes",), "different": ("no",)}
        >>> ask = Instruction("en", "Same meaning?", {"a": "Text", "b": "Text"}, 'Answer "yes" or "no".', yes_no)
        >>> item = Item("1", "en", {"a": "It rains.", "b": "Rain falls."})
        >>> render('{prefix} {a.word} 1: "{a}" {b.word} 2: "{b}" {suffix}', ask, item)
        'Same meaning? Text 1: "It rains." Text 2: "Rain falls." Answer "yes" or "no".'
    """
    form = _form(layout, instruction.language)
    values = [token if isinstance(token, str) else _fill(token, instruction, item) for token in form.tokens]
    _refuse_loss(form, instruction, item)
    empty = [index for index in form.slots if not values[index] or values[index].isspace()]
    if empty:
        _close_gaps(form.tokens, values, empty)
    return "".join(values)


@dataclass(frozen=True, slots=True)
class _Form:
    """A layout as one language writes it, taken apart once for all items.

    Attributes:
        tokens: Its text and placeholders.
        slots: Where the placeholders are among them.
        shown: What is put in, words apart.
        letters: Options that are put in one by one.
    """

    tokens: tuple[str | Slot, ...]
    slots: tuple[int, ...]
    shown: frozenset[str]
    letters: frozenset[str]


@lru_cache(maxsize=1024)
def _form(layout: str, language: str) -> _Form:
    tokens = _parse(layout)
    slots = {index: token for index, token in enumerate(tokens) if isinstance(token, Slot)}
    return _Form(
        _with_colons(tokens, language),
        tuple(slots),
        frozenset(slot.name for slot in slots.values() if slot.part is None),
        frozenset(slot.part for slot in slots.values() if slot.name == "option" and slot.part),
    )


def _with_colons(tokens: Sequence[str | Slot], language: str) -> tuple[str | Slot, ...]:
    """The colon of the layout right behind each word replaced by that of the language."""
    colon, written = _COLON_OF.get(language.split("-")[0], ": "), list(tokens)
    for index, (token, after) in enumerate(pairwise(tokens), start=1):
        if isinstance(token, Slot) and token.part == "word" and isinstance(after, str) and after[:1] == ":":
            blank = after[1:2] == " "
            written[index] = (colon if blank else colon.rstrip()) + after[1 + blank :]
    return tuple(written)


def _fill(slot: Slot, instruction: Instruction, item: Item) -> str:
    if slot.name == "option" and slot.part is not None:
        return _option(slot, item)
    if slot.part is not None:
        return _word(slot, instruction, item)
    if slot.name in ("prefix", "suffix", "options") and slot.filter is None and slot.name not in item.fields:
        if slot.name == "options":
            return "\n".join(
                f"{letter}. {text}" for letter, text in zip(_LETTERS, _options(item), strict=False)
            )
        return instruction.prefix if slot.name == "prefix" else instruction.suffix
    if slot.name not in item.fields:
        known = [f"{{{name}}}" for name in (*item.fields, "prefix", "suffix", "options")]
        raise UnknownNameError("placeholder of the layout", str(slot), known)
    text = item.fields[slot.name]
    if slot.filter is None:
        return text
    if slot.filter not in _FILTERS:
        raise UnknownNameError("filter of the layout", slot.filter, _FILTERS)
    return _FILTERS[slot.filter](text, item.language)


def _word(slot: Slot, instruction: Instruction, item: Item) -> str:
    if slot.part != "word" or slot.filter is not None:
        raise UnknownNameError("placeholder of the layout", str(slot), [f"{{{slot.name}.word}}"])
    key = slot.name
    if key not in instruction.words and key in item.groups:
        key = f"{slot.name}={item.groups[slot.name]}"
    if key not in instruction.words:
        raise UnknownNameError(f"word of the instruction in {instruction.language!r}", key, instruction.words)
    return instruction.words[key]


def _options(item: Item) -> Sequence[str]:
    if not item.options:
        raise DataError("the layout shows options and the item has none", item=item.id)
    if len(item.options) > len(_LETTERS):
        raise DataError(f"{len(item.options)} options; there are letters for {len(_LETTERS)}", item=item.id)
    lettered = (mark.match(text) for mark, text in zip(_LETTER_MARKS, item.options, strict=False))
    if len(item.options) > 1 and all(lettered):
        raise SenseError(
            f"item {item.id!r}: every option already begins with its letter ({item.options[0]!r}); the prompt would "
            "read 'A. A. …'. Take the letters out of the data"
        )
    return item.options


def _option(slot: Slot, item: Item) -> str:
    options = _options(item)
    letters = _LETTERS[: len(options)]
    if slot.part is None or len(slot.part) != 1 or slot.part not in letters:
        known = [f"{{option.{letter}}}" for letter in letters]
        raise UnknownNameError(f"placeholder of the layout for item {item.id!r}", str(slot), known)
    return options[letters.index(slot.part)]


def _refuse_loss(form: _Form, instruction: Instruction, item: Item) -> None:
    shown, letters = form.shown, form.letters
    for name in item.fields:
        if name not in shown:
            raise DataError(f"the layout leaves out the field {name!r}: it has no {{{name}}}", item=item.id)
    for name, text in (("prefix", instruction.prefix), ("suffix", instruction.suffix)):
        if name not in shown and text.strip():
            raise DataError(
                f"the layout has no {{{name}}}, and the instruction in {instruction.language!r} has one: {text!r}"
            )
    if letters and item.options and "options" not in shown and len(letters) != len(item.options):
        raise DataError(f"the layout shows {len(letters)} options of {len(item.options)}", item=item.id)


def _close_gaps(tokens: Sequence[str | Slot], values: list[str], empty: Sequence[int]) -> None:
    """Take out the separator next to each empty part; only text of the layout is touched, never a value."""
    for index in empty:
        token = tokens[index]
        assert isinstance(token, Slot)
        if token.name not in ("prefix", "suffix") and token.part != "word":
            continue
        values[index] = ""
        after = index + 1 if index + 1 < len(tokens) and isinstance(tokens[index + 1], str) else None
        before = index - 1 if index > 0 and isinstance(tokens[index - 1], str) else None
        at_start = not "".join(values[:index])
        if after is not None and (at_start or (before is not None and values[before][-1:].isspace())):
            values[after] = values[after].lstrip()
        elif before is not None and not "".join(values[index:]):
            values[before] = values[before].rstrip()
