"""Representations: are a model's inner states alike for one meaning in two languages, and does agreement go with it?"""

from hesperus.studies.representations.agreeing import agreement_matrix
from hesperus.studies.representations.running import (
    LAYER_COLUMNS,
    PAIR_COLUMNS,
    RepresentationStudy,
    Represented,
    represent,
)
from hesperus.studies.representations.sentences import Sentences, parallel_sentences

__all__ = [
    "LAYER_COLUMNS",
    "PAIR_COLUMNS",
    "RepresentationStudy",
    "Represented",
    "Sentences",
    "agreement_matrix",
    "parallel_sentences",
    "represent",
]
