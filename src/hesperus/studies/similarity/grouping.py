"""Groups of subjects as columns of the records: a small file says which subject belongs where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UnknownNameError
from hesperus.strict_yaml import read_yaml_file

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

    def applied(self, records: pl.DataFrame) -> pl.DataFrame:
        """The records with a column for each grouping; null where a value is in no group.

        Raises:
            UnknownNameError: The records lack the column that is looked at.
            DataError: They have a column of a group's name already, or no value belongs to any group.
        """
        if self.column not in records.columns:
            raise UnknownNameError("column", self.column, records.columns, "a grouping looks at it")
        keys = {value: _key(str(value)) for value in records[self.column].unique().drop_nulls()}
        for name, groups in self.groups.items():
            if name in records.columns:
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
    """A grouping by its name, or from a YAML file with `column` and `groups: {NEW COLUMN: {GROUP: [VALUE, …]}}`.

    Raises:
        UnknownNameError: No such grouping.
        UsageError: The file cannot be read.
        DataError: It breaks its contract; a value in two groups among others.
    """
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
