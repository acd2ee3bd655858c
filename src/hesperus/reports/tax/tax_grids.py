"""The tables of an audit, and how its numbers are put: a line an estimate, with the items it rests on and those excluded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from hesperus.analysis.table import Row, Table
from hesperus.audits import KINDS
from hesperus.reports.columns import Column, N, column, worded
from hesperus.reports.grid import Grid
from hesperus.reports.tabulated import tabulated
from hesperus.rounding import cell
from hesperus.wording import MISSING, SCORE_NAMES, language_name, parsed, sense_label


def discordant(row: Row) -> str:
    """Pairs right on the first side only and on the second side only: ``7 / 3``; of none, how many items could change."""
    if row["positive"] is None:
        return MISSING
    most = row.get("could_change")
    bound = f" (up to {cell(most, 'share')} of items could change)" if most is not None else ""
    return f"{row['positive']:,} / {row['negative']:,}{bound}"


def lost(row: Row) -> str:
    """Why items are missing from an estimate, each reason with its count; 0 where none is."""
    told = row["reason"] if row["excluded"] or row["value"] is not None else ""
    return str(told or f"{row['excluded']:,}")


def who(row: Row) -> str:
    """The models that a row is about: one, a group, or all."""
    group = "" if row["group"] == "all" else str(row["group"])
    return str(row["model"]) or (f"group {group}" if group else "all models")


def language_of(code: str | None) -> str:
    """English name of the language of a sense; the code itself for others."""
    if code is None:
        return "the original"
    sense = parsed(code)
    return code if sense is None else language_name(sense.language)


def rows_of(found: Table | None, *analyses: str) -> Iterator[Row]:
    """The rows of some analyses that have a difference: tax, effect or gap; none of no table."""
    for row in found.rows if found is not None else ():
        if row["analysis"] in analyses and row["statistic"] in ("tax", "effect"):
            yield row


def first_row(found: Table | None, analysis: str) -> Row | None:
    """The row of an analysis over all models and items, or None."""
    return next((row for row in rows_of(found, analysis) if not row["group"] and not row["model"]), None)


_OVER = {
    "cell": "{model}", "model": "{model}", "without model": "without {model}", "groups": "difference of groups: {group}",
    "one benchmark": "{place} alone", "strata": "difference of strata: {place} (items of the smaller)",
}  # fmt: skip


def over(row: Row) -> str:
    """What a row of E1 or E4 was pooled over, in words."""
    place, analysis = str(row.get("task") or row.get("stratum") or ""), str(row["analysis"])
    if analysis in ("clustered", "pooled", "group"):
        return f"group {row['group']}" if row["group"] else "all models"
    if analysis in _OVER:
        return _OVER[analysis].format(place=place, group=row["group"], model=row["model"])
    if analysis == "without parser-sensitive models":
        return f"without {row['model']} (often without a valid answer)" + f", stratum {place}" * bool(place)
    if analysis == "stratum":
        return f"stratum {place}" + (f", group {row['group']}" if row["group"] else "")
    return f"{analysis}, {f'stratum {place}' if place else 'all strata'}"


POOLED = {
    "back_translation": (
        "clustered",
        "groups",
        "without model",
        "without parser-sensitive models",
        "one benchmark",
    ),
    "naturalisation": (
        "pooled",
        "stratum",
        "strata",
        "group",
        "groups",
        "without model",
        "without parser-sensitive models",
    ),
}
SINGLE = {"back_translation": "cell", "naturalisation": "model"}
"""Analyses of one model by itself."""
SIDES = {
    "back_translation": ("Right on the original", "Right on what came back"),
    "naturalisation": ("Right on the natural", "Right on the translated"),
}
_AGREEMENT = {
    "krippendorff_alpha": "Krippendorff's α", "percent": "share of equal ratings", "fleiss_kappa": "Fleiss' κ",
    "gwet_ac1": "Gwet's AC1", "cohen_kappa": "Cohen's κ", "cohen_kappa_linear": "Cohen's κ, linear weights",
    "cohen_kappa_quadratic": "Cohen's κ, quadratic weights", "bias": "bias (own ratings less those of the others)",
}  # fmt: skip


def alignment_grid(found: Mapping[str, int] | None) -> Grid | None:
    """What the alignment audit found, a line a kind."""
    rows = [{"kind": kind, "meaning": KINDS.get(kind, ""), "n": held} for kind, held in (found or {}).items()]
    heads = (Column("kind", "Kind"), Column("meaning", "Meaning"), N)
    return tabulated("Items with findings of the alignment audit, by kind.", rows, (), heads, folds=None)


def _groups(found: Table | None) -> tuple[str, ...]:
    """The columns of the records that a table is grouped by."""
    return () if found is None else found.by


def _explained(row: Row) -> dict[str, Any]:
    """A row with its discordant pairs and what was excluded in words."""
    return {**row, "discordant": discordant(row), "lost": lost(row)}


def models_grid(found: Table | None, estimator: str) -> Grid | None:
    """One line a model (and benchmark): both accuracies, their difference, discordant pairs and their sign test."""
    rows = [row for row in (found.rows if found is not None else ()) if row["analysis"] == SINGLE[estimator]]
    names = iter(("first", "second") * len(rows))
    named = [
        {**row, "statistic": "difference" if row["statistic"] in ("tax", "effect") else next(names)}
        for row in rows
    ]
    told = [_explained(row) for row in named if row["statistic"] == "difference"]
    first, second = SIDES[estimator]
    keys = [name for name in ("task", "group") if len({row.get(name) for row in rows}) > 1]
    return tabulated(
        "Each model: accuracies over the pairs that count, first minus second, and a sign test on discordant pairs; in "
        "brackets corrected over all lines. Where interval and p differ, p decides.",
        [*told, *(row for row in named if row["statistic"] != "difference")],
        (*_groups(found), *keys, Column("model", "Model")) if keys else (*_groups(found), "model"),
        worded("models_of_tax", first=first, second=second),
    )


def pooled_grid(found: Table | None, estimator: str) -> Grid | None:
    """One line an estimate over several models: items are resampled with all their models."""
    rows: Iterable[Row] = rows_of(found, *POOLED[estimator])
    if _groups(found):
        # The estimate to report of every group, before what each of them depends on.
        rows = sorted(rows, key=lambda row: POOLED[estimator].index(row["analysis"]))
    return _pooled(
        rows,
        "Over several models: items are resampled with all their models, and for p both sides of an item are exchanged with all "
        "of them; in brackets corrected over the rows of the analysis. Where interval and p differ, p decides.",
        _groups(found),
    )


def passed_grid(found: Table | None) -> Grid | None:
    """The effect over the items that each checker passed strictly."""
    rows = [row for row in found.rows if str(row["analysis"]).startswith("passed by")] if found else []
    caption = "Over the rewritten items that passed strictly, by who checked them."
    return _pooled(rows, caption, _groups(found))


def _pooled(rows: Iterable[Row], caption: str, groups: Sequence[str]) -> Grid | None:
    named = [{**_explained(row), "over": over(row), "statistic": "difference"} for row in rows]
    return tabulated(caption, named, (*groups, Column("over", "Of")), "pooled")


def native_grid(found: Table | None) -> Grid | None:
    """One line a model: accuracy on either set and the gap; then the gap of each group."""
    rows: Sequence[Row] = found.rows if found is not None else ()
    place = itemgetter(*_groups(found), "group", "model")
    gaps = {place(row): {**row, "lost": lost(row)} for row in rows if row["statistic"] == "gap"}
    rests = ("p", "p_holm", "n", "answered", "lost")
    named = [{**row, **{name: gaps[place(row)][name] for name in rests}, "of": who(row)} for row in rows]
    return tabulated(
        "Translated minus native: Wilson intervals of the accuracies; for the gap each set is resampled by itself, and for p "
        "items change sets at random. Where they differ, p decides. Items: of the smaller set.",
        named,
        (*_groups(found), Column("of", "Model")),
        "native",
    )


def rating_grid(found: Table | None) -> Grid | None:
    """One line a question and model or group: Spearman's ρ and what it rests on."""
    rows = [
        {
            **_explained(row),
            "models": who(row),
            "remarks": "; ".join(part for part in (str(row["remark"]), lost(row)) if part not in ("", "0")),
        }
        for row in (found.rows if found is not None else ())
    ]
    return tabulated(
        "Spearman's ρ of each item's mean rating with its tax (E1, mean over the models). In brackets: corrected over all "
        "lines, by permutation; where interval and p differ, p decides.",
        rows,
        (*_groups(found), Column("question", "Rated"), Column("models", "Models")),
        "rating",
    )


