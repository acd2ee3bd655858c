"""What the page of an audit says in words: what was audited, what came out and what that hangs on, what was excluded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import polars as pl

from hesperus.analysis.measure_names import TAX_ESTIMATORS
from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.audit_evidence import Evidence, misaligned_counts
from hesperus.analysis.tax.naturalisation import NO_GAIN
from hesperus.analysis.tax.paired_records import PairedAnswers
from hesperus.reports.tabulated import estimate_text
from hesperus.reports.tax.tax_grids import first_row, language_of, rows_of
from hesperus.rounding import cell
from hesperus.wording import (
    counted,
    few_or_counted,
    joined,
    language_label,
    lost_sentences,
    parsed,
    sense_sentence,
)

FEW = 10
"""Items below which resamples say too little of what other items would give to carry a verdict."""


def title(evidence: Evidence) -> str:
    """The question that the audit asks."""
    tasks = sorted(evidence.audited["task"].unique().to_list())
    what = few_or_counted(tasks, "benchmark")
    where = f" in {language_of(_translated(evidence))}" if _translated(evidence) else ""
    traces = (
        f"traces of {language_of(evidence.senses.original)}"
        if evidence.senses.original
        else "its translation"
    )
    return f"How much of a score on {what}{where} rests on {traces}?"


def _translated(evidence: Evidence) -> str | None:
    """The sense of the audited language, or its tag where only the way back was asked."""
    back = parsed(evidence.senses.back) if evidence.senses.back is not None else None
    return evidence.senses.translated or (back.source or back.via if back is not None else None)


def audited(evidence: Evidence, study: Mapping[str, Any]) -> list[str]:
    """What was audited, a sentence a part of it."""
    senses, records = evidence.senses, evidence.audited
    counts = [
        f"{task} ({counted(frame['item'].n_unique(), 'item')})"
        for (task,), frame in records.sort("task").group_by("task", maintain_order=True)
    ]
    told = [f"Benchmark: {joined(counts)}" + _languages(senses.original, _translated(evidence)) + "."]
    models = sorted(records["model"].unique().to_list())
    grouped = evidence.settings.grouped(models)
    named = joined(models)
    if evidence.settings.groups:
        named = "; ".join(
            f"{group}: {joined([models[row] for row in rows])}" for group, rows in grouped.items()
        )
    told.append(f"{counted(len(models), 'model')}: {named}.")
    if senses.back is not None:
        told.append(f"Back-translation (E1): {_made(senses.back, evidence.own)}.")
    if senses.natural is not None:
        told.append(
            f"Natural rewriting (E4): {_made(senses.natural, evidence.own)}"
            + _checkers(evidence, study)
            + "."
        )
    if evidence.native is not None:
        held = evidence.records.filter(pl.col("task") == evidence.native)
        told.append(f"Native control (E3): {evidence.native} ({counted(held['item'].n_unique(), 'item')}).")
    return told


def _languages(original: str | None, translated: str | None) -> str:
    labels = [
        language_label(sense.language) if (sense := parsed(code)) is not None else code
        for code in (original, translated)
        if code is not None
    ]
    return (
        f", {' and its translation into '.join(labels)}"
        if len(labels) == 2
        else "".join(f", {x}" for x in labels)
    )


def _made(code: str, own: Collection[str]) -> str:
    return sense_sentence(code, own).replace("by the model itself", "by each model itself")


def _checkers(evidence: Evidence, study: Mapping[str, Any]) -> str:
    what = study.get("naturalise")
    model = what.get("verifier") if isinstance(what, Mapping) else None
    people = [who for who in evidence.passed if who != "verifier"]
    parts = [f"verified by {model or 'another model'}"] if "verifier" in evidence.passed else []
    parts += [f"checked by {joined(people)}"] if people else []
    return f"; {joined(parts)}" if parts else "; not checked"


def verdict(evidence: Evidence, tables: Mapping[str, Table]) -> list[str]:
    """What came out, in a sentence or two: never more than the design identifies."""
    told = []
    back, natural = (
        first_row(tables.get("back_translation"), "clustered"),
        first_row(tables.get("naturalisation"), "pooled"),
    )
    if back is not None:
        told.append(_way_back(back, evidence))
    if natural is not None:
        told.append(_rewritten(natural, tables["naturalisation"], evidence))
    elif back is not None and back["value"] is not None:
        told.append(
            f"No item was rewritten naturally (E4), so traces of {language_of(evidence.senses.original)} and the costs of "
            "translating back cannot be told apart."
        )
    if not told and "native_control" in tables:
        told.append(_gaps(tables["native_control"]))
    if not told:
        told.append("No two conditions of the same items were asked, so nothing can be said of a tax.")
    return told


def _way_back(row: Row, evidence: Evidence) -> str:
    source, n = language_of(evidence.senses.original), counted(row["n"], "item")
    if row["value"] is None:
        return f"What the way back to {source} costs cannot be told: {row['reason']}."
    if row["could_change"] is not None:
        return f"On the way back to {source} {_unchanged(row, evidence, 'a cost')}."
    said = f"{estimate_text(row, 'points')} percentage points on {n}"
    if row["low"] is None:
        return f"Brought back into {source}, the items cost the models {said}; without an interval, how sure that is stays open."
    if row["n"] < FEW:
        return f"What the way back to {source} costs cannot be told from so few items ({said})."
    side = _side(row)
    if side > 0:
        return (
            f"Brought back into {source}, the items cost the models {said}: traces of {source} that are lost would do that, "
            "and so would errors and stiff wording of the back-translation."
        )
    if side < 0:
        return (
            f"Brought back into {source}, the items become easier ({said}): a tax of this kind does not show."
        )
    return (
        f"Whether the way back to {source} costs the models anything cannot be told ({said}, {_p(row)}); a cost beyond "
        f"{cell(row['high'], 'points')} lies outside the interval."
    )


def _unchanged(row: Row, evidence: Evidence, what: str) -> str:
    """An interval without width is no certainty: on how many items there may still be something."""
    level = f"{100 * evidence.settings.bootstrap.level:g}\u00a0%"
    return (
        f"no answer turned from right to wrong or from wrong to right, on any of {counted(row['n'], 'item')}; that leaves "
        f"room for {what} on up to {cell(row['could_change'], 'share')} of such items ({level} bound)"
    )


def _rewritten(row: Row, found: Table, evidence: Evidence) -> str:
    language, n = language_of(_translated(evidence)), counted(row["n"], "item")
    if row["value"] is None:
        return f"What natural rewriting does cannot be told: {row['reason']}."
    if row["could_change"] is not None:
        told = (
            f"When the items are rewritten as one writes {language}, {_unchanged(row, evidence, 'an effect')}"
        )
        return f"{told}; {NO_GAIN}." if NO_GAIN in str(found.signature["notes"]) else f"{told}."
    said = f"{estimate_text(row, 'points')} points on {n}"
    side = _side(row)
    told = (
        f"Rewritten as one writes {language}, the items become easier ({said})" if side > 0 else
        f"Rewritten as one writes {language}, the items become harder ({said})" if side < 0 else
        f"Whether the items are easier when they are rewritten as one writes {language} cannot be told ({said})"
    )  # fmt: skip
    apart = next(rows_of(found, "strata"), None)
    if evidence.reused:
        return f"{told}; the same replies picked the strata, so that these cannot be compared."
    if apart is None or apart["value"] is None:
        return f"{told}."
    if apart["n"] < FEW:
        return f"{told}; whether those full of cues gain more than others cannot be told from {counted(apart['n'], 'item')}."
    if _side(apart) > 0:
        return f"{told}; those full of cues gain more than those free of them ({estimate_text(apart, 'points')} points), which is what cues would do."
    return f"{told}; that those full of cues gain more than those free of them does not show ({estimate_text(apart, 'points')} points)."


def _gaps(found: Table) -> str:
    rows = [row for row in found.rows if row["statistic"] == "gap" and not row["model"]]
    said = joined([_gap(row) for row in rows])
    return (
        f"Accuracy on the translated items less that on native ones: {said}; these are other items, so the gap is no measure of "
        "traces of the source language."
    )


def _gap(row: Row) -> str:
    whose = "all models" if row["group"] == "all" else row["group"]
    if row["value"] is None:
        return f"{whose} {estimate_text(row, 'points')}"
    told = {
        1: "more often right on the translated",
        -1: "more often right on the native",
        0: "which is more cannot be told",
    }
    return f"{whose} {estimate_text(row, 'points')} points ({_p(row)}: {told[_side(row)]})"


def _side(row: Row) -> int:
    """On which side of 0 the difference lies, as its test decides; 0 where it does not tell, and for too few items to have one."""
    if row["n"] < FEW or row["p"] is None or row["p"] > _ERROR:
        return 0
    return 1 if row["value"] > 0 else -1


def _p(row: Row) -> str:
    return f"p = {cell(row['p'])}" if row["p"] is not None else "not tested"


_ERROR = 0.05


def hangs_on(evidence: Evidence, tables: Mapping[str, Table]) -> list[str]:
    """What the verdict hangs on: a model, the invalid answers, a benchmark, the quality threshold that was not applied."""
    told = []
    for name, analysis, what in (("back_translation", "clustered", "E1"), ("naturalisation", "pooled", "E4")):
        main = first_row(tables.get(name), analysis)
        if main is not None and main["value"] is not None:
            told += [f"{what} {text}" for text in _changed(tables[name], main)]
    for name in ("back_translation", "naturalisation"):
        rates = tables[name].signature.get("parser_sensitive") if name in tables else None
        if isinstance(rates, Mapping) and rates:
            models = [f"{model} ({cell(rate, 'share')} readable on a side)" for model, rate in rates.items()]
            told.append(f"Often without a valid answer in {TAX_ESTIMATORS[name]}: {joined(models)}.")
    for row in tables["bounds"].rows if "bounds" in tables else ():
        if row["analysis"] != "clustered" or row["group"] or None in (row["lowest"], row["highest"]):
            continue
        if row["lowest"] != row["highest"]:
            told.append(
                f"{row['comparison']}: whatever its invalid answers were meant to say, from {cell(row['lowest'], 'points')} to "
                f"{cell(row['highest'], 'points')} points."
            )
    if "back_translation" in tables and evidence.scores is None:
        told.append(
            "E1: no quality threshold was applied, since the back-translations were not scored: bad ones count as much as good ones."
        )
    return told


def in_the_records(found: PairedAnswers) -> str:
    """What the records themselves say of the alignment of the original and what came back."""
    counts = "; ".join(f"{count:,} {name}" for name, count in misaligned_counts(found).items())
    said = counts or "none is on one side only, or has a gold that moved"
    return f"In the records, of {counted(len(found.items), 'item')}: {said}."


def _changed(found: Table, main: Row) -> Iterator[str]:
    """Parts without which the test decides otherwise."""
    side = _side(main)
    said = {1: "lies above 0", -1: "lies below 0", 0: "does not tell on which side of 0 it lies"}
    parts = {
        "without model": "without {model}",
        "without parser-sensitive models": "without {model}, often without a valid answer",
        "one benchmark": "on {task} alone",
    }
    for row in (row for analysis in parts for row in rows_of(found, analysis)):
        if not row.get("stratum") and row["value"] is not None and _side(row) != side:
            part = parts[row["analysis"]].format_map(row)
            yield f"{said[_side(row)]} {part}: {estimate_text(row, 'points')} points."


def asides(evidence: Evidence, tables: Mapping[str, Table]) -> list[str]:
    """What was excluded and why, and how intervals are made."""
    dropped = evidence.dropped
    if dropped is None:
        told = ["Whether items were excluded before anything was asked is not known."]
    elif dropped:
        told = [
            f"Excluded before anything was asked: {'; '.join(f'{count:,} {why}' for why, count in dropped.items())}."
        ]
    else:
        told = ["No item was excluded before anything was asked."]
    row = first_row(tables.get("back_translation"), "clustered")
    if row is not None:
        why = f": {row['reason']}" if row["reason"] else ""
        told.append(
            f"E1 compares {counted(row['n'], 'item')}; {counted(row['excluded'], 'item')} excluded{why}."
        )
    for name in ("back_translation", "naturalisation"):
        alone = tables[name].signature.get("asked on one side only") if name in tables else None
        if isinstance(alone, list) and alone:
            told.append(
                f"Asked in one condition of {TAX_ESTIMATORS[name]} only, and excluded of it: {joined(alone)}."
            )
    told += lost_sentences(evidence.records["outcome"], "no pair with one is compared")
    boot = evidence.settings.bootstrap
    if boot.resamples:
        told.append(
            f"Brackets are {100 * boot.level:g} % intervals over {boot.resamples:,} resamples of items; all answers to a "
            "drawn item travel together."
        )
    return told
