"""A study is planned and run; what a run found is one value: records, tables, pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from hesperus.analysis.table import Table
from hesperus.api.declared import DeclaredStudy, Study, declared_study
from hesperus.api.measuring import measure
from hesperus.api.pages import page_of, report
from hesperus.api.studies import study_names
from hesperus.records import Run, conform, read_any_run, read_run
from hesperus.records.packed import whole_records
from hesperus.studies.asked.keeping import StudyRun, refuse_incomplete
from hesperus.wording import counted

if TYPE_CHECKING:
    from hesperus.asking.shards import ShardResult
    from hesperus.reports.html_page import ShownPage
    from hesperus.reports.item_section import ShownItems
    from hesperus.senses import SenseMaker


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RunResult:
    """A run: what was asked and came back, and everything that can be measured of it.

    Attributes:
        run: Records, items, study and signature.
        folder: Where it lies; a file of records represents itself.
        kind: Name of the study, or None of records that come from elsewhere.
        faults: What could not be asked, each as one line for people.
        notes: What was excluded before anything was asked, and replies that were cut off, each as one line.
        shard: Where only a part of a study was asked: which, and where its replies are. There are no records then.
    """

    run: Run
    folder: Path
    kind: str | None = None
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    shard: ShardResult | None = None

    @classmethod
    def of(cls, kind: str, found: StudyRun, folder: Path) -> RunResult:
        """The result of a study that was run."""
        notes = tuple(str(note) for note in (found.excluded, found.dropped, found.cut_off) if note)
        return cls(found.run, folder, kind, found.faults, notes, found.shard)

    def raise_if_incomplete(self) -> None:
        """Raise where records are missing, so that a script notices.

        Raises:
            ModelError: Some questions got no answer; the message says how many and why.
        """
        refuse_incomplete(self.faults)

    @property
    def records(self) -> pl.DataFrame:
        """The records table: a row for each answer; of a large run it is read from its folder."""
        return self.run.records if self.run.scan is None else whole_records(self.run)

    @property
    def study(self) -> Mapping[str, object]:
        """What the study declares."""
        return self.run.study

    @property
    def signature(self) -> Mapping[str, object]:
        """How the run was made."""
        return self.run.signature

    def summary(self) -> Table:
        """Per model and language: accuracy, consistency, agreement, share answered, what was excluded."""
        return self.measure("summary")

    def measure(self, what: str, **settings: Any) -> Table:
        """As hesperus.measure, of this run."""
        return measure(what, self, **settings)

    def items(self, *, reference: str | None = None, **conditions: Any) -> ShownItems:
        """The questions behind a number, by what was answered to them; a notebook shows them as the item matrix.

        Args:
            reference: Sense that answers are compared with; None: what a sense was made from, or the study's reference.
            conditions: Those of hesperus.analysis.item_filter.ItemFilter, all of which hold: `right="en", wrong="sw"`,
                `changed="sw"`, `differs=("instruction", "input")`, `anywhere="invalid"`, `groups={"subject": "law"}`,
                `model=…`, `at_least=0.9` (confidence), `text="capital"`.

        Returns:
            The matrix, whose `frame` has a row for each model and item, the most telling first, with a struct for each sense:
            answer, gold, outcome, mark, changed, confidence, probs, reply_language and reply.

        Raises:
            UnknownNameError: A condition, sense, group, model or mark that does not exist.
            DataError: The run has no records.
        """
        from hesperus.reports.item_section import shown_items

        whole = self.run if self.run.scan is None else read_run(self.folder)
        return shown_items(self.folder.name or "records", whole, reference, conditions)

    def report(self, out: Path | str | None = None, **settings: Any) -> Path:
        """As hesperus.report, of this run."""
        return report(self, out, **settings)

    def page(self, **settings: Any) -> ShownPage:
        """The page of hesperus.report, of this run, for a notebook, which shows it in a frame; `str()` is its HTML.

        Args:
            settings: As in hesperus.report.
        """
        from hesperus.reports.html import report_page
        from hesperus.reports.html_page import ShownPage

        made = page_of([self.folder], **settings)
        return ShownPage(report_page(made.run, given=made.given, found=made.found))

    def __repr__(self) -> str:
        if self.shard is not None:
            return "\n".join([str(self.shard), *(f"incomplete: {fault}" for fault in self.faults)])
        held = self.run.records
        models, items = held["model"].n_unique(), held["item"].n_unique()
        sizes = (counted(models, "model"), counted(items, "item"), counted(len(held), "record"))
        line = f"{self.kind or 'records'}: {', '.join(sizes)} in {self.folder}"
        return "\n".join([line, *self.notes, *(f"incomplete: {fault}" for fault in self.faults)])

    def _repr_html_(self) -> str:
        from hesperus.reports.formats import format_table

        lines = "<br>".join(escape(line) for line in repr(self).splitlines())
        return f"<p>{lines}</p>{'' if self.shard else format_table(self.summary(), 'html')}"


def plan(study: Study, *, store: Path | str | None = None, **settings: Any) -> Table:
    """What a run would ask and cost; sends nothing.

    Args:
        study: As in run.
        store: Reply store: what it holds is not asked again.
        settings: As in run.

    Returns:
        A row for each model, stage and condition, and one `total` for each model: requests, those that would be sent,
        and ranges of tokens and price.

    Raises:
        UnknownNameError: As in run.
        DataError: As in run.
    """
    made = declared_study(study, settings).plan(None if store is None else Path(store))
    return Table("plan", made.columns, made.rows, made.signature)


def run(
    study: Study,
    *,
    out: Path | str | None = None,
    store: Path | str | None = None,
    progress: bool | None = None,
    makers: Mapping[str, SenseMaker] | None = None,
    **settings: Any,
) -> RunResult:
    """Run a study, or go on with one that was stopped: nothing is paid for twice.

    Args:
        study: `multisense`, `similarity`, `translate_then_evaluate` or `translation_tax`; a study file or run folder; or
            what would be in a file.
        out: Run folder. Where None: that of the study, if it is run again as it was; else one under `runs/`, the same
            for the same study.
        store: Reply store; `replies.sqlite` besides the run folder where None.
        progress: Whether stages are shown on standard error; None: where a person looks at it (a terminal, a notebook).
        makers: Of multisense: further sense makers by the name of their variant.
        settings: Keys of a study file or names of flags: `task`, `models`, `target`, `languages`, `limit`, ….

    Raises:
        UnknownNameError: A study, key, task, language, model or sense that does not exist.
        DataError: A value of the wrong kind, or items that break their contract.
        ModelError: An endpoint fails every request alike. Single failures are in `faults` of the result.
    """
    return run_declared(
        declared_study(study, settings), out=out, store=store, progress=progress, makers=makers
    )


def run_declared(
    declared: DeclaredStudy,
    *,
    out: Path | str | None = None,
    store: Path | str | None = None,
    progress: bool | None = None,
    makers: Mapping[str, SenseMaker] | None = None,
) -> RunResult:
    """As run, of a study that is declared already."""
    from hesperus.api.progress import stage_progress

    more: dict[str, Any] = {} if makers is None else {"makers": makers}
    folder = declared.folder() if out is None else Path(out)
    kept = None if store is None else Path(store)
    with stage_progress(progress) as watch:
        found = declared.run(folder, store=kept, progress=watch, **more)
    return RunResult.of(declared.study.name(), found, folder)


def open_run(place: RunResult | StudyRun | pl.DataFrame | Path | str) -> RunResult:
    """A run that is there already.

    Args:
        place: A run folder, a file of records (Parquet, CSV, JSON lines), or records as a frame.

    Raises:
        UsageError: No such file.
        DataError: The records break their contract.
    """
    if isinstance(place, RunResult):
        return place
    if isinstance(place, StudyRun):
        return RunResult.of(str(place.run.study["study"]), place, place.folder)
    if not isinstance(place, Path | str):
        return RunResult(Run(conform(place)), Path())
    path = Path(place)
    run = read_any_run(path)
    named = str(run.study.get("study"))
    return RunResult(run, path, named if named in study_names() else None)
