"""The tables of the page of an audit: a line an estimate, with the items it rests on and those left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hesperus.analysis.table import Row, Table
from hesperus.audits import KINDS
from hesperus.reports.blocks import Column, Grid, count
from hesperus.reports.number_cells import FOLDED, answered_cell, number_cell, points_cell, share_cell
from hesperus.reports.tax.tax_wording import (
    discordant,
    lost,
    over,
    p_value,
    rows_of,
    who,
)
from hesperus.rounding import cell
from hesperus.wording import MISSING, sense_label

POOLED = {
    "e1": ("clustered", "groups", "without model", "without fragile models", "one benchmark"),
    "e4": ("pooled", "stratum", "strata", "group", "groups", "without model", "without fragile models"),
}

_AGREEMENT = {
    "krippendorff_alpha": "Krippendorff's α", "percent": "share of equal ratings", "fleiss_kappa": "Fleiss' κ",
    "gwet_ac1": "Gwet's AC1", "cohen_kappa": "Cohen's κ", "cohen_kappa_linear": "Cohen's κ, linear weights",
    "cohen_kappa_quadratic": "Cohen's κ, quadratic weights", "bias": "bias (own ratings less those of the others)",
}  # fmt: skip


def alignment_grid(found: Mapping[str, int] | None) -> Grid | None:
    """What the alignment audit found, a line a kind."""
    if not found:
        return None
    cells = tuple((kind, KINDS.get(kind, ""), count(held)) for kind, held in found.items())
    heads = (Column("Kind"), Column("Meaning"), Column("Items", True))
    return Grid("Items with findings of the alignment audit, by kind.", heads, cells)


def models_grid(found: Table | None, analysis: str, sides: tuple[str, str]) -> Grid | None:
    """One line a model (and benchmark): both accuracies, their difference, discordant pairs and their sign test."""
    rows = [row for row in found.rows if row["analysis"] == analysis] if found is not None else []
    if not rows:
        return None
    lines: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        lines.setdefault((str(row.get("task", "")), str(row["group"]), str(row["model"])), []).append(row)
    # A benchmark or group that all lines share says nothing in a line.
    shown = [place for place in (0, 1, 2) if place == 2 or len({key[place] for key in lines}) > 1]
    cells = []
    for key, (*accuracies, main) in lines.items():
        cells.append(
            (
                *(key[place] for place in shown),
                points_cell(main),
                *(share_cell(row) for row in accuracies),
                discordant(main),
                p_value(main),
                count(main["n"]),
                answered_cell(main),
                lost(main),
            )
        )
    heads = [Column(("Benchmark", "Group", "Model")[place]) for place in shown]
    heads += [Column("Difference, points", True), *(Column(name, True) for name in sides)]
    heads += [Column("Right on the first only / second only", True)]
    heads += [
        Column("p, sign test (Holm)", True),
        Column("Items", True),
        Column("Answered, %", True),
        Column("Left out"),
    ]
    caption = "Each model: accuracies over the pairs that count, first minus second, and a sign test on discordant pairs; in brackets corrected over all lines. Where interval and p differ, p decides."
    return Grid(caption, tuple(heads), tuple(cells), folded=len(cells) > FOLDED)


def pooled_grid(found: Table | None, analyses: Sequence[str]) -> Grid | None:
    """One line an estimate over several models: items are resampled with all their models."""
    return _pooled(
        rows_of(found, *analyses),
        "Over several models: items are resampled with all their models, and for p both sides of an item are exchanged with all "
        "of them; in brackets corrected over the rows of the analysis. Where interval and p differ, p decides.",
    )


def passed_grid(found: Table | None) -> Grid | None:
    """The effect over the items that each checker passed strictly."""
    rows = [row for row in found.rows if str(row["analysis"]).startswith("passed by")] if found else []
    return _pooled(rows, "Over the rewritten items that passed strictly, by who checked them.")


def _pooled(rows: Iterable[Row], caption: str) -> Grid | None:
    cells = tuple(
        (
            over(row),
            points_cell(row),
            discordant(row),
            p_value(row),
            count(row["n"]),
            answered_cell(row),
            lost(row),
        )
        for row in rows
    )
    if not cells:
        return None
    heads = (Column("Of"), Column("Difference, points", True), Column("Right on the first only / second only", True),
             Column("p (Holm)", True), Column("Items", True), Column("Answered, %", True), Column("Left out"))  # fmt: skip
    return Grid(caption, heads, cells, folded=len(cells) > FOLDED)


def native_grid(found: Table | None) -> Grid | None:
    """One line a model: accuracy on either set and the gap; then the gap of each group."""
    if found is None:
        return None
    lines: dict[tuple[str, str], dict[str, Row]] = {}
    for row in found.rows:
        lines.setdefault((str(row["group"]), str(row["model"])), {})[str(row["statistic"])] = row
    cells = []
    for held in lines.values():
        sides = [share_cell(held[name]) if name in held else MISSING for name in ("translated", "native")]
        gap = held["gap"]
        cells.append(
            (who(gap), *sides, points_cell(gap), p_value(gap), count(gap["n"]), answered_cell(gap), lost(gap))
        )
    heads = (Column("Model"), Column("Right on the translated, %", True), Column("Right on the native, %", True),
             Column("Gap, points", True), Column("p (Holm)", True), Column("Items of the smaller set", True),
             Column("Answered, %", True), Column("Left out"))  # fmt: skip
    caption = "Translated minus native: Wilson intervals of the accuracies; for the gap each set is resampled by itself, and for p items change sets at random. Where they differ, p decides."
    return Grid(caption, heads, tuple(cells), folded=len(cells) > FOLDED)


def rating_grid(found: Table | None) -> Grid | None:
    """One line a question and model or group: Spearman's ρ and what it rests on."""
    if found is None:
        return None
    cells = tuple(
        (
            str(row["question"]),
            who(row),
            number_cell(row),
            p_value(row),
            count(row["n"]),
            answered_cell(row),
            count(row["tied"]),
            discordant(row),
            "; ".join(part for part in (str(row["remark"]), lost(row)) if part not in ("", "0")) or MISSING,
        )
        for row in found.rows
    )
    heads = (Column("Rated"), Column("Models"), Column("ρ", True), Column("p, permutation (Holm)", True), Column("Items", True), Column("Answered, %", True),
             Column("Tied at no tax", True), Column("Right on the first only / second only", True), Column("Remarks"))  # fmt: skip
    caption = "Spearman's ρ of each item's mean rating with its tax (E1, mean over the models). In brackets: corrected over all lines; where interval and p differ, p decides."
    return Grid(caption, heads, cells, folded=len(cells) > FOLDED)


