"""Figures of what was answered: shares of labels, where changed answers go, lost replies.

Every function takes a Table and returns an altair chart, or None if the table has nothing to draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from hesperus.analysis.pairs import Side, reading_order
from hesperus.analysis.table import Row, Table
from hesperus.reports.multisense_figures import compared_statistic, placed
from hesperus.reports.theme import COLOURS, GRID, NEUTRAL, SHARE, WIDTH, values
from hesperus.rounding import cell
from hesperus.types import OUTCOMES
from hesperus.wording import OUTCOME_WORDS, parsed, sense_label

MOST_LABELS = 10
"""Beyond so many labels (free answers), shares of labels and directions are no picture."""

UNREAD = "no valid answer"
GOLD = "right answers"


def labels_figure(table: Table) -> Any | None:
    """Shares of the labels for prompts that are one sense throughout, below those of the right answers."""
    labels = list(dict.fromkeys(str(row["label"]) for row in table.rows))
    if not 1 < len(labels) <= MOST_LABELS:
        return None
    bars: dict[tuple[str, str], dict[str, float]] = {}
    for row in table.rows:
        if not _whole(row) or row["value"] is None:
            continue
        panel, code = f"{row['model']}, {row['task']}", str(row["input"])
        if row["statistic"] == "share":
            bars.setdefault((panel, code), {})[str(row["label"])] = float(row["value"])
        elif (sense := parsed(code)) is None or sense.is_original:
            bars.setdefault((panel, f"{GOLD}, {code}"), {})[str(row["label"])] = float(row["value"])
    rows = []
    for (panel, code), shares in bars.items():
        name = (
            f"{GOLD}, {sense_label(code.removeprefix(f'{GOLD}, '))}"
            if code.startswith(GOLD)
            else sense_label(code)
        )
        rest = 1 - sum(shares.values())
        found = {**shares, **({UNREAD: rest} if rest > 5e-4 else {})}
        rows += [
            {"panel": panel, "line": name, "part": part, "value": share} for part, share in found.items()
        ]
    if not rows:
        return None
    order = _lines(code for _, code in bars)
    unread = [UNREAD] if any(row["part"] == UNREAD for row in rows) else []
    colours = [*_colours(len(labels)), NEUTRAL][: len(labels) + len(unread)]
    return _stacked(rows, order, parts=[*labels, *unread], colours=colours, title="share of the answers")


def _lines(codes: Any) -> list[str]:
    """Labels of the lines: right answers first, then originals, then what was made of them, by language."""
    found = dict.fromkeys(codes)
    gold = sorted(
        (code for code in found if code.startswith(GOLD)),
        key=lambda code: reading_order(code[len(GOLD) + 2 :]),
    )
    rest = sorted((code for code in found if not code.startswith(GOLD)), key=reading_order)
    return [f"{GOLD}, {sense_label(code[len(GOLD) + 2 :])}" for code in gold] + [
        sense_label(code) for code in rest
    ]


def _colours(number: int) -> list[str]:
    """Distinct colours; beyond the palette every second one repeats lighter, told apart by its letter."""
    return [*COLOURS, "#4f9fce", "#f0975a", "#58c4a0", "#d99abf"][:number]


_LOST = {
    "invalid": NEUTRAL, "empty": COLOURS[4], "truncated": COLOURS[0], "refused": COLOURS[1], "blocked": COLOURS[3],
    "wrong_language": COLOURS[2], "error": COLOURS[5],
}  # fmt: skip


def outcomes_figure(table: Table) -> Any | None:
    """Shares of the replies that carry no answer, by what became of them; None if all do."""
    lost = [outcome for outcome in OUTCOMES if outcome != "answered"]
    rows = [
        {
            "panel": f"{row['model']}, {row['task']}",
            "line": Side(str(row["instruction"]), str(row["input"])).label,
            "part": OUTCOME_WORDS[str(row["statistic"])],
            "value": row["value"],
            "code": row["input"],
        }
        for row in table.rows
        if row["statistic"] in lost and row["value"] and _whole(row)
    ]
    if not rows:
        return None
    parts = [
        OUTCOME_WORDS[outcome]
        for outcome in lost
        if any(row["part"] == OUTCOME_WORDS[outcome] for row in rows)
    ]
    colours = [_LOST[outcome] for outcome in lost if OUTCOME_WORDS[outcome] in parts]
    order = _lines(str(row["code"]) for row in rows)
    plain = [{name: value for name, value in row.items() if name != "code"} for row in rows]
    return _stacked(plain, order, parts=parts, colours=colours, title="share of the replies", whole=False)


def _whole(row: Row) -> bool:
    return bool(row["instruction"] == row["input"] and row["repeat"] == 1)


def _stacked(
    rows: Sequence[Row],
    order: Sequence[str],
    *,
    parts: Sequence[str],
    colours: Sequence[str],
    title: str,
    whole: bool = True,
) -> Any:
    """Bars of parts, one line a value of ``line``, a panel a value of ``panel``."""
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    charts = []
    scale = alt.Scale(domain=[0, 1], nice=False) if whole else alt.Scale(domain=[0, _longest(rows)])
    for panel in panels:
        held = [{**row, "place": parts.index(str(row["part"]))} for row in rows if row["panel"] == panel]
        present = {row["line"] for row in held}
        base = alt.Chart(values(held)).encode(
            y=alt.Y("line:N", sort=[line for line in order if line in present], title=None),
            x=alt.X("value:Q", stack="zero", title=title, axis=SHARE, scale=scale),
            order=alt.Order("place:Q"),
            color=alt.Color(
                "part:N",
                title=None,
                scale=alt.Scale(domain=list(parts), range=list(colours)[: len(parts)]),
                legend=alt.Legend(columns=4),
            ),
        )
        drawn = base.mark_bar(height={"band": 0.82}, stroke="#ffffff", strokeWidth=0.6)
        layers = [drawn]
        if whole:
            layers.append(_inside(held, order, present))
        heading = {"title": panel} if len(panels) > 1 else {}
        charts.append(alt.layer(*layers).properties(width=WIDTH, height=alt.Step(21), **heading))
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts, spacing=18)


def _longest(rows: Sequence[Row]) -> float:
    """The longest bar, so that all panels have one scale."""
    sums: dict[tuple[object, object], float] = {}
    for row in rows:
        key = (row["panel"], row["line"])
        sums[key] = sums.get(key, 0.0) + float(row["value"])
    return max(sums.values())


def _inside(held: Sequence[Mapping[str, Any]], order: Sequence[str], present: set[Any]) -> Any:
    """Percentages inside the parts that are wide enough for one."""
    ends: dict[object, float] = {}
    marks = []
    for row in sorted(held, key=lambda row: row["place"]):
        start = ends.get(row["line"], 0.0)
        ends[row["line"]] = start + row["value"]
        if row["value"] >= 0.085:
            marks.append(
                {
                    "line": row["line"],
                    "middle": start + row["value"] / 2,
                    "text": cell(row["value"], "label"),
                }
            )
    return (
        alt.Chart(values(marks))
        .mark_text(fontSize=11, fontWeight="bold", color="#ffffff")
        .encode(
            y=alt.Y("line:N", sort=[line for line in order if line in present]),
            x=alt.X("middle:Q"),
            text="text:N",
        )
    )


def directions_figure(table: Table) -> Any | None:
    """Where changed answers go: a line a target (instruction and input made), a column a change of label."""
    labels = {str(row[side]) for row in table.rows for side in ("from", "to")}
    if not 1 < len(labels) <= MOST_LABELS + 1:
        return None
    compared = [
        (found, row)
        for found, row in compared_statistic(table, "share")
        if found.kind in {"T", "versions"} and row["n"]
    ]
    rows = [
        {
            "panel": panel,
            "line": f"{line}, {row['n']} changed",
            "change": f"{_class(row['from'])} → {_class(row['to'])}",
            "value": row["value"],
        }
        for panel, line, _, row in placed(compared)
    ]
    if not rows:
        return None
    means: dict[str, float] = {}
    for row in rows:
        means[str(row["change"])] = means.get(str(row["change"]), 0.0) + float(row["value"])
    changes = [
        change for change in sorted(means, key=lambda change: (-means[change], change)) if means[change] > 0
    ][:12]
    kept = [row for row in rows if row["change"] in changes]
    panels = list(dict.fromkeys(str(row["panel"]) for row in kept))
    charts = []
    for panel in panels:
        held = [row for row in kept if row["panel"] == panel]
        heading = {"title": panel} if len(panels) > 1 else {}
        charts.append(_flow(held, changes).properties(**heading))
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts, spacing=18)


def _class(label: object) -> str:
    return "invalid" if label == "invalid" else str(label)


def _flow(held: Sequence[Row], changes: Sequence[str]) -> Any:
    told = [{**row, "share": cell(float(row["value"]), "label")} for row in held]
    base = alt.Chart(values(told)).encode(
        x=alt.X(
            "change:N",
            sort=list(changes),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-35, domain=False),
        ),
        y=alt.Y("line:N", title=None),
    )
    tiles = base.mark_rect(stroke=GRID, strokeOpacity=0.3).encode(
        color=alt.Color("value:Q", scale=alt.Scale(scheme="blues", domain=[0, 1]), legend=None)
    )
    words = (
        base.transform_filter("datum.value > 0")
        .mark_text(fontSize=11)
        .encode(
            text="share:N",
            color=alt.condition("datum.value > 0.55", alt.value("#ffffff"), alt.value("#000000")),
        )
    )
    return alt.layer(tiles, words).properties(width=alt.Step(62), height=alt.Step(22))
