"""The one reader of YAML: what it takes, what it refuses, and that nothing else ends a command."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from command_line import hesperus
from hesperus.errors import DataError, UsageError
from hesperus.strict_yaml import read_yaml, read_yaml_file

HOSTILE = [
    ("a: 1\nb: !!float abc", "line 2: YAML tags"),
    ("a: !!python/object/apply:os.system [ls]", "line 1: YAML tags"),
    ("a: &x [1]\nb: *x", "line 1: YAML aliases"),
    ("a: *x", "line 1: YAML aliases"),
    ("task: paws-x\ntask: atlas", "line 2, field 'task': this key is given twice"),
    ("budget:\n  tokens: 1\n  tokens: 2", "line 3, field 'budget.tokens': this key is given twice"),
    ("a: " + "9" * 5000, "line 1, field 'a': a number of 5,000 characters"),
    ("a: 1.0e+9999", "larger than a number can be"),
    ("a: .nan", "no finite number"),
    ("[" * 100_000, "nested deeper than 20 levels"),
    ("- " * 5000 + "a", "nested deeper than 20 levels"),
    ("{a: " * 50_000, "nested deeper than 20 levels"),
    ("? [1, 2]\n: 3", "line 1: a key must be plain text"),
    ("a: [", "line 1: no YAML"),
    ("a: b: c", "line 1: no YAML"),
    ("a: \x07", "no YAML: control characters"),
    ('a: "\\ud800"', "no YAML"),
    ("a: 1\n---\nb: 2", "line 2: a second document"),
    ("\ta: 1", "no YAML"),
]


def test_values_are_what_they_look_like():
    text = (
        "whole: 3\ndecimal: -2.5e-03\ntrue: [true, False]\nnothing: [null, ~, ]\nquoted: ['3', \"true\"]\n"
        "text: [no, yes, on, 2024-01-31, 12:30, 007, 1_000, 1e5, 0x1F, '<<']\n"
    )
    assert read_yaml(text, "f").value == {
        "whole": 3,
        "decimal": -0.0025,
        "true": [True, False],
        "nothing": [None, None],
        "quoted": ["3", "true"],
        "text": ["no", "yes", "on", "2024-01-31", "12:30", "007", "1_000", "1e5", "0x1F", "<<"],
    }
    assert read_yaml("a: 3\nb: true\nc:", "f", is_text=True).value == {"a": "3", "b": "true", "c": ""}
    assert read_yaml("", "f").value is None


def test_every_place_has_its_line():
    found = read_yaml("a:\n  b: 1\n  c:\n  - x\n  - y: 2\n", "f")
    assert found.lines == {"a": 1, "a.b": 2, "a.c": 3, "a.c.0": 4, "a.c.1": 5, "a.c.1.y": 5}
    assert found.line("a.c.1.z") == 5 and found.line("z") is None


@pytest.mark.parametrize(("text", "message"), HOSTILE)
def test_what_is_refused_is_named_with_its_line(text, message):
    with pytest.raises(DataError) as caught:
        read_yaml(text, "study.yaml")
    assert message in str(caught.value) and str(caught.value).startswith("study.yaml")
    assert len(str(caught.value)) < 200


def test_a_file_beyond_all_measure_is_refused_before_it_is_read():
    with pytest.raises(DataError, match="11 characters; such a file has at most 10"):
        read_yaml("a: " + "b" * 8, "f", longest=10)


def test_files_that_cannot_be_opened_or_decoded(tmp_path):
    with pytest.raises(UsageError, match="cannot read the study .*No such file"):
        read_yaml_file(tmp_path / "none.yaml", "study")
    (tmp_path / "latin.yaml").write_bytes(b"a: \xe4")
    with pytest.raises(DataError, match="line 1: is not UTF-8"):
        read_yaml_file(tmp_path / "latin.yaml", "study")
    (tmp_path / "mark.yaml").write_bytes(b"\xef\xbb\xbfa: 1")
    assert read_yaml_file(tmp_path / "mark.yaml", "study").value == {"a": 1}


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs", "Cc"))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abno13.:-", max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "yes", "no"]), plain_values, max_size=4))
def test_what_is_written_is_read_as_it_was(value):
    assert read_yaml(yaml.safe_dump(value, allow_unicode=True), "f").value == (value or {})


@settings(max_examples=1000, derandomize=True, deadline=None)
@given(st.text("ab:-[]{}&*!?|>'\"#%@`,~0.9e+ \n\t\u00e9\x00", max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        read_yaml(text, "f")
    except DataError as error:
        assert str(error).startswith("f")


@pytest.mark.parametrize(
    "text", [HOSTILE[0][0], HOSTILE[4][0], HOSTILE[6][0], HOSTILE[9][0], "sample: {n: 2024-01-01}"]
)
def test_a_command_that_is_given_a_hostile_study_ends_with_an_error_and_2(tmp_path: Path, text: str):
    (tmp_path / "study.yaml").write_text(text)
    ended = hesperus("plan", "study.yaml", cwd=tmp_path)
    assert ended.returncode == 2 and ended.stderr.startswith("error: study.yaml")
    assert "Traceback" not in ended.stderr


def test_half_a_surrogate_pair_is_named_with_its_line():
    with pytest.raises(DataError, match="f, line 2: half a surrogate pair"):
        read_yaml("a: 1\nb: \ud800", "f")
