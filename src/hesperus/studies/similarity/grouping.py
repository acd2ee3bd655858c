"""What users bring to a similarity study: groups of subjects, and tables of one number per language."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import isfinite
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError, refuse_unknown
from hesperus.languages import normalise
from hesperus.records.reading import records_file
from hesperus.strict_yaml import read_yaml_file
from hesperus.tables import read_table
from hesperus.text_files import read_text
from hesperus.types import Sense

SHIPPED = ("global-mmlu",)
"""Groupings that come with the package, by name."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which group each value of a column belongs to.

    Attributes:
        column: The column that is looked at, such as ``subject``.
        groups: New column to group to values.
        citation: Where the grouping comes from.
        counts: New column to group to the items that its source counts; empty where it counts none.
    """

    column: str
    groups: Mapping[str, Mapping[str, tuple[str, ...]]]
    citation: str = ""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def applied(self, records: pl.LazyFrame) -> pl.LazyFrame:
        """The records with a column for each grouping; null where a value is in no group."""
        columns = records.collect_schema().names()
        if self.column not in columns:
            raise UnknownNameError("column", self.column, columns, "a grouping looks at it")
        values = records.select(pl.col(self.column).drop_nulls().unique(maintain_order=True)).collect()[
            self.column
        ]
        keys = {value: _key(str(value)) for value in values}
        for name, groups in self.groups.items():
            if name in columns:
                raise DataError(f"the records have a column {name!r} already; a grouping cannot make another")
            of = {_key(value): group for group, values in groups.items() for value in values}
            known = {value: of[key] for value, key in keys.items() if key in of}
            if not known:
                shown = ", ".join(sorted(map(repr, keys))[:4])
                raise DataError(f"no value of {self.column!r} belongs to a group of {name!r} (found {shown})")
            column = pl.col(self.column).replace_strict(known, default=None, return_dtype=pl.String())
            records = records.with_columns(column.alias(name))
        return records


def grouping(name_or_path: str) -> Grouping:
    """A grouping by its name, or from a YAML file with `column` and `groups: {NEW COLUMN: {GROUP: [VALUE, …]}}`."""
    if name_or_path in SHIPPED:
        path: Path | Traversable = files("hesperus.studies.similarity") / f"{name_or_path}.yaml"
    elif name_or_path.endswith((".yaml", ".yml")):
        path = Path(name_or_path)
    else:
        raise UnknownNameError("grouping", name_or_path, SHIPPED, "or give the path of a YAML file")
    return _read(read_yaml_file(path, "grouping", file=name_or_path).value, name_or_path)


def _read(values: object, file: str) -> Grouping:
    groups = values.get("groups") if isinstance(values, dict) else None
    if (
        not isinstance(values, dict)
        or not isinstance(values.get("column"), str)
        or not isinstance(groups, dict)
    ):
        raise DataError("a grouping has `column` and `groups: {NEW COLUMN: {GROUP: [VALUE, …]}}`", file=file)
    read: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, held in groups.items():
        if not isinstance(held, dict) or not all(isinstance(many, list) for many in held.values()):
            raise DataError("expected groups, each a list of values", file=file, field=f"groups.{name}")
        read[str(name)] = {str(group): tuple(map(str, many)) for group, many in held.items()}
        seen: set[str] = set()
        for group, many in read[str(name)].items():
            for value in many:
                if _key(value) in seen:
                    raise DataError(f"{value!r} is in two groups", file=file, field=f"groups.{name}.{group}")
                seen.add(_key(value))
    return Grouping(values["column"], read, str(values.get("citation", "")), values.get("counts") or {})


def _key(value: str) -> str:
    """One form for `High School Mathematics`, `high_school_mathematics` and `high-school mathematics`."""
    return re.sub(r"[\s_-]+", "_", value.strip().casefold())


_PARQUET = (".parquet", ".pq")


def read_numbers(
    path: Path, language: str, value: str, *, wanted: Collection[str] | None = None
) -> dict[str, float]:
    """Read a number for each language; rows without one are passed over.

    A table of the world's languages has rows that a study has no use for: what is wrong with them matters only where the
    study asks in that language. A row that bears a language's own tag wins over one with another name of it (zh over cmn).

    `wanted` are the languages of the study; None: they are not known, and every row must then be in order.
    """
    text = read_text(path, "numbers of languages").splitlines()
    reader = csv.DictReader(text, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    refuse_unknown(f"column of {path.name}", (language, value), reader.fieldnames or ())
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
        try:
            file = records_file(Path(path))
            frame = pl.read_parquet(file, columns=["input"]) if file.suffix in _PARQUET else read_table(file)
            found |= {normalise(Sense.parse(code).language) for code in frame["input"].drop_nulls().unique()}
        except (OSError, ValueError, UsageError, DataError, pl.exceptions.PolarsError):
            return None
    return frozenset(found)
