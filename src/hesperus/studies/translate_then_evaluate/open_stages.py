"""The stages of a study of open answers: translate the prompts, ask, translate the answers, evaluate.

Replies and verdicts of models are in the reply store, translations in `translations.sqlite` next to it, each as soon as it
is made. Next to the usual files the run folder has `evaluations/WHAT/`, `prompts.parquet` and `readability.parquet`.

Only questions in the task's own languages are known beforehand. How many sentences and claims there will be depends on
answers that nobody has yet: the low end takes the shortest answers, the high end the longest that are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

import polars as pl

from hesperus.evaluators import Evaluator
from hesperus.fingerprint import JSON, plain
from hesperus.languages import reply_language
from hesperus.models.protocol import DEFAULT_TOKENS
from hesperus.records import conform
from hesperus.records.evaluated import ANSWERS, answers_digest
from hesperus.records.writing import write_parquet
from hesperus.senses import item_texts, translate
from hesperus.studies.asked.answering import Asked, AskSettings, Fault, Senses, asked_row, lost_reply
from hesperus.studies.asked.keeping import items_of
from hesperus.studies.asked.making import refuse_unaskable
from hesperus.studies.asked.material import LoadedItems, originals_of
from hesperus.studies.asked.planning import Line
from hesperus.studies.asked.session import models_named
from hesperus.studies.asked.stages import Answer, Course, Outcome, Place, Stages, Work
from hesperus.studies.asked.study_cells import Cell
from hesperus.studies.evaluating.evaluation import Evaluation, evaluate
from hesperus.studies.evaluating.evaluators import (
    EMBEDDED,
    evaluator_named,
    is_translator,
    models_of,
    translator_named,
)
from hesperus.studies.evaluating.keeping import write_evaluation
from hesperus.studies.evaluating.replies import paired, read_open, replies_of
from hesperus.studies.evaluating.translating import Translating
from hesperus.studies.prices import NOTHING, TokenRange, tokens_of
from hesperus.studies.translate_then_evaluate.open_study import OpenAnswersStudy
from hesperus.studies.translate_then_evaluate.prompts import (
    Prompts,
    gathered,
    own_languages,
    put_prompts,
    sense_of,
)
from hesperus.tasks import items_frame
from hesperus.translation import sentences
from hesperus.types import Failure, Item, Reply, Sense

_TOKENS_OF_A_SENTENCE = 20
"""Of a short one: as many sentences as this makes of the longest answer is the high end."""

_TOKENS_OF_A_CLAIM = 12
_CLAIMS_AT_ONCE = 10
_TRIES = 3
"""A judge's prompt is asked at most so often, and a faulty sentence sampled."""

_REQUEST_WORDS = TokenRange(15, 60)
_JUDGE_WORDS = TokenRange(250, 700)
"""Tokens of the words around a sentence to translate, and around a text to judge."""


def prompt_lines(study: OpenAnswersStudy, originals: Iterable[Item]) -> Iterator[Line]:
    """Translating the prompts, there and back."""
    maker = study.prompt_translator or study.translator
    made = [tag for tag in study.languages if tag not in own_languages(study)]
    if is_translator(maker):
        return
    prompts = [text for item in originals for text in item_texts(item)]
    asked = sum(len(sentences(text, study.reference)) for text in prompts)
    inside = sum((tokens_of(text, study.reference) for text in prompts), NOTHING)
    for tag in made:
        for what in (f"prompts to {tag}", f"prompts back from {tag}"):
            low = TokenRange(inside.low + asked * _REQUEST_WORDS.low, inside.low)
            high = (inside.high + asked * _REQUEST_WORDS.high) * (1 + _TRIES)
            yield Line(
                maker, "translate", what, tag, asked * (1 + _TRIES), (), TokenRange(low.low, high),
                     TokenRange(inside.low, inside.high * (1 + _TRIES)), asked,
            )  # fmt: skip


