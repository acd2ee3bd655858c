"""A large import is shared among processes: the records, and what is said of the rest, are the same."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from log_makers import FIXTURES, mmlu_rows, write_lm_eval

from hesperus.errors import UsageError
from hesperus.records.importers import Imported, ImportSettings, import_logs
from hesperus.records.importers import sharing as room
from hesperus.records.importers.import_settings import Source
from hesperus.records.importers.log_readers import read_source
from hesperus.records.importers.sharing import Worker


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs with faults: a cut line, a file cut in gzip, no rows at all, golds that differ, and a table beside them."""
    folder = tmp_path_factory.mktemp("shared") / "logs"
    for number, language in enumerate(("ar", "de", "en", "fr", "sw", "yo")):
        rows = mmlu_rows(40, gold=[(n + (n == number)) % 4 for n in range(40)], shift=number)
        rows[number]["filtered_resps"][0][0] = "nan"
        path = write_lm_eval(folder, f"global_mmlu_full_{language}", rows)
        if language == "de":
            path.write_bytes(path.read_bytes()[:-70])
        if language == "sw":
            packed = gzip.compress(path.read_bytes(), mtime=0)
            path.with_name(path.name + ".gz").write_bytes(packed[:-40])
            path.unlink()
    (folder / "samples_empty_de.jsonl").write_text("nothing\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def whole(logs: Path) -> Imported:
    """What one process finds in the logs: they are too small to be shared."""
    return import_logs(logs)


def _same(one: Imported, other: Imported) -> bool:
    return one.records.equals(other.records, null_equal=True) and (one.logs, one.left_out, one.notes) == (
        other.logs,
        other.left_out,
        other.notes,
    )


@pytest.fixture
def everything_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every import were large, on three processors."""
    monkeypatch.setattr(room, "_WORTH", 0)
    monkeypatch.setattr(room, "_processors", lambda: 3)


@pytest.mark.usefixtures("everything_shared")
def test_many_processes_find_what_one_finds(
    logs: Path, whole: Imported, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _same(whole, import_logs(logs))
    assert {left.reason for left in whole.left_out} == {
        "cannot be read", "compressed file cut", "line cut in the middle", "log-likelihood is NaN",
    }  # fmt: skip
    settings = ImportSettings(groups=("question",), replies=False)
    shared = import_logs(FIXTURES, settings)
    monkeypatch.setattr(room, "_processors", lambda: 1)
    assert _same(shared, import_logs(FIXTURES, settings))


@pytest.mark.usefixtures("everything_shared")
@pytest.mark.parametrize("interpreter", ["/bin/false", "/no/such/python", ""])
def test_processes_that_end_or_never_start_leave_their_files_to_this_one(
    logs: Path, whole: Imported, interpreter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", interpreter)
    assert _same(whole, import_logs(logs))


@pytest.mark.usefixtures("everything_shared")
def test_errors_are_those_of_one_process_and_nothing_goes_on_running(logs: Path) -> None:
    with pytest.raises(UsageError, match="write '=TAG'"):
        import_logs(logs, ImportSettings(language_from="field"))
    done: list[tuple[int, int]] = []
    import_logs(logs, progress=lambda count, total: done.append((count, total)))
    assert done == sorted(done) and done[-1] == (7, 7)
    every = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True, check=True).stdout
    own = [line for line in every.splitlines() if line.split(maxsplit=1)[0] == str(os.getpid())]
    assert own and not [line for line in own if "importers.worker" in line]


def test_a_process_reads_what_it_is_asked_until_it_is_ended(logs: Path) -> None:
    settings = ImportSettings(language_from="=de", columns={"item": "a"})
    sources = [Source(path, path.name, "lm-eval") for path in sorted(logs.rglob("*.jsonl"))]
    with Worker() as worker:
        for source in sources[:2]:
            here, there = read_source(source, settings), worker.read(source, settings)
            assert there is not None and there[1] == here[1] and len(there[0]) == len(here[0])
            for log, other in zip(here[0], there[0], strict=True):
                assert log.rows.equals(other.rows) and log.rows.schema == other.rows.schema
                assert (log.cell, log.split, log.date, log.by_row, log.place, log.own_task) == (
                    other.cell, other.split, other.date, other.by_row, other.place, other.own_task,
                )  # fmt: skip
        # A name that is no text cannot be passed on; the process is none the worse for it.
        assert worker.read(Source(Path("\udcff"), "\udcff", "lm-eval"), settings) is None
        assert worker.read(sources[0], settings) is not None
        worker.end()
        assert worker.read(sources[0], settings) is None


def test_small_imports_start_no_process(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [Source(path, path.name, "lm-eval") for path in logs.rglob("*.jsonl")]
    monkeypatch.setattr(room, "_processors", lambda: 16)
    assert room._workers(sources) == [] and room._workers([]) == []
    gone = [Source(logs / name, name, "lm-eval") for name in ("a.gz", "b.gz")]
    monkeypatch.setattr(room, "_WORTH", 1)
    assert room._workers(gone) == []
