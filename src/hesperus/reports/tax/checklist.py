"""The reporting checklist of a translated benchmark, filled in from what an audit has. What was not done says so.

Its headings are those of "The Translation Tax Is Not a Scalar", section 1: estimator scope, parser fragility, subgroup
contrasts; with alignment, quality control and agreement of people, on which they rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hesperus import rounding
from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.back_translation import NOTES as BACK_LIMITS
from hesperus.analysis.tax.evidence import Evidence, tax_tables
from hesperus.analysis.tax.native_control import LIMITS as NATIVE_LIMITS
from hesperus.analysis.tax.naturalisation import NOTES as NATURAL_LIMITS
from hesperus.analysis.tax.validity import NO_REPLIES, RECORDED, sensitive_cells, unchecked_cells
from hesperus.reports.card import Card, card_of
from hesperus.reports.formats import format_table
from hesperus.reports.tax.commands import Remedy, remedies
from hesperus.reports.tax.tax_wording import first_row, interval, plain_interval, rows_of
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
    rows = [
        *_alignment(evidence),
        *_scope(tables, evidence),
        *_parser(tables, evidence),
        *_groups(tables, evidence),
    ]
    rows += [*_quality(evidence), *_people(evidence)]
    known = remedies(evidence)
    rows = [
        {**row, "command": ""} if row["status"] != NOT_DONE or row["finding"] else _open(row, known)
        for row in rows
    ]
    first = next(iter(tables.values()))
    signed = {name: first.signature[name] for name in ("hesperus", "TaxSettings") if name in first.signature}
    signed |= {"rows": len(rows), "not done": sum(row["status"] == NOT_DONE for row in rows)}
    return Checklist(Table("reporting checklist", COLUMNS, tuple(rows), signed), _card(evidence))


def _open(row: Row, known: Mapping[str, Remedy]) -> Row:
    """A point that was not done, with what would do it."""
    remedy = known.get(str(row["item"]), Remedy())
    return {**row, "command": remedy.command, "finding": f"needs {remedy.needs}" if remedy.needs else ""}


def _row(section: str, item: str, finding: str | None, *, warning: bool = False) -> Row:
    status = NOT_DONE if finding is None else "done, with a warning" if warning else "done"
    return {"section": section, "item": item, "status": status, "finding": finding or ""}


def _alignment(evidence: Evidence) -> Iterator[Row]:
    section, found = "alignment", evidence.alignment
    said = None
    if found is not None:
        kinds = ", ".join(f"{count} {kind}" for kind, count in found.items())
        said = f"items with findings: {kinds}" if kinds else "nothing was found"
    yield _row(section, "audit of ids, options and gold on every side", said, warning=bool(found))
    dropped = evidence.dropped
    said = None if dropped is None else ", ".join(f"{n} {why}" for why, n in dropped.items()) or "none"
    yield _row(section, "items excluded before anything was asked", said)


def _scope(tables: Mapping[str, Table], evidence: Evidence) -> Iterator[Row]:
    section = "estimator scope"
    yield _row(
        section,
        "E1 back-translation, clustered over items",
        _estimate(tables.get("back_translation"), "clustered", "tax"),
    )
    lost = first_row(tables.get("back_translation"), "clustered")
    quality = str(tables["back_translation"].signature["quality"]) if "back_translation" in tables else None
    if quality is not None and evidence.scores is not None and lost is not None:
        quality = f"{quality}; {lost['n']} items compared, {lost['excluded']} items excluded" + (
            f" ({lost['reason']})" if lost["reason"] else ""
        )
    yield _row(
        section,
        "E1 quality threshold on the back-translations",
        quality if evidence.scores is not None else None,
    )
    rating = next(iter(tables["rating"].rows), None) if "rating" in tables else None
    yield _row(
        section,
        "E2 rating of cues against the tax of items",
        _rated(rating),
        warning=bool(rating and (rating["remark"] or rating["value"] is None)),
    )
    yield _row(section, "E3 native control", _gaps(tables.get("native_control")))
    natural = _estimate(tables.get("naturalisation"), "pooled", "effect")
    strata = [
        f"{row['stratum']} {interval(row)}"
        for row in (tables["naturalisation"].rows if "naturalisation" in tables else ())
        if row["analysis"] == "stratum" and not row["group"]
    ]
    natural = None if natural is None else "; ".join([natural, *strata])
    yield _row(section, "E4 naturalisation, same items", natural, warning=evidence.reused)
    limits = [
        ("E1", BACK_LIMITS[:1], "back_translation"),
        ("E3", NATIVE_LIMITS, "native_control"),
        ("E4", NATURAL_LIMITS[:1], "naturalisation"),
    ]
    said = "; ".join(f"{name}: {'; '.join(notes)}" for name, notes, table in limits if table in tables)
    yield _row(section, "what the estimators cannot tell", said or None)


def _parser(tables: Mapping[str, Table], evidence: Evidence) -> Iterator[Row]:
    section, found = "parser fragility", tables["validity"]
    rates = [row for row in found.rows if isinstance(row["value"], float) and row["parser"] == RECORDED]
    lowest = min(rates, key=lambda row: float(row["value"]), default=None)
    said = None
    if lowest is not None:
        share = rounding.interval(float(lowest["value"]), lowest["low"], lowest["high"], "share")
        said = f"{len(rates)} cells; lowest {share} of {lowest['n']:,} ({lowest['model']}, {lowest['input']})"
    yield _row(section, "valid answers of each model and set", said)
    sensitive = sensitive_cells(found)
    parsers = found.signature["parsers"]
    several = isinstance(parsers, list) and len(parsers) > 1
    said = "; ".join(sensitive) if sensitive else "no cell"
    item, replies = "cells that depend on the parser, by several parsers", evidence.records["reply"]
    unchecked = unchecked_cells(found)
    checked = len(rates) - unchecked if several else 0
    if replies.null_count() == len(replies):
        yield {**_row(section, item, None), "finding": NO_REPLIES}
    else:
        left = (
            f"; {unchecked} of {len(rates)} cells not checked: no reply that could be read again"
            if unchecked
            else ""
        )
        yield _row(section, item, said + left if checked else None, warning=bool(sensitive or unchecked))
    if not checked:
        yield _row(section, "cells with too few valid answers", said, warning=bool(sensitive))
    bounds = (
        [
            row
            for row in tables["bounds"].rows
            if row["analysis"] == "clustered" and not row["group"] and row["lowest"] is not None
        ]
        if "bounds" in tables
        else []
    )
    said = "; ".join(
        f"{row['comparison']}: {cell(float(row['lowest']), 'points')} to {cell(float(row['highest']), 'points')} points"
        for row in bounds
    )
    yield _row(section, "bounds on every estimate from invalid answers", said or None)
    without = next(rows_of(tables.get("back_translation"), "without parser-sensitive models"), None)
    said = None if without is None else f"{interval(without)} points without {without['model']}"
    often = (
        tables["back_translation"].signature.get("parser_sensitive") if "back_translation" in tables else None
    )
    if without is None and "back_translation" in tables:
        floor = cell(evidence.settings.min_valid, "share")
        said = (
            "every model has too few valid answers: no estimate without them"
            if often
            else f"every model gave at least {floor} valid answers on each side"
        )
    yield _row(
        section, "E1 with and without parser-sensitive models", said, warning=bool(often) and without is None
    )


def _groups(tables: Mapping[str, Table], evidence: Evidence) -> Iterator[Row]:
    section = "subgroup contrasts"
    many = len(evidence.settings.groups) > 1
    for name, item in (
        ("back_translation", "E1 between groups of models"),
        ("naturalisation", "E4 between groups: difference in differences"),
    ):
        rows = [row for row in tables[name].rows if row["analysis"] == "groups"] if name in tables else []
        yield _row(
            section,
            item,
            "; ".join(f"{row['group']}: {interval(row)} points" for row in rows) if many and rows else None,
        )
    for name, item in (
        ("back_translation", "E1 without each model in turn"),
        ("naturalisation", "E4 without each model in turn"),
    ):
        rows = (
            [row for row in tables[name].rows if row["analysis"] == "without model"] if name in tables else []
        )
        values = [float(row["value"]) for row in rows if row["value"] is not None]
        said = (
            f"from {cell(min(values), 'points')} to {cell(max(values), 'points')} points" if values else None
        )
        yield _row(section, item, said)


def _quality(evidence: Evidence) -> Iterator[Row]:
    section = "quality control"
    chosen = sum(len(ids) for ids in evidence.strata.values()) if evidence.strata is not None else 0
    yield _row(
        section,
        "strata fixed before rewriting, with a fingerprint",
        f"{chosen} items" if evidence.strata is not None else None,
    )
    for who in ("verifier",):
        said = _share(evidence, who)
        yield _row(
            section,
            "rewritten items verified by another model",
            said,
            warning=said is not None and not evidence.passed[who],
        )
    people = [who for who in evidence.passed if who != "verifier"]
    said = "; ".join(f"{who}: {_share(evidence, who)}" for who in people)
    yield _row(section, "rewritten items checked by people", said or None, warning=len(people) == 1)


def _people(evidence: Evidence) -> Iterator[Row]:
    section = "human agreement"
    for item in ("ratings of cues", "checks of rewritten items"):
        found = evidence.agreement.get(item)
        questions = dict.fromkeys(str(row["question"]) for row in found.rows) if found is not None else ()
        said = (
            [_agreed([row for row in found.rows if row["question"] == name]) for name in questions]
            if found
            else []
        )
        weak = [name for name, agreed in zip(questions, said, strict=True) if _LOW in agreed]
        yield _row(section, f"agreement on {item}", "; ".join(said) or None, warning=bool(weak))


def _agreed(rows: Sequence[Row]) -> str:
    """How far raters agree on one question, on the level that it was asked on."""
    question, level = rows[0]["question"], rows[0]["level"]
    wanted = _AGREEMENTS["nominal" if level == "nominal" else "scale"]
    shown = [
        f"{_AGREEMENT_NAMES[str(r['statistic'])]} {plain_interval(r)}"
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
    why = "Asks how much of a translated benchmark's score rides on traces of the language it was translated from."
    axes = tuple(
        replace(a, ticked=("Practical",), reason=why) if a.name == "Motivation" else a for a in card.axes
    )
    return replace(card, axes=axes)


def _card_table(card: Card) -> Table:
    rows = tuple({"axis": a.name, "ticked": ", ".join(a.ticked), "why": a.reason} for a in card.axes)
    return Table("GenBench evaluation card", ("axis", "ticked", "why"), rows, {})


def _estimate(found: Table | None, analysis: str, statistic: str) -> str | None:
    row = first_row(found, analysis)
    return (
        None
        if row is None
        else f"{statistic} {interval(row)} points, {row['n']} items, discordant {row['positive']}/{row['negative']}"
    )


def _rated(row: Row | None) -> str | None:
    if row is None:
        return None
    tied = f"{row['n']} items, {row['tied']} tied, {row['positive']}/{row['negative']} discordant pairs"
    return f"{row['question']}: ρ {plain_interval(row)}; {tied}" + (
        f"; {row['remark']}" if row["remark"] else ""
    )


def _gaps(found: Table | None) -> str | None:
    rows = (
        [row for row in found.rows if row["statistic"] == "gap" and not row["model"]]
        if found is not None
        else []
    )
    return "; ".join(f"{row['group']} {interval(row)} points" for row in rows) or None


def _share(evidence: Evidence, who: str) -> str | None:
    if who not in evidence.passed:
        return None
    looked = evidence.checked.get(who, evidence.passed[who])
    if not looked:
        return "no verdict could be read"
    return f"{len(evidence.passed[who])} of {len(looked)} pass strictly"
