"""Which tables people are shown for a measure; a measure without a layout, and one of a plug-in, by what it declares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hesperus.analysis.measure import Measure
from hesperus.analysis.measure_names import MEASURES, offered_measures
from hesperus.analysis.registry import measure_of, measure_table
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.settings import GivenSettings
from hesperus.analysis.table import Table
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import Run
from hesperus.records.packed import unpacked
from hesperus.reports import multisense_grids as senses
from hesperus.reports.blocks import Block, Section, note
from hesperus.reports.columns import ANSWERED, COLUMNS, KEYS, RESTS_ON, Column, column
from hesperus.reports.grid import Grid
from hesperus.reports.open_answers.open_grids import scores_of, state_columns
from hesperus.reports.similarity import similarity_grids as pairs
from hesperus.reports.tabulated import field, statistic_unit, tabulated
from hesperus.reports.tax import tax_grids as tax

_SIGNIFICANT = 0.05
"""A corrected p below it is significant, as hesperus.analysis.compared says it."""
_PARTS = ("_low", "_high", "_holm")
"""Endings of columns that are shown with another."""
_FEW = 6
"""Of a table that no registry knows, the first columns are shown in any terminal."""
_ALL_MODELS = "all models"


@dataclass(frozen=True, slots=True)
class Layout:
    """How a measure is shown."""

    needs: tuple[str, ...]
    grids: Callable[[Table], Sequence[Grid | None]]


def _prompts(table: Table) -> list[Grid | None]:
    """A measure of single prompts, its statistics side by side."""
    keys = ("model", "task", *senses.groups_of(table, *_PROMPT, "reference"), "prompt")
    return [tabulated("Every prompt.", senses.prompts(table.rows), keys, table.measure, folds=None)]


def _languages(table: Table) -> list[Grid | None]:
    """How many replies are in the language asked for; below it a line for each language that replies are in."""
    keys = ("model", "task", *senses.groups_of(table, *_PROMPT, "asked", "reply_language"), "prompt")
    shares = [row for row in table.rows if row["statistic"] == "share"]
    rates = [row for row in table.rows if row["statistic"] != "share"]
    share = Column("share", "Of the replies", "percentage")
    return [
        tabulated("Every prompt.", senses.prompts(rates), keys, table.measure, folds=None),
        tabulated(
            "In which language the replies are.",
            senses.prompts(shares),
            (*keys, Column("reply_language", "Replies in", "language")),
            (share, *RESTS_ON),
            folds=None,
        ),
    ]


def _by_evaluator(table: Table) -> list[Grid | None]:
    """Scores of open answers, by language or by group of languages, a table for each evaluator."""
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for row in table.rows:
        named = row.get("evaluator", table.signature.get("evaluator", table.measure))
        parts.setdefault(str(named), []).append(row)
    place = ("grouping", "group") if "grouping" in table.columns else ("language", "instruction", "input")
    return [scores_of(rows, what, place) for what, rows in parts.items()]


def _counts(table: Table) -> list[Grid | None]:
    keys = ("model", "task", column("language"))
    heads = [Column("pairs", "Pairs", "count"), *state_columns(table.rows), Column("repaired", "Repaired", "count", rank=1),
             Column("unrepaired", "Given up", "count", rank=1)]  # fmt: skip
    return [tabulated("What became of the pairs.", table.rows, keys, heads, folds=None)]


def _compared(table: Table) -> list[Grid | None]:
    """Differences of two runs: what is significant first."""
    rows = sorted(
        table.rows,
        key=lambda row: (
            row["value"] is None,
            (1.0 if row["p_holm"] is None else row["p_holm"]) >= _SIGNIFICANT,
        ),
    )
    named = (
        senses.prompts(rows, ordered=False) if "instruction" in table.columns else list(map(_of_all, rows))
    )
    place = ("prompt",) if "instruction" in table.columns else ()
    own = tuple(
        name for name in table.columns[: table.columns.index("statistic")] if name not in _NOT_COMPARED
    )
    keys = tuple(name for name in (*own, *place, "statistic") if len({row[name] for row in named}) > 1)
    same = tuple(
        (column(name).name, str(field(column(name), table.rows[0])))
        for name in own
        if name not in keys and table.rows[0][name]
    )
    found = tabulated(
        "Differences, second less first; what is significant first.",
        named,
        keys or ("task",),
        "compare",
        folds=None,
    )
    return [replace(found, about=(*same, *found.about))] if found is not None else []


def _of_all(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row that names no model is of all of them."""
    return {**row, "model_a": _ALL_MODELS, "model_b": _ALL_MODELS} if row.get("model_a") == "" else row


