"""Similarity by subject, category or any other group of items: points with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from hesperus.analysis.similarity.designs import BETWEEN, WITHIN
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings
from hesperus.errors import UnknownNameError, UsageError
from hesperus.reports.columns import statistic_name
from hesperus.reports.dots import Hue, dots
from hesperus.reports.similarity.heat_maps import told
from hesperus.reports.theme import COLOURS, INK

_BETWEEN_NAME = "between models"
_MOST_MODELS = len(COLOURS) - 1


def by_group_figure(found: SimilarityFindings, column: str, *, models: Sequence[str] = ()) -> Any | None:
    """Mean similarity of the items of each group, within models and between them; None if nothing has a value.

    Args:
        found: What was measured.
        column: One of ``found.by``.
        models: Models with languages to compare; all models where they are few and empty, else their common mean.

    Raises:
        UnknownNameError: The findings have no such column.
    """
    if column not in found.by:
        raise UnknownNameError("column that similarity was measured by", column, found.by)
    names = list(models) or (list(found.models) if len(found.models) <= _MOST_MODELS else ["all"])
    if len(names) > _MOST_MODELS:
        raise UsageError(f"at most {_MOST_MODELS} models can be told apart in one figure, not {len(names)}")
    series = [(WITHIN, name, name if name != "all" else "within a model") for name in names]
    series.append((BETWEEN, "all", _BETWEEN_NAME))
    rows = []
    for design, group, shown in series:
        for row in found.means(design, by=column):
            if row["group"] == group:
                rows.append(
                    {
                        "panel": column,
                        "part": str(row["part"]),
                        "of": shown,
                        "value": row["value"],
                        "low": row["low"],
                        "high": row["high"],
                        "told": f"{row['part']}, {shown}: {told(row)}, {row['pairs']:,} pairs",
                    }
                )
    known = [row for row in rows if row["value"] is not None]
    if not known:
        return None
    hues = tuple(shown for _, _, shown in series if any(row["of"] == shown for row in known))
    x = alt.X(
        "value:Q",
        title=statistic_name(found.statistic),
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(format=".2~f", tickCount=6),
    )
    order = _order(known, hues[0])
    drawn = dots(known, "part", order=order, hue=Hue("of", hues), x=x)
    lost = sorted({str(row["part"]) for row in rows} - set(order))
    if not lost:
        return drawn
    return drawn.properties(
        title=alt.TitleParams(
            f"× undefined: {', '.join(lost)}", fontWeight="normal", fontSize=11, color=INK, orient="bottom"
        )
    )


def _order(rows: Sequence[dict[str, Any]], first: str) -> list[str]:
    """Groups by the first series, the most alike on top; groups that it lacks come last."""
    value = {row["part"]: row["value"] for row in rows if row["of"] == first}
    parts = dict.fromkeys(row["part"] for row in rows)
    return sorted(parts, key=lambda part: (part not in value, -value.get(part, 0.0), part))
