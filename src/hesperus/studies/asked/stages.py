"""The stages of a study: each says what it would ask, and asks it; their order is written once, for plans and for runs.

A study yields its stages one by one and gets back the outcome of each. A plan counts the requests of every stage and goes
on with what a stage could have come to; a run asks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

import polars as pl

from hesperus.errors import UsageError
from hesperus.fingerprint import JSON
from hesperus.memory import give_back
from hesperus.models import Model
from hesperus.records import Run, write_run
from hesperus.records.files import parts_folder
from hesperus.records.ordering import in_key_order
from hesperus.records.packed import packed_records
from hesperus.records.parts import trusted_scan
from hesperus.records.runs import refuse_other_run
from hesperus.studies.asked.answering import (
    Asked,
    AskSettings,
    ReadRow,
    Senses,
    answer_row,
    questions,
    rows_of_replies,
)
from hesperus.studies.asked.declaring import Declared
from hesperus.studies.asked.exclusions import Excluded
from hesperus.studies.asked.keeping import (
    ItemGroups,
    StudyRun,
    as_kept,
    decided,
    lost_questions,
    no_records,
    records_of,
    set_apart,
)
from hesperus.studies.asked.material import LoadedItems
from hesperus.studies.asked.planning import Line, Plan, answer_lines, plan_of
from hesperus.studies.asked.session import ModelSession, ProgressCallback, identities, open_session
from hesperus.studies.asked.sharding import Stores, stores_of
from hesperus.studies.asked.study_cells import Cell
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.tasks.frames import item_columns
from hesperus.types import Failure, Reply, Request
from hesperus.version import __version__

Result = TypeVar("Result")

_IN_MEMORY = 1 << 15
"""Records of a run that are held whole in memory; of more, texts are held as codes and replies left on disk."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the stages of a run are done.

    Attributes:
        session: Who asks.
        folder: Run folder.
        parts: Folder for records that are yet to be put in order.
        stores: Where replies and translations are kept.
        opened: Closes, at the end of the run, what a stage opened.
        watch: Hears of the progress, or None.
    """

    session: ModelSession
    folder: Path
    parts: Path
    stores: Stores
    opened: ExitStack
    watch: ProgressCallback | None

    def translations(self) -> TranslationStore:
        """The store of translations, open until the end of the run."""
        store = TranslationStore(self.stores.translations, self.stores.base_translations)
        return self.opened.enter_context(store)


class Stage(ABC, Generic[Result]):
    """A step of a study."""

    is_common = False
    """Whether all shards of a study need what it makes."""

    def lines(self) -> Iterable[Line]:
        """What it would ask, without sending anything."""
        return ()

    @abstractmethod
    def supposed(self) -> Result:
        """What a plan goes on with, in place of what the stage would come to."""

    @abstractmethod
    def done(self, place: Place) -> Result:
        """Do it: what the store holds is not asked again."""


@dataclass(frozen=True, slots=True)
class Work(Stage[Result]):
    """A step of one study.

    Attributes:
        work: What is done.
        instead: Makes what a plan goes on with.
        planned: Lines of a plan.
        is_common: Whether all shards need it.
    """

    work: Callable[[Place], Result]
    instead: Callable[[], Result]
    planned: Iterable[Line] = ()
    is_common: bool = False

    def lines(self) -> Iterable[Line]:
        """As given."""
        return self.planned

    def supposed(self) -> Result:
        """As given."""
        return self.instead()

    def done(self, place: Place) -> Result:
        """Do the work."""
        return self.work(place)


@dataclass(frozen=True, slots=True)
class Answer(Stage[pl.LazyFrame]):
    """Every question of some cells is put to a model; what comes is its records.

    Attributes:
        model: Who is asked.
        cells: What is asked.
        senses: The task in every sense.
        how: How answers are drawn and read.
        material: The items, for the groups that they are in.
        called: Name of the stage in a plan.
        row: Reads a reply into a row of the records.
    """

    model: str
    cells: Sequence[Cell]
    senses: Senses
    how: AskSettings
    material: LoadedItems
    called: str = "answer"
    row: ReadRow = answer_row

    def lines(self) -> Iterable[Line]:
        """A line for each cell."""
        return answer_lines(self.model, self.cells, self.senses, self.how, stage=self.called)

    def supposed(self) -> pl.LazyFrame:
        """No records."""
        return no_records().lazy()

    def done(self, place: Place) -> pl.LazyFrame:
        """Ask, and read what comes back.

        Raises:
            UsageError: The options cannot be scored.
        """
        with closing(self._parts(place)) as parts:
            found = set_apart(parts, place.parts)
        give_back()
        return found

    def _parts(self, place: Place) -> Generator[pl.DataFrame]:
        """Records in the order of the questions, which are made as they can be asked."""
        if self.how.by_logprobs:
            place.session.check_scoring(self.model, (request for _, request in self._questions() if request))
        unread, groups = deque[Asked](), ItemGroups.of(self.material)

        def requests() -> Iterator[Request]:
            for one, request in self._questions():
                unread.append(one)
                if request is not None:
                    yield request

        def records(replies: Sequence[Reply | Failure]) -> pl.DataFrame:
            rows = rows_of_replies(
                unread, replies, self.senses, self.how, task=self.material.task.name, row=self.row
            )
            return records_of(self.model, rows, groups)

        stage = f"{self.model}: {'options scored' if self.called == 'score' else 'answers'}"
        count = sum(len(self.senses.inputs[cell.input]) for cell in self.cells)
        replies = place.session.ask_in_parts(
            self.model, requests(), count, stage, tokens=self.how.tokens_again
        )
        with closing(replies):
            yield from map(records, replies)
        yield records(())  # questions after the last that could be put

    def _questions(self) -> Iterator[tuple[Asked, Request | None]]:
        return questions(self.model, self.cells, self.senses, self.how)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run leaves behind.

    Attributes:
        records: The records table, in memory or on disk.
        items: The items in every sense, some at a time; None if they are not known.
        faults: What could not be made or done, each as one line; questions without a reply are counted by themselves.
        signed: What the signature says besides version, study, models and items.
        excluded: What a list of exclusions did, or or None.
        beside: Writes further files into the run folder.
    """

    records: pl.LazyFrame
    items: Iterable[pl.DataFrame] | None
    faults: Sequence[str] = ()
    signed: Mapping[str, JSON] = field(default_factory=dict)
    excluded: Excluded | None = None
    beside: Callable[[Path], None] | None = None


