"""Public names of a room, loaded from their files when they are first used: importing a room costs nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec


def lazily(package: str, *at_once: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a room.

    Args:
        package: Name of the room. What its ``__init__.py`` imports under ``if TYPE_CHECKING:`` are its public names; each
            comes from the file named there.
        at_once: Public names that it imports at once.
    """

    @cache
    def homes() -> dict[str, str]:
        source = find_spec(package).loader.get_source(package)  # type: ignore[union-attr]  # it is imported already
        return {
            imported.name: str(statement.module)
            for block in ast.parse(source).body
            if isinstance(block, ast.If)
            for statement in block.body
            if isinstance(statement, ast.ImportFrom)
            for imported in statement.names
        }

    def load(name: str) -> object:
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes()[name]), name)

    return load, lambda: sorted({*homes(), *at_once})
