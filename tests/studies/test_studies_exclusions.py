"""Lists of items to leave out: read in every form, taken out before anything is drawn or asked, and counted by reason."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from bilingual import answer, write_task

from hesperus.audits import audit_items, task_items, write_exclusions
from hesperus.errors import DataError, UsageError
from hesperus.records import read_run
from hesperus.studies.asked.exclusions import excluded_items, without_records
from hesperus.studies.asked.stages import default_folder, plan_study, run_study
from hesperus.studies.multisense.multisense_study import MultisenseStudy
from hesperus.tasks import task
from loopback_endpoint import serving

ITEMS = 24


def study(folder: Path, base_url: str = "http://127.0.0.1:9/v1", **more: object) -> MultisenseStudy:
    file = folder / "tides.yaml"
    given = {
        "task": str(file),
        "data": str(file.with_suffix(".jsonl")),
        "models": "http/tide",
        "target": "de",
    }
    return MultisenseStudy.from_mapping({**given, "base_url": base_url, **more})


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("a.csv", "item,reason\nq1,missing\nq2,\n", {"q1": "missing", "q2": ""}),
        ("a.csv", "reason,item\nmissing; doubled,q1\n", {"q1": "missing; doubled"}),
        ("a.txt", "item,reason\nq1,missing\n", {"q1": "missing"}),
        ("a.txt", "# by hand\nq1\n\n  q2  \n", {"q1": "", "q2": ""}),
        ("a.csv", "item,reason\n", {}),
        ("a.list", "\ufeffq1\r\nq2\r\n", {"q1": "", "q2": ""}),
    ],
)
def test_files_of_both_kinds_are_read(tmp_path: Path, name: str, text: str, read: dict[str, str]) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    assert excluded_items(str(tmp_path / name)) == read
    assert excluded_items(read) == read and excluded_items(list(read)) == dict.fromkeys(read, "")


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.csv", b"id,reason\nq1,x\n", DataError, "the columns item and reason; this has id, reason"),
        ("a.csv", b"item,reason\n,x\n", DataError, "line 2: the row names no item"),
        ("a.txt", b" \n", DataError, "is empty; a list that leaves nothing out has the header item,reason"),
        ("a.txt", b"\xff\xfe", DataError, "not UTF-8"),
    ],
)
def test_files_that_break_the_contract_are_refused(
    tmp_path: Path, name: str, text: bytes, error: type[Exception], message: str
) -> None:
    (tmp_path / name).write_bytes(text)
    with pytest.raises(error, match=message):
        excluded_items(str(tmp_path / name))


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the list of items to leave out .*none.csv"):
        excluded_items(str(tmp_path / "none.csv"))
    with pytest.raises(UsageError, match="exclude is a file, a list of ids, or a mapping"):
        study(tmp_path, exclude=3)


def test_excluded_items_are_not_asked_and_are_counted_by_reason(tmp_path: Path) -> None:
    write_task(tmp_path, ITEMS)
    (tmp_path / "out.csv").write_text(
        "item,reason\nt000,doubled option\nt001,doubled option\nt002,untranslated\nt999,gone\n",
        encoding="utf-8",
    )
    with serving(answer) as endpoint:
        what = study(tmp_path, endpoint.url, exclude=str(tmp_path / "out.csv"), repeats=1, conditions=["T"])
        done = run_study(what, tmp_path / "run")
        assert not any(f"tide {n} " in text for n in range(3) for text in endpoint.asked)
        asked = len(endpoint.asked)
        assert asked == sum(
            float(str(row["to_ask"])) for row in plan_study(what).rows if row["stage"] != "total"
        )
        (tmp_path / "out.csv").unlink()
        resolved = MultisenseStudy.read(tmp_path / "run" / "study.yaml")
        assert resolved == what and default_folder(resolved) == default_folder(what)
        run_study(resolved, tmp_path / "again")
        assert len(endpoint.asked) == asked
    done.raise_if_incomplete()
    assert done.records["item"].n_unique() == ITEMS - 3
    reasons = {"doubled option": 2, "untranslated": 1}
    assert str(done.excluded) == (
        "3 items excluded (2 doubled option, 1 untranslated); 1 id of the list belongs to no item"
    )
    signature = read_run(tmp_path / "run").signature
    assert signature["excluded"] == {"items": 3, "reasons": reasons, "absent": 1}
    dropped = signature["dropped"]
    assert isinstance(dropped, list)
    assert {(drop["item"], drop["reason"], drop["detail"]) for drop in dropped} == {
        ("t000", "excluded", "doubled option"),
        ("t001", "excluded", "doubled option"),
        ("t002", "excluded", "untranslated"),
    }
    for name in ("records.parquet", "items.parquet", "study.yaml", "signature.json"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()


def test_a_sample_keeps_its_size_and_all_or_none_is_refused(tmp_path: Path) -> None:
    write_task(tmp_path, ITEMS)
    ids = [f"t{n:03}" for n in range(ITEMS)]
    plan = plan_study(study(tmp_path, exclude=ids[:20], sample={"n": 4}, repeats=1, conditions=["T"]))
    asked = {request.prompt.user for line in plan.lines for request in line.known if line.stage == "answer"}
    assert len(asked) == 4 and all("tide 2" in text for text in asked)
    with pytest.raises(DataError, match="names all 24 items; nothing is left"):
        plan_study(study(tmp_path, exclude=ids))
    with pytest.raises(
        DataError, match=r"none of the 1 ids to leave out \('0'\) belongs to an item; .*'t000'"
    ):
        plan_study(study(tmp_path, exclude=["0"]))
    frame = pl.DataFrame({"item": ["a", "a", "b"], "n": [1, 2, 3]})
    kept, excluded = without_records(frame, {"a": "", "c": "x"})
    assert kept["n"].to_list() == [3] and excluded is not None
    assert excluded.signed() == {"items": 1, "reasons": {"no reason given": 1}, "absent": 1}
    with pytest.raises(DataError, match="names all 2 items"):
        without_records(frame, {"a": "", "b": ""})
    assert without_records(frame, {}) == (frame, None)


def test_a_study_without_a_list_says_nothing_of_one(tmp_path: Path) -> None:
    plain = study(tmp_path)
    assert "exclude" not in plain.model_dump(mode="json")
    assert default_folder(plain) == default_folder(study(tmp_path, exclude=None))
    assert default_folder(plain) != default_folder(study(tmp_path, exclude=["t000"]))


def test_what_an_audit_writes_goes_into_a_study(tmp_path: Path) -> None:
    file = write_task(tmp_path, ITEMS)
    rows = file.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    rows[5] = rows[5].replace("The tide 5 rises.", "")
    file.with_suffix(".jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    material = task_items(task(str(file)), ["en"], source=str(file.with_suffix(".jsonl")))
    audit = audit_items(material.items, contract=material.contract, known=material.known)
    written = write_exclusions(tmp_path / "out.csv", audit.of("exclude"))
    assert list(written) == ["t005"]
    what = study(tmp_path, exclude=str(tmp_path / "out.csv"))
    assert dict(what.exclude) == dict(written)
