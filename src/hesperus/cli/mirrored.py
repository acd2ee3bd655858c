"""Flags made from what a function or a class says of its settings: name, type and default, with their docstring as help.

Its source is read and not imported: what a command needs takes long to load, and its help must not.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

_PLURAL = {"checks", "reads", "replies", "writes"}
"""Settings of several values whose flag stays in the plural: a file of checks has many, and is given once or twice."""
_KINDS = {"bool": bool, "int": int, "float": float, "Path": Path}
_FORM = re.compile(r"([A-Z]\S*[=:,]\S*): (?=.)")
"""How the text of a setting begins that tells the form of its value: ``COLUMN=FIELD: …``."""


_SECTION = re.compile(r"^(?:Args|Attributes):\n(.*?)(?=^\S|\Z)", re.DOTALL | re.MULTILINE)
"""The part of a docstring that tells of each argument or field."""


@dataclass(frozen=True, slots=True)
class Mirrored:
    """A setting of a function or class as a flag.

    Attributes:
        name: As the function or class names it.
        kind: Type of a value; of one that is a name or a text, str.
        shape: ``one``, ``many`` (a list; its flag is in the singular), ``by name`` (a mapping of names to values) or
            ``lists by name``.
        is_optional: Whether it may be None.
        default: None if it has none.
        text: What the docstring says of it.
        is_required: Whether it must be given.
        called: Name of its flag, where that is another.
        panel: Heading under which the help lists it.
        is_by_name: Whether a function takes it by its name alone; so a class all its fields.
        is_argument: Whether it is given by its place and has no flag.
    """

    name: str
    kind: type[Any]
    shape: str
    is_optional: bool
    default: Any
    text: str
    is_required: bool = False
    called: str | None = None
    panel: str | None = None
    is_by_name: bool = True
    is_argument: bool = False

    @property
    def is_many(self) -> bool:
        """Whether the flag may be given several times."""
        return self.shape != "one"

    @property
    def flag(self) -> str:
        """The flag, without dashes."""
        is_plural = not self.is_many or self.name in _PLURAL
        return (self.called or (self.name if is_plural else self.name.removesuffix("s"))).replace("_", "-")

    def under(self, called: str | None, panel: str | None, *, is_argument: bool) -> Mirrored:
        """The same under another name and heading, or as an argument."""
        return replace(self, called=called or self.called, panel=panel, is_argument=is_argument)

    def is_given(self, value: Any) -> bool:
        """Whether a value is another than the default."""
        return self.is_required or value not in (self.default, None, (), {})

    def parameter(self) -> inspect.Parameter:
        """The flag as typer takes it."""
        is_named = self.shape.endswith("by name")
        hint: Any = list[str if is_named else self.kind] if self.is_many else self.kind  # type: ignore[misc]
        names = [f"--{self.flag}/--no-{self.flag}" if self.default is True else f"--{self.flag}"]
        form, text = self._form_and_text()
        text = f"{text.removesuffix('.')}; repeatable." if self.is_many and not self.is_argument else text
        option: Any = typer.Option(
            *names, help=text, rich_help_panel=self.panel, metavar=form, show_default=not self.is_required
        )
        if self.is_argument:
            option = typer.Argument(help=text, show_default=False)
        is_empty = (self.is_many or self.is_optional) and not self.is_required
        default = inspect.Parameter.empty if self.is_required else None if is_empty else self.default
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=default,
            annotation=Annotated[hint | None if is_empty else hint, option],
        )  # fmt: skip

    def _form_and_text(self) -> tuple[str | None, str]:
        """The form of its value, where the docstring tells it, and what else that says."""
        found = _FORM.match(self.text)
        return (None, self.text) if found is None else (found[1], sentence(self.text[found.end() :]))

    def value(self, given: Any) -> Any:
        """What was given of it, as the function or class takes it."""
        if not given and self.is_optional and self.is_many:
            return None
        if self.shape.endswith("by name"):
            return self._by_name(given or ())
        return tuple(given or ()) if self.is_many else given

    def _by_name(self, given: Sequence[str]) -> dict[str, Any]:
        from hesperus.errors import UsageError

        found: dict[str, Any] = {}
        for name, text in named_values(f"--{self.flag}", given, self._form_and_text()[0] or "NAME=VALUE"):
            if self.shape == "lists by name":
                parts = tuple(part.strip() for part in text.split(",") if part.strip())
                found[name] = (*found.get(name, ()), *parts)
                continue
            if name in found:
                raise UsageError(f"--{self.flag} {name} is given twice")
            try:
                found[name] = self.kind(text)
            except ValueError:
                what = "a whole number" if self.kind is int else "a number"
                raise UsageError(f"--{self.flag} {name}={text}: {text!r} is not {what}") from None
        return found


def sentence(text: str) -> str:
    """The text with its first letter in upper case."""
    return f"{text[:1].upper()}{text[1:]}"


def named_values(flag: str, given: Iterable[str] | None, form: str = "NAME=VALUE") -> list[tuple[str, str]]:
    """Names with their values, as they were given; a name may hold an equals sign, a value may not."""
    from hesperus.errors import UsageError

    found = []
    for text in given or ():
        name, equals, value = text.rpartition("=")
        if not (name and equals and value):
            raise UsageError(f"{flag} {text!r}: write {form}")
        found.append((name, value))
    return found


def without_arguments(docstring: str) -> str:
    """What a docstring says besides each argument."""
    return _SECTION.sub("", inspect.cleandoc(docstring)).strip()


@cache
def mirrored(home: str) -> dict[str, Mirrored]:
    """The settings of a function (its parameters) or of a class (its fields) with text in its docstring.

    `home` is its module and name: ``hesperus.api.evaluating:evaluate``.
    """
    module, _, name = home.partition(":")
    source = find_spec(module).loader.get_source(module)  # type: ignore[union-attr]  # it is one of ours
    node = next(one for one in ast.parse(source).body if getattr(one, "name", None) == name)
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
