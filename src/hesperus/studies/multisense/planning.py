"""What a multisense run would ask and cost: the makings of every sense, then the cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from hesperus.senses import SenseMaker
from hesperus.studies.asked.answering import How, senses_of
from hesperus.studies.asked.material import Material
from hesperus.studies.asked.planning import Line, Plan, answer_lines, plan_of, prompt_tokens
from hesperus.studies.multisense.assembling import gathered, models_of
from hesperus.studies.multisense.config import MultisenseStudy
from hesperus.studies.multisense.design import Design, design
from hesperus.studies.multisense.making import (
    make_request,
    refuse_unaskable_senses,
    rewords_instructions,
    steps_of,
    texts_of,
)
from hesperus.studies.token_estimate import NOTHING, tokens_of, tokens_of_made


def plan_study(
    study: MultisenseStudy, *, store: Path | None = None, makers: Mapping[str, SenseMaker] | None = None
) -> Plan:
    """Work out a plan; sends nothing and writes nothing.

    Args:
        study: The design.
        store: Reply store whose replies need not be asked again; None or a missing file holds none.
        makers: Further sense-makers by the name of their variant.

    Raises:
        UsageError: As in run_study.
        DataError: As in run_study.
    """
    plan = design(study)
    material = gathered(study, plan)
    models = models_of(study, plan)
    refuse_unaskable_senses(plan, study.models[0], makers or {})
    how = How(study.system, study.answers.settings(), study.scoring == "logprobs")
    senses = senses_of(material)
    lines: list[Line] = []
    for name in study.models:
        lines += _making_lines(name, study, plan, material=material, makers=makers or {})
        lines += answer_lines(name, plan.cells, senses, how)
    return plan_of(lines, models, study=study, store=store, prices=study.prices, material=material)


def _making_lines(
    name: str,
    study: MultisenseStudy,
    plan: Design,
    *,
    material: Material,
    makers: Mapping[str, SenseMaker],
) -> Iterator[Line]:
    settings = study.making.settings()
    for sense in plan.made:
        texts = texts_of(material, sense, plan, inputs_only=not rewords_instructions(sense, makers))
        for depth, step in enumerate(steps_of(sense, name, makers)):
            if step.maker.request is None:
                continue
            requests = [make_request(step, text, study.system, settings) for text in texts]
            asked = [request for request in requests if request is not None]
            written = [
                tokens_of_made(text, sense.origin, step.target)
                if step.source != step.target
                else tokens_of(text, step.target)
                for text in texts
            ]
            yield Line(
                step.model, "make", sense.code + (f" (step {depth + 1})" if depth else ""), step.target, len(texts),
                tuple(asked) if depth == 0 else (), prompt_tokens(asked, step.source), sum(written, NOTHING),
            )  # fmt: skip
