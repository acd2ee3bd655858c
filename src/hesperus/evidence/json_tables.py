"""Tables as lines of JSON, which any language can read in any year, and back with the types that they had."""

from __future__ import annotations

import io
from collections.abc import Mapping

import orjson
import polars as pl

from hesperus.errors import DataError

_KINDS: Mapping[str, pl.DataType] = {
    "text": pl.String(), "boolean": pl.Boolean(), "int32": pl.Int32(), "int64": pl.Int64(), "float64": pl.Float64(),
    "nothing": pl.Null(), "texts": pl.List(pl.String()), "numbers": pl.List(pl.Float64()),
}  # fmt: skip
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_lines(frame: pl.DataFrame, file: object = None) -> tuple[bytes, dict[str, str]]:
    """Write a table as one JSON object a line.

    Returns:
        The lines, and the kind of each column.

    Raises:
        DataError: A column is of a kind that a bundle does not hold.
    """
    frame = frame.with_columns(
        *(pl.col(name).cast(_wider(kind)) for name, kind in frame.schema.items() if kind not in _NAMES)
    )
    kinds: dict[str, str] = {}
    for name, kind in frame.schema.items():
        if kind not in _NAMES:
            raise DataError(f"is of the kind {kind}, which a bundle does not hold", file=file, field=name)
        kinds[name] = _NAMES[kind]
    written = b"".join(
        orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in frame.iter_rows(named=True)
    )
    return written, kinds


def _wider(kind: pl.DataType) -> pl.DataType:
    if kind.is_integer():
        return pl.Int64()
    if kind.is_float():
        return pl.Float64()
    return pl.String() if isinstance(kind, pl.Categorical | pl.Enum) else kind


def from_lines(lines: bytes, kinds: Mapping[str, str], file: object = None) -> pl.DataFrame:
    """The table again, with the columns in their order.

    Raises:
        DataError: A line is no JSON object of these columns and kinds.
    """
    for name, kind in kinds.items():
        if kind not in _KINDS:
            raise DataError(f"unknown kind of column: {kind!r}", file=file, field=name)
    schema = {name: _KINDS[kind] for name, kind in kinds.items()}
    rows = []
    for number, line in enumerate(io.BytesIO(lines), start=1):
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise DataError(f"not JSON: {error.msg}", file=file, line=number) from None
        if not isinstance(row, dict) or list(row) != list(schema):
            raise DataError("expected an object with the columns of the manifest", file=file, line=number)
        rows.append(tuple(row.values()))
    try:
        return pl.DataFrame(rows, schema=schema, orient="row", strict=True)
    except (pl.exceptions.PolarsError, TypeError, OverflowError) as error:
        said = (str(error).splitlines() or ["?"])[0]
        raise DataError(f"a value is not of the kind of its column: {said}", file=file) from None
