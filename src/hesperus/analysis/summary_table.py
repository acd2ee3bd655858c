"""The summary of a run as a table, as lines for a terminal, and in the sentences that must not be missed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import polars as pl

from hesperus.analysis.coverage import Coverage, coverage
from hesperus.analysis.gold_notes import gold_notes
from hesperus.analysis.measure import measure
from hesperus.analysis.pack_notes import pack_notes
from hesperus.analysis.pairs import Side
from hesperus.analysis.reply_language import language_notes
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.summary import SummaryRow, summarize
from hesperus.analysis.table import ESTIMATE_COLUMNS, Row, Table, estimate_cells, table
from hesperus.rounding import cell
from hesperus.types import OUTCOMES
from hesperus.wording import OUTCOME_WORDS, counted, joined

_MOST_NAMED = 12
"""Languages that a note names; the table has all."""
_CONSTANT_FROM = 5
"""Answers from which on it is worth saying that all are the same label."""


@measure(
    "summary",
    help="Per model and language what a reader must see before any other number.",
    takes=("by", "invalid"),
    main=None,
)
def summary(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """The summary of answers that are labels; see summary_table."""
    return summary_table(records, settings=settings)


NOTED = frozenset({"cohen_kappa"})
"""Statistics of whose intervals the notes speak."""


def summary_table(
    records: pl.DataFrame,
    *,
    settings: MeasureSettings | None = None,
    labels: bool = True,
    intervals: Collection[str] | None = None,
) -> Table:
    """What a reader must see of every model and language before any other number.

    Args:
        records: The records table.
        settings: How invalid answers compare, intervals, columns to group by.
        labels: Whether answers are labels; of open answers only what became of the questions is measured.
        intervals: Statistics that get an interval; None: all. NOTED is enough for the notes.

    Returns:
        For each task, model and language: ``accuracy``; with the reference ``consistency``, ``chance`` (what chance alone
        would give), ``kappa_p`` and ``cohen_kappa``; ``repeat_consistency``, the noise floor; ``top_label``, the share of
        the most frequent label (in the column `label`); and the share of each outcome.

    Raises:
        DataError: An item has different numbers of options in different senses.
    """
    settings = settings or MeasureSettings()
    found = summarize(
        records, by=settings.by, invalid=settings.invalid, bootstrap=settings.bootstrap, intervals=intervals
    )
    kept = [row for row in found if labels or row.statistic in OUTCOMES]
    head = ("model", "task", *settings.by, "instruction", "input", "reference", "label", "statistic")
    rows = [_row(row, settings.by) for row in kept]
    return table("summary", (*head, *ESTIMATE_COLUMNS), rows=rows, signature=settings.signed())


def _row(row: SummaryRow, by: Sequence[str]) -> dict[str, object]:
    reference = row.reference
    return {
        "model": row.cell.model, "task": row.task, **dict(zip(by, row.groups, strict=True)),
        "instruction": row.cell.instruction, "input": row.cell.input,
        "reference": None if reference is None else reference.input, "label": row.label, "statistic": row.statistic,
        **estimate_cells(row.estimate),
    }  # fmt: skip


SummaryCells = Mapping[tuple[object, ...], Mapping[str, Row]]
"""Values of the keys of a line to its rows, by statistic."""


def summary_cells(summary: Table) -> tuple[tuple[str, ...], SummaryCells]:
    """The rows of a summary by the lines in which people read them.

    Args:
        summary: From summary_table.

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


def run_notes(summary: Table, records: pl.DataFrame, signature: Row) -> list[str]:
    """All that a reader of a run must be told in words: its summary, its replies' language, packs and task.

    Args:
        summary: From summary_table, of these records.
        records: The records table.
        signature: The run's, in which the notes of its task are; empty for a records file.
    """
    return [
        *summary_notes(summary),
        *language_notes(records),
        *gold_notes(records),
        *pack_notes(records),
        *task_notes(signature),
    ]


def task_notes(signature: Mapping[str, object]) -> list[str]:
    """The notes of a run's task, from the run's signature."""
    noted = signature.get("notes")
    return [str(note) for note in noted] if isinstance(noted, list | tuple) else []


def summary_notes(summary: Table) -> list[str]:
    """What the numbers of a summary do not say by themselves, each as one sentence.

    Args:
        summary: From summary_table.

    Returns:
        That a model's questions had no reply; that a model gives one label whatever is asked; that its consistency is no
        more than chance would give. Empty if there is nothing of the kind.
    """
    notes: list[str] = []
    grouped = summary.columns.index("instruction") > 2
    excluded: dict[tuple[str, str], list[str]] = {}
    for (model, task), rows in _by_model(summary.rows).items():
        who = f"{model}, {task}"
        if not grouped:
            notes += _lost_note(who, rows)
            for note in _excluded_notes(rows):
                excluded.setdefault((task, note), []).append(model)
        notes += _constant_note(who, rows)
        notes += _chance_note(who, rows)
    # The same items are mostly missing from the numbers of all models: that is said once.
    return [*notes, *(f"{joined(models)}, {task}: {note}" for (task, note), models in excluded.items())]


def nothing_answered(records: pl.DataFrame) -> str:
    """The sentence that is in place of every number where no question was answered; empty where one was.

    Args:
        records: The records table.
    """
    return nothing_of(coverage(records).get((), Coverage()))


