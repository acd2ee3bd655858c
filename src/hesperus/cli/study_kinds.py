"""The studies that the command knows, in one place: where each lives, which flags describe it, which tables it ends with.

A study joins by one entry in STUDIES. Its package has `study_from_mapping`, `default_folder`, `plan_study` and
`run_study` (see docs/studies.md); a flag that no study had is declared in study_flags.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hesperus.errors import UnknownNameError

if TYPE_CHECKING:
    from hesperus.reports.table import Table
    from hesperus.studies.asked import StudyRun

_ASKING = ("task", "data", "model", "limit", "exclude", "scoring", "base_url", "key_variable", "temperature", "max_tokens",
           "max_tokens_again", "system", "reasoning_effort", "request", "concurrency", "max_requests", "max_tokens_total",
           "max_money", "prices")  # fmt: skip
"""Flags of every study that asks models."""


@dataclass(frozen=True, slots=True)
class StudyKind:
    """A study as the command sees it.

    Attributes:
        name: What stands under `study` in a study file.
        home: Package of the study.
        flags: Flags that describe it, beside those of every study.
        needs: What flags alone must give; one of these sets.
        tables: Tables that `run --table` prints; the first is that of every format but `table`.
        table: Makes one of them.
        summary: What `run` ends with in a terminal.
        next: Commands that go on from a run folder, with {run} in its place.
        intervals_in: Keys of the study file under which its `bootstrap` stands.
    """

    name: str
    home: str
    flags: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]
    tables: tuple[str, ...]
    table: Callable[[StudyRun, str], Table]
    summary: Callable[[StudyRun], Table]
    next: tuple[str, ...]
    intervals_in: tuple[str, ...] = ()

    def study(self, values: Mapping[str, Any], file: str | None = None) -> Any:
        """The validated study."""
        return import_module(self.home).study_from_mapping(values, file=file)

    def call(self, function: str, *given: Any, **named: Any) -> Any:
        """Call a function of the study's package."""
        return getattr(import_module(self.home), function)(*given, **named)


def study_kind(name: str) -> StudyKind:
    """The study of that name.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in STUDIES:
        raise UnknownNameError("study", name, STUDIES, "or give the path of a study file ending in .yaml")
    return STUDIES[name]


def _measured(run: StudyRun, name: str) -> Table:
    from hesperus.reports.measured import Described, measure_table

    return measure_table(name, run.records, described=Described(run.run.study, run.run.signature, run.folder))


def _consistency(run: StudyRun) -> Table:
    from hesperus.reports.summary import consistency_summary

    whole = _measured(run, "consistency")
    found = consistency_summary(whole)
    # Without a made sense there is no line to lay out; what repeats and other originals say stands in the table itself.
    return found if found.rows else whole


def _similarity(run: StudyRun) -> Table:
    from hesperus.reports.measured.similarity_named import similarity_summary

    return similarity_summary(_measured(run, "designs"), _measured(run, "tests"))


def _open_answers(run: StudyRun, name: str) -> Table:
    from hesperus.reports.open_answers import run_table

    return run_table(run.folder, name, run.run.study)


def _open_summary(run: StudyRun) -> Table:
    from hesperus.reports.open_answers import run_summary

    return run_summary(run.folder, run.run.study)


def _tax(run: StudyRun, name: str) -> Table:
    from hesperus.cli.tax_evidence import run_table

    return run_table(run.folder, name)


def _tax_summary(run: StudyRun) -> Table:
    from hesperus.cli.tax_evidence import run_summary

    return run_summary(run.folder)


STUDIES: Mapping[str, StudyKind] = {
    kind.name: kind
    for kind in (
        StudyKind(
            "multisense",
            "hesperus.studies.multisense",
            flags=(*_ASKING, "source", "target", "sense", "originals", "repeats"),
            needs=(("task", "model"),),
            tables=("consistency", "accuracy", "agreement", "decomposition", "directions", "labels", "outcomes", "together", "validity"),
            table=_measured,
            summary=_consistency,
            next=("hesperus report {run}",),
        ),
        StudyKind(
            "similarity",
            "hesperus.studies.similarity",
            flags=(*_ASKING, "records", "language", "grouping", "by", "pivot", "statistic", "resamples",
                   "seed", "interval"),
            needs=(("records",), ("task", "model", "language")),
            tables=("designs", "similarity", "tests", "relations", "together", "scoring"),
            table=_measured,
            summary=_similarity,
            next=("hesperus measure tests {run}", "hesperus report {run}"),
            intervals_in=("comparison",),
        ),
        StudyKind(
            "translate_then_evaluate",
            "hesperus.studies.translate_then_evaluate",
            flags=("task", "data", "model", "limit", "exclude", "language", "reference", "translator", "prompt_translator",
                   "evaluate", "judge", "trained_on", "control", "resamples", "seed", "interval", "base_url", "key_variable", "temperature", "max_tokens", "max_tokens_again",
                   "system", "reasoning_effort", "request", "concurrency", "max_requests",
                    "max_tokens_total", "max_money", "prices"),
            needs=(("task", "model", "language", "translator"),),
            tables=("scores", "groups", "counts", "prompts", "readability"),
            table=_open_answers,
            summary=_open_summary,
            next=("hesperus report {run}", "hesperus evaluate information {run} --judge MODEL"),
        ),
        StudyKind(
            "translation_tax",
            "hesperus.studies.translation_tax",
            flags=("task", "data", "model", "limit", "exclude", "source", "target", "group", "translator", "rewriter",
                   "verifier", "native", "base_url", "key_variable", "temperature", "max_tokens", "max_tokens_again", "system",
                   "reasoning_effort", "request", "concurrency", "max_requests", "max_tokens_total", "max_money",
                   "prices"),
            needs=(("task", "model", "target"),),
            tables=("e1", "e3", "e4", "validity", "bounds", "checklist"),
            table=_tax,
            summary=_tax_summary,
            next=("hesperus report {run}", "hesperus tax checklist {run}"),
        ),
    )
}  # fmt: skip
