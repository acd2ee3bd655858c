"""Strata of an audit's records: which items are rewritten, fixed before any rewriting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hesperus.analysis.tax.tax_settings import AuditInputs, conditions_of
from hesperus.api.tax_runs import declared, records_of, scores_of
from hesperus.errors import UsageError
from hesperus.studies.translation_tax.strata import Strata, StrataRule, strata_of, write_strata
from hesperus.studies.translation_tax.verifying import low_scores


def pick_strata(
    inputs: AuditInputs,
    out: Path,
    *,
    anchor: str = "translated",
    per_subject: int = 4,
    subject: str | None = None,
    sizes: Mapping[str, int] | None = None,
    seed: int = 42,
) -> Strata:
    """Pick the items and write them down.

    Args:
        inputs: Runs, groups (the first is the source-centric one, the second the one that it disagrees with), senses, and
            which back-translations are good enough.
        out: File to write (JSON); never written over by other strata.
        anchor: Where the source-centric models must all be right: translated or original.
        per_subject: Most items of a subject; 0: no cap.
        subject: Column of the subjects (default: subject, if any).
        sizes: STRATUM=N: most items of a stratum.
        seed: Seed of the draw.

    Raises:
        UsageError: No group, a setting that cannot be, senses that are not plain, or the file holds other strata.
        UnknownNameError: A model, sense or stratum that does not exist.
        DataError: The records break their contract, or no item is in any stratum.
    """
    study = declared(inputs.runs)
    groups = list(inputs.settings(study).groups.values())
    if not groups:
        raise UsageError("strata need the source-centric models: --group english=MODEL,MODEL")
    if anchor not in ("translated", "original"):
        raise UsageError(f"--anchor is translated or original, not {anchor!r}")
    records, quality = records_of(inputs.runs, inputs.exclude, inputs.tasks), inputs.quality(study)
    found = conditions_of(records["input"].unique().to_list(), replace(inputs.senses, natural=None))
    if found.original is None or found.translated is None or found.back is None:
        raise UsageError("it is not plain which senses are meant: give --original, --translated and --back")
    named = subject or "subject"
    cap = (per_subject or None) if subject or named in records.columns else None
    rule = StrataRule(
        found.original, found.translated, found.back, anchor,  # type: ignore[arg-type]  # checked above
        sizes=dict(sizes or {}), per_subject=cap, subject=named, seed=seed,
    )  # fmt: skip
    scored = scores_of(inputs.runs, inputs.scores, records, found.back, quality.metric)
    bad = low_scores(scored, found.back, quality.metric, quality.threshold) if scored is not None else ()
    others = groups[1] if len(groups) > 1 else ()
    picked = strata_of(records, rule, centric=groups[0], others=others, leave_out=bad)
    write_strata(picked, out)
    return picked
