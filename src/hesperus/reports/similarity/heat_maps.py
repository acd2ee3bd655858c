"""Heat maps of pairs: a model's languages with each other, models with each other in a language.

A cell shows its value if there is room, and says it with interval and items when pointed at. A pair without a value
is crossed out; the diagonal, a run with itself, is not measured and holds a dash, since grey print has every grey as a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from hesperus.analysis.families import family_of, spans
from hesperus.analysis.similarity.orders import (
    Order,
    language_names,
    ordered_languages,
    ordered_models,
)
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings, Square
from hesperus.analysis.table import Row
from hesperus.item_views.filter_address import items_anchor
from hesperus.reports.columns import statistic_name
from hesperus.reports.theme import GRID, INK, SEQUENTIAL, values
from hesperus.rounding import hundredths, interval

_ROOM = 820
"""Pixels of a map's side that its cells share, between the least and the most that a cell may take."""
_LEAST, _MOST, _MOST_OF_MANY = 12, 40, 30
"""Pixels of a cell; of several maps none is larger than the last."""
MOST_TOLD = 64
"""Names of a map whose cells say their numbers and lead to their items; of more the table has them."""
_WRITTEN = 23
"""Cells of so many pixels hold a value."""


@dataclass(frozen=True, slots=True)
class _Map:
    """One square.

    Attributes:
        title: What it is of; empty where that goes without saying.
        names: Keys of the square, in order.
        labels: Name to what is at the axes.
        square: The pairs.
        groups: Name to the group that it is in, or None if the order has none.
        items: Of two names the link to the items that are behind their pair.
    """

    title: str
    names: Sequence[str]
    labels: Mapping[str, str]
    square: Square
    groups: Mapping[str, str] | None
    items: Callable[[str, str], str]


def languages_figure(
    found: SimilarityFindings, *, models: Sequence[str] = (), order: Order = "family"
) -> Any | None:
    """Language by language, a map a model, all in one order and one scale; None if no model has two languages.

    Args:
        found: What was measured.
        models: Which; all where empty.
        order: Of the languages; ``cluster`` looks at the first model.

    Raises:
        UnknownNameError: No such order.
    """
    squares = {model: found.between_languages(model) for model in models or found.models}
    squares = {model: square for model, square in squares.items() if square}
    if not squares:
        return None
    codes = sorted({code for square in squares.values() for code in _names(square)})
    placed = ordered_languages(codes, next(iter(squares.values())), order=order)
    groups = {code: family_of(code) for code in placed} if order == "family" else None
    labels = language_names(placed)
    maps = [
        _Map(
            model if len(squares) > 1 else "",
            _held(placed, square),
            labels,
            square,
            groups,
            _differing(model),
        )
        for model, square in squares.items()
    ]
    return _maps(maps, found.statistic, _range(found.between_languages(model) for model in found.models))


def models_figure(
    found: SimilarityFindings, *, languages: Sequence[str] = (), order: Order = "alphabet"
) -> Any | None:
    """Model by model, a map a language, all in one order and one scale; None if no language has two models.

    Args:
        found: What was measured.
        languages: Which (sense codes); all where empty.
        order: Of the models; ``family`` takes the families of the study, ``cluster`` looks at the first language.

    Raises:
        UnknownNameError: No such order.
    """
    squares = {language: found.between_models(language) for language in languages or found.languages}
    squares = {language: square for language, square in squares.items() if square}
    if not squares:
        return None
    names = sorted({name for square in squares.values() for name in _names(square)})
    families = found.settings.families
    placed = ordered_models(names, next(iter(squares.values())), order=order, families=families)
    groups = {name: families.get(name, "") for name in placed} if order == "family" and families else None
    titles = language_names(sorted(squares))
    maps = [
        _Map(
            titles[language] if len(squares) > 1 else "",
            _held(placed, square),
            {name: name for name in placed},
            square,
            groups,
            _wrong(language),
        )
        for language, square in squares.items()
    ]
    return _maps(
        maps, found.statistic, _range(found.between_models(language) for language in found.languages)
    )


def _differing(model: str) -> Callable[[str, str], str]:
    return lambda a, b: items_anchor(model=model, differs=(a, b))


def _wrong(language: str) -> Callable[[str, str], str]:
    return lambda a, b: items_anchor(model=(a, b), wrong=language)


def _range(squares: Iterable[Square]) -> tuple[float, float] | None:
    """Lowest and highest value of all squares, so that maps that are drawn one by one can be compared."""
    held = [float(row["value"]) for square in squares for row in square.values() if row["value"] is not None]
    return (min(held), max(held)) if held else None


def _names(square: Square) -> set[str]:
    return {name for key in square for name in key}


def _held(placed: Sequence[str], square: Square) -> list[str]:
    present = _names(square)
    return [name for name in placed if name in present]


def told(row: Row) -> str:
    """A number in words: value, interval, items, and why it is missing or what was excluded."""
    items = f"{row['n']:,} items"
    if row["value"] is None:
        return f"undefined: {row['reason']} ({items})"
    low, high = (None if row[end] is None else float(row[end]) for end in ("low", "high"))
    text = interval(float(row["value"]), low, high)
    left = f", {row['excluded']:,} excluded ({row['reason']})" if row["excluded"] else ""
    return f"{text}, {items}{left}"


