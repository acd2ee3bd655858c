"""The tables of the page of open answers: a line a model and language; every number with what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hesperus.analysis.open_answers.counting import STATES
from hesperus.analysis.open_answers.statistics import WHERE_ANSWERED
from hesperus.analysis.table import Row
from hesperus.reports.blocks import Column, Grid, Value, count
from hesperus.reports.families import family_key
from hesperus.reports.number_cells import FOLDED, answered_cell, left_out, number_cell, share_cell
from hesperus.reports.open_answers.open_findings import Cell, OpenFindings, beside, measured_name
from hesperus.reports.open_answers.open_wording import (
    GROUPING_NAMES,
    STATE_WORDS,
    STATISTIC_NAMES,
    group_name,
)
from hesperus.rounding import interval
from hesperus.types import OUTCOMES
from hesperus.wording import MISSING, OUTCOME_WORDS, language_label, language_name, property_names

_FIRST_GROUPINGS = ("trained_on", "script", "family")
"""Groupings whose tables stand open; the others are folded."""

_MOST_NAMES = 6
"""Languages of a group that are named."""


def scores_grid(found: OpenFindings) -> Grid:
    """Every statistic of every model and language, the ceiling, and the main one relative to it."""
    cells = []
    for cell, held in found.cells.items():
        main = held[found.main]
        cells.append(
            (
                *_who(found, cell),
                *(share_cell(held[name]) for name in found.statistics),
                *(
                    (share_cell(beside(main, "ceiling")), share_cell(beside(main, "relative")))
                    if found.has_ceiling
                    else ()
                ),
                count(main["n"]),
                answered_cell(main),
                left_out([main]),
            )
        )
    heads = [*_who_heads(found)]
    heads += [Column(f"{_name(found, name)}, %", True) for name in found.statistics]
    main_name = STATISTIC_NAMES.get(found.main, "")
    heads += (
        [
            Column(f"Ceiling of {main_name}, %" if main_name else "Ceiling, %", True),
            Column("Relative to it, %", True),
        ]
        if found.has_ceiling
        else []
    )
    heads += [Column("Pairs", True), Column("Replies answered, %", True), Column("Left out", True)]
    ceiling = (
        f" Ceiling: the same of the {found.reference_name} answers, sent there and back."
        if found.has_ceiling
        else ""
    )
    sides = (
        f" Precision: what the answer says that the {found.reference_name} one says too; recall: the other way round; F of "
        "means: the harmonic mean of both; mean F: the mean of each pair's own."
        if found.is_information
        else ""
    )
    intervals = f", with {100 * found.level:g} % intervals over prompts" if found.has_intervals else ""
    caption = f"Scores, in per cent{intervals}.{sides}{ceiling}"
    return Grid(caption, tuple(heads), tuple(cells), folded=len(cells) > 2 * FOLDED)


def ceilings_grid(found: OpenFindings) -> Grid | None:
    """Ceilings of all statistics; None if the table of scores has them all."""
    if not (found.has_ceiling and found.is_information):
        return None
    cells = [
        (
            *_who(found, cell),
            *(
                share_cell(beside(held[name], which))
                for name in found.statistics
                for which in ("ceiling", "relative")
            ),
        )
        for cell, held in found.cells.items()
    ]
    heads = [*_who_heads(found)]
    heads += [
        Column(f"{_name(found, name)}, {said}, %", True)
        for name in found.statistics
        for said in ("ceiling", "relative")
    ]
    return Grid(
        "The ceiling of every statistic, and the score over it.", tuple(heads), tuple(cells), folded=True
    )


def properties_grid(found: OpenFindings) -> Grid | None:
    """Each property by itself: agreement, κ, its change, and the ceilings of the first two."""
    if not found.properties:
        return None
    cells = []
    for cell, held in found.cells.items():
        for name in found.properties:
            same, kappa, change = (held[f"{kind}.{name}"] for kind in ("agreement", "kappa", "change"))
            cells.append(
                (
                    *_who(found, cell),
                    property_names(name),
                    share_cell(same),
                    *(
                        (share_cell(beside(same, "ceiling")), share_cell(beside(same, "relative")))
                        if found.has_ceiling
                        else ()
                    ),
                    number_cell(kappa),
                    *((number_cell(beside(kappa, "ceiling")),) if found.has_ceiling else ()),
                    share_cell(change),
                    count(same["n"]),
                    answered_cell(same),
                    left_out([same]),
                )
            )
    heads = [*_who_heads(found), Column("Property"), Column("Same, %", True)]
    heads += [Column("Ceiling, %", True), Column("Relative to it, %", True)] if found.has_ceiling else []
    heads += [Column("κ", True)]
    heads += [Column("Ceiling of κ", True)] if found.has_ceiling else []
    heads += [
        Column("Change, points", True),
        Column("Pairs", True),
        Column("Replies answered, %", True),
        Column("Left out", True),
    ]
    return Grid(
        "Each property by itself: share of pairs with the same level, the same beyond chance (Cohen's κ), and how much more "
        f"often the answer has it than the {found.reference_name} one (in percentage points; below 0: less often).",
        tuple(heads),
        tuple(cells),
        folded=len(cells) > 2 * FOLDED,
    )


def group_grids(found: OpenFindings) -> list[Grid]:
    """A table for each way of grouping languages in which there are two groups or more."""
    made = []
    for grouping in (*_FIRST_GROUPINGS, *(name for name in GROUPING_NAMES if name not in _FIRST_GROUPINGS)):
        grid = _group_grid(found, grouping)
        if grid is not None:
            made.append(grid)
    return made


def _group_grid(found: OpenFindings, grouping: str) -> Grid | None:
    held: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in found.groups.rows:
        if row["grouping"] == grouping:
            key = (str(row["model"]), str(row["task"]), str(row["group"]))
            held.setdefault(key, {})[str(row["statistic"])] = row
    if len({key[2] for key in held}) < (1 if grouping == "all" else 2):
        return None
    who = _varied(found)
    cells = []
    for key in sorted(held):
        rows = held[key]
        main = rows[found.main]
        tags = str(main["languages"]).split()
        cells.append(
            (
                *(key[place] for place in who),
                *((group_name(grouping, key[2]),) if grouping != "all" else ()),
                _named(tags),
                *(share_cell(rows[name]) for name in found.statistics),
                *(
                    (share_cell(beside(main, "ceiling")), share_cell(beside(main, "relative")))
                    if found.has_ceiling
                    else ()
                ),
                count(main["n"]),
                answered_cell(main),
                left_out([main]),
            )
        )
    heads = [Column(("Model", "Task")[place]) for place in who]
    heads += [Column("Group")] if grouping != "all" else []
    heads += [Column("Languages"), *(Column(f"{_name(found, name)}, %", True) for name in found.statistics)]
    heads += [Column("Ceiling, %", True), Column("Relative to it, %", True)] if found.has_ceiling else []
    heads += [Column("Pairs", True), Column("Replies answered, %", True), Column("Left out", True)]
    return Grid(
        "All languages together." if grouping == "all" else f"By {GROUPING_NAMES[grouping]}.",
        tuple(heads),
        tuple(cells),
        folded=grouping not in (*_FIRST_GROUPINGS, "all") or len(cells) > FOLDED,
    )


def _named(tags: Sequence[str]) -> str:
    names = [language_name(tag) for tag in tags]
    left = len(names) - _MOST_NAMES
    return ", ".join(names) if left <= 0 else f"{', '.join(names[:_MOST_NAMES])} and {left} more"


def silence_grid(found: OpenFindings) -> Grid | None:
    """Pairs by what became of them, and the main statistic with and without silence; None if all were compared."""
    present = [
        state for state in STATES if state == "compared" or any(row[state] for row in found.counts.rows)
    ]
    if len(present) == 1:
        return None
    counted = {_key(row): row for row in found.counts.rows}
    cells = []
    for cell, held in found.cells.items():
        row = counted[cell]
        cells.append(
            (
                *_who(found, cell),
                count(row["pairs"]),
                *(count(row[state]) for state in present),
                share_cell(held[found.main]),
                share_cell(held.get(f"{found.main}{WHERE_ANSWERED}")),
            )
        )
    name = _name(found, found.main)
    heads = [*_who_heads(found), Column("Pairs", True)]
    heads += [Column(STATE_WORDS[state].capitalize(), True) for state in present]
    heads += [Column(f"{name} by the rule, %", True), Column(f"{name} where both answer, %", True)]
    return Grid(
        "What became of the pairs, and the score both ways. "
        + (
            f"The rule for replies without an answer: {found.missing_rule}."
            if found.missing_rule
            else "By the rule a pair counts 0 where one side gives no answer and 1 where neither does; where both answer: "
            "without those pairs."
        ),
        tuple(heads),
        tuple(cells),
        folded=len(cells) > FOLDED,
    )


def outcomes_grid(found: OpenFindings) -> Grid:
    """What became of the replies in every language, the reference's among them."""
    pairs = found.evaluated.pairs
    reference = language_label(found.reference)
    lines: list[tuple[tuple[str, str], str, pl.Series]] = []
    for model, task in dict.fromkeys(cell[:2] for cell in found.cells):
        held = pairs.filter((pl.col("model") == model) & (pl.col("task") == task))
        once = held.unique(["item", "repeat"], keep="first", maintain_order=True)
        lines.append(((model, task), f"{reference}, the reference", once["reference_outcome"].drop_nulls()))
        lines += [
            ((model, task), found.labels[cell], held.filter(_is(cell))["outcome"].drop_nulls())
            for cell in found.cells
            if cell[:2] == (model, task)
        ]
    seen = {outcome for _, _, outcomes in lines for outcome in outcomes.unique()}
    present = [outcome for outcome in OUTCOMES if outcome == "answered" or outcome in seen]
    varied = _varied(found)
    cells: list[tuple[Value, ...]] = []
    for key, label, outcomes in lines:
        counts = dict(outcomes.value_counts().iter_rows())
        shown = [count(counts.get(outcome, 0)) for outcome in present]
        cells.append((*(key[place] for place in varied), label, *shown, count(len(outcomes))))
    heads = [*_who_heads(found), *(Column(OUTCOME_WORDS[outcome].capitalize(), True) for outcome in present)]
    heads.append(Column("Replies", True))
    return Grid(
        "What became of the replies. Those that are cut off or in another language than they should be are evaluated as they "
        "are.",
        tuple(heads),
        tuple(cells),
        folded=len(cells) > FOLDED,
    )


