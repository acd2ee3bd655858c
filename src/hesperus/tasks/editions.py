"""Benchmarks that hold a set of items for each of several places or source languages: one file, one task for each.

Such a file lies under ``catalogue/editions`` and names its editions with words that are put in for ``{edition.WORD}``,
in keys and values alike; ``{edition}`` is the edition's own name. ``blend.yaml`` with the edition ``kr`` is ``blend-kr``.
"""

from __future__ import annotations

from collections.abc import Mapping

from hesperus.errors import DataError
from hesperus.strict_yaml import Value

Editions = Mapping[str, Mapping[str, str]]
"""Name of an edition to its words."""


def parted(values: dict[str, Value], file: object) -> tuple[Editions, dict[str, Value]]:
    """The editions of a file, and the rest of it.

    Args:
        values: The file; every scalar is text.
        file: Named in errors.

    Raises:
        DataError: ``editions`` is missing, or no mapping of names to words.
    """
    found = values.get("editions")
    if not isinstance(found, dict) or not found:
        raise DataError("editions is missing: a mapping of names to words", file=file, field="editions")
    editions: dict[str, Mapping[str, str]] = {}
    for name, words in found.items():
        if not isinstance(words, dict):
            raise DataError("an edition is a mapping of words", file=file, field=f"editions.{name}")
        editions[name] = {word: str(text) for word, text in words.items()}
    return editions, {key: value for key, value in values.items() if key != "editions"}


def of_edition(value: Value, name: str, words: Mapping[str, str]) -> Value:
    """A value of the file with an edition's words put in, at every depth."""
    if isinstance(value, dict):
        return {
            str(of_edition(key, name, words)): of_edition(inner, name, words) for key, inner in value.items()
        }
    if isinstance(value, list):
        return [of_edition(inner, name, words) for inner in value]
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(f"{{edition.{word}}}", text)
        return value.replace("{edition}", name)
    return value
