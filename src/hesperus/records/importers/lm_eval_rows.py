r"""The rows of an lm-evaluation-harness log: quickly where they look as the harness writes them, or one by one.

Most bytes of such a log are prompts (`arguments`), which nothing here needs. The harness writes the keys of a row in
one order and with one spacing, so the parts that matter are cut out as bytes first and only they are parsed, many rows
at a time. A quote inside a JSON string is always written ``\"``: ``, "arguments": `` can therefore only be a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import msgspec
import polars as pl

from hesperus.records.importers.lines import Piece, pieces
from hesperus.records.importers.texts import text_of
from hesperus.tables import decode

START = b'{"doc_id": '
"""How a row of the harness begins."""

LAST = (1 << 63) - 1
"""The greatest number of a row that a column can hold."""

_ARGUMENTS, _RESPS, _FILTERED = b', "arguments": ', b', "resps": ', b', "filtered_resps": '
_END = b'], "'

_NUMBER = r"-?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|(?i:inf(?:inity)?|nan))"

_SCORE = rf'"?{_NUMBER}"?'
_SCORES = rf'^\[(?:(?:\[{_SCORE}(?:, "?(?:True|False|true|false)"?)?\]|{_SCORE})(?:, )?)*\]$'


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


class QuickRows:
    """Collects rows that look as the harness writes them: lists of Python values, until they make a frame."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._decoder = msgspec.json.Decoder(_row_type(layout))
        self._of_document: dict[str, Callable[[Any], Any]] = {
            f"field:{name}": attrgetter(f"f{place}") for place, name in enumerate(layout.fields)
        }
        self._of_row: dict[str, Callable[[Any], Any]] = {
            name: attrgetter(name) for name in ("target", "filter", "acc")
        }
        if not layout.choice:
            self._of_row["filtered"] = lambda row: row.filtered_resps[0]
            self._of_row["reply"] = lambda row: row.resps[0][0]
        self._forget()

    def _forget(self) -> None:
        self._numbers: list[int] = []
        self._scores: list[bytes] = []
        self._values: dict[str, list[Any]] = {name: [] for name in (*self._of_document, *self._of_row)}

    def __len__(self) -> int:
        return len(self._numbers)

    def take(self, piece: Piece) -> bool:
        """Take the rows of a piece; where one looks otherwise, take none and say False."""
        if piece.elements is not None or self._layout.texts:
            return False
        cut = _cut_scores(piece) if self._layout.choice else _cut_replies(piece)
        if cut is None:
            return False
        kept, scores = cut
        parsed = b"".join(kept)
        try:
            rows: list[Any] = self._decoder.decode_lines(parsed)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        if self._layout.choice and not (len(rows) == len(scores) and _are_scores(scores)):
            return False
        if any(self._was_cut(name, rows, parsed, piece) for name in ("target", "filter", "acc")):
            return False
        numbers = [row.doc_id for row in rows]
        if not _are_whole(piece, numbers):
            return False
        self._numbers += numbers
        self._scores += scores
        documents = [row.doc for row in rows]
        for name, value in self._of_document.items():
            self._values[name] += map(value, documents)
        for name, value in self._of_row.items():
            self._values[name] += map(value, rows)
        return True

    def _was_cut(self, name: str, rows: list[Any], parsed: bytes, piece: Piece) -> bool:
        """Whether a member was cut out of a row, as it is where the harness has prompts only."""
        if all(value is not None for value in map(self._of_row[name], rows)):
            return False
        key = f'"{self._layout.verdict if name == "acc" else name}":'.encode()
        return piece.data.count(key, 0, piece.stop) != parsed.count(key)

    def frame(self) -> pl.DataFrame:
        """The rows so far, with the columns of the layout; they are forgotten."""
        columns = {"doc_id": pl.Series(self._numbers, dtype=pl.Int64)}
        for name, values in self._values.items():
            columns[name] = _numbers(values) if name == "acc" else _texts(values)
        if self._layout.choice:
            texts = pl.Series(self._scores, dtype=pl.Binary).cast(pl.String)
            columns["scores"] = texts.str.extract_all(_NUMBER).cast(pl.List(pl.Float64), strict=False)
        self._forget()
        return pl.DataFrame(columns)


