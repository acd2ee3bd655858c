"""The stages of an audit: translate back, ask, fix the strata, rewrite, verify, ask.

Next to the run folder's usual files are `scores.parquet` (back-translations against originals), `strata.json` (the items
of E4, written before any is rewritten) and `verdicts.parquet`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.fingerprint import signature
from hesperus.models import Model
from hesperus.records.writing import write_parquet
from hesperus.senses import naturalise, translate
from hesperus.studies.asked.answering import AskSettings, Fault, Senses, senses_of
from hesperus.studies.asked.keeping import items_of, made_items_of
from hesperus.studies.asked.making import MakeItems, Remade, Step, lost_items, put_in, refuse_unaskable
from hesperus.studies.asked.material import LoadedItems, gather, originals_of
from hesperus.studies.asked.planning import Line, prompt_tokens
from hesperus.studies.asked.session import models_named
from hesperus.studies.asked.stages import Answer, Course, Outcome, Place, Stage, Stages, Work
from hesperus.studies.asked.study_cells import Cell
from hesperus.studies.evaluating.evaluators import is_translator
from hesperus.studies.prices import TokenRange
from hesperus.studies.translation_tax.rewriting import refuse_doubled_labels, rewritten_item
from hesperus.studies.translation_tax.strata import strata_of, write_strata
from hesperus.studies.translation_tax.tax_study import Naturalisation, TaxStudy
from hesperus.studies.translation_tax.verifying import (
    low_scores,
    read_verdict,
    verdicts_frame,
    verification_prompt,
)
from hesperus.translation import QualitySettings, score_senses, sense_pairs
from hesperus.types import Item, Request, Sense

STRATA_FILE, SCORES_FILE, VERDICTS_FILE = "strata.json", "scores.parquet", "verdicts.parquet"

VERDICT_TOKENS = TokenRange(30, 120)
"""Tokens of a verdict."""


@dataclass(slots=True)
class _Kept:
    """What a run has so far."""

    items: list[pl.DataFrame]
    frames: list[pl.LazyFrame] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def course(study: TaxStudy, *, folder: Path | None = None) -> Course:
    """Load an audit, and refuse what cannot be asked."""
    material = gather(study, (study.source, study.target))
    models = _models_of(study)
    _refuse_unaskable(study)
    refuse_doubled_labels(material.items)
    if study.naturalise is not None and any(material.items.values()):
        study.rule(groups_of(material))  # refused before anything is asked
    return Course(material, models, _stages(study, material), makes=True)


def _models_of(study: TaxStudy) -> dict[str, Model]:
    """Every model that the audit asks, by name: those audited, and whoever translates, rewrites and verifies."""
    names = [*study.models]
    if study.translator is not None and not is_translator(study.translator):
        names.append(study.translator)
    if study.naturalise is not None:
        names += [name for name in (study.naturalise.rewriter, study.naturalise.verifier) if name is not None]
    return models_named(names, study)


def _refuse_unaskable(study: TaxStudy) -> None:
    """Before anything is asked: back-translation and rewriting can be asked for in the target language."""
    asks_back = study.translator is None or not is_translator(study.translator)
    makings = [(translate, (study.target, study.source))] if asks_back else []
    if study.naturalise is not None:
        makings.append((naturalise, (study.target, study.target)))
    refuse_unaskable(makings)


def groups_of(material: LoadedItems) -> frozenset[str]:
    """Groups that the items have, such as `subject`."""
    return frozenset(name for items in material.items.values() for item in items for name in item.groups)


def _stages(study: TaxStudy, material: LoadedItems) -> Stages:
    kept = _Kept([*items_of(material)])
    made = None
    for number, model in enumerate(study.models):
        if study.translator is None or made is None:
            made = yield _back(study, material, study.translator or model)
        senses = _with(senses_of(material), study.back, made)
        kept.frames.append((yield _answer(study, model, first_cells(study), senses, material)))
        if study.translator is None or number == 0:
            kept.items += made_items_of(model, senses)
            kept.faults += lost_items(study.translator or model, study.back.code, made)
    if study.shard is None:  # E4 chooses among all items: the run after the merge does, and asks these few
        scores = yield Work(lambda place: _scored(study, material, kept, place), pl.DataFrame)
        if study.naturalise is not None:
            yield from _naturalised(study, study.naturalise, material, scores, kept)
    if study.native is not None:
        yield from _asked_native(study, gather(study.of_native, (study.target,)), kept)
    return lambda: Outcome(
        pl.concat(kept.frames, how="diagonal_relaxed"),
        kept.items,
        kept.faults,
        {"parser": study.parser, "scores": signature(QualitySettings())},
        material.excluded,
    )


def _answer(
    study: TaxStudy,
    model: str,
    cells: Sequence[Cell],
    senses: Senses,
    material: LoadedItems,
    called: str = "answer",
) -> Answer:
    how = AskSettings.of(study, parser=study.parser)
    return Answer(model, cells, senses, how, material, called)


def _back(study: TaxStudy, material: LoadedItems, by: str) -> MakeItems:
    """The translated items, back in the source language, by a model or a translator."""
    items = tuple(originals_of(material, study.target).values())
    called = "back" if is_translator(by) else "back-translating"
    return MakeItems(
        items, Step(translate, study.target, study.source, by), study.back.code, put_in(study.source), called,
        (study.system, study.making.settings()), expected={}, is_common=True,
    )  # fmt: skip


def first_cells(study: TaxStudy) -> tuple[Cell, ...]:
    """Original, translated (twice where its replies pick the items of E4), back-translated."""
    source, target = Sense(study.source), Sense(study.target)
    first, own = study.under(study.source), study.under(study.target)
    again = study.naturalise is not None and study.naturalise.anchor == "translated"
    translated = [Cell(own, target, repeat) for repeat in ((1, 2) if again else (1,))]
    return (Cell(first, source), *translated, Cell(first, study.back))


def _scored(study: TaxStudy, material: LoadedItems, kept: _Kept, place: Place) -> pl.DataFrame:
    """BLEU and chrF of what came back, also as a file; without a model where one translator served all."""
    items = pl.concat(kept.items, how="diagonal_relaxed")
    found = score_senses(sense_pairs(items, task=material.task.name)).items
    scores = found.drop("model") if study.translator is not None and "model" in found.columns else found
    if scores.is_empty():  # nothing came back
        (place.folder / SCORES_FILE).unlink(missing_ok=True)
    else:
        write_parquet(scores, place.folder / SCORES_FILE)
    return scores


def _naturalised(
    study: TaxStudy, what: Naturalisation, material: LoadedItems, scores: pl.DataFrame, kept: _Kept
) -> Generator[Stage[Any], Any, None]:
    """Rewrite the items of the strata, have them verified, and ask them."""
    translated = yield Work(  # a plan has the most there could be: which items it will be depends on answers
        lambda place: _picked(study, material, scores, kept, place),
        lambda: tuple(originals_of(material, study.target).values()),
    )
    rewritten = yield _rewrite(study, what.rewriter, translated)
    kept.faults += lost_items(what.rewriter, study.natural.code, rewritten)
    if what.verifier is not None:
        yield _verify(study, what, what.verifier, translated, rewritten)
    senses = _with(senses_of(material), study.natural, rewritten)
    kept.items += made_items_of(what.rewriter, senses)
    for model in study.models:
        cell = Cell(study.under(study.target), study.natural)
        kept.frames.append((yield _answer(study, model, (cell,), senses, material)))


def _picked(
    study: TaxStudy, material: LoadedItems, scores: pl.DataFrame, kept: _Kept, place: Place
) -> Sequence[Item]:
    """The items of E4, on disk before any of them is rewritten; other strata than those that are there are refused."""
    bad = low_scores(scores, study.back.code, study.quality.metric, study.quality.threshold)
    picked = strata_of(
        pl.concat(kept.frames).collect(), study.rule(groups_of(material)),
        centric=study.centric, others=study.others, leave_out=bad,
    )  # fmt: skip
    write_strata(picked, place.folder / STRATA_FILE)
    originals = originals_of(material, study.target)
    return [originals[item] for ids in picked.items.values() for item in ids]


def _rewrite(study: TaxStudy, by: str, items: Sequence[Item]) -> MakeItems:
    """Items put the way a native writer would; which of them it will be is not known to a plan."""
    return MakeItems(
        items, Step(naturalise, study.target, study.target, by), study.natural.code, rewritten_item, "rewriting",
        (study.system, study.making.settings()), expected={item.id: item for item in items}, is_known=False,
    )  # fmt: skip


def _verify(
    study: TaxStudy, what: Naturalisation, verifier: str, items: Sequence[Item], rewritten: Remade
) -> Work[None]:
    """Another model judges each rewriting; its verdicts lie in the run folder, and nothing follows from them."""
    asked = [
        (old.id, Request(verifier, verification_prompt(old, new), study.answers.settings()))
        for old in items
        if isinstance(new := rewritten[old.id], Item)
    ]
    requests = [request for _, request in asked]

    def verify(place: Place) -> None:
        replies = place.session.ask(requests, f"{verifier}: verifying") if asked else []
        found: dict[str, Mapping[str, object]] = {
            item: {"problem": new.message} for item, new in rewritten.items() if isinstance(new, Fault)
        }
        found |= dict(zip((item for item, _ in asked), map(read_verdict, replies), strict=True))
        ids = [item.id for item in items]
        verdicts = verdicts_frame(ids, [found[item] for item in ids], verifier, what.strict)
        write_parquet(verdicts, place.folder / VERDICTS_FILE)

    out = TokenRange(len(asked) * VERDICT_TOKENS.low, len(asked) * VERDICT_TOKENS.high)
    tokens = prompt_tokens(requests, study.target)
    return Work(
        verify,
        lambda: None,
        [Line(verifier, "verify", study.natural.code, "en", len(asked), (), tokens, out)],
    )


def _asked_native(study: TaxStudy, material: LoadedItems, kept: _Kept) -> Generator[Stage[Any], Any, None]:
    """Ask the benchmark that was written in the language."""
    senses, target = senses_of(material), Sense(study.target)
    for model in study.models:
        cells = (Cell(study.under(study.target), target),)
        kept.frames.append((yield _answer(study, model, cells, senses, material, "native")))
    kept.items += items_of(material)


def _with(senses: Senses, sense: Sense, items: Remade) -> Senses:
    return replace(senses, inputs={**senses.inputs, sense: items})
