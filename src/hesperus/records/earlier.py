"""What differs today in the numbers of a run that an earlier hesperus wrote: said once, never passed over in silence."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, EarlierRunWarning, UsageError
from hesperus.records.schema import SCHEMA_VERSION, VERSION_KEY
from hesperus.tables import DAMAGED
from hesperus.version import __version__

_INTERVALS = "intervals are of the Bayesian bootstrap, where they were of the percentile bootstrap (`--interval percentile` makes those)"


def known_version(file: Path) -> int:
    """The version of the records table to which a Parquet file was written; today's where it does not say.

    Raises:
        DataError: It is a later version than this hesperus knows.
    """
    version = pl.read_parquet_metadata(file).get(VERSION_KEY, str(SCHEMA_VERSION))
    if not version.isdecimal() or int(version) > SCHEMA_VERSION:
        raise DataError(
            f"written to version {version!r} of the records table, this hesperus reads up to {SCHEMA_VERSION}; "
            "update hesperus",
            file=file,
        )
    return int(version)


def refuse_to_replace(file: Path) -> None:
    """Refuse to write over records of a later version, of which this hesperus cannot tell what would be lost.

    Raises:
        DataError: The file holds such records.
    """
    with suppress(*DAMAGED):  # no Parquet file of records: there is nothing to lose
        if file.is_file():
            known_version(file)


def warn_of_records(file: Path, version: int) -> None:
    """Warn of a records file of an earlier version; silent for one of today's."""
    if version < SCHEMA_VERSION:
        said = (
            f"{file}: written by an earlier hesperus (version {version} of the records table) and measured by today's rules, so "
            "that numbers differ from those printed then: questions without a reply (error) are missing data and in no number, "
            f"where they counted as invalid; labels must be options of their items; {_INTERVALS}"
        )
        warnings.warn(said, EarlierRunWarning, stacklevel=2)


def warn_of_version(folder: Path) -> None:
    """Warn of a run that another version of hesperus wrote: its replies were read by the rules of that version.

    Args:
        folder: The run folder; one without a signature is not finished, which is said elsewhere.
    """
    made = _another_version(folder)
    if made is not None:
        said = (
            f"{folder}: written by hesperus {made}, by whose rules its replies were read; its numbers are made by the rules "
            f"of {__version__}. `hesperus reread` reads the replies again by these"
        )
        warnings.warn(said, EarlierRunWarning, stacklevel=2)


def refuse_to_mix(folder: Path) -> None:
    """Refuse to write over a run of another version: its replies were read by other rules, and its numbers may be printed.

    Args:
        folder: Where a run is to be written.

    Raises:
        UsageError: It holds a run of another version.
    """
    made = _another_version(folder)
    if made is not None:
        raise UsageError(
            f"{folder}: holds a run of hesperus {made}, which this one ({__version__}) would write over; give --out another "
            "folder, beside it: replies that are in the store are not asked for again"
        )


def _another_version(folder: Path) -> str | None:
    try:
        signature = json.loads((folder / "signature.json").read_text("utf-8"))
        made = signature.get("reread", signature)["hesperus"]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return made if isinstance(made, str) and made != __version__ else None


def warn_of_study(folder: Path, study: Mapping[str, object], records: Path) -> None:
    """Warn of a study that was resolved before intervals had a method; silent where its records were warned of.

    Args:
        folder: The run folder.
        study: Its `study.yaml`.
        records: Its records file.
    """
    drawn = study.get("bootstrap")
    if (
        not isinstance(drawn, Mapping)
        or set(drawn) != {"resamples", "seed", "level"}
        or not records.is_file()
    ):
        return
    if known_version(records) == SCHEMA_VERSION:
        said = f"{folder}: its study was resolved by an earlier hesperus; {_INTERVALS}"
        warnings.warn(said, EarlierRunWarning, stacklevel=2)
