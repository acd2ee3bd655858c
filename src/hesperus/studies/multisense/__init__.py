"""Multisense consistency: the model makes another sense of its own task, then answers both."""

from hesperus.studies.asked.cells import Cell
from hesperus.studies.asked.keeping import StudyRun, default_store
from hesperus.studies.asked.planning import Plan
from hesperus.studies.multisense.config import MultisenseStudy, read_study, study_from_mapping
from hesperus.studies.multisense.design import Design, design
from hesperus.studies.multisense.planning import plan_study
from hesperus.studies.multisense.running import default_folder, run_study

__all__ = [
    "Cell",
    "Design",
    "MultisenseStudy",
    "Plan",
    "StudyRun",
    "default_folder",
    "default_store",
    "design",
    "plan_study",
    "read_study",
    "run_study",
    "study_from_mapping",
]
