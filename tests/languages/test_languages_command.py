"""`hesperus languages` lists, shows and checks."""

from __future__ import annotations

import csv
import io
import json
from importlib.resources import as_file
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hesperus.cli.languages import app
from hesperus.errors import UnknownNameError, UsageError
from hesperus.languages import language, languages, packs
from hesperus.languages.wordings import pack_files


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def rows(*arguments: str) -> list[dict[str, object]]:
    done = run(*arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["rows"]
    assert isinstance(found, list)
    return found


def test_all_languages_are_listed() -> None:
    found = rows()
    assert [row["tag"] for row in found] == sorted({*languages(), *packs()})
    german = next(row for row in found if row["tag"] == "de")
    assert german == {
        "tag": "de", "name": "German", "autonym": "Deutsch", "script": "Latn", "direction": "ltr",
        "family": "Indo-European", "branch": "Germanic", "pack": "full", "reviewed": "no",
    }  # fmt: skip


def test_filters_narrow_the_list() -> None:
    assert [row["tag"] for row in rows("--packs")] == list(packs())
    assert [row["tag"] for row in rows("--packs", "--direction", "rtl")] == ["ar", "fa", "he", "ur"]
    germanic = {row["tag"] for row in rows("--packs", "--family", "germanic", "--family", "Turkic")}
    assert {"de", "en", "is", "nl", "tr"} <= germanic
    assert all(
        language(str(tag)).branch == "Germanic" or language(str(tag)).family == "Turkic" for tag in germanic
    )
    scripts = {row["script"] for row in rows("--packs", "--script", "cyrl", "--script", "GREK")}
    assert scripts == {"Cyrl", "Grek"}


def test_a_pack_says_what_it_can_do_and_who_confirmed_it() -> None:
    found = {row["tag"]: (row["pack"], row["reviewed"]) for row in rows()}
    assert found["de"] == ("full", "no")
    assert found["is"] == ("answers", "no")
    assert found["aa"] == (None, None)
    assert found["no"] == ("as nb", "no")
    facts = {row["property"]: row["value"] for row in rows("show", "is")}
    assert facts["requests"] == "none: the pack reads answers only"
    assert facts["confirmed by a native reader"] == "no"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--script", "Latin"), "unknown script: 'Latin'; did you mean 'Latn'"),
        (("--family", "Germanik"), "did you mean 'Germanic'"),
        (("--direction", "up"), "unknown direction: 'up'"),
        (("show", "Germn"), "did you mean 'German'"),
    ],
)
def test_unknown_names_are_refused(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, UnknownNameError)
    assert message in str(done.exception)


def test_other_formats() -> None:
    table = list(csv.DictReader(io.StringIO(run("--packs", "--format", "csv").stdout)))
    assert len(table) == len(packs())
    assert "| de " in run("--packs", "--format", "markdown").stdout
    assert "Deutsch" in run("--packs").stdout


def test_show_tells_facts_and_words() -> None:
    shown = run("show", "swh_Latn").stdout
    assert "Kiswahili" in shown
    assert "ndiyo" in shown
    facts = {row["property"]: row["value"] for row in rows("show", "ru")}
    assert facts["option letters"] == "А Б В Г Д Е Ж З (or A B C D)"
    assert facts["polarity: yes"].split(", ")[0] == "да"
    assert facts["group in Found in Translation"] == "Slavic, Other"


def test_show_of_a_language_without_pack() -> None:
    facts = {row["property"]: row["value"] for row in rows("show", "aab")}
    assert facts["family"] == "not known"
    assert facts["pack"].startswith("none")  # type: ignore[attr-defined]


def test_check_of_a_sound_pack() -> None:
    with as_file(pack_files()["is"]) as file:
        done = run("check", str(file))
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", "1 pack, no findings\n")
        assert rows("check", str(file)) == []


@pytest.mark.parametrize("name", ["is", "ISL", "zh-TW"])
def test_check_of_the_pack_of_a_language(name: str) -> None:
    done = run("check", name)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "1 pack, no findings\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [("yue", "language pack"), ("nope", "'nope'"), ("none.yaml", "cannot read the language pack")],
)
def test_check_of_what_is_no_pack(name: str, said: str) -> None:
    assert said in str(run("check", name).exception)


def test_check_of_a_faulty_pack(tmp_path: Path) -> None:
    file = tmp_path / "de.yaml"
    text = pack_files()["de"].read_text(encoding="utf-8")
    file.write_text(text.replace("no: [nein, ", "no: [ja, "), encoding="utf-8")
    done = run("check", str(file), "--format", "json")
    assert done.exit_code == 1
    assert done.stderr == "1 pack, 1 finding\n"
    (found,) = json.loads(done.stdout)["rows"]
    assert (found["language"], found["key"]) == ("de", "labels.polarity.no")
    assert "labels.polarity.no" in run("check", str(file)).stdout


def test_check_reads_replies_made_from_a_pack(tmp_path: Path) -> None:
    file = tmp_path / "de.yaml"
    text = pack_files()["de"].read_text(encoding="utf-8")
    file.write_text(
        text.replace("negators: [nicht,", 'negators: [nicht, "von wegen, das ist",'), encoding="utf-8"
    )
    done = run("check", str(file), "--format", "json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)["rows"]
    assert {row["key"] for row in found} == {"grammar.negators"}
    assert any(
        "'von wegen, das ist ja.' as a label reply is read as 'yes'" in row["message"] for row in found
    )


def test_check_of_a_missing_file(tmp_path: Path) -> None:
    done = run("check", str(tmp_path / "none.yaml"))
    assert isinstance(done.exception, UsageError)
    assert "cannot read the language pack" in str(done.exception)
