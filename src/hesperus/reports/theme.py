"""How figures look, and how a chart becomes a file.

Colours are told apart with every common colour blindness and are seen on white and on near black (after Okabe and
Ito 2008, the light ones darkened); where colour carries meaning, a shape or a label carries it as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any, Final, Literal

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode

from hesperus.errors import UnknownNameError
from hesperus.item_views.markup import FONTS, font_faces
from hesperus.reports.lean_svg import lean
from hesperus.untrusted import visible

FigureFormat = Literal["svg", "png", "pdf"]
FIGURE_FORMATS: tuple[FigureFormat, ...] = ("svg", "png", "pdf")

INK = "#23272e"
GRID = "#8b8f98"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b5558b", "#8a7000", "#6a5acd")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
NEUTRAL = "#7d848d"
FONT = "Hesperus Sans, Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is measured by its own file and travels with every page and SVG, so that labels fit on any machine."""

WIDTH = 430
"""Pixels of a panel without its labels."""

SEQUENTIAL: Final = "blues"
"""Colours of a number: one hue, from light to dark, also in grey and for every colour blindness."""

DASHES = ([1, 0], [5, 3], [1.5, 2.5], [8, 3, 1.5, 3], [3, 1.5], [10, 3])
"""Dashes of lines, beside their colours, which grey print makes alike."""

SHARE = alt.Axis(format=".2~%", tickCount=6, labelFlush=False)
"""An axis of shares."""

_VEGA_LITE = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])

_CONFIG: dict[str, Any] = {
    "font": FONT,
    "background": None,
    "aria": False,
    "padding": 6,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK, "titleColor": INK, "domainColor": GRID, "tickColor": GRID, "gridColor": GRID,
        "gridOpacity": 0.25, "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal",
        "labelLimit": 260, "titlePadding": 8,
    },
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 14, "labelFontWeight": "bold",
               "labelLimit": 420, "titleFontSize": 13},
    "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12,
               "titleFontWeight": "normal", "orient": "top", "columns": 3, "labelLimit": 220, "symbolSize": 90,
               "symbolStrokeWidth": 0},
    "title": {"color": INK, "anchor": "start", "frame": "group", "fontSize": 14},
    "text": {"color": INK, "fontSize": 12},
}  # fmt: skip


@cache
def _make_fonts_known() -> None:
    vl_convert.register_font_directory(str(FONTS))


class _Rows(alt.InlineData):
    """Rows that nothing changes: every step that makes a chart copies all of it, and would copy 40,000 cells as often."""

    def __deepcopy__(self, *memo: object) -> _Rows:
        return self


class _Chart(alt.Chart):
    """A chart whose copies share what it was given, which nothing changes: a page of figures makes thousands of them.

    Altair copies every layer with all that it holds when layers are put together, and again when panels are.
    """

    def __deepcopy__(self, *memo: object) -> _Chart:
        copied: _Chart = self.copy(deep=False)
        return copied

    def encode(self, *args: Any, **channels: Any) -> _Chart:
        """As altair does, which looks through its whole schema for the class of a channel that is given by a word."""
        found: _Chart = super().encode(
            *args, **{name: _channel(name, given) for name, given in channels.items()}
        )
        return found


def _channel(name: str, given: Any) -> Any:
    kind = name[0].upper() + name[1:]
    if isinstance(given, str):
        return getattr(alt, kind)(given)
    if isinstance(given, dict) and given.keys() == {"value"}:
        return getattr(alt, f"{kind}Value")(given["value"])
    return given


@contextmanager
def unchecked() -> Iterator[None]:
    """Charts are put together without holding each part of them to the schema of their language: a test does that to all."""
    with debug_mode(False):
        yield


def chart_of(rows: Sequence[Mapping[str, object]]) -> Any:
    """A chart, still without marks, of rows as its own data."""
    # Checked by the schema, 40,000 cells of a map would take longer than all that is measured of them.
    with unchecked():
        return _Chart(_Rows(values=[dict(row) for row in rows]))


