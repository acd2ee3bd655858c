"""Figures of what was answered: shares of labels, where changed answers go, lost replies.

Every function takes a Table and returns an altair chart, or None if the table has nothing to draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from hesperus.analysis.compared_pairs import Side, compared_statistic, reading_order
from hesperus.analysis.table import Row, Table
from hesperus.reports.heat import Shades, Sides, heat_map
from hesperus.reports.multisense_figures import placed
from hesperus.reports.points import MOST_LINES, panel_titles, panelled
from hesperus.reports.theme import COLOURS, NEUTRAL, SHARE, WIDTH, chart_of
from hesperus.rounding import cell
from hesperus.types import OUTCOMES
from hesperus.wording import OUTCOME_WORDS, parsed, sense_label

MOST_LABELS = 10
"""Beyond so many labels (free answers), shares of labels and directions are no picture."""
_MOST_CHANGES = 12

_Bar = tuple[str, bool, str]
"""A bar: its panel, whether it is of the right answers, and its sense."""

_UNREAD = "no valid answer"
_LABEL_COLOURS = (*COLOURS, "#4f9fce", "#f0975a", "#58c4a0", "#d99abf")
"""Beyond the palette every second one repeats lighter, told apart by its letter."""
_LOST = {
    "invalid": NEUTRAL, "empty": COLOURS[4], "truncated": COLOURS[0], "refused": COLOURS[1], "blocked": COLOURS[3],
    "wrong_language": COLOURS[2], "error": COLOURS[5],
}  # fmt: skip


def labels_figure(table: Table) -> Any | None:
    """Shares of the labels for prompts that are one sense throughout, below those of the right answers."""
    labels = list(dict.fromkeys(str(row["label"]) for row in table.rows))
    if not 1 < len(labels) <= MOST_LABELS:
        return None
    title = panel_titles(table.rows)
    bars: dict[_Bar, dict[str, float]] = {}
    for row in table.rows:
        is_gold, code = row["statistic"] != "share", str(row["input"])
        sense = parsed(code)
        if _whole(row) and row["value"] is not None and not (is_gold and sense and not sense.is_original):
            place = (title(row), is_gold, code)
            bars.setdefault(place, {})[str(row["label"])] = float(row["value"])
    for shares in bars.values():
        rest = 1 - sum(shares.values())
        shares |= {_UNREAD: rest} if rest > 5e-4 else {}
    bars = _gold_once(bars)
    rows = [
        {"panel": panel, "line": _line(is_gold, code), "part": part, "value": share}
        for (panel, is_gold, code), shares in bars.items()
        for part, share in shares.items()
    ]
    colours = dict(zip(labels, _LABEL_COLOURS, strict=False)) | {_UNREAD: NEUTRAL}
    return _stacked(
        rows, _lines((is_gold, code) for _, is_gold, code in bars), colours, "share of the answers"
    )


def outcomes_figure(table: Table) -> Any | None:
    """Shares of the replies that carry no answer, by what became of them; None if all do."""
    lost = [row for row in table.rows if row["statistic"] in _LOST and row["value"] and _whole(row)]
    title = panel_titles(table.rows)
    rows = [
        {"panel": title(row), "line": Side(str(row["instruction"]), str(row["input"])).label,
         "part": OUTCOME_WORDS[str(row["statistic"])], "value": row["value"]}
        for row in lost
    ]  # fmt: skip
    colours = {OUTCOME_WORDS[outcome]: _LOST[outcome] for outcome in OUTCOMES if outcome in _LOST}
    order = _lines((False, str(row["input"])) for row in lost)
    return _stacked(rows, order, colours, "share of the replies", is_whole=False)


def directions_figure(table: Table) -> Any | None:
    """Where changed answers go: a line a target (instruction and input made), a column a change of label."""
    labels = {str(row[side]) for row in table.rows for side in ("from", "to")}
    if not 1 < len(labels) <= MOST_LABELS + 1:
        return None
    compared = [one for one in compared_statistic(table, "share", "T", "versions") if one[1]["n"]]
    sums: dict[str, float] = {}
    tiles = []
    for panel, line, _, row in placed(compared):
        change, value = f"{row['from']} → {row['to']}", float(row["value"])
        sums[change] = sums.get(change, 0.0) + value
        place = {"panel": panel, "down": f"{line}, {row['n']} changed", "across": change}
        tiles.append({**place, "value": value, "text": cell(value, "label") if value else ""})
    ordered = sorted(sums, key=lambda change: (-sums[change], change))
    changes = [change for change in ordered if sums[change] > 0][:_MOST_CHANGES]
    kept = [tile for tile in tiles if tile["across"] in changes]
    if len({tile["down"] for tile in kept}) > MOST_LINES:
        return None

    def draw(held: Sequence[Row], heading: Mapping[str, str]) -> Any:
        sides = Sides(sorted({str(tile["down"]) for tile in held}), changes, (62, 22), orient="top")
        return heat_map(held, sides, Shades(), writes=11, title=heading.get("title", ""))

    return panelled(kept, draw)


def _whole(row: Row) -> bool:
    return bool(row["instruction"] == row["input"] and row["repeat"] == 1)


def _gold_once(bars: dict[_Bar, dict[str, float]]) -> dict[_Bar, dict[str, float]]:
    """The same with one bar of right answers a panel where these are the same in every sense."""
    gold = {place: shares for place, shares in bars.items() if place[1]}
    panels = {panel: [shares for place, shares in gold.items() if place[0] == panel] for panel, _, _ in gold}
    if any(shares != held[0] for held in panels.values() for shares in held):
        return bars
    once = {(panel, True, ""): held[0] for panel, held in panels.items()}
    return once | {place: shares for place, shares in bars.items() if not place[1]}


def _line(is_gold: bool, code: str) -> str:
    if not is_gold:
        return sense_label(code)
    return f"right answers, {sense_label(code)}" if code else "right answers"


def _lines(found: Iterable[tuple[bool, str]]) -> list[str]:
    """Labels of the lines: right answers first, then originals, then what was made of them, by language."""
    ordered = sorted(set(found), key=lambda one: (not one[0], reading_order(one[1])))
    return [_line(*one) for one in ordered]


def _stacked(
    rows: Sequence[Row],
    order: Sequence[str],
    colours: Mapping[str, str],
    title: str,
    *,
    is_whole: bool = True,
) -> Any | None:
    """Bars of parts, one line a value of ``line``, a panel a value of ``panel``; or None.

    Args:
        rows: With ``panel``, ``line``, ``part`` and ``value``.
        order: Lines from top to bottom.
        colours: Parts in order, those too that do not occur.
        title: Of the axis.
        is_whole: Whether the parts of a line make a whole; wide ones hold their percentage then.
    """
    if not rows:
        return None
    parts = [part for part in colours if any(row["part"] == part for row in rows)]
    range_ = [colours[part] for part in parts]
    scale = alt.Scale(domain=[0, 1 if is_whole else _longest(rows)], nice=not is_whole)
    colour = alt.Color(
        "part:N", title=None, scale=alt.Scale(domain=parts, range=range_), legend=alt.Legend(columns=4)
    )

    across = min(2, len({row["panel"] for row in rows}))

    def draw(panel: Sequence[Row], heading: dict[str, str]) -> Any:
        placed = ({**row, "place": parts.index(str(row["part"]))} for row in panel)
        held = sorted(placed, key=lambda row: row["place"])
        present = {row["line"] for row in held}
        y = alt.Y("line:N", sort=[line for line in order if line in present], title=None)
        bars = chart_of(held).mark_bar(height={"band": 0.82}, stroke="#ffffff", strokeWidth=0.6)
        x = alt.X("value:Q", stack="zero", title=title, axis=SHARE, scale=scale)
        layers = [bars.encode(y=y, x=x, order=alt.Order("place:Q"), color=colour)]
        layers += [_inside(held, y)] if is_whole else []
        return alt.layer(*layers).properties(
            width=WIDTH if across == 1 else 380, height=alt.Step(21), **heading
        )

    return panelled(rows, draw, across)


def _longest(rows: Sequence[Row]) -> float:
    """The longest bar, so that all panels have one scale."""
    sums: dict[tuple[object, object], float] = {}
    for row in rows:
        key = (row["panel"], row["line"])
        sums[key] = sums.get(key, 0.0) + float(row["value"])
    return max(sums.values())


def _inside(held: Sequence[Row], y: Any) -> Any:
    """Percentages inside the parts that are wide enough for one."""
    ends: dict[object, float] = {}
    marks = []
    for row in held:
        start = ends.get(row["line"], 0.0)
        ends[row["line"]] = start + row["value"]
        if row["value"] >= 0.085:
            middle = start + row["value"] / 2
            marks.append({"line": row["line"], "middle": middle, "text": cell(row["value"], "label")})
    text = chart_of(marks).mark_text(fontSize=11, fontWeight="bold", color="#ffffff")
    return text.encode(y=y, x=alt.X("middle:Q"), text="text:N")
