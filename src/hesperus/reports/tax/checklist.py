"""The reporting checklist of a translated benchmark, filled in from what an audit has. What was not done says so.

Its headings are those of "The Translation Tax Is Not a Scalar", section 1: estimator scope, parser fragility, subgroup
contrasts; with alignment, quality control and agreement of people, on which they rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.audit_evidence import Evidence, tax_tables
from hesperus.analysis.tax.back_translation import NOTES as BACK_LIMITS
from hesperus.analysis.tax.native_control import LIMITS as NATIVE_LIMITS
from hesperus.analysis.tax.naturalisation import NOTES as NATURAL_LIMITS
from hesperus.analysis.tax.validity import NO_REPLIES, RECORDED, sensitive_cells, unchecked_cells
from hesperus.reports.card import Card, card_of
from hesperus.reports.estimate_texts import estimate_text
from hesperus.reports.formats import format_table
from hesperus.reports.tax.commands import Remedy, remedies
from hesperus.reports.tax.tax_grids import first_row, quality_text, rows_of
from hesperus.rounding import cell

NOT_DONE = "not done"
COLUMNS = ("section", "item", "status", "finding", "command")


@dataclass(frozen=True, slots=True)
class Checklist:
    """The checklist and the evaluation card of an audit.

    Attributes:
        table: Rows of section, item, status (``done``, ``done, with a warning`` or ``not done``), finding, and, where it
            was not done, the commands that would do it, as they are run; where none would, the finding says what it needs.
        card: The GenBench evaluation card.
    """

    table: Table
    card: Card

    def write(self, format: str) -> str:
        """Both as ``table`` (a terminal), ``markdown``, ``latex``, ``json`` or ``csv`` (the checklist alone).

        Raises:
            UnknownNameError: No such format.
        """
        if format == "json":
            document = {"checklist": self.table.document(), "card": json.loads(self.card.json())}
            return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        if format == "markdown":
            return f"## Checklist\n\n{format_table(self.table, 'markdown')}\n{self.card.markdown()}"
        if format == "latex":
            return f"{format_table(self.table, 'latex')}\n{format_table(_card_table(self.card), 'latex')}"
        return format_table(self.table, format)


def checklist_of(evidence: Evidence, tables: Mapping[str, Table] | None = None) -> Checklist:
    """Fill it in.

    Args:
        evidence: What the audit has.
        tables: All tables of the evidence, where they have been made before.

    Raises:
        DataError: What it has breaks its contract (see the tables).
    """
    if tables is None:
        tables = {name: make() for name, make in tax_tables(evidence).items()}
    known = remedies(evidence)
    rows = [
        _row(section, point, known)
        for section, points in _SECTIONS.items()
        for point in points(tables, evidence)
    ]
    first = next(iter(tables.values()))
    signed = {name: first.signature[name] for name in ("hesperus", "TaxSettings") if name in first.signature}
    signed |= {"rows": len(rows), "not done": sum(row["status"] == NOT_DONE for row in rows)}
    return Checklist(Table("reporting checklist", COLUMNS, tuple(rows), signed), _card(evidence))


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the checklist.

    Attributes:
        item: What is to be done.
        finding: What was found; None: it was not done.
        warning: Whether what was found is a warning.
        needs: Of what was not done, what it takes, where no command would do it.
    """

    item: str
    finding: str | None
    warning: bool = False
    needs: str = ""


Points = Iterator[Point]
Tables = Mapping[str, Table]


def _row(section: str, point: Point, known: Mapping[str, Remedy]) -> Row:
    """A point as a row; of one that was not done with what would do it."""
    status, finding, command = "done, with a warning" if point.warning else "done", point.finding, ""
    if finding is None:
        remedy = Remedy() if point.needs else known.get(point.item, Remedy())
        status, command = NOT_DONE, remedy.command
        finding = point.needs or (f"needs {remedy.needs}" if remedy.needs else "")
    return {"section": section, "item": point.item, "status": status, "finding": finding, "command": command}


def _of(tables: Tables, name: str, *analyses: str) -> list[Row]:
    """The rows of a table, of some analyses if they are named; none of a table that is not there."""
    rows = tables[name].rows if name in tables else ()
    return [row for row in rows if not analyses or row["analysis"] in analyses]


def _alignment(_: Tables, evidence: Evidence) -> Points:
    found, dropped, said = evidence.alignment, evidence.dropped, None
    if found is not None:
        kinds = ", ".join(f"{count} {kind}" for kind, count in found.items())
        said = f"items with findings: {kinds}" if kinds else "nothing was found"
    yield Point("audit of ids, options and gold on every side", said, bool(found))
    said = None if dropped is None else ", ".join(f"{n} {why}" for why, n in dropped.items()) or "none"
    yield Point("items excluded before anything was asked", said)


