"""Runs a study of open answers: prompts, answers, their translation, the control, the evaluation; and the run folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from hesperus.fingerprint import JSON, plain
from hesperus.languages import reply_language
from hesperus.models import Model
from hesperus.records import Run, conform, write_run
from hesperus.records.files import write_whole
from hesperus.records.writing import write_parquet
from hesperus.senses import translate
from hesperus.studies.asked.answering import Asked, Fault, How, Senses, questions
from hesperus.studies.asked.cells import Cell
from hesperus.studies.asked.desk import Desk, Watch, identities, models_named, open_desk
from hesperus.studies.asked.keeping import (
    StudyRun,
    as_kept,
    decided,
    folder_for,
    items_of,
    lost_questions,
    records_of,
)
from hesperus.studies.asked.making import refuse_unaskable
from hesperus.studies.asked.sharding import stores_of
from hesperus.studies.evaluating import (
    Evaluation,
    EvaluationSettings,
    Translating,
    TranslationStore,
    evaluate,
    evaluator_named,
    models_of,
    paired,
    read_open,
    replies_of,
    translator_named,
    write_evaluation,
)
from hesperus.studies.evaluating.naming import is_translator
from hesperus.studies.translate_then_evaluate.config import OpenAnswersStudy
from hesperus.studies.translate_then_evaluate.prompts import (
    Prompts,
    gathered,
    own_languages,
    put_prompts,
    sense_of,
)
from hesperus.tasks import items_frame
from hesperus.types import Failure, Item, Reply, Request, Sense
from hesperus.version import __version__

EVALUATIONS, PROMPTS, READABILITY = "evaluations", "prompts.parquet", "readability.parquet"
"""Of a run folder: a folder for each evaluator, the check of translated prompts, the share of readable verdicts."""


@dataclass(frozen=True, slots=True)
class _Stages:
    """What a run has at hand once its desk is open."""

    study: OpenAnswersStudy
    desk: Desk
    prompting: Translating
    translating: Translating


def default_folder(study: OpenAnswersStudy) -> Path:
    """`runs/open-TASK-HASH`: the same study always has the same folder."""
    return folder_for(study, f"open-{Path(study.task).stem}")


def everybody(study: OpenAnswersStudy) -> tuple[str, ...]:
    """All models that are asked: to answer, to translate, to judge."""
    makers = [
        *models_of(study.translator, study.judge),
        *(models_of(study.prompt_translator, study.judge) if study.prompt_translator else ()),
    ]
    return tuple(dict.fromkeys([*study.models, *makers]))


def refuse_unaskable_translations(study: OpenAnswersStudy) -> None:
    """Before anything is asked: a model that translates can be asked to in the language of each text.

    Raises:
        UnknownNameError: A language without a pack.
        UsageError: A language whose pack has no requests.
    """
    made = [tag for tag in study.languages if tag not in own_languages(study)]
    pairs = [] if is_translator(study.translator) else [(tag, study.reference) for tag in study.languages]
    if not is_translator(study.prompt_translator or study.translator):
        pairs += [(study.reference, tag) for tag in made]
    refuse_unaskable((translate, pair) for pair in pairs)


def run_study(
    study: OpenAnswersStudy, folder: Path, *, store: Path | None = None, progress: Watch | None = None
) -> StudyRun:
    """Run a study to its end, or go on with one that was stopped at any stage.

    Replies and verdicts of models are in the reply store, translations in `translations.sqlite` beside it, each as
    soon as it is made. The folder has records, items, `evaluations/WHAT/`, `prompts.parquet` and
    `readability.parquet`.

    Args:
        study: The design.
        folder: Run folder to write.
        store: Reply store; `replies.sqlite` beside the folder where None.
        progress: Hears of every stage.

    Raises:
        UsageError: A task, language, model, translator or evaluator that does not exist, or cannot do it.
        DataError: Items that break their contract.
        ModelError: An endpoint or a translator that fails; what was done is kept.
        BudgetReachedError: The budget stopped the run; what was answered is kept.
    """
    stores = stores_of(study, folder, store)
    material = gathered(study)
    models = models_named(everybody(study), study)
    refuse_unaskable_translations(study)
    makes = len(own_languages(study)) <= len(study.languages)
    with (
        open_desk(models, stores, terms=study, watch=progress, makes=makes) as desk,
        TranslationStore(stores.translations, stores.base_translations) as kept,
    ):
        stages = _stages(study, models, desk, kept, progress)
        # What cannot be done is refused before anything is asked.
        stages.translating.refuse_unsupported([(tag, study.reference) for tag in study.languages])
        evaluators = [
            evaluator_named(
                what, study.judge, desk.ask, classifier=study.classifiers.get(what), held=desk.held
            )
            for what in study.evaluate
        ]
        prompts = put_prompts(study, material, stages.prompting)
        if stores.is_common:
            return stores.ended(desk.store, desk.failures.total(), ())
        records = pl.concat([_answers(model, prompts, stages) for model in study.models])
        evaluations = evaluate(
            paired(replies_of(records), study.reference, study.languages),
            stages.translating,
            evaluators,
            settings=EvaluationSettings(study.control),
            prompts=prompts.asked(study.reference),
        )
        if stores.is_shard:
            return stores.ended(desk.store, desk.failures.total(), lost_questions(records))
    signature: dict[str, JSON] = {
        "hesperus": __version__,
        "study": decided(study),
        "models": identities(models),
        **material.signed(),
        "prompts": stages.prompting.signature(),
        "evaluations": {one.what: plain(dict(one.signature)) for one in evaluations},
    }
    run = Run(
        conform(records),
        _items(prompts, study),
        as_kept(study, folder),
        signature,
    )
    _write(run, evaluations, prompts, folder)
    return StudyRun(run, folder, tuple(lost_questions(records)), material.excluded)


def _stages(
    study: OpenAnswersStudy,
    models: Mapping[str, Model],
    desk: Desk,
    kept: TranslationStore,
    progress: Watch | None,
) -> _Stages:
    """Two translators, of prompts and of answers, over one store; both may be models at the desk."""
    prompting, translating = (
        Translating(translator_named(name, models, desk.ask), kept, watch=progress)
        for name in (study.prompt_translator or study.translator, study.translator)
    )
    return _Stages(study, desk, prompting, translating)


def senses_for(model: str, prompts: Prompts, study: OpenAnswersStudy) -> Senses:
    """The task in every sense in which a model is asked."""
    tags = (study.reference, *study.languages)
    senses = {tag: sense_of(tag, model, study) for tag in tags}
    return Senses(
        prompts.material.task.layout,
        prompts.material.task.form,
        {senses[tag]: prompts.instructions[tag] for tag in tags},
        {senses[tag]: prompts.items[tag] for tag in tags},
        {},
        {},
        {},
    )


def cells_for(model: str, study: OpenAnswersStudy) -> tuple[Cell, ...]:
    """A cell for each language, instruction and input in the same sense."""
    senses = [sense_of(tag, model, study) for tag in (study.reference, *study.languages)]
    return tuple(Cell(sense, sense) for sense in senses)


def _answers(model: str, prompts: Prompts, stages: _Stages) -> pl.DataFrame:
    """Ask a model in every language; a row for each question."""
    study = stages.study
    how = How(study.system, study.answers.settings())
    asked = questions(model, cells_for(model, study), senses_for(model, prompts, study), how)
    requests = [one.request for one in asked if isinstance(one.request, Request)]
    replies = iter(
        stages.desk.ask_with_room(requests, f"{model}: answers", tokens=study.answers.max_tokens_again)
    )
    rows = [
        _row(
            one, one.request if isinstance(one.request, Fault) else next(replies), prompts.material.task.name
        )
        for one in asked
    ]
    return records_of(model, rows, prompts.material)


def _row(one: Asked, result: Reply | Failure | Fault, task: str) -> dict[str, object]:
    row: dict[str, object] = {
        "task": task,
        "item": one.item,
        "instruction": one.cell.instruction.code,
        "input": one.cell.input.code,
        "repeat": one.cell.repeat,
    }
    if isinstance(result, Failure | Fault):
        return {**row, "outcome": "error", "note": f"{result.kind}: {result.message}"}
    answer = read_open(result, one.cell.input.language)
    return {
        **row,
        "outcome": answer.outcome,
        "answer": answer.label,
        "reply": result.text,
        "rule": answer.rule,
        "reply_language": reply_language(result.text, one.cell.input.language),
        "tokens_in": result.tokens_in,
        "tokens_out": result.tokens_out,
    }


def _items(prompts: Prompts, study: OpenAnswersStudy) -> pl.DataFrame:
    """The original items, and what was made of them: once for all models, or by each model for itself."""
    frames = [items_of(prompts.material)]
    for tag in prompts.made:
        whole = tuple(item for item in prompts.items[tag].values() if isinstance(item, Item))
        for sense, model in _makers(tag, study) if whole else ():
            frame = items_frame({tag: whole})
            frames.append(
                frame.with_columns(
                    pl.lit(sense.code).alias("input"), pl.lit(model, pl.String()).alias("model")
                )
            )
    return pl.concat(frames, how="diagonal_relaxed")


def _makers(tag: str, study: OpenAnswersStudy) -> Iterator[tuple[Sense, str | None]]:
    senses = {model: sense_of(tag, model, study) for model in study.models}
    for sense in dict.fromkeys(senses.values()):
        yield sense, next(m for m, s in senses.items() if s == sense) if sense.maker is None else None


def _write(
    run: Run,
    evaluations: Sequence[Evaluation],
    prompts: Prompts,
    folder: Path,
) -> None:
    """Evaluations first and the run's signature last, so that its presence means a whole run."""
    (folder / "signature.json").unlink(missing_ok=True)
    for evaluation in evaluations:
        write_evaluation(evaluation, folder / EVALUATIONS)
    _put(prompts.check, folder / PROMPTS, "hesperus.prompts")
    _put(_readability(evaluations), folder / READABILITY, "hesperus.readability")
    write_run(run, folder)


def _put(frame: pl.DataFrame, path: Path, kind: str) -> None:
    write_whole(path, lambda partial: write_parquet(frame, partial, {kind: "1"}))


def _readability(evaluations: Sequence[Evaluation]) -> pl.DataFrame:
    """A row for each evaluator: the share of its replies that could be read; undefined where it asks nobody."""
    rows = [{"evaluator": one.what, **asdict(one.validity)} for one in evaluations]
    return pl.DataFrame(rows, schema=_READABILITY, orient="row")


_READABILITY = {
    "evaluator": pl.String(), "value": pl.Float64(), "low": pl.Float64(), "high": pl.Float64(), "n": pl.Int64(),
    "excluded": pl.Int64(), "reason": pl.String(),
}  # fmt: skip