def _row_type(layout: Layout) -> type[msgspec.Struct]:
    """A row with the wanted fields; everything else in it is skipped without being made."""
    names = {f"f{place}": name for place, name in enumerate(layout.fields)}
    document = msgspec.defstruct("Document", [(name, Any, None) for name in names], rename=names, gc=False)
    number = Annotated[int, msgspec.Meta(ge=0, le=LAST)]
    fields: list[Any] = [("doc_id", number), ("doc", document)]
    fields += [(name, Any, None) for name in ("target", "filter", "acc")]
    if not layout.choice:
        one = msgspec.Meta(min_length=1)
        fields.append(("resps", Annotated[list[Annotated[list[Any], one]], one]))
        fields.append(("filtered_resps", Annotated[list[Any], one]))
    return msgspec.defstruct("Row", fields, kw_only=True, gc=False, rename={"acc": layout.verdict})


def _cut_scores(piece: Piece) -> tuple[list[bytes], list[bytes]] | None:
    """What is to be parsed of some lines, and the scores of each line."""
    kept: list[bytes] = []
    scores: list[bytes] = []
    data, start, last, size, skip = piece.data, 0, 0, piece.stop, len(_FILTERED)
    find, rfind = data.find, data.rfind
    while start < size:
        stop = find(b"\n", start, size)
        stop = size if stop < 0 else stop
        arguments = find(_ARGUMENTS, start, stop)
        filtered = rfind(_FILTERED, start, stop)
        end = find(_END, filtered + skip, stop)
        if not start < arguments < filtered < end:
            return None
        # The end of a row and the beginning of the next are cut out as one, which saves a sixth of the time.
        kept.append(data[last:arguments])
        scores.append(data[filtered + skip : end + 1])
        start, last = stop + 1, end + 1
    kept.append(data[last:size])
    return kept, scores


def _cut_replies(piece: Piece) -> tuple[list[bytes], list[bytes]] | None:
    """What is to be parsed of some lines: all but the arguments."""
    kept: list[bytes] = []
    data, start, last, size = piece.data, 0, 0, piece.stop
    while start < size:
        stop = data.find(b"\n", start, size)
        stop = size if stop < 0 else stop
        arguments = data.find(_ARGUMENTS, start, stop)
        resps = data.rfind(_RESPS, start, stop)
        if not start < arguments < resps:
            return None
        kept.append(data[last:arguments])
        start, last = stop + 1, resps
    kept.append(data[last:size])
    return kept, []


def _are_scores(scores: list[bytes]) -> bool:
    """Whether each is a list of numbers, alone or with whether they are greedy.

    Numbers are looked for anywhere in it; another value would be passed over, and the options behind it would move up.
    """
    if not all(map(bytes.isascii, scores)):
        return False
    return bool(pl.Series(scores, dtype=pl.Binary).cast(pl.String).str.contains(_SCORES).all())


def _are_whole(piece: Piece, numbers: list[int]) -> bool:
    """Whether no row was interrupted and followed by another on its line.

    Such a line would give the first row's question with the second row's scores. The number of the second row is then
    absent; only of the last line does no later number tell.
    """
    if not numbers:
        return True
    data, stop = piece.data, piece.stop
    if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        last = data.rfind(b"\n", 0, stop - 1) + 1
        return data.count(START, last, stop) == 1
    return data.count(START, 0, stop) == len(numbers)


def _texts(values: list[Any]) -> pl.Series:
    try:
        return pl.Series(values, dtype=pl.String, strict=True)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series([text_of(value) for value in values], dtype=pl.String)


def _numbers(values: list[Any]) -> pl.Series:
    try:
        return pl.Series(values, dtype=pl.Float64, strict=True)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series([number_of(value) for value in values], dtype=pl.Float64)


def number_of(value: object) -> float | None:
    """A JSON number as float; None for any other value, and for a whole number that no float can hold."""
    try:
        return float(value) if isinstance(value, int | float) else None
    except OverflowError:
        return None


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
