"""Runs a study: make the senses, ask the cells, write the run folder. Every stage starts again from the store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from hesperus.fingerprint import JSON, fingerprint
from hesperus.models import Model
from hesperus.records import Run, write_run
from hesperus.senses import SenseMaker
from hesperus.studies.asked.answering import How, answer_cells, questions
from hesperus.studies.asked.desk import Watch, identities, open_desk
from hesperus.studies.asked.keeping import (
    StudyRun,
    as_kept,
    decided,
    folder_for,
    items_of,
    lost_questions,
    made_items_of,
    records_of,
)
from hesperus.studies.asked.material import Material
from hesperus.studies.asked.sharding import stores_of
from hesperus.studies.multisense.assembling import Assembly, gathered, models_of
from hesperus.studies.multisense.config import MultisenseStudy
from hesperus.studies.multisense.design import design
from hesperus.studies.multisense.making import lost_texts, refuse_unaskable_senses
from hesperus.types import Request
from hesperus.version import __version__


def default_folder(study: MultisenseStudy) -> Path:
    """`runs/TASK-HASH`: the same study always has the same folder, so that a second run goes on with the first."""
    return folder_for(study, Path(study.task).stem)


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
    material = gathered(study, plan)
    assembly = Assembly(study, plan, material, makers or {})
    models = models_of(study, plan)
    refuse_unaskable_senses(plan, study.models[0], makers or {})
    how = How(study.system, study.answers.settings(), study.scoring == "logprobs")
    frames, items, lost = [], [items_of(material)], []
    stores = stores_of(study, folder, store)
    with open_desk(models, stores, terms=study, watch=progress, makes=bool(plan.made)) as desk:
        for name in study.models:
            senses, made = assembly.make(name, desk)
            lost += lost_texts(name, made)
            if stores.is_common:
                continue
            asked = questions(name, plan.cells, senses, how)
            if how.by_logprobs:
                desk.check_scoring([one.request for one in asked if isinstance(one.request, Request)])
            rows = answer_cells(
                asked,
                senses,
                how,
                task=material.task.name,
                ask=lambda requests, stage=f"{name}: answers": desk.ask_with_room(  # type: ignore[misc]
                    requests, stage, tokens=study.answers.max_tokens_again
                ),
            )
            frames.append(records_of(name, rows, material))
            items += made_items_of(name, senses)
        lost += [line for frame in frames for line in lost_questions(frame)]
        if stores.is_shard:
            return stores.ended(desk.store, desk.failures.total(), lost)
    records = pl.concat(frames)
    described = as_kept(study, folder)
    run = Run(
        records, pl.concat(items, how="diagonal_relaxed"), described, _signature(study, material, models)
    )
    write_run(run, folder)
    return StudyRun(run, folder, tuple(lost), material.excluded)


def _signature(study: MultisenseStudy, material: Material, models: Mapping[str, Model]) -> dict[str, JSON]:
    items = [
        [language, item.id, dict(item.fields), item.gold, list(item.options or ())]
        for language, many in material.items.items()
        for item in many
    ]
    return {
        "hesperus": __version__,
        "study": decided(study),
        "items": fingerprint(items),
        "models": identities(models),
        "reader": "default",
        **material.signed(),
    }