Stages = Generator[Stage[Any], Any, Callable[[], Outcome]]
"""The stages of a study in their order; at the end, what makes the outcome, which a plan does not call."""


@dataclass(frozen=True, slots=True)
class Course:
    """A study, loaded and found to be in order: what is asked about, who is asked, and its stages.

    Attributes:
        material: The items; None if only records are gathered.
        models: Everybody who is asked, by name.
        stages: The stages.
        makes: Whether texts are made anew, of which shards may need the same.
        notes: What to know of a plan, next to its lines.
    """

    material: LoadedItems | None
    models: Mapping[str, Model]
    stages: Stages
    makes: bool = False
    notes: tuple[str, ...] = ()


def default_folder(study: Declared) -> Path:
    """`runs/NAME-HASH`: the same study always has the same folder, so that a second run goes on with the first."""
    return Path("runs") / f"{study.run_name}-{decided(study)[:8]}"


def plan_study(study: Declared, *, store: Path | None = None, **more: Any) -> Plan:
    """Work out what a run would ask and cost; sends nothing and writes nothing.

    Args:
        study: The design.
        store: Reply store; its replies need not be asked again; None or a missing file holds none.
        more: What cannot be declared, such as `makers` of multisense.

    Raises:
        UsageError: As in run_study; or the study asks nothing.
        DataError: As in run_study.
    """
    course = _course(study, **more)
    if course.material is None:
        raise UsageError("this study compares records and asks nothing; run it")
    lines: list[Line] = []
    try:
        stage = next(course.stages)
        while True:
            lines += stage.lines()
            stage = course.stages.send(stage.supposed())
    except StopIteration:
        pass
    plan = plan_of(
        lines, course.models, study=study, store=store, prices=study.prices, material=course.material
    )
    note = course.material.instruction_note({line.language for line in lines})
    return plan.with_notes((*([note] if note else []), *course.notes))


