"""The tables of open answers: a line a model and language; every number with what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from hesperus.analysis.families import family_key
from hesperus.analysis.open_answers.open_tables import STATES
from hesperus.analysis.open_answers.statistics import ENDINGS, WHERE_ANSWERED
from hesperus.analysis.table import Row
from hesperus.reports.columns import COLUMNS, Column, worded
from hesperus.reports.grid import Grid, lowered
from hesperus.reports.open_answers.open_wording import GROUPING_NAMES, STATE_WORDS, agreement_name, group_name
from hesperus.reports.tabulated import FOLDED, tabulated
from hesperus.types import OUTCOMES
from hesperus.wording import OUTCOME_WORDS, language_label, language_name, property_names

if TYPE_CHECKING:
    from hesperus.analysis.open_answers.open_findings import OpenFindings

_FIRST_GROUPINGS = ("all", "trained_on", "script", "family")
"""Groupings whose tables come first; those of groups are folded, since the figure shows them."""
_MOST_NAMES = 6
"""Languages of a group that are named."""
_BESIDE = {"ceiling": "Ceiling of", "relative": "Relative"}
_OF_MAIN = ("n", "answered", *(f"{name}{end}" for name in _BESIDE for end in ("", "_low", "_high")))
_KEYS = ("model", "task", Column("sense", "Language"))


def lines_of(rows: Iterable[Row], main: str, statistics: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of one line: what the main statistic rests on, and its ceiling, is said of all."""
    held = {str(row["statistic"]): row for row in rows}
    if main not in held:
        return []
    first = held[main]
    said = {name: first[name] for name in _OF_MAIN}
    bare = (
        {}
        if first["ceiling"] is not None
        else dict.fromkeys((*_BESIDE, *(f"{name}_low" for name in _BESIDE)))
    )
    named = [main, *(name for name in statistics if name != main)]
    return [
        {**held[name], **said, **bare, **({} if name == main else {"excluded": 0})}
        for name in named
        if name in held
    ]