def _translation(table: Table) -> list[Grid | None]:
    """Scores of translations against agreement, a line for each pair and score; each correlation with its p."""
    tested = [
        {**row, "statistic": f"p_{row['statistic']}", "value": row["p"], "value_holm": row["p_holm"]}
        for row in table.rows
        if row["p"] is not None
    ]
    keys = table.columns[: table.columns.index("statistic")]
    settings = table.signature.get("MeasureSettings")
    held = settings if isinstance(settings, Mapping) else {}
    above = " Threshold: {threshold:g} (ROUGE: a hundredth of it; COMET: {comet_threshold:g})."
    told = above.format(**held) if held.get("threshold") is not None else ""
    caption = f"Translation scores next to the answers to the translated input.{told}"
    return [tabulated(caption, [*table.rows, *tested], keys, "translation", folds=None)]


_PROMPT = ("instruction", "input", "repeat")
_NOT_COMPARED = (*_PROMPT, "input_a", "input_b")
_A_B = ("a", "b")
_LAYOUTS: Mapping[str, Layout] = {
    "summary": Layout(("reference", "label"), lambda t: [senses.overview_grid(t, labels=any(row["statistic"] == "accuracy" for row in t.rows))]),
    "consistency": Layout(_A_B, lambda t: [senses.summary_grid(t), senses.pairs_grid(t)]),
    "decomposition": Layout(("source", "sense"), lambda t: [senses.split_grid(t)]),
    "accuracy": Layout(_PROMPT, lambda t: [senses.accuracy_grid(t)]),
    "validity": Layout(_PROMPT, lambda t: [senses.accuracy_grid(t)]),
    "outcomes": Layout(_PROMPT, lambda t: [senses.outcomes_grid(t)]),
    "labels": Layout((*_PROMPT, "label"), lambda t: [senses.labels_grid(t)]),
    "directions": Layout((*_A_B, "from", "to"), lambda t: [senses.directions_grid(t)]),
    "agreement": Layout(("model_a", *_A_B), lambda t: [senses.agreement_grid(t)]),
    "translation": Layout((*_A_B, "score", "p"), _translation),
    "language": Layout(("asked", "reply_language"), _languages),
    "tokens": Layout(("instruction", "input"), _prompts),
    "similarity": Layout(("model_a", *_A_B), lambda t: [pairs.pairs_grid(t)]),
    "means": Layout(("design", "group"), lambda t: [pairs.means_grid(t)]),
    "contrasts": Layout(("comparison", "detectable"), lambda t: [pairs.contrasts_grid(t)]),
    "correlations": Layout(("design", "with", "points"), lambda t: [pairs.correlations_grid(t)]),
    "all_languages": Layout(("size", "languages"), lambda t: [pairs.all_languages_grid(t)]),
    "scoring": Layout(_PROMPT, lambda t: [pairs.scoring_grid(t)]),
    "counts": Layout(("pairs", "compared"), _counts),
    "back_translation": Layout(("analysis", "positive"), lambda t: [tax.pooled_grid(t, "back_translation"), tax.models_grid(t, "back_translation")]),
    "naturalisation": Layout(("analysis", "positive"), lambda t: [tax.pooled_grid(t, "naturalisation"), tax.models_grid(t, "naturalisation"), tax.passed_grid(t)]),
    "native_control": Layout(("group", "p"), lambda t: [tax.native_grid(t)]),
    "bounds": Layout(("lowest", "highest"), lambda t: [tax.bounds_grid(t)]),
    "parsers": Layout(("parser", "verdict"), lambda t: [tax.validity_grid(t)]),
    "ratings": Layout(("question", "tied"), lambda t: [tax.rating_grid(t)]),
}  # fmt: skip
_SCORES = Layout(("statistic", "ceiling", "relative"), _by_evaluator)
_COMPARED = Layout(("value_a", "value_b", "p_holm", "statistic"), _compared)


