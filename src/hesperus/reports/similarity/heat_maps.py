"""Heat maps of pairs: a model's languages with each other, models with each other in a language.

A cell shows its value if there is room, and says it with interval and items when pointed at. A pair without a value
is crossed out; the diagonal, a run with itself, is not measured and holds a dash, since grey print has every grey as a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from hesperus.analysis.families import family_of, language_names, spans
from hesperus.analysis.similarity.orders import Order, ordered_languages, ordered_models
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings, Square
from hesperus.analysis.table import Row
from hesperus.item_views.filter_address import items_anchor
from hesperus.reports.columns import statistic_name
from hesperus.reports.heat import Shades, Sides, heat_map
from hesperus.reports.points import side_by_side
from hesperus.reports.tabulated import estimate_text
from hesperus.reports.theme import INK, chart_of
from hesperus.rounding import cell
from hesperus.wording import counted

_ROOM = 820
"""Pixels of a map's side that its cells share, between the least and the most that a cell may take."""
_LEAST, _MOST, _MOST_OF_MANY = 12, 40, 30
"""Pixels of a cell; of several maps none is larger than the last."""
MOST_TOLD = 64
"""Names of a map whose cells say their numbers and lead to their items; of more the table has them."""
_WRITTEN = 23
"""Cells of so many pixels hold a value."""
_BESIDE = 14
"""Languages up to which the two maps of runs are next to each other."""


