"""`hesperus reread`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import Format
from hesperus.cli.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from hesperus.fingerprint import JSON
    from hesperus.studies.reread.rereading import RereadCounts
    from hesperus.tasks import Task


def command(
    run: Annotated[
        Path,
        typer.Argument(help="Run folder or records file (Parquet, CSV, JSON lines).", show_default=False),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="Where the result goes: a .parquet file, or a folder for a run.", show_default=False
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option(
            help="Task, or path of a task file, by whose labels every row is read (default: each row's own)."
        ),
    ] = None,
    overrides: Annotated[
        Path | None, typer.Option(help="CSV or YAML of answers corrected by hand, see docs/answers.md.")
    ] = None,
    parser: Annotated[str, typer.Option(help="default, strict or ohmer2023.")] = "default",
    format: Format = "table",
) -> None:
    """Read the stored replies again, with the parser and language packs of this version; asks nothing.

    Writes `outcome`, `answer` and `rule`, and leaves every other column as it is. Rows without a reply, rows answered by
    probabilities and open answers stay as they are. Where no task file describes a row's task, options that are letters
    say how it is read; without them it stays as it is, too.

    For example:

        hesperus reread replies.parquet --task xnli --out answers.parquet

        hesperus reread runs/atlas --out runs/atlas-strict --parser strict

        hesperus reread runs/atlas --overrides reviewed.csv --out runs/atlas-reviewed
    """
    from hesperus.analysis.table import table
    from hesperus.answers import load_overrides
    from hesperus.errors import UsageError
    from hesperus.fingerprint import fingerprint
    from hesperus.records import read_run
    from hesperus.reports.formats import print_table
    from hesperus.studies.reread.parsers import read_replies
    from hesperus.studies.reread.rereading import reread
    from hesperus.version import __version__

    if out.resolve() in (run.resolve(), (run / "records.parquet").resolve()):
        raise UsageError(f"{out}: is what is read; give --out another name")
    as_run = run.is_dir() and out.suffix.lower() != ".parquet"
    corrections = load_overrides(overrides) if overrides is not None else None
    made: dict[str, JSON] = {"hesperus": __version__, "parser": parser, "task": task}
    if corrections is not None:
        made["overrides"] = fingerprint(list(corrections.by_key.values()))
    held = read_run(run) if run.is_dir() else None
    written, counts = reread(
        read_replies(run),
        task=task,
        overrides=corrections,
        parser=parser,
        items=held.items if held is not None else None,
        described=_described(held.study, run / "study.yaml") if held is not None and task is None else None,
    )
    _save(written, run, out, made=made if as_run else None)
    rows = [
        {
            "outcome": name,
            "before": counts.before.get(name, 0),
            "after": counts.after.get(name, 0),
            "changed": counts.changed.get(name, 0),
        }
        for name in dict.fromkeys((*counts.before, *counts.after))
    ]
    print_table(table("reread", ("outcome", "before", "after", "changed"), rows=rows, signature=made), format)
    _tell(counts, out)


def _described(study: Mapping[str, object], file: Path) -> Task | None:
    """The task file of one's own that the run was made with, where it is still found as a run of the study would."""
    from hesperus.studies.asked.study_files import home_of
    from hesperus.tasks import task

    name = study.get("task")
    if not isinstance(name, str) or not name.endswith((".yaml", ".yml")):
        return None
    path = (home_of({"task": name}, file) or Path()) / name
    return task(str(path)) if path.is_file() else None


def _save(written: pl.DataFrame, run: Path, out: Path, *, made: dict[str, JSON] | None) -> None:
    from dataclasses import replace

    from hesperus.records import read_run, write_records, write_run

    if made is None:
        write_records(written, out)
        return
    old = read_run(run)
    write_run(replace(old, records=written, signature={**old.signature, "reread": made}), out)


def _tell(counts: RereadCounts, out: Path) -> None:
    changed = sum(counts.changed.values())
    say(f"{changed:,} of {counts.rows:,} rows changed; written to {out}")
    if counts.without_reply or counts.scored:
        say(
            f"as they were: rows without a reply {counts.without_reply:,}, rows answered by probabilities {counts.scored:,}"
        )
    if counts.whole:
        say(f"{counts.whole:,} rows with open answers are as they were; they hold no label to read")
    for name, many in counts.undescribed.items():
        say(
            f"{many:,} rows of {name!r} are as they were: no task file describes it; --task NAME or FILE says how it is read"
        )
    if counts.overridden:
        say(f"{counts.overridden:,} answers corrected by hand")
    for what, lines in (("reply has changed", counts.stale), ("record is not there", counts.unmatched)):
        if lines:
            shown = ", ".join(map(str, lines[:20])) + (", …" if len(lines) > 20 else "")
            say(f"overrides not applied because their {what}: line {shown}")
