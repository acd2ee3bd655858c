"""Numbers that a bundle claims, made again from what it holds: no model is asked, and nothing leaves the machine."""

from __future__ import annotations

import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from hesperus.analysis.run_kinds import described
from hesperus.errors import DataError, HesperusError, UsageError
from hesperus.evidence.bundle import MANIFEST, Bundle, environment, read_bundle, unpacked_run
from hesperus.evidence.page import is_page, page_claims
from hesperus.version import __version__

if TYPE_CHECKING:
    from hesperus.analysis.short_signature import ShortSignature
    from hesperus.analysis.table import Table
    from hesperus.evidence.claims import Difference, Document
    from hesperus.fingerprint import JSON

_COMPARE = "compare "
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
        if self.passed and not self.tables:
            return (
                "verified: the page shows what it was written with; it claims no table that a run makes again"
            )
        whole = f"{self.numbers:,} numbers in {'1 table' if self.tables == 1 else f'{self.tables} tables'}"
        which = f" (bundle {self.id})" if self.id else ""
        if self.passed:
            return f"verified: {whole} are as claimed{which}"
        lost = len(self.differences)
        told = "1 value or file differs" if lost == 1 else f"{lost:,} values or files differ"
        return f"not verified: of {whole}, {told}{which}"


def verify(
    place: Path | str,
    *,
    run: Path | str | None = None,
    id: str | None = None,
    signature: str | None = None,
) -> Verification:
    """Recompute every number of a bundle or page: what `hesperus verify` does. Nothing of either is executed.

    Args:
        place: What `hesperus bundle` or `hesperus report` wrote; with a signature also a run folder or records file.
        run: Of a page: the run or bundle that it is held to (default: the folder that it lies in). Of a signature of
            compare, or of check with a baseline: the first run.
        id: The id of the bundle that a paper prints.
        signature: The signature under a table: make that table alone, and hold it to the signature.

    Raises:
        UsageError: There is no such file, or it is not a signature.
        DataError: It is no bundle, is damaged beyond reading, or holds what no bundle holds.
    """
    from hesperus.evidence.claims import Difference, count_numbers, differences

    if signature is not None:
        return _signed(Path(place), id, signature, None if run is None else Path(run))
    if is_page(Path(place)):
        return _page(Path(place), Path(run) if run is not None else Path(place).parent, id)
    if run is not None:
        raise UsageError(f"{place} is no page, and only a page is held to a run")
    held = read_bundle(Path(place))
    claims = held.claims
    wrong = _of_bundle(held, id)
    try:
        count = count_numbers(claims)
        found, absent = _again(held, Path(place))
        wrong += [Difference(name, "", absent[name], "a table", None) for name in claims if name in absent]
        kept = {name: document for name, document in claims.items() if name not in absent}
        unclaimed = held.manifest.get("absent")
        known = unclaimed if isinstance(unclaimed, dict) else {}
        again = {name: table for name, table in found.items() if name not in known}
        other = held.manifest.get("hesperus") != __version__
        wrong += differences(kept, again, other_version=other)
    except RecursionError:
        raise DataError("is nested too deeply to be read", file=Path(place)) from None
    except DataError as error:
        if not wrong:
            raise
        wrong.append(Difference(str(error), "", "", None, None))
    return Verification(held.id, count, len(claims), tuple(wrong), tuple(_notes(held)))


def _signed(place: Path, id: str | None, signature: str, other: Path | None) -> Verification:
    """Make the one table of a signature, and hold it to its hash."""
    from hesperus.analysis.short_signature import ShortSignature, digest
    from hesperus.evidence.claims import Difference, count_numbers

    line = ShortSignature.parse(signature)
    _refuse_work(line.settings, "signature")
    with _opened(place, id) as (run, held):
        table = _of_line(line, run, other)
    found = _of_bundle(held, id)
    if digest(table) != line.digest:
        found.append(Difference(line.measure, "", "hash of the values", line.digest, digest(table)))
    version = [] if line.version == __version__ else [_made_by(line.version)]
    notes = tuple(version + (_notes(held) if held else []))
    count = count_numbers({line.measure: table.document()})
    return Verification(held.id if held else "", count, 1, tuple(found), notes)


def _of_line(line: ShortSignature, run: Path, other: Path | None) -> Table:
    """The table of a signature, made again: of a measure, of `compare`, of `check`."""
    from hesperus.api.checking import check
    from hesperus.api.measuring import measure
    from hesperus.api.run_comparison import compare

    settings: dict[str, Any] = dict(line.settings)
    if line.measure == "check":
        return check(run, settings.pop("require", ()), baseline=other, **settings)
    if not line.measure.startswith(_COMPARE):
        return measure(line.measure, run, **settings)
    if other is None:
        raise UsageError("the signature is of two runs: give the first as --run, as `compare` was given it")
    return compare(other, run, line.measure.removeprefix(_COMPARE), **settings)


