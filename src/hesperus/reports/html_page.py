"""A page as one HTML file that needs no network and no other file, and is whole without its script.

The script sorts, filters and saves what the page shows (templates/page.js); the page's policy names its hash, so that no
other script can run.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from hesperus.item_views.markup import environment, style
from hesperus.packed_text import packed
from hesperus.reports.blocks import Block, Items, Page, note
from hesperus.reports.drawing import Drawing
from hesperus.reports.grid import Grid
from hesperus.reports.item_links import ItemLinks, totals_by_model
from hesperus.reports.item_questions import packed_questions
from hesperus.reports.theme import inline_svg
from hesperus.untrusted import shortened, visible
from hesperus.version import __version__

_LONGEST = 1200
"""Characters of a text in an example."""

_MOST_ROWS = 400
"""Rows of a table that stand in a large page as they are; the others of a longer one are packed."""
_MOST_HELD = 2_500
"""Rows of a table that a page holds at all: a table of every pair of 200 languages would be most of it."""
_LARGE = 2_300_000
"""Bytes from which on a page packs rows, so that with what it claims it stays below 3 MB."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure."""

    id: str
    svg: Markup
    caption: str
    alt: str
    width: int
    wide: bool = False


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page that a notebook shows, in a frame of its own that can reach nothing of the notebook."""

    page: Page

    def __str__(self) -> str:
        return html(self.page)

    def _repr_html_(self) -> str:
        title = visible(self.page.title)
        return (
            f'<iframe title="{escape(title)}" srcdoc="{escape(str(self))}" sandbox="allow-scripts allow-downloads" '
            'style="width:100%;height:85vh;min-height:30rem;border:0"></iframe>'
        )


def html(page: Page, *, drawn: bool = True) -> str:
    """The page as text; the same blocks give the same text. Every text in it is escaped.

    Args:
        page: What it shows.
        drawn: Whether its figures are drawn, which takes most of the time; if not, each is its caption alone.
    """
    script = _beside("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    shown = {
        "css": Markup(style() + _beside("report.css")),
        "script": Markup(script),
        "digest": digest,
        "version": __version__,
    }
    text, figures = "", _Figures(drawn)
    for rows in (sys.maxsize, _MOST_ROWS):
        made = _environment(partial(_kinds, links=_links(page), named=page.named, figures=figures), rows)
        text = made.get_template("page.html.j2").render(page=page, **shown)
        if len(text.encode()) < _LARGE:
            break
    return text


def _links(page: Page) -> ItemLinks | None:
    items = next((block for block in page.every() if isinstance(block, Items)), None)
    return None if items is None else ItemLinks.of(items)


@dataclass(frozen=True, slots=True)
class ShownGrid:
    """A table as it is shown.

    Attributes:
        grid: The table, with the rows that the page holds.
        total: Rows that the table has.
        leads: For each row the filter that most of its numbers lead to, and that of each cell (see ItemLinks); empty where
            it leads nowhere.
    """

    grid: Grid
    total: int
    leads: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, grid: Grid, links: ItemLinks | None, named: Collection[str]) -> ShownGrid:
        """A table without its constant columns, which still say what a row is about."""
        kept = grid.varying
        rows = grid.rows[:_MOST_HELD]
        found = (links.of_row(grid.columns, row) if links else ("",) * len(row) for row in rows)
        cells = (tuple(row[place] for place in kept) for row in found)
        told = grid.told_once(named)
        shown = replace(told, rows=told.rows[:_MOST_HELD])
        return cls(shown, len(grid.rows), tuple((_most(row), row) for row in cells))


def _most(leads: tuple[str, ...]) -> str:
    """What most cells of a row lead to, if any."""
    counts = Counter(filter(None, leads)).most_common(1)
    return counts[0][0] if counts else ""


class _Figures(dict[str, Figure]):
    """The figures of a page by name, each drawn once."""

    def __init__(self, drawn: bool) -> None:
        super().__init__()
        self._drawn = drawn

    def of(self, drawing: Drawing) -> Figure:
        if drawing.name not in self:
            self[drawing.name] = _figure(drawing, drawn=self._drawn)
        return self[drawing.name]


def _figure(drawing: Drawing, *, drawn: bool) -> Figure:
    # The renderer escapes every text that it draws; a test feeds it markup
    svg = Markup(inline_svg(drawing.chart, drawing.name) if drawn else "")
    alt = f"Figure: {drawing.caption}"
    alt += f" The table on {drawing.table} has the numbers." if drawing.table else ""
    width = re.match(r'<svg [^>]*?\bwidth="([0-9.]+)', svg)
    return Figure(
        f"figure-{drawing.name}",
        svg,
        drawing.caption,
        alt,
        round(float(width[1])) if width else 0,
        drawing.wide,
    )


def _kinds(
    blocks: Iterable[Block],
    links: ItemLinks | None,
    named: Collection[str],
    figures: _Figures,
) -> Iterator[tuple[str, object]]:
    """Blocks with their kinds, by which the template chooses how to show them; drawings are drawn."""
    for block in blocks:
        shown: object = block
        if isinstance(block, Drawing):
            shown = figures.of(block)
        elif isinstance(block, Grid):
            told = ShownGrid.of(block, links, named)
            shown = note(told.grid.caption) if told.grid.is_told else told
        yield type(shown).__name__, shown


def _environment(kinds: Callable[..., Iterator[tuple[str, object]]], most_rows: int) -> Environment:
    made = environment(PackageLoader("hesperus.reports", "templates"))
    made.filters["shortened"] = lambda text, length=_LONGEST: shortened(text, length)
    made.filters["kinds"] = kinds
    made.filters["packed"] = packed
    made.globals["most_rows"] = most_rows
    made.filters["packed_questions"] = lambda items: packed_questions(made, items.questions)
    made.filters["totals"] = lambda items: json.dumps(dict(totals_by_model(items)))
    return made


def _beside(name: str) -> str:
    loader = PackageLoader("hesperus.reports", "templates")
    return loader.get_source(Environment(autoescape=True), name)[0]
