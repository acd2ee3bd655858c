"""Runs an audit: ask, translate back, ask, fix the strata, rewrite, verify, ask, keep. Every stage starts again from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus.fingerprint import JSON, signature
from hesperus.models import Model
from hesperus.records import Run, write_run
from hesperus.records.files import write_whole
from hesperus.records.writing import write_parquet
from hesperus.senses import naturalise, translate
from hesperus.studies.asked.answering import Fault, How, Senses, answer_cells, questions, senses_of
from hesperus.studies.asked.cells import Cell
from hesperus.studies.asked.desk import Desk, Watch, identities, models_named, open_desk
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
from hesperus.studies.asked.making import refuse_unaskable
from hesperus.studies.asked.material import Material, gather, originals_of
from hesperus.studies.asked.sharding import Stores, stores_of
from hesperus.studies.evaluating.naming import is_translator, translator_named
from hesperus.studies.evaluating.translating import Translating
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.studies.translation_tax.config import TaxStudy
from hesperus.studies.translation_tax.making import (
    Texts,
    lost_items,
    made_by_model,
    made_by_translator,
    made_items,
    making_requests,
    put_in,
    texts_of_items,
)
from hesperus.studies.translation_tax.rewriting import refuse_doubled_labels, rewritten_item
from hesperus.studies.translation_tax.strata import Strata, StrataRule, strata_of, write_strata
from hesperus.studies.translation_tax.verifying import (
    StrictPass,
    low_scores,
    read_verdict,
    verdicts_frame,
    verification_prompt,
)
from hesperus.translation import QualitySettings, score_senses, sense_pairs
from hesperus.types import Item, Request, Sense
from hesperus.version import __version__

STRATA_FILE, SCORES_FILE, VERDICTS_FILE = "strata.json", "scores.parquet", "verdicts.parquet"


@dataclass(slots=True)
class _Kept:
    """How a run asks, and what it has so far."""

    how: How
    tokens_again: int | None
    frames: list[pl.DataFrame] = field(default_factory=list)
    items: list[pl.DataFrame] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def default_folder(study: TaxStudy) -> Path:
    """`runs/tax-TASK-HASH`: the same study always has the same folder, so that a second run goes on with the first."""
    return folder_for(study, f"tax-{Path(study.task).stem}")


def models_of(study: TaxStudy) -> dict[str, Model]:
    """Every model that the audit asks, by name: those audited, and whoever translates, rewrites and verifies.

    Raises:
        UnknownNameError: A model that does not exist.
    """
    names = [*study.models]
    if study.translator is not None and not is_translator(study.translator):
        names.append(study.translator)
    if study.naturalise is not None:
        names += [name for name in (study.naturalise.rewriter, study.naturalise.verifier) if name is not None]
    return models_named(names, study)


def run_study(
    study: TaxStudy, folder: Path, *, store: Path | None = None, progress: Watch | None = None
) -> StudyRun:
    """Run an audit to its end, or go on with one that was stopped.

    Beside the run folder's usual files stand `scores.parquet` (back-translations against originals), `strata.json` (the
    items of E4, written before any is rewritten) and `verdicts.parquet`.

    Args:
        study: The design.
        folder: Run folder to write.
        store: Reply store; `replies.sqlite` beside the folder where None.
        progress: Hears of every stage.

    Raises:
        UsageError: A task, language, model or translator that does not exist, or strata in the folder that differ.
        DataError: Items that break their contract, or strata that were changed.
        ModelError: An endpoint that fails every request alike.
        BudgetReachedError: The budget stopped the run; what was answered is kept.
    """
    material = gather(study.subject(), (study.source, study.target))
    models = models_of(study)
    _refuse_unaskable(study)
    refuse_doubled_labels(material.items)
    stores = stores_of(study, folder, store)
    if study.naturalise is not None and not stores.is_common:
        study.rule(groups_of(material))  # refused before anything is asked
    kept = _Kept(_how(study), study.answers.max_tokens_again, items=[items_of(material)])
    with open_desk(models, stores, terms=study, watch=progress, makes=True) as desk:
        backs = _back_translated(study, material, desk, stores, progress)
        if not stores.is_common:
            _ask_back(study, material, desk, backs, kept)
        if stores.is_shard:  # E4 chooses among all items: the run after the merge does, and asks these few
            if study.native is not None and not stores.is_common:
                _ask_native(study, desk, kept)
            lost = [line for frame in kept.frames for line in lost_questions(frame)]
            return stores.ended(desk.store, desk.failures.total(), (*kept.faults, *lost))
        made = pl.concat(kept.items, how="diagonal_relaxed")
        scores = _scores(study, made, material.task.name)
        write_whole(folder / SCORES_FILE, lambda partial: write_parquet(scores, partial, {}))
        if study.naturalise is not None:
            _naturalise(study, material, desk, scores, folder, kept)
        if study.native is not None:
            _ask_native(study, desk, kept)
    records = pl.concat(kept.frames, how="diagonal_relaxed")
    items = pl.concat(kept.items, how="diagonal_relaxed")
    signed: dict[str, JSON] = {
        "hesperus": __version__, "study": decided(study), "models": identities(models), "reader": study.reader,
        **material.signed(), "scores": signature(QualitySettings()),
    }  # fmt: skip
    run = Run(records, items, as_kept(study, folder), signed)
    write_run(run, folder)
    return StudyRun(run, folder, (*kept.faults, *lost_questions(records)), material.excluded)


def _refuse_unaskable(study: TaxStudy) -> None:
    """Before anything is asked: back-translation and rewriting can be asked for in the target language."""
    asks_back = study.translator is None or not is_translator(study.translator)
    makings = [(translate, (study.target, study.source))] if asks_back else []
    if study.naturalise is not None:
        makings.append((naturalise, (study.target, study.target)))
    refuse_unaskable(makings)


def groups_of(material: Material) -> frozenset[str]:
    """Groups that the items have, such as `subject`."""
    return frozenset(name for items in material.items.values() for item in items for name in item.groups)


def _how(study: TaxStudy) -> How:
    return How(study.system, study.answers.settings(), reader=study.reader)


def _back_translated(
    study: TaxStudy, material: Material, desk: Desk, stores: Stores, watch: Watch | None
) -> dict[str, Mapping[str, Item | Fault]]:
    """Model to the items that came back; the same for all where one translator made them."""
    translated = tuple(originals_of(material, study.target).values())
    texts, way = texts_of_items(translated), (study.target, study.source)
    put = put_in(study.source)
    name = study.translator
    if name is not None and is_translator(name):
        with TranslationStore(stores.translations, stores.base_translations) as kept:
            translating = Translating(translator_named(name, desk.models, desk.ask), kept, watch=watch)
            made = made_items(
                translated, made_by_translator(translating, texts, way, stage=f"{name}: back"), put
            )
        return dict.fromkeys(study.models, made)

    def by(model: str) -> Texts:
        requests = making_requests(
            translate, texts, way, model=model, system=study.system, settings=study.making.settings()
        )
        return made_by_model(
            translate, texts, requests, lambda asked: desk.ask(asked, f"{model}: back-translating"), way=way
        )

    if name is not None:
        made = made_items(translated, by(name), put)
        return dict.fromkeys(study.models, made)
    return {model: made_items(translated, by(model), put) for model in study.models}


def first_cells(study: TaxStudy) -> tuple[Cell, ...]:
    """Original, translated (twice where its replies pick the items of E4), back-translated."""
    source, target = Sense(study.source), Sense(study.target)
    again = study.naturalise is not None and study.naturalise.anchor == "translated"
    translated = [Cell(target, target, repeat) for repeat in ((1, 2) if again else (1,))]
    return (Cell(source, source), *translated, Cell(source, study.back))


def _ask_back(
    study: TaxStudy,
    material: Material,
    desk: Desk,
    backs: Mapping[str, Mapping[str, Item | Fault]],
    kept: _Kept,
) -> None:
    base, cells = senses_of(material), first_cells(study)
    for number, model in enumerate(study.models):
        senses = _with(base, study.back, backs[model])
        _answer(model, cells, senses, material=material, desk=desk, kept=kept)
        if study.translator is None or number == 0:
            kept.items += made_items_of(model, senses)
            kept.faults += lost_items(study.translator or model, study.back.code, backs[model])


def _scores(study: TaxStudy, items: pl.DataFrame, task: str) -> pl.DataFrame:
    """BLEU and chrF of what came back; without a model where one translator served all."""
    found = score_senses(sense_pairs(items, task=task)).items
    return found.drop("model") if study.translator is not None and "model" in found.columns else found


def _naturalise(
    study: TaxStudy, material: Material, desk: Desk, scores: pl.DataFrame, folder: Path, kept: _Kept
) -> None:
    rule = study.rule(groups_of(material))
    picked = _strata(study, scores, folder, records=pl.concat(kept.frames), rule=rule)
    wanted = [item for ids in picked.items.values() for item in ids]
    originals = originals_of(material, study.target)
    translated = [originals[item] for item in wanted]
    what = study.naturalise
    assert what is not None
    texts = texts_of_items(translated)
    requests = making_requests(
        naturalise, texts, (study.target, study.target), model=what.rewriter, system=study.system,
        settings=study.making.settings(),
    )  # fmt: skip
    made = made_by_model(
        naturalise,
        texts,
        requests,
        lambda asked: desk.ask(asked, f"{what.rewriter}: rewriting"),
        way=(study.target, study.target),
    )
    rewritten = made_items(translated, made, rewritten_item)
    kept.faults += lost_items(what.rewriter, study.natural.code, rewritten)
    if what.verifier is not None:
        verdicts = _verified(study, translated, rewritten, desk)
        write_whole(folder / VERDICTS_FILE, lambda partial: write_parquet(verdicts, partial, {}))
    senses = _with(senses_of(material), study.natural, rewritten)
    kept.items += made_items_of(what.rewriter, senses)
    cell = Cell(Sense(study.target), study.natural)
    for model in study.models:
        _answer(model, (cell,), senses, material=material, desk=desk, kept=kept)


def _strata(
    study: TaxStudy, scores: pl.DataFrame, folder: Path, *, records: pl.DataFrame, rule: StrataRule
) -> Strata:
    """The items of E4, on disk before any of them is rewritten; other strata than those that stand there are refused."""
    gate = study.gate
    bad = low_scores(scores, study.back.code, gate.metric, gate.threshold)
    picked = strata_of(records, rule, centric=study.centric, others=study.others, leave_out=bad)
    write_strata(picked, folder / STRATA_FILE)
    return picked


def _verified(
    study: TaxStudy, translated: Sequence[Item], rewritten: Mapping[str, Item | Fault], desk: Desk
) -> pl.DataFrame:
    what = study.naturalise
    assert what is not None and what.verifier is not None
    verifier, settings = what.verifier, study.answers.settings()
    pairs = [(old, new) for old in translated if isinstance(new := rewritten[old.id], Item)]
    asked = [Request(verifier, verification_prompt(old, new), settings) for old, new in pairs]
    replies = desk.ask(asked, f"{verifier}: verifying") if asked else []
    found: dict[str, Mapping[str, object]] = {
        item: {"problem": new.message} for item, new in rewritten.items() if isinstance(new, Fault)
    }
    found |= dict(zip((old.id for old, _ in pairs), map(read_verdict, replies), strict=True))
    ids = [item.id for item in translated]
    rule = StrictPass(what.strict.semantic, what.strict.difficulty, what.strict.excess)
    return verdicts_frame(ids, [found[item] for item in ids], verifier, rule)


def _ask_native(study: TaxStudy, desk: Desk, kept: _Kept) -> None:
    subject = study.native_subject()
    assert subject is not None
    material = gather(subject, (study.target,))
    senses, target = senses_of(material), Sense(study.target)
    for model in study.models:
        _answer(model, (Cell(target, target),), senses, material=material, desk=desk, kept=kept)
    kept.items.append(items_of(material))


def _answer(
    model: str, cells: Sequence[Cell], senses: Senses, *, material: Material, desk: Desk, kept: _Kept
) -> None:
    how = kept.how
    rows = answer_cells(
        questions(model, cells, senses, how),
        senses,
        how,
        task=material.task.name,
        ask=lambda asked: desk.ask_with_room(asked, f"{model}: answers", tokens=kept.tokens_again),
    )
    kept.frames.append(records_of(model, rows, material))


def _with(senses: Senses, sense: Sense, items: Mapping[str, Item | Fault]) -> Senses:
    return Senses(
        senses.layout,
        senses.form,
        senses.instructions,
        {**senses.inputs, sense: items},
        senses.golds,
        senses.labels,
        senses.accepted,
    )
