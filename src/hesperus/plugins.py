"""What other packages offer beside what is built in: makers under an entry-point group, found by the name they bring."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import TypeVar, cast

Maker = TypeVar("Maker")


def names(group: str, built_in: Mapping[str, object]) -> tuple[str, ...]:
    """Names that there are makers for, sorted.

    Args:
        group: Entry-point group, such as ``hesperus.models``.
        built_in: Name to maker.
    """
    return tuple(sorted({*built_in, *(point.name for point in entry_points(group=group))}))


def maker(group: str, name: str, built_in: Mapping[str, Maker]) -> Maker | None:
    """The maker of that name, the built-in one first; None where there is none."""
    if name in built_in:
        return built_in[name]
    point = next(iter(entry_points(group=group, name=name)), None)
    return None if point is None else cast(Maker, point.load())