def agreement_grids(found: Mapping[str, Table]) -> list[Grid]:
    """How far raters agree, a table for what they rated; questions are never pooled."""
    heads = (
        Column("Question"),
        Column("Level"),
        Column("Statistic"),
        Column("Raters"),
        Column("Value", True),
        Column("Units", True),
    )
    return [
        Grid(
            f"Agreement of the raters: {name}.",
            heads,
            tuple(
                (
                    str(row["question"]),
                    str(row["level"]),
                    _AGREEMENT.get(str(row["statistic"]), str(row["statistic"])),
                    ", ".join(str(row[side]) for side in ("rater_a", "rater_b") if row[side]) or "all",
                    number_cell(row),
                    count(row["n"]),
                )
                for row in held.rows
            ),
        )
        for name, held in found.items()
    ]


def validity_grid(found: Table) -> Grid:
    """One line a model and set: readable answers, accuracy under every reader, and whether that holds."""
    readers = list(dict.fromkeys(str(row["reader"]) for row in found.rows))
    lines: dict[tuple[str, str, str, int], dict[str, Row]] = {}
    for row in found.rows:
        key = (str(row["model"]), str(row["task"]), str(row["input"]), int(row["repeat"]))
        lines.setdefault(key, {})[str(row["reader"])] = row
    several = len({key[1] for key in lines}) > 1
    cells = []
    for (model, task, code, repeat), held in lines.items():
        again = f", repeat {repeat}" if repeat != 1 else ""
        first = held[readers[0]]
        right = [_accuracy(held[reader]) for reader in readers]
        verdict = f"{first['verdict']}: {first['why']}" if first["why"] else str(first["verdict"])
        cells.append(
            (model, *((task,) if several else ()), f"{sense_label(code)}{again}", share_cell({**first, "reason": ""}),
             *right, count(first['n']), verdict)
        )  # fmt: skip
    heads = [
        Column("Model"),
        *((Column("Benchmark"),) if several else ()),
        Column("Set"),
        Column("Readable, %", True),
    ]
    heads += [Column("Right, %" if len(readers) == 1 else f"Right, %: {reader}", True) for reader in readers]
    heads += [Column("Items", True), Column("Verdict")]
    caption = "Readable answers of each model and set; unreadable ones count as wrong in the accuracy."
    return Grid(caption, tuple(heads), tuple(cells), folded=len(cells) > FOLDED)


def _accuracy(row: Row) -> str:
    return MISSING if row["accuracy"] is None else cell(row["accuracy"], "percentage")


def bounds_grid(found: Table | None) -> Grid | None:
    """One line a difference: what it is, and how low and high it could be whatever the unreadable answers meant."""
    if found is None:
        return None
    tasks = {row["task"] for row in found.rows if row["task"]}
    cells = tuple(
        (
            str(row["comparison"]),
            bound_name(row, several=len(tasks) > 1),
            MISSING if row["value"] is None else cell(float(row["value"]), "points"),
            _range(row, "lowest", "highest"),
            _range(row, "low", "high"),
            count(row["n"]),
            answered_cell(row),
        )
        for row in found.rows
    )
    heads = (Column("Of"), Column("Models"), Column("Readable on both sides, points", True), Column("Bounds, points", True),
             Column("With the intervals of the bounds", True), Column("Items", True),
             Column("Answered, %", True))  # fmt: skip
    caption = "Every difference if each unreadable answer was wrong, or right, whichever makes it lowest or highest."
    return Grid(caption, heads, cells, folded=len(cells) > FOLDED)


def bound_name(row: Row, *, several: bool) -> str:
    """Which models' difference a row of bounds tells."""
    if row["analysis"] == "clustered":
        return who(row)
    return f"{row['model']}, {row['task']}" if several else str(row["model"])


def _range(row: Row, low: str, high: str) -> str:
    if row[low] is None or row[high] is None:
        return MISSING
    return f"{cell(row[low], 'points')} to {cell(row[high], 'points')}"
