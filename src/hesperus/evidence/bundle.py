"""A bundle: the files of a run, the numbers that are claimed of it, and a script that makes the main ones without hesperus.

manifest.json    what the bundle is, how it was made, and a hash of every other file
numbers.json     every table: what is claimed
recompute.py     plain Python, no package needed: `python recompute.py` in the unpacked folder
README.txt       how to check it
run/             the run: records, items, evaluations and scores as lines of JSON; study and signature
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import orjson
import polars as pl
import yaml

from hesperus.errors import DataError, UsageError, first_line
from hesperus.evidence.archive import pack, unpack
from hesperus.evidence.claims import Document
from hesperus.evidence.json_tables import from_lines, to_lines
from hesperus.evidence.private import hashed_findings, hashed_texts, refuse_secrets, without_places
from hesperus.fingerprint import JSON, plain
from hesperus.records.files import write_content
from hesperus.records.reading import RECORDS_FILE, read_records
from hesperus.records.runs import ITEMS_FILE, SIGNATURE_FILE, STUDY_FILE, mapping_in
from hesperus.records.writing import write_parquet, write_records
from hesperus.version import __version__

VERSION = 1
MANIFEST, NUMBERS, SCRIPT, README = "manifest.json", "numbers.json", "recompute.py", "README.txt"
_RUN = "run/"
_METADATA, _OWN = ".metadata.json", "hesperus."
"""What a Parquet file says of itself under keys of hesperus, such as how scores came about, is a file next to its lines."""
_TABLES = (
    RECORDS_FILE, ITEMS_FILE, "scores.parquet", "readability.parquet", "prompts.parquet", "verdicts.parquet",
    "evaluations/*/pairs.parquet", "evaluations/*/details.parquet", "evaluations/*/sentences.parquet",
)  # fmt: skip
_TEXTS = (
    STUDY_FILE,
    SIGNATURE_FILE,
    "strata.json",
    "audit.json",
    "checks.csv",
    "evaluations/*/signature.json",
)
"""Of a run folder, everything that a measure reads."""

_PACKAGES = ("numpy", "polars", "scipy")
_INSTRUCTIONS = """A bundle of hesperus {version}: everything that recomputes the numbers in numbers.json.

    hesperus verify THIS_FILE.zip       recomputes every number, without a model and without network
    unzip THIS_FILE.zip && python recompute.py
                                        recomputes the main ones; needs Python 3.10 or later and nothing else
"""


@dataclass(frozen=True, slots=True)
class Packed:
    """The files of a run as a bundle holds them, before anything is claimed.

    Attributes:
        files: Name in the bundle to content.
        tables: Name in the bundle to the kinds of its columns.
        removed: Where an address or a path was removed, as ``file: place``.
    """

    files: Mapping[str, bytes]
    tables: Mapping[str, Mapping[str, str]]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was read.

    Attributes:
        manifest: What it says of itself.
        files: Name to content, the manifest among them.
        damaged: Files that are not as the manifest says, each with what is wrong.
    """

    manifest: Mapping[str, JSON]
    files: Mapping[str, bytes]
    damaged: Mapping[str, str]

    @property
    def claims(self) -> Mapping[str, Document]:
        """Name to claimed table.

        Raises:
            DataError: The file of numbers is missing or no mapping of tables.
        """
        return _mapping(self.files, NUMBERS)  # type: ignore[return-value]  # each is checked as it is compared

    @property
    def tables(self) -> Mapping[str, Mapping[str, str]]:
        """Name of each table to the kinds of its columns; read_bundle has checked it."""
        return self.manifest["tables"]  # type: ignore[return-value]

    @property
    def id(self) -> str:
        """The first 16 hexadecimal digits of the hash of the manifest, which names the hash of every file."""
        return hashlib.sha256(self.files[MANIFEST]).hexdigest()[:16]


