"""The stages of multisense: each model makes the senses, then answers every cell of the design.

Method: Ohmer, Bruni and Hupkes 2023, sections 3.3 to 4.2; see METHODS in the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path

import polars as pl

from hesperus import plugins
from hesperus.fingerprint import JSON, fingerprint
from hesperus.senses import SenseMaker
from hesperus.studies.asked.answering import AskSettings, Senses, senses_of
from hesperus.studies.asked.keeping import items_of, made_items_of
from hesperus.studies.asked.material import LoadedItems
from hesperus.studies.asked.planning import Line
from hesperus.studies.asked.stages import Answer, Course, Outcome, Stages, Work
from hesperus.studies.multisense.making import (
    BUILT_IN,
    Assembly,
    Made,
    Wanted,
    gathered,
    lost_texts,
    models_of,
    refuse_unaskable_senses,
)
from hesperus.studies.multisense.multisense_study import Design, MultisenseStudy, design


def course(
    study: MultisenseStudy, *, folder: Path | None = None, makers: Mapping[str, SenseMaker] | None = None
) -> Course:
    """Load a study, and refuse what cannot be asked."""
    plan = design(study)
    known = {**_offered(plan), **(makers or {})}
    assembly = Assembly(study, plan, gathered(study, plan), known)
    models = models_of(study, plan)
    refuse_unaskable_senses(plan, study.models[0], known)
    return Course(assembly.material, models, _stages(assembly), makes=bool(plan.made))


def _offered(plan: Design) -> dict[str, SenseMaker]:
    """The makers of plug-ins that the senses of a design name."""
    variants = dict.fromkeys(sense.variant for sense in plan.made if sense.variant)
    found: dict[str, SenseMaker | None] = {
        name: plugins.maker("hesperus.senses", name, BUILT_IN) for name in variants
    }
    return {name: maker for name, maker in found.items() if maker is not None}


def _stages(assembly: Assembly) -> Stages:
    study, material = assembly.study, assembly.material
    how = AskSettings.of(study, by_logprobs=study.scoring == "logprobs")
    frames, items, lost = [], [], []
    for name in study.models:
        senses, made = yield _make_senses(assembly, name)
        frames.append((yield Answer(name, assembly.plan.cells, senses, how, material)))
        items += made_items_of(name, senses)
        lost += lost_texts(name, made)
    return lambda: Outcome(
        pl.concat(frames),
        chain(items_of(material), items),
        lost,
        _signed(material),
        material.excluded,
    )


def _make_senses(assembly: Assembly, model: str) -> Work[tuple[Senses, Made]]:
    """Every text of every sense is made by one model, and the task put together in each.

    A plan goes on with the original languages, by which the length of what is made is estimated.
    """
    return Work(
        lambda place: assembly.make(model, place.session),
        lambda: (senses_of(assembly.material), {}),
        (
            _line(assembly.study, part, depth)
            for part in assembly.wanted(model)
            for depth, step in enumerate(part.steps)
            if step.maker.request is not None
        ),
        is_common=True,
    )


def _line(study: MultisenseStudy, part: Wanted, depth: int) -> Line:
    step = part.steps[depth]
    requests = (step.request(text, study.system, study.making.settings()) for text in part.texts)
    return step.line(
        part.sense.code + (f" (step {depth + 1})" if depth else ""), part.texts,
        [one for one in requests if one is not None], origin=part.sense.origin, is_known=not depth,
    )  # fmt: skip


def _signed(material: LoadedItems) -> dict[str, JSON]:
    items = [
        [language, item.id, dict(item.fields), item.gold, list(item.options or ())]
        for language, many in material.items.items()
        for item in many
    ]
    return {"items": fingerprint(items), "parser": "default"}
