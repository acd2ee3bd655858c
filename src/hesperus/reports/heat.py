"""Tiles of a map, coloured by their numbers: senses with senses, models with languages, changes of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from hesperus.analysis.table import Row
from hesperus.reports.theme import GRID, INK, SEQUENTIAL, chart_of


@dataclass(frozen=True, slots=True)
class Shades:
    """How numbers become colours.

    Attributes:
        low: What has the first colour.
        high: What has the last.
        legend: Its legend; None: it has none.
    """

    low: float = 0.0
    high: float = 1.0
    legend: Any = None

    @property
    def colour(self) -> Any:
        """The colour of ``value``."""
        domain = [self.low, self.high if self.high > self.low else self.low + 0.01]
        return alt.Color("value:Q", scale=alt.Scale(scheme=SEQUENTIAL, domain=domain), legend=self.legend)

    @property
    def ink(self) -> Any:
        """The colour of ``text`` on a tile, which gets darker with its value."""
        at = self.low + 0.55 * (self.high - self.low)
        return alt.condition(f"datum.value > {at}", alt.value("#ffffff"), alt.value("#000000"))


def share_legend() -> Any:
    """A legend in per cent."""
    return alt.Legend(format=".0%", title=None, gradientLength=200, tickCount=3)


@dataclass(frozen=True, slots=True)
class Sides:
    """What is at the sides of a map.

    Attributes:
        down: Names of the lines, from top to bottom.
        across: Names of the columns.
        side: Width and height of a tile in pixels.
        orient: Where the names of the columns are.
        text: Pixels of the names; 0 takes the default.
    """

    down: Sequence[str]
    across: Sequence[str]
    side: tuple[int, int]
    orient: Literal["top", "bottom"] = "bottom"
    text: int = 0

    @property
    def places(self) -> tuple[Any, Any]:
        """Encodings of ``across`` and ``down``."""
        size: dict[str, Any] = {"labelFontSize": self.text} if self.text else {}
        shared: dict[str, Any] = {
            "labelLimit": 200,
            "labelOverlap": False,
            "labelPadding": 5,
            "ticks": False,
            "domain": False,
            **size,
        }
        head = alt.Axis(labelAngle=-50, orient=self.orient, **shared)
        x = alt.X(
            "across:N",
            sort=list(self.across),
            title=None,
            axis=head,
            scale=alt.Scale(domain=list(self.across)),
        )
        y = alt.Y(
            "down:N",
            sort=list(self.down),
            title=None,
            axis=alt.Axis(**shared),
            scale=alt.Scale(domain=list(self.down)),
        )
        return x, y


def heat_map(
    rows: Sequence[Row],
    sides: Sides,
    shades: Shades,
    *,
    writes: int = 0,
    more: Sequence[Any] = (),
    title: str = "",
) -> Any:
    """Tiles by ``down`` and ``across``; those without a ``value`` are crossed out.

    Args:
        rows: With ``down``, ``across``, ``value``; if they are told, ``told`` (under the pointer) and ``items`` (where it
            leads); if they are written, ``text``.
        sides: What is at the sides.
        shades: How numbers become colours.
        writes: Pixels of the numbers on tiles; 0: there is no room for them.
        more: Further layers.
        title: Of the map.
    """
    x, y = sides.places
    known = [row for row in rows if row["value"] is not None]
    lost = [row for row in rows if row["value"] is None]
    said = {
        name: f"{column}:N"
        for name, column in (("href", "items"), ("description", "told"))
        if rows and column in rows[0]
    }
    layers = []
    if known:
        base = chart_of(known).encode(x=x, y=y)
        tile = base.mark_rect(aria="description" in said, stroke=GRID, strokeOpacity=0.3)
        layers.append(tile.encode(color=shades.colour, **said))
        if writes:
            layers.append(base.mark_text(fontSize=writes).encode(text="text:N", color=shades.ink))
    if lost:
        base = chart_of(lost).encode(x=x, y=y)
        told = {name: field for name, field in said.items() if name == "description"}
        clear = base.mark_rect(aria=bool(told), fill="#ffffff", fillOpacity=0, stroke=GRID, strokeOpacity=0.6)
        layers += [
            clear.encode(**told),
            base.mark_text(text="×", fontSize=max(9, sides.side[1] // 2), color=INK),
        ]
    heading = {"title": title} if title else {}
    width, height = (
        one * len(names) for one, names in zip(sides.side, (sides.across, sides.down), strict=True)
    )
    return alt.layer(*layers, *more).properties(width=width, height=height, **heading)
