"""The tables of a similarity report: one line a model, a language, a test; every number with what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hesperus.analysis.similarity.designs import BETWEEN, BETWEEN_OF, PARTNER, PIVOT, WITHIN, sense_of
from hesperus.analysis.table import Row
from hesperus.reports.blocks import Column, Grid, Value, count
from hesperus.reports.number_cells import FOLDED, RESTS_ON, answered_cell, left_out, number_cell, share_cell
from hesperus.reports.similarity import similarity_story as story
from hesperus.reports.similarity.heat_maps import hundredths, statistic_name
from hesperus.reports.similarity.orders import language_names
from hesperus.reports.similarity.similarity_findings import SimilarityFindings, Square
from hesperus.rounding import cell
from hesperus.wording import MISSING, sense_label

MOST_PAIRS = 300
"""Beyond so many pairs the page shows the most and the least alike of each model; the heat maps hold them all."""
_ENDS = 5
_LONG = 14
"""Tables that few will read are folded from so many rows on."""


def models_grid(found: SimilarityFindings) -> Grid:
    """One line a model: its means, and its most and least alike languages."""
    accuracy = found.beside("accuracy", "model")
    partners = found.means(PARTNER)
    cells = []
    for model in found.models:
        languages = sum(run.cell.model == model for run in found.first)
        means = [found.mean(design, model) for design in (WITHIN, PIVOT, BETWEEN_OF)]
        cells.append(
            (
                model,
                f"{languages}",
                _share(accuracy.get(model)),
                *(number_cell(row) for row in means),
                *((number_cell(found.mean(PARTNER, model)),) if partners else ()),
                *_ends(found.between_languages(model), story.language_or_code),
            )
        )
    name = statistic_name(found.statistic)
    heads = [Column("Model"), Column("Languages", True), Column("Right, %", True)]
    heads += [
        Column(f"{name} of two languages", True),
        Column(f"… of which with {story.language_or_code(found.settings.pivot)}", True),
    ]
    heads += [Column(f"{name} with other models", True)]
    heads += [Column("… with its partner", True)] if partners else []
    heads += [Column("Most alike"), Column("Least alike")]
    return Grid(
        f"Each model: mean {name} of its pairs of languages, of those with the pivot, and with other models in one "
        f"language, with {_level(found)} intervals over items.",
        tuple(heads),
        tuple(cells),
        folded=len(cells) > FOLDED,
    )


def languages_grid(found: SimilarityFindings) -> Grid | None:
    """One line a language: how alike models are in it; None if there is one model."""
    rows = [row for row in found.means(BETWEEN) if row["group"] != "all"]
    if not rows:
        return None
    accuracy = found.beside("accuracy", "language")
    names = language_names(found.languages)
    cells = [
        (
            names[str(row["group"])],
            _share(accuracy.get(str(row["group"]))),
            number_cell(row),
            count(row["pairs"]),
            *_ends(found.between_models(str(row["group"])), str),
            answered_cell(row),
            left_out([row]),
        )
        for row in sorted(rows, key=lambda row: (row["value"] is None, -_number(row["value"]), row["group"]))
    ]
    heads = (Column("Language"), Column("Right, %", True), Column(f"{statistic_name(found.statistic)} of two models", True),
             Column("Pairs", True), Column("Most alike"), Column("Least alike"), *RESTS_ON[1:])  # fmt: skip
    caption = "Each language: mean over pairs of models, the most alike on top."
    return Grid(caption, heads, tuple(cells), folded=len(cells) > FOLDED)


def _ends(square: Square, short_name: Callable[[str], str]) -> tuple[str, str]:
    """The pair with the highest and that with the lowest value."""
    known = [(key, row) for key, row in square.items() if key[0] < key[1] and row["value"] is not None]
    if not known:
        return MISSING, MISSING
    ordered = sorted(known, key=lambda pair: (-_number(pair[1]["value"]), pair[0]))
    shown = [
        f"{short_name(a)}, {short_name(b)}: {hundredths(_number(row['value']))}"
        for (a, b), row in (ordered[0], ordered[-1])
    ]
    return (shown[0], shown[1]) if len(ordered) > 1 else (shown[0], MISSING)


def pairs_grid(found: SimilarityFindings) -> Grid:
    """Every pair, or the ends of each model where they are too many."""
    rows: list[Row] = list(found.tables["similarity"].rows)
    name = statistic_name(found.statistic)
    caption = f"Every pair: {name} with {_level(found)} intervals over items."
    if len(rows) > MOST_PAIRS:
        caption = (
            f"Of {len(rows):,} pairs, the {_ENDS} most and the {_ENDS} least alike of each model with itself, and those "
            "without a value."
        )
        rows = _outermost(rows)
    cells = tuple(
        (*_sides(found, row), number_cell(row), count(row["n"]), answered_cell(row), left_out([row]))
        for row in sorted(rows, key=lambda row: (row["value"] is None, -_number(row["value"])))
    )
    heads = (
        Column("One run"),
        Column("Another"),
        Column(name, True),
        *RESTS_ON,
    )
    return Grid(caption, heads, cells, folded=len(cells) > FOLDED)


def _outermost(rows: Sequence[Row]) -> list[Row]:
    kept: list[Row] = [row for row in rows if row["value"] is None][:MOST_PAIRS]
    models: dict[str, list[Row]] = {}
    for row in rows:
        if row["value"] is not None and row["model_a"] == row["model_b"]:
            models.setdefault(str(row["model_a"]), []).append(row)
    for held in list(models.values())[: MOST_PAIRS // (2 * _ENDS)]:
        ordered = sorted(held, key=lambda row: _number(row["value"]))
        kept += ordered if len(ordered) <= 2 * _ENDS else ordered[:_ENDS] + ordered[-_ENDS:]
    return kept


def _sides(found: SimilarityFindings, row: Row) -> tuple[str, str]:
    cells = {(run.cell.model, run.cell.label()): run.cell for run in found.first}
    a, b = (cells[str(row[model]), str(row[side])] for model, side in (("model_a", "a"), ("model_b", "b")))
    return tuple(f"{cell.model}, {sense_label(sense_of(cell))}" for cell in (a, b))  # type: ignore[return-value]


def groups_grid(found: SimilarityFindings, column: str) -> Grid | None:
    """One line a group of items: within each model, and between models."""
    series = [(WITHIN, model, model) for model in found.models] if len(found.models) <= 6 else []
    series = [*series, (WITHIN, "all", "all models")] if len(found.models) > 1 else series
    series += [(BETWEEN, "all", "between models")]
    held = {
        (design, group): {
            str(row["part"]): row for row in found.means(design, by=column) if row["group"] == group
        }
        for design, group, _ in series
    }
    macro = {
        (design, group): [
            row for row in found.means(design, by=column, aggregate="macro") if row["group"] == group
        ]
        for design, group, _ in series
    }
    series = [one for one in series if held[one[0], one[1]]]
    if not series:
        return None
    parts = sorted({part for rows in held.values() for part in rows})
    cells = [_group_line(part, [held[one[0], one[1]].get(part) for one in series]) for part in parts]
    if any(macro.values()):
        lines = [next(iter(macro[one[0], one[1]]), None) for one in series]
        cells.append(_group_line("mean of the groups (macro)", lines))
    heads = (Column(column), *(Column(shown, True) for _, _, shown in series), Column("Items", True),
             Column("Left out", True))  # fmt: skip
    caption = (
        f"{statistic_name(found.statistic)} by {column}: means over pairs within models and between them."
    )
    return Grid(caption, heads, tuple(cells), folded=len(cells) > FOLDED)


def _group_line(part: str, rows: Sequence[Row | None]) -> tuple[Value, ...]:
    items = max((int(row["n"]) for row in rows if row is not None), default=0)
    return (part, *(number_cell(row) for row in rows), count(items), left_out(rows))


_COMPARED = {
    WITHIN: "two languages", PIVOT: "pivot and another language", BETWEEN_OF: "with other models",
    PARTNER: "with the partner", BETWEEN: "two models",
}  # fmt: skip


def tests_grid(found: SimilarityFindings) -> Grid | None:
    """Differences of designs with all their p values."""
    rows: Sequence[Row] = found.tables["tests"].rows
    cells = []
    for row in rows:
        left, _, right = str(row["comparison"]).partition(" − ")
        cells.append(
            (
                str(row["model"]) if row["model"] is not None else "all models",
                f"{_COMPARED.get(left, left)} less {_COMPARED.get(right, right)}",
                number_cell(row),
                _p(row["detectable"]),
                *(_both(row, name) for name in ("p_items", "p_mantel", "p_mann_whitney")),
                count(row["n"]),
                answered_cell(row),
                left_out([row]),
            )
        )
    if not cells:
        return None
    heads = (
        Column("Model"), Column("Difference of means"), Column(statistic_name(found.statistic), True), Column("Detectable", True),
        Column("p, items (Holm)", True), Column("p, Mantel (Holm)", True), Column("p, Mann–Whitney (Holm)", True),
        *RESTS_ON,
    )  # fmt: skip
    return Grid(
        "Is a model more alike to itself in another language than to other models in the same? Detectable: the smallest "
        "difference that so many items would show with a power of 0.8. In brackets: adjusted over the rows of single models. The "
        "interval and p, items, are of the same resampled items; p, Mantel, permutes runs, which is another question.",
        heads,
        tuple(cells),
        folded=len(cells) > FOLDED,
    )


def relations_grid(found: SimilarityFindings) -> Grid | None:
    """Correlations of the means with what else is known; None if no two models or languages have a number."""
    rows: list[Row] = [row for row in found.tables["relations"].rows if int(row["n"]) > 1]
    if not rows:
        return None
    cells = tuple(
        (
            _COMPARED.get(str(row["design"]), str(row["design"])),
            str(row["with"]),
            number_cell(row),
            _both(row, "p"),
            f"{row['n']} {row['points']}{'' if row['n'] == 1 else 's'}",
            f"{row['source']}, {row['date']}" if row["source"] else MISSING,
            str(row["excluded"]),
        )
        for row in rows
    )
    heads = (Column("Mean of"), Column("Beside"), Column("r", True), Column("p (Holm)", True), Column("Points", True),
             Column("Source of the numbers"), Column("Without a number", True))  # fmt: skip
    caption = (
        "Pearson's r of the means with what else is known of models or languages. Its interval resamples items, with the "
        "same models and languages; p takes these for a sample."
    )
    return Grid(caption, heads, cells, folded=len(cells) > FOLDED)


def together_grid(found: SimilarityFindings) -> Grid | None:
    """All languages of a model at once."""
    rows: Sequence[Row] = found.tables["together"].rows
    if not rows:
        return None
    sizes = sorted({int(row["size"]) for row in rows if row["size"] is not None})
    held: dict[str, dict[tuple[Any, Any], Row]] = {}
    for row in rows:
        held.setdefault(str(row["model"]), {})[row["statistic"], row["size"]] = row
    cells = []
    for model, named in held.items():
        first = next(iter(named.values()))
        shown = [named.get(("krippendorff_alpha", None)), named.get(("accuracy", None))]
        by_size = [(named.get(("subset_consistency", size)), named.get(("ac3", size))) for size in sizes]
        cells.append(
            (
                model,
                f"{first['languages']}",
                number_cell(shown[0]),
                share_cell(shown[1]),
                *(cell for pair in by_size for cell in (share_cell(pair[0]), number_cell(pair[1]))),
                answered_cell(first),
                left_out([*shown, *(row for pair in by_size for row in pair)]),
            )
        )
    heads = [
        Column("Model"),
        Column("Languages", True),
        Column("Krippendorff's α", True),
        Column("Right, %", True),
    ]
    for size in sizes:
        heads += [Column(f"{size} languages agree, %", True), Column(f"AC3 of {size}", True)]
    heads += RESTS_ON[1:]
    return Grid(
        "All languages of a model at once: the share of items on which any so many languages all give one answer, and AC3, "
        "its harmonic mean with accuracy.",
        tuple(heads),
        tuple(cells),
        folded=len(cells) > FOLDED,
    )


def scoring_grid(found: SimilarityFindings) -> Grid | None:
    """Labels against probabilities, run by run; None if no answer has probabilities, or the two never differ."""
    if "scoring" not in found.tables:
        return None
    runs: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in found.tables["scoring"].rows:
        key = (row["model"], row["instruction"], row["input"], row["repeat"])
        runs.setdefault(key, {})[str(row["statistic"])] = row
    cells = []
    for (model, instruction, given, repeat), held in runs.items():
        sense = (
            sense_label(given) if instruction == given else f"{sense_label(instruction)}/{sense_label(given)}"
        )
        rows = [
            held.get(f"{name}")
            for name in ("disagreement", "accuracy_label", "accuracy_probs", "accuracy_difference")
        ]
        first = held["disagreement"]
        again = f", repeat {repeat}" if repeat != 1 else ""
        cells.append(
            (
                str(model),
                f"{sense}{again}",
                *map(share_cell, rows),
                count(first["n"]),
                answered_cell(first),
                left_out(rows),
            )
        )
    heads = (Column("Model"), Column("Language"), Column("Differ, %", True), Column("Right by label, %", True),
             Column("Right by probability, %", True), Column("Difference, points", True), *RESTS_ON)  # fmt: skip
    caption = "The label that was read against the most probable option, on the same items."
    return Grid(caption, heads, tuple(cells), folded=len(cells) > _LONG)


def runs_grid(found: SimilarityFindings) -> Grid:
    """What was compared: every run, and what became of its questions."""
    names = language_names(found.languages)
    cells = tuple(
        (
            run.cell.model,
            names[sense_of(run.cell)] + (f", repeat {run.cell.repeat}" if run.cell.repeat != 1 else ""),
            count(run.asked),
            count(found.items - run.asked),
            count(run.unread),
            _share(run.accuracy),
        )
        for run in found.runs
        if sense_of(run.cell) in names
    )
    heads = (Column("Model"), Column("Language"), Column("Answers", True), Column("Not asked", True),
             Column("Without a label", True), Column("Right, %", True))  # fmt: skip
    caption = f"The runs, over the {found.items:,} items that are compared."
    return Grid(caption, heads, cells, folded=len(cells) > _LONG)


def _number(value: float | None) -> float:
    return 0.0 if value is None else value


def _share(value: float | None) -> str:
    return MISSING if value is None else cell(value, "percentage")


def _p(value: float | None) -> str:
    return MISSING if value is None else cell(value)


def _both(row: Row, name: str) -> str:
    """A p value, and the adjusted one behind it."""
    adjusted = row.get(f"{name}_holm")
    return _p(row[name]) if adjusted is None else f"{_p(row[name])} ({_p(adjusted)})"


def _level(found: SimilarityFindings) -> str:
    return f"{100 * found.settings.bootstrap.level:g} %"


def group_grids(found: SimilarityFindings) -> list[Grid]:
    """A table for each column that means are given by."""
    return [grid for column in found.by if (grid := groups_grid(found, column)) is not None]
