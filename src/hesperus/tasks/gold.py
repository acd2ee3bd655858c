"""Reading the gold column: whatever a benchmark writes there, a canonical label comes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation

from hesperus.errors import DataError, UnknownNameError
from hesperus.tasks.definition import LETTERS, Task
from hesperus.tasks.rows import cell_text, shortened
from hesperus.tasks.text_lists import list_from_text

Trouble = tuple[str, str]
"""Why a row cannot be used: a reason that is the same for all of a kind, and what was found."""

_LARGEST_EXPONENT = 60
"""Most digits before or after the point of a gold number; 1e999999999 would be written out with all its zeros."""


def read_gold(
    task: Task, value: object, options: Sequence[str] | None, place: str, line: int
) -> tuple[str | None, Trouble | None]:
    """The canonical label of one row.

    Args:
        task: Says how gold is written.
        value: The cell; None or empty where the row has no gold.
        options: The options of the row.
        place: The file, for errors.
        line: The row's line, for errors.

    Returns:
        (label, None); (None, None) without gold; (None, (reason, detail)) where the row contradicts itself or says that
        it has no right answer.

    Raises:
        DataError: A value that the task does not know.
    """
    field = _column(task)
    try:
        text = (cell_text(value) or "").strip()
        if not text:
            return None, None
        if text in task.gold.unanswered:
            return None, ("no right answer", f"gold is {text!r}")
        return _read(task, text, options)
    except (UnknownNameError, ValueError) as error:
        raise DataError(str(error), file=place, line=line, field=field) from None


def accepted_texts(task: Task, value: object, aliases: object, place: str, line: int) -> tuple[str, ...]:
    """The answers that a row accepts, the one to show first; empty where it has no gold.

    Args:
        task: Says how gold is written.
        value: The cell of the gold column: one answer, a list of them (as text where the file holds text only), or
            several in one text where the task names their separator.
        aliases: The cell of the column of aliases, likewise, or a list of lists.
        place: The file, for errors.
        line: The row's line, for errors.

    Raises:
        DataError: A list that holds something else than text and numbers.
    """
    try:
        texts = (*_several(task, value), *_several(task, aliases))
    except ValueError as error:
        raise DataError(str(error), file=place, line=line, field=_column(task)) from None
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _several(task: Task, value: object) -> list[str]:
    if isinstance(value, str) and task.gold.separator:
        return value.split(task.gold.separator)
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = list_from_text(value)
        except ValueError:
            # An answer may begin with a bracket: "[sic]" is a text
            return [str(value)]
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [text for part in value for text in _parts(part)]
    text = cell_text(value)
    return [] if text is None else [text]


def _parts(part: object) -> list[str]:
    """An element of a list of accepted answers, which may be a list of aliases itself."""
    inside = part if isinstance(part, Sequence) and not isinstance(part, str | bytes) else (part,)
    return [text for inner in inside if (text := cell_text(inner)) is not None]


def _column(task: Task) -> str | None:
    """The first name of the gold column, for errors."""
    return task.columns.gold[0] if task.columns.gold else None


def _read(task: Task, text: str, options: Sequence[str] | None) -> tuple[str | None, Trouble | None]:
    match task.gold.read:
        case "label":
            return _label(task, text), None
        case "letter":
            letter = task.gold.labels.get(text, text)
            return _letter(letter.upper() if len(letter) == 1 else letter, options)
        case "position0" | "position1" as read:
            if not text.isdecimal() or len(text) > 3:
                raise _unknown(text, hint="a position, that is a whole number, was expected")
            place = int(text) - (read == "position1")
            return _letter(LETTERS[place] if 0 <= place < len(LETTERS) else text, options)
        case "option":
            return _option(text, options)
        case "number":
            try:
                return _number(text), None
            except UnknownNameError:
                if not task.gold.only_numbers:
                    raise
                return None, ("gold is no number", f"{shortened(text)!r} is no plain number")
        case "text":
            return text, None


def _unknown(text: str, known: Iterable[str] = (), hint: str = "") -> UnknownNameError:
    """An unknown gold value, the beginning of it where it is long."""
    return UnknownNameError("gold", shortened(text), known, hint)


def _label(task: Task, text: str) -> str:
    known = task.gold.labels
    if known:
        if text not in known:
            raise _unknown(text, known, "gold.labels of the task says what each value means")
        return known[text]
    if text not in task.labels:
        raise _unknown(text, task.labels, "write gold.labels into the task file")
    return text


def _letter(letter: str, options: Sequence[str] | None) -> tuple[str | None, Trouble | None]:
    letters = LETTERS[: len(options or ())]
    if len(letter) != 1 or letter not in letters:
        raise _unknown(letter, letters, f"the row has {len(letters)} options")
    return letter, None


def _option(text: str, options: Sequence[str] | None) -> tuple[str | None, Trouble | None]:
    places = [place for place, option in enumerate(options or ()) if option.strip() == text]
    if not places:
        return None, ("gold is no option", f"{shortened(text)!r} is none of the options")
    if len(places) > 1:
        return None, (
            "gold is two options",
            f"{shortened(text)!r} stands {len(places)} times among the options",
        )
    return LETTERS[places[0]], None


def _number(text: str) -> str:
    """A number without the signs of a formula, thousands commas and zeros that say nothing: ``$1,200.0$`` is ``1200``."""
    try:
        number = Decimal(text.strip("$").replace(",", ""))
    except InvalidOperation:
        raise _unknown(text, hint="a number was expected") from None
    if not number.is_finite():
        raise _unknown(text, hint="a finite number was expected")
    if number and abs(number.adjusted()) > _LARGEST_EXPONENT or len(text) > 2 * _LARGEST_EXPONENT:
        raise _unknown(text, hint=f"at most {_LARGEST_EXPONENT} digits were expected")
    written = f"{number:f}"
    written = written.rstrip("0").rstrip(".") if "." in written else written
    return "0" if not number else written
