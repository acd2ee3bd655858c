"""How the page and the checklist of an audit put its numbers: differences in percentage points, tests, analyses, groups."""

from __future__ import annotations

from collections.abc import Iterator

from hesperus.analysis.table import Row, Table
from hesperus.rounding import cell
from hesperus.wording import MISSING, SCORE_NAMES, language_name, parsed


def discordant(row: Row) -> str:
    """Pairs right on the first side only and on the second side only: ``7 / 3``; of none, how many items could change."""
    if row["positive"] is None:
        return MISSING
    most = row.get("could_change")
    bound = f" (up to {cell(most, 'share')} of items could change)" if most is not None else ""
    return f"{row['positive']:,} / {row['negative']:,}{bound}"


def lost(row: Row) -> str:
    """Why items are missing from an estimate, each reason with its count; 0 where none is."""
    told = row["reason"] if row["excluded"] or row["value"] is not None else ""
    return str(told or f"{row['excluded']:,}")


def who(row: Row) -> str:
    """The models that a row is about: one, a group, or all."""
    group = "" if row["group"] == "all" else str(row["group"])
    return str(row["model"]) or (f"group {group}" if group else "all models")


def language_of(code: str | None) -> str:
    """English name of the language of a sense; the code itself for others."""
    if code is None:
        return "the original"
    sense = parsed(code)
    return code if sense is None else language_name(sense.language)


def rows_of(found: Table | None, *analyses: str) -> Iterator[Row]:
    """The rows of some analyses that have a difference: tax, effect or gap; none of no table."""
    for row in found.rows if found is not None else ():
        if row["analysis"] in analyses and row["statistic"] in ("tax", "effect"):
            yield row


def first_row(found: Table | None, analysis: str) -> Row | None:
    """The row of an analysis over all models and items, or None."""
    return next((row for row in rows_of(found, analysis) if not row["group"] and not row["model"]), None)


def over(row: Row) -> str:
    """What a row of E1 or E4 was pooled over, in words."""
    place, group, model = str(row.get("task") or row.get("stratum") or ""), row["group"], row["model"]
    analysis = str(row["analysis"])
    if analysis in ("clustered", "pooled", "group"):
        return f"group {group}" if group else "all models"
    if analysis == "groups":
        return f"difference of groups: {group}"
    if analysis == "without model":
        return f"without {model}"
    if analysis == "without parser-sensitive models":
        return f"without {model} (often without a valid answer)" + (f", stratum {place}" if place else "")
    if analysis == "one benchmark":
        return f"{place} alone"
    if analysis == "stratum":
        return f"stratum {place}" + (f", group {group}" if group else "")
    if analysis == "strata":
        return f"difference of strata: {place} (items of the smaller)"
    if analysis in ("cell", "model"):
        return str(model)
    return f"{analysis}, {f'stratum {place}' if place else 'all strata'}"


def quality_text(threshold: str) -> str:
    """The quality threshold of a table with the name of its score: ``BLEU 20 or more``."""
    score, _, rest = threshold.partition(" ")
    return f"{SCORE_NAMES.get(score, score)} {rest}"
