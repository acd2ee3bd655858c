"""By what means ready answers are evaluated: translator, judge and stores by name, opened for one evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hesperus.studies.asked.session import ProgressCallback, Terms, models_named, open_session
from hesperus.studies.evaluating.evaluation import Evaluation, EvaluationSettings, evaluate
from hesperus.studies.evaluating.evaluators import EMBEDDED, evaluator_named, models_of, translator_named
from hesperus.studies.evaluating.replies import Paired
from hesperus.studies.evaluating.translating import AS_THEY_ARE, Translating
from hesperus.studies.evaluating.translation_store import TranslationStore

_TERMS = Terms()


@dataclass(frozen=True, slots=True)
class Means:
    """Names and stores.

    Attributes:
        store: Reply store, for models that judge or translate.
        translations: Store of translations.
        translator: `none`, `apertium`, `ct2/FOLDER`, …, or a model.
        judge: `embedded`, or a model.
        classifier: What tells a property, where its name does not.
        terms: On what terms models are asked.
        retry_unread: Whether a judge is asked again where its stored replies could not be read.
    """

    store: Path
    translations: Path
    translator: str = AS_THEY_ARE
    judge: str = EMBEDDED
    classifier: str | None = None
    terms: Terms = _TERMS
    retry_unread: bool = False


def evaluate_ready(
    paired: Paired,
    whats: Sequence[str],
    means: Means,
    *,
    settings: EvaluationSettings | None = None,
    prompts: Mapping[str, str] | None = None,
    watch: ProgressCallback | None = None,
) -> list[Evaluation]:
    """Evaluate replies that are there already; models are asked only to judge and to translate.

    Args:
        paired: Replies in pairs.
        whats: Names of evaluators.
        means: Translator, judge, stores.
        settings: How.
        prompts: Item id to what was asked.
        watch: Hears of the progress.

    Raises:
        UsageError: A translator, judge or evaluator that does not exist, or cannot do it.
        ModelError: One of them failed; what was done is kept.
        StoreError: A store cannot be used.
    """
    models = models_named(models_of(means.translator, means.judge), means.terms)
    with (
        open_session(models, means.store, terms=means.terms, watch=watch) as session,
        TranslationStore(means.translations) as kept,
    ):
        evaluators = [
            evaluator_named(
                what,
                means.judge,
                session.ask,
                classifier=means.classifier,
                held=session.held,
                retry=means.retry_unread,
            )
            for what in whats
        ]
        translator = translator_named(means.translator, models, session.ask)
        translating = Translating(translator, kept, watch=watch)
        return evaluate(paired, translating, evaluators, settings=settings, prompts=prompts)