def agreement_grids(found: Mapping[str, Table]) -> list[Grid]:
    """How far raters agree, a table for what they rated; questions are never pooled."""
    grids = (_agreement_grid(name, held) for name, held in found.items())
    return [grid for grid in grids if grid is not None]


def _agreement_grid(name: str, found: Table) -> Grid | None:
    rows = [
        {
            **row,
            "named": _AGREEMENT.get(str(row["statistic"]), str(row["statistic"])),
            "raters": ", ".join(str(row[side]) for side in ("rater_a", "rater_b") if row[side]) or "all",
        }
        for row in found.rows
    ]
    keys = (
        Column("question", "Question"),
        Column("level", "Level"),
        Column("named", "Statistic"),
        Column("raters", "Raters"),
    )
    return tabulated(f"Agreement of the raters: {name}.", rows, keys, "raters", folds=None)


def validity_grid(found: Table) -> Grid | None:
    """One line a model and set: valid answers, accuracy under every parser, and whether that holds."""
    parsers = list(dict.fromkeys(str(row["parser"]) for row in found.rows))
    rows = []
    for row in found.rows:
        again = f", repeat {row['repeat']}" if row["repeat"] != 1 else ""
        said = {"set": f"{sense_label(str(row['input']))}{again}", "reason": "", "excluded": 0}
        verdict = f"{row['verdict']}: {row['why']}" if row["why"] else row["verdict"]
        rows.append({**row, **said, "statistic": str(row["parser"]), "value": row["accuracy"], "low": None, "high": None,
                     "validity": row["value"], "validity_low": row["low"], "validity_high": row["high"], "said": verdict})  # fmt: skip
    right = [
        Column(parser, "Right" if len(parsers) == 1 else f"Right: {parser}", "percentage")
        for parser in parsers
    ]
    heads = (Column("validity", "Valid", "percentage"), *right, N, Column("said", "Verdict"))
    caption = "Valid answers of each model and set; invalid ones count as wrong in the accuracy."
    keys: list[str | Column] = [*_groups(found), "model", column("task"), Column("set", "Set")]
    return tabulated(caption, rows, keys, heads)


