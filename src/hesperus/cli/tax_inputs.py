"""What the commands of `hesperus tax` share: their flags, and how records, scores and groups are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import polars as pl

    from hesperus.analysis.settings import GivenSettings
    from hesperus.reports.table import Table
    from hesperus.reports.tax import Gate, TaxSettings

Runs = Annotated[
    list[Path],
    typer.Argument(help="Run folders or records files, of one benchmark or several.", show_default=False),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        help="NAME=MODEL,MODEL; repeatable. The first is the source-centric group (default: those of the run's study).",
        show_default=False,
    ),
]
Original = Annotated[
    str | None, typer.Option(help="Sense of the original items, such as en.", show_default=False)
]
Translated = Annotated[
    str | None, typer.Option(help="Sense of the translated items, such as zh.", show_default=False)
]
Back = Annotated[
    str | None,
    typer.Option(help="Sense of the back-translations, such as en_from_zh@apertium.", show_default=False),
]
Natural = Annotated[
    str | None, typer.Option(help="Sense of the rewritten items, such as zh~natural.", show_default=False)
]
Scores = Annotated[
    Path | None,
    typer.Option(
        help="Item scores of the back-translations (default: scores.parquet of the runs).", show_default=False
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(help="Score of the gate, bleu or chrf (default: bleu, or the study's).", show_default=False),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="Back-translations below it are left out (default: 20, or the study's).", show_default=False
    ),
]
Floor = Annotated[
    float | None,
    typer.Option(
        help="Share of readable answers below which a model is fragile (default: 0.9).", show_default=False
    ),
]
Exact = Annotated[
    bool,
    typer.Option("--exact", help="The exact sign test in place of the mid-p test, as the paper prints it."),
]
Exclude = Annotated[
    Path | None,
    typer.Option(help="Leave these items out: a list that `hesperus audit --out` wrote.", show_default=False),
]
Scale = Annotated[
    str, typer.Option(metavar="LOW:HIGH", help="Lowest and highest rating of cues; others are refused.")
]
Checks = Annotated[
    list[Path] | None,
    typer.Option(
        help="Checks of rewritten items by people: a long table, as `hesperus annotate export` writes it."
    ),
]
StrataFile = Annotated[
    Path | None,
    typer.Option(help="File of `hesperus tax strata` (default: strata.json of the run).", show_default=False),
]
Verdicts = Annotated[
    Path | None,
    typer.Option(
        help="Verdicts of the verifying model (default: verdicts.parquet of the run).", show_default=False
    ),
]
Repeat = Annotated[
    int | None,
    typer.Option(
        help="Repeat of the translated items (default: one that the strata did not look at).", min=1
    ),
]
Readers = Annotated[
    list[str] | None,
    typer.Option("--reader", help="Also read the replies with this reader: default, strict, authors."),
]
ReaderTask = Annotated[
    str | None,
    typer.Option(help="Task by whose labels --reader reads (default: each row's own).", show_default=False),
]


def declared(runs: Sequence[Path]) -> Mapping[str, Any]:
    """What the study of the first run folder says, where it is an audit of a translated benchmark."""
    from hesperus.records import read_run

    for run in runs:
        if run.is_dir() and (run / "study.yaml").is_file():
            study = read_run(run).study
            if study.get("study") == "translation_tax":
                return study
    return {}


def settings_of(
    group: list[str] | None = None,
    given: GivenSettings | None = None,
    floor: float | None = None,
    *,
    runs: Sequence[Path] = (),
    exact: bool = False,
) -> TaxSettings:
    """Groups, bootstrap and floor as the flags give them, else as the run's study does, else the defaults."""
    from hesperus.analysis.settings import resolve, resolve_bootstrap
    from hesperus.reports.tax import TaxSettings, parse_groups

    said, default = declared(runs), TaxSettings()

    groups = parse_groups(group or ())
    if not groups:
        groups = {str(name): tuple(models) for name, models in said.get("groups", {}).items()}
    drawn = resolve_bootstrap(given, said, default.bootstrap)
    return TaxSettings(groups, drawn, resolve(floor, said.get("floor"), default.floor), exact)


