"""The worked examples: arithmetic in words, and a Python function that does the same another way."""

from __future__ import annotations

import ast
import os
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import ClassVar

import pytest
from recipes.senses import arithmetic, python_code
from recipes.senses.arithmetic import arithmetic_in_words
from recipes.senses.python_code import python_rewritten

from hesperus import plugins
from hesperus.errors import SenseError
from hesperus.plugins import load_file
from hesperus.senses import SenseMaker, make_senses


def test_the_files_are_plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_offered", {})
    monkeypatch.setattr(plugins, "_loaded", set())
    for module, name, maker in (
        (arithmetic, "words", arithmetic_in_words),
        (python_code, "rewritten", python_rewritten),
    ):
        load_file(module.__file__)
        found = plugins.maker("hesperus.senses", name, {})
        assert isinstance(found, SenseMaker) and found.name == name == maker.name


def in_words(text: str) -> str:
    return make_senses(arithmetic_in_words, [text], source="en", target="en")[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(3 + 4) * 2", "two times the sum of three and four"),
        ("3 + 4 * 2", "the sum of three and (four times two)"),
        ("What is (3 + 4) * 2?", "What is two times the sum of three and four?"),
        ("What is 3 + 4.", "What is the sum of three and four."),
        ("1,234 + 5", "the sum of one thousand two hundred thirty-four and five"),
        ("1,234,567.50 - 1", "the result of subtracting one from one million two hundred thirty-four thousand five hundred sixty-seven point five"),
        ("10 - (5 - 2)", "the result of subtracting (the result of subtracting two from five) from ten"),
        ("2 ^ 10 ÷ 5", "the result of dividing (the result of raising two to the power of ten) by five"),
        ("(1 + 2) × (3 + 4)", "the product of (the sum of one and two) and (the sum of three and four)"),
        ("-3 * 4", "minus three times four"),
        ("-2 ** 2", "the negative of (the result of raising two to the power of two)"),
        ("-(3 + 4) + 1", "the sum of (the negative of (the sum of three and four)) and one"),
        ("120045 + 3.1415926535", "the sum of one hundred twenty thousand forty-five and three point one four one five nine two six five three five"),
        ("1 + 0.12345678901234567891", "the sum of one and zero point one two three four five six seven eight nine zero one two three four five six seven eight nine one"),
        ("1000000 - 999", "the result of subtracting nine hundred ninety-nine from one million"),
        ("Add (as in 3+4) and go.", "Add (as in the sum of three and four) and go."),
        ("Item 3: is 7 = 3 + 4 (yes or no)?", "Item 3: is 7 = the sum of three and four (yes or no)?"),
    ],
)  # fmt: skip
def test_arithmetic_is_said_in_words(text: str, said: str) -> None:
    assert in_words(text) == said


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("There is 1 dog.", "no arithmetic"),
        ("3 + (4", "no arithmetic that can be read"),
        ("007 + 3", "no arithmetic that can be read"),
        ("1.2.3 + 4", "no arithmetic"),
        ("1,23 + 5", "part of something larger"),
        ("3 + 4,5", "part of something larger"),
        ("1 234 + 5", "part of something larger"),
        ("3 + 4%", "part of something larger"),
        ("$3 + 4", "part of something larger"),
        ("x - 3 + 4", "a dash that may be no minus"),
        ("x -3 + 4", "part of something larger"),
        ("3 + 4 * y", "part of something larger"),
        ("5(3 + 4)", "part of something larger"),
        ("(3 + 4)(5 + 6)", "part of something larger"),
        ("3 + 4 times 2", "part of something larger"),
        ("twice 3 + 4", "part of something larger"),
        ("3 + 4!", "part of something larger"),
        ("3 + 4 x 2", "part of something larger"),
        ("2 X 3 + 4", "part of something larger"),
        ("3 + 4 ⋅ 2", "part of something larger"),
        ("3 + 4 i", "part of something larger"),
        ("√9 + 16", "part of something larger"),
        ("log 3 + 4", "part of something larger"),
        ("20 % of 3 + 4", "part of something larger"),
        ("a third of 3 + 4", "part of something larger"),
        ("1'234 + 5", "part of something larger"),
        ("3 + 4’500", "part of something larger"),
        ("Choose 3-5 apples.", "a range, a date or a fraction"),
        ("Born on 2020-11-25.", "a range, a date or a fraction"),
        ("Open 24/7.", "a range, a date or a fraction"),
        ("- 3 + 4", "a dash that may be no minus"),
        ("10000000000000000 + 1", "larger than"),
        ("(" * 41 + "1+1" + ")+1" * 41, "nested that deep"),
        ("1" + " + 1" * 50, "nested that deep"),
    ],
)
def test_what_could_change_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(SenseError, match=complaint):
        in_words(text)


