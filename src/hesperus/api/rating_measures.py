"""What people said of texts, from a long table of ratings: how far they agree, and what they chose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hesperus.analysis.table import Table


def measure_ratings(
    ratings: Path | str,
    what: str = "raters",
    *,
    by: Sequence[str] = (),
    unit: Sequence[str] = (),
    rater: str | None = None,
    rating: str | None = None,
    questions: Sequence[str] = (),
    level: str | None = None,
    scale: str | None = None,
    order: str | None = None,
    duplicates: str = "error",
    confusion: bool = False,
    **settings: Any,
) -> Table:
    """Measure a table of ratings: what `hesperus measure raters` and `categories` print.

    Args:
        ratings: The long table; columns that are not named are those of an export: unit, rater, rating.
        what: `raters` (how far they agree) or `categories` (what they chose).
        by: Columns that split the units; everything is measured for each value.
        unit: Column of what was rated.
        rater: Column of who rated.
        rating: Column of the rating.
        questions: Only ratings of this question. Questions are never pooled.
        level: nominal, ordinal, interval or ratio (default: the column `level` of the table, as an export has it).
        scale: LOW:HIGH: refuse ratings outside (default of an audit: 1:5).
        order: A,B,C: names of ordered ratings, lowest first.
        duplicates: A unit rated twice by one rater, differently: error, first or last.
        confusion: How often one said this and the other that.
        settings: `resamples`, `seed`, `interval` of hesperus.analysis.settings.GivenSettings.

    Raises:
        UsageError: A column is not named, or a setting cannot be read.
        DataError: See hesperus.analysis.raters.
    """
    from hesperus.analysis.raters import categories_table, confusion_table, raters_table
    from hesperus.analysis.rating_tables import RaterSettings
    from hesperus.analysis.settings import GivenSettings, resolve_bootstrap
    from hesperus.annotation.rating_columns import command_for
    from hesperus.annotation.scales import scale_of
    from hesperus.errors import UsageError
    from hesperus.measures import Bootstrap
    from hesperus.tables import read_table

    path = Path(ratings)
    frame = read_table(path)
    columns = (tuple(unit) or ("unit",), rater or "rater", rating or "rating")
    is_named = bool(unit) and rater is not None and rating is not None
    if not is_named and not {*columns[0], *columns[1:]} <= set(frame.columns):
        command = command_for(frame, path, what)
        raise UsageError(
            f"{what} needs the columns of the table: --unit COLUMN --rater COLUMN --rating COLUMN; {path} has "
            f"{', '.join(frame.columns)}" + (f"; by their looks: {command}" if command else "")
        )
    asked = RaterSettings(
        *columns,
        level=level,  # type: ignore[arg-type]  # checked by the settings themselves
        by=tuple(by),
        questions=tuple(questions),
        scale=None if scale is None else scale_of(scale),
        order=tuple(name.strip() for name in order.split(",")) if order else (),
        duplicates=duplicates,  # type: ignore[arg-type]
        bootstrap=resolve_bootstrap(GivenSettings.of(**settings), {}, Bootstrap()),
    )
    make = categories_table if what == "categories" else confusion_table if confusion else raters_table
    return make(frame, asked, file=path)