def bounds_grid(found: Table | None) -> Grid | None:
    """One line a difference: what it is, and how low and high it could be whatever the invalid answers meant."""
    held: Sequence[Row] = found.rows if found is not None else ()
    tasks = {row["task"] for row in held if row["task"]}
    rows = [
        {
            **row,
            "models": bound_name(row, several=len(tasks) > 1),
            "bounds": _range(row, "lowest", "highest"),
            "ends": _range(row, "low", "high"),
            "low": None,
        }
        for row in held
    ]
    return tabulated(
        "Every difference if each invalid answer was wrong, or right, whichever makes it lowest or highest.",
        rows,
        (*_groups(found), Column("comparison", "Of"), Column("models", "Models")),
        "bounds",
    )


def bound_name(row: Row, *, several: bool) -> str:
    """Which models' difference a row of bounds tells."""
    if row["analysis"] == "clustered":
        return who(row)
    return f"{row['model']}, {row['task']}" if several else str(row["model"])


def _range(row: Row, low: str, high: str) -> str:
    if row[low] is None or row[high] is None:
        return MISSING
    return f"{cell(row[low], 'points')} to {cell(row[high], 'points')}"


def quality_text(threshold: str) -> str:
    """The quality threshold of a table with the name of its score: ``BLEU 20 or more``."""
    score, _, rest = threshold.partition(" ")
    return f"{SCORE_NAMES.get(score, score)} {rest}"
