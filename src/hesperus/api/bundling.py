"""Everything that recomputes every number of a run, in one file that can be given to anyone."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from hesperus.errors import DataError, HesperusWarning, UnknownNameError, UsageError

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.api.measured_run import Held
    from hesperus.evidence.claims import Document
    from hesperus.fingerprint import JSON

Texts = Literal["auto", "keep", "hash"]
SETTINGS = ("interval", "invalid", "level", "resamples", "seed")
"""Settings of hesperus.analysis.settings.GivenSettings that hold for all tables of a bundle."""

TEXTS: tuple[Texts, ...] = get_args(Texts)
"""What becomes of texts: kept, put as hashes, or kept only where the licence of the benchmark lets them be shared."""


@dataclass(frozen=True, slots=True)
class Bundled:
    """A bundle that was written.

    Attributes:
        path: The file.
        id: 16 hexadecimal digits that a paper can print; another bundle has another.
        numbers: How many numbers it claims.
        tables: Names of the tables that it claims.
        hashed: Whether texts were put as hashes.
        removed: Where addresses and paths of this machine were removed.
    """

    path: Path
    id: str
    numbers: int
    tables: tuple[str, ...]
    hashed: bool
    removed: tuple[str, ...]


def bundle(
    run: Held | Path | str, out: Path | str | None = None, *, texts: Texts = "auto", **settings: Any
) -> Bundled:
    """Pack what recomputes every number of a run: what `hesperus bundle` writes.

    Args:
        run: Run folder or records file (Parquet, CSV, JSON lines).
        out: The file (default: bundle.zip in the run folder).
        texts: `keep`, `hash`, or `auto`: keep them only where the licence of the benchmark lets them be shared. Measures
            that read texts, such as the language of replies, are not claimed of hashes.
        settings: `invalid`, `resamples`, `seed`, `level`, `interval`: for every table.

    Raises:
        UnknownNameError: A setting or way of texts that does not exist.
        UsageError: There is no such run.
        DataError: The run breaks its contract, or holds a key of this environment.
    """
    from hesperus.evidence.bundle import packed_run, unpacked_run, write_bundle
    from hesperus.evidence.claims import count_numbers

    if texts not in TEXTS:
        raise UnknownNameError("way of texts", texts, TEXTS)
    for name in settings:
        if name not in SETTINGS:
            raise UnknownNameError("setting of a bundle", name, SETTINGS)
    settings = {name: value for name, value in settings.items() if value is not None}
    place = Path(run) if isinstance(run, Path | str) else run.folder
    target = Path(out) if out else (place / "bundle.zip" if place.is_dir() else place.with_suffix(".zip"))
    hashed = texts == "hash" or (texts == "auto" and not _may_be_shared(place))
    packed = packed_run(place, hashed=hashed)
    with tempfile.TemporaryDirectory() as folder:
        copy = unpacked_run(packed.files, packed.tables, Path(folder))
        claims, absent = claimed(copy, settings)
    if hashed:
        claims, absent = _without_texts(claims, claimed(place, settings)[0], absent)
    about: dict[str, JSON] = {
        "texts": "hashed" if hashed else "kept",
        "settings": dict(settings),
        "absent": dict(absent),
    }
    made = write_bundle(packed, claims, about, target)
    return Bundled(target, made.id, count_numbers(claims), tuple(claims), hashed, packed.removed)


def claimed(
    run: Path, settings: Mapping[str, Any], only: Sequence[str] | None = None
) -> tuple[dict[str, Document], Mapping[str, str]]:
    """Every table of a run as a document, or some of them, and why the others are not there."""
    tables, absent = run_tables(run, only, **settings)
    return {name: table.document() for name, table in tables.items()}, absent


def run_tables(
    run: Path, only: Sequence[str] | None = None, **settings: Any
) -> tuple[dict[str, Table], dict[str, str]]:
    """Every measure that a run has, or some of them, by name, and why the run does not have the others."""
    from hesperus.analysis.measure_names import OF_RUNS, TAX_MEASURES
    from hesperus.analysis.run_kinds import described
    from hesperus.api.measuring import measure
    from hesperus.records.reading import read_once

    tables: dict[str, Table] = {}
    absent: dict[str, str] = {}
    with warnings.catch_warnings(), read_once():
        warnings.simplefilter("ignore", HesperusWarning)
        measure("outcomes", run, resamples=0)  # any run has it: a broken run fails here
        is_audit = described(run).study.get("study") == "translation_tax"
        for what in OF_RUNS if only is None else only:
            if what in TAX_MEASURES and not is_audit:
                absent[what] = f"{what} is claimed of a run folder of translation_tax"
                continue
            try:
                tables[what] = measure(what, run, **settings)
            except (UsageError, DataError) as error:
                absent[what] = str(error)
    return tables, absent


def _without_texts(
    claims: Mapping[str, Document], true: Mapping[str, Document], absent: Mapping[str, str]
) -> tuple[dict[str, Document], dict[str, str]]:
    """Only the tables that come out the same of hashes: the others read texts."""
    from hesperus.evidence.claims import differences

    differing = {found.place for found in differences(true, claims)}
    lost = dict.fromkeys(sorted(differing), "it reads texts, and this bundle has hashes of them")
    kept = {name: document for name, document in claims.items() if name not in differing}
    return kept, {**absent, **lost}


def _may_be_shared(run: Path) -> bool:
    from hesperus.records import read_records
    from hesperus.tasks import task

    try:
        names = read_records(run, columns=())["task"].unique()
        return all(task(name).share == "yes" for name in names)
    except UnknownNameError:
        return False
