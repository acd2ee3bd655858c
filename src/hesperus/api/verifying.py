"""Numbers that a bundle claims, made again from what it holds: no model is asked, and nothing leaves the machine."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from hesperus.analysis.description import described
from hesperus.errors import DataError, HesperusError

if TYPE_CHECKING:
    from hesperus.evidence.bundle import Bundle
    from hesperus.evidence.claims import Difference, Document

_MOST_WORK = 1_000_000
"""Resamples and permutations beyond which a bundle is refused: a stranger's file shall not keep a machine busy for days."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of the numbers of a bundle.

    Attributes:
        id: Of the bundle (see hesperus.evidence.bundle.Bundle.id).
        numbers: How many numbers were compared.
        tables: How many tables.
        differences: Files and values that are not what the bundle says; empty where all is well.
        notes: What else to know: another version, hashes in the place of texts.
    """

    id: str
    numbers: int
    tables: int
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether every file and every number is as claimed."""
        return not self.differences

    def __str__(self) -> str:
        whole = f"{self.numbers:,} numbers in {self.tables} tables"
        if self.passed:
            return f"verified: {whole} come out as claimed (bundle {self.id})"
        return (
            f"not verified: of {whole}, {len(self.differences):,} values or files differ (bundle {self.id})"
        )


def verify(place: Path | str) -> Verification:
    """Recompute every number of a bundle: what `hesperus verify` does. Nothing of the bundle is executed.

    Args:
        place: The file that `hesperus bundle` wrote.

    Raises:
        UsageError: There is no such file.
        DataError: It is no bundle, is damaged beyond reading, or holds what no bundle holds.
    """
    from hesperus.evidence.bundle import read_bundle
    from hesperus.evidence.claims import Difference, count_numbers, differences

    held = read_bundle(Path(place))
    claims = held.claims
    wrong = [Difference(name, "", why, None, None) for name, why in held.damaged.items()]
    try:
        count = count_numbers(claims)
        found, absent = _again(held)
        wrong += [Difference(name, "", absent[name], "a table", None) for name in claims if name in absent]
        kept = {name: document for name, document in claims.items() if name not in absent}
        unclaimed = held.manifest.get("absent")
        known = unclaimed if isinstance(unclaimed, dict) else {}
        wrong += differences(kept, {name: table for name, table in found.items() if name not in known})
    except RecursionError:
        raise DataError("is nested too deeply to be read", file=Path(place)) from None
    except DataError as error:
        if not wrong:
            raise
        wrong.append(Difference(str(error), "", "", None, None))
    return Verification(held.id, count, len(claims), tuple(wrong), tuple(_notes(held)))


def _again(held: Bundle) -> tuple[Mapping[str, Document], Mapping[str, str]]:
    """The tables made anew, and why others could not be made.

    Raises:
        DataError: The run cannot be read or measured.
    """
    from hesperus.api.bundling import SETTINGS, claimed
    from hesperus.evidence.bundle import MANIFEST, unpacked_run

    settings = held.manifest.get("settings")
    if not isinstance(settings, dict) or any(name not in SETTINGS for name in settings):
        raise DataError(f"its settings are not of {', '.join(SETTINGS)}", file=MANIFEST)
    _refuse_work(settings, MANIFEST)
    with tempfile.TemporaryDirectory() as folder:
        run = unpacked_run(held.files, held.tables, Path(folder))
        if run.is_dir():
            _refuse_work(described(run).study, "study.yaml")
        try:
            return claimed(run, settings)
        except (
            HesperusError,
            ValueError,
            TypeError,
            LookupError,
            ArithmeticError,
            pl.exceptions.PolarsError,
        ) as error:
            # A changed file can break any assumption; what it breaks is the file's fault.
            raise DataError(f"its run cannot be measured: {_without(str(error), folder)}") from None


def _refuse_work(value: object, file: str) -> None:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in ("resamples", "permutations") and not (inner is None or _is_bearable(inner)):
                raise DataError(f"is not a whole number up to {_MOST_WORK:,}", file=file, field=name)
            _refuse_work(inner, file)


def _is_bearable(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_WORK


def _without(text: str, folder: str) -> str:
    return text.replace(f"{folder}/", "run/").replace(folder, "run")


def _notes(held: Bundle) -> list[str]:
    from hesperus.evidence.bundle import environment
    from hesperus.version import __version__

    notes = []
    if held.manifest.get("hesperus") != __version__:
        notes.append(f"made by hesperus {held.manifest.get('hesperus')}, verified by {__version__}")
    made, own = held.manifest.get("environment"), environment()
    if isinstance(made, dict):
        other = [
            f"{name} {made[name]} there, {own[name]} here"
            for name in own
            if made.get(name) != own[name] and name in made
        ]
        notes += [f"another environment: {'; '.join(other)}"] if other else []
    if held.manifest.get("texts") == "hashed":
        notes.append("texts are hashes: what reads texts is not claimed")
    return notes
