"""Runs a study: make the senses, ask the cells, write the run folder. Every stage starts again from the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.asking import ReplyStore, Spending
from hesperus.errors import ModelError
from hesperus.fingerprint import JSON, fingerprint, plain
from hesperus.models import Model
from hesperus.records import Run, write_run
from hesperus.senses import SenseMaker
from hesperus.studies.multisense.answering import How, answer_cells, questions
from hesperus.studies.multisense.assembling import Assembly
from hesperus.studies.multisense.config import MultisenseStudy
from hesperus.studies.multisense.design import design
from hesperus.studies.multisense.desk import Desk, Watch, models_of, policies_of
from hesperus.studies.multisense.keeping import (
    items_of,
    lost_questions,
    lost_texts,
    made_items_of,
    records_of,
)
from hesperus.studies.multisense.material import Material, gather
from hesperus.version import __version__


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A finished run.

    Attributes:
        run: Records, items, study and signature, as they stand in the folder.
        folder: Where.
        faults: What could not be asked, each as one line for people.
    """

    run: Run
    folder: Path
    faults: tuple[str, ...]

    @property
    def records(self) -> pl.DataFrame:
        """The records table."""
        return self.run.records

    def raise_if_incomplete(self) -> None:
        """Raise where cells are missing, so that a script notices.

        Raises:
            ModelError: Some questions got no answer; the message says how many and why.
        """
        if self.faults:
            shown = "\n  ".join(self.faults[:8])
            more = f"\n  … and {len(self.faults) - 8} more kinds" if len(self.faults) > 8 else ""
            raise ModelError(
                f"the run is incomplete; these rows have the outcome `error`, run again to complete it:\n  {shown}{more}"
            )


def default_folder(study: MultisenseStudy) -> Path:
    """`runs/TASK-HASH`: the same study always has the same folder, so that a second run goes on with the first."""
    decides = study.model_dump(mode="json", exclude={"concurrency", "budget", "prices"})
    return Path("runs") / f"{Path(study.task).stem}-{fingerprint(decides)[:8]}"


def default_store(folder: Path) -> Path:
    """The reply store beside a run folder, shared by all runs beside it."""
    return folder.parent / "replies.sqlite"


def run_study(
    study: MultisenseStudy,
    folder: Path,
    *,
    store: Path | None = None,
    progress: Watch | None = None,
    makers: Mapping[str, SenseMaker] | None = None,
) -> StudyRun:
    """Run a multisense study to its end, or go on with one that was stopped.

    Method: Ohmer, Bruni and Hupkes 2023, sections 3.3 to 4.2; see METHODS in the documentation.

    Args:
        study: The design.
        folder: Run folder to write; written anew when the run is complete.
        store: Reply store; `replies.sqlite` beside the folder where None.
        progress: Hears of every stage.
        makers: Further sense-makers by the name of their variant.

    Raises:
        UsageError: A task, language, model or sense that does not exist, or a missing key.
        DataError: Items that break their contract.
        ModelError: An endpoint that fails every request alike.
        BudgetReachedError: The budget stopped the run; what was answered is kept.
    """
    plan = design(study)
    material = gather(study, plan)
    assembly = Assembly(study, plan, material, makers or {})
    models = models_of(study, plan)
    how = How(study.system, study.answers.settings(), study.scoring == "logprobs")
    frames, items, lost = [], [items_of(material)], []
    with ReplyStore(store or default_store(folder)) as replies:
        desk = Desk(models, replies, policies_of(study, models), Spending(), progress)
        for name in study.models:
            senses, made = assembly.make(name, desk)
            rows = answer_cells(
                questions(name, plan.cells, senses, how),
                senses,
                how,
                task=material.task.name,
                ask=lambda requests, stage=f"{name}: answers": desk.ask(requests, stage),  # type: ignore[misc]
            )
            frames.append(records_of(name, rows, material))
            items += made_items_of(name, senses)
            lost += lost_texts(name, made)
    records = pl.concat(frames)
    described = study.model_dump(mode="json")
    run = Run(
        records, pl.concat(items, how="diagonal_relaxed"), described, _signature(study, material, models)
    )
    write_run(run, folder)
    return StudyRun(run, folder, (*lost, *lost_questions(records)))


def _signature(study: MultisenseStudy, material: Material, models: Mapping[str, Model]) -> dict[str, JSON]:
    items = [
        [language, item.id, dict(item.fields), item.gold, list(item.options or ())]
        for language, many in material.items.items()
        for item in many
    ]
    return {
        "hesperus": __version__,
        "study": fingerprint(study.model_dump(mode="json", exclude={"concurrency", "budget", "prices"})),
        "task": material.task.name,
        "items": fingerprint(items),
        "models": {name: plain(dict(model.identity)) for name, model in models.items()},
        "reader": "default",
        "dropped": plain(list(material.items.dropped)),
    }
