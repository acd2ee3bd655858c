"""The command that would do what an audit has not done."""

from __future__ import annotations

from collections.abc import Mapping

from hesperus.reports.tax.evidence import Evidence
from hesperus.reports.wording import parsed

ALIGNMENT_FILE, RATINGS_FILE, CHECKS_FILE = "audit.json", "ratings.csv", "checks.csv"
"""Files that the commands of an audit find beside the records of a run folder."""


def commands(evidence: Evidence) -> Mapping[str, str]:
    """What the checklist asks for to the command that would do it; RUN stands for the run folder."""
    senses = evidence.senses
    tasks = sorted(evidence.audited["task"].unique().to_list())
    task = tasks[0] if len(tasks) == 1 and tasks[0] else "TASK"
    original, translated = senses.original or "en", senses.translated or _language(senses.back) or "LANGUAGE"
    natural = senses.natural or f"{translated}~natural@MODEL"
    study = (
        f"hesperus run translation_tax --task {task} --model MODEL --source {original} --target {translated}"
    )
    rate = f"hesperus annotate create residue RUN --a {original} --b {translated} --out cues.sqlite"
    check = f"hesperus annotate create qc RUN --a {translated} --b {natural} --out qc.sqlite"
    rate += f"; then hesperus annotate export cues.sqlite --out RUN/{RATINGS_FILE}"
    check += f"; then hesperus annotate export qc.sqlite --out RUN/{CHECKS_FILE}"
    groups = "hesperus tax report RUN --group NAME=MODEL,MODEL --group NAME=MODEL"
    several = f"{study} --model ANOTHER"
    return {
        "audit of ids, options and gold on every side": (
            f"hesperus audit {task} --language {original} --language {translated} --format json > RUN/{ALIGNMENT_FILE}"
        ),
        "items left out before anything was asked": f"{study} --exclude exclusions.csv",
        "E1 back-translation, clustered over items": study,
        "E1 gate on the back-translations": "hesperus score RUN",
        "E2 rating of cues against the tax of items": rate,
        "E3 native control": "hesperus tax report RUN --native NATIVE_RUN",
        "E4 naturalisation, same items": f"{study} --rewriter MODEL",
        "what the estimators cannot tell": study,
        "cells that hang on the reader, by several readers": "hesperus tax report RUN --reader strict --reader authors",
        "bounds on every estimate from unreadable answers": study,
        "E1 with and without fragile models": study,
        "E1 between groups of models": groups,
        "E4 between groups: difference in differences": groups if senses.natural else f"{study} --rewriter MODEL",
        "E1 without each model in turn": several,
        "E4 without each model in turn": f"{several} --rewriter MODEL",
        "strata fixed before rewriting, with a fingerprint": (
            "hesperus tax strata RUN --out strata.json --group NAME=MODEL,MODEL"
        ),
        "rewritten items verified by another model": f"{study} --rewriter MODEL --verifier ANOTHER",
        "rewritten items checked by people": check,
        "agreement on ratings of cues": rate,
        "agreement on checks of rewritten items": check,
    }  # fmt: skip


def _language(code: str | None) -> str | None:
    """The language that a back-translation came from."""
    sense = parsed(code) if code is not None else None
    return None if sense is None else sense.source or sense.via
