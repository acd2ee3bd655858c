r"""The rows of an lm-evaluation-harness log, quickly.

Most bytes of such a log are prompts (`arguments`), which nothing here needs. The harness writes the keys of a row in
one order and with one spacing, so the parts that matter are cut out as bytes first and only they are parsed, many rows
at a time. A quote inside a JSON string is always written ``\"``: ``, "arguments": `` can therefore only be a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any

import msgspec
import polars as pl

from hesperus.records.importers.lines import Piece
from hesperus.records.importers.texts import text_of

START = b'{"doc_id": '
"""How a row of the harness begins."""

_ARGUMENTS, _RESPS, _FILTERED = b', "arguments": ', b', "resps": ', b', "filtered_resps": '
_END = b'], "'

_NUMBER = r"-?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|(?i:inf(?:inity)?|nan))"


@dataclass(frozen=True, slots=True)
class Layout:
    """What is wanted of each row.

    Attributes:
        fields: Fields of the document.
        choice: True where options were scored, False where text was generated.
        texts: True where the texts of the options are wanted (slower: the prompts have to be parsed).
    """

    fields: tuple[str, ...]
    choice: bool
    texts: bool = False

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
    """Collects rows that look as the harness writes them; lists of Python values until they make a frame."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._decoder = msgspec.json.Decoder(_row_type(layout))
        self._rows: list[Any] = []
        self._scores: list[bytes] = []

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, piece: Piece) -> bool:
        """Take the rows of a piece; where one looks otherwise, take none and say False."""
        if piece.elements is not None or self._layout.texts:
            return False
        cut = _cut_scores(piece) if self._layout.choice else _cut_replies(piece)
        if cut is None:
            return False
        heads, scores = cut
        try:
            rows: list[Any] = self._decoder.decode_lines(b"".join(heads))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False
        if self._layout.choice and len(rows) != len(scores):
            return False
        if not _are_whole(piece, [row.doc_id for row in rows]):
            return False
        self._rows += rows
        self._scores += scores
        return True

    def frame(self) -> pl.DataFrame:
        """The rows so far, with the columns of the layout; they are forgotten."""
        rows, scores = self._rows, self._scores
        self._rows, self._scores = [], []
        documents = [row.doc for row in rows]
        columns: dict[str, pl.Series] = {"doc_id": pl.Series([row.doc_id for row in rows], dtype=pl.Int64)}
        for place, name in enumerate(self._layout.fields):
            columns[f"field:{name}"] = _texts(list(map(attrgetter(f"f{place}"), documents)))
        columns["target"] = _texts([row.target for row in rows])
        columns["filter"] = _texts([row.filter for row in rows])
        told = [float(row.acc) if isinstance(row.acc, int | float) else None for row in rows]
        columns["acc"] = pl.Series(told, dtype=pl.Float64)
        if self._layout.choice:
            texts = pl.Series(scores, dtype=pl.Binary).cast(pl.String)
            columns["scores"] = texts.str.extract_all(_NUMBER).cast(pl.List(pl.Float64), strict=False)
        else:
            columns["filtered"] = _texts([row.filtered_resps[0] for row in rows])
            columns["reply"] = _texts([row.resps[0][0] for row in rows])
        return pl.DataFrame(columns)


def _row_type(layout: Layout) -> type[msgspec.Struct]:
    """A row with the wanted fields; everything else in it is skipped without being made."""
    names = {f"f{place}": name for place, name in enumerate(layout.fields)}
    document = msgspec.defstruct("Document", [(name, Any, None) for name in names], rename=names, gc=False)
    fields: list[Any] = [("doc_id", int), ("doc", document), ("target", Any, None), ("filter", Any, None)]
    fields.append(("acc", Any, None))
    if not layout.choice:
        one = msgspec.Meta(min_length=1)
        fields.append(("resps", Annotated[list[Annotated[list[Any], one]], one]))
        fields.append(("filtered_resps", Annotated[list[Any], one]))
    return msgspec.defstruct("Row", fields, kw_only=True, gc=False)


def _cut_scores(piece: Piece) -> tuple[list[bytes], list[bytes]] | None:
    """Of each line: what is to be parsed, and its scores."""
    heads: list[bytes] = []
    scores: list[bytes] = []
    data, start, size, skip = piece.data, 0, piece.stop, len(_FILTERED)
    find, rfind = data.find, data.rfind
    while start < size:
        stop = find(b"\n", start, size)
        stop = size if stop < 0 else stop
        arguments = find(_ARGUMENTS, start, stop)
        filtered = rfind(_FILTERED, start, stop)
        end = find(_END, filtered + skip, stop)
        if not start < arguments < filtered < end:
            return None
        heads.append(data[start:arguments])
        heads.append(data[end + 1 : stop + 1])
        scores.append(data[filtered + skip : end + 1])
        start = stop + 1
    return heads, scores


def _cut_replies(piece: Piece) -> tuple[list[bytes], list[bytes]] | None:
    """Of each line what is to be parsed: all but the arguments."""
    heads: list[bytes] = []
    data, start, size = piece.data, 0, piece.stop
    while start < size:
        stop = data.find(b"\n", start, size)
        stop = size if stop < 0 else stop
        arguments = data.find(_ARGUMENTS, start, stop)
        resps = data.rfind(_RESPS, start, stop)
        if not start < arguments < resps:
            return None
        heads += (data[start:arguments], data[resps : stop + 1])
        start = stop + 1
    return heads, []


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
    except (TypeError, pl.exceptions.PolarsError):
        return pl.Series([text_of(value) for value in values], dtype=pl.String)
