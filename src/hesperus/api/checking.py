"""Requirements on a run, and how far it may fall below a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from hesperus.analysis.item_changes import BrokenItems
    from hesperus.analysis.requirements import Requirement
    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.table import Table
    from hesperus.api.measured_run import Chosen


def check(
    run: Path | str,
    require: Sequence[str] | str = (),
    *,
    baseline: Path | str | None = None,
    max_drop: Sequence[str] | str = (),
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    junit: Path | str | None = None,
    summary: Path | str | None = None,
    **settings: Any,
) -> Table:
    """Hold a run to requirements: what `hesperus check` prints.

    Args:
        run: Run folder or records file (Parquet, CSV, JSON lines).
        require: What must hold, e.g. 'consistency[de_from_en] >= 0.8' or 'back_translation.tax.high < 0.05'.
        baseline: Run folder or records file that --max-drop compares with.
        max_drop: How far it may fall below the baseline, e.g. 0.02 (of accuracy; of open answers, of scores) or
            'consistency[de_from_en]=0.05'.
        models: Only this model.
        tasks: Only this task.
        junit: Also write the result as JUnit XML.
        summary: Also write the result as Markdown, for the summary of a job; with --baseline, with the items that broke.
        settings: Fields of hesperus.analysis.settings.GivenSettings: `by`, `invalid`, `resamples`, `seed`, ….

    Returns:
        A row for each requirement and row that it is about; `passed` is False also where the value is undefined.

    Raises:
        UsageError: A requirement that does not follow the grammar or is about no row.
        UnknownNameError: No such measure, statistic or column.
        DataError: The records break their contract.
    """
    from hesperus.analysis.requirements import check_table
    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.short_signature import with_short
    from hesperus.api.measuring import tables_of
    from hesperus.records.files import write_content
    from hesperus.reports.checked import junit_xml, markdown_summary

    run, given, chosen = Path(run), GivenSettings.of(**settings), (tuple(models), tuple(tasks))
    require, max_drop = _several(require), _several(max_drop)
    baseline = None if baseline is None else Path(baseline)
    wanted, drops = _read(require, max_drop, (baseline, run))
    measures = sorted({requirement.measure for requirement in wanted})
    tables = tables_of(measures, run, given, chosen=chosen)
    if baseline is not None:
        tables |= _certain((baseline, run), drops, given, chosen)
    made = check_table([*wanted, *drops], tables)
    found = with_short(
        made, given, models=chosen[0], tasks=chosen[1], require=tuple(require), max_drop=tuple(max_drop)
    )
    if junit is not None:
        write_content(Path(junit), junit_xml(found))
    if summary is not None:
        lost = None if baseline is None else broken(run, baseline, models=models, tasks=tasks)
        write_content(Path(summary), markdown_summary(found, lost))
    return found


def _several(given: Sequence[str] | str) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given


def broken(
    run: Path | str, baseline: Path | str, *, models: Sequence[str] = (), tasks: Sequence[str] = ()
) -> BrokenItems | None:
    """The answers that were right in the baseline and are not in the run: what the summary of `hesperus check` lists.

    None if a folder holds evaluations without their records.
    """
    from hesperus.analysis.item_changes import broken_items
    from hesperus.records.reading import RECORDS_FILE

    folders = [Path(place) for place in (baseline, run) if Path(place).is_dir()]
    if not all((folder / RECORDS_FILE).is_file() for folder in folders):
        return None
    before, after = (_records(Path(place), (), (tuple(models), tuple(tasks))) for place in (baseline, run))
    return broken_items(before, after)


def _read(
    require: Sequence[str], max_drop: Sequence[str], runs: tuple[Path | None, Path]
) -> tuple[list[Requirement], list[Requirement]]:
    from hesperus.analysis.compared import COMPARED
    from hesperus.analysis.measure_names import TAX_ESTIMATORS
    from hesperus.analysis.open_answers.open_measures import OPEN_COMPARED, is_open
    from hesperus.analysis.requirements import Requirement
    from hesperus.analysis.run_kinds import described
    from hesperus.errors import UsageError

    baseline, run = runs
    if not require and not max_drop:
        raise UsageError("nothing to check: give --require, or --baseline and --max-drop")
    if bool(max_drop) != (baseline is not None):
        raise UsageError("--baseline and --max-drop belong together: what with, and how far")
    wanted = [Requirement.parse(text) for text in require]
    if not max_drop:
        return wanted, []
    default = "scores" if is_open(described(run)) else "accuracy"
    measures = (*COMPARED, *OPEN_COMPARED, *TAX_ESTIMATORS)
    return wanted, [Requirement.drop(text, measures, default=default) for text in max_drop]


def _records(run: Path, columns: tuple[str, ...], chosen: Chosen) -> pl.DataFrame:
    from hesperus.analysis.views import narrowed
    from hesperus.records import read_records

    return narrowed(read_records(run, columns=columns), models=chosen[0], tasks=chosen[1])


def _certain(
    runs: tuple[Path, Path],
    drops: list[Requirement],
    given: GivenSettings,
    chosen: Chosen,
) -> dict[str, Table]:
    """Differences from the baseline, with simultaneous intervals over all rows that a drop of an interval's end is about."""
    from dataclasses import replace

    from hesperus.analysis.run_kinds import described
    from hesperus.analysis.settings import agreed_settings
    from hesperus.api.run_comparison import compared_runs
    from hesperus.measures import enough_permutations

    wanted = {drop.measure: drop.compared for drop in sorted(drops, key=lambda drop: drop.measure)}
    made = compared_runs(runs, wanted.values(), given, chosen=chosen)
    found = {name: made[what] for name, what in wanted.items()}
    family = sum(len(drop.rows(found[drop.measure])) for drop in drops if drop.end != "value")
    plain = agreed_settings(given, [described(run).study for run in runs]).bootstrap
    if family < 2 or not plain.resamples:
        return found
    together = replace(
        given,
        level=1 - (1 - plain.level) / family,
        resamples=enough_permutations(plain.resamples, family, error=1 - plain.level),
    )
    made = compared_runs(runs, wanted.values(), together, chosen=chosen, quiet=True)
    return {
        name: replace(made[what], signature={**made[what].signature, "simultaneous": family})
        for name, what in wanted.items()
    }
