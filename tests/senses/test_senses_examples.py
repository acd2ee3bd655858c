"""The worked examples: arithmetic in words, and a Python function that does the same another way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import SenseError
from hesperus.senses import make_senses
from hesperus.senses.examples import arithmetic_in_words, python_rewritten


def in_words(text: str) -> str:
    return make_senses(arithmetic_in_words, [text], source="en", target="en")[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(3 + 4) * 2", "two times the sum of three and four"),
        ("What is (3 + 4) * 2?", "What is two times the sum of three and four?"),
        ("10 - (5 - 2)", "the result of subtracting the result of subtracting two from five from ten"),
        ("2 ^ 10 ÷ 5", "the result of dividing the result of raising two to the power of ten by five"),
        ("(1 + 2) × (3 + 4)", "the product of the sum of one and two and the sum of three and four"),
        ("-3 * 4", "four times minus three"),
        ("-(3 + 4) + 1", "the sum of the negative of the sum of three and four and one"),
        ("120045 + 3.1415926535", "the sum of one hundred twenty thousand forty-five and three point one four one five nine two six five three five"),
        ("1000000 - 999", "the result of subtracting nine hundred ninety-nine from one million"),
        ("Add (as in 3+4) and go.", "Add (as in the sum of three and four) and go."),
    ],
)  # fmt: skip
def test_arithmetic_is_said_in_words(text: str, said: str) -> None:
    assert in_words(text) == said


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("There is 1 dog.", "no arithmetic"),
        ("3 + (4", "no arithmetic that can be read"),
        ("1.2.3 + 4", "no arithmetic that can be read"),
        ("10000000000000000 + 1", "larger than"),
        ("(" * 41 + "1+1" + ")+1" * 41, "nested that deep"),
        ("1" + " + 1" * 50, "nested that deep"),
    ],
)
def test_what_is_no_arithmetic_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(SenseError, match=complaint):
        in_words(text)


class Reader:
    """Reads the phrases back and computes them: an independent check that they can be read in one way only."""

    UNITS = (
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    )  # fmt: skip
    TENS = ("twenty", "thirty", "forty", "fifty")

    def __init__(self, text: str) -> None:
        self.words = text.split()

    def eat(self, *words: str) -> bool:
        if self.words[: len(words)] == list(words):
            del self.words[: len(words)]
            return True
        return False

    def need(self, *words: str) -> None:
        assert self.eat(*words), (words, self.words)

    def value(self) -> int:
        if self.eat("the", "sum", "of"):
            return self.pair("and", lambda a, b: a + b)
        if self.eat("the", "product", "of"):
            return self.pair("and", lambda a, b: a * b)
        if self.eat("the", "result", "of", "subtracting"):
            return self.pair("from", lambda a, b: b - a)
        if self.eat("the", "negative", "of"):
            return -self.value()
        number = self.number()
        return number * self.value() if self.eat("times") else number

    def pair(self, between: str, operation: Callable[[int, int], int]) -> int:
        first = self.value()
        self.need(between)
        return operation(first, self.value())

    def number(self) -> int:
        if self.eat("minus"):
            return -self.number()
        return sum(
            self.UNITS.index(part) if part in self.UNITS else 20 + 10 * self.TENS.index(part)
            for part in self.words.pop(0).split("-")
        )


_NUMBERS = st.integers(min_value=0, max_value=59).map(str)
_EXPRESSIONS = st.recursive(
    _NUMBERS,
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        | inner.map(lambda x: f"(-{x})")
    ),
    max_leaves=8,
)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(_EXPRESSIONS, _NUMBERS)
def test_words_mean_what_the_expression_means(expression: str, number: str) -> None:
    whole = f"{expression} + {number}"
    reader = Reader(in_words(whole))
    assert reader.value() == eval(compile(ast.parse(whole, mode="eval"), "test", "eval"))
    assert reader.words == []


SOURCES = {
    "loops": '''
def f(xs, limit=10):
    """Sums what is even."""
    total = 0
    for i, x in enumerate(xs):
        if x % 2:
            continue
        elif x > limit:
            break
        else:
            total += x * i
    rest = [y for y in xs if y > total]
    return f"{total=} {rest}", total
''',
    "nested": '''
def f(xs, limit=3):
    pairs = []
    for a in xs:
        for b in reversed(xs):
            if a == b:
                continue
            pairs.append((a, b))
            if len(pairs) > limit:
                return pairs
    else:
        pairs.append(None)
    return pairs
''',
    "errors": '''
def f(xs, limit=2):
    seen = {}
    try:
        for x in xs:
            seen[x] = limit / (x - limit)
    except ZeroDivisionError as error:
        seen["error"] = str(error)
    finally:
        seen["n"] = len(seen)
    if not seen["n"] > 2:
        return None
    else:
        return seen
''',
    "generator": '''
def f(xs, limit=4):
    first, *others = xs or [0]
    for item in others:
        while first < limit:
            first += 1
            yield first
        yield item
    del others
''',
}  # fmt: skip


def behaviour(source: str) -> Callable[..., object]:
    space: dict[str, object] = {}
    exec(compile(source, "known", "exec"), space)
    function = space["f"]
    assert callable(function)

    def run(*args: object) -> object:
        result = function(*args)
        return list(result) if isinstance(result, Iterator) else result

    return run


@pytest.mark.parametrize("name", SOURCES)
def test_a_rewritten_function_does_the_same(name: str) -> None:
    source = SOURCES[name]
    (rewritten,) = make_senses(python_rewritten, [source], source="python", target="python")
    assert ast.dump(ast.parse(rewritten)) != ast.dump(ast.parse(source))
    before, after = behaviour(source), behaviour(rewritten)
    for xs in ([], [1], [2, 4, 6], [3, 12, 5, 14, 20], [2, 2], list(range(9))):
        for limit in (0, 2, 5, 13):
            assert after(list(xs), limit) == before(list(xs), limit)
        assert after(list(xs)) == before(list(xs))


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("def f(:", "no Python that can be read"),
        ("x = 1", "nothing in this code"),
        ("def f(a):\n    return a", "nothing in this code"),
        ("def f(a):\n    b = a\n    return locals()", "nothing in this code"),
        ("def f(a):\n    b = a\n    return lambda: b", "nothing in this code"),
        ("def next(x):\n    return x\ndef f(a):\n    for b in a:\n        return b", "nothing in this code"),
        ("def f(a):\n    global b\n    b = a", "nothing in this code"),
        ("\0", "no Python that can be read"),
        ("x" * 100_001, "longer than this maker takes"),
    ],
)
def test_what_cannot_safely_be_rewritten_is_refused(source: str, complaint: str) -> None:
    with pytest.raises(SenseError, match=complaint):
        make_senses(python_rewritten, [source], source="python", target="python")


def test_nothing_that_is_rewritten_is_run() -> None:
    source = "raise SystemExit\ndef f(a):\n    if a:\n        b = 1\n    else:\n        b = 2\n    return b"
    (rewritten,) = make_senses(python_rewritten, [source], source="python", target="python")
    assert "raise SystemExit" in rewritten
