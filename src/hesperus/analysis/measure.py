"""A measure of records: a function, and what is declared of it. Listing, help, requirements and tables follow from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal

import polars as pl

from hesperus.analysis.settings import DEFAULT, MeasureSettings
from hesperus.analysis.table import Table

Unit = Literal["percentage", "points", "number", "score", "count"]
"""How values are written: a share in [0, 1] in per cent, a difference of shares in percentage points, as a number, as a score
from 0 to 100, as a whole number."""

Make = Callable[[pl.DataFrame, MeasureSettings], Table]
"""Makes a table of records, with every setting decided."""

UNITS: dict[str, Unit] = {}
"""Statistic to its unit, of the measures that declare theirs, as their files are loaded."""
_SETTINGS = tuple(one.name for one in fields(MeasureSettings) if one.name != "bootstrap")


@dataclass(frozen=True, slots=True)
class Statistic:
    """A value of the column `statistic`.

    Attributes:
        unit: How its values are written for people.
        help: What it means, one sentence.
        heading: What people call it; empty: its name.
    """

    unit: Unit = "number"
    help: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure. Call it with a records table, and settings where they are not the usual ones.

    Attributes:
        name: What it is called by.
        help: What it measures, one line.
        make: Its function.
        takes: Settings that decide its numbers, next to how intervals are made; the others are not in its signature.
        main: The statistic of a requirement that names none; empty: the only one that there is; None: it must name one.
        columns: Columns of the records that it needs besides those of the contract.
        rests_on_answers: Whether it is about answers as labels: the share answered is next to its numbers, and answers that
            are texts of their own are not counted.
        within_models: Whether each model's rows rest on that model's records alone.
        of_replies: Whether it looks at replies or counts their tokens, which packed records do not hold.
        statistics: Its statistics, in the order in which people see them; empty where reports know them.
    """

    name: str
    help: str
    make: Make
    takes: tuple[str, ...] = ("by",)
    main: str | None = ""
    columns: tuple[str, ...] = ()
    rests_on_answers: bool = False
    within_models: bool = False
    of_replies: bool = False
    statistics: Mapping[str, Statistic] = field(default_factory=dict)

    def __call__(self, records: pl.DataFrame, settings: MeasureSettings = DEFAULT) -> Table:
        """The table.

        Raises:
            UnknownNameError: A cell or column that the records do not have.
            UsageError: A column to group by that every row names anyway.
            DataError: The table is empty, or the records break what the measure needs.
        """
        others = {name: getattr(DEFAULT, name) for name in _SETTINGS if name not in self.takes}
        return self.make(records, replace(settings, **others))


def measure(
    name: str,
    *,
    help: str,
    takes: tuple[str, ...] = ("by",),
    main: str | None = "",
    columns: tuple[str, ...] = (),
    rests_on_answers: bool = False,
    within_models: bool = False,
    of_replies: bool = False,
    statistics: Mapping[str, Statistic] | None = None,
) -> Callable[[Make], Measure]:
    """Declare a measure: the function under it makes the table; the arguments are those of Measure.

    Example:
        >>> @measure("models", help="How many records each model has.", statistics={"records": Statistic("count")})
        ... def models(records, settings):
        ...     counts = records.group_by("model").len().sort("model").rows()
        ...     rows = [
        ...         {"model": model, "statistic": "records", "value": count, "n": count}
        ...         | dict.fromkeys(("low", "high", "reason")) | {"excluded": 0}
        ...         for model, count in counts
        ...     ]
        ...     return Table("models", tuple(rows[0]), tuple(rows), settings.signed())
        >>> models.name, models.takes
        ('models', ('by',))
    """
    UNITS.update({one: told.unit for one, told in (statistics or {}).items()})

    def declared(make: Make) -> Measure:
        return Measure(
            name,
            help,
            make,
            takes,
            main,
            columns,
            rests_on_answers,
            within_models,
            of_replies,
            statistics or {},
        )

    return declared
