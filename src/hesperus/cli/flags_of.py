"""The flags that describe each study, which of them must be given, and which commands go on from its run folder.

A flag that no study had is declared in study_flags.py; the studies themselves are in hesperus.api.studies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_ITEMS = ("task", "data", "model", "limit", "exclude")
_HOW = ("base_url", "key_variable", "temperature", "max_tokens", "max_tokens_again", "system", "reasoning_effort", "request",
        "concurrency", "max_requests", "max_tokens_total", "max_money", "shard", "prices")  # fmt: skip
"""How models are asked, and the limits of it: flags of every study."""
_ASKING = (*_ITEMS, "scoring", *_HOW)


@dataclass(frozen=True, slots=True)
class StudyFlags:
    """A study as the command line sees it.

    Attributes:
        name: What stands under `study` in a study file.
        flags: Flags that describe it, beside those of every study.
        needs: What flags alone must give; one of these sets.
        next: Commands that go on from a run folder, with {run} in its place.
        intervals_in: Keys of the study file under which its `bootstrap` stands.
    """

    name: str
    flags: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]
    next: tuple[str, ...]
    intervals_in: tuple[str, ...] = ()


FLAGS_OF: Mapping[str, StudyFlags] = {
    kind.name: kind
    for kind in (
        StudyFlags(
            "multisense",
            flags=(*_ASKING, "source", "target", "sense", "originals", "repeats"),
            needs=(("task", "model"),),
            next=("hesperus report {run}",),
        ),
        StudyFlags(
            "similarity",
            flags=(*_ASKING, "records", "language", "grouping", "by", "pivot", "statistic", "resamples",
                   "seed", "interval"),
            needs=(("records",), ("task", "model", "language")),
            next=("hesperus measure tests {run}", "hesperus report {run}"),
            intervals_in=("comparison",),
        ),
        StudyFlags(
            "translate_then_evaluate",
            flags=(*_ITEMS, "language", "reference", "translator", "prompt_translator", "evaluate", "judge", "trained_on",
                   "control", "resamples", "seed", "interval", *_HOW),
            needs=(("task", "model", "language", "translator"),),
            next=("hesperus report {run}", "hesperus evaluate information {run} --judge MODEL"),
        ),
        StudyFlags(
            "translation_tax",
            flags=(*_ITEMS, "source", "target", "group", "translator", "rewriter", "verifier", "native", *_HOW),
            needs=(("task", "model", "target"),),
            next=("hesperus report {run}", "hesperus tax checklist {run}"),
        ),
    )
}  # fmt: skip
