"""Arithmetic said in English words: ``(3 + 4) * 2`` becomes "two times the sum of three and four".

Every operation with an operand that is itself an operation says what it does *before* its operands, so that a phrase
can be read in one way only.
"""

from __future__ import annotations

import ast
import re
from decimal import Decimal

from hesperus.errors import SenseError
from hesperus.senses.makers import SenseMaker

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = ("", " thousand", " million", " billion", " trillion")

_EXPRESSION = re.compile(
    r"(?<![\w.])[(\-]*\s*\d[\d.]*(?:\s*\)*\s*(?:\*\*|[-+*/^×·÷−])\s*[(\-\s]*\d[\d.]*)+(?:\s*\))*(?!\w)"
)
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"})
_DEEPEST = 40


def _in_words(text: str, original: str) -> str:
    """Say every arithmetic expression of a text in words; the rest of the text stays."""
    said = 0

    def say(match: re.Match[str]) -> str:
        nonlocal said
        expression, spare = _balanced(match[0])
        said += 1
        return _phrase(_parsed(expression, original), 0) + spare

    result = _EXPRESSION.sub(say, text)
    if not said:
        raise SenseError(
            f"no arithmetic in {original!r}; this maker puts expressions such as (3 + 4) * 2 in words"
        )
    return result


arithmetic_in_words = SenseMaker("words", None, _in_words)
"""English only; whole and decimal numbers, ``+ - * / ** ^``, brackets and signs. Makes ``en~words``."""


def _balanced(found: str) -> tuple[str, str]:
    """Closing brackets that were opened before the expression belong to the sentence around it."""
    spare = ""
    stripped = found.rstrip()
    blanks = found[len(stripped) :]
    while stripped.endswith(")") and stripped.count(")") > stripped.count("("):
        stripped, spare = stripped[:-1].rstrip(), ")" + spare
    return stripped, spare + blanks


def _parsed(expression: str, original: str) -> ast.expr:
    python = expression.strip().translate(_SIGNS)
    try:
        return ast.parse(python, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SenseError(f"{expression!r} in {original!r} is no arithmetic that can be read") from None


def _phrase(node: ast.expr, depth: int) -> str:
    if depth > _DEEPEST:
        raise SenseError("an expression nested that deep cannot be said in words")
    match node:
        case ast.Constant(value=int() | float() as number):
            return _number(number)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return f"minus {_number(number)}"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"the negative of {_phrase(operand, depth + 1)}"
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _phrase(operand, depth + 1)
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(op, left, right, depth + 1)
    raise SenseError(f"{ast.unparse(node)!r} is more than arithmetic")


def _operation(op: ast.operator, left: ast.expr, right: ast.expr, depth: int) -> str:
    first, second = _phrase(left, depth), _phrase(right, depth)
    match op:
        case ast.Add():
            return f"the sum of {first} and {second}"
        case ast.Sub():
            return f"the result of subtracting {second} from {first}"
        case ast.Mult() if _is_number(left):
            return f"{first} times {second}"
        case ast.Mult() if _is_number(right):
            return f"{second} times {first}"
        case ast.Mult():
            return f"the product of {first} and {second}"
        case ast.Div():
            return f"the result of dividing {first} by {second}"
        case ast.Pow():
            return f"the result of raising {first} to the power of {second}"
    raise SenseError(f"the operation {type(op).__name__} is not one that this maker can say")


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _number(number: int | float) -> str:
    if isinstance(number, bool):
        raise SenseError(f"{number} is no number")
    if isinstance(number, float):
        whole, _, digits = f"{Decimal(repr(number)).normalize():f}".partition(".")
        said = _whole(int(whole))
        return said + (" point " + " ".join(_ONES[int(digit)] for digit in digits) if digits else "")
    return _whole(number)


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