def packed_run(run: Path, *, hashed: bool) -> Packed:
    """The files of a run as a bundle holds them.

    With `hashed`, hashes are in the place of all texts.

    Raises:
        UsageError: There is no such run.
        DataError: A file breaks its contract, or holds what must not leave this machine.
    """
    held: dict[str, bytes] = {}
    kinds: dict[str, Mapping[str, str]] = {}
    removed: list[str] = []
    for name, path in _found(run, _TABLES):
        frame = read_records(path) if name == RECORDS_FILE else _parquet(path)
        if hashed:
            # Answers are texts where no item has options.
            is_open = name == RECORDS_FILE and bool(frame["options"].is_null().all())
            frame = hashed_texts(frame, open_answers=is_open)
        bare = _RUN + name.removesuffix(".parquet")
        held[f"{bare}.jsonl"], kinds[f"{bare}.jsonl"] = to_lines(frame, path)
        if name != RECORDS_FILE and (said := _metadata(path)):
            kept, where = without_places(plain(said))
            held[bare + _METADATA] = orjson.dumps(kept, option=orjson.OPT_INDENT_2) + b"\n"
            removed += [f"{name}: {place}" for place in where]
    for name, path in _found(run, _TEXTS):
        held[_RUN + name], where = _described(path, hashed=hashed)
        removed += [f"{name}: {place}" for place in where]
    refuse_secrets(held, run)
    return Packed(held, kinds, tuple(removed))


def _found(run: Path, patterns: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    if not run.is_dir():
        if not run.is_file():
            raise UsageError(f"{run}: no such run folder or records file")
        if RECORDS_FILE in patterns:
            yield RECORDS_FILE, run
        return
    for pattern in patterns:
        for path in sorted(run.glob(pattern)):
            yield path.relative_to(run).as_posix(), path


def _parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"cannot be read as Parquet: {first_line(error)}", file=path) from error


def _metadata(path: Path) -> dict[str, object]:
    """What hesperus wrote into the metadata of a Parquet file that can be read."""
    held = pl.read_parquet_metadata(path)
    try:
        return {name: orjson.loads(value) for name, value in held.items() if name.startswith(_OWN)}
    except orjson.JSONDecodeError as error:
        raise DataError(f"its metadata cannot be read: {error.msg}", file=path) from None


def _described(path: Path, *, hashed: bool) -> tuple[bytes, list[str]]:
    """A file that says something of the run, and what was removed from it."""
    if path.suffix == ".csv":
        return path.read_bytes(), []
    kept, removed = without_places(plain(mapping_in(path)))
    kept = hashed_findings(kept) if hashed else kept
    if path.suffix == ".json":
        return orjson.dumps(kept, option=orjson.OPT_INDENT_2) + b"\n", removed
    return yaml.safe_dump(kept, allow_unicode=True, sort_keys=False).encode(), removed


def unpacked_run(held: Mapping[str, bytes], tables: Mapping[str, Mapping[str, str]], folder: Path) -> Path:
    """Write the files of a bundle as a run folder.

    Args:
        held: Name in the bundle to content; names outside ``run/`` are passed over.
        tables: Kinds of the columns of each table.
        folder: An empty folder.

    Returns:
        The run: the folder, or its records file where the bundle was made of one.

    Raises:
        DataError: A file breaks its contract.
    """
    records = _RUN + RECORDS_FILE.removesuffix(".parquet") + ".jsonl"
    if records not in held or records not in tables:
        raise DataError("has no records", file=records)
    for name, content in held.items():
        if not name.startswith(_RUN):
            continue
        _check_known(name, name in tables)
        if name.endswith(_METADATA):
            continue
        place = folder / name.removeprefix(_RUN)
        place.parent.mkdir(parents=True, exist_ok=True)
        if name not in tables:
            place.write_bytes(content)
            continue
        frame = from_lines(content, tables[name], name)
        if name == records:
            write_records(frame, place.with_suffix(".parquet"))
        else:
            write_parquet(frame, place.with_suffix(".parquet"), _said(held, name.removesuffix(".jsonl")))
    return folder if (folder / STUDY_FILE).is_file() else folder / RECORDS_FILE


def _said(held: Mapping[str, bytes], bare: str) -> dict[str, str]:
    """The metadata of a table, as its Parquet file had them."""
    if bare + _METADATA not in held:
        return {}
    said = _mapping(held, bare + _METADATA)
    return {name: json.dumps(value, ensure_ascii=False, sort_keys=True) for name, value in said.items()}


