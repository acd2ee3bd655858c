"""One summary of a run with labels: per model and language, what a reader must see before any other number.

Accuracy; consistency with the reference, next to the noise floor (repeats) and what chance alone would give; agreement
corrected for chance; what became of the questions. All studies, `measure` and the report take it from here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from hesperus.analysis.measure import measure
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, Row, Table, estimate_cells, table
from hesperus.analysis.views import gold_range, views
from hesperus.measures import (
    INVALID,
    MISSING,
    Bootstrap,
    Codes,
    InvalidRule,
    Key,
    Mask,
    Statistic,
    accuracy_statistic,
    agreement_statistics,
    chance_statistic,
    consistency_statistic,
    estimates,
    share_statistic,
)
from hesperus.measures.several import subset_consistency_statistic
from hesperus.records import AnswerArrays, Cell
from hesperus.records.labels import free_texts
from hesperus.types import OUTCOMES, Estimate
from hesperus.wording import parsed

STATISTICS = (
    "accuracy", "consistency", "chance", "kappa_p", "cohen_kappa", "repeat_consistency", "top_label", *OUTCOMES,
)  # fmt: skip
"""Names of the rows of a summary. ``consistency``, ``chance`` (agreement of two runs that answer with the same shares of
labels, but independently), ``kappa_p`` and ``cohen_kappa`` are with the reference; ``repeat_consistency`` is of the same
question asked again; ``top_label`` is the share of the answers that are the most frequent label; the rest are shares of
what was asked."""


NOTED = frozenset({"cohen_kappa"})
"""Statistics of whose intervals the notes speak (see hesperus.analysis.run_notes)."""


@measure(
    "summary",
    help="Per model and language what a reader must see before any other number.",
    takes=("by", "invalid"),
    main=None,
)
def summary(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """The summary of answers that are labels; see summary_table."""
    return summary_table(records, settings=settings)


def summary_table(
    records: pl.DataFrame,
    *,
    settings: MeasureSettings | None = None,
    labels: bool = True,
    intervals: Collection[str] | None = None,
) -> Table:
    """What a reader must see of every model and language before any other number.

    Args:
        records: The records table, of any number of tasks.
        settings: How invalid answers compare, intervals, columns to group by.
        labels: Whether answers are labels; of open answers only what became of the questions is measured.
        intervals: Statistics that get an interval, unless agreement is plainly beyond chance; None: all. NOTED is enough for
            the notes; of many models most of the time goes into intervals.

    Returns:
        For each task, model and language the rows of STATISTICS that there are: the reference has no consistency with
        itself, a question that was asked once has no noise floor, and answers that are texts of their own (free_texts) have
        outcomes alone. The label of ``top_label`` is in the column `label`.

    Raises:
        DataError: An item has different numbers of options in different senses.
    """
    settings = settings or MeasureSettings()
    rows: list[NewRow] = []
    texts = free_texts(records)
    parts = views(records, by=settings.by, per_model=False) if records.height else ()
    for view in sorted(parts, key=lambda view: (view.task, *map(str, view.groups.values()))):
        arrays, has_labels = view.arrays, labels and view.task not in texts
        shared_gold = gold_range(arrays.gold)
        for model in dict.fromkeys(cell.model for cell in arrays.cells):
            every = _of_model(arrays, model, shared_gold, settings.invalid)
            named = [one for one in every if has_labels or one[2] in OUTCOMES]
            numbers = _estimated(named, settings.bootstrap, intervals)
            rows += [
                {
                    "model": model, "task": view.task, **view.groups, "instruction": cell.instruction, "input": cell.input,
                    "reference": None if reference is None else reference.input, "label": label, "statistic": name,
                    **estimate_cells(number),
                }
                for (cell, reference, name, _, label), number in zip(named, numbers, strict=True)
            ]  # fmt: skip
    head = ("model", "task", *settings.by, "instruction", "input", "reference", "label", "statistic")
    return table("summary", (*head, *ESTIMATE_COLUMNS), rows=rows, signature=settings.signed())


SummaryCells = Mapping[tuple[object, ...], Mapping[str, Row]]
"""Values of the keys of a line to its rows, by statistic."""


def summary_cells(summary: Table) -> tuple[tuple[str, ...], SummaryCells]:
    """The rows of a summary by the lines in which people read them.

    Returns:
        The names of the keys (model, task, columns to group by, language), and the lines.
    """
    by = summary.columns[2 : summary.columns.index("instruction")]
    keys = ("model", "task", *by)
    lines: dict[tuple[object, ...], dict[str, Row]] = {}
    for row in summary.rows:
        instruction, given = str(row["instruction"]), str(row["input"])
        sense = given if instruction == given else f"{instruction}/{given}"
        key = (*(row[name] for name in keys), sense)
        lines.setdefault(key, {})[str(row["statistic"])] = row
    return (*keys, "language"), lines


def _estimated(
    named: Sequence[_Named], bootstrap: Bootstrap, intervals: Collection[str] | None
) -> list[Estimate]:
    if intervals is None:
        return estimates((statistic for _, _, _, statistic, _ in named), bootstrap)
    found = estimates(statistic for _, _, _, statistic, _ in named)
    values = {(cell, name): one.value for (cell, _, name, _, _), one in zip(named, found, strict=True)}
    wanted = [
        at for at, (cell, _, name, _, _) in enumerate(named)
        if name in intervals and not _plain(values.get((cell, "consistency")), values.get((cell, "chance")), found[at].n)
    ]  # fmt: skip
    for at, spread in zip(wanted, estimates((named[at][3] for at in wanted), bootstrap), strict=True):
        found[at] = spread
    return found


def _plain(observed: float | None, chance: float | None, n: int) -> bool:
    """Whether agreement is so far beyond chance that its interval need not be known: the difference moves by 1/√n at most."""
    return observed is not None and chance is not None and (observed - chance) * n**0.5 > _FAR


def language_cells(cells: Sequence[Cell]) -> list[Cell]:
    """The cells that represent a language each, of the cells of one model: of repeats, the first.

    A language is a sense in which instruction and input are the same, or any sense where every input was asked under
    one instruction only.
    """
    first: dict[tuple[str, str], Cell] = {}
    for cell in sorted(cells):
        first.setdefault((cell.instruction, cell.input), cell)
    inputs = [cell.input for cell in first.values()]
    if len(set(inputs)) == len(inputs):
        return list(first.values())
    return [cell for cell in first.values() if cell.instruction == cell.input]


def reference_of(cell: Cell, cells: Sequence[Cell]) -> Cell | None:
    """What a language is compared with: the original that it was made from, else English, else the first language.

    Returns:
        None for the reference itself, and where the original was not asked.
    """
    there = {other.input: other for other in cells}
    sense = parsed(cell.input)
    if sense is not None and not sense.is_original:
        return there.get(sense.origin)
    reference = there.get("en") or min(cells)
    return None if reference == cell else reference


_FAR = 5.0
"""Standard errors from which on nobody asks whether a difference is more than 0."""

_Named = tuple[Cell, Cell | None, str, Statistic, str | None]


def _of_model(
    arrays: AnswerArrays, model: str, shared_gold: tuple[Codes, Codes], invalid: InvalidRule
) -> Iterator[_Named]:
    own = [cell for cell in arrays.cells if cell.model == model]
    languages = language_cells(own)
    highest, lowest = shared_gold
    differs = (highest >= 0) & (lowest != highest)
    key = Key(np.where(differs, INVALID, np.maximum(highest, INVALID)).astype(np.int32), arrays.options)
    for cell in languages:
        answers, gold = arrays.answers[arrays.row(cell)], arrays.gold[arrays.row(cell)]
        yield cell, None, "accuracy", accuracy_statistic(answers, gold, invalid=invalid), None
        reference = reference_of(cell, languages)
        if reference is not None:
            # In the order of `measure agreement`, whose interval is the same then.
            sides = arrays.pair(*sorted((reference, cell)))
            for name, statistic in _compared(sides, key, differs, invalid):
                yield cell, reference, name, statistic, None
        again = [one for one in own if (one.instruction, one.input) == (cell.instruction, cell.input)]
        if len(again) > 1:
            codes = arrays.answers[[arrays.row(one) for one in again]]
            floor = subset_consistency_statistic(codes, size=2, invalid=invalid)
            yield cell, None, "repeat_consistency", floor, None
        yield _top(arrays, cell, answers)
        outcomes = arrays.outcomes[arrays.row(cell)]
        for code, outcome in enumerate(OUTCOMES):
            yield cell, None, outcome, share_statistic(outcomes == code, outcomes != MISSING), None


def _compared(
    both: tuple[Codes, Codes], key: Key, differs: Mask, invalid: InvalidRule
) -> Iterator[tuple[str, Statistic]]:
    one, two = both
    yield "consistency", consistency_statistic(one, two, invalid=invalid)
    yield "chance", chance_statistic(one, two, invalid=invalid)
    lost = int(differs[(one != MISSING) | (two != MISSING)].sum())
    kept = [np.where(differs, MISSING, codes).astype(np.int32) for codes in (one, two)]
    agreement = agreement_statistics(kept[0], kept[1], key=key, invalid=invalid)
    for name in ("kappa_p", "cohen_kappa"):
        yield name, without(agreement[name], lost)


OTHER_GOLD = "whose gold differs between senses"


def without(statistic: Statistic, lost: int) -> Statistic:
    """The statistic, with the items that were excluded because their gold differs."""
    if not lost:
        return statistic
    reason = "; ".join(text for text in (statistic.reason, f"{lost} {OTHER_GOLD}") if text)
    return replace(statistic, excluded=statistic.excluded + lost, reason=reason)


def _top(arrays: AnswerArrays, cell: Cell, answers: Codes) -> _Named:
    answered = answers >= 0
    codes, counts = np.unique(answers[answered], return_counts=True)
    if not len(codes):
        nothing = share_statistic(answered, answered)
        return cell, None, "top_label", replace(nothing, undefined="no item was answered"), None
    top = int(codes[int(counts.argmax())])
    return cell, None, "top_label", share_statistic(answers == top, answered), arrays.labels[top]
