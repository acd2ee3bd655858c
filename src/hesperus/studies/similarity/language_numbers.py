"""Tables of one number per language, which users bring."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from math import isfinite
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import normalise
from hesperus.tables import read_table
from hesperus.types import Sense

_PARQUET = (".parquet", ".pq")


def read_numbers(
    path: Path, language: str, value: str, *, wanted: Collection[str] | None = None
) -> dict[str, float]:
    """Read a number for each language; rows without one are passed over.

    A table of the world's languages has rows that a study has no use for: what is wrong with them matters only where the
    study asks in that language. A row that bears a language's own tag wins over one with another name of it (zh over cmn).

    Args:
        path: CSV, or TSV by its ending, in UTF-8 with a header.
        language: Column of language tags, in any style.
        value: Column of numbers.
        wanted: Languages of the study, normalised; None if they are not known, and every row must then be in order.

    Returns:
        Language tag to number.

    Raises:
        UsageError: The file cannot be read.
        UnknownNameError: It lacks a column.
        DataError: A value that is no number, a language that does not exist, or one with two numbers; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the numbers of languages {path}: {error}") from None
    reader = csv.DictReader(text, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    for name in (language, value):
        if name not in (reader.fieldnames or ()):
            raise UnknownNameError(f"column of {path.name}", name, reader.fieldnames or ())
    own: dict[str, list[tuple[str, int]]] = {}
    other: dict[str, list[tuple[str, int]]] = {}
    for row in reader:
        if not row[value]:
            continue
        written = (row[language] or "").strip()
        try:
            tag = normalise(written)
        except UnknownNameError as error:
            if wanted is None:
                raise DataError(str(error), file=path, line=reader.line_num) from None
            continue
        (own if tag == written else other).setdefault(tag, []).append((row[value], reader.line_num))
    values: dict[str, float] = {}
    for tag in dict.fromkeys([*own, *other]):
        try:
            values[tag] = _number(tag, own.get(tag) or other[tag], path)
        except DataError:
            if wanted is None or tag in wanted:
                raise
    if not values:
        raise DataError(f"no language has a number in the column {value!r}", file=path)
    return values


def _number(tag: str, rows: Sequence[tuple[str, int]], path: Path) -> float:
    """The number of a language, which all its rows must agree on."""
    found: float | None = None
    for text, line in rows:
        try:
            number = float(text)
        except ValueError as error:
            raise DataError(str(error), file=path, line=line) from None
        if not isfinite(number):
            raise DataError(f"{text!r} is no finite number", file=path, line=line)
        if found not in (None, number):
            raise DataError(f"{tag!r} has two numbers", file=path, line=line)
        found = number
    if found is None:
        raise DataError(f"{tag!r} has no number", file=path)
    return found


def languages_of_records(paths: Sequence[str]) -> frozenset[str] | None:
    """The languages of the inputs in records; None if they cannot be told before the records are read in earnest."""
    found: set[str] = set()
    for path in paths:
        file = Path(path) / "records.parquet" if Path(path).is_dir() else Path(path)
        try:
            frame = pl.read_parquet(file, columns=["input"]) if file.suffix in _PARQUET else read_table(file)
            found |= {normalise(Sense.parse(code).language) for code in frame["input"].drop_nulls().unique()}
        except (OSError, ValueError, UsageError, DataError, pl.exceptions.PolarsError):
            return None
    return frozenset(found)