def _page(page: Path, place: Path, id: str | None) -> Verification:
    """Hold what a page shows to what it claims, make the tables again that it claims, and compare every value."""
    from hesperus.analysis.measure_names import OF_RUNS
    from hesperus.api.bundling import SETTINGS, claimed
    from hesperus.evidence.claims import Difference, count_numbers, differences

    said, changed = page_claims(page)
    if unknown := [name for name in (*said.tables, *said.settings) if name not in (*OF_RUNS, *SETTINGS)]:
        raise DataError(f"its numbers name what there is none of: {unknown[0]!r}", file=page)
    _refuse_work(said.settings, str(page))
    other, wrong = said.version != __version__, list(changed)
    try:
        with _opened(place, id) as (run, held):
            of_texts = _of_texts(held, said.tables, page)
            tables = {name: table for name, table in said.tables.items() if name not in of_texts}
            found, absent = claimed(run, said.settings, tuple(tables)) if tables else ({}, {})
            if not other and held is None and said.is_of_run:
                wrong += _shown_otherwise(page, run, said.settings)
        wrong += _of_bundle(held, id)
        wrong += [Difference(name, "", why, "a table", None) for name, why in absent.items()]
        kept = {name: table for name, table in tables.items() if name not in absent}
        wrong += differences(kept, found, other_version=other)
        count = count_numbers(tables)
    except RecursionError:
        raise DataError("is nested too deeply to be read", file=page) from None
    notes = [_made_by(said.version)] if other else []
    notes += [f"{name} was not compared: {why}" for name, why in of_texts.items()]
    if other or held is not None or not said.is_of_run:
        notes.append(
            "what the page shows was compared with what it was written with, and only its main tables with the run"
        )
    own = held.id if held else ""
    return Verification(own, count, len(tables), tuple(wrong), tuple(notes + (_notes(held) if held else [])))


def _of_texts(held: Bundle | None, tables: Mapping[str, Document], page: Path) -> dict[str, str]:
    """Tables of a page that a bundle says it cannot make, and why: those that read texts, of which it has hashes."""
    absent = held.manifest.get("absent") if held is not None else None
    found = {name: str(absent[name]) for name in tables if name in absent} if isinstance(absent, dict) else {}
    if found and len(found) == len(tables):
        name, why = next(iter(found.items()))
        raise DataError(
            f"this bundle makes none of its tables again ({name}: {why}): give the run folder as --run",
            file=page,
        )
    return found


def _shown_otherwise(page: Path, run: Path, settings: Mapping[str, JSON]) -> Iterator[Difference]:
    """What a page shows otherwise than the page that is made of the run now; drawings are as their library draws them."""
    from hesperus.analysis.settings import GivenSettings
    from hesperus.api.pages import page_claims_of, page_of
    from hesperus.evidence.page import without_claims
    from hesperus.evidence.shown import shown_differences, shown_on
    from hesperus.reports.html import report_page
    from hesperus.reports.html_page import html

    given = GivenSettings.of(**settings)
    made = page_of([run], **settings)
    claims = page_claims_of(run, made.found, given)
    blocks = report_page(made.run, given=made.given, found=made.found)
    shown = shown_on(without_claims(page.read_text(encoding="utf-8")))
    found: list[Difference] = []
    # How large its figures are decides how many rows of a long table a page packs.
    for drawn in (False, True):
        again = shown_on(claims.signed(html(blocks, drawn=drawn)))
        found = list(shown_differences(shown, again, figures=False))
        if not found:
            return
    yield from found


@contextmanager
def _opened(place: Path, id: str | None) -> Iterator[tuple[Path, Bundle | None]]:
    """A run: as it lies, or out of its bundle."""
    if not zipfile.is_zipfile(place):
        if id is not None:
            raise UsageError(f"{place} is no bundle, and only a bundle has an id")
        yield place, None
        return
    held = read_bundle(place)
    with _unpacked(held, place) as run:
        yield run, held


@contextmanager
def _unpacked(held: Bundle, place: Path) -> Iterator[Path]:
    """The run of a bundle in a folder of its own; warnings about it name the bundle, which is what the reader has."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            run = unpacked_run(held.files, held.tables, Path(folder))
            if run.is_dir():
                _refuse_work(described(run).study, "study.yaml")
            yield run
        except DataError as error:
            raise DataError(_without(str(error), folder)) from None
    told = {(one.category, str(one.message).replace(folder, str(place))): None for one in said}
    for category, text in told:
        warnings.warn(text, category, stacklevel=4)


def _of_bundle(held: Bundle | None, id: str | None) -> list[Difference]:
    """What is wrong with a bundle itself: another id, files that are not as they were packed."""
    from hesperus.evidence.claims import Difference

    if held is None:
        return []
    other = [Difference("the bundle", "", "id", id, held.id)] if id not in (None, held.id) else []
    return other + [Difference(name, "", why, None, None) for name, why in held.damaged.items()]


def _made_by(version: object) -> str:
    return f"made by hesperus {version}, verified by {__version__}"


def _again(held: Bundle, place: Path) -> tuple[Mapping[str, Document], Mapping[str, str]]:
    """The tables made anew, and why others could not be made."""
    from hesperus.api.bundling import SETTINGS, claimed

    settings = held.manifest.get("settings")
    if not isinstance(settings, dict) or any(name not in SETTINGS for name in settings):
        raise DataError(f"its settings are not of {', '.join(SETTINGS)}", file=MANIFEST)
    _refuse_work(settings, MANIFEST)
    with _unpacked(held, place) as run:
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
            raise DataError(f"its run cannot be measured: {error}") from None


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

    notes = []
    if held.manifest.get("hesperus") != __version__:
        notes.append(_made_by(held.manifest.get("hesperus")))
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
