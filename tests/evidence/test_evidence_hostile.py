"""What a stranger may send in the place of a bundle: refused with its name, before anything of it is used."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from forgery import MakeBundle, opened, refitted, save

import hesperus as hs
from hesperus.errors import DataError, UsageError
from hesperus.evidence.archive import Bounds, pack, unpack


def _zip(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd", "../outside", "run/../../outside", "C:/outside", "run\\..\\outside", "run//records.jsonl", "./run",
        "run/\u202etxt.exe", "run/a b", "-rf", "run/", ".hidden", "a/b/c/d/e/f/g", "x" * 300, "run/re\x00cords",
    ],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.zip"
    _zip(path, ("n" * len(name.encode()), b"x"))
    # Written into the bytes, since zipfile itself mends some names
    path.write_bytes(path.read_bytes().replace(b"n" * len(name.encode()), name.encode()))
    with pytest.raises(DataError, match="entry|ZIP"):
        hs.verify(path)
    assert list(tmp_path.iterdir()) == [path]


def test_links_and_special_files_are_refused(tmp_path: Path) -> None:
    for kind in (0o120777, 0o020666, 0o010644):
        entry = zipfile.ZipInfo("run/records.jsonl")
        entry.external_attr = kind << 16
        with pytest.raises(DataError, match="a link or a special file"):
            unpack(_zip(tmp_path / "link.zip", (entry, b"/etc/passwd")))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for second in ("manifest.json", "Manifest.JSON"):
        with pytest.raises(DataError, match="same name"):
            unpack(_zip(tmp_path / "twice.zip", ("manifest.json", b"{}"), (second, b"[]")))


def test_more_than_the_bounds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    path.write_bytes(pack({f"run/{number}": bytes(1000) for number in range(20)}))
    assert len(unpack(path)) == 20
    for bounds, said in (
        (Bounds(files=19), "20 files"),
        (Bounds(bytes=19_999), "unpacks to 20,000 bytes"),
        (Bounds(packed=100), "larger than 100 bytes"),
        (Bounds(depth=1), "more than 1 parts"),
    ):
        with pytest.raises(DataError, match=said):
            unpack(path, bounds)


def test_a_length_that_is_a_lie_unpacks_no_more_than_the_bounds(tmp_path: Path) -> None:
    """The directory says 10 bytes of an entry that unpacks to 1 MB."""
    path = tmp_path / "bomb.zip"
    content = pack({"run/records.jsonl": bytes(1_000_000)})
    size = struct.pack("<L", 1_000_000)
    assert content.count(size) == 2
    path.write_bytes(content.replace(size, struct.pack("<L", 10)))
    with pytest.raises(DataError):
        unpack(path, Bounds(bytes=1000))


def test_an_encrypted_or_oddly_compressed_entry_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("manifest.json", "{}")
    with pytest.raises(DataError, match="method 14"):
        unpack(path)
    content = bytearray(pack({"manifest.json": b"{}"}))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        place = content.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        content[place] |= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="encrypted"):
        unpack(path)


@pytest.mark.parametrize(
    "content", [b"", b"PK\x05\x06" + bytes(10), b"<html></html>", pack({"manifest.json": b"{}"})[:40]]
)
def test_what_is_no_zip_file_is_said_to_be_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.zip"
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read as a ZIP file"):
        hs.verify(path)
    with pytest.raises(UsageError, match="no such file"):
        hs.verify(tmp_path / "absent.zip")


_Files = dict[str, bytes]


def _manifest(files: Mapping[str, bytes], **changes: object) -> _Files:
    manifest = json.loads(files["manifest.json"]) | changes
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def _tables(files: Mapping[str, bytes], **more: object) -> _Files:
    tables = json.loads(files["manifest.json"])["tables"] | more
    return _manifest(files, tables=tables)


def _study(files: Mapping[str, bytes], text: str) -> _Files:
    return {**files, "run/study.yaml": text.encode()}


HOSTILE: dict[str, tuple[Callable[[_Files], _Files], str]] = {
    "no manifest": (lambda f: {k: v for k, v in f.items() if k != "manifest.json"}, "no bundle of hesperus"),
    "a manifest that is no mapping": (lambda f: {**f, "manifest.json": b"[1]"}, "expected a mapping"),
    "a manifest that is no JSON": (lambda f: {**f, "manifest.json": b"{"}, "cannot be read"),
    "another version": (lambda f: _manifest(f, bundle=99), "version 99"),
    "no tables": (lambda f: _manifest(f, tables=None), "which files and tables"),
    "tables that are none": (lambda f: _manifest(f, tables={"run/records.jsonl": [1]}), "no kinds of columns"),
    "an unknown kind": (lambda f: _tables(f, **{"run/records.jsonl": {"model": "object"}}), "unknown kind"),
    "no records": (lambda f: {k: v for k, v in f.items() if k != "run/records.jsonl"}, "no records"),
    "a Parquet file": (lambda f: {**f, "run/records.parquet": b"PAR1"}, "no file of a run"),
    "a file that no run has": (lambda f: {**f, "run/conftest.py": b"1/0"}, "no file of a run"),
    "a table elsewhere": (
        lambda f: _tables({**f, "run/a/b.jsonl": b"{}\n"}, **{"run/a/b.jsonl": {}}), "no file of a run"),
    "endless work": (lambda f: _manifest(f, settings={"resamples": 10**12}), "whole number up to"),
    "endless work of the study": (
        lambda f: _study(f, "study: similarity\ncomparison:\n  permutations: 999999999999\n"), "whole number up to"),
    "work that is no number": (lambda f: _manifest(f, settings={"resamples": "many"}), "whole number up to"),
    "an unknown setting": (lambda f: _manifest(f, settings={"by": ["__class__"]}), "its settings"),
    "a study with a tag": (lambda f: _study(f, "study: !!python/object/apply:os.system [id]\n"), "study"),
    "a row that is no row": (lambda f: {**f, "run/records.jsonl": b"[1, 2]\n"}, "columns of the manifest"),
    "claims that are no tables": (lambda f: {**f, "numbers.json": b'{"accuracy": 3}'}, "no table"),
    "claims nested too deeply": (
        lambda f: {**f, "numbers.json": b'{"accuracy": {"rows": [{"value": ' + b"[" * 900 + b"]" * 900 + b"}]}}"}, ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def files(bundled: MakeBundle) -> _Files:
    return opened(bundled("tax", resamples=0).path)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_bundle_that_cannot_be_one_is_refused_or_differs(name: str, files: _Files, tmp_path: Path) -> None:
    """With hashes that fit, since whoever means harm makes them fit."""
    change, said = HOSTILE[name]
    other = change(dict(files))
    with suppress(KeyError, TypeError, ValueError):  # it has no manifest that could be made to fit
        other = refitted(other)
    path = save(other, tmp_path / "hostile.zip")
    if not said:
        assert not hs.verify(path).passed
        return
    with pytest.raises(DataError, match=said):
        hs.verify(path)


def test_a_file_that_is_not_listed_is_named(files: _Files, tmp_path: Path) -> None:
    found = hs.verify(save({**files, "extra.txt": b"hello"}, tmp_path / "more.zip"))
    assert [(one.place, one.column) for one in found.differences] == [("extra.txt", "is not in the manifest")]
    held = {name: content for name, content in files.items() if name != "README.txt"}
    found = hs.verify(save(held, tmp_path / "fewer.zip"))
    assert [(one.place, one.column) for one in found.differences] == [("README.txt", "is missing")]


def test_the_same_archive_is_packed_whatever_the_order(tmp_path: Path) -> None:
    assert pack({"a": b"1", "b": b"2"}) == pack({"b": b"2", "a": b"1"})
    with zipfile.ZipFile(io.BytesIO(pack({"a": b"1"}))) as archive:
        assert archive.infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)
    with pytest.raises(ValueError, match="no relative path"):
        pack({"../a": b""})
