"""Evaluators of free text: is one answer as informative as another, do two short answers say the same?

A judge is the embedded one, which needs no model, or any model through a callable that asks; this room knows no models.
What a judge may be trusted with is measured against people (calibrate).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.evaluators.calibration import Calibration, Control, calibrate
    from hesperus.evaluators.embedded.judge import EmbeddedJudge, EmbeddedSettings
    from hesperus.evaluators.equivalence.grading import (
        Equivalence,
        Grade,
        Grader,
        ShortPair,
        answer_equivalence,
    )
    from hesperus.evaluators.equivalence.model_grader import ModelGrader
    from hesperus.evaluators.equivalence.short_answers import EmbeddedGrader
    from hesperus.evaluators.information.comparing import Pair, information_consistency
    from hesperus.evaluators.information.judges import (
        NO_ANSWER,
        VERDICTS,
        Check,
        Extracted,
        Judge,
        Judged,
        Verdict,
        Verified,
        no_answer,
    )
    from hesperus.evaluators.information.model_judge import ModelJudge, ModelJudgeSettings
    from hesperus.evaluators.information.results import Information, PairScore, Side
    from hesperus.evaluators.judging import JUDGE_SETTINGS, Ask, Asker, Readability
    from hesperus.evaluators.labelled import LabelledText, read_labelled
    from hesperus.evaluators.properties.comparing import (
        PropertyConsistency,
        PropertyPair,
        property_consistency,
    )
    from hesperus.evaluators.properties.profiles import Profiles, PropertyEvaluator
    from hesperus.evaluators.properties.resolving import property_evaluator

__all__ = [
    "JUDGE_SETTINGS",
    "NO_ANSWER",
    "VERDICTS",
    "Ask",
    "Asker",
    "Calibration",
    "Check",
    "Control",
    "EmbeddedGrader",
    "EmbeddedJudge",
    "EmbeddedSettings",
    "Equivalence",
    "Extracted",
    "Grade",
    "Grader",
    "Information",
    "Judge",
    "Judged",
    "LabelledText",
    "ModelGrader",
    "ModelJudge",
    "ModelJudgeSettings",
    "Pair",
    "PairScore",
    "Profiles",
    "PropertyConsistency",
    "PropertyEvaluator",
    "PropertyPair",
    "Readability",
    "ShortPair",
    "Side",
    "Verdict",
    "Verified",
    "answer_equivalence",
    "calibrate",
    "information_consistency",
    "no_answer",
    "property_consistency",
    "property_evaluator",
    "read_labelled",
]

__getattr__, __dir__ = lazily(__name__)
