"""Flags made from what a function or a class says of its settings: name, type and default, with their docstring as help.

Its source is read and not imported: what a command needs takes long to load, and its help must not.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

_PLURAL = {"checks"}
"""Settings of several values whose flag stays in the plural: a file of checks has many, and is given once or twice."""
_KINDS = {"bool": bool, "int": int, "float": float, "Path": Path}


@dataclass(frozen=True, slots=True)
class Mirrored:
    """A setting of a function or class as a flag.

    Attributes:
        name: As the function or class names it.
        kind: Type of a value; of one that is a name or a text, str.
        is_many: Whether it takes several values; its flag is then in the singular.
        is_optional: Whether it may be None.
        default: None where there is none.
        text: What the docstring says of it.
    """

    name: str
    kind: type[Any]
    is_many: bool
    is_optional: bool
    default: Any
    text: str

    def parameter(self) -> inspect.Parameter:
        """The flag as typer takes it."""
        is_plural = not self.is_many or self.name in _PLURAL
        flag = f"--{self.name if is_plural else self.name.removesuffix('s')}".replace("_", "-")
        hint: Any = list[self.kind] if self.is_many else self.kind  # type: ignore[name-defined]
        names = [f"{flag}/--no-{flag[2:]}"] if self.default is True else [flag]
        text = f"{self.text.removesuffix('.')}; repeatable." if self.is_many else self.text
        option = typer.Option(*names, help=text)
        is_empty = self.is_many or self.is_optional
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=None if is_empty else self.default,
            annotation=Annotated[hint | None if is_empty else hint, option],
        )  # fmt: skip

    def value(self, given: Any) -> Any:
        """What was given of it, as the function or class takes it."""
        return tuple(given or ()) if self.is_many else given


@cache
def mirrored(home: str) -> dict[str, Mirrored]:
    """The settings of a function (its keyword-only parameters) or of a class (its fields) with text in its docstring.

    Args:
        home: Its module and name: ``hesperus.api.evaluating:evaluate``.
    """
    module, _, name = home.partition(":")
    source = find_spec(module).loader.get_source(module)  # type: ignore[union-attr]  # it is one of ours
    node = next(one for one in ast.parse(source).body if getattr(one, "name", None) == name)
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    told = _told(ast.get_docstring(node) or "")
    return {
        name: _setting(name, hint, default, told[name])
        for name, hint, default in _declared(node)
        if name in told
    }


def _declared(node: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    if isinstance(node, ast.FunctionDef):
        for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            assert one.annotation is not None
            yield one.arg, one.annotation, default
    else:
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                yield field.target.id, field.annotation, field.value


def _setting(name: str, hint: ast.expr, default: ast.expr | None, text: str) -> Mirrored:
    words = [word.strip() for word in ast.unparse(hint).split("|")]
    is_many = words[0].startswith(("Sequence[", "tuple["))
    inner = re.split(r"\W", words[0].partition("[")[2] if is_many else words[0])[0]
    held = default.value if isinstance(default, ast.Constant) else None
    return Mirrored(name, _KINDS.get(inner, str), is_many, "None" in words, held, text)


def _told(docstring: str) -> dict[str, str]:
    """What a docstring says of each argument or attribute; a word of code is written without its marks."""
    section = re.search(r"^(?:Args|Attributes):\n(.*?)(?=^\S|\Z)", docstring, re.DOTALL | re.MULTILINE)
    entries = re.findall(
        r"^    (\w+): (.*?)(?=^    \w|\Z)", section[1] if section else "", re.DOTALL | re.MULTILINE
    )
    return {name: re.sub(r"`([^` ]*)`", r"\1", " ".join(text.split())) for name, text in entries}
