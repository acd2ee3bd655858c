"""Tables of one number per language, which users bring."""

from __future__ import annotations

import csv
from math import isfinite
from pathlib import Path

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import normalise


def read_numbers(path: Path, language: str, value: str) -> dict[str, float]:
    """Read a number for each language; rows without one are passed over.

    Args:
        path: CSV, or TSV by its ending, in UTF-8 with a header.
        language: Column of language tags, in any style.
        value: Column of numbers.

    Raises:
        UsageError: The file cannot be read.
        UnknownNameError: It lacks a column.
        DataError: A number that is none, a language that does not exist, or one with two numbers; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the numbers of languages {path}: {error}") from None
    values: dict[str, float] = {}
    reader = csv.DictReader(text, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    for name in (language, value):
        if name not in (reader.fieldnames or ()):
            raise UnknownNameError(f"column of {path.name}", name, reader.fieldnames or ())
    for row in reader:
        if not row[value]:
            continue
        try:
            tag, number = normalise(row[language] or ""), float(row[value])
        except (ValueError, UnknownNameError) as error:
            raise DataError(str(error), file=path, line=reader.line_num) from None
        if not isfinite(number):
            raise DataError(f"{row[value]!r} is no finite number", file=path, line=reader.line_num)
        if values.setdefault(tag, number) != number:
            raise DataError(f"{tag!r} has two numbers", file=path, line=reader.line_num)
    if not values:
        raise DataError(f"no language has a number in the column {value!r}", file=path)
    return values
