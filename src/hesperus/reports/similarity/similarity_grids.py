"""The tables of a similarity study: which rows, named by what, with which columns of the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from hesperus.analysis.compared_pairs import Side
from hesperus.analysis.families import language_names
from hesperus.analysis.similarity.measured import BETWEEN, BETWEEN_OF, PARTNER, PIVOT, WITHIN
from hesperus.analysis.table import Row, Table
from hesperus.reports.columns import ANSWERED, EXCLUDED, Column, N, column, statistic_name, worded
from hesperus.reports.grid import Grid
from hesperus.reports.multisense_grids import groups_of, prompts
from hesperus.reports.tabulated import Key, tabulated
from hesperus.rounding import cell
from hesperus.wording import MISSING, language_or_code

if TYPE_CHECKING:
    from hesperus.analysis.similarity.similarity_findings import SimilarityFindings, Square

MOST_PAIRS = 300
"""Beyond so many pairs the page shows the most and the least alike of each model; the heat maps hold them all."""
_ENDS = 5
_LONG = 14
"""Tables that few will read are folded from so many rows on."""
_COMPARED = {
    WITHIN: "two languages", PIVOT: "pivot and another language", BETWEEN_OF: "other models",
    PARTNER: "the partner", BETWEEN: "two models",
}  # fmt: skip
_QUESTIONS = {
    WITHIN: "one model, two languages", PIVOT: "one model, pivot and another language", BETWEEN: "two models, one language",
    BETWEEN_OF: "a model with others, one language", PARTNER: "a model with its partner, one language",
}  # fmt: skip


def _measure(table: Table) -> str:
    return statistic_name(str(table.rows[0]["statistic"])) if table.rows else "similarity"


def models_grid(found: SimilarityFindings) -> Grid | None:
    """One line a model: its means, and its most and least alike languages."""
    accuracy, name = found.beside("accuracy", "model"), statistic_name(found.statistic)
    level = 100 * found.settings.bootstrap.level
    rows = []
    for model in found.models:
        most, least = _ends(found.between_languages(model), language_or_code)
        said = {
            "model": model,
            "languages": sum(run.cell.model == model for run in found.first),
            "accuracy": accuracy.get(model),
            "most": most,
            "least": least,
        }
        means = {design: found.mean(design, model) for design in (WITHIN, PIVOT, BETWEEN_OF, PARTNER)}
        rows += [{**row, **said, "statistic": design} for design, row in means.items() if row is not None]
        rows += [said] if not any(means.values()) else []
    return tabulated(
        f"Each model: mean {name} of its pairs of languages, of those with the pivot, and with other models in one "
        f"language, with {level:g} % intervals over items.",
        rows,
        ("model",),
        worded("similar_models", measure=name, pivot=language_or_code(found.settings.pivot)),
    )


def languages_grid(found: SimilarityFindings) -> Grid | None:
    """One line a language: how alike models are in it; None if there is one model."""
    accuracy, names = found.beside("accuracy", "language"), language_names(found.languages)
    rows = []
    for row in _greatest(row for row in found.means(BETWEEN) if row["group"] != "all"):
        code = str(row["group"])
        most, least = _ends(found.between_models(code), str)
        rows.append(
            {**row, "language": names[code], "accuracy": accuracy.get(code), "most": most, "least": least}
        )
    return tabulated(
        "Each language: mean over pairs of models, the most alike on top.",
        rows,
        (Column("language", "Language"),),
        worded("similar_languages", measure=statistic_name(found.statistic)),
    )


def _greatest(rows: Iterable[Row]) -> list[Row]:
    """Rows by their value, the greatest first, those without one last."""
    return sorted(rows, key=lambda row: (row["value"] is None, -(row["value"] or 0.0), str(row.get("group"))))


def _ends(square: Square, short_name: Callable[[str], str]) -> tuple[str, str]:
    """The pair with the highest and that with the lowest value."""
    known = [(key, row) for key, row in square.items() if key[0] < key[1] and row["value"] is not None]
    if not known:
        return MISSING, MISSING
    ordered = sorted(known, key=lambda pair: (-pair[1]["value"], pair[0]))
    shown = [
        f"{short_name(a)}, {short_name(b)}: {cell(row['value'])}" for (a, b), row in (ordered[0], ordered[-1])
    ]
    return (shown[0], shown[1]) if len(ordered) > 1 else (shown[0], MISSING)


def pairs_grid(table: Table) -> Grid | None:
    """Every pair, or the ends of each model where they are too many."""
    rows: list[Row] = list(table.rows)
    caption = "Every pair, the most alike first, with intervals over items."
    if len(rows) > MOST_PAIRS:
        caption = (
            f"Of {len(rows):,} pairs, the {_ENDS} most and the {_ENDS} least alike of each model with itself, and those "
            "without a value."
        )
        rows = _outermost(rows)
    keys: tuple[Key, ...] = (
        "task",
        *groups_of(table, "a", "b"),
        Column("one", "One run"),
        Column("other", "Another"),
    )
    named = [{**row, "one": _run(row, "a"), "other": _run(row, "b")} for row in _greatest(rows)]
    return tabulated(caption, named, keys, "similarity")


def _run(row: Row, side: str) -> str:
    return f"{row[f'model_{side}']}, {Side.parse(str(row[side])).label}"


def _outermost(rows: Sequence[Row]) -> list[Row]:
    kept: list[Row] = [row for row in rows if row["value"] is None][:MOST_PAIRS]
    models: dict[str, list[Row]] = {}
    for row in rows:
        if row["value"] is not None and row["model_a"] == row["model_b"]:
            models.setdefault(str(row["model_a"]), []).append(row)
    for held in list(models.values())[: MOST_PAIRS // (2 * _ENDS)]:
        ordered = sorted(held, key=lambda row: float(row["value"]))
        kept += ordered if len(ordered) <= 2 * _ENDS else ordered[:_ENDS] + ordered[-_ENDS:]
    return kept


def means_grid(table: Table) -> Grid | None:
    """The means of every design."""
    rows = [{**row, "mean": _QUESTIONS.get(str(row["design"]), str(row["design"]))} for row in table.rows]
    by = [name for name in ("by", "part") if any(row[name] is not None for row in rows)]
    keys: tuple[Key, ...] = (
        "task",
        *by,
        Column("mean", "Mean of"),
        "group",
        Column("aggregate", "Aggregate"),
    )
    return tabulated("Means over pairs of runs.", rows, keys, worded("means", measure=_measure(table)))


def groups_grid(found: SimilarityFindings, by: str) -> Grid | None:
    """One line a group of items: within each model, and between models."""
    series = [(WITHIN, model, model) for model in found.models] if len(found.models) <= 6 else []
    series = [*series, (WITHIN, "all", "all models")] if len(found.models) > 1 else series
    series += [(BETWEEN, "all", "between models")]
    rows: list[Row] = []
    for design, group, shown in series:
        own = [row for row in found.means(design, by=by) if row["group"] == group]
        macro = [row for row in found.means(design, by=by, aggregate="macro") if row["group"] == group][:1]
        rows += [{**row, "statistic": shown} for row in sorted(own, key=lambda row: str(row["part"]))]
        rows += [{**row, "statistic": shown, "part": "mean of the groups (macro)"} for row in macro]
    # The mean of the groups is below them all.
    rows.sort(key=lambda row: row["part"] == "mean of the groups (macro)")
    rows = _with_most_items(rows)
    shown_columns = [Column(shown, shown, "number") for _, _, shown in series]
    caption = f"{statistic_name(found.statistic)} by {by}: means over pairs within models and between them."
    return tabulated(caption, rows, (Column("part", by),), [*shown_columns, N, EXCLUDED])


def _with_most_items(rows: Sequence[Row]) -> list[Row]:
    """A group has as many items as the mean that has most of them."""
    most: dict[object, int] = {}
    for row in rows:
        most[row["part"]] = max(most.get(row["part"], 0), int(row["n"]))
    return [{**row, "n": most[row["part"]]} for row in rows]


def group_grids(found: SimilarityFindings) -> list[Grid]:
    """A table for each column that means are given by."""
    return [grid for by in found.by if (grid := groups_grid(found, by)) is not None]


def contrasts_grid(table: Table) -> Grid | None:
    """Differences of designs with all their p values."""
    rows = []
    for row in table.rows:
        left, _, right = str(row["comparison"]).partition(" − ")
        less = f"{_COMPARED.get(left, left)} minus {_COMPARED.get(right, right)}"
        rows.append(
            {**row, "model": "all models" if row["model"] is None else row["model"], "comparison": less}
        )
    return tabulated(
        "Is a model more alike to itself in another language than to other models in the same? Detectable: the smallest "
        "difference that so many items would show with a power of 0.8. In brackets: adjusted over the rows of single models. The "
        "interval and p, items, are of the same resampled items; p, Mantel, permutes runs, which is another question.",
        rows,
        (Column("model", "Model"), Column("comparison", "Difference of means")),
        worded("contrasts", measure=_measure(table)),
    )


def correlations_grid(table: Table) -> Grid | None:
    """Correlations of the means with what else is known; None if no two models or languages have a number."""
    rows = [
        {
            **row,
            "mean": _COMPARED.get(str(row["design"]), str(row["design"])),
            "origin": f"{row['source']}, {row['date']}" if row["source"] else None,
            "without": row["excluded"],
        }
        for row in table.rows
        if row["n"] > 1
    ]
    return tabulated(
        "Pearson's r of the means with what else is known of models or languages. Its interval resamples items, with the "
        "same models and languages; p takes these for a sample.",
        rows,
        (Column("mean", "Mean of"), Column("with", "Beside"), Column("points", "Of each")),
        "correlations",
    )


def all_languages_grid(table: Table) -> Grid | None:
    """All languages of a model at once."""
    sizes = sorted({row["size"] for row in table.rows if row["size"] is not None})
    rows = [
        {**row, "statistic": row["statistic"] if row["size"] is None else f"{row['statistic']}.{row['size']}"}
        for row in table.rows
    ]
    by_size = [
        one
        for size in sizes
        for one in (
            Column(f"subset_consistency.{size}", f"{size} languages agree", "percentage", short=f"{size} agree", rank=size > 3),
            Column(f"ac3.{size}", f"AC3 of {size}", "number", "Harmonic mean with accuracy.", rank=2 + (size > 3)),
        )
    ]  # fmt: skip
    return tabulated(
        "All languages of a model at once: the share of items on which any so many languages all give one answer, and AC3, "
        "its harmonic mean with accuracy.",
        rows,
        ("model", "task", *groups_of(table, "languages", "size")),
        [*worded("all_languages")[:3], *by_size, ANSWERED, EXCLUDED],
    )


def scoring_grid(table: Table) -> Grid | None:
    """Labels against probabilities, run by run."""
    return tabulated(
        "The label that was read against the most probable option, on the same items.",
        prompts(table.rows),
        ("model", "task", *groups_of(table, "instruction", "input", "repeat"), column("prompt")),
        "scoring",
        folds=_LONG,
    )
