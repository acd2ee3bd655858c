"""A pack by a file that is named: it is used, shown, part of the signature, and refused where it contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from command_line import hesperus
from hesperus import plugins
from hesperus.answers import read, reader_for
from hesperus.errors import DataError, UnknownNameError
from hesperus.languages import pack, packs
from hesperus.languages.wordings import pack_files


@pytest.fixture(autouse=True)
def _nothing_loaded() -> Iterator[None]:
    with mock.patch.dict(plugins._offered, clear=True), mock.patch.object(plugins, "_loaded", set()):
        yield


def written(folder: Path, tag: str, old: str, new: str, *, of: str = "es") -> Path:
    text = pack_files()[of].read_text(encoding="utf-8").replace(f"tag: {of}\n", f"tag: {tag}\n")
    assert old in text
    file = folder / f"{tag}.yaml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return file


def test_a_pack_of_a_language_that_has_none(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        pack("ast")
    plugins.load_file(written(tmp_path, "ast", "yes: [sí", "yes: [sí, sip"))
    assert "ast" in packs() and pack("ast").labels["yes"][:2] == ("sí", "sip")
    reader = reader_for("label", "ast", answers={"yes": ["sí"], "no": ["non"]})
    assert read(reader, "Sip.").label == "yes"


def test_it_takes_the_place_of_a_shipped_one_and_changes_the_signature(tmp_path: Path) -> None:
    def reader() -> object:
        return reader_for("label", "es", answers={"yes": ["sí"], "no": ["no"]})

    before = reader()
    plugins.load_file(written(tmp_path, "es", "yes: [sí", "yes: [sí, sip"))
    after = reader()
    assert read(before, "Sip.").label is None and read(after, "Sip.").label == "yes"  # type: ignore[arg-type]
    assert before.signature != after.signature  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("no: [no", "no: [sí, no", "'sí' is a word of 'yes' as well"),
        ("negators: [", "negators: [pero, ", "'pero' stands under negators too"),
        ("negators: [", "negators: [verdadero, ", "negates what stands beside it"),
        ("option_letters:", "option_leters:", "option_letters.*missing"),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = written(tmp_path, "es", old, new)
    plugins.load_file(file)
    with pytest.raises(DataError, match=message) as error:
        pack("es")
    assert "es.yaml" in str(error.value)


def test_the_command_names_the_file(tmp_path: Path) -> None:
    written(tmp_path, "ast", "yes: [sí", "yes: [sí, sip")
    shown = hesperus("--pack", "ast.yaml", "languages", "show", "ast", cwd=tmp_path)
    assert shown.returncode == 0 and "ast.yaml" in shown.stdout
    absent = hesperus("--pack", "nothing.yaml", "languages", "show", "ast", cwd=tmp_path)
    assert absent.returncode == 2 and "nothing.yaml" in absent.stderr


def test_the_name_of_the_file_is_the_tag(tmp_path: Path) -> None:
    file = written(tmp_path, "ast", "yes: [sí", "yes: [sí")
    file.rename(tmp_path / "eu.yaml")
    plugins.load_file(tmp_path / "eu.yaml")
    with pytest.raises(DataError, match="'ast' is not the name"):
        pack("eu")
