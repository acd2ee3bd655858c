"""Points with intervals, one line a name: the mark of most figures, from consistency by language to bounds of an estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from hesperus.analysis.families import spans
from hesperus.analysis.table import Row
from hesperus.reports.theme import COLOURS, INK, NEUTRAL, SHAPES, SHARE, WIDTH, chart_of

_STEP = 26
"""Pixels of a line."""
MOST_LINES = 250
"""Names down a figure: nobody reads more, and the drawing library fails at thousands; the tables have them."""
_WIDTHS = {1: WIDTH, 2: 330, 3: 250, 4: 200}
"""Pixels of a panel by the number of panels in a row."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points that look alike, and their intervals.

    Attributes:
        name: What the legend calls them.
        colour: Of points and, if `bar_colour` is empty, of intervals.
        shape: A shape of Vega.
        size: Pixels of a point's area.
        bar: Width of an interval.
        bar_colour: Its colour.
        opacity: Its opacity.
        is_filled: Whether points are filled; an upright stroke cannot be.
    """

    name: str
    colour: str = COLOURS[0]
    shape: str = SHAPES[0]
    size: int = 58
    bar: float = 1.6
    bar_colour: str = ""
    opacity: float = 1.0
    is_filled: bool = True


def series_of(names: Sequence[str]) -> tuple[Series, ...]:
    """Names with the colours and shapes of the palette."""
    return tuple(map(Series, names, COLOURS, SHAPES))


def point(row: Row, panel: str, line: str, **more: object) -> dict[str, Any]:
    """Value and interval of a row with its place and, where given, ``of``, ``label`` and ``told``, as points_figure takes them."""
    return {"panel": panel, "line": line, **more, **{name: row[name] for name in ("value", "low", "high")}}


def _numbers(rows: Sequence[Row]) -> list[float]:
    """All values and ends of intervals."""
    return [float(row[name]) for row in rows for name in ("value", "low", "high") if row[name] is not None]


def share_axis(rows: Sequence[Row], title: str) -> Any:
    """An axis in per cent: from 0, or from the last tenth below everything where nothing lies low."""
    lowest = min(_numbers(rows), default=1.0)
    # Where everything is at 1 the axis still has a length.
    scale = alt.Scale(domain=[0 if lowest < 0.4 else min(int(lowest * 10) / 10, 0.9), 1], nice=False)
    return alt.X("value:Q", scale=scale, axis=SHARE, title=title)


def wide_axis(rows: Sequence[Row], title: str) -> Any:
    """An axis in per cent that holds 0, a tenth, and all that is drawn."""
    scale = alt.Scale(domain=[min([0.0, *_numbers(rows)]), max([0.1, *_numbers(rows)])])
    return alt.X("value:Q", scale=scale, axis=SHARE, title=title)


def zero_axis(rows: Sequence[Row], title: str, *, least: float) -> Any:
    """An axis around 0 that shows at least so much, so that nothing looks large next to nothing."""
    low, high = min([0.0, *_numbers(rows)]), max([0.0, *_numbers(rows)])
    short = max(0.0, least - (high - low)) / 2
    low, high = low - short, high + short
    room = 0.06 * (high - low)
    scale = alt.Scale(domain=[low - room, high + room], nice=False)
    return alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=7, labelFlush=False))


def panel_titles(rows: Iterable[Mapping[str, Any]]) -> Callable[[Mapping[str, Any]], str]:
    """What a panel of a row is called: its model, with the task where the rows have several."""
    several = len({row["task"] for row in rows}) > 1
    return lambda row: f"{row['model']}, {row['task']}" if several else str(row["model"])


def by_mean(rows: Sequence[Mapping[str, Any]], name: str = "line") -> list[str]:
    """Values of a column, the one with the highest mean first; ties by name."""
    sums: dict[str, list[float]] = {}
    for row in rows:
        sums.setdefault(str(row[name]), []).append(float(row["value"]))
    return sorted(sums, key=lambda value: (-sum(sums[value]) / len(sums[value]), value))


@dataclass(frozen=True, slots=True)
class PointsLayout:
    """How points are laid out.

    Attributes:
        across: Panels in a row, with the same lines; in one column, each has its own.
        is_apart: Whether the series of a line are below each other.
        has_zero: Whether there is a line at 0.
        rules: Panel to where it has a dashed line, and what that is called.
        groups: Line to the group that it is in, which is named at the right; empty: no line is in a group.
        missing: Names without a value, listed below.
    """

    across: int = 1
    is_apart: bool = False
    has_zero: bool = False
    rules: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()


def points_figure(
    rows: Sequence[Row],
    series: Sequence[Series],
    x: Any,
    *,
    order: Sequence[str] = (),
    layout: PointsLayout | None = None,
) -> Any | None:
    """Points with intervals, a panel a value of ``panel``; None if there is no point, or more lines than MOST_LINES.

    Args:
        rows: With ``panel``, ``line``, ``value``, ``low`` and ``high`` (None draws nothing); of several series ``of``, the name
            of its own; and, if wanted, ``label`` (above the point) and ``told`` (under the pointer).
        series: What colour and shape tell apart, the first on top; one needs no legend.
        x: The axis of ``value``.
        order: Lines from top to bottom; as they come where empty.
        layout: How they are laid out; None takes the defaults.
    """  # fmt: skip
    layout = layout or PointsLayout()
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    if not panels:
        return None
    lines = list(dict.fromkeys([*order, *(str(row["line"]) for row in rows)]))
    if len(lines) > MOST_LINES:
        return None
    across = min(layout.across, len(panels))
    look = _look([one for one in series if any(row["value"] is not None for row in _of(one, rows))])
    charts = []
    for place, panel in enumerate(panels):
        held = [row for row in rows if row["panel"] == panel]
        present = {row["line"] for row in (rows if across > 1 else held)}
        drawn = _Panel(held, [line for line in lines if line in present], series, x, look, layout)
        layers = drawn.layers(panel, is_first=place % across == 0, is_last=place % across == across - 1)
        heading = {"title": panel} if len(panels) > 1 else {}
        charts.append(alt.layer(*layers).properties(width=_WIDTHS[across], height=drawn.height, **heading))
    chart = side_by_side(charts, across)
    return noted(chart, f"× undefined: {', '.join(layout.missing)}") if layout.missing else chart


def side_by_side(charts: Sequence[Any], across: int = 1) -> Any:
    """Panels in rows of so many; a single one is the figure itself."""
    if len(charts) == 1:
        return charts[0]
    return alt.concat(*charts, columns=across, spacing=18 if across == 1 else 14)


def panelled(
    rows: Sequence[Row], draw: Callable[[list[Row], dict[str, str]], Any], across: int = 1
) -> Any | None:
    """A chart a value of ``panel``, each drawn from its rows with its title, if there are several; None without rows."""
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    charts = [
        draw([row for row in rows if row["panel"] == panel], {"title": panel} if len(panels) > 1 else {})
        for panel in panels
    ]
    return side_by_side(charts, across) if charts else None


def noted(chart: Any, text: str) -> Any:
    """A figure with a remark below."""
    title = alt.TitleParams(text, fontWeight="normal", fontSize=11, color=INK, orient="bottom")
    return chart.properties(title=title)


def _of(series: Series, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.get("of", series.name) == series.name]


def _look(series: Sequence[Series]) -> dict[str, Any]:
    """Colour and shape by series, with a legend; empty for one, which looks as it is."""
    if len(series) < 2:
        return {}
    names = [one.name for one in series]
    legend = alt.Legend(
        title=None,
        columns=2 if max(map(len, names)) > 24 else 3,
        labelLimit=460,
        symbolStrokeWidth=0 if all(one.is_filled for one in series) else 2,
    )
    colours = alt.Scale(domain=names, range=[one.colour for one in series])
    shapes = alt.Scale(domain=names, range=[one.shape for one in series])
    return {
        "color": alt.Color("of:N", scale=colours, legend=legend),
        "shape": alt.Shape("of:N", scale=shapes, legend=legend),
    }


@dataclass(frozen=True, slots=True)
class _Panel:
    """One panel: its rows, and its lines from top to bottom."""

    rows: Sequence[Row]
    lines: Sequence[str]
    series: Sequence[Series]
    x: Any
    look: Mapping[str, Any]
    layout: PointsLayout

    @property
    def is_apart(self) -> bool:
        """Whether the series of a line are below each other."""
        return self.layout.is_apart and len(self.series) > 1

    @property
    def height(self) -> Any:
        """Pixels; of series below each other, pixels of a line."""
        if self.is_apart:
            return alt.Step(max(18, 11 * len(self.series) + 4), **{"for": "position"})
        return _STEP * len(self.lines)

    def layers(self, panel: str, *, is_first: bool, is_last: bool) -> list[Any]:
        """What is drawn, from the ground up: lines, intervals, points, labels."""
        axis = alt.Axis(grid=True, labels=is_first, ticks=is_first, domain=is_first)
        lines = list(self.lines)
        y = alt.Y("line:N", sort=lines, title=None, axis=axis, scale=alt.Scale(domain=lines))
        layers = [*self._intervals(y), *self._points(y)]
        labelled = [row for row in self.rows if row.get("label")]
        if labelled:
            # Above its point a label meets no line of the same row.
            text = chart_of(labelled).mark_text(fontSize=10, dy=-9, color=INK)
            layers.append(text.encode(x=self.x, y=y, text="label:N"))
        if self.layout.has_zero:
            zero = chart_of([{"zero": 0}]).mark_rule(color=INK, strokeWidth=1.1)
            layers.insert(0, zero.encode(x="zero:Q"))
        if panel in self.layout.rules:
            layers += self._rule(*self.layout.rules[panel])
        return [*layers, *self._groups(is_named=is_last)]

    def _place(self, y: Any) -> dict[str, Any]:
        if not self.is_apart:
            return {"y": y}
        names = [one.name for one in self.series]
        offset = alt.YOffset("of:N", sort=names, scale=alt.Scale(domain=names, paddingOuter=0.35))
        return {"y": y, "yOffset": offset}

    def _intervals(self, y: Any) -> Iterator[Any]:
        for one in reversed(self.series):
            ranged = [row for row in _of(one, self.rows) if None not in (row["low"], row["high"])]
            if ranged:
                colour = one.bar_colour or one.colour
                bar = chart_of(ranged).mark_rule(strokeWidth=one.bar, color=colour, opacity=one.opacity)
                low = self.x.copy()
                low.shorthand = "low:Q"
                yield bar.encode(x=low, x2="high:Q", **self._place(y))

    def _points(self, y: Any) -> Iterator[Any]:
        for one in reversed(self.series):
            known = [row for row in _of(one, self.rows) if row["value"] is not None]
            if known:
                told = {"description": "told:N"} if "told" in known[0] else {}
                point = chart_of(known).mark_point(
                    filled=one.is_filled, opacity=1, size=one.size, shape=one.shape, color=one.colour,
                    strokeWidth=0 if one.is_filled else 2.2, aria=bool(told),
                )  # fmt: skip
                yield point.encode(x=self.x, **self._place(y), **self.look, **told)

    def _rule(self, at: float, name: str) -> list[Any]:
        """A dashed line with its name at the foot."""
        rule = chart_of([{"value": at, "name": name}]).encode(x=self.x)
        text = rule.mark_text(fontSize=10, align="right", dx=-4, color=NEUTRAL)
        return [
            rule.mark_rule(strokeDash=[4, 3], color=NEUTRAL, strokeWidth=1.4),
            text.encode(y=alt.value(_STEP * len(self.lines) - 6), text="name:N"),
        ]

    def _groups(self, *, is_named: bool) -> Iterator[Any]:
        """Lines between groups, and their names at the right."""
        found = spans(self.lines, self.layout.groups) if self.layout.groups else []
        if len(found) < 2:
            return
        right = alt.value("width")
        borders = chart_of([{"at": start * _STEP} for _, start, _ in found[1:]])
        border = borders.mark_rule(color=INK, strokeWidth=0.8, opacity=0.55)
        place = alt.Y("at:Q", scale=None, axis=None)
        yield border.encode(x=alt.value(0), x2=right, y=place)
        if is_named:
            middles = [{"name": name, "at": (start + end) * _STEP / 2} for name, start, end in found]
            text = chart_of(middles).mark_text(
                align="left", dx=10, fontSize=11, fontStyle="italic", color=INK
            )
            yield text.encode(x=right, y=place, text="name:N")
