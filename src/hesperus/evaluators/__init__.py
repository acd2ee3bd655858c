"""Evaluators of free text: is one answer as informative as another, do two short answers say the same?

A judge is the embedded one, which needs no model, or any model through a callable that asks; this room knows no models.
What a judge may be trusted with is measured against people (calibrate).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.evaluators.calibration import Calibration, calibrate
    from hesperus.evaluators.compared_texts import Compared, Evaluator, Texts
    from hesperus.evaluators.embedded.judge import EmbeddedJudge, EmbeddedSettings
    from hesperus.evaluators.equivalence.grading import Grader, answer_equivalence, equivalence_evaluator
    from hesperus.evaluators.equivalence.model_grader import ModelGrader
    from hesperus.evaluators.equivalence.short_answers import EmbeddedGrader
    from hesperus.evaluators.information.comparing import information_consistency, information_evaluator
    from hesperus.evaluators.information.judges import (
        NO_ANSWER,
        Check,
        Extracted,
        Judge,
        Judged,
        Verified,
        no_answer,
    )
    from hesperus.evaluators.information.model_judge import ModelJudge, ModelJudgeSettings
    from hesperus.evaluators.judging import Asker
    from hesperus.evaluators.labelled import LabelledText, read_labelled
    from hesperus.evaluators.properties.comparing import profile_evaluator, property_consistency
    from hesperus.evaluators.properties.profiles import Profiles, PropertyEvaluator
    from hesperus.evaluators.properties.resolving import property_evaluator

__all__ = [
    "NO_ANSWER", "Asker", "Calibration", "Check", "Compared", "EmbeddedGrader", "EmbeddedJudge", "EmbeddedSettings",
    "Evaluator", "Extracted", "Grader", "Judge", "Judged", "LabelledText", "ModelGrader", "ModelJudge",
    "ModelJudgeSettings", "Profiles", "PropertyEvaluator", "Texts", "Verified", "answer_equivalence", "calibrate",
    "equivalence_evaluator", "information_consistency", "information_evaluator", "no_answer", "profile_evaluator",
    "property_consistency", "property_evaluator", "read_labelled",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