def nothing_of(found: Coverage) -> str:
    """The same of what became of some questions."""
    if found.answered:
        return ""
    if not found.asked:
        return "nothing was asked: there is no record, hence nothing to measure"
    return (
        f"nothing was answered: of {counted(found.asked, 'question')} {_outcomes(found.lost)}; there is nothing to measure "
        "(`measure outcomes` has the counts by model and language)"
    )


def _by_model(
    rows: Iterable[Row],
) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((str(row["model"]), str(row["task"])), []).append(row)
    return found


def _lost_note(who: str, rows: Sequence[Row]) -> Iterator[str]:
    counts: dict[str, int] = {
        name: sum(_count(row) for row in rows if row["statistic"] == name)
        for name in OUTCOMES
        if name != "answered"
    }
    asked = sum(int(row["n"]) for row in rows if row["statistic"] == "answered")
    lost: dict[str, int] = {name: count for name, count in counts.items() if count}
    if not lost:
        return
    missing = lost.get("error", 0)
    said = f"{who}: {sum(lost.values()):,} of {counted(asked, 'question')} have no answer: {_outcomes(lost)}"
    yield said + ("; questions without a reply are missing data, in no number" if missing else "")


def _constant_note(who: str, rows: Sequence[Row]) -> Iterator[str]:
    tops = [row for row in rows if row["statistic"] == "top_label" and row["value"] is not None]
    constant = [row for row in tops if row["value"] == 1.0 and int(row["n"]) >= _CONSTANT_FROM]
    if not constant:
        return
    right = {_place(row) for row in rows if row["statistic"] == "accuracy" and row["value"] == 1.0}
    for is_right in (False, True):
        told = [row for row in constant if (_place(row) in right) == is_right]
        if told:
            yield f"{who}: {_constant(told, len(told) == len(tops), is_right=is_right)}"


def _constant(rows: Sequence[Row], everywhere: bool, *, is_right: bool) -> str:
    """That answers are all the same label; where it is also right everywhere, the questions are to blame, not the model."""
    labels = ", ".join(dict.fromkeys(str(row["label"]) for row in rows))
    where = "" if everywhere else f" in {', '.join(dict.fromkeys(map(_where, rows)))}"
    if is_right:
        return (
            f"all answers are the same label ({labels}){where}, and all are right: on such items nobody can tell a model "
            "that understands from one that always says so"
        )
    return (
        f"always gives the same label ({labels}){where}, whatever is asked: there consistency and agreement say nothing of "
        "what it understands"
    )


def _chance_note(who: str, rows: Sequence[Row]) -> Iterator[str]:
    lines: dict[tuple[object, ...], dict[str, Row]] = {}
    for row in rows:
        lines.setdefault(_place(row), {})[str(row["statistic"])] = row
    told = []
    for line in lines.values():
        consistent, chance, kappa = (line.get(name) for name in ("consistency", "chance", "cohen_kappa"))
        if consistent is None or chance is None or consistent["value"] is None or chance["value"] is None:
            continue
        if not _beyond_chance(consistent, chance, kappa):
            told.append(
                f"{_where(consistent)} ({cell(float(consistent['value']), 'share')}, by chance "
                f"{cell(float(chance['value']), 'share')})"
            )
    if told:
        more = len(told) - _MOST_NAMED
        rest = f" and {more:,} more" if more > 0 else ""
        yield f"{who}: consistency is not shown to be more than chance alone would give in {', '.join(told[:_MOST_NAMED])}{rest}"


def _place(row: Row) -> tuple[object, ...]:
    """What a row of a summary is about, apart from the statistic."""
    return tuple(
        row[name] for name in row if name not in {"statistic", "reference", "label", *ESTIMATE_COLUMNS}
    )


def _beyond_chance(consistent: Row, chance: Row, kappa: Row | None) -> bool:
    # κ is of the items with one gold label in all senses; where it is of fewer, the share itself is compared with chance.
    same = kappa is not None and kappa["n"] == consistent["n"]
    told, floor = (kappa, 0.0) if kappa is not None and same else (consistent, float(chance["value"]))
    bound = told["low"] if isinstance(told["low"], float) else told["value"]
    return bound is not None and float(bound) > floor


def _sense(row: Row) -> str:
    """In words."""
    return Side(str(row["instruction"]), str(row["input"])).brief


def _where(row: Row) -> str:
    """The same, after the values of the columns that the records were grouped by."""
    names = list(row)
    return " ".join([*(str(row[name]) for name in names[2 : names.index("instruction")]), _sense(row)])


def _count(row: Row) -> int:
    return 0 if row["value"] is None else round(float(row["value"]) * int(row["n"]))


def _outcomes(lost: Mapping[str, int]) -> str:
    words = {**OUTCOME_WORDS, "error": "without a reply (error)"}
    return ", ".join(f"{count:,} {words.get(name, name)}" for name, count in lost.items())


def _excluded_notes(rows: Sequence[Row]) -> Iterator[str]:
    """Why items are excluded from the numbers, each reason once with the languages and numbers that it befell."""
    told: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        name = str(row["statistic"])
        if name in ("accuracy", "consistency", "kappa_p") and row["reason"]:
            said = "κp" if name == "kappa_p" else name
            told.setdefault(str(row["reason"]), {}).setdefault(_sense(row), []).append(said)
    for reason, senses in told.items():
        by_names: dict[str, list[str]] = {}
        for sense, names in senses.items():
            by_names.setdefault(", ".join(names), []).append(sense)
        where = "; ".join(f"{names} in {', '.join(held)}" for names, held in by_names.items())
        yield f"{reason} ({where})"
