"""The rows of an lm-evaluation-harness log: quickly where they look as the harness writes them, or one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.records.importers.lines import Piece, decode, pieces
from hesperus.records.importers.lm_eval_quick import LAST, START, Layout, QuickRows, number_of
from hesperus.records.importers.texts import text_of

CUT = "line cut in the middle"

_GEN_ARGS = re.compile(r"gen_args_(\d{1,6})")

_AT_ONCE = 1 << 15
"""Rows that are held as Python values before they make a frame."""


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
        for row, _ in _decoded(piece, BadLines(), 1):
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
    quick, number = QuickRows(layout), 1
    for piece in pieces(path):
        before = len(quick)
        if quick.take(piece):
            number += len(quick) - before
            if len(quick) >= _AT_ONCE:
                yield quick.frame()
        else:
            if len(quick):
                yield quick.frame()
            yield _slowly(piece, layout, bad, number)
            number += len(piece.lines)
        if piece.cut:
            bad.add("compressed file cut", f"the data end in the middle after line {number - 1}")
    if len(quick):
        yield quick.frame()


def _slowly(piece: Piece, layout: Layout, bad: BadLines, first: int) -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for row, number in _decoded(piece, bad, first):
        try:
            rows.append(_row(row, layout))
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            bad.add("row of another form", f"line {number}: {type(error).__name__}: {error}")
    return pl.DataFrame(rows, schema=layout.schema)


def _decoded(piece: Piece, bad: BadLines, first: int) -> Iterator[tuple[dict[str, Any], int]]:
    for number, line in enumerate(piece.lines, start=first):
        if not line.strip():
            continue
        value = _value(line)
        if value is None:
            # What was written after an interrupted row, on its line, may be whole.
            bad.add(CUT, f"line {number} is no JSON: {_ending(line)}")
            again = line.rfind(START)
            value = _value(line[again:]) if again > 0 else None
        if isinstance(value, dict):
            yield value, number
        elif value is not None:
            bad.add("row of another form", f"line {number} holds a {type(value).__name__}, not an object")


def _value(line: bytes) -> object:
    try:
        return decode(line)
    except ValueError:
        return None


def _ending(line: bytes) -> str:
    return "… " + line.rstrip()[-40:].decode("utf-8", "replace")


def _row(row: dict[str, Any], layout: Layout) -> dict[str, Any]:
    document = row["doc"] if isinstance(row["doc"], dict) else {"doc": row["doc"]}
    found: dict[str, Any] = {"doc_id": int(row["doc_id"])}
    if abs(found["doc_id"]) > LAST:
        raise ValueError("doc_id is too large")
    found |= {f"field:{name}": text_of(document.get(name)) for name in layout.fields}
    found |= {
        "target": text_of(row.get("target")),
        "filter": text_of(row.get("filter")),
        "acc": number_of(row.get(layout.verdict)),
    }
    if layout.choice:
        found["scores"] = [_score(value) for value in row["filtered_resps"]]
    else:
        found["filtered"] = _text(row["filtered_resps"][0])
        found["reply"] = _text(row["resps"][0][0])
    if layout.texts:
        found["texts"] = option_texts(row["arguments"])
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