def prompts_grid(check: pl.DataFrame | None) -> Grid | None:
    """How the prompts came back from their translation; None if none was translated."""
    if check is None or check.is_empty():
        return None
    held: dict[str, dict[str, Row]] = {}
    for row in check.to_dicts():
        held.setdefault(str(row["language"]), {})[str(row["statistic"])] = row
    cells = []
    for tag in sorted(held, key=family_key):
        rows = held[tag]
        any_row = next(iter(rows.values()))
        cells.append(
            (
                language_label(tag),
                *(_hundred(rows.get(name)) for name in ("bleu", "chrf")),
                share_cell(rows.get("unrepaired")),
                count(any_row["n"]),
            )
        )
    heads = (Column("Language"), Column("BLEU", True), Column("chrF", True), Column("Texts with a fault that stayed, %", True),
             Column("Texts", True))  # fmt: skip
    return Grid(
        "The prompts that were translated, sent back and held against the original: BLEU and chrF, from 0 to 100.",
        heads,
        tuple(cells),
        folded=len(cells) > FOLDED,
    )


def _hundred(row: Row | None) -> str:
    if row is None or row["value"] is None:
        return MISSING
    low, high = (None if row[end] is None else float(row[end]) for end in ("low", "high"))
    return interval(float(row["value"]), low, high, "score")


def _name(found: OpenFindings, statistic: str) -> str:
    return STATISTIC_NAMES.get(statistic) or measured_name(found)


def _is(cell: Cell) -> pl.Expr:
    names = ("language", "instruction", "input")
    return pl.all_horizontal(pl.col(name) == value for name, value in zip(names, cell[2:], strict=True))


def _key(row: Row) -> Cell:
    return (
        str(row["model"]),
        str(row["task"]),
        str(row["language"]),
        str(row["instruction"]),
        str(row["input"]),
    )


def _varied(found: OpenFindings) -> list[int]:
    """Of model and task, those that differ."""
    return [place for place in (0, 1) if len({cell[place] for cell in found.cells}) > 1]


def _who(found: OpenFindings, cell: Cell) -> tuple[str, ...]:
    return (*(cell[place] for place in _varied(found)), found.labels[cell])


def _who_heads(found: OpenFindings) -> list[Column]:
    return [*(Column(("Model", "Task")[place]) for place in _varied(found)), Column("Language")]
