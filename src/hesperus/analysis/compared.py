"""Two runs next to each other: paired differences with intervals, tests, and their correction for number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from hesperus.analysis.answered import Places
from hesperus.analysis.p_corrections import (
    EXACT_MCNEMAR,
    MCNEMAR,
    ONE_METHOD,
    P_DECIDES,
    RESAMPLED,
    correct,
    tests_signature,
    without_resamples,
)
from hesperus.analysis.settings import DEFAULT, MeasureSettings
from hesperus.analysis.single import cell_columns
from hesperus.analysis.table import NewRow, Row, Table, estimate_cells, table
from hesperus.analysis.views import View, gold_range, views
from hesperus.errors import DataError, UnknownNameError
from hesperus.measures import (
    FAILED,
    INVALID,
    MISSING,
    Bootstrap,
    Codes,
    InvalidRule,
    Key,
    Mask,
    Statistic,
    account,
    agreement_detectable,
    agreement_statistics,
    compare,
    difference,
    draws,
    estimate,
    estimates,
    mcnemar_test,
    replied,
    resampled_p,
    share_statistic,
    smallest_detectable_difference,
    unanswered,
)
from hesperus.measures.classes import NONE_ANSWERED
from hesperus.records import Cell, CellPair, implied_pairs

COMPARED = ("accuracy", "consistency", "similarity", "validity")
_TESTED = ("p", "p_holm", "detectable")
_NAMED = 3
"""Names of what only one run has, of which a message says so many."""


@dataclass(frozen=True, slots=True, eq=False)
class _Contrast:
    """One property, item by item, on both sides."""

    cells: Row
    first: Mask
    second: Mask
    counted: Mask
    excluded: int
    reason: str


def compare_table(
    runs: tuple[pl.DataFrame, pl.DataFrame],
    what: str = "consistency",
    *,
    models: tuple[str, str] | None = None,
    settings: MeasureSettings = DEFAULT,
    exact: bool = False,
) -> Table:
    """Difference of a second run from a first, on the items that both have.

    Args:
        runs: Two records tables; the same one twice compares two of its models.
        what: ``consistency`` (of every pair that the design implies), ``accuracy`` or ``validity`` (of every cell),
            ``similarity`` (κ_p of the labels in every pair of senses).
        models: A model of the first and one of the second run; None pairs models of the same name, or the only two.
        settings: Columns to group by, how invalid answers compare, and how intervals are made: both sides share
            resamples.
        exact: The exact McNemar test in place of the Bayesian one, as papers print it.

    Returns:
        A row per model, task and cell (or pair): both values, `value` = second − first with its interval, `p` by the same
        weights of items as the interval (of shares worked out, see sign_test), `p_holm` over all rows of the table, and
        `detectable`, the smallest difference that this test would find in so many items with a chance of 80 %. Without
        resamples there is neither interval nor p.

    Raises:
        UnknownNameError: `what`, a model or a column that does not exist.
        DataError: The runs share no model, task, cell or item.
    """
    if what not in COMPARED:
        raise UnknownNameError("comparison", what, COMPARED)
    settings = MeasureSettings(by=settings.by, invalid=settings.invalid, bootstrap=settings.bootstrap)
    invalid, bootstrap = settings.invalid, settings.bootstrap
    rows: list[dict[str, object]] = []
    pairs = matched_models([run["model"].unique() for run in runs], models)
    for model_a, model_b in pairs:
        sides = [
            run.filter(pl.col("model") == model).with_columns(model=pl.lit(side))
            for run, model, side in zip(runs, (model_a, model_b), ("a", "b"), strict=True)
        ]
        both = pl.concat(sides, how="diagonal_relaxed")
        for view in views(both, by=settings.by, per_model=False):
            head = {"model_a": model_a, "model_b": model_b, "task": view.task, **view.groups}
            if what == "similarity":
                rows += similarity_contrasts(head, view, invalid=invalid, bootstrap=bootstrap)
            else:
                rows += _rows(head, list(_contrasts(view, what, invalid)), bootstrap, exact)
    if not rows:
        raise DataError(_nothing_shared(runs, pairs))
    family = correct(rows)
    if not bootstrap.resamples:
        without_resamples(rows)
    places = ("a", "b") if what in ("consistency", "similarity") else ("instruction", "input", "repeat")
    columns = (
        "model_a", "model_b", "task", *settings.by, *places, "statistic", "value_a", "value_b", "answered_a", "answered_b",
        "value", "low", "high", *_TESTED, "n", "excluded", "reason",
    )  # fmt: skip
    places_of = [Places(run, [name for name in settings.by if name in run.columns]) for run in runs]
    for row in rows:
        row["statistic"] = "kappa_p" if what == "similarity" else what
        for side, answers in zip("ab", places_of, strict=True):
            named = {name: value for name, value in row.items() if name not in ("model_a", "model_b")}
            row[f"answered_{side}"] = answers.share({**named, "model": row[f"model_{side}"]})
    if what == "similarity":
        tests = tests_signature(RESAMPLED, [family], of="all rows", decides=ONE_METHOD)
    else:
        test = EXACT_MCNEMAR if exact else MCNEMAR
        tests = tests_signature(test, [family], of="all rows", decides=P_DECIDES)
    return table(f"compare {what}", columns, rows=rows, signature=settings.signed() | {"tests": tests})


def matched_models(runs: Iterable[Iterable[str]], models: tuple[str, str] | None) -> list[tuple[str, str]]:
    """Which model of a first table is next to which of a second.

    Args:
        runs: The models of two tables, each once.
        models: A model of the first and one of the second; None pairs models of the same name, or the only two.

    Raises:
        UnknownNameError: A model that a table does not have.
        DataError: The tables share no model, and there are several.
    """
    names = [sorted(run) for run in runs]
    if models is not None:
        for model, known in zip(models, names, strict=True):
            if model not in known:
                raise UnknownNameError("model", model, known)
        return [models]
    shared = [(name, name) for name in names[0] if name in names[1]]
    if shared:
        return shared
    if len(names[0]) == len(names[1]) == 1:
        return [(names[0][0], names[1][0])]
    raise DataError(
        f"the runs share no model ({', '.join(names[0])} and {', '.join(names[1])}); name one of each side with --model-a "
        "and --model-b"
    )


def _nothing_shared(runs: tuple[pl.DataFrame, pl.DataFrame], models: Sequence[tuple[str, str]]) -> str:
    """Why there is no row to compare: what the one run has, and what the other."""
    sides = [
        run.filter(pl.col("model").is_in([pair[side] for pair in models])) for side, run in enumerate(runs)
    ]
    for name, columns in (
        ("task", ["task"]),
        ("combination of instruction and input", ["instruction", "input"]),
    ):
        held = [
            dict.fromkeys(
                "/".join(map(str, row)) for row in side.select(columns).unique().sort(columns).rows()
            )
            for side in sides
        ]
        if not held[0].keys() & held[1].keys():
            one, other = (few(list(names)) for names in held)
            return (
                f"the runs share no {name}: the first has {one}, the second {other}; both need the same names"
            )
    return "the runs share no pair of senses of one task that could be compared; `accuracy` and `validity` compare single ones"


def few(names: Sequence[str]) -> str:
    """The first names of a list, and that there are more."""
    return ", ".join([*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])])


def no_shared_items(runs: tuple[pl.DataFrame, pl.DataFrame]) -> list[str]:
    """A sentence for each task that two runs share without an item that both have, since items are matched by their id."""
    told = []
    for task in sorted(set(runs[0]["task"].unique()) & set(runs[1]["task"].unique())):
        one, other = (run.filter(pl.col("task") == task)["item"].unique().sort().to_list() for run in runs)
        if not set(one) & set(other):
            told.append(
                f"{task}: the runs share no item, the first has {few(one)}, the second {few(other)}; items are matched by "
                "their id, which has to be the same in both"
            )
    return told


def _contrasts(view: View, what: str, invalid: InvalidRule) -> Iterator[_Contrast]:
    """What can be compared in a view with the two sides as models, "a" and "b"."""
    sides = [[cell for cell in view.arrays.cells if cell.model == side] for side in ("a", "b")]
    if what == "consistency":
        second = {pair.labels: pair for pair in implied_pairs(sides[1])}
        for pair in implied_pairs(sides[0]):
            if pair.labels in second:
                yield _consistent(view, pair, second[pair.labels], invalid)
        return
    others = {(cell.instruction, cell.input, cell.repeat): cell for cell in sides[1]}
    for cell in sides[0]:
        other = others.get((cell.instruction, cell.input, cell.repeat))
        if other is not None:
            yield _single(view, (cell, other), what, invalid)


def _consistent(view: View, first: CellPair, second: CellPair, invalid: InvalidRule) -> _Contrast:
    a, b = (compare(view.answers(pair.a), view.answers(pair.b), invalid=invalid) for pair in (first, second))
    counted = a.counted & b.counted
    codes = [view.answers(cell) for pair in (first, second) for cell in (pair.a, pair.b)]
    labels = dict(zip(("a", "b"), first.labels, strict=True))
    return _contrast(labels, (a.agree, b.agree), counted, codes)


def _single(view: View, cells: tuple[Cell, Cell], what: str, invalid: InvalidRule) -> _Contrast:
    answers = [view.answers(cell) for cell in cells]
    gold = [view.gold(cell) for cell in cells]
    asked = [codes >= 0 if invalid == "drop" and what == "accuracy" else replied(codes) for codes in answers]
    if what == "accuracy":
        asked = [mask & (right >= 0) for mask, right in zip(asked, gold, strict=True)]
        held = [codes == right for codes, right in zip(answers, gold, strict=True)]
        return _contrast(cell_columns(cells[0]), (held[0], held[1]), asked[0] & asked[1], answers)
    # Validity is about having an answer: a run without any has 0 of it, and is not undefined.
    read = (answers[0] >= 0, answers[1] >= 0)
    return _contrast(cell_columns(cells[0]), read, asked[0] & asked[1], answers, needs_answers=False)


def _contrast(
    cells: Row,
    held: tuple[Mask, Mask],
    counted: Mask,
    runs: Sequence[Codes],
    *,
    needs_answers: bool = True,
) -> _Contrast:
    """A contrast with an account of every item that was asked somewhere and does not count."""
    silent = 0
    if needs_answers and unanswered(counted, *runs):
        silent = int(counted.sum())
        counted = np.zeros_like(counted)
    failed = np.logical_or.reduce([codes == FAILED for codes in runs])
    sides = (runs[: len(runs) // 2], runs[len(runs) // 2 :])
    asked = [np.logical_or.reduce([codes != MISSING for codes in side]) for side in sides]
    both = asked[0] & asked[1]
    lost = {
        "without a reply (error)": int(failed.sum()),
        ONE_RUN: int(((asked[0] ^ asked[1]) & ~failed).sum()),
        "that do not count on every side": int((both & ~counted & ~failed).sum()) - silent,
        NONE_ANSWERED: silent,
    }
    return _Contrast(cells, *held, counted, sum(lost.values()), account(lost))


def _rows(
    head: Row, contrasts: Sequence[_Contrast], bootstrap: Bootstrap, exact: bool
) -> list[dict[str, object]]:
    shares = [(share_statistic(c.first, c.counted), share_statistic(c.second, c.counted)) for c in contrasts]
    values = estimates([side for pair in shares for side in pair])
    numbers = estimates((difference(second, first) for first, second in shares), bootstrap)
    rows = []
    for place, (contrast, number) in enumerate(zip(contrasts, numbers, strict=True)):
        cells = estimate_cells(number)
        cells["excluded"] = contrast.excluded
        if contrast.reason:
            cells["reason"] = "; ".join(text for text in (number.reason, contrast.reason) if text)
        first, second = values[2 * place].value, values[2 * place + 1].value
        test = mcnemar_test(contrast.first, contrast.second, counted=contrast.counted, exact=exact)
        p = test.value if bootstrap.resamples and number.value is not None else None
        apart = int(((contrast.first ^ contrast.second) & contrast.counted).sum())
        detectable = (
            smallest_detectable_difference(
                apart / number.n, number.n, (first, second), level=bootstrap.level, exact=exact
            )
            if first is not None and second is not None
            else None
        )
        both = {"value_a": first, "value_b": second}
        rows.append({**head, **contrast.cells, **both, **cells, "p": p, "detectable": detectable})
    return rows


def changed_sentence(compared: Table) -> str:
    """How many differences are significant after the correction for the number of rows: the answer of a comparison."""
    values = [row for row in compared.rows if row["value"] is not None]
    tested = [row for row in values if isinstance(row["p_holm"], float)]
    if not tested:
        return f"{compared.measure}: {len(values)} difference{'s' * (len(values) != 1)}, none tested"
    significant = [row for row in tested if float(row["p_holm"]) < 0.05]
    higher = sum(float(row["value"]) > 0 for row in significant)
    ways = f": {higher} higher, {len(significant) - higher} lower" if significant else ""
    return f"{compared.measure}: {len(significant)} of {len(tested)} differences are significant (p_holm < 0.05){ways}"


ONE_RUN = "that only one of the runs has"
"""Said of items that cannot be compared."""
_AGREE = 1
"""Column of κ_p that says on how many items both runs agree."""


def similarity_contrasts(
    head: Row, view: View, *, invalid: InvalidRule, bootstrap: Bootstrap
) -> Iterator[NewRow]:
    """A row for each pair of senses that both sides have: κ_p of the labels, second side less first.

    Items count where all four answers are there and gold is the same in all; both sides are resampled together. `p` is of
    the same resamples as the interval (see measures.resampled_p). The view has both sides, with "a" and "b" as names of the
    models.
    """
    cells: dict[tuple[str, str], dict[str, Cell]] = {}
    for cell in view.arrays.cells:
        if cell.repeat == 1:
            cells.setdefault((cell.instruction, cell.input), {})[cell.model] = cell
    shared = [sides for sides in cells.values() if len(sides) == 2]
    for one, other in combinations(shared, 2):
        labels = CellPair("chosen", one["a"], other["a"]).labels
        yield {**head, "a": labels[0], "b": labels[1], **_row(view, one, other, invalid, bootstrap)}


def _row(
    view: View,
    one: Mapping[str, Cell],
    other: Mapping[str, Cell],
    invalid: InvalidRule,
    bootstrap: Bootstrap,
) -> NewRow:
    cells = [one["a"], other["a"], one["b"], other["b"]]
    codes = np.stack([view.answers(cell) for cell in cells])
    gold = np.stack([view.gold(cell) for cell in cells])
    asked = replied(codes)
    sides = [(codes[run : run + 2] != MISSING).any(axis=0) for run in (0, 2)]
    highest, lowest = gold_range(gold)
    differ = (highest >= 0) & (lowest != highest)
    counted, both = asked.all(axis=0) & ~differ, sides[0] & sides[1]
    lost = {
        ONE_RUN: int((sides[0] ^ sides[1]).sum()),
        "with gold that differs between the languages": int((both & differ).sum()),
        "with no reply in one or more of the four cells": int((both & ~differ & ~counted).sum()),
    }
    key = Key(np.maximum(highest, INVALID).astype(np.int32), view.arrays.options)
    held: Codes = np.where(counted, codes, MISSING).astype(np.int32)
    first, second = (
        agreement_statistics(held[i], held[i + 1], key=key, invalid=invalid)["kappa_p"] for i in (0, 2)
    )
    apart = difference(second, first)
    cell = estimate_cells(estimate(apart, bootstrap))
    if any(lost.values()):
        cell["excluded"] = int(cell["excluded"]) + sum(lost.values())
        cell["reason"] = "; ".join(text for text in (str(cell["reason"] or ""), account(lost)) if text)
    resampled = _resampled(apart, bootstrap)
    defined = cell["value"] is not None
    return {
        "value_a": estimate(first).value,
        "value_b": estimate(second).value,
        **cell,
        "p": resampled_p(resampled) if defined else None,
        "detectable": agreement_detectable(apart, _AGREE, bootstrap) if defined else None,
    }


def _resampled(statistic: Statistic, bootstrap: Bootstrap) -> np.ndarray:
    drawn = draws(len(statistic.columns[0]), bootstrap)
    if drawn is None:
        return np.empty(0)
    columns = np.column_stack([column.astype(np.float64) for column in statistic.columns])
    return statistic.resampled(drawn.sums(columns), drawn)