def _scope(tables: Tables, evidence: Evidence) -> Points:
    back = first_row(tables.get("back_translation"), "clustered")
    yield Point("E1 back-translation, clustered over items", _estimate(back, "tax"))
    quality = None
    if evidence.scores is not None and "back_translation" in tables:
        quality = quality_text(str(tables["back_translation"].signature["quality"]))
        if back is not None:
            why = f" ({back['reason']})" if back["reason"] else ""
            quality += f"; {back['n']} items compared, {back['excluded']} items excluded{why}"
    yield Point("E1 quality threshold on the back-translations", quality)
    rating = next(iter(_of(tables, "rating")), None)
    is_weak = rating is not None and bool(rating["remark"] or rating["value"] is None)
    yield Point("E2 rating of cues against the tax of items", _rated(rating), is_weak)
    gaps = [row for row in _of(tables, "native_control") if row["statistic"] == "gap" and not row["model"]]
    said = "; ".join(f"{row['group']} {estimate_text(row, 'points')} points" for row in gaps)
    yield Point("E3 native control", said or None)
    natural = _estimate(first_row(tables.get("naturalisation"), "pooled"), "effect")
    strata = [row for row in _of(tables, "naturalisation", "stratum") if not row["group"]]
    if natural is not None:
        natural = "; ".join(
            [natural, *(f"{row['stratum']} {estimate_text(row, 'points')}" for row in strata)]
        )
    yield Point("E4 naturalisation, same items", natural, evidence.reused)
    limits = [
        ("E1", BACK_LIMITS[:1], "back_translation"),
        ("E3", NATIVE_LIMITS, "native_control"),
        ("E4", NATURAL_LIMITS[:1], "naturalisation"),
    ]
    said = "; ".join(f"{name}: {'; '.join(notes)}" for name, notes, table in limits if table in tables)
    yield Point("what the estimators cannot tell", said or None)


def _parser(tables: Tables, evidence: Evidence) -> Points:
    found, replies = tables["parsers"], evidence.records["reply"]
    rates = [row for row in found.rows if isinstance(row["value"], float) and row["parser"] == RECORDED]
    lowest, said = min(rates, key=lambda row: float(row["value"]), default=None), None
    if lowest is not None:
        share = estimate_text(lowest, "share")
        said = f"{len(rates)} cells; lowest {share} of {lowest['n']:,} ({lowest['model']}, {lowest['input']})"
    yield Point("valid answers of each model and set", said)
    sensitive, unchecked, parsers = sensitive_cells(found), unchecked_cells(found), found.signature["parsers"]
    checked = len(rates) - unchecked if isinstance(parsers, list) and len(parsers) > 1 else 0
    said = "; ".join(sensitive) or "no cell"
    item, left = "cells that depend on the parser, by several parsers", ""
    if replies.null_count() == len(replies):
        yield Point(item, None, needs=NO_REPLIES)
    else:
        if unchecked:
            left = f"; {unchecked} of {len(rates)} cells not checked: no reply that could be read again"
        yield Point(item, said + left if checked else None, bool(sensitive or unchecked))
    if not checked:
        yield Point("cells with too few valid answers", said, bool(sensitive))
    bounds = [
        row for row in _of(tables, "bounds", "clustered") if not row["group"] and row["lowest"] is not None
    ]
    said = "; ".join(
        f"{row['comparison']}: {cell(float(row['lowest']), 'points')} to {cell(float(row['highest']), 'points')} points"
        for row in bounds
    )
    yield Point("bounds on every estimate from invalid answers", said or None)
    yield _without_sensitive(tables.get("back_translation"), cell(evidence.settings.min_valid, "share"))


def _without_sensitive(found: Table | None, least: str) -> Point:
    item = "E1 with and without parser-sensitive models"
    without = next(rows_of(found, "without parser-sensitive models"), None)
    if without is not None:
        return Point(item, f"{estimate_text(without, 'points')} points without {without['model']}")
    if found is None:
        return Point(item, None)
    if found.signature.get("parser_sensitive"):
        return Point(item, "every model has too few valid answers: no estimate without them", warning=True)
    return Point(item, f"every model gave at least {least} valid answers on each side")


def _groups(tables: Tables, evidence: Evidence) -> Points:
    names = {"E1": "back_translation", "E4": "naturalisation"}
    titles = {"E1": "between groups of models", "E4": "between groups: difference in differences"}
    for code, name in names.items():
        rows = _of(tables, name, "groups") if len(evidence.settings.groups) > 1 else []
        said = "; ".join(f"{row['group']}: {estimate_text(row, 'points')} points" for row in rows)
        yield Point(f"{code} {titles[code]}", said or None)
    for code, name in names.items():
        values = [row["value"] for row in _of(tables, name, "without model") if row["value"] is not None]
        ends = [cell(float(pick(values)), "points") for pick in (min, max)] if values else []
        yield Point(
            f"{code} without each model in turn", f"from {' to '.join(ends)} points" if ends else None
        )