def run_study(
    study: Declared,
    folder: Path,
    *,
    store: Path | None = None,
    progress: ProgressCallback | None = None,
    **more: Any,
) -> StudyRun:
    """Run a study to its end, or go on with one that was stopped: every stage starts again from the store.

    Args:
        study: The design.
        folder: Run folder to write; written anew when the run is complete.
        store: Reply store; `replies.sqlite` next to the folder where None.
        progress: Hears of every stage.
        more: What cannot be declared, such as `makers` of multisense.

    Raises:
        UsageError: A task, language, model, sense or translator that does not exist or cannot do it, a missing key, or
            the folder of another study's run.
        DataError: Items or records that break their contract, or that give nothing to compare.
        ModelError: An endpoint or translator that fails every request alike.
        BudgetReachedError: The budget stopped the run; what was answered is kept.
    """
    refuse_other_run(folder, study.model_dump(mode="json", include={"study", "task"}))
    course = _course(study, folder=folder, **more)
    stores = stores_of(study, folder, store)
    signed = _signed(study, course)
    if course.material is None:
        return _written(study, signed, _last(course), folder)
    with parts_folder(folder) as parts:
        with ExitStack() as opened:
            session = opened.enter_context(
                open_session(course.models, stores, terms=study, watch=progress, makes=course.makes)
            )
            place = Place(session, folder, parts, stores, opened, progress)
            outcome = _last(course, place)
            if stores.is_shard:
                faults = (*outcome.faults, *lost_questions(outcome.records))
                return stores.ended(session.store, session.failures.total(), faults)
            items = None if outcome.items is None else set_apart(outcome.items, parts)
        # The items go with them: a large run has no room for them while its records are written.
        del course, place, session
        give_back()
        return _written(study, signed, outcome, folder, items)


def _course(study: Declared, **more: Any) -> Course:
    found: Course = import_module(study.stages_in).course(study, **more)
    return found


def _last(course: Course, place: Place | None = None) -> Outcome:
    """Do every stage; of the common part of a study in shards, those alone that all shards need."""
    try:
        stage = next(course.stages)
        while True:
            assert place is not None, "a study without items asks nothing"
            skipped = place.stores.is_common and not stage.is_common
            stage = course.stages.send(stage.supposed() if skipped else stage.done(place))
    except StopIteration as end:
        outcome: Outcome = end.value()
        return outcome


def _signed(study: Declared, course: Course) -> dict[str, JSON]:
    """What the signature says before anything is asked."""
    signed: dict[str, JSON] = {"hesperus": __version__, "study": decided(study)}
    if course.models:
        signed["models"] = identities(course.models)
    if course.material is not None:
        signed |= course.material.signed()
    return signed


def _written(
    study: Declared,
    signed: Mapping[str, JSON],
    outcome: Outcome,
    folder: Path,
    items: pl.LazyFrame | None = None,
) -> StudyRun:
    """Write the run folder: what lies next to first, and the signature last, so that its presence means a whole run."""
    run = Run(no_records(), None, as_kept(study, folder), {**signed, **outcome.signed})
    ordered = items if items is None else items.select(item_columns(items.collect_schema().names()))
    if outcome.records.select(pl.len()).collect().item() > _IN_MEMORY:
        run = replace(run, scan=outcome.records)
    else:
        run = replace(run, records=in_key_order(outcome.records.collect()))
        run = run if ordered is None else replace(run, items=ordered.collect())
    if outcome.beside is not None:
        (folder / "signature.json").unlink(missing_ok=True)
        outcome.beside(folder)
    write_run(run, folder, items=ordered)
    faults = (*outcome.faults, *lost_questions(outcome.records))
    if run.scan is not None:
        written = trusted_scan(folder)
        assert written is not None, "it was just written"
        run = replace(run, records=packed_records(written, numbered=True), scan=written)
    return StudyRun(run, folder, faults, outcome.excluded)
