"""Open answers, ready or just asked: pairs with the reference, translated, evaluated, with the control beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.studies.evaluating.evaluation import Evaluation, EvaluationSettings, evaluate
    from hesperus.studies.evaluating.evaluators import EquivalenceEvaluator, Evaluator, InformationEvaluator
    from hesperus.studies.evaluating.keeping import write_evaluation
    from hesperus.studies.evaluating.means import Means, evaluate_ready
    from hesperus.studies.evaluating.naming import evaluator_named, models_of, translator_named
    from hesperus.studies.evaluating.pairing import Paired, paired
    from hesperus.studies.evaluating.reading import read_open
    from hesperus.studies.evaluating.replies import chosen, read_prompts, read_replies, replies_of
    from hesperus.studies.evaluating.translating import Made, Translating, Way
    from hesperus.studies.evaluating.translation_store import TranslationStore

__all__ = [
    "EquivalenceEvaluator",
    "Evaluation",
    "EvaluationSettings",
    "Evaluator",
    "InformationEvaluator",
    "Made",
    "Means",
    "Paired",
    "Translating",
    "TranslationStore",
    "Way",
    "chosen",
    "evaluate",
    "evaluate_ready",
    "evaluator_named",
    "models_of",
    "paired",
    "read_open",
    "read_prompts",
    "read_replies",
    "replies_of",
    "translator_named",
    "write_evaluation",
]

_HOMES = {
    "EquivalenceEvaluator": "evaluators",
    "Evaluation": "evaluation",
    "EvaluationSettings": "evaluation",
    "Evaluator": "evaluators",
    "InformationEvaluator": "evaluators",
    "Made": "translating",
    "Means": "means",
    "Paired": "pairing",
    "Translating": "translating",
    "TranslationStore": "translation_store",
    "Way": "translating",
    "chosen": "replies",
    "evaluate": "evaluation",
    "evaluate_ready": "means",
    "evaluator_named": "naming",
    "models_of": "naming",
    "paired": "pairing",
    "read_open": "reading",
    "read_prompts": "replies",
    "read_replies": "replies",
    "replies_of": "replies",
    "translator_named": "naming",
    "write_evaluation": "keeping",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
