"""Draws hostile values: every choice is taken from the `random.Random` that is handed in.

So the same code serves inputs that are numbered (a seed each) and those of hypothesis (`st.randoms()`), which shrinks the
choices of an input that fails.
"""

from __future__ import annotations

import json
import random

JSON = object

LONG = 20_000
DEEP = 3_000

ODD_TEXTS = (
    "", " ", "\n", "\x00", "\ud800", "\udfff x", "\ufeff", "\u200b", "\u202eabc", "é", "e\u0301", "ﬁ", "İ", "ß", "٣", "१२", "⅓", "NaN", "nan",
    "Infinity", "-inf", "null", "None", "true", "0", "-1", "1e999", "1_000", "1,5", "=1+1", "'", '"', "\\", "`", "{}", "[]", "<think>", "</think>",
    "../../etc", "C:\\x", "a\tb", "a,b", "a\r\nb", "\x85", "\u2028", "😀", "🇩🇪", "ש", "\u0600", "\U0010ffff", "\\boxed{", "A", "B.", "(C)", "yes", "no", "%s",
    "{0}", "{x}", "$x", "de", "zh-Hant", "x" * 300, "9" * 5000, "a b " * 3000,
)  # fmt: skip

ODD_NUMBERS = (
    0, 1, -1, 2, 7, 255, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**64), 10**30, 10**400, 0.0, -0.0, 0.5, -1e-9, 1e308,
    -1e308, 5e-324, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip


def odd_value(rng: random.Random) -> JSON:
    """A value of another kind or size than anybody expects."""
    match rng.randrange(12):
        case 0:
            return None
        case 1:
            return rng.random() < 0.5
        case 2 | 3 | 4:
            return rng.choice(ODD_NUMBERS)
        case 5 | 6 | 7 | 8:
            return rng.choice(ODD_TEXTS)
        case 9:
            return rng.choice(([], {}, [[]], [{}], [None], {"": None}, [[], {}], {"a": {"b": 1}}))
        case 10:
            return [rng.choice(ODD_TEXTS + ODD_NUMBERS) for _ in range(rng.randrange(5))]
        case _:
            return {rng.choice(ODD_TEXTS): rng.choice(ODD_NUMBERS) for _ in range(rng.randrange(4))}


def mutated(rng: random.Random, value: JSON, most: int = 3) -> JSON:
    """The value with some places of it changed; the one that is handed in stays as it is."""
    for _ in range(rng.randint(1, most)):
        value = _changed(rng, value)
    return value


def _changed(rng: random.Random, value: JSON) -> JSON:
    """One change at a random depth."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        name = rng.choice(list(value))
        match rng.randrange(9):
            case 0:
                return {key: part for key, part in value.items() if key != name}
            case 1:
                return {**value, rng.choice(ODD_TEXTS): odd_value(rng)}
            case 2:
                return {(rng.choice(ODD_TEXTS) if key == name else key): part for key, part in value.items()}
            case 3:
                return {**value, name: value[rng.choice(list(value))]}
            case _:
                return {**value, name: _changed(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        place = rng.randrange(len(value))
        match rng.randrange(9):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return [*value[:place], odd_value(rng), *value[place:]]
            case 2:
                return [*value, value[place]] if rng.random() < 0.9 else value * 50
            case 3:
                return value[::-1]
            case _:
                return [*value[:place], _changed(rng, value[place]), *value[place + 1 :]]
    match rng.randrange(8):
        case 0:
            return [value]
        case 1:
            return {"x": value}
        case 2:
            return str(value)
        case 3 if isinstance(value, str):
            return mutated_text(rng, value)
        case _:
            return odd_value(rng)


def mutated_text(rng: random.Random, text: str) -> str:
    """The text with a piece cut out, doubled or put in."""
    start = rng.randint(0, len(text))
    stop = min(len(text), start + rng.randrange(8))
    match rng.randrange(4):
        case 0:
            return text[:start] + text[stop:]
        case 1:
            return text[:stop] + text[start:stop] * rng.randrange(4) + text[stop:]
        case 2:
            return text[:start]
        case _:
            return text[:start] + rng.choice(ODD_TEXTS) + text[start:]


def written(rng: random.Random, value: JSON, *, escaped: bool = False) -> bytes:
    """JSON as some program might write it: other blanks, other escapes, NaN, half of a surrogate pair.

    Args:
        rng: Draws the way.
        value: What is written.
        escaped: Whether all but ASCII is; the bytes of half a pair are no UTF-8, its escape is JSON.
    """
    separators = rng.choice(((",", ":"), (", ", ": "), (" ,\t", " :  ")))
    indent = rng.choice((None, None, None, 1))
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5 or escaped, separators=separators, indent=indent)
    return text.encode("utf-8", "surrogatepass")


def deepened(rng: random.Random, data: bytes) -> bytes:
    """The bytes with something nested deeply, or long, in place of a value."""
    place = data.find(rng.choice((b":", b",", b"[")), rng.randrange(len(data) + 1)) + 1
    deep = rng.choice(
        (
            b"[" * DEEP + b"]" * DEEP,
            b'{"a":' * DEEP + b"1" + b"}" * DEEP,
            b"[" * DEEP,
            b'"' + b"x" * LONG + b'"',
        )
    )
    return data[:place] + deep + b"," + data[place:]


def damaged(rng: random.Random, data: bytes) -> bytes:
    """The bytes as a broken line or disk might give them."""
    if not data:
        return rng.choice((b"", b"\x00", b"\xff\xfe", b"PK"))
    place = rng.randrange(len(data))
    stop = min(len(data), place + rng.randint(1, 20))
    match rng.randrange(9):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]
        case 2:
            return data[:place] + data[stop:]
        case 3:
            return data[:stop] + data[place:stop] * rng.randint(1, 5) + data[stop:]
        case 4:
            return (
                data[:place]
                + rng.choice(
                    (b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\r", b"\n", b'"', b"\\", b"{", b"]")
                )
                + data[place:]
            )
        case 5:
            return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b" \n", b"\x1f\x8b")) + data
        case 6:
            return data.decode("utf-8", "replace").encode(
                rng.choice(("utf-16", "latin-1", "utf-32")), "replace"
            )
        case 7:
            return data[place:] + data[:place]
        case _:
            return deepened(rng, data)


def hostile(rng: random.Random, value: JSON) -> bytes:
    """Bytes of a JSON document that was changed, and now and then damaged as well."""
    data = written(rng, mutated(rng, value) if rng.random() < 0.9 else value)
    return damaged(rng, data) if rng.random() < 0.2 else data


def reordered(rng: random.Random, value: JSON) -> JSON:
    """The same JSON value, its members in another order and with one more that nobody knows."""
    if isinstance(value, dict):
        names = list(value)
        rng.shuffle(names)
        return {name: reordered(rng, value[name]) for name in names}
    if isinstance(value, list):
        return [reordered(rng, part) for part in value]
    return value
