"""What a function or a class says of its settings: name, type and default, with what their docstring tells of each.

Its source is read and not imported: what a command needs takes long to load, and its help must not.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from hesperus.lazy import source_of

_KINDS = {"bool": bool, "int": int, "float": float, "Path": Path}


_WRITTEN = r"^(?:def|class) {}\b.*?(?=^[^\s)]|\Z)"
"""A function or class in the text of its file, up to what comes after it: it alone is parsed."""
_SECTION = re.compile(r"^(?:Args|Attributes):\n(.*?)(?=^\S|\Z)", re.DOTALL | re.MULTILINE)
"""The part of a docstring that tells of each argument or field."""


@dataclass(frozen=True, slots=True)
class Mirrored:
    """A setting of a function or class.

    Attributes:
        name: As the function or class names it.
        kind: Type of a value; of one that is a name or a text, str.
        shape: ``one``, ``many`` (a list), ``by name`` (a mapping of names to values) or ``lists by name``.
        is_optional: Whether it may be None.
        default: None if it has none.
        text: What the docstring says of it.
        is_required: Whether it must be given.
        is_by_name: Whether a function takes it by its name alone; so a class all its fields.
    """

    name: str
    kind: type[Any]
    shape: str
    is_optional: bool
    default: Any
    text: str
    is_required: bool = False
    is_by_name: bool = True


def without_arguments(docstring: str) -> str:
    """What a docstring says besides each argument."""
    return _SECTION.sub("", inspect.cleandoc(docstring)).strip()


@cache
def mirrored(home: str) -> dict[str, Mirrored]:
    """The settings of a function (its parameters) or of a class (its fields) with text in its docstring.

    `home` is its module and name: ``hesperus.api.evaluating:evaluate``.
    """
    module, _, name = home.partition(":")
    written = re.search(_WRITTEN.format(name), source_of(module), re.DOTALL | re.MULTILINE)
    node = ast.parse(written[0] if written else "").body[0]
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    told = _told(ast.get_docstring(node) or "")
    places = {one.arg for one in node.args.args} if isinstance(node, ast.FunctionDef) else ()
    return {
        name: replace(_setting(name, hint, default, told[name]), is_by_name=name not in places)
        for name, hint, default in _declared(node)
        if name in told
    }


def _declared(node: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    """Name, annotation and default of each setting; no default where it must be given."""
    if isinstance(node, ast.FunctionDef):
        places, given = node.args.args, node.args.defaults
        defaults = [*[None] * (len(places) - len(given)), *given, *node.args.kw_defaults]
        for one, default in zip((*places, *node.args.kwonlyargs), defaults, strict=True):
            assert one.annotation is not None
            yield one.arg, one.annotation, default
    else:
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                yield field.target.id, field.annotation, field.value


def _setting(name: str, hint: ast.expr, default: ast.expr | None, text: str) -> Mirrored:
    words = [word.strip() for word in ast.unparse(hint).split("|")]
    word = "Path" if "Path" in words and "[" not in words[0] else words[0]
    outer, _, inner = word.partition("[")
    shape = {"Sequence": "many", "list": "many", "tuple": "many", "Mapping": "by name"}.get(outer, "one")
    if shape == "by name":
        inner = inner.partition(", ")[2]
        shape = "lists by name" if inner.startswith(("tuple[", "Sequence[")) else shape
    kind = _KINDS.get(re.split(r"\W", outer if shape == "one" else inner)[0], str)
    held: object = default.value if isinstance(default, ast.Constant) else None
    if isinstance(default, ast.Call) and kind is Path:
        held = Path(ast.literal_eval(default.args[0]))
    return Mirrored(name, kind, shape, "None" in words, held, text, is_required=default is None)


def _told(docstring: str) -> dict[str, str]:
    """What a docstring says of each argument or attribute; a word of code is written without its marks."""
    section = _SECTION.search(docstring)
    entries = re.findall(
        r"^    (\w+): (.*?)(?=^    \w|\Z)", section[1] if section else "", re.DOTALL | re.MULTILINE
    )
    return {name: re.sub(r"`([^` ]*)`", r"\1", " ".join(text.split())) for name, text in entries}
