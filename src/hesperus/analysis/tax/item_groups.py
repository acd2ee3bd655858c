"""Groups of items by columns of the records (`--by`): which group each item is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from hesperus.analysis.views import json_cell, refuse_groups
from hesperus.errors import DataError, UsageError

Group = tuple[object, ...]
"""The values of the columns, in their order."""

ItemKey = tuple[str, str]
"""Task and item."""


def grouped_columns(by: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of a table that is grouped.

    Raises:
        UsageError: The table has a column of that name already, which means something else.
    """
    for name in by:
        if name in columns:
            raise UsageError(f"the table has a column {name!r} of its own; group by another column")
    return (*by, *columns)


def group_of_items(records: pl.DataFrame, by: Sequence[str]) -> dict[ItemKey, Group]:
    """Task and item to the group that the item is in; empty without columns.

    An item is in one group on every side of a comparison. A row without a value, as on a side that another tool made, says
    nothing; an item of which no row has one is in the group None.

    Raises:
        UnknownNameError: A column does not exist.
        UsageError: A column that every row names anyway.
        DataError: Rows of one item are in different groups.
    """
    if not by:
        return {}
    refuse_groups(records, by)
    values = records.group_by("task", "item").agg(pl.col(name).drop_nulls().unique() for name in by)
    found: dict[ItemKey, Group] = {}
    for task, item, *held in values.iter_rows():
        for name, several in zip(by, held, strict=True):
            if len(several) > 1:
                said = ", ".join(sorted(map(repr, several)))
                raise DataError(
                    f"has several values of {name!r}: {said}; a tax compares the sides of an item, so group by what is the "
                    "same on all of them",
                    item=str(item),
                )
        found[str(task), str(item)] = tuple(json_cell(several[0]) if several else None for several in held)
    return found


def groups_in_order(groups: Iterable[Group]) -> list[Group]:
    """Different groups, sorted by their values as text, None first."""
    return sorted(set(groups), key=lambda group: tuple((value is not None, str(value)) for value in group))