def _maps(maps: Sequence[_Map], statistic: str, held: tuple[float, float] | None) -> Any:
    low, high = held or (0.0, 1.0)
    most = _MOST if len(maps) == 1 else _MOST_OF_MANY
    side = min(most, max(_LEAST, _ROOM // max(len(one.names) for one in maps)))
    missing = any(row["value"] is None for one in maps for row in one.square.values())
    legend = statistic_name(statistic) + (" (× undefined)" if missing else "")
    colour = alt.Color(
        "value:Q",
        scale=alt.Scale(scheme=SEQUENTIAL, domain=[low, high if high > low else low + 0.01]),
        legend=alt.Legend(title=legend, format=".2~f", gradientLength=200) if held else None,
    )
    bright = low + 0.45 * (high - low)  # above it, black stands out more from viridis than white
    charts = [_chart(one, side, colour=colour, bright=bright, alone=len(maps) == 1) for one in maps]
    if len(charts) == 1:
        return charts[0]
    across = max(1, min(4, 1000 // (side * max(len(one.names) for one in maps) + 120)))
    return alt.concat(*charts, columns=across, spacing=24)


def _chart(one: _Map, side: int, *, colour: Any, bright: float, alone: bool) -> Any:
    labels = [one.labels[name] for name in one.names]
    size = max(9, min(12, side - 2))
    text = alt.Axis(labelFontSize=size, labelLimit=200, labelOverlap=False, ticks=False, domain=False)
    across = alt.Axis(
        labelFontSize=size, labelLimit=200, labelOverlap=False, ticks=False, domain=False,
        labelAngle=-60, orient="bottom",
    )  # fmt: skip
    x = alt.X("b:N", sort=labels, title=None, axis=across, scale=alt.Scale(domain=labels))
    y = alt.Y("a:N", sort=labels, title=None, axis=text, scale=alt.Scale(domain=labels))
    layers = [
        alt.Chart(values([{"a": label, "b": label} for label in labels]))
        .mark_text(text="–", fontSize=max(9, min(12, side - 2)), color=INK)
        .encode(x=x, y=y),
        *_tiles(one, side, colour=colour, bright=bright, places=(x, y)),
        *_borders(one, side, alone=alone),
    ]
    heading = {"title": one.title} if one.title else {}
    return alt.layer(*layers).properties(width=side * len(labels), height=side * len(labels), **heading)


def _tiles(one: _Map, side: int, *, colour: Any, bright: float, places: tuple[Any, Any]) -> list[Any]:
    """The cells that have a value, with it if there is room; crosses if absent."""
    x, y = places
    is_told = len(one.names) <= MOST_TOLD
    rows = [
        {
            "a": one.labels[a],
            "b": one.labels[b],
            **_in_words(one, a, b, row, is_told=is_told),
        }
        for (a, b), row in sorted(one.square.items())
    ]
    known = [row for row in rows if row["value"] is not None]
    lost = [row for row in rows if row["value"] is None]
    layers = []
    if known:
        base = alt.Chart(values(known)).encode(x=x, y=y)
        tiles = base.mark_rect(aria=is_told, stroke=GRID, strokeOpacity=0.3).encode(color=colour)
        layers.append(tiles.encode(href="items:N", description="told:N") if is_told else tiles)
        if side >= _WRITTEN:
            ink = alt.condition(f"datum.value > {bright}", alt.value("#000000"), alt.value("#ffffff"))
            layers.append(base.mark_text(fontSize=min(11, side // 2 - 2)).encode(text="text:N", color=ink))
    if lost:
        base = alt.Chart(values(lost)).encode(x=x, y=y)
        clear = base.mark_rect(aria=is_told, fill="#ffffff", fillOpacity=0, stroke=GRID, strokeOpacity=0.6)
        layers.append(clear.encode(description="told:N") if is_told else clear)
        layers.append(base.mark_text(text="×", fontSize=max(9, side // 2), color=INK))
    return layers


def _in_words(one: _Map, a: str, b: str, row: Row, *, is_told: bool) -> dict[str, object]:
    """A cell's value, and what it says of itself; of many the value in hundredths alone, which few colors show."""
    if not is_told:
        return {"value": None if row["value"] is None else round(float(row["value"]), 2)}
    words = {"told": f"{one.labels[a]} and {one.labels[b]}: {told(row)}", "items": one.items(a, b)}
    return {name: row[name] for name in ("value", "low", "high")} | words | {"text": _short(row["value"])}


def _short(value: float | None) -> str:
    """``.42``, ``−.03``: what fits a cell."""
    text = "" if value is None else hundredths(value)
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _borders(one: _Map, side: int, *, alone: bool) -> list[Any]:
    """Lines between groups of neighbours, and their names next to the map where it is the only one."""
    if one.groups is None:
        return []
    held = spans(one.names, one.groups)
    if len(held) < 2:
        return []
    whole = side * len(one.names)
    # One layer for all lines of a direction: a chart for each of 200 groups takes a minute to be put together.
    rules = alt.Chart(values([{"at": start * side} for _, start, _ in held[1:]])).mark_rule(
        color=INK, strokeWidth=1.4
    )
    lines = [
        rules.encode(x=alt.value(0), x2=alt.value(whole), y=alt.Y("at:Q", scale=None, axis=None)),
        rules.encode(y=alt.value(0), y2=alt.value(whole), x=alt.X("at:Q", scale=None, axis=None)),
    ]
    if not alone:
        return lines
    places = [{"name": group, "at": (start + end) * side / 2} for group, start, end in held]
    names = (
        alt.Chart(values(places))
        .mark_text(align="left", fontSize=max(9, min(11, side - 2)), fontStyle="italic", color=INK)
        .encode(x=alt.value(whole + 8), y=alt.Y("at:Q", scale=None, axis=None), text="name:N")
    )
    return [*lines, names]
