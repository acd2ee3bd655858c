"""What each open run is and holds, for the head of the first page."""

from __future__ import annotations

from dataclasses import dataclass

from hesperus.item_views.missing_parts import missing_parts
from hesperus.records import Run


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run holds: counts, records without a reply, and answers corrected by hand.

    Attributes:
        missing: What it lacks, and how to get it.
        file: Name of the file of corrections.
    """

    name: str
    kind: str
    records: int
    items: int
    models: int
    errors: int
    missing: tuple[str, ...]
    corrected: int = 0
    file: str = ""


def run_facts(name: str, run: Run, kind: str) -> RunFacts:
    """Count what a run holds."""
    records = run.records
    errors = int((records["outcome"] == "error").sum())
    return RunFacts(
        name, kind, len(records), records["item"].n_unique(), records["model"].n_unique(), errors, missing_parts(run)
    )  # fmt: skip
