"""What users' texts may look like, and what is said of those that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hesperus.errors import DataError, UsageError
from hesperus.text_files import read_json, read_mapping, read_text


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfgr\xc3\xbcn\r\n")
    assert read_text(file) == "grün\r\n"


def test_faults_name_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    for read in (read_text, read_json):
        with pytest.raises(UsageError, match=r"cannot read the list .*a\.json: No such file"):
            read(file, "list")
    with pytest.raises(UsageError, match="cannot read the file .*: Is a directory"):
        read_text(tmp_path)
    file.write_bytes(b'{"a": 1,\n"b": "\xe4"}')
    with pytest.raises(DataError, match=r"a\.json, line 2: is not UTF-8"):
        read_json(file)
    for content, said in {
        '{"a": 1,\n"b"}': r"a\.json, line 2: the file is no JSON",
        "[" * 100_000: "nested too deeply",
        "9" * 5_000: r"a\.json: the file is no JSON",
        "[1]": "expected a mapping, found list",
    }.items():
        file.write_text(content, encoding="utf-8")
        with pytest.raises(DataError, match=said):
            read_mapping(file)
