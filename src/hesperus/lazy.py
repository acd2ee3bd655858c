"""What a room offers, read from the text of its files and loaded when it is first used: importing a room costs nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path


def lazily(package: str, *at_once: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a room.

    Args:
        package: Name of the room. What its ``__init__.py`` imports under ``if TYPE_CHECKING:`` are its public names; each
            comes from the file named there.
        at_once: Public names that it imports at once.
    """

    @cache
    def homes() -> dict[str, str]:
        source = source_of(f"{package}.__init__")
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


def folder_of(package: str) -> Path:
    """The folder of a package of ours, which is not imported for it, nor are those around it."""
    return Path(__file__).parent.joinpath(*package.split(".")[1:])


def source_of(module: str) -> str:
    """The text of a module of ours, which is not imported for it, nor are the packages around it."""
    package, _, name = module.rpartition(".")
    return (folder_of(package) / f"{name}.py").read_text(encoding="utf-8")


def declared_in(room: str, files: str, pattern: re.Pattern[str]) -> dict[str, str]:
    """What files of a room declare: each name to where it is, as in ``hesperus.analysis.consistency:consistency_table``.

    Args:
        room: The package.
        files: Which of its files, as pathlib has it: ``*.py``, or ``**/*.py`` with those in its folders.
        pattern: A declaration; its groups `name` and `thing` are the name, and the function or class that bears it.
    """
    folder, found = folder_of(room), {}
    for file in sorted(folder.glob(files)):
        module = ".".join([room, *file.relative_to(folder).with_suffix("").parts])
        for one in pattern.finditer(file.read_text(encoding="utf-8")):
            found[one["name"]] = f"{module}:{one['thing']}"
    return found
