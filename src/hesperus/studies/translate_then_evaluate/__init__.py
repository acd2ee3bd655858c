"""Translate, then evaluate: are open answers as informative, and as kind, in every language?"""

from hesperus.studies.translate_then_evaluate.config import (
    OpenAnswersStudy,
    read_study,
    study_from_mapping,
)
from hesperus.studies.translate_then_evaluate.planning import plan_study
from hesperus.studies.translate_then_evaluate.running import default_folder, run_study

__all__ = [
    "OpenAnswersStudy",
    "default_folder",
    "plan_study",
    "read_study",
    "run_study",
    "study_from_mapping",
]
