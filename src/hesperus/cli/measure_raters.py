"""The flags of `hesperus measure raters`, and what it does with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from hesperus.cli.said import say

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.measures import Bootstrap


@dataclass(frozen=True, slots=True)
class RaterFlags:
    """The flags of a table of ratings."""

    panel: ClassVar[str] = "For raters"

    unit: Annotated[
        list[str] | None,
        typer.Option(help="Column of what was rated; repeatable."),
    ] = None
    rater: Annotated[str | None, typer.Option(help="Column of who rated.")] = None
    rating: Annotated[str | None, typer.Option(help="Column of the rating.")] = None
    question: Annotated[
        list[str] | None,
        typer.Option(help="Only ratings of this question; repeatable. Questions are never pooled."),
    ] = None
    level: Annotated[
        str | None,
        typer.Option(
            help="nominal, ordinal, interval or ratio (default: the column `level` of the table, as an export has it)."
        ),
    ] = None
    scale: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="Refuse ratings outside, e.g. 1:5."),
    ] = None
    order: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="Names of ordered ratings, lowest first."),
    ] = None
    duplicates: Annotated[
        str,
        typer.Option(help="A unit rated twice by one rater, differently: error, first or last."),
    ] = "error"
    confusion: Annotated[
        bool,
        typer.Option("--confusion", help="How often one said this and the other that."),
    ] = False

    def used(self) -> list[str]:
        """The flags that name something, which no other measure takes."""
        named = {"--unit": self.unit, "--rater": self.rater, "--rating": self.rating, "--scale": self.scale,
                 "--order": self.order, "--confusion": self.confusion, "--level": self.level, "--question": self.question}  # fmt: skip
        return [flag for flag, value in named.items() if value]


def measured_raters(
    path: Path,
    flags: RaterFlags,
    *,
    what: str = "raters",
    by: Sequence[str],
    bootstrap: Bootstrap,
    others: Mapping[str, object] = MappingProxyType({}),
) -> Table:
    """The table of raters, or of the categories that they chose.

    Args:
        path: The long table.
        flags: Columns, level, order; columns that are not named are those of an export: unit, rater, rating.
        what: ``raters`` or ``categories``.
        by: Columns that split the units; everything is measured for each value.
        bootstrap: How intervals over units are made.
        others: Flags that only measures of records take, such as ``--model``, to what was given; each must be empty.

    Raises:
        UsageError: A flag is missing, cannot be read, or is for records.
        DataError: See hesperus.analysis.raters.
    """
    from hesperus.analysis.raters import categories_table, confusion_table, raters_table
    from hesperus.analysis.rating_tables import RaterSettings
    from hesperus.annotation.scales import scale_of
    from hesperus.errors import UsageError
    from hesperus.tables import read_table

    foreign = [flag for flag, value in others.items() if value]
    if foreign:
        raise UsageError(
            f"{', '.join(foreign)} chooses among records, and {what} measures a table of ratings; keep the rows you want "
            "in the table, or measure groups apart (--by COLUMN)"
        )
    frame = read_table(path)
    unit, rater, rating = flags.unit or ("unit",), flags.rater or "rater", flags.rating or "rating"
    if not {*unit, rater, rating} <= set(frame.columns) and None in (
        flags.unit or None,
        flags.rater,
        flags.rating,
    ):
        raise UsageError(
            f"{what} needs the columns of the table: --unit COLUMN --rater COLUMN --rating COLUMN; {path} has "
            f"{', '.join(frame.columns)}"
        )
    settings = RaterSettings(
        tuple(unit), rater, rating,
        level=flags.level,  # type: ignore[arg-type]  # checked by the settings themselves
        by=tuple(by),
        questions=tuple(flags.question or ()),
        scale=scale_of(flags.scale) if flags.scale is not None else None,
        order=tuple(name.strip() for name in flags.order.split(",")) if flags.order else (),
        duplicates=flags.duplicates,  # type: ignore[arg-type]
        bootstrap=bootstrap,
    )  # fmt: skip
    make = categories_table if what == "categories" else confusion_table if flags.confusion else raters_table
    found = make(frame, settings, file=path)
    notes = found.signature.get("notes")
    for line in notes if isinstance(notes, list) else ():
        say(f"note: {line}")
    return found