def _quality(_: Tables, evidence: Evidence) -> Points:
    strata, verified = evidence.strata, _share(evidence, "verifier")
    chosen = None if strata is None else f"{sum(map(len, strata.values()))} items"
    yield Point("strata fixed before rewriting, with a fingerprint", chosen)
    failed = verified is not None and not evidence.passed["verifier"]
    yield Point("rewritten items verified by another model", verified, failed)
    people = [who for who in evidence.passed if who != "verifier"]
    said = "; ".join(f"{who}: {_share(evidence, who)}" for who in people)
    yield Point("rewritten items checked by people", said or None, len(people) == 1)


def _people(_: Tables, evidence: Evidence) -> Points:
    for item in ("ratings of cues", "checks of rewritten items"):
        questions: dict[str, list[Row]] = {}
        for row in evidence.agreement[item].rows if item in evidence.agreement else ():
            questions.setdefault(str(row["question"]), []).append(row)
        said = [_agreed(rows) for rows in questions.values()]
        yield Point(f"agreement on {item}", "; ".join(said) or None, any(_LOW in agreed for agreed in said))


_SECTIONS: Mapping[str, Callable[[Tables, Evidence], Points]] = {
    "alignment": _alignment,
    "estimator scope": _scope,
    "parser fragility": _parser,
    "subgroup contrasts": _groups,
    "quality control": _quality,
    "human agreement": _people,
}


def _agreed(rows: Sequence[Row]) -> str:
    """How far raters agree on one question, on the level that it was asked on."""
    question, level = rows[0]["question"], rows[0]["level"]
    wanted = _AGREEMENTS["nominal" if level == "nominal" else "scale"]
    shown = [
        f"{_AGREEMENT_NAMES[str(r['statistic'])]} {estimate_text(r)}"
        for r in rows
        if r["statistic"] in wanted
    ]
    alpha = next(row["value"] for row in rows if row["statistic"] == "krippendorff_alpha")
    low = not isinstance(alpha, float) or alpha < _ENOUGH
    return f"{question} ({level}): {', '.join(shown)}" + (f", {_LOW}" if low else "")


_ENOUGH = 0.667
"""Krippendorff (2004): below this α ratings do not bear even tentative conclusions."""
_LOW = f"α is not above {_ENOUGH:g}, the least for tentative conclusions"
_AGREEMENTS = {
    "nominal": ("krippendorff_alpha", "cohen_kappa", "gwet_ac1", "percent"),
    "scale": ("krippendorff_alpha", "cohen_kappa_quadratic"),
}
_AGREEMENT_NAMES = {
    "krippendorff_alpha": "α", "cohen_kappa": "κ", "cohen_kappa_quadratic": "weighted κ", "gwet_ac1": "AC1", "percent": "same",
}  # fmt: skip


def _card(evidence: Evidence) -> Card:
    """The run's card, with what an audit of a translation is about."""
    card = card_of(evidence.records, evidence.own)
    why = "Asks how much of a translated benchmark's score rests on traces of the language it was translated from."
    axes = tuple(
        replace(a, ticked=("Practical",), reason=why) if a.name == "Motivation" else a for a in card.axes
    )
    return replace(card, axes=axes)


def _card_table(card: Card) -> Table:
    rows = tuple({"axis": a.name, "ticked": ", ".join(a.ticked), "why": a.reason} for a in card.axes)
    return Table("GenBench evaluation card", ("axis", "ticked", "why"), rows, {})


def _estimate(row: Row | None, statistic: str) -> str | None:
    if row is None:
        return None
    return f"{statistic} {estimate_text(row, 'points')} points, {row['n']} items, discordant {row['positive']}/{row['negative']}"


def _rated(row: Row | None) -> str | None:
    if row is None:
        return None
    tied = f"{row['n']} items, {row['tied']} tied, {row['positive']}/{row['negative']} discordant pairs"
    remark = f"; {row['remark']}" if row["remark"] else ""
    return f"{row['question']}: ρ {estimate_text(row)}; {tied}{remark}"


def _share(evidence: Evidence, who: str) -> str | None:
    if who not in evidence.passed:
        return None
    looked = evidence.checked.get(who, evidence.passed[who])
    if not looked:
        return "no verdict could be read"
    return f"{len(evidence.passed[who])} of {len(looked)} pass strictly"