@dataclass(frozen=True, slots=True)
class _Maps:
    """Squares that are drawn alike.

    Attributes:
        squares: Title to pairs; a single one needs no title.
        placed: All their names, in order.
        labels: Name to what is at the axes.
        groups: Name to the group that it is in; empty if the order has none.
        items: Of a title and two names the link to the items that are behind their pair.
        shades: How numbers become colours.
    """

    squares: Mapping[str, Square]
    placed: Sequence[str]
    labels: Mapping[str, str]
    groups: Mapping[str, str]
    items: Callable[[str, str, str], str]
    shades: Shades

    def figure(self, titles: Mapping[str, str]) -> Any:
        """All maps, on one scale and with cells of one size."""
        names = {
            key: [name for name in self.placed if name in _names(square)]
            for key, square in self.squares.items()
        }
        longest, alone = max(map(len, names.values())), len(names) == 1
        side = min(_MOST if alone else _MOST_OF_MANY, max(_LEAST, _ROOM // longest))
        across = 1 if alone else max(1, min(4, 1000 // (side * longest + 120)))
        charts = [
            self._map(key, held, side, "" if alone else titles[key], ends=place % across == across - 1)
            for place, (key, held) in enumerate(names.items())
        ]
        return side_by_side(charts, across)

    def _map(self, key: str, names: Sequence[str], side: int, title: str, *, ends: bool) -> Any:
        labels, is_told, size = (
            [self.labels[name] for name in names],
            len(names) <= MOST_TOLD,
            max(9, min(12, side - 2)),
        )
        tiles = [
            {"down": self.labels[a], "across": self.labels[b], **self._cell(key, a, b, row, is_told=is_told)}
            for (a, b), row in sorted(self.squares[key].items())
        ]
        sides = Sides(labels, labels, (side, side), text=size)
        x, y = sides.places
        diagonal = chart_of([{"across": label, "down": label} for label in labels])
        dashes = diagonal.mark_text(text="–", fontSize=size, color=INK).encode(x=x, y=y)
        borders = _borders(
            spans(names, self.groups) if self.groups else [], side, side * len(names), is_named=ends
        )
        writes = min(11, side // 2 - 2) if side >= _WRITTEN else 0
        return heat_map(tiles, sides, self.shades, writes=writes, more=[dashes, *borders], title=title)

    def _cell(self, key: str, a: str, b: str, row: Row, *, is_told: bool) -> dict[str, object]:
        """A cell's value, and what it says of itself; of many the value in hundredths alone, which few colors show."""
        if not is_told:
            return {"value": None if row["value"] is None else round(float(row["value"]), 2)}
        said = {"told": f"{self.labels[a]} and {self.labels[b]}: {told(row)}", "items": self.items(key, a, b)}
        return {name: row[name] for name in ("value", "low", "high")} | said | {"text": _short(row["value"])}


def runs_figure(found: SimilarityFindings) -> Any | None:
    """Models by languages: how alike each run is to its model's other languages, and to other models in its language.

    Two maps on one scale; of one model or one language there is one map, and None of fewer than three runs.
    """
    titles = ("the same model in its other languages", "other models in the same language")
    maps = [(title, held) for title, held in zip(titles, found.run_means(), strict=True) if held]
    known = [float(np.mean(values)) for _, held in maps for values in held.values()]
    if len(found.first) < 3 or not known:
        return None
    names = language_names(found.languages)
    across = [names[code] for code in ordered_languages(found.languages, {}, order="family")]
    side = max(16, min(46, 420 // len(across)))
    shades = Shades(
        min(known),
        max(known),
        legend=alt.Legend(title=f"mean {statistic_name(found.statistic)}", format=".2~f", gradientLength=200),
    )
    charts = []
    for title, held in maps:
        tiles = [
            {
                "down": model,
                "across": names[code],
                "value": (value := float(np.mean(values))),
                "text": _short(value),
                "told": f"{model}, {names[code]}: mean {cell(value)} of {counted(len(values), 'pair')}",
                "items": items_anchor(model=model, wrong=code),
            }
            for (model, code), values in sorted(held.items())
        ]
        sides = Sides(found.models, across, (side, 26), orient="top")
        charts.append(heat_map(tiles, sides, shades, writes=11 if side >= _WRITTEN else 0, title=title))
    return side_by_side(charts, 2 if len(across) <= _BESIDE else 1)


def languages_figure(
    found: SimilarityFindings, *, models: Sequence[str] = (), order: Order = "family"
) -> Any | None:
    """Language by language, a map a model, all in one order and one scale; None if no model has two languages.

    The order ``cluster`` looks at the first model.

    Raises:
        UnknownNameError: No such order.
    """
    every = {model: found.between_languages(model) for model in found.models}
    squares = {model: square for model in models or found.models if (square := every.get(model))}
    if not squares:
        return None
    codes = sorted({code for square in squares.values() for code in _names(square)})
    placed = ordered_languages(codes, next(iter(squares.values())), order=order)
    families = {code: family_of(code) for code in placed} if order == "family" else {}
    maps = _Maps(
        squares, placed, language_names(placed), families,
        lambda model, a, b: items_anchor(model=model, differs=(a, b)), _shades(found.statistic, every, squares),
    )  # fmt: skip
    return maps.figure({model: model for model in squares})


def models_figure(
    found: SimilarityFindings, *, languages: Sequence[str] = (), order: Order = "alphabet"
) -> Any | None:
    """Model by model, a map a language, all in one order and one scale; None if no language has two models.

    The order ``family`` takes the families of the study, ``cluster`` looks at the first language.

    Raises:
        UnknownNameError: No such order.
    """
    every = {language: found.between_models(language) for language in found.languages}
    squares = {code: square for code in languages or found.languages if (square := every.get(code))}
    if not squares:
        return None
    names = sorted({name for square in squares.values() for name in _names(square)})
    known = found.settings.families
    placed = ordered_models(names, next(iter(squares.values())), order=order, families=known)
    families = {name: known.get(name, "") for name in placed} if order == "family" and known else {}
    maps = _Maps(
        squares, placed, {name: name for name in placed}, families,
        lambda code, a, b: items_anchor(model=(a, b), wrong=code), _shades(found.statistic, every, squares),
    )  # fmt: skip
    return maps.figure(language_names(sorted(squares)))


def _shades(statistic: str, every: Mapping[str, Square], drawn: Mapping[str, Square]) -> Shades:
    """From the lowest to the highest value of all squares, so that maps that are drawn one by one can be compared."""
    held = [
        float(row["value"])
        for square in every.values()
        for row in square.values()
        if row["value"] is not None
    ]
    missing = any(row["value"] is None for square in drawn.values() for row in square.values())
    name = statistic_name(statistic) + (" (× undefined)" if missing else "")
    legend = alt.Legend(title=name, format=".2~f", gradientLength=200) if held else None
    return Shades(min(held, default=0.0), max(held, default=1.0), legend=legend)


def _names(square: Square) -> set[str]:
    return {name for key in square for name in key}


def told(row: Row) -> str:
    """A number in words: value, interval, items, and why it is missing or what was excluded."""
    items = f"{row['n']:,} items"
    if row["value"] is None:
        return f"undefined: {row['reason']} ({items})"
    left = f", {row['excluded']:,} excluded ({row['reason']})" if row["excluded"] else ""
    return f"{estimate_text(row)}, {items}{left}"


def _short(value: float | None) -> str:
    """``.42``, ``−.03``: what fits a cell."""
    text = "" if value is None else cell(value, "short")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _borders(held: Sequence[tuple[str, int, int]], side: int, whole: int, *, is_named: bool) -> list[Any]:
    """Lines between groups of neighbours, and, where a row of maps ends, their names."""
    if len(held) < 2:
        return []
    # One layer for all lines of a direction: a chart for each of 200 groups takes a minute to be put together.
    starts = chart_of([{"at": start * side} for _, start, _ in held[1:]])
    rules = starts.mark_rule(color=INK, strokeWidth=1.4)
    down, across = (place("at:Q", scale=None, axis=None) for place in (alt.Y, alt.X))
    lines = [
        rules.encode(x=alt.value(0), x2=alt.value(whole), y=down),
        rules.encode(y=alt.value(0), y2=alt.value(whole), x=across),
    ]
    if not is_named:
        return lines
    places = [{"name": group, "at": (start + end) * side / 2} for group, start, end in held]
    size = max(9, min(11, side - 2))
    names = chart_of(places).mark_text(align="left", fontSize=size, fontStyle="italic", color=INK)
    return [*lines, names.encode(x=alt.value(whole + 8), y=down, text="name:N")]
