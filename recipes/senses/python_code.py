"""A Python function written another way, with the same behaviour: the code is read, never run.

Three rewritings, each safe by itself: local variables get other names; ``if`` and ``else`` change places under the
negated condition; a ``for`` loop becomes a ``while`` loop over the iterator. A function is left as it is where one of
them could show: nested functions, ``global`` and ``nonlocal``, ``locals()`` and the like.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hesperus.errors import SenseError
from hesperus.senses import SenseMaker

_LOOKS_INSIDE = {"dir", "eval", "exec", "globals", "locals", "vars"}
_NEEDED = ("iter", "next", "object")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_REFUSED = (
    *_SCOPES,
    ast.Global,
    ast.Nonlocal,
    ast.Match,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Import,
    ast.ImportFrom,
)
_LONGEST = 100_000


def _rewritten(text: str, original: str) -> str:
    """Rewrite every top-level function of a source text."""
    if len(text) > _LONGEST:
        raise SenseError(
            f"source code of {len(text)} characters is longer than this maker takes ({_LONGEST})"
        )
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SenseError(f"no Python that can be read: {error}") from None
    before = ast.dump(tree)
    shadowed = _bound(tree) & {*_NEEDED, "*"}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not shadowed and _is_plain(node):
            _rename_locals(node)
            names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            _Restructure(names | {arg.arg for arg in _arguments(node)}).visit(node)
    ast.fix_missing_locations(tree)
    if ast.dump(tree) == before:
        raise SenseError(f"nothing in this code can safely be written another way: {original[:80]!r}")
    return ast.unparse(tree)


python_rewritten = SenseMaker("rewritten", None, _rewritten)
"""Python functions; comments are lost, names of functions and parameters stay. Makes ``python~rewritten``."""

HESPERUS = {"senses": {"rewritten": python_rewritten}}
"""What the file offers as a plug-in."""


def _bound(tree: ast.Module) -> set[str]:
    """Every name to which the code gives a meaning of its own."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name=name, asname=alias):
                bound.add((alias or name).split(".")[0])
    return bound


def _is_plain(function: ast.FunctionDef) -> bool:
    """Whether every name of the function is an argument, a local variable or a name from outside, and nothing looks."""
    inside = [node for part in function.body for node in ast.walk(part)]
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    return not names & _LOOKS_INSIDE and not any(isinstance(node, _REFUSED) for node in inside)


def _arguments(function: ast.FunctionDef) -> Iterator[ast.arg]:
    given = function.args
    yield from (*given.posonlyargs, *given.args, *given.kwonlyargs)
    yield from (arg for arg in (given.vararg, given.kwarg) if arg is not None)


def _rename_locals(function: ast.FunctionDef) -> None:
    """Give every local variable another name; names bound by a comprehension or an ``except`` stay."""
    inside = [node for part in function.body for node in ast.walk(part)]
    taken = {node.id for node in inside if isinstance(node, ast.Name)}
    taken |= {node.name for node in inside if isinstance(node, ast.ExceptHandler) and node.name}
    kept = {arg.arg for arg in _arguments(function)}
    kept |= {node.name for node in inside if isinstance(node, ast.ExceptHandler) and node.name}
    for node in inside:
        if isinstance(node, ast.comprehension):
            kept |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
    renamed: dict[str, str] = {}
    number = 0
    for node in inside:
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and node.id not in kept | renamed.keys()
        ):
            number = _free(number + 1, "value", taken | kept)
            renamed[node.id] = f"value_{number}"
    for node in inside:
        if isinstance(node, ast.Name):
            node.id = renamed.get(node.id, node.id)


def _free(number: int, stem: str, taken: set[str]) -> int:
    while f"{stem}_{number}" in taken:
        number += 1
    return number


class _Restructure(ast.NodeTransformer):
    """Turns ``if`` around and ``for`` into ``while``."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._number = 0

    def visit_If(self, node: ast.If) -> ast.stmt:
        """``if a: x else: y`` is ``if not a: y else: x``."""
        self.generic_visit(node)
        if not node.orelse:
            return node
        test: ast.expr = ast.UnaryOp(ast.Not(), node.test)
        if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            test = node.test.operand
        return ast.copy_location(ast.If(test, node.orelse, node.body), node)

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        """A loop over an iterator until a mark of its own comes; ``continue`` and ``break`` mean the same there."""
        self.generic_visit(node)
        if node.orelse:
            return node
        self._number = _free_for_all(self._number + 1, self._taken)
        items, end, item = (f"{stem}_{self._number}" for stem in ("items", "end", "item"))
        head = ast.parse(
            f"{items} = iter(None)\n{end} = object()\n"
            f"while True:\n    {item} = next({items}, {end})\n    if {item} is {end}:\n        break"
        ).body
        start, mark, loop = head
        assert (
            isinstance(start, ast.Assign)
            and isinstance(start.value, ast.Call)
            and isinstance(loop, ast.While)
        )
        start.value.args = [node.iter]
        take = ast.Assign([node.target], ast.Name(item, ast.Load()))
        loop.body += [take, *node.body]
        return [start, mark, loop]


def _free_for_all(number: int, taken: set[str]) -> int:
    while any(f"{stem}_{number}" in taken for stem in ("items", "end", "item")):
        number += 1
    return number