def gate_of(metric: str | None, threshold: float | None, *, runs: Sequence[Path] = ()) -> Gate:
    """The gate as the flags give it; that of the run's study where they do not."""
    from hesperus.analysis.settings import resolve
    from hesperus.reports.tax import Gate

    said, default = declared(runs).get("gate", {}), Gate()
    return Gate(
        resolve(metric, said.get("metric"), default.metric),  # type: ignore[arg-type]  # checked by the gate itself
        resolve(threshold, said.get("threshold"), default.threshold),
    )


def records_of(
    runs: Sequence[Path], exclude: Path | None, tasks: Sequence[str] | None = None
) -> pl.DataFrame:
    """The records of all runs together, of some tasks, without what a list of exclusions leaves out.

    Raises:
        UnknownNameError: A task that no record has.
        DataError: The list leaves a task without items.
    """
    import polars as pl

    from hesperus.errors import DataError
    from hesperus.records import conform, read_records
    from hesperus.reports.measured import narrowed
    from hesperus.studies.asked import excluded_items, without_records

    frames = [read_records(run) for run in runs]
    together = frames[0] if len(frames) == 1 else conform(pl.concat(frames, how="diagonal_relaxed"))
    asked = set(together["task"])
    together, left_out = without_records(together, excluded_items(exclude))
    if emptied := sorted(asked - set(together["task"])):
        raise DataError(f"leaves no item of {', '.join(emptied)}: there is nothing to compare", file=exclude)
    if left_out is not None:
        typer.echo(str(left_out), err=True)
    return narrowed(together, tasks=tasks or ())


def scores_of(
    runs: Sequence[Path], given: Path | None, records: pl.DataFrame, back: str, gate: Gate
) -> pl.DataFrame | None:
    """Item scores beside the runs, or those that were given; None where there are none."""
    import polars as pl

    from hesperus.annotation import read_frame
    from hesperus.reports.tax import gate_scores

    files = [given] if given is not None else [run / "scores.parquet" for run in runs]
    tasks = records["task"].unique().sort().to_list()
    parts = [
        gate_scores(read_frame(file), back, tasks, metric=gate.metric, file=file)
        for file in files
        if given is not None or file.is_file()
    ]
    return pl.concat(parts) if parts else None


def items_of(runs: Sequence[Path]) -> pl.DataFrame | None:
    """The items of the run folders, for readers that look at option texts."""
    import polars as pl

    from hesperus.records import read_run

    frames = [held for run in runs if run.is_dir() and (held := read_run(run).items) is not None]
    return pl.concat(frames, how="diagonal_relaxed") if frames else None


def fresh_repeat(records: pl.DataFrame, sense: str, used: int) -> int:
    """A repeat of the translated items that the strata did not look at, where there is one."""
    import polars as pl

    repeats = records.filter(pl.col("input") == sense)["repeat"].unique().sort().to_list()
    return next((int(repeat) for repeat in repeats if repeat != used), used)


def sizes_of(given: list[str] | tuple[str, ...]) -> dict[str, int]:
    """STRATUM=N, as whole numbers."""
    return {name: round(value) for name, value in numbers_of(list(given), whole=True).items()}


def numbers_of(given: list[str] | None, *, whole: bool = False) -> dict[str, float]:
    """NAME=NUMBER flags."""
    from hesperus.errors import UsageError

    found = {}
    for text in given or ():
        name, _, value = text.rpartition("=")
        try:
            found[name] = float(int(value)) if whole else float(value)
        except ValueError:
            found[name] = float("nan")
        if not name or found[name] != found[name]:
            raise UsageError(f"{text!r}: write NAME={'N, a whole number' if whole else 'NUMBER'}")
    return found


def show(found: Table, format: str) -> None:
    """Print a table; for people narrow, with what was left out and what to keep in mind beside it."""
    from dataclasses import replace

    from hesperus.reports.formats import print_table
    from hesperus.reports.tax.summary import reasons, summaries

    paired = {"analysis", "positive"} <= set(found.columns)
    if format != "table":
        print_table(found, format)
        return
    for one in summaries(found) if paired else [found]:
        print_table(replace(one, signature={}), format)
    for line in reasons(found):
        typer.echo(line, err=True)
    for name in ("gate", "notes", "limits"):
        said = found.signature.get(name)
        if isinstance(said, str):
            typer.echo(f"{name}: {said}", err=True)
        for line in said if isinstance(said, list) else ():
            typer.echo(f"note: {line}", err=True)
