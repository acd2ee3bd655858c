"""Every study is planned and run by the same two functions: its stages are counted, or done, one after the other."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from hesperus.errors import UsageError
from hesperus.fingerprint import JSON
from hesperus.records import Run, write_run
from hesperus.records.ordering import in_key_order
from hesperus.studies.asked.declaring import Declared
from hesperus.studies.asked.keeping import StudyRun, as_kept, decided, lost_questions
from hesperus.studies.asked.planning import Line, Plan, plan_of
from hesperus.studies.asked.session import ProgressCallback, identities, open_session
from hesperus.studies.asked.sharding import stores_of
from hesperus.studies.asked.stages import Course, Outcome, Place
from hesperus.version import __version__


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
        UsageError: A task, language, model, sense or translator that does not exist or cannot do it, or a missing key.
        DataError: Items or records that break their contract, or that give nothing to compare.
        ModelError: An endpoint or translator that fails every request alike.
        BudgetReachedError: The budget stopped the run; what was answered is kept.
    """
    course = _course(study, folder=folder, **more)
    stores = stores_of(study, folder, store)
    if course.material is None:
        return _written(study, course, _last(course), folder)
    with ExitStack() as opened:
        session = opened.enter_context(
            open_session(course.models, stores, terms=study, watch=progress, makes=course.makes)
        )
        place = Place(session, folder, stores, opened, progress)
        outcome = _last(course, place)
        if stores.is_shard:
            faults = (*outcome.faults, *lost_questions(outcome.records))
            return stores.ended(session.store, session.failures.total(), faults)
    return _written(study, course, outcome, folder)


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
        # In the order of the file, so that the rows are not held twice while it is written.
        return replace(outcome, records=in_key_order(outcome.records))


def _written(study: Declared, course: Course, outcome: Outcome, folder: Path) -> StudyRun:
    """Write the run folder: what lies next to first, and the signature last, so that its presence means a whole run."""
    signed: dict[str, JSON] = {"hesperus": __version__, "study": decided(study)}
    if course.models:
        signed["models"] = identities(course.models)
    if course.material is not None:
        signed |= course.material.signed()
    run = Run(outcome.records, outcome.items, as_kept(study, folder), {**signed, **outcome.signed})
    if outcome.beside is not None:
        (folder / "signature.json").unlink(missing_ok=True)
        outcome.beside(folder)
    write_run(run, folder)
    faults = (*outcome.faults, *lost_questions(outcome.records))
    return StudyRun(run, folder, faults, outcome.excluded)
