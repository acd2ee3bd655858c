"""What studies that ask models have in common: their keys, their material, the desk at which they ask, what they keep.

A study gathers its material, opens a desk, asks its questions there and keeps what came back; see docs/studies.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.studies.asked.answering import (
        Ask,
        Asked,
        Fault,
        How,
        Senses,
        answer_cells,
        questions,
        senses_of,
    )
    from hesperus.studies.asked.cells import Cell, original_cells
    from hesperus.studies.asked.declaring import (
        BudgetLimits,
        Declared,
        Drawing,
        Exclusions,
        InstructionOverride,
        Part,
        Resampling,
        SampleSize,
    )
    from hesperus.studies.asked.desk import Desk, OnTerms, Terms, Watch, identities, models_named, open_desk
    from hesperus.studies.asked.exclusions import Excluded, excluded_items, without_items, without_records
    from hesperus.studies.asked.keeping import (
        StudyRun,
        decided,
        default_store,
        folder_for,
        items_of,
        lost_questions,
        made_items_of,
        records_of,
    )
    from hesperus.studies.asked.locating import home_of
    from hesperus.studies.asked.material import Material, Subject, gather, golds_of, originals_of, override
    from hesperus.studies.asked.planning import Line, Plan, answer_lines, plan_of, prompt_tokens

__all__ = [
    "Ask",
    "Asked",
    "BudgetLimits",
    "Cell",
    "Declared",
    "Desk",
    "Drawing",
    "Excluded",
    "Exclusions",
    "Fault",
    "How",
    "InstructionOverride",
    "Line",
    "Material",
    "OnTerms",
    "Part",
    "Plan",
    "Resampling",
    "SampleSize",
    "Senses",
    "StudyRun",
    "Subject",
    "Terms",
    "Watch",
    "answer_cells",
    "answer_lines",
    "decided",
    "default_store",
    "excluded_items",
    "folder_for",
    "gather",
    "golds_of",
    "home_of",
    "identities",
    "items_of",
    "lost_questions",
    "made_items_of",
    "models_named",
    "open_desk",
    "original_cells",
    "originals_of",
    "override",
    "plan_of",
    "prompt_tokens",
    "questions",
    "records_of",
    "senses_of",
    "without_items",
    "without_records",
]

_HOMES = {
    "Ask": "answering",
    "Asked": "answering",
    "BudgetLimits": "declaring",
    "Cell": "cells",
    "Declared": "declaring",
    "Desk": "desk",
    "Drawing": "declaring",
    "Excluded": "exclusions",
    "Exclusions": "declaring",
    "Fault": "answering",
    "How": "answering",
    "InstructionOverride": "declaring",
    "Line": "planning",
    "Material": "material",
    "OnTerms": "desk",
    "Part": "declaring",
    "Plan": "planning",
    "Resampling": "declaring",
    "SampleSize": "declaring",
    "Senses": "answering",
    "StudyRun": "keeping",
    "Subject": "material",
    "Terms": "desk",
    "Watch": "desk",
    "answer_cells": "answering",
    "answer_lines": "planning",
    "decided": "keeping",
    "default_store": "keeping",
    "excluded_items": "exclusions",
    "folder_for": "keeping",
    "gather": "material",
    "golds_of": "material",
    "home_of": "locating",
    "identities": "desk",
    "items_of": "keeping",
    "lost_questions": "keeping",
    "made_items_of": "keeping",
    "models_named": "desk",
    "open_desk": "desk",
    "original_cells": "cells",
    "originals_of": "material",
    "override": "material",
    "plan_of": "planning",
    "prompt_tokens": "planning",
    "questions": "answering",
    "records_of": "keeping",
    "senses_of": "answering",
    "without_items": "exclusions",
    "without_records": "exclusions",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
