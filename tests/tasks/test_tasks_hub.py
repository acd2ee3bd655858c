"""The Hugging Face library: real, offline, on a data set that the test writes."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from hesperus.errors import DataError, MissingExtraError
from hesperus.tasks.hub import read_hub
from hesperus.tasks.task_parts import Source


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hesperus\[datasets\]'"):
        read_hub(Source(hub="a/b", revision="c", config=("{language}",), split="test"), "de")
    with pytest.raises(MissingExtraError, match=r"pip install 'hesperus\[datasets\]'"):
        read_hub(Source(hub="a/b", revision="c", files="{language}.tsv"), "de")


@pytest.mark.filterwarnings("ignore")
def test_a_configuration_and_a_split_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "paws"
    for code in ("de", "en"):
        (folder / code).mkdir(parents=True)
        frame = pl.DataFrame({"id": [1, 2], "text": [f"{code} a", "b"], "label": [0, 1]})
        frame.write_parquet(folder / code / "test-00000-of-00001.parquet")
    configs = "".join(
        f"  - config_name: {code}\n    data_files:\n      - split: test\n        path: {code}/test-*\n"
        for code in ("de", "en")
    )
    (folder / "README.md").write_text(f"---\nconfigs:\n{configs}---\n", encoding="utf-8")
    source = Source(hub=str(folder), revision_note="local", config=("{language}",), split="test")
    rows = read_hub(source, "de")
    assert rows.columns == {"id": [1, 2], "text": ["de a", "b"], "label": [0, 1]}
    assert rows.place.endswith("de, test")
    with pytest.raises(DataError, match="has the splits test; the task must name one"):
        read_hub(Source(hub=str(folder), revision_note="local", config=("{language}",)), "de")
    with pytest.raises(DataError, match="the hub could not give it"):
        read_hub(source, "fr")


@pytest.mark.filterwarnings("ignore")
def test_what_the_cache_lacks_is_said_offline() -> None:
    with pytest.raises(DataError, match="put the files into a folder and name it"):
        read_hub(Source(hub="nobody/nothing", revision="0" * 40, config=("de",), split="test"), "de")
    with pytest.raises(DataError, match="HF_HUB_OFFLINE=1"):
        read_hub(Source(hub="nobody/nothing", revision="0" * 40, files="{language}.tsv"), "de")


@pytest.mark.filterwarnings("ignore")
def test_several_configurations_are_one_table_with_a_column_for_them(tmp_path: Path) -> None:
    folder = tmp_path / "exams"
    for name in ("Law", "Criminal-Law"):
        (folder / name).mkdir(parents=True)
        frame = pl.DataFrame({"question": [f"{name} {n}" for n in range(2)], "answer": [1, 2]})
        frame.write_parquet(folder / name / "test-00000-of-00001.parquet")
    configs = "".join(
        f"  - config_name: {name}\n    data_files:\n      - split: test\n        path: {name}/test-*\n"
        for name in ("Law", "Criminal-Law")
    )
    (folder / "README.md").write_text(f"---\nconfigs:\n{configs}---\n", encoding="utf-8")
    source = Source(
        hub=str(folder),
        revision_note="local",
        config=("Law", "Criminal-Law"),
        config_column="subject",
        split="test",
    )
    rows = read_hub(source, "ko")
    assert rows.columns["subject"] == ["Law", "Law", "Criminal-Law", "Criminal-Law"]
    assert rows.columns["question"] == ["Law 0", "Law 1", "Criminal-Law 0", "Criminal-Law 1"]
    assert rows.file(2).endswith("Criminal-Law, test") and rows.line(2) == 1