def translation_lines(study: OpenAnswersStudy, items: int) -> Iterator[Line]:
    """Translating the answers, and those of the control."""
    if is_translator(study.translator):
        return
    longest = study.answers.max_tokens or DEFAULT_TOKENS
    most = max(1, longest // _TOKENS_OF_A_SENTENCE)
    legs = 3 if study.control else 1
    for model in study.models:
        for tag in study.languages:
            low, high = items * legs, items * legs * most * (1 + _TRIES)
            code = sense_of(tag, model, study).code
            yield Line(
                study.translator, "translate", f"answers of {model} in {code}", study.reference, high, (),
                     TokenRange(low * _REQUEST_WORDS.low, legs * items * longest * (1 + _TRIES) + high * _REQUEST_WORDS.high),
                     TokenRange(low, legs * items * longest * (1 + _TRIES)), low,
            )  # fmt: skip


def verdict_lines(study: OpenAnswersStudy, items: int) -> Iterator[Line]:
    """Judging pairs of answers."""
    judged = [what for what in study.evaluate if what in ("information", "equivalence")]
    if study.judge == EMBEDDED or not judged:
        return
    longest = study.answers.max_tokens or DEFAULT_TOKENS
    checks = -(-max(1, longest // _TOKENS_OF_A_CLAIM) // _CLAIMS_AT_ONCE)
    sets = 2 if study.control else 1
    for model in study.models:
        pairs = items * len(study.languages) * sets
        for what in judged:
            texts = items + pairs if what == "information" else 0
            low = texts + 2 * pairs
            high = (texts + 2 * pairs * (checks if what == "information" else 1)) * _TRIES
            yield Line(
                study.judge, "judge", f"{what} of {model}", study.reference, high, (),
                     TokenRange(low * _JUDGE_WORDS.low, high * (_JUDGE_WORDS.high + longest)),
                     TokenRange(low * 2, high * longest // 2), low,
            )  # fmt: skip


def notes_of(study: OpenAnswersStudy, prompts: int) -> Iterator[str]:
    """What to know next to the lines."""
    made = [tag for tag in study.languages if tag not in own_languages(study)]
    maker = study.prompt_translator or study.translator
    if made and is_translator(maker):
        yield f"{maker} translates {prompts:,} texts of prompts into {len(made)} languages and back, here"
    answers = prompts * len(study.languages) * len(study.models)
    if is_translator(study.translator) and study.translator != "none":
        control = f", and {answers:,} answers of the reference there and back" if study.control else ""
        yield f"{study.translator} translates up to {answers:,} answers{control}, here"
    yield (
        "requests of translating and judging depend on answers that are yet to come: requests_low is for the shortest, "
        "requests for the longest that are allowed, with every repair and retry"
    )


EVALUATIONS, PROMPTS, READABILITY = "evaluations", "prompts.parquet", "readability.parquet"
"""Of a run folder: a folder for each evaluator, the check of translated prompts, the share of readable verdicts."""


@dataclass(frozen=True, slots=True)
class _Means:
    """Who translates prompts and answers, and who evaluates."""

    prompting: Translating
    translating: Translating
    evaluators: Sequence[Evaluator]


def course(study: OpenAnswersStudy, *, folder: Path | None = None) -> Course:
    """Load a study, and refuse what cannot be asked."""
    material = gathered(study)
    models = models_named(_everybody(study), study)
    _refuse_unaskable(study)
    makes = len(own_languages(study)) <= len(study.languages)
    texts = sum(len(item_texts(item)) for item in originals_of(material, study.reference).values())
    return Course(material, models, _stages(study, material), makes, tuple(notes_of(study, texts)))


def _stages(study: OpenAnswersStudy, material: LoadedItems) -> Stages:
    means = yield Work(lambda place: _means(study, place), lambda: None, is_common=True)
    originals = originals_of(material, study.reference)
    prompts = yield Work(
        lambda _: put_prompts(study, material, means.prompting),
        lambda: put_prompts(study, material, None),
        prompt_lines(study, originals.values()),
        is_common=True,
    )
    how = AskSettings.of(study)
    frames = []
    for model in study.models:
        cells, senses = _cells_for(model, study), _senses_for(model, prompts, study)
        frames.append((yield Answer(model, cells, senses, how, material, row=_row)))
    evaluations = yield Work(
        lambda _: _evaluated(study, means, prompts, pl.concat(frames)),
        tuple,
        chain(translation_lines(study, len(originals)), verdict_lines(study, len(originals))),
    )

    def outcome() -> Outcome:
        records = pl.concat(frames)
        if study.shard is not None:
            return Outcome(records, None)
        whole = conform(records.collect())
        signed: dict[str, JSON] = {
            ANSWERS: answers_digest(whole),
            "prompts": means.prompting.signature(),
            "evaluations": {one.what: plain(dict(one.signature)) for one in evaluations},
        }

        def beside(folder: Path) -> None:
            _write(folder, evaluations, prompts)

        items = _items(prompts, study)
        return Outcome(whole.lazy(), items, (), signed, material.excluded, beside)

    return outcome


def _means(study: OpenAnswersStudy, place: Place) -> _Means:
    """Two translators, of prompts and of answers, over one store, and the evaluators; what cannot be done is refused."""
    session, kept = place.session, place.translations()
    prompting, translating = (
        Translating(translator_named(name, session.models, session.ask), kept, watch=place.watch)
        for name in (study.prompt_translator or study.translator, study.translator)
    )
    translating.refuse_unsupported([(tag, study.reference) for tag in study.languages])
    evaluators = [
        evaluator_named(
            what, study.judge, session.ask, classifier=study.classifiers.get(what), held=session.held
        )
        for what in study.evaluate
    ]
    return _Means(prompting, translating, evaluators)


def _evaluated(
    study: OpenAnswersStudy, means: _Means, prompts: Prompts, records: pl.LazyFrame
) -> list[Evaluation]:
    """Answers translated into the reference language, and compared with those that were given there."""
    return evaluate(
        paired(replies_of(records.collect()), study.reference, study.languages),
        means.translating,
        means.evaluators,
        control=study.control,
        prompts=prompts.asked(study.reference),
    )


def _everybody(study: OpenAnswersStudy) -> tuple[str, ...]:
    """All models that are asked: to answer, to translate, to judge."""
    makers = [
        *models_of(study.translator, study.judge),
        *(models_of(study.prompt_translator, study.judge) if study.prompt_translator else ()),
    ]
    return tuple(dict.fromkeys([*study.models, *makers]))


def _refuse_unaskable(study: OpenAnswersStudy) -> None:
    """Before anything is asked: a model that translates can be asked to in the language of each text."""
    made = [tag for tag in study.languages if tag not in own_languages(study)]
    pairs = [] if is_translator(study.translator) else [(tag, study.reference) for tag in study.languages]
    if not is_translator(study.prompt_translator or study.translator):
        pairs += [(study.reference, tag) for tag in made]
    refuse_unaskable((translate, pair) for pair in pairs)


def _senses_for(model: str, prompts: Prompts, study: OpenAnswersStudy) -> Senses:
    """The task in every sense in which a model is asked."""
    tags = (study.reference, *study.languages)
    senses = {tag: sense_of(tag, model, study) for tag in tags}
    return Senses(
        prompts.material,
        {senses[tag]: prompts.instructions[tag] for tag in tags},
        {senses[tag]: prompts.items[tag] for tag in tags},
    )


def _cells_for(model: str, study: OpenAnswersStudy) -> tuple[Cell, ...]:
    """A cell for each language, instruction and input in the same sense."""
    senses = [sense_of(tag, model, study) for tag in (study.reference, *study.languages)]
    return tuple(Cell(sense, sense) for sense in senses)


def _row(
    one: Asked, result: Reply | Failure | Fault, senses: Senses, how: AskSettings, task: str
) -> dict[str, object]:
    """A row of the records: an open answer, which is not compared with a gold."""
    row = asked_row(one, task)
    if isinstance(result, Failure | Fault):
        return {**row, **lost_reply(result)}
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


def _items(prompts: Prompts, study: OpenAnswersStudy) -> list[pl.DataFrame]:
    """The original items, and what was made of them: once for all models, or by each model for itself."""
    frames = [*items_of(prompts.material)]
    for tag in prompts.made:
        whole = tuple(item for item in prompts.items[tag].values() if isinstance(item, Item))
        for sense, model in _makers(tag, study) if whole else ():
            frame = items_frame({tag: whole})
            frames.append(
                frame.with_columns(
                    pl.lit(sense.code).alias("input"), pl.lit(model, pl.String()).alias("model")
                )
            )
    return frames


def _makers(tag: str, study: OpenAnswersStudy) -> Iterator[tuple[Sense, str | None]]:
    senses = {model: sense_of(tag, model, study) for model in study.models}
    for sense in dict.fromkeys(senses.values()):
        yield sense, next(m for m, s in senses.items() if s == sense) if sense.maker is None else None


def _write(folder: Path, evaluations: Sequence[Evaluation], prompts: Prompts) -> None:
    """What lies besides the records."""
    for evaluation in evaluations:
        write_evaluation(evaluation, folder / EVALUATIONS)
    write_parquet(prompts.check, folder / PROMPTS, {"hesperus.prompts": "1"})
    write_parquet(_readability(evaluations), folder / READABILITY, {"hesperus.readability": "1"})


def _readability(evaluations: Sequence[Evaluation]) -> pl.DataFrame:
    """A row for each evaluator: the share of its replies that could be read; undefined where it asks nobody."""
    rows = [{"evaluator": one.what, **asdict(one.validity)} for one in evaluations]
    return pl.DataFrame(rows, schema=_READABILITY, orient="row")


_READABILITY = {
    "evaluator": pl.String(), "value": pl.Float64(), "low": pl.Float64(), "high": pl.Float64(), "n": pl.Int64(),
    "excluded": pl.Int64(), "reason": pl.String(),
}  # fmt: skip
