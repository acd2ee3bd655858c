"""Flags that give a name its value: NAME=VALUE, once or several times."""

from __future__ import annotations

from collections.abc import Iterable


def named_values(
    flag: str, given: Iterable[str] | None, form: str = "NAME=VALUE", example: str = "", *, last: bool = False
) -> list[tuple[str, str]]:
    """Names with their values, as they were given.

    Args:
        flag: Named in the message, such as ``--map``.
        given: What was given; None: nothing.
        form: What is to be written.
        example: One of it.
        last: Whether names, and not values, may hold an equals sign: the last one divides.

    Raises:
        UsageError: One without a name, a value or an equals sign.
    """
    from hesperus.errors import UsageError

    found = []
    for text in given or ():
        name, equals, value = text.rpartition("=") if last else text.partition("=")
        if not (name and equals and value):
            such = f", as in {flag} {example}" if example else ""
            raise UsageError(f"{flag} {text!r}: write {form}{such}")
        found.append((name, value))
    return found