def specification(chart: Any) -> str:
    """The chart as canonical JSON; charts here are not named or interactive, so altair counts nothing up in them."""
    found = _shown(chart.to_dict(validate=False))
    found["config"] = _CONFIG
    return json.dumps(found, ensure_ascii=False, sort_keys=True)


def _shown(value: Any) -> Any:
    """Names and labels come from strangers: what would command or reorder is written as its code."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): _shown(inner) for key, inner in value.items()}
    return [_shown(inner) for inner in value] if isinstance(value, list) else value


def render(chart: Any, format: FigureFormat = "svg") -> bytes:
    """Draw a chart without a browser or a network; the same chart gives the same bytes, but as PDF.

    The PDF writer keeps fonts and resources in no order: the picture is the same, the bytes may not be.

    Args:
        chart: An altair chart.
        format: ``svg``, ``png`` (white ground, 144 pixels an inch) or ``pdf``.

    Raises:
        UnknownNameError: No such format.
    """
    spec = specification(chart)
    _make_fonts_known()
    if format == "svg":
        drawn = _svg(spec, "part-")
        start = drawn.index(">", drawn.index("<svg")) + 1
        return f"{drawn[:start]}<style>{font_faces()}</style>{drawn[start:]}".encode()
    if format == "png":
        return vl_convert.vegalite_to_png(
            spec, vl_version=_VEGA_LITE, ppi=144, config={"background": "white"}, allowed_base_urls=[]
        )
    if format == "pdf":
        return vl_convert.vegalite_to_pdf(spec, vl_version=_VEGA_LITE, allowed_base_urls=[])
    raise UnknownNameError("figure format", str(format), FIGURE_FORMATS)


def _svg(spec: str, prefix: str) -> str:
    return _numbered(_drawn(spec), prefix)


@lru_cache(maxsize=64)
def _drawn(spec: str) -> str:
    """The drawing of a specification, made once for a page and for its figures as files."""
    _make_fonts_known()
    drawn = vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=[])
    return lean(_led(_told(drawn)))


_LINK = re.compile(r'<a xlink:href="[^"]*?#items\?([^"]*)">')


def _led(svg: str) -> str:
    """The link of a mark becomes an attribute, which a page's script follows; a picture alone leads nowhere."""
    return _LINK.sub(r'<g data-leads="\1">', svg).replace("</a>", "</g>")


_DESCRIBED = re.compile(
    r'<(\w+) aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="[^"]*"([^>]*?)/>'
)


_ROLE = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')


def _told(svg: str) -> str:
    """What a mark says of itself becomes its title, which a browser shows under the pointer without a script.

    Other roles go: the figure has a name and its table the numbers, and a group without a name tells nobody anything.
    """
    return _ROLE.sub("", _DESCRIBED.sub(r"<\1\3><title>\2</title></\1>", svg))


_DEFINED = re.compile(r'\bid="([^"]+)"')
_USED = re.compile(r'(\bid="|url\(#|href="#)([^")]+)')


def _numbered(svg: str, prefix: str) -> str:
    """Number the ids within the drawing: the renderer counts them up as long as its process lives."""
    names = {
        name: f"{prefix}{number}" for number, name in enumerate(dict.fromkeys(_DEFINED.findall(svg)), start=1)
    }
    return _USED.sub(lambda found: found[1] + names.get(found[2], found[2]), svg)


def inline_svg(chart: Any, name: str) -> str:
    """SVG for a page: takes the page's ink, and its ids carry the figure's name so that figures do not clash."""
    svg = _svg(specification(chart), f"{name}-")
    for attribute in ("fill", "stroke"):
        svg = svg.replace(f'{attribute}="{INK}"', f'{attribute}="currentColor"')
    return svg[svg.index("<svg") :]
