"""Arithmetic said in English words: ``(3 + 4) * 2`` becomes "two times the sum of three and four".

The question never changes. What can be said in one way only is said; whatever may be something else than it looks (a list
of numbers, a range, a date, the part of a larger expression) is refused. An operand that is itself an operation is in
brackets, except for the last one of "… times …", which nothing can follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from hesperus.errors import SenseError
from hesperus.senses import SenseMaker

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = ("", " thousand", " million", " billion", " trillion")

_NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?"
_OPERATOR = r"\*\*|[-+*/^×·÷−]"
_EXPRESSION = re.compile(
    rf"(?<![\w.])(?:[(\-−][(\-−\s]*)?(?:{_NUMBER})(?:\s*\)*\s*(?:{_OPERATOR})\s*[(\-−+\s]*(?:{_NUMBER}))+(?:\s*\))*(?!\w)"
)
_TOKEN = re.compile(rf"\s*({_NUMBER}|{_OPERATOR}|[()])")
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"})
_DEEPEST = 40

_SIGN = "-+*/^×·÷−–—%⋅∙•∗✕✖∕⁄±"
"""Operators, also those that are not read here, as the inside of a class of characters."""

_BEFORE = re.compile(
    rf"(?:\w\(|[0-9][,:'’]|\)|[$€£¥#])$"
    rf"|(?:[{_SIGN}√∛∜Σ∑]|[0-9]|[0-9)]\s*x"
    r"|(?:%|\b(?:plus|minus|times|by|over|half|third|quarter|fifth|tenth|percent|double|twice|triple|squared?|cubed?|root"
    r"|power|sqrt|log|ln|exp|sin|cos|tan))(?:\s+of)?)\s*$",
    re.IGNORECASE,
)
"""What in front of an expression makes it the part of another, or something else than arithmetic."""

_AFTER = re.compile(
    rf"(?:[%‰°!$€£¥²³(]|[,.:'’][0-9]|\s*[{_SIGN}]|\s*[0-9]|\s+\(\s*[-−(0-9]|\s+[b-z]\b"
    r"|\s+(?:plus|minus|times|mod|modulo|multiplied|divided|raised|over|squared|cubed|factorial|percent|to the)\b)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"[0-9.,]+(?:[-−/][0-9.,]+)+")
"""Numbers with bare dashes or strokes between them: a range, a date, a score or a fraction as often as arithmetic."""

_VARIABLE = re.compile(r"\b\w\s*$")
"""A single letter in front of a minus: something is subtracted from it."""

_BULLET = re.compile(r"[-−]\s")


@dataclass(frozen=True, slots=True)
class _Operation:
    """An operation and its operands; one operand for the sign."""

    sign: str
    operands: tuple[_Node, ...]


_Node = Decimal | _Operation


def _in_words(text: str, original: str) -> str:
    """Say every arithmetic expression of a text in words; the rest of the text stays."""
    said = 0

    def say(match: re.Match[str]) -> str:
        nonlocal said
        expression, spare = _balanced(match[0])
        end = match.start() + len(expression)
        _refuse_parts(text[: match.start()], expression, text[end:])
        said += 1
        return _phrase(_parsed(expression, original)) + spare

    result = _EXPRESSION.sub(say, text)
    if not said:
        raise SenseError(
            f"no arithmetic in {original!r}; this maker puts expressions such as (3 + 4) * 2 in words"
        )
    return result


arithmetic_in_words = SenseMaker("words", None, _in_words)
"""English only; whole and decimal numbers (1,234.5), ``+ - * / ** ^``, brackets and signs. Makes ``en~words``."""

HESPERUS = {"senses": {"words": arithmetic_in_words}}
"""What the file offers as a plug-in."""


def _refuse_parts(before: str, expression: str, after: str) -> None:
    """Refuse what is the part of something larger, or may be no arithmetic.

    Raises:
        SenseError: To say the expression in words could change the question.
    """
    if _BULLET.match(expression):
        raise SenseError(
            f"{expression!r} begins with a dash that may be no minus; write it next to the number"
        )
    if _RANGE.fullmatch(expression.strip("() ")):
        raise SenseError(
            f"{expression!r} may be a range, a date or a fraction; write blanks around the sign if it is arithmetic"
        )
    variable = expression[0] in "-−" and _VARIABLE.search(before)
    if variable or _BEFORE.search(before) or _AFTER.match(after):
        around = f"{before[-12:]}{expression}{after[:12]}"
        raise SenseError(
            f"{expression!r} is the part of something larger in {around!r}, and cannot be said by itself"
        )


def _balanced(found: str) -> tuple[str, str]:
    """Closing brackets that were opened before the expression belong to the sentence around it."""
    spare = ""
    stripped = found.rstrip()
    blanks = found[len(stripped) :]
    while stripped.endswith(")") and stripped.count(")") > stripped.count("("):
        shorter = stripped[:-1].rstrip()
        spare = stripped[len(shorter) :] + spare
        stripped = shorter
    return stripped, spare + blanks


def _parsed(expression: str, original: str) -> _Node:
    reader = _Reader(expression)
    try:
        node = reader.sum(0)
    except (StopIteration, ValueError):
        node = None
    if node is None or reader.rest:
        raise SenseError(f"{expression!r} in {original!r} is no arithmetic that can be read")
    return node


class _Reader:
    """Reads an expression by the usual order of operations: powers (from the right), signs, products, sums."""

    def __init__(self, expression: str) -> None:
        self._tokens = list(_tokens(expression))[::-1]

    @property
    def rest(self) -> bool:
        """Whether anything is left to read."""
        return bool(self._tokens)

    def sum(self, depth: int) -> _Node:
        """Terms that are added or subtracted, from the left."""
        node = self._product(depth)
        while self._next() in ("+", "-"):
            node = _nested(self._tokens.pop(), node, self._product(depth))
        return node

    def _product(self, depth: int) -> _Node:
        node = self._signed(depth)
        while self._next() in ("*", "/"):
            node = _nested(self._tokens.pop(), node, self._signed(depth))
        return node

    def _signed(self, depth: int) -> _Node:
        _check_depth(depth)
        if self._next() == "-":
            self._tokens.pop()
            operand = self._signed(depth + 1)
            return (
                -operand
                if isinstance(operand, Decimal) and not operand.is_signed()
                else _nested("-", operand)
            )
        if self._next() == "+":
            self._tokens.pop()
            return self._signed(depth + 1)
        base = self._atom(depth)
        if self._next() != "**":
            return base
        self._tokens.pop()
        return _nested("**", base, self._signed(depth + 1))

    def _atom(self, depth: int) -> _Node:
        token = self._take()
        if token != "(":
            return _decimal(token)
        node = self.sum(depth + 1)
        if self._take() != ")":
            raise ValueError("a bracket that does not close")
        return node

    def _take(self) -> str:
        if not self._tokens:
            raise ValueError("nothing left to read")
        return self._tokens.pop()

    def _next(self) -> str:
        return self._tokens[-1] if self._tokens else ""


def _tokens(expression: str) -> Iterator[str]:
    place = 0
    while place < len(expression.rstrip()):
        match = _TOKEN.match(expression, place)
        if match is None:
            raise ValueError("a character that is no arithmetic")
        yield match[1].translate(_SIGNS)
        place = match.end()


def _decimal(token: str) -> Decimal:
    if not token[:1].isdigit() or (len(token) > 1 and token[0] == "0" and token[1] != "."):
        raise ValueError(f"{token!r} is no number")
    return Decimal(token.replace(",", ""))


def _nested(sign: str, *operands: _Node) -> _Operation:
    made = _Operation(sign, operands)
    _check_depth(_depth(made))
    return made


def _depth(node: _Node) -> int:
    deepest, open_nodes = 0, [(node, 0)]
    while open_nodes:
        here, level = open_nodes.pop()
        deepest = max(deepest, level)
        if isinstance(here, _Operation):
            open_nodes += [(operand, level + 1) for operand in here.operands]
    return deepest


def _check_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise SenseError("an expression nested that deep cannot be said in words")


def _phrase(node: _Node) -> str:
    """A node in words."""
    if isinstance(node, Decimal):
        return _number(node)
    match node.sign, node.operands:
        case "*", (Decimal() as first, _Operation() as second):
            return f"{_number(first)} times {_phrase(second)}"
        case "*", (_Operation() as first, Decimal() as second):
            return f"{_number(second)} times {_phrase(first)}"
        case "*", (Decimal() as first, Decimal() as second):
            return f"{_number(first)} times {_number(second)}"
    parts = [_operand(operand) for operand in node.operands]
    match node.sign, len(parts):
        case "+", 2:
            return f"the sum of {parts[0]} and {parts[1]}"
        case "-", 2:
            return f"the result of subtracting {parts[1]} from {parts[0]}"
        case "-", 1:
            return f"the negative of {parts[0]}"
        case "*", 2:
            return f"the product of {parts[0]} and {parts[1]}"
        case "/", 2:
            return f"the result of dividing {parts[0]} by {parts[1]}"
    return f"the result of raising {parts[0]} to the power of {parts[1]}"


def _operand(node: _Node) -> str:
    """An operand; in brackets where it is an operation, as words alone do not tell where that ends."""
    return _number(node) if isinstance(node, Decimal) else f"({_phrase(node)})"


def _number(number: Decimal) -> str:
    sign = "minus " if number.is_signed() else ""
    whole, _, digits = f"{abs(number):f}".partition(".")
    digits = digits.rstrip("0")
    said = _whole(int(whole))
    return sign + said + (" point " + " ".join(_ONES[int(digit)] for digit in digits) if digits else "")


def _whole(number: int) -> str:
    if number >= 10 ** (3 * len(_SCALES)):
        raise SenseError(f"{number} is larger than this maker can say")
    if number < 1000:
        return _below_thousand(number)
    groups = []
    for scale in _SCALES:
        number, rest = divmod(number, 1000)
        if rest:
            groups.append(_below_thousand(rest) + scale)
    return " ".join(reversed(groups))


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    said = [f"{_ONES[hundreds]} hundred"] if hundreds else []
    if rest and rest < 20:
        said.append(_ONES[rest])
    elif rest:
        tens, ones = divmod(rest, 10)
        said.append(_TENS[tens] + (f"-{_ONES[ones]}" if ones else ""))
    return " ".join(said) or "zero"
