"""From a run folder, a records file or any table to the units of a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.annotation.scheme import Scheme
from hesperus.annotation.snippets import gathered, snippets_frame
from hesperus.annotation.unit_tables import Draw, Mapped, drawn, read_frame, units_from_frame
from hesperus.annotation.units import Sheet
from hesperus.annotation.units_of_runs import changed_frame, readings_frame, sides_frame
from hesperus.errors import DataError, UsageError
from hesperus.records import REQUIRED, Run, read_records, read_run
from hesperus.text_files import read_json


@dataclass(frozen=True, slots=True)
class Source:
    """Where units come from.

    Attributes:
        path: Run folder, records file or table.
        a: For a run: sense that is the source, e.g. en.
        b: For a run: sense that is judged, e.g. zh or de_from_en.
        changed: For a run: only items with different answers in the two.
        outcomes: For replies: only those with this outcome.
        snippets: Cut lists of sentences, or an evaluation's sentences.parquet, into snippets of 1 to 4.
    """

    path: Path
    a: str | None = None
    b: str | None = None
    changed: bool = False
    outcomes: Sequence[str] = ()
    snippets: bool = False


def sheet_from(
    source: Source, scheme: Scheme, *, mapped: Mapped | None = None, draw: Draw | None = None, seed: int = 0
) -> tuple[Sheet, tuple[str, ...]]:
    """Make a sheet.

    Args:
        source: Where the units come from.
        scheme: What is shown and asked.
        mapped: Which column is what; what is not mapped is looked for under its own name.
        draw: How many units of which strata; None takes all.
        seed: Seed of the raters' orders and of where snippets are cut.

    Returns:
        The sheet, and notes: what was drawn of what, and strata that had too few.

    Raises:
        UsageError: The source does not fit the scheme.
        DataError: A file or row breaks its contract.
    """
    mapped, draw = mapped or Mapped(), draw or Draw()
    frame = _frame(source, scheme)
    if source.snippets:
        frame = _snippets(frame, mapped, seed)
        kept = {
            role: names for role, names in mapped.columns.items() if role not in ("unit", "source", "text")
        }
        mapped = Mapped(kept, mapped.languages, mapped.labels)
    units = units_from_frame(frame, scheme, mapped, file=source.path)
    taken, notes = drawn(units, draw)
    if len(taken) < len(units):
        notes = (f"{len(taken)} of {len(units)} units drawn with seed {draw.seed}", *notes)
    return Sheet(scheme, taken, seed), notes


def _snippets(frame: pl.DataFrame, mapped: Mapped, seed: int) -> pl.DataFrame:
    """Snippets of lists of sentences, or of a table that has a row for each sentence."""
    unit, *others = mapped.columns.get("unit", [_id_column(frame)])
    if others:
        raise UsageError("snippets need one column as the id of a text")
    texts = {name: next(iter(mapped.columns.get(name, [name]))) for name in ("source", "text")}
    if "sentence" not in frame.columns or "unit" in mapped.columns:
        return snippets_frame(frame, unit=unit, seed=seed, **texts)
    if "text" not in mapped.columns and "text" not in frame.columns:
        texts["text"] = "translation"
    return snippets_frame(gathered(frame, **texts), unit="unit", seed=seed)


def _id_column(frame: pl.DataFrame) -> str:
    return next((name for name in ("unit", "item", "id") if name in frame.columns), "unit")


def _frame(source: Source, scheme: Scheme) -> pl.DataFrame:
    shows = {shown.name for shown in scheme.shows}
    is_run = source.path.is_dir()
    if "reply" in shows and (is_run or _holds_records(source.path)):
        run = read_run(source.path) if is_run else Run(read_records(source.path))
        return readings_frame(run, outcomes=source.outcomes)
    if source.outcomes:
        raise UsageError(f"outcomes choose among replies, and {scheme.name} reads none from {source.path}")
    if not is_run:
        if source.a or source.b or source.changed:
            raise UsageError(
                f"{source.path} is no run folder: the two senses of --a and --b are those of a run"
            )
        return read_frame(source.path)
    if source.a is None or source.b is None:
        raise UsageError("a run needs two senses: --a (the source) and --b (what is judged)")
    run = read_run(source.path)
    frame = (changed_frame if source.changed else sides_frame)(run, source.a, source.b)
    return _with_strata(frame, source.path / STRATA_FILE)


STRATA_FILE = "strata.json"
"""Where an audit keeps which items are in which stratum."""


def _with_strata(frame: pl.DataFrame, file: Path) -> pl.DataFrame:
    """The units with the column ``stratum``, where the run folder has strata; null for items that are in none."""
    if "stratum" in frame.columns or not file.is_file():
        return frame
    try:
        strata = read_json(file, "strata")["items"]
        places = {str(item): str(name) for name, items in strata.items() for item in items}
    except (KeyError, TypeError, AttributeError):
        raise DataError("is no file of strata, as `hesperus tax strata` writes it", file=file) from None
    return frame.with_columns(
        stratum=pl.col("item").replace_strict(places, default=None, return_dtype=pl.String)
    )


def _holds_records(path: Path) -> bool:
    return set(REQUIRED) <= set(read_frame(path).columns)
