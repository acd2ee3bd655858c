"""The tables of a similarity study: pairs, means of designs, tests, what goes with them, all languages at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.measure_names import SIMILARITY
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.settings import GivenSettings, resolve
from hesperus.analysis.similarity.measured import Measured, estimate_of, measured, with_interval
from hesperus.analysis.similarity.run_arrays import LaidRuns, RecordStream
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings, groups_of, settings_of
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, Table, estimate_cells, table
from hesperus.analysis.views import estimated
from hesperus.errors import DataError
from hesperus.measures import FAILED, Statistic, account, replied
from hesperus.measures.agreement import BY_CHANCE, NO_ITEM
from hesperus.measures.several import together_statistics

PAIR_COLUMNS = ("model_a", "model_b", "task", "a", "b", "statistic", *ESTIMATE_COLUMNS)
GROUP_COLUMNS = (
    "task",
    "by",
    "part",
    "design",
    "group",
    "pairs",
    "aggregate",
    "statistic",
    *ESTIMATE_COLUMNS,
)
ALL_LANGUAGES_COLUMNS = ("model", "task", "languages", "size", "statistic", *ESTIMATE_COLUMNS)


def similarity_tables(
    records: pl.DataFrame | Path | str,
    settings: SimilaritySettings | None = None,
    *,
    by: Sequence[str] = (),
    task: str | None = None,
    only: Collection[str] = SIMILARITY,
) -> dict[str, Table]:
    """The tables of a similarity study.

    Args:
        records: Records (see hesperus.records.read_records), a records file or a run folder.
        settings: What to compare; None takes the defaults.
        by: Columns of the records; means of designs are given for the items of each of their values too.
        task: Which task; None if there is one.
        only: Which tables, by name; ``scoring`` is left out where no record has probabilities.

    Returns:
        ``similarity``: every pair. ``means``: means over the pairs of each design, over all items (micro), over the
        items of each group, and averaged over groups (macro). ``contrasts``: within against between models. ``correlations``:
        correlations with size, accuracy and numbers of languages. ``all_languages``: all languages of a model at once.
        ``scoring``: labels against probabilities, where answers have both.

    Raises:
        DataError: Several tasks and none named, no two runs to compare, or probabilities are wanted and missing.
        UnknownNameError: No such task or column.
    """
    settings = settings or SimilaritySettings()
    stream = task_records(records, settings, by, task)
    return tables_of(measured(stream.whole(), settings), stream.task, settings, by=by, only=only)


def task_records(
    records: pl.DataFrame | Path | str, settings: SimilaritySettings, by: Sequence[str], task: str | None
) -> RecordStream:
    """The records of a task, with the columns that its items are grouped by; arguments as in similarity_tables."""
    columns = tuple(dict.fromkeys([*by, *([settings.macro] if settings.macro else [])]))
    return RecordStream(records, task=task, columns=columns, exclude=settings.exclude)


def tables_of(
    whole: Measured, task: str, settings: SimilaritySettings, *, by: Sequence[str], only: Collection[str]
) -> dict[str, Table]:
    """The same tables of runs that are measured; arguments as in similarity_tables."""
    runs = whole.runs
    making: dict[str, tuple[tuple[str, ...], Callable[[], Sequence[NewRow]]]] = {
        "similarity": (PAIR_COLUMNS, lambda: _pair_rows(whole, task)),
        "means": (GROUP_COLUMNS, lambda: _design_rows(whole, task, settings, by)),
        "all_languages": (ALL_LANGUAGES_COLUMNS, lambda: _together_rows(runs, task, settings)),
    }
    if set(only) - set(making):
        # These alone need scipy, which takes as long to import as all else.
        from hesperus.analysis.similarity import correlations as of

        making |= {
            "contrasts": (of.TEST_COLUMNS, lambda: of.test_rows(whole, task, settings)),
            "correlations": (of.RELATION_COLUMNS, lambda: of.relation_rows(whole, task, settings)),
        }
        if runs.probs is not None:
            making["scoring"] = (of.SCORING_COLUMNS, lambda: of.scoring_rows(runs, task, settings))
    signed = settings.signed(compared=whole.statistic, items=len(runs.items), gold_differs=runs.differing)
    return {
        name: table(name, making[name][0], rows=making[name][1](), signature=signed)
        for name in SIMILARITY
        if name in only and name in making
    }


def _pair_rows(found: Measured, task: str) -> list[NewRow]:
    runs, spread, pairs = found.runs, found.spread, found.designs.pairs
    has, failed = (mask.astype(np.float32) for mask in (replied(runs.codes), runs.codes == FAILED))
    both, unsent = ((mask @ mask.T).astype(np.int64) for mask in (has, failed))
    half = (has @ failed.T).astype(np.int64)
    counts, failures = np.diagonal(both), np.diagonal(unsent)
    rows: list[NewRow] = []
    for index, (i, j) in enumerate(pairs):
        n = int(spread.n[index])
        lost = {
            "without a reply (error)": int(failures[i] + failures[j] - unsent[i, j]),
            "asked on one side only": int(counts[i] + counts[j] - 2 * both[i, j] - half[i, j] - half[j, i]),
            "without gold, or without an answer that can be compared": int(both[i, j]) - n,
            "whose gold differs between runs": runs.differing,
        }
        number = estimate_of(
            *(float(of_pairs[index]) for of_pairs in (spread.value, spread.low, spread.high)),
            n=n,
            excluded=sum(lost.values()),
            reason=account(lost),
            undefined=(_no_options(found) or BY_CHANCE) if n else NO_ITEM,
        )
        a, b = runs.cells[i], runs.cells[j]
        head = {"model_a": a.model, "model_b": b.model, "task": task, "a": a.label(), "b": b.label()}
        rows.append({**head, "statistic": found.statistic, **estimate_cells(number)})
    return rows


def _design_rows(found: Measured, task: str, settings: SimilaritySettings, by: Sequence[str]) -> list[NewRow]:
    rows = list(_group_rows(found, task, settings))
    columns = dict.fromkeys([*by, *([settings.macro] if settings.macro else [])])
    for column in columns:
        held = found.runs.groups[column]
        values = sorted({value for value in held if value is not None}, key=str)
        parts: list[Measured] = []
        for step, value in enumerate(values, start=1):
            part = measured(found.runs.only(held == value), settings, seed_step=step)
            parts.append(part)
            if column in by:
                rows += _group_rows(part, task, settings, column=column, value=value)
        if column == settings.macro and parts:
            rows += _macro_rows(parts, task, settings, column)
    return rows


def _group_rows(
    found: Measured,
    task: str,
    settings: SimilaritySettings,
    *,
    column: str | None = None,
    value: object = None,
) -> Iterator[NewRow]:
    """Means over pairs, each measured over all its items together (micro)."""
    for place, group in enumerate(found.designs.groups):
        defined = int(np.isfinite(found.spread.value[group.pairs]).sum())
        lost = len(group.pairs) - defined
        mean = float(found.spread.means[place])
        number = estimate_of(
            *with_interval(mean, found.spread.spread[place], settings.bootstrap),
            n=int(found.spread.n[group.pairs].max()),
            excluded=found.runs.differing,
            reason=f"{lost} of {len(group.pairs)} pairs are undefined" if lost and defined else "",
            undefined=f"no pair has a value: {_why_none(found, group.pairs)}",
        )
        yield {
            "task": task, "by": column, "part": value, "design": group.design, "group": group.name, "pairs": defined,
            "aggregate": "micro", "statistic": found.statistic, **estimate_cells(number),
        }  # fmt: skip


def _no_options(found: Measured) -> str:
    """Why κ_p is undefined for want of known options; empty where that is not why."""
    if not found.statistic.startswith("kappa_p"):
        return ""
    return found.runs.key.without_options(found.runs.key.gold >= 0)


def _why_none(found: Measured, pairs: npt.NDArray[np.intp]) -> str:
    """Why no pair of a group has a value."""
    if not len(pairs):
        return "there is no pair"
    if int(found.spread.n[pairs].max()):
        return _no_options(found) or BY_CHANCE
    if not (found.runs.key.gold >= 0).any():
        return f"{found.statistic} needs right answers, and no item has gold"
    return NO_ITEM


def _macro_rows(
    parts: Sequence[Measured], task: str, settings: SimilaritySettings, column: str
) -> Iterator[NewRow]:
    """Means over groups of items of the micro means; the items of each group are resampled within it."""
    for place, group in enumerate(parts[0].designs.groups):
        means = np.array([part.spread.means[place] for part in parts])
        spread = np.stack([part.spread.spread[place] for part in parts])
        defined = np.isfinite(means)
        lost = int((~defined).sum())
        # Where none is defined, the mean is of numbers that are not there.
        kept = defined if defined.any() else ~defined
        number = estimate_of(
            *with_interval(float(means[kept].mean()), spread[kept].mean(axis=0), settings.bootstrap),
            n=sum(len(part.runs.items) for part in parts),
            excluded=parts[0].runs.differing,
            reason=f"{lost} of {len(parts)} groups are undefined" if lost else "",
            undefined="no group has a value",
        )
        yield {
            "task": task, "by": column, "part": None, "design": group.design, "group": group.name,
            "pairs": len(group.pairs), "aggregate": "macro", "statistic": parts[0].statistic, **estimate_cells(number),
        }  # fmt: skip


def _together_rows(runs: LaidRuns, task: str, settings: SimilaritySettings) -> list[NewRow]:
    """All languages of each model at once: consistency of subsets, AC3, α."""

    def found() -> Iterator[tuple[NewRow, Statistic]]:
        for model in dict.fromkeys(cell.model for cell in runs.cells):
            rows = [i for i, cell in enumerate(runs.cells) if cell.model == model and cell.repeat == 1]
            if len(rows) < 2:
                continue
            codes, sizes = runs.codes[rows], settings.subsets
            for size, name, one in together_statistics(
                codes, key=runs.key, sizes=sizes, invalid=settings.invalid
            ):
                yield {"model": model, "languages": len(rows), "size": size, "statistic": name}, one

    return estimated({"task": task}, found(), settings.bootstrap)


def similarity_table(
    what: str, records: pl.DataFrame | Path, given: GivenSettings, described: Described
) -> Table:
    """Make one table.

    What was asked for wins over the run's study.

    Raises:
        DataError: Nothing to compare, or `scoring` is wanted and no record has probabilities.
        UnknownNameError: No such column.
        UsageError: The study's comparison cannot be used.
    """
    by = resolve(given.by, groups_of(described.study), ()) if what == "means" else ()
    tables = similarity_tables(records, settings_of(described.study, given), by=by, only=(what,))
    if what not in tables:
        raise DataError(
            "no record has probabilities, which `scoring` sets beside labels; ask with scoring: both"
        )
    return signed_as_run(tables[what], described.signature)


def signed_as_run(made: Table, run: Mapping[str, object]) -> Table:
    """A table with the items that the run excluded among its signature."""
    excluded = run.get("excluded")
    return made if excluded is None else replace(made, signature={**made.signature, "excluded": excluded})