class Reader:
    """Reads the phrases back, in every way in which they can be read, and computes what each of them comes to."""

    UNITS = (
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    )  # fmt: skip
    TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
    SCALES: ClassVar = {"thousand": 1000, "million": 10**6}
    PREFIXES = (
        ("the sum of", "and", lambda a, b: a + b),
        ("the product of", "and", lambda a, b: a * b),
        ("the result of subtracting", "from", lambda a, b: b - a),
        ("the result of dividing", "by", lambda a, b: a / b if b else None),
        ("the result of raising", "to the power of", lambda a, b: a**b if a or b >= 0 else None),
    )  # fmt: skip

    def __init__(self, text: str) -> None:
        self.words = tuple(text.replace("(", "( ").replace(")", " )").split())
        self.held: dict[tuple[int, int], frozenset[Fraction | None]] = {}

    def readings(self) -> frozenset[Fraction | None]:
        """All values that the whole can have; None where it is undefined."""
        return self.between(0, len(self.words))

    def between(self, start: int, end: int) -> frozenset[Fraction | None]:
        if (start, end) not in self.held:
            self.held[start, end] = frozenset(self._read(start, end))
        return self.held[start, end]

    def _read(self, start: int, end: int) -> Iterator[Fraction | None]:
        words = self.words[start:end]
        if not words:
            return
        number = self.number(words)
        if number is not None:
            yield number
        if words[0] == "(" and words[-1] == ")":
            yield from self.between(start + 1, end - 1)
        if words[:3] == ("the", "negative", "of"):
            yield from (None if x is None else -x for x in self.between(start + 3, end))
        for opening, middle, operation in (*self.PREFIXES, ("", "times", lambda a, b: a * b)):
            begin, between = tuple(opening.split()), tuple(middle.split())
            if words[: len(begin)] != begin:
                continue
            for cut in range(start + len(begin) + 1, end - len(between)):
                if self.words[cut : cut + len(between)] == between:
                    for a in self.between(start + len(begin), cut):
                        for b in self.between(cut + len(between), end):
                            yield None if a is None or b is None else operation(a, b)

    def number(self, words: tuple[str, ...]) -> Fraction | None:
        if words[0] == "minus":
            inner = self.number(words[1:]) if len(words) > 1 else None
            return None if inner is None else -inner
        if "point" in words:
            cut = words.index("point")
            whole, digits = self.number(words[:cut]) if cut else None, words[cut + 1 :]
            if whole is None or not digits or any(digit not in self.UNITS[:10] for digit in digits):
                return None
            return whole + Fraction(int("".join(str(self.UNITS.index(d)) for d in digits)), 10 ** len(digits))
        total = part = 0
        for word in words:
            first, _, rest = word.partition("-")
            if word in self.UNITS:
                part += self.UNITS.index(word)
            elif first in self.TENS and (not rest or rest in self.UNITS):
                part += 20 + 10 * self.TENS.index(first) + (self.UNITS.index(rest) if rest else 0)
            elif word == "hundred":
                part *= 100
            elif word in self.SCALES:
                total, part = total + part * self.SCALES[word], 0
            else:
                return None
        return Fraction(total + part)


def expression(rng: random.Random, depth: int = 3) -> str:
    """Any expression, with and without brackets, with thousands commas, decimals, signs and powers."""
    if depth == 0 or rng.random() < 0.3:
        number = rng.choice([str(rng.randrange(100)), f"{rng.randrange(10**rng.randrange(1, 9)):,}",
                             f"{rng.randrange(2000):,}.{rng.randrange(1, 100)}"])  # fmt: skip
        return f"(-{number})" if rng.random() < 0.1 else number
    if rng.random() < 0.12:
        return f"{expression(rng, depth - 1)} {rng.choice(['^', '**'])} {rng.randrange(3)}"
    made = f"{expression(rng, depth - 1)} {rng.choice('+-*/×÷−·')} {expression(rng, depth - 1)}"
    return rng.choice([made, f"({made})", f"-({made})", made])


def value(text: str) -> Fraction | None:
    """What Python makes of an expression, in exact numbers."""
    signs = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"})
    python = re.sub(r"[0-9.]+", lambda m: f"Fraction('{m[0]}')", text.replace(",", "").translate(signs))
    python = re.sub(r"\*\* Fraction\('(\d)'\)", r"** \1", python)
    try:
        return Fraction(eval(python, {"Fraction": Fraction}))
    except ZeroDivisionError:
        return None


def test_words_mean_what_the_expression_means() -> None:
    """HESPERUS_EXPRESSIONS=100000 tries more of them (about three minutes)."""
    rng = random.Random(20)
    tried = 0
    for _ in range(int(os.environ.get("HESPERUS_EXPRESSIONS", "1000"))):
        text = f"{expression(rng)} + {rng.randrange(60)}"
        readings = Reader(in_words(text)).readings()
        # Every way of reading the words comes to the same value, which is that of the expression.
        assert readings == {value(text)}, (text, in_words(text), readings)
        tried += 1
    assert tried >= 1000


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
