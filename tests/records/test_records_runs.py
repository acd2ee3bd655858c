from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import hesperus
import hesperus.records
from hesperus.errors import DataError, EarlierRunWarning, UsageError
from hesperus.records import Run, conform, read_records, read_run, write_run
from hesperus.records.importers import ImportSettings, import_logs, save_imported
from hesperus.records.reading import read_once
from hesperus.version import __version__


def _run(**changes: object) -> Run:
    records = conform(
        pl.DataFrame(
            {
                "model": "m",
                "task": "t",
                "item": ["2", "1"],
                "instruction": "en",
                "input": "en",
                "answer": ["A", None],
            }
        )
    )
    values: dict[str, object] = {
        "records": records,
        "items": pl.DataFrame({"item": ["1", "2"], "language": "en"}),
        "study": {"task": "t", "target": ["de", "中文"]},
        "signature": {"hesperus": "0.1.0", "settings": {"seed": 1}},
    }
    return Run(**{**values, **changes})  # type: ignore[arg-type]


def test_a_run_folder_comes_back_and_is_the_same_bytes_when_written_again(tmp_path: Path) -> None:
    write_run(_run(), tmp_path / "a")
    found = read_run(tmp_path / "a")
    assert found.records["item"].to_list() == ["1", "2"]
    assert found.items is not None and found.items.height == 2
    assert found.study == {"task": "t", "target": ["de", "中文"]}
    assert found.signature == {"hesperus": "0.1.0", "settings": {"seed": 1}}
    assert read_records(tmp_path / "a").equals(found.records)
    write_run(found, tmp_path / "b")
    names = ["items.parquet", "records.parquet", "signature.json", "study.yaml"]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == names
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_run_without_items_leaves_no_old_ones_behind(tmp_path: Path) -> None:
    write_run(_run(), tmp_path)
    write_run(_run(items=None), tmp_path)
    assert read_run(tmp_path).items is None


def test_a_run_that_was_cut_off_has_no_signature(tmp_path: Path) -> None:
    write_run(_run(), tmp_path)
    broken = _run(records=_run().records.with_columns(outcome=pl.lit("odd")))
    with pytest.raises(DataError, match="unknown outcome 'odd'"):
        write_run(broken, tmp_path)
    with pytest.raises(
        DataError, match=r"no signature\.json: the run was not written to its end, run it again"
    ):
        read_run(tmp_path)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such run folder"):
        read_run(tmp_path / "absent")
    with pytest.raises(UsageError, match=r"it has no records\.parquet"):
        read_run(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="is a file, a run needs a folder"):
        write_run(_run(), tmp_path / "file")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("study.yaml", "a: [1", r"study\.yaml, line 1: no YAML"),
        ("study.yaml", "- 1\n", r"study\.yaml: expected a mapping, found list"),
        ("study.yaml", None, r"study\.yaml: is missing"),
        ("signature.json", "{", r"signature\.json, line 1: the file is no JSON"),
        ("items.parquet", "PAR", r"items\.parquet: cannot be read as Parquet"),
        ("study.yaml", "!!python/object/apply:os.getcwd []", r"study\.yaml, line 1: YAML tags"),
    ],
)
def test_broken_files_of_a_run_are_named(
    tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    write_run(_run(), tmp_path)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_run(tmp_path)


def test_everything_public_exists() -> None:
    for name in hesperus.records.__all__:
        assert getattr(hesperus.records, name) is not None
    assert hesperus.records.__all__ == sorted(
        hesperus.records.__all__, key=lambda name: (name.upper() != name, name.lower() == name, name)
    )


def test_names_that_are_no_text_are_written_and_read(tmp_path: Path) -> None:
    odd = os.fsdecode(b"logs/t\xff.csv")
    run = _run()
    write_run(
        replace(
            run,
            study={**run.study, "logs": [odd, "é"], "trained_on": {odd: 1}},
            signature={**run.signature, "log": odd},
        ),
        tmp_path,
    )
    found = read_run(tmp_path)
    assert found.study["logs"] == ["logs/t\\udcff.csv", "é"] and found.signature["log"] == "logs/t\\udcff.csv"


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux alone")
def test_a_log_whose_name_is_no_text_is_imported(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    file = Path(os.fsdecode(os.fsencode(tmp_path / "logs") + b"/t\xff_en.csv"))
    file.write_text("item,model,language,answer,gold\n1,m,en,A,A\n2,m,en,B,A\n")
    save_imported(import_logs(tmp_path / "logs", ImportSettings(tool="table", task="q")), tmp_path / "run")
    assert len(read_run(tmp_path / "run").records) == 2


def test_a_signature_is_written_as_people_read_it(tmp_path: Path) -> None:
    write_run(_run(signature={"task": "мова", "n": 1}), tmp_path / "run")
    assert (tmp_path / "run" / "signature.json").read_text(
        encoding="utf-8"
    ) == '{\n  "n": 1,\n  "task": "мова"\n}\n'


def test_a_study_resolved_before_intervals_had_methods_is_said_to_have_others(tmp_path: Path) -> None:
    drawn = {"resamples": 9, "seed": 0, "level": 0.95}
    write_run(_run(study={"bootstrap": drawn}), tmp_path / "run")
    with pytest.warns(EarlierRunWarning, match="resolved by an earlier hesperus"):
        read_run(tmp_path / "run")
    write_run(_run(study={"bootstrap": {**drawn, "interval": "bayesian"}}), tmp_path / "run")
    read_run(tmp_path / "run")


def test_a_run_of_another_version_is_said_to_be_one(tmp_path: Path) -> None:
    write_run(_run(signature={"hesperus": "0.0.3"}), tmp_path / "run")
    with pytest.warns(EarlierRunWarning, match=r"written by hesperus 0\.0\.3.*hesperus reread"):
        read_run(tmp_path / "run")
    for made in ({"hesperus": __version__}, {"hesperus": "0.0.3", "reread": {"hesperus": __version__}}):
        write_run(_run(signature=made), tmp_path / "run")
        read_run(tmp_path / "run")


def test_a_run_of_another_version_is_not_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    study = {"task": "atlas", "models": "pocket/s", "target": "de", "sample": {"n": 2}}
    hesperus.run("multisense", out=folder, progress=False, **study)
    signature = folder / "signature.json"
    signature.write_text(signature.read_text().replace(f'"hesperus": "{__version__}"', '"hesperus": "0.0.3"'))
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    with pytest.raises(UsageError, match=r"holds a run of hesperus 0\.0\.3.*--out another folder"):
        hesperus.run("multisense", out=folder, progress=False, **study)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_within_a_block_records_are_read_once_unless_they_change(tmp_path: Path) -> None:
    grouped = replace(_run(), records=_run().records.with_columns(subject=pl.lit("law")))
    write_run(grouped, tmp_path / "run")
    with read_once():
        first = read_records(tmp_path / "run")
        with read_once():
            assert read_records(tmp_path / "run" / "records.parquet") is first
        assert read_records(tmp_path / "run") is first
        some = read_records(tmp_path / "run", columns=())
        assert some.columns != first.columns
        write_run(replace(_run(), records=first.head(1)), tmp_path / "run")
        assert read_records(tmp_path / "run", columns=()).height == 1 < some.height
    assert read_records(tmp_path / "run") is not read_records(tmp_path / "run")
