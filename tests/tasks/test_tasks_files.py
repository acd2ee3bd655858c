"""Task files of a user's own: the same door as the catalogue's, and every mistake named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError
from hesperus.tasks import task

GOOD = """\
name: colours
description: What colour is it?
form: label
fields: [thing]
labels: ["yes", "no"]
layout: "{prefix} {thing.word}: {thing} {suffix}"
instructions:
  en:
    prefix: Is it red?
    words: {thing: Thing}
    suffix: Answer "yes" or "no".
  no:
    prefix: Er den rød?
    words: {thing: Ting}
    suffix: Svar "ja" eller "nei".
    answers: {"yes": ja, "no": [nei, "no"]}
source:
  languages: {en: en, no: "no"}
columns:
  fields: {thing: thing}
  gold: red
gold:
  labels: {1: yes, 0: no}
key:
  columns: [id]
"""


def write(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_of_ones_own_is_a_task(tmp_path: Path) -> None:
    found = task(write(tmp_path, GOOD))
    assert found.labels == ("yes", "no")
    assert found.languages == ("en", "no")
    assert found.gold.labels == {"1": "yes", "0": "no"}
    assert found.instruction("no").answers == {"yes": ("ja",), "no": ("nei", "no")}
    assert found.instruction("en").answers["no"][0] == "no"


def test_bare_yes_no_and_numbers_stay_what_was_written(tmp_path: Path) -> None:
    found = task(
        write(
            tmp_path, GOOD.replace('["yes", "no"]', "[yes, no]").replace('"no": [nei, "no"]', "no: [nei, no]")
        )
    )
    assert found.labels == ("yes", "no")
    assert found.instruction("no").answers["no"] == ("nei", "no")


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        ("fields: [thing]", "feilds: [thing]", UnknownNameError, "line 4: 'feilds'; did you mean 'fields'"),
        ("    prefix: Is", "    prefx: Is", UnknownNameError, "'instructions.en.prefx'; did you mean 'instructions.en.prefix'"),
        ("  languages:", "  langs:", UnknownNameError, "'source.langs'; did you mean 'source.languages'"),
        ("key:\n  columns: [id]", "key:\n  column: [id]", UnknownNameError, "did you mean 'key.columns'"),
        ("form: label", "form: labels", DataError, "line 3, field 'form'"),
        ("name: colours\n", "", DataError, "field 'name': this key is missing"),
        ("name: colours", "name: My Task", DataError, "line 1, field 'name': write small letters, digits"),
        ("key:\n  columns: [id]", "key: id", DataError, "field 'key': write a mapping of keys: columns, row"),
        ("fields: [thing]", "fields: thing", DataError, "line 4, field 'fields': write a list"),
        ("form: label", "form: label\noptions: four", DataError, "'options': write a whole number"),
        ("form: label", "form: label\noptions: 40", DataError, "'options': at most 26"),
        ("  gold: red", "  gold: red\n  options: a", DataError, "'columns.options': write a list of columns"),
        ("gold:\n  labels", "gold:\n  read: lettre\n  labels", DataError, "'gold.read': write label, letter,"),
        ("gold:\n  labels", "gold:\n  only_numbers: maybe\n  labels", DataError, "write true or false"),
        ("languages: {en: en", "languages: {xx: en", UnknownNameError, "mine.yaml: 'xx'; known"),
        ("labels: [\"yes\", \"no\"]", "labels: [\"yes\"]", DataError, "at least two labels"),
        ("form: label", "form: choice", DataError, "labels belong to form label"),
        ("form: label\nfields: [thing]\nlabels: [\"yes\", \"no\"]", "form: choice\nfields: [thing]", DataError, "needs options"),
        ("  fields: {thing: thing}", "  fields: {things: thing}", DataError, "must name exactly the fields"),
        ("labels: {1: yes, 0: no}", "labels: {1: yes, 0: nope}", UnknownNameError, "label under gold.labels"),
        ("answers: {\"yes\": ja", "answers: {\"yse\": ja", UnknownNameError, "'yse'; did you mean 'yes'"),
        ("answers: {\"yes\": ja, \"no\": [nei, \"no\"]}", "answers: {\"yes\": ja}", DataError, "no word stands for the label 'no'"),
        ("{thing} {suffix}", "{thong} {suffix}", UnknownNameError, "'{thong}'; did you mean '{thing}'"),
        ("{thing.word}: {thing} ", "{thing.word}: ", DataError, "leaves out the field 'thing'"),
        (" {suffix}", "", DataError, "the layout has no {suffix}"),
        ("words: {thing: Thing}", "words: {}", DataError, "asks for {thing.word}"),
        ("words: {thing: Thing}", "words: {thing: Thing, thong: Thong}", UnknownNameError, "does not use it"),
        ("  no:\n", "  xx-nonsense:\n", UnknownNameError, "unknown language"),
        ("  gold: red", "  gold: red\n  gold: blue", DataError, "line 22, field 'columns.gold': this key is given twice"),
        ("key:\n  columns: [id]", "key: {parallel: false}", DataError, "give columns, or `row: true`"),
        ("key:\n  columns: [id]", "key: {row: true, without: x}", DataError, "and there are none"),
        ("source:", "source:\n  config: [a, b]", DataError, "config_column"),
        ("    suffix: Answer \"yes\" or \"no\".", "    suffix: {few: x}", DataError, "'few' is no number of options"),
        ("    suffix: Answer \"yes\" or \"no\".", "    suffix: {4: x}", DataError, "belongs to form choice"),
        ("form: label", "form: choice\noptions: 2", DataError, "labels belong to form label"),
        ("instructions:", "wording: choyce\ninstructions:", UnknownNameError, "wording of"),
        ("instructions:", "wording: choice\ninstructions:", DataError, "is for the fields question; the task has thing"),
        ("key:\n  columns: [id]", "key: {row: maybe}", DataError, "field 'key.row'"),
        ("form: label", "form: [label", DataError, "no YAML"),
        ("form: label", "form: *label", DataError, "aliases"),
        ("form: label", "form: &a label\nurl: *a", DataError, "aliases"),
        ("layout: \"{prefix} {thing.word}: {thing} {suffix}\"\n", "", DataError, "layout is missing"),
        ("source:", "source:\n  hub: me/mine", DataError, "needs its revision"),
        ("source:", "source:\n  hub: me/mine\n  revision: main", DataError, "revision 'main' moves"),
        ("source:", "source:\n  builtin: mine", UnknownNameError, "source.builtin of"),
        ("  gold: red", "  gold: red\n  options: {shuffled: true}", DataError, "either columns (one for each option) or column"),
        ("  columns: [id]", "  columns: [{a: b}]", DataError, "field 'key.columns"),
        ("answers: {\"yes\": ja", "answers: {\"yes\": {a: b}", DataError, "field 'instructions.no.answers.yes"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, error: type[HesperusError], words: str
) -> None:
    assert old in GOOD
    with pytest.raises(error) as caught:
        task(write(tmp_path, GOOD.replace(old, new, 1)))
    assert words in str(caught.value)
    assert error is UnknownNameError or "mine.yaml" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a task file is a mapping"),
        ("- a\n- b", "a task file is a mapping"),
        ("[" * 20 + "]" * 20, "nested deeper"),
        ("{a: b}: c", "a key must be plain text"),
        ("x" * 2_000_001, "such a file has at most"),
        ("a: \x00", "no YAML"),
    ],
)
def test_what_is_no_task_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        task(write(tmp_path, text))


def test_a_missing_or_unreadable_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the task file .*No such file"):
        task(str(tmp_path / "none.yaml"))
    path = tmp_path / "latin.yaml"
    path.write_bytes("name: Größe".encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8"):
        task(str(path))
