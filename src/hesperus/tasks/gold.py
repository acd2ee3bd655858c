"""Reading the gold column: whatever a benchmark writes there, a canonical label comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

import orjson

from hesperus.errors import DataError, UnknownNameError
from hesperus.tasks.definition import LETTERS, Task
from hesperus.tasks.rows import text_of

Trouble = tuple[str, str]


def read_gold(
    task: Task, value: object, options: list[str] | None, place: str, line: int
) -> tuple[str | None, Trouble | None]:
    """The canonical label of one row.

    Args:
        task: Says how gold is written.
        value: The cell; None or empty where the row has no gold.
        options: The options of the row.
        place: The file, for errors.
        line: The row's line, for errors.

    Returns:
        (label, None); (None, None) without gold; (None, (reason, detail)) where the row contradicts itself.

    Raises:
        DataError: A value that the task does not know.
    """
    text = text_of(value)
    if text is None or not text.strip():
        return None, None
    text = text.strip()
    try:
        return _read(task, text, options)
    except UnknownNameError as error:
        raise DataError(str(error), file=place, line=line) from None


def accepted_texts(task: Task, value: object, aliases: object, place: str, line: int) -> tuple[str, ...]:
    """The answers that a row accepts, the one to show first; empty where it has no gold.

    Args:
        task: Says how gold is written.
        value: The cell of the gold column: one answer, a list of them (in JSON where the file holds text only), or
            several in one text where the task names their separator.
        aliases: The cell of the column of aliases, likewise.
        place: The file, for errors.
        line: The row's line, for errors.

    Raises:
        DataError: A list that holds something else than text and numbers.
    """
    texts = (*_several(task, value, place, line), *_several(task, aliases, place, line))
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _several(task: Task, value: object, place: str, line: int) -> list[str]:
    if isinstance(value, str) and task.gold.separator:
        return value.split(task.gold.separator)
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return [str(value)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        if any(isinstance(part, Mapping | list) for part in value):
            raise DataError("a list of accepted answers holds texts or numbers only", file=place, line=line)
        return [text for part in value if (text := text_of(part)) is not None]
    text = text_of(value)
    return [] if text is None else [text]


def _read(task: Task, text: str, options: list[str] | None) -> tuple[str | None, Trouble | None]:
    match task.gold.read:
        case "label":
            return _label(task, text), None
        case "letter":
            return _letter(text.upper() if len(text) == 1 else text, options)
        case "position0" | "position1" as read:
            if not text.isdecimal():
                raise UnknownNameError("gold", text, hint="a position, that is a whole number, was expected")
            place = int(text) - (read == "position1")
            return _letter(LETTERS[place] if 0 <= place < len(LETTERS) else text, options)
        case "option":
            return _option(text, options)
        case "number":
            return _number(text), None
        case "text":
            return text, None


def _label(task: Task, text: str) -> str:
    known = task.gold.labels
    if known:
        if text not in known:
            raise UnknownNameError("gold", text, known, "gold.labels of the task says what each value means")
        return known[text]
    if text not in task.labels:
        raise UnknownNameError("gold", text, task.labels, "write gold.labels into the task file")
    return text


def _letter(letter: str, options: list[str] | None) -> tuple[str | None, Trouble | None]:
    letters = LETTERS[: len(options or ())]
    if len(letter) != 1 or letter not in letters:
        raise UnknownNameError("gold", letter, letters, f"the row has {len(letters)} options")
    return letter, None


def _option(text: str, options: list[str] | None) -> tuple[str | None, Trouble | None]:
    places = [place for place, option in enumerate(options or ()) if option.strip() == text]
    if not places:
        return None, ("gold is no option", f"{text!r} is none of the options")
    if len(places) > 1:
        return None, ("gold is two options", f"{text!r} stands {len(places)} times among the options")
    return LETTERS[places[0]], None


def _number(text: str) -> str:
    """A number without thousands commas and without zeros that say nothing: ``1,200.0`` is ``1200``."""
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation:
        raise UnknownNameError("gold", text, hint="a number was expected") from None
    if not number.is_finite():
        raise UnknownNameError("gold", text, hint="a finite number was expected")
    return f"{number.normalize():f}"
