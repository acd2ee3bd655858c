"""The studies of hesperus, and the keys of their study files, read from the text of the files that declare them.

A study is a class of fields in a file of `studies/` that is called `NAME_study.py`; its field `study` has its name. The text is
read, since importing the classes takes longer than measuring most runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from hesperus.lazy import declared_in, source_of

_ROOM = "hesperus.studies"
_NAMED = re.compile(
    r'^class (?P<thing>\w+)\((?:(?!^class ).)*?^    study: Literal\["(?P<name>\w+)"\]',
    re.MULTILINE | re.DOTALL,
)
_ROOT = "BaseModel"
"""What a class of fields goes back to."""
_FIRST = ("multisense", "similarity", "translate_then_evaluate", "translation_tax")
"""The order in which people are told of them, as the README does; any others come after them by name."""


@cache
def declared_studies() -> Mapping[str, str]:
    """Name of each study to its module and class, as in ``hesperus.studies.NAME.NAME_study:NameStudy``."""
    found = declared_in(_ROOM, "**/*_study.py", _NAMED)
    return {name: found[name] for name in sorted(found, key=_place)}


def _place(name: str) -> tuple[int, str]:
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def keys_of(study: str) -> dict[str, Any]:
    """Keys of a study file: each to the keys below it, or None if anything may be below; `*` is any key."""
    module, _, name = declared_studies()[study].partition(":")
    return _keys(module, name) or {}


@cache
def _keys(module: str, name: str) -> dict[str, Any] | None:
    """Keys of a class of fields, those of the classes above it included; None of a name that is no such class."""
    home, found = _resolved(module, name)
    if found is None or not _is_of_fields(home, found):
        return None
    keys: dict[str, Any] = {}
    for base in reversed(found.bases):
        keys |= _keys(home, ast.unparse(base)) or {}
    for one in found.body:
        if isinstance(one, ast.AnnAssign) and not ast.unparse(one.annotation).startswith("ClassVar"):
            keys[ast.unparse(one.target)] = _below(home, one.annotation)
    return keys


def _below(module: str, annotation: ast.expr) -> dict[str, Any] | None:
    """Keys below a key, by its type; of a mapping to parts, those of any key."""
    for names, is_mapping in ((_names_in_mappings(annotation), True), (_names(annotation), False)):
        keys = next((found for name in names if (found := _keys(module, name))), None)
        if keys is not None:
            return {"*": keys} if is_mapping else keys
    return None


def _names(node: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def _names_in_mappings(annotation: ast.expr) -> Iterator[str]:
    for one in ast.walk(annotation):
        if isinstance(one, ast.Subscript) and ast.unparse(one.value) == "Mapping":
            yield from _names(one.slice)


def _is_of_fields(module: str, found: ast.ClassDef) -> bool:
    names = [ast.unparse(base) for base in found.bases]
    above = [_resolved(module, name) for name in names]
    return _ROOT in names or any(one is not None and _is_of_fields(home, one) for home, one in above)


def _resolved(module: str, name: str) -> tuple[str, ast.ClassDef | None]:
    """The class that a name is in a module, and the module in which it is written; None of what no study declares."""
    for statement in _parsed(module).body:
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            return module, statement
        if isinstance(statement, ast.ImportFrom) and str(statement.module).startswith(f"{_ROOM}."):
            for imported in statement.names:
                if (imported.asname or imported.name) == name:
                    return _resolved(str(statement.module), imported.name)
    return module, None


@cache
def _parsed(module: str) -> ast.Module:
    return ast.parse(source_of(module))
