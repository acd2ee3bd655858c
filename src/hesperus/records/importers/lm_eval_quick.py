r"""The rows of an lm-evaluation-harness log, quickly.

Most bytes of such a log are prompts (`arguments`), which nothing here needs. The harness writes the keys of a row in
one order and with one spacing, so the parts that matter are cut out as bytes first and only they are parsed, many rows
at a time. A quote inside a JSON string is always written ``\"``: ``, "arguments": `` can therefore only be a key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any

import msgspec
import polars as pl

from hesperus.records.importers.lines import Piece
from hesperus.records.importers.texts import text_of

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
