"""Functional similarity: which runs make the same mistakes, within a model across languages and between models."""

from hesperus.studies.similarity.config import (
    Comparison,
    LanguageNumbers,
    SimilarityStudy,
    read_study,
    study_from_mapping,
)
from hesperus.studies.similarity.grouping import Grouping, grouping
from hesperus.studies.similarity.running import default_folder, plan_study, run_study

__all__ = [
    "Comparison",
    "Grouping",
    "LanguageNumbers",
    "SimilarityStudy",
    "default_folder",
    "grouping",
    "plan_study",
    "read_study",
    "run_study",
    "study_from_mapping",
]
