"""Stored replies, read again: another parser, other packs, corrections by hand. Asks nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hesperus.answers import load_overrides
from hesperus.errors import UsageError
from hesperus.fingerprint import JSON, fingerprint
from hesperus.records import read_run, write_records, write_run
from hesperus.records.runs import refuse_other_run
from hesperus.studies.asked.study_files import home_of
from hesperus.studies.reread import rereading
from hesperus.studies.reread.parsers import read_replies
from hesperus.studies.reread.rereading import RereadCounts
from hesperus.tasks import Task
from hesperus.tasks import task as task_named
from hesperus.version import __version__


def reread(
    run: Path | str,
    out: Path | str,
    *,
    task: str | None = None,
    overrides: Path | str | None = None,
    parser: str = "default",
) -> tuple[RereadCounts, dict[str, JSON]]:
    """Read the stored replies of a run or records file again, and write the result: what `hesperus reread` does.

    Args:
        run: Run folder or records file (Parquet, CSV, JSON lines).
        out: Where the result goes: a .parquet file, or a folder for a run.
        task: Task, or path of a task file, with the labels of every row (default: each row's own).
        overrides: CSV or YAML of answers corrected by hand, see docs/answers.md.
        parser: default, strict or ohmer2023.

    Returns:
        What became of the rows, and how they were read.

    Raises:
        UsageError: No such file, or `out` is what is read.
        UnknownNameError: No such task or parser.
        DataError: The records or overrides break their contract.
    """
    run, out = Path(run), Path(out)
    if out.resolve() in (run.resolve(), (run / "records.parquet").resolve()):
        raise UsageError(f"{out}: is what is read; give --out another name")
    corrections = load_overrides(Path(overrides)) if overrides is not None else None
    made: dict[str, JSON] = {"hesperus": __version__, "parser": parser, "task": task}
    if corrections is not None:
        made["overrides"] = fingerprint(list(corrections.by_key.values()))
    held = read_run(run) if run.is_dir() else None
    if held is not None and out.is_dir():
        refuse_other_run(out, held.study)
    written, counts = rereading.reread(
        read_replies(run),
        task=task,
        overrides=corrections,
        parser=parser,
        items=held.items if held is not None else None,
        described=_described(held.study, run / "study.yaml") if held is not None and task is None else None,
    )
    if held is None or out.suffix.lower() == ".parquet":
        write_records(written, out)
    else:
        write_run(replace(held, records=written, signature={**held.signature, "reread": made}), out)
    return counts, made


def _described(study: Mapping[str, object], file: Path) -> Task | None:
    """The task file of one's own that the run was made with, where it is still found as a run of the study would."""
    name = study.get("task")
    if not isinstance(name, str) or not name.endswith((".yaml", ".yml")):
        return None
    path = (home_of({"task": name}, file) or Path()) / name
    return task_named(str(path)) if path.is_file() else None
