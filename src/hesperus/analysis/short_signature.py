"""A table's signature on one line that a paper can print: what was measured, how, by which version, and a hash of the values.

    hesperus|consistency|invalid:disagree|resamples:2000|seed:0|level:0.95|interval:bayesian|v:0.1.0|#5f3c21ab90

Whoever has the run makes the table again from the line alone and holds it to the hash. The idea is that of sacreBLEU (Post
2018, A Call for Clarity in Reporting BLEU Scores); the settings are taken from the table, so that none is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from urllib.parse import unquote

import numpy as np
import orjson

from hesperus.analysis.settings import GivenSettings, MeasureSettings
from hesperus.analysis.table import Table
from hesperus.errors import UsageError
from hesperus.fingerprint import JSONRows, canonical_json
from hesperus.records import Selection
from hesperus.version import __version__

SHORT = "short"
"""Key of the line in the signature of a table."""

_BEGIN, _VERSION, _HASH = "hesperus", "v", "#"
_DIGITS = 9
"""Significant digits that are hashed: more would hold a paper to the order in which a machine adds."""
_LEAST, _CLOSE = 1e-4, 1e-5
"""Below it numbers have exponents; how near to the middle of two such numbers a product does not tell which is nearer."""
_TENS = np.array([float(f"1e{power}") for power in range(_DIGITS + 5)])

_SETTINGS = (
    "a", "b", "by", "invalid", "resamples", "seed", "level", "interval", "threshold", "comet_threshold",
)  # fmt: skip
_RESOLVED = ("invalid", "resamples", "seed", "level", "interval")
"""Settings that a study or a default decides where nobody does; they are part of the line in any case."""
_THRESHOLDS = ("threshold", "comet_threshold")
"""The same of translation scores; an audit has a threshold of its own, which its study decides."""
_WHOLE, _REAL = ("resamples", "seed"), ("level", *_THRESHOLDS)
_MANY = ("models", "tasks", "require", "max_drop")
_CHOSEN = (*_MANY, "model_a", "model_b", "exact")
"""What a call takes beside settings: models and tasks; of a check its requirements; of a comparison its two models."""


@dataclass(frozen=True, slots=True)
class ShortSignature:
    """A line that was read.

    Attributes:
        measure: Name of the measure.
        settings: Fields of hesperus.analysis.settings.GivenSettings, and what else was chosen: `models`, `tasks`, ….
        version: Of the hesperus that made the table.
        digest: Hash of its values.
    """

    measure: str
    settings: Mapping[str, object]
    version: str
    digest: str

    @classmethod
    def parse(cls, text: str) -> ShortSignature:
        """Read a line.

        Raises:
            UsageError: It is not a signature.
        """
        parts = text.strip().split("|")
        if len(parts) < 4 or parts[0] != _BEGIN or not parts[-1].startswith(_HASH):
            raise UsageError(f"{text!r} is no signature; one reads hesperus|MEASURE|…|v:VERSION|#HASH")
        named: dict[str, list[str]] = {}
        for part in parts[2:-1]:
            name, sign, value = part.partition(":")
            if not sign or name not in (*_SETTINGS, *_CHOSEN, _VERSION):
                raise UsageError(f"{text!r} is no signature: {part!r} is no setting")
            named.setdefault(name, []).append(unquote(value))
        version = named.pop(_VERSION, ["unknown"])[0]
        settings = {name: _read(name, values, text) for name, values in named.items()}
        return cls(parts[1], settings, version, parts[-1].removeprefix(_HASH))


def with_short(table: Table, given: GivenSettings, measure: str | None = None, **chosen: object) -> Table:
    """The table with its line among its signature; arguments as in short_signature."""
    line = short_signature(replace(table, measure=measure or table.measure), given, **chosen)
    return replace(table, signature={**table.signature, SHORT: line})


def short_signature(table: Table, given: GivenSettings, **chosen: object) -> str:
    """The line of a table.

    Args:
        table: What was measured.
        given: What was asked for; what else decides the values is read from the table's own signature.
        chosen: What else decides them: `models` and `tasks` that it was narrowed to, `require` and `max_drop` of a check,
            `model_a`, `model_b` and `exact` of a comparison.
    """
    held = {name: value for name, value in _walk(table.signature) if name in _RESOLVED and value is not None}
    own = table.signature.get(MeasureSettings.__name__)
    if isinstance(own, Mapping):
        held |= {name: own[name] for name in _THRESHOLDS if own.get(name) is not None}
    # What a measure has no use for is not in its own signature, whatever was asked for.
    asked = {
        name: value
        for name in _SETTINGS
        if (value := getattr(given, name)) is not None and (name not in _RESOLVED or held.get(name) == value)
    }
    held |= asked | {name: value for name, value in chosen.items() if value}
    parts = [
        f"{name}:{_quoted(one)}"
        for name in (*_SETTINGS, *_CHOSEN)
        if name in held
        for one in _each(held[name])
    ]
    return "|".join([_BEGIN, table.measure, *parts, f"{_VERSION}:{__version__}", _HASH + digest(table)])


def _each(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else (value,)


def digest(table: Table) -> str:
    """Ten hexadecimal digits of a hash of the values, numbers to nine significant digits."""
    # The JSON of [columns, rows], hashed some rows at a time: a table of all pairs of 400 runs has 400,000.
    hashed = hashlib.blake2b(f"[{canonical_json(list(table.columns))},[".encode(), digest_size=16)
    begins = ["[", *[","] * (len(table.columns) - 1)]
    written = JSONRows(begins, "]", _cell, _rounded)
    before = ""
    for rows in table.written(written):
        hashed.update((before + ",".join(rows)).encode())
        before = ","
    hashed.update(b"]]")
    return hashed.hexdigest()[:10]


def _cell(cell: object) -> str:
    return _rounded([cell])[0] if isinstance(cell, float) else canonical_json(cell)


def _rounded(numbers: Sequence[float]) -> list[str]:
    """Numbers to _DIGITS digits, in quotation marks, as ``%.9g`` writes them; in half the time of that."""
    values = np.array(numbers, dtype=np.float64) + 0.0  # there is one 0
    size = np.abs(values)
    is_plain = (size >= _LEAST) & (size < _TENS[_DIGITS])
    inside = np.where(is_plain, size, 1.0)
    scale = _TENS[_DIGITS - 1 - np.floor(np.log10(inside)).astype(np.intp)]
    scaled = inside * scale
    whole = np.rint(scaled)
    # The quotient of two whole numbers is the number that is nearest to these digits, hence is written as them.
    rounded = np.where(is_plain, np.copysign(whole / scale, values), 0.0)
    text = orjson.dumps(rounded, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].decode()
    texts = f'"{text},'.replace(".0,", ",").replace(",", '" "')[:-2].split(" ") if len(values) else []
    close = np.abs(np.abs(scaled - whole) - 0.5) < _CLOSE
    for place in np.flatnonzero(close | ~is_plain & (size != 0.0)).tolist():
        texts[place] = f'"{values[place]:.{_DIGITS}g}"'
    return texts


def signed_setting(signature: Mapping[str, object], name: str) -> object:
    """What a table was made with, from its signature; None if it names no such setting."""
    return next((value for key, value in _walk(signature) if key == name), None)


def _walk(signature: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in signature.items():
        yield name, value
        if isinstance(value, Mapping):
            yield from _walk(value)


def _quoted(value: object) -> str:
    if isinstance(value, Selection):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        value = ",".join(f"{name}={part}" for name, part in parts.items() if part is not None)
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text.replace("%", "%25").replace("|", "%7C")


def _read(name: str, values: Sequence[str], text: str) -> object:
    if name in ("by", *_MANY):
        return tuple(values)
    if len(values) > 1:
        raise UsageError(f"{text!r} is no signature: {name} stands in it twice")
    try:
        if name in ("a", "b"):
            return Selection.parse(values[0])
        if name == "exact":
            return values[0] == str(True)
        return int(values[0]) if name in _WHOLE else float(values[0]) if name in _REAL else values[0]
    except ValueError:
        raise UsageError(f"{text!r} is no signature: {name} is no number") from None
