"""Densities of the similarity of pairs: within models, and between models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from hesperus.analysis.similarity.curves import density
from hesperus.analysis.similarity.measured import BETWEEN, BETWEEN_OF, WITHIN
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings
from hesperus.analysis.table import Row
from hesperus.reports.columns import statistic_name
from hesperus.reports.similarity.heat_maps import told
from hesperus.reports.theme import COLOURS, DASHES, WIDTH, chart_of
from hesperus.rounding import cell
from hesperus.wording import counted, sense_label

_MOST_TICKS = 1000
"""Pairs of a kind whose ticks say their numbers; the table has those of more."""
_KINDS = ("within a model, two languages", "between models, one language")


def densities_figure(found: SimilarityFindings, *, models: Sequence[str] = ()) -> Any | None:
    """Densities of the values of pairs, a tick a pair, a line at the mean; None if no pair has a value.

    Of models that are named each has a panel: its own pairs against its pairs with others.
    """
    panels = {model: _pairs(found, model) for model in models} if models else {"": _pairs(found, None)}
    panels = {title: kinds for title, kinds in panels.items() if any(kinds.values())}
    if not panels:
        return None
    held = np.array([_value(row) for kinds in panels.values() for rows in kinds.values() for row, _ in rows])
    room = 0.06 * (held.max() - held.min() or 0.1)
    domain = (float(held.min() - room), float(held.max() + room))
    charts = [
        _panel(found, title, kinds, domain=domain, alone=len(panels) == 1) for title, kinds in panels.items()
    ]
    if len(charts) == 1:
        return charts[0]
    # Each legend says how many pairs its own panel has.
    return alt.concat(*charts, columns=3, spacing=22).resolve_scale(
        color="independent", strokeDash="independent"
    )


_Named = tuple[Row, str]


def _pairs(found: SimilarityFindings, model: str | None) -> dict[str, list[_Named]]:
    """Pairs with a value by kind, each with its name."""
    kinds: dict[str, list[_Named]] = {kind: [] for kind in _KINDS}
    for a, b, row in found.pairs():
        if row["value"] is None or (model is not None and model not in (a.model, b.model)):
            continue
        if a.model == b.model:
            kinds[_KINDS[0]].append((row, f"{a.model}: {sense_label(a.input)} and {sense_label(b.input)}"))
        else:
            kinds[_KINDS[1]].append((row, f"{a.model} and {b.model}: {sense_label(a.input)}"))
    return kinds


def _value(row: Row) -> float:
    return float(row["value"])


def _panel(
    found: SimilarityFindings,
    title: str,
    kinds: Mapping[str, Sequence[_Named]],
    *,
    domain: tuple[float, float],
    alone: bool,
) -> Any:
    names = {
        kind: f"{kind} ({len(rows):,} pair{'' if len(rows) == 1 else 's'})" for kind, rows in kinds.items()
    }
    shown = [kind for kind in _KINDS if kinds[kind]]
    curves, ticks, means = [], [], []
    for lane, kind in enumerate(shown):
        rows = kinds[kind]
        at = np.array([_value(row) for row, _ in rows])
        curves += [{"kind": names[kind], "at": x, "density": y} for x, y in density(at, domain)]
        ticks += [{"kind": names[kind], "lane": 7 + 10 * lane, **tick} for tick in _ticks(rows, at, domain)]
        mean = _mean(found, title, kind, at)
        means.append({"kind": names[kind], "at": mean, "told": f"mean {kind}: {cell(mean)}"})
    lanes = [names[kind] for kind in shown]
    hues = [COLOURS[_KINDS.index(kind)] for kind in shown]
    dashes = [DASHES[_KINDS.index(kind)] for kind in shown]
    legend = alt.Legend(
        title=None, columns=1, symbolType="stroke", symbolStrokeWidth=2.5, symbolSize=320, labelLimit=380
    )
    colour = alt.Color("kind:N", scale=alt.Scale(domain=lanes, range=hues), legend=legend)
    dash = alt.StrokeDash("kind:N", scale=alt.Scale(domain=lanes, range=dashes), legend=legend)
    scale = alt.Scale(domain=list(domain), nice=False)
    x = alt.X("at:Q", title=statistic_name(found.statistic), scale=scale)
    y = alt.Y("density:Q", title="density", axis=alt.Axis(labels=False, ticks=False, grid=False), stack=None)
    layers = []
    for name, hue in zip(lanes, hues, strict=True):
        own = [row for row in curves if row["kind"] == name]
        if own:
            layers.append(chart_of(own).mark_area(opacity=0.14, color=hue).encode(x=x, y=y))
    if curves:
        line = chart_of(curves).mark_line(strokeWidth=2.2)
        layers.append(line.encode(x=x, y=y, color=colour, strokeDash=dash))
    rule = chart_of(means).mark_rule(strokeWidth=1.6, aria=True)
    layers.append(rule.encode(x=x, color=colour, strokeDash=dash, description="told:N"))
    width = WIDTH if alone else 265
    top = alt.layer(*layers).properties(width=width, height=150 if curves else 30)
    rug = chart_of(ticks).mark_tick(thickness=1.4, size=8, opacity=0.75, aria=True)
    under = rug.encode(
        x=alt.X("at:Q", axis=None, scale=scale),
        y=alt.Y("lane:Q", scale=None, axis=None),
        color=colour,
        description="told:N",
    ).properties(width=width, height=10 * len(shown) + 6)
    heading = {"title": title} if title else {}
    return alt.vconcat(top, under, spacing=4, **heading)


def _ticks(rows: Sequence[_Named], at: Any, domain: tuple[float, float]) -> Iterator[dict[str, object]]:
    """A tick a pair; of more pairs than there are places for ticks one a place, which represents many."""
    if len(rows) <= _MOST_TICKS:
        yield from ({"at": _value(row), "told": f"{name}: {told(row)}"} for row, name in rows)
        return
    places, counts = np.unique(
        np.round((at - domain[0]) / (domain[1] - domain[0]) * WIDTH), return_counts=True
    )
    for place, count in zip(places.tolist(), counts.tolist(), strict=True):
        yield {"at": domain[0] + place / WIDTH * (domain[1] - domain[0]), "told": counted(count, "pair")}


def _mean(found: SimilarityFindings, model: str, kind: str, at: Any) -> float:
    """The mean as the table of designs has it."""
    design = WITHIN if kind == _KINDS[0] else BETWEEN_OF if model else BETWEEN
    row = found.mean(design, model or "all")
    return _value(row) if row is not None and row["value"] is not None else float(at.mean())
