"""The rows of an lm-evaluation-harness log: of each line only what is wanted is made into values.

Most bytes of such a log are prompts (`arguments`), which are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import msgspec
import numpy as np
import polars as pl

from hesperus.records.importers.lines import pieces
from hesperus.records.importers.texts import text_of
from hesperus.tables import decode

START = b'{"doc_id": '
"""How a row of the harness begins."""

LAST = (1 << 63) - 1
"""The greatest number of a row that a column can hold."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What is wanted of each row.

    Attributes:
        fields: Fields of the document.
        choice: True where options were scored, False where text was generated.
        texts: True where the texts of the options are wanted (slower: the prompts have to be parsed).
        verdict: The metric that says whether the harness counts a row as right.
    """

    fields: tuple[str, ...]
    choice: bool
    texts: bool = False
    verdict: str = "acc"

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Columns of the frames that read_rows gives."""
        found: dict[str, pl.DataType] = {"doc_id": pl.Int64()}
        found |= {f"field:{name}": pl.String() for name in self.fields}
        found |= {"target": pl.String(), "filter": pl.String(), "acc": pl.Float64()}
        if self.choice:
            found["scores"] = pl.List(pl.Float64())
        else:
            found |= {"filtered": pl.String(), "reply": pl.String()}
        return found | ({"texts": pl.List(pl.String())} if self.texts else {})


def number_of(value: object) -> float | None:
    """A JSON number as float; None for any other value, and for a whole number that no float can hold."""
    try:
        return float(value) if isinstance(value, int | float) else None
    except OverflowError:
        return None


CUT = "line cut in the middle"

_AT_ONCE = 1 << 15
"""Rows that are held as Python values before they make a frame."""

_GEN_ARGS = re.compile(r"gen_args_(\d{1,6})")


@dataclass(slots=True)
class BadLines:
    """Lines that could not be read: how many, and the first of each kind."""

    counts: dict[str, int] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, detail: str) -> None:
        """Count one more."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        self.first.setdefault(reason, detail)


def peek(path: Path, many: int = 50) -> list[dict[str, Any]]:
    """The first rows that can be read, as JSON says them."""
    found: list[dict[str, Any]] = []
    for piece in pieces(path):
        for row, _ in _decoded(piece.lines, BadLines(), 1):
            found.append(row)
            if len(found) == many:
                return found
    return found


def read_rows(path: Path, layout: Layout, bad: BadLines) -> Iterator[pl.DataFrame]:
    """The rows of a log, in pieces.

    Args:
        path: The log.
        layout: What is wanted.
        bad: Takes the lines that cannot be read.
    """
    number, wanted = 1, _wanted(layout)
    rows: list[list[Any]] = []
    for piece in pieces(path):
        lines = piece.lines
        for row, line in _decoded(lines, bad, number, wanted):
            try:
                rows.append(_row(row, layout))
            except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
                bad.add("row of another form", f"line {line}: {type(error).__name__}: {error}")
        number += len(lines)
        if piece.cut:
            bad.add("compressed file cut", f"the data end in the middle after line {number - 1}")
        if len(rows) >= _AT_ONCE:
            yield _frame(rows, layout)
            rows = []
    if rows:
        yield _frame(rows, layout)


def _frame(rows: list[list[Any]], layout: Layout) -> pl.DataFrame:
    columns: dict[str, Any] = dict(zip(layout.schema, zip(*rows, strict=True), strict=bool(rows)))
    scores = columns.get("scores", ())
    if len(sizes := set(map(len, scores))) == 1 and 0 not in sizes:
        # Polars takes a list of lists one by one, but an array at once.
        columns["scores"] = pl.Series(np.array(scores)).arr.to_list()
    return pl.DataFrame(columns, schema=layout.schema)


def _wanted(layout: Layout) -> msgspec.json.Decoder[Any]:
    """Reads a row with the wanted members alone; everything else in it is passed over without being made."""
    kind: Any = TypedDict  # mypy knows only those whose members are written out
    names = ["doc_id", "target", "filter", layout.verdict, "filtered_resps"]
    names += ([] if layout.choice else ["resps"]) + (["arguments"] if layout.texts else [])
    document = kind("document", dict.fromkeys(layout.fields, Any), total=False)
    return msgspec.json.Decoder(kind("row", {**dict.fromkeys(names, Any), "doc": document}, total=False))


def _decoded(
    lines: Sequence[bytes], bad: BadLines, first: int, wanted: msgspec.json.Decoder[Any] | None = None
) -> Iterator[tuple[dict[str, Any], int]]:
    for number, line in enumerate(lines, start=first):
        if not line.strip():
            continue
        value = _value(line, wanted)
        if value is None:
            # What was written after an interrupted row, on its line, may be whole.
            bad.add(CUT, f"line {number} is no JSON: {_ending(line)}")
            again = line.rfind(START)
            value = _value(line[again:], wanted) if again > 0 else None
        if isinstance(value, dict):
            yield value, number
        elif value is not None:
            bad.add("row of another form", f"line {number} holds a {type(value).__name__}, not an object")


def _value(line: bytes, wanted: msgspec.json.Decoder[Any] | None) -> object:
    if wanted is not None:
        try:
            return wanted.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # no row as the harness writes it, or a number that JSON does not have
    try:
        return decode(line)
    except ValueError:
        return None


def _ending(line: bytes) -> str:
    return "… " + line.rstrip()[-40:].decode("utf-8", "replace")


def _row(row: dict[str, Any], layout: Layout) -> list[Any]:
    """The values of a row, in the order of the layout's columns."""
    document = row["doc"] if isinstance(row["doc"], dict) else {"doc": row["doc"]}
    number = int(row["doc_id"])
    if abs(number) > LAST:
        raise ValueError("doc_id is too large")
    found: list[Any] = [number, *(text_of(document.get(name)) for name in layout.fields)]
    found += text_of(row.get("target")), text_of(row.get("filter")), number_of(row.get(layout.verdict))
    if layout.choice:
        found.append([_score(value) for value in row["filtered_resps"]])
    else:
        found += _text(row["filtered_resps"][0]), _text(row["resps"][0][0])
    if layout.texts:
        found.append(option_texts(row["arguments"]))
    return found


def option_texts(arguments: object) -> list[str]:
    """The continuations that were scored, from either layout of `arguments`."""
    if isinstance(arguments, dict):
        numbered = [_GEN_ARGS.fullmatch(name) for name in arguments]
        # The number counts, not the place: programs that sort the members put gen_args_10 before gen_args_2.
        ordered = sorted(filter(None, numbered), key=lambda match: int(match[1])) if all(numbered) else None
        names = arguments if ordered is None else [match[0] for match in ordered]
        return [str(arguments[name]["arg_1"]).strip() for name in names]
    if isinstance(arguments, list):
        return [str(value[1]).strip() for value in arguments]
    raise TypeError(f"arguments are a {type(arguments).__name__}")


def _score(value: object) -> float:
    number = value[0] if isinstance(value, list | tuple) else value
    return float("nan") if number is None else float(number)  # type: ignore[arg-type]  # ValueError is caught above


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(text_of(value))