def _layout(table: Table) -> Layout | None:
    for one in (_LAYOUTS.get(table.measure), _COMPARED, _SCORES):
        if one is not None and set(one.needs) <= set(table.columns):
            return one
    return None


def grids_of(table: Table) -> list[Grid]:
    """The tables that people are shown; none if it has no rows."""
    layout = _layout(table) if table.rows else None
    found = [grid for grid in layout.grids(table) if grid is not None] if layout is not None else []
    declared = None if found or not table.rows else declared_grid(table)
    if found or declared is not None:
        return [*found, *([] if declared is None else [declared])]
    plain = plain_grid(table)
    return [plain] if plain.rows else []


def plain_grid(table: Table) -> Grid:
    """Every row on a line, with the columns as the registry calls them; an interval is with its value."""
    heads = _listed(table) if table.measure in COLUMNS and "value" not in table.columns else _plain(table)
    return tabulated(table.measure, table.rows, (), heads, folds=None) or Grid(
        table.measure, tuple(heads), ()
    )


def _listed(table: Table) -> list[Column]:
    known = COLUMNS[table.measure]
    rest = [
        replace(_typed(table, name), rank=3)
        for name in table.columns
        if name not in {one.key for one in known}
    ]
    return [*(one for one in known if one.key in table.columns), *rest]


def _plain(table: Table) -> list[Column]:
    # What is a share in other tables may be counted here, as in what a log holds.
    counted = any(type(row.get(ANSWERED.key)) is int for row in table.rows)
    closing = {one.key: one for one in RESTS_ON if not (counted and one is ANSWERED)}
    kept = [name for name in table.columns if not _is_part(table, name)]
    return [
        closing.get(name)
        or replace(_typed(table, name), rank=0 if place < _FEW or name in ("value", "statistic") else 2)
        for place, name in enumerate(kept)
    ]


def _is_part(table: Table, name: str) -> bool:
    if "value" in table.columns and name in ("low", "high", "reason"):
        return True
    return any(name.endswith(part) and name.removesuffix(part) in table.columns for part in _PARTS)


def _typed(table: Table, name: str) -> Column:
    """The column of a registry; of an unknown one the values tell whether it holds numbers."""
    found = column(name, table.measure)
    if name in KEYS or found.unit != "text":
        return found
    if f"{name}_holm" in table.columns:
        return replace(found, heading=f"{name.replace('_', ' ')} (Holm)", unit="p")
    values = [row[name] for row in table.rows if row.get(name) is not None]
    numbers = bool(values) and all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in values
    )
    if not numbers:
        return found
    unit = "count" if all(isinstance(one, int) for one in values) else statistic_unit(name)
    return replace(found, unit=unit)


def declared_grid(table: Table) -> Grid | None:
    """The table of a measure that has no layout, its statistics side by side; None if it declares none."""
    declared = measure_of(table.measure)
    return None if declared is None or not declared.statistics else _grid(declared, table)


def further_blocks(run: Run, given: GivenSettings) -> Iterator[Block | None]:
    """A section for the end of a page with every measure that no page has a place for, as those of plug-ins; or nothing."""
    names = (*(name for name in MEASURES if name not in _LAYOUTS), *offered_measures())
    if not names or run.records.is_empty():
        return
    yield Section("Further measures", "further")
    described = Described(run.study, run.signature)
    # Another package may read any column.
    run = unpacked(run)
    for name in names:
        declared = measure_of(name)
        try:
            found = measure_table(name, run.records, given.of_whole(), described=described)
        except (DataError, UsageError, UnknownNameError) as error:
            yield note(f"{name}: {error}", level="aside")
            continue
        if declared is not None and found.rows:
            yield _grid(declared, found)


def _grid(declared: Measure, table: Table) -> Grid | None:
    return tabulated(
        declared.help, table.rows, table.columns[: table.columns.index("statistic")], declared.name
    )