def _without_ceiling(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The same without the columns of a ceiling, if no line has one."""
    if any(row["ceiling"] is not None for row in rows):
        return [dict(row) for row in rows]
    return [{name: value for name, value in row.items() if name not in _BESIDE} for row in rows]


def scores_grid(found: OpenFindings) -> Grid | None:
    """Every statistic of every model and language, the ceiling, and the main one relative to it."""
    rows = [
        {**row, "sense": found.labels[cell]}
        for cell, held in found.cells.items()
        for row in lines_of(held.values(), found.main, found.statistics)
    ]
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
    return tabulated(caption, _without_ceiling(rows), _KEYS, _scores(found), folds=2 * FOLDED)


def _scores(found: OpenFindings) -> tuple[Column, ...]:
    return worded("scores", measured=agreement_name(found.what, len(found.properties)))


def scores_of(table_rows: Sequence[Row], what: str, place: tuple[str, ...]) -> Grid | None:
    """The scores of an evaluator for a terminal, from its table alone.

    `place` are the columns that name a line besides model and task: language and senses, or a group of languages.
    """
    names = {str(row["statistic"]) for row in table_rows}
    main = next((name for name in ("f_of_means", "agreement") if name in names), min(names))
    cells: dict[tuple[object, ...], list[Row]] = {}
    for row in table_rows:
        cells.setdefault(tuple(row[name] for name in ("model", "task", *place)), []).append(row)
    known = [one.key for one in COLUMNS["scores"]]
    properties = [
        name.removeprefix("agreement.")
        for name in names
        if name.startswith("agreement.") and not name.endswith(ENDINGS)
    ]
    changes = [f"change.{name}" for name in properties if len(properties) == 1]
    statistics = [*(name for name in known if name in names), *changes] or [main]
    rows = [row for held in cells.values() for row in lines_of(held, main, statistics)]
    several = len(cells) > len({key[:3] for key in cells})
    shown = place if several or place[0] != "language" else place[:1]
    heads = worded("scores", measured=agreement_name(what, len(properties)))
    rest = () if main in known else (Column(main, main.replace("_", " ").capitalize(), "percentage"),)
    changed = [
        Column(name, "More often than the reference", "points", short="More often") for name in changes
    ]
    at = next(place for place, one in enumerate(heads) if one.key == "ceiling")
    return tabulated(
        f"{what}. {_holds(what, main, len(properties))}; ceiling: what translation leaves of it.",
        _without_ceiling(rows),
        ("model", "task", *shown),
        (*rest, *heads[:at], *changed, *heads[at:]),
        folds=None,
    )


def _holds(what: str, main: str, properties: int) -> str:
    """What the scores of an evaluator are the share of."""
    if main != "agreement":
        return "How much of the reference's answer each language holds"
    if not properties:
        return "How far the answer says the same as the reference's, from 0 (another) to 100 % (the same), mean of the pairs"
    of = property_names(what) + (" profile" if properties > 1 else "")
    return f"In how many pairs {of} is the same as in the reference's answer"


def ceilings_grid(found: OpenFindings) -> Grid | None:
    """Ceilings of all statistics; None if the table of scores has them all."""
    if not (found.has_ceiling and found.is_information):
        return None
    named = {one.key: one.heading for one in _scores(found)}
    pairs = [(name, which) for name in found.statistics for which in _BESIDE]
    rows = []
    for cell, held in found.cells.items():
        beside = {
            f"{name}.{which}{end}": held[name][f"{which}{end}"]
            for name, which in pairs
            for end in ("", "_low", "_high")
        }
        rows.append({"model": cell[0], "task": cell[1], "sense": found.labels[cell], **beside})
    heads = [
        Column(f"{name}.{which}", f"{_BESIDE[which]} {lowered(named[name])}", "percentage")
        for name, which in pairs
    ]
    said = "The ceiling of every statistic, and the score relative to it: over its ceiling."
    return tabulated(said, rows, _KEYS, heads, folds=0)


def properties_grid(found: OpenFindings) -> Grid | None:
    """Each property by itself: agreement, κ, its change, and the ceilings of the first two."""
    rows = []
    for cell, held in found.cells.items():
        for name in found.properties:
            kappa = held[f"kappa.{name}"]
            said: dict[str, Any] = {"sense": found.labels[cell], "property": property_names(name)}
            said |= (
                {f"kappa_ceiling{end}": kappa[f"ceiling{end}"] for end in ("", "_low", "_high")}
                if found.has_ceiling
                else {}
            )
            main, rest = f"agreement.{name}", (f"kappa.{name}", f"change.{name}")
            rows += [
                {**row, **said, "statistic": str(row["statistic"]).partition(".")[0]}
                for row in lines_of(held.values(), main, rest)
            ]
    return tabulated(
        "Each property by itself: share of pairs with the same level, the same beyond chance (Cohen's κ), and how much more "
        f"often the answer has it than the {found.reference_name} one (in percentage points; below 0: less often).",
        _without_ceiling(rows),
        (*_KEYS, Column("property", "Property")),
        "properties",
        folds=2 * FOLDED,
    )


def group_grids(found: OpenFindings) -> list[Grid]:
    """A table for each way of grouping languages in which there are two groups or more."""
    ways = (*_FIRST_GROUPINGS, *(name for name in GROUPING_NAMES if name not in _FIRST_GROUPINGS))
    grids = (_group_grid(found, grouping) for grouping in ways)
    return [grid for grid in grids if grid is not None]


def _group_grid(found: OpenFindings, grouping: str) -> Grid | None:
    held: dict[tuple[str, str, str], list[Row]] = {}
    for row in found.groups.rows:
        if row["grouping"] == grouping:
            held.setdefault((str(row["model"]), str(row["task"]), str(row["group"])), []).append(row)
    if len({key[2] for key in held}) < (1 if grouping == "all" else 2):
        return None
    rows = [
        {**row, "group": group_name(grouping, key[2]), "tags": _named(str(row["languages"]).split())}
        for key in sorted(held)
        for row in lines_of(held[key], found.main, found.statistics)
    ]
    return tabulated(
        "All languages together." if grouping == "all" else f"By {GROUPING_NAMES[grouping]}.",
        _without_ceiling(rows),
        ("model", "task", *(("group",) if grouping != "all" else ()), Column("tags", "Languages")),
        _scores(found),
        folds=FOLDED if grouping == "all" else 0,
    )


def _named(tags: Sequence[str]) -> str:
    names = [language_name(tag) for tag in tags]
    left = len(names) - _MOST_NAMES
    return ", ".join(names) if left <= 0 else f"{', '.join(names[:_MOST_NAMES])} and {left} more"


def state_columns(rows: Sequence[Row]) -> list[Column]:
    """What became of pairs: the states that there are."""
    return [
        Column(state, STATE_WORDS[state].capitalize(), "count")
        for state in STATES
        if state == "compared" or any(row[state] for row in rows)
    ]


def silence_grid(found: OpenFindings) -> Grid | None:
    """Pairs by what became of them, and the main statistic with and without silence; None if all were compared."""
    states = state_columns(found.counts.rows)
    if len(states) == 1:
        return None
    counted = {
        tuple(str(row[name]) for name in ("model", "task", "language", "instruction", "input")): row
        for row in found.counts.rows
    }
    rows = []
    for cell, held in found.cells.items():
        said = {**counted[cell], "sense": found.labels[cell]}
        both = {"main": held[found.main], "answered_only": held.get(f"{found.main}{WHERE_ANSWERED}")}
        rows += [{**row, **said, "statistic": name} for name, row in both.items() if row is not None]
    name = next(one.heading for one in _scores(found) if one.key == found.main)
    rule = (
        f"The rule for replies without an answer: {found.missing_rule}."
        if found.missing_rule
        else "By the rule a pair counts 0 where one side gives no answer and 1 where neither does; where both answer: "
        "without those pairs."
    )
    heads = [Column("pairs", "Pairs", "count"), *states, Column("main", f"{name} by the rule", "percentage"),
             Column("answered_only", f"{name} where both answer", "percentage")]  # fmt: skip
    return tabulated(f"What became of the pairs, and the score both ways. {rule}", rows, _KEYS, heads)


def outcomes_grid(found: OpenFindings) -> Grid | None:
    """What became of the replies in every language, the reference's among them."""
    pairs, reference = found.evaluated.pairs, language_label(found.reference)
    rows = []
    for model, task in dict.fromkeys(cell[:2] for cell in found.cells):
        held = pairs.filter(model=model, task=task)
        once = held.unique(["item", "repeat"], keep="first", maintain_order=True)
        named = [(f"{reference}, the reference", once["reference_outcome"])]
        named += [
            (found.labels[cell], held.filter(language=cell[2], instruction=cell[3], input=cell[4])["outcome"])
            for cell in found.cells
            if cell[:2] == (model, task)
        ]
        for label, outcomes in named:
            counts = Counter(outcomes.drop_nulls())
            shown = {name: counts[name] for name in OUTCOMES} | {"replies": counts.total()}
            rows.append({"model": model, "task": task, "sense": label, **shown})
    heads = [
        Column(name, OUTCOME_WORDS[name].capitalize(), "count")
        for name in OUTCOMES
        if name == "answered" or any(row[name] for row in rows)
    ]
    return tabulated(
        "What became of the replies. Those that are cut off or in another language than they should be are evaluated as they "
        "are.",
        rows,
        _KEYS,
        [*heads, Column("replies", "Replies", "count")],
    )


def prompts_grid(check: pl.DataFrame | None) -> Grid | None:
    """How the prompts came back from their translation; None if none was translated."""
    rows = [] if check is None else sorted(check.to_dicts(), key=lambda row: family_key(row["language"]))
    return tabulated(
        "The prompts that were translated, sent back and compared with the original: BLEU and chrF, from 0 to 100.",
        rows,
        ("language",),
        "prompts",
    )