def _check_known(name: str, is_table: bool) -> None:
    """Refuse what is no file of a run: only files that measures read are written, and tables only as lines of JSON."""
    own, ending = name.removeprefix(_RUN), ".jsonl" if is_table else _METADATA
    is_of_table = is_table or own.endswith(ending)
    if is_of_table:
        own = own.removesuffix(ending) + ".parquet" if own.endswith(ending) else ""
    known = _TABLES if is_of_table else _TEXTS
    if not any(fnmatchcase(own, pattern) and own.count("/") == pattern.count("/") for pattern in known):
        raise DataError("is no file of a run", file=name)


def write_bundle(
    packed: Packed, claims: Mapping[str, Document], about: Mapping[str, JSON], out: Path
) -> Bundle:
    """Put a bundle together and write it; the same run gives the same bytes.

    Args:
        packed: The files of the run.
        claims: Name to table.
        about: What else the manifest says: whether texts are kept, settings, measures that are not there and why.
        out: The file.

    Raises:
        DataError: The numbers hold what must not leave this machine.
    """
    held = dict(packed.files)
    held[NUMBERS] = json.dumps(claims, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"
    held[SCRIPT] = files("hesperus.evidence").joinpath(SCRIPT).read_bytes()
    held[README] = _INSTRUCTIONS.format(version=__version__).encode()
    manifest: dict[str, JSON] = {
        "bundle": VERSION,
        "hesperus": __version__,
        "environment": environment(),
        **about,
        "removed": list(packed.removed),
        "tables": {name: dict(kinds) for name, kinds in packed.tables.items()},
        "files": {name: _listed(held[name]) for name in sorted(held)},
    }
    held[MANIFEST] = json.dumps(manifest, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"
    write_content(out, pack(held))
    return Bundle(manifest, held, {})


def read_bundle(path: Path) -> Bundle:
    """Read a bundle and hold every file to its hash.

    Raises:
        UsageError: There is no such file.
        DataError: It is no bundle, or one that no bundle can be (see archive.unpack).
    """
    held = unpack(path)
    if MANIFEST not in held:
        raise DataError(f"is no bundle of hesperus: it has no {MANIFEST}", file=path)
    manifest = _mapping(held, MANIFEST)
    if manifest.get("bundle") != VERSION:
        raise DataError(
            f"is a bundle of version {manifest.get('bundle')!r}; this hesperus reads version {VERSION}",
            file=path,
        )
    listed, tables = manifest.get("files"), manifest.get("tables")
    if not isinstance(listed, dict) or not isinstance(tables, dict):
        raise DataError("does not say which files and tables there are", file=MANIFEST)
    if not all(
        isinstance(kinds, dict) and all(isinstance(kind, str) for kind in kinds.values())
        for kinds in tables.values()
    ):
        raise DataError("says of a table no kinds of columns", file=MANIFEST)
    return Bundle(manifest, held, dict(_damage(held, listed)))


def _damage(held: Mapping[str, bytes], listed: Mapping[str, JSON]) -> Iterator[tuple[str, str]]:
    for name in sorted({*held, *listed} - {MANIFEST}):
        said = listed.get(name)
        if name not in held:
            yield name, "is missing"
        elif not isinstance(said, dict):
            yield name, "is not in the manifest"
        elif said != _listed(held[name]):
            yield name, "is not the file that was packed: its hash is another"


def _listed(content: bytes) -> dict[str, JSON]:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _mapping(held: Mapping[str, bytes], name: str) -> Mapping[str, JSON]:
    try:
        value = orjson.loads(held.get(name, b""))
    except orjson.JSONDecodeError as error:
        raise DataError(f"cannot be read: {error.msg}", file=name, line=error.lineno) from None
    if not isinstance(value, dict):
        raise DataError(f"expected a mapping, found {type(value).__name__}", file=name)
    return value


def environment() -> dict[str, JSON]:
    """Versions of Python and of the packages that numbers depend on."""
    found: dict[str, JSON] = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found
