"""What an audit would ask and cost. What is rewritten depends on the answers, so its lines are the most there could be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hesperus.senses import SenseMaker, naturalise, translate
from hesperus.studies.asked.answering import How, senses_of
from hesperus.studies.asked.cells import Cell
from hesperus.studies.asked.material import Material, gather, originals_of
from hesperus.studies.asked.planning import Line, Plan, answer_lines, plan_of, prompt_tokens
from hesperus.studies.evaluating.naming import is_translator
from hesperus.studies.token_estimate import NOTHING, TokenRange, tokens_of, tokens_of_made
from hesperus.studies.translation_tax.config import TaxStudy
from hesperus.studies.translation_tax.making import making_requests, texts_of_items
from hesperus.studies.translation_tax.running import first_cells, models_of
from hesperus.studies.translation_tax.verifying import verification_prompt
from hesperus.types import Request, Sense

VERDICT_TOKENS = TokenRange(30, 120)
"""Tokens of a verdict."""


def plan_study(study: TaxStudy, *, store: Path | None = None) -> Plan:
    """Work out a plan; sends nothing and writes nothing.

    Args:
        study: The design.
        store: Reply store whose replies need not be asked again; None or a missing file holds none.

    Raises:
        UsageError: As in run_study.
        DataError: As in run_study.
    """
    material = gather(study.subject(), (study.source, study.target))
    models = models_of(study)
    senses, how = senses_of(material), How(study.system, study.answers.settings(), reader=study.reader)
    lines: list[Line] = []
    if study.translator is not None and not is_translator(study.translator):
        lines.append(_making(study, material, study.translator, translate, study.source))
    for model in study.models:
        if study.translator is None:
            lines.append(_making(study, material, model, translate, study.source))
        lines += answer_lines(model, first_cells(study), senses, how)
    if study.naturalise is not None:
        lines += _natural_lines(study, material)
        for model in study.models:
            lines += answer_lines(model, [Cell(Sense(study.target), study.natural)], senses, how)
    subject = study.native_subject()
    if subject is not None:
        native = gather(subject, (study.target,))
        target = Sense(study.target)
        for model in study.models:
            lines += answer_lines(model, [Cell(target, target)], senses_of(native), how, stage="native")
    return plan_of(lines, models, study=study, store=store, prices=study.prices, material=material)


def _making(study: TaxStudy, material: Material, model: str, maker: SenseMaker, into: str) -> Line:
    texts = texts_of_items(tuple(originals_of(material, study.target).values()))
    requests = making_requests(
        maker, texts, (study.target, into), model=model, system=study.system, settings=study.making.settings()
    )
    rewritten = into == study.target
    written = [
        tokens_of(text, into) if rewritten else tokens_of_made(text, study.target, into) for text in texts
    ]
    code = study.natural.code if rewritten else study.back.code
    return Line(
        model, "make", code, into, len(requests), () if rewritten else tuple(requests),
        prompt_tokens(requests, study.target), sum(written, NOTHING),
    )  # fmt: skip


def _natural_lines(study: TaxStudy, material: Material) -> Iterator[Line]:
    what = study.naturalise
    assert what is not None
    yield _making(study, material, what.rewriter, naturalise, study.target)
    if what.verifier is not None:
        items = originals_of(material, study.target).values()
        asked = [
            Request(what.verifier, verification_prompt(item, item), study.answers.settings())
            for item in items
        ]
        out = TokenRange(len(asked) * VERDICT_TOKENS.low, len(asked) * VERDICT_TOKENS.high)
        yield Line(
            what.verifier,
            "verify",
            study.natural.code,
            "en",
            len(asked),
            (),
            prompt_tokens(asked, study.target),
            out,
        )
