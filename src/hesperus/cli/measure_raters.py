"""The flags of `hesperus measure raters`, and what it does with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hesperus.measures import Bootstrap
    from hesperus.reports.table import Table

_PANEL = "For raters"

Unit = Annotated[
    list[str] | None,
    typer.Option(help="Column of what was rated; repeatable.", rich_help_panel=_PANEL),
]
Rater = Annotated[str | None, typer.Option(help="Column of who rated.", rich_help_panel=_PANEL)]
Rating = Annotated[str | None, typer.Option(help="Column of the rating.", rich_help_panel=_PANEL)]
Level = Annotated[str, typer.Option(help="nominal, ordinal, interval or ratio.", rich_help_panel=_PANEL)]
Scale = Annotated[
    str | None,
    typer.Option(metavar="LOW:HIGH", help="Refuse ratings outside, e.g. 1:5.", rich_help_panel=_PANEL),
]
Order = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="Names of ordered ratings, lowest first.", rich_help_panel=_PANEL),
]
Duplicates = Annotated[
    str,
    typer.Option(
        help="A unit rated twice by one rater, differently: error, first or last.", rich_help_panel=_PANEL
    ),
]
Confusion = Annotated[
    bool,
    typer.Option("--confusion", help="How often one said this and the other that.", rich_help_panel=_PANEL),
]


@dataclass(frozen=True, slots=True)
class RaterFlags:
    """What was given; see the options above."""

    unit: Sequence[str]
    rater: str | None
    rating: str | None
    level: str
    scale: str | None
    order: str | None
    duplicates: str
    confusion: bool

    def used(self) -> list[str]:
        """The flags that name something, which no other measure takes."""
        named = {"--unit": self.unit, "--rater": self.rater, "--rating": self.rating, "--scale": self.scale,
                 "--order": self.order, "--confusion": self.confusion}  # fmt: skip
        return [flag for flag, value in named.items() if value]


def measured_raters(
    path: Path,
    flags: RaterFlags,
    *,
    by: Sequence[str],
    bootstrap: Bootstrap,
    others: Mapping[str, object] = MappingProxyType({}),
) -> Table:
    """The table of raters.

    Args:
        path: The long table.
        flags: Columns, level, order.
        by: Columns by whose values everything is measured apart.
        bootstrap: How intervals over units are made.
        others: Flags that only measures of records take, such as ``--model``, to what was given; each must be empty.

    Raises:
        UsageError: A flag is missing, cannot be read, or is for records.
        DataError: See hesperus.reports.measured.raters.
    """
    from hesperus.errors import UsageError
    from hesperus.reports.measured.raters import RaterSettings, confusion_table, raters_table
    from hesperus.tables import read_table

    foreign = [flag for flag, value in others.items() if value]
    if foreign:
        raise UsageError(
            f"{', '.join(foreign)} chooses among records, and raters measures a table of ratings; keep the rows you want "
            "in the table, or measure groups apart (--by COLUMN)"
        )
    if not flags.unit or flags.rater is None or flags.rating is None:
        raise UsageError(
            "raters needs the columns of the table: --unit COLUMN --rater COLUMN --rating COLUMN"
        )
    settings = RaterSettings(
        tuple(flags.unit), flags.rater, flags.rating,
        level=flags.level,  # type: ignore[arg-type]  # checked by the settings themselves
        by=tuple(by),
        scale=scale_of(flags.scale) if flags.scale is not None else None,
        order=tuple(name.strip() for name in flags.order.split(",")) if flags.order else (),
        duplicates=flags.duplicates,  # type: ignore[arg-type]
        bootstrap=bootstrap,
    )  # fmt: skip
    make = confusion_table if flags.confusion else raters_table
    return make(read_table(path), settings, file=path)


def scale_of(text: str) -> tuple[float, float]:
    """LOW:HIGH as two numbers.

    Raises:
        UsageError: It is no scale.
    """
    from hesperus.errors import UsageError

    low, _, high = text.partition(":")
    try:
        ends = float(low), float(high)
    except ValueError:
        raise UsageError(f"--scale is LOW:HIGH, such as 1:5, not {text!r}") from None
    if not ends[0] < ends[1]:
        raise UsageError(f"--scale begins with its lowest rating, not {text!r}")
    return ends
