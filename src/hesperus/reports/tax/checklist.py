"""The reporting checklist of a translated benchmark, filled in from what an audit has. What was not done says so.

Its headings are those of "The Translation Tax Is Not a Scalar", section 1: estimator scope, parser fragility, subgroup
contrasts; with alignment, quality control and agreement of people, on which they rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hesperus.analysis.measure_names import TAX_ESTIMATORS
from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.audit_evidence import Evidence, tax_tables
from hesperus.analysis.tax.back_translation import NOTES as BACK_LIMITS
from hesperus.analysis.tax.native_control import LIMITS as NATIVE_LIMITS
from hesperus.analysis.tax.naturalisation import NOTES as NATURAL_LIMITS
from hesperus.analysis.tax.validity import NO_REPLIES, RECORDED, sensitive_cells, unchecked_cells
from hesperus.reports.blocks import Check, Checklist
from hesperus.reports.card import Card, card_of
from hesperus.reports.formats import format_table
from hesperus.reports.tabulated import estimate_text
from hesperus.reports.tax.commands import ASKED_HERE, NOTHING, Remedies, Remedy
from hesperus.reports.tax.tax_grids import first_row, quality_text, rows_of
from hesperus.rounding import cell

COLUMNS = ("section", "item", "status", "finding", "command")
AND = " && "
"""Between the commands of a point that follow each other."""


@dataclass(frozen=True, slots=True)
class FilledChecklist:
    """The checklist and the evaluation card of an audit.

    Attributes:
        points: The checklist by section; of what was not done the commands that would do it, or what it needs.
        card: The GenBench evaluation card.
        signature: How the estimates were made.
    """

    points: Checklist
    card: Card
    signature: Mapping[str, object]

    @property
    def every(self) -> Sequence[tuple[str, Check]]:
        """Every point with the section that it is in."""
        return [(section, point) for section, points in self.points.sections for point in points]

    @property
    def table(self) -> Table:
        """Rows of section, item, status, finding and command."""
        rows = tuple(
            dict(zip(COLUMNS, (section, one.item, one.status, one.finding, AND.join(one.commands)), strict=True))
            for section, one in self.every
        )  # fmt: skip
        open_points = sum(point.state == "open" for _, point in self.every)
        signed = {**self.signature, "rows": len(rows), "not done": open_points}
        return Table("reporting checklist", COLUMNS, rows, signed)

    def point(self, item: str) -> Check:
        """The point of a name."""
        return next(point for _, point in self.every if point.item == item)

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
            rows = tuple(
                {"axis": a.name, "ticked": ", ".join(a.ticked), "why": a.reason} for a in self.card.axes
            )
            card = Table("GenBench evaluation card", ("axis", "ticked", "why"), rows, {})
            return f"{format_table(self.table, 'latex')}\n{format_table(card, 'latex')}"
        return format_table(self.table, format)


def checklist_of(evidence: Evidence, tables: Mapping[str, Table] | None = None) -> FilledChecklist:
    """Fill it in.

    Tables that have been made before are not made again.

    Raises:
        DataError: What it has breaks its contract (see the tables).
    """
    if tables is None:
        tables = {name: make() for name, make in tax_tables(evidence).items()}
    audit = _Audit(evidence, tables, Remedies(evidence))
    sections = tuple((section, tuple(points(audit))) for section, points in _SECTIONS.items())
    first = next(iter(tables.values()))
    signed = {name: first.signature[name] for name in ("hesperus", "TaxSettings") if name in first.signature}
    return FilledChecklist(Checklist(sections), _card(evidence), signed)


@dataclass(frozen=True, slots=True)
class _Audit:
    """What points are filled in from."""

    evidence: Evidence
    tables: Mapping[str, Table]
    remedies: Remedies

    def rows(self, name: str, *analyses: str) -> list[Row]:
        """The rows of a table, of some analyses if they are named; none of a table that is not there."""
        rows = self.tables[name].rows if name in self.tables else ()
        return [row for row in rows if not analyses or row["analysis"] in analyses]


Points = Iterator[Check]


def _point(item: str, finding: str | None, remedy: Remedy = NOTHING, *, warning: bool = False) -> Check:
    """A point with what was found; without a finding it was not done."""
    if finding is not None:
        return Check(item, "warned" if warning else "done", finding)
    needs = f"needs {remedy.needs}" if remedy.needs else ""
    return Check(item, "open", needs, remedy.commands, remedy.needs)


def _alignment(audit: _Audit) -> Points:
    found, dropped, said = audit.evidence.alignment, audit.evidence.dropped, None
    if found is not None:
        kinds = ", ".join(f"{count} {kind}" for kind, count in found.items())
        said = f"items with findings: {kinds}" if kinds else "nothing was found"
    yield _point(ALIGNED, said, audit.remedies.alignment(), warning=bool(found))
    said = None if dropped is None else ", ".join(f"{n} {why}" for why, n in dropped.items()) or "none"
    yield _point("items excluded before anything was asked", said, ASKED_HERE)


def _scope(audit: _Audit) -> Points:
    tables, evidence, remedies = audit.tables, audit.evidence, audit.remedies
    back = first_row(tables.get("back_translation"), "clustered")
    yield _point(BACK, _estimate(back, "tax"), remedies.back())
    quality = None
    if evidence.scores is not None and "back_translation" in tables:
        quality = quality_text(str(tables["back_translation"].signature["quality"]))
        if back is not None:
            why = f" ({back['reason']})" if back["reason"] else ""
            quality += f"; {back['n']} items compared, {back['excluded']} items excluded{why}"
    yield _point(QUALITY, quality, remedies.quality())
    rating = next(iter(audit.rows("rating")), None)
    is_weak = rating is not None and bool(rating["remark"] or rating["value"] is None)
    yield _point(RATED, _rated(rating), remedies.rating(), warning=is_weak)
    gaps = [row for row in audit.rows("native_control") if row["statistic"] == "gap" and not row["model"]]
    said = "; ".join(f"{row['group']} {estimate_text(row, 'points')} points" for row in gaps)
    yield _point(NATIVE, said or None, remedies.native())
    natural = _estimate(first_row(tables.get("naturalisation"), "pooled"), "effect")
    strata = [row for row in audit.rows("naturalisation", "stratum") if not row["group"]]
    if natural is not None:
        natural = "; ".join(
            [natural, *(f"{row['stratum']} {estimate_text(row, 'points')}" for row in strata)]
        )
    yield _point(NATURAL, natural, remedies.natural(), warning=evidence.reused)
    limits = [
        ("E1", BACK_LIMITS[:1], "back_translation"),
        ("E3", NATIVE_LIMITS, "native_control"),
        ("E4", NATURAL_LIMITS[:1], "naturalisation"),
    ]
    said = "; ".join(f"{name}: {'; '.join(notes)}" for name, notes, table in limits if table in tables)
    yield _point("what the estimators cannot tell", said or None, remedies.back())


def _parser(audit: _Audit) -> Points:
    found, replies, back = audit.tables["parsers"], audit.evidence.records["reply"], audit.remedies.back()
    rates = [row for row in found.rows if isinstance(row["value"], float) and row["parser"] == RECORDED]
    lowest, said = min(rates, key=lambda row: float(row["value"]), default=None), None
    if lowest is not None:
        share = estimate_text(lowest, "share")
        said = f"{len(rates)} cells; lowest {share} of {lowest['n']:,} ({lowest['model']}, {lowest['input']})"
    yield _point("valid answers of each model and set", said)
    sensitive, unchecked, parsers = sensitive_cells(found), unchecked_cells(found), found.signature["parsers"]
    checked = len(rates) - unchecked if isinstance(parsers, list) and len(parsers) > 1 else 0
    said = "; ".join(sensitive) or "no cell"
    if replies.null_count() == len(replies):
        yield Check(PARSERS, "open", NO_REPLIES)
    else:
        left = f"; {unchecked} of {len(rates)} cells not checked: no reply that could be read again"
        told = said + (left if unchecked else "") if checked else None
        yield _point(PARSERS, told, audit.remedies.parsers(), warning=bool(sensitive or unchecked))
    if not checked:
        yield _point("cells with too few valid answers", said, warning=bool(sensitive))
    bounds = [
        row for row in audit.rows("bounds", "clustered") if not row["group"] and row["lowest"] is not None
    ]
    said = "; ".join(
        f"{row['comparison']}: {cell(float(row['lowest']), 'points')} to {cell(float(row['highest']), 'points')} points"
        for row in bounds
    )
    yield _point(BOUNDS, said or None, back)
    least = cell(audit.evidence.settings.min_valid, "share")
    told, warning = _without_sensitive(audit.tables.get("back_translation"), least)
    yield _point("E1 with and without parser-sensitive models", told, back, warning=warning)


def _without_sensitive(found: Table | None, least: str) -> tuple[str | None, bool]:
    """What is said of models with too few valid answers, and whether it is a warning."""
    without = next(rows_of(found, "without parser-sensitive models"), None)
    if without is not None:
        return f"{estimate_text(without, 'points')} points without {without['model']}", False
    if found is None:
        return None, False
    if found.signature.get("parser_sensitive"):
        return "every model has too few valid answers: no estimate without them", True
    return f"every model gave at least {least} valid answers on each side", False


def _groups(audit: _Audit) -> Points:
    titles = {
        "back_translation": "between groups of models",
        "naturalisation": "between groups: difference in differences",
    }
    names = {TAX_ESTIMATORS[name]: name for name in titles}
    for code, name in names.items():
        rows = audit.rows(name, "groups") if len(audit.evidence.settings.groups) > 1 else []
        said = "; ".join(f"{row['group']}: {estimate_text(row, 'points')} points" for row in rows)
        yield _point(f"{code} {titles[name]}", said or None, audit.remedies.groups(natural=code == "E4"))
    for code, name in names.items():
        values = [row["value"] for row in audit.rows(name, "without model") if row["value"] is not None]
        ends = [cell(float(pick(values)), "points") for pick in (min, max)] if values else []
        apart = f"from {' to '.join(ends)} points" if ends else None
        yield _point(f"{code} without each model in turn", apart, audit.remedies.models(natural=code == "E4"))


def _quality(audit: _Audit) -> Points:
    evidence, remedies = audit.evidence, audit.remedies
    strata, verified = evidence.strata, _share(evidence, "verifier")
    chosen = None if strata is None else f"{sum(map(len, strata.values()))} items"
    yield _point(STRATA, chosen, remedies.strata())
    failed = verified is not None and not evidence.passed["verifier"]
    yield _point(VERIFIED, verified, remedies.verifying(), warning=failed)
    people = [who for who in evidence.passed if who != "verifier"]
    said = "; ".join(f"{who}: {_share(evidence, who)}" for who in people)
    yield _point(CHECKED, said or None, remedies.checking(), warning=len(people) == 1)


def _people(audit: _Audit) -> Points:
    remedies = {
        "ratings of cues": audit.remedies.rating,
        "checks of rewritten items": audit.remedies.checking,
    }
    for item, remedy in remedies.items():
        agreement, questions = audit.evidence.agreement, dict[str, list[Row]]()
        for row in agreement[item].rows if item in agreement else ():
            questions.setdefault(str(row["question"]), []).append(row)
        said = [_agreed(rows) for rows in questions.values()]
        warning = any(_LOW in agreed for agreed in said)
        yield _point(f"agreement on {item}", "; ".join(said) or None, remedy(), warning=warning)


ALIGNED, BACK = "audit of ids, options and gold on every side", "E1 back-translation, clustered over items"
QUALITY, RATED = "E1 quality threshold on the back-translations", "E2 rating of cues against the tax of items"
NATIVE, NATURAL = "E3 native control", "E4 naturalisation, same items"
PARSERS = "cells that depend on the parser, by several parsers"
BOUNDS = "bounds on every estimate from invalid answers"
STRATA = "strata fixed before rewriting, with a fingerprint"
VERIFIED, CHECKED = "rewritten items verified by another model", "rewritten items checked by people"
"""Points that the page of an audit shows by themselves too, where they were not done."""

_SECTIONS: Mapping[str, Callable[[_Audit], Points]] = {
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
