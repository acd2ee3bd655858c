"""Representations: are a model's inner states alike for one meaning in two languages, and does agreement go with it?"""

from hesperus.studies.representations.agreeing import PairAgreement, pair_agreement
from hesperus.studies.representations.running import (
    AGREEMENT_COLUMNS,
    LAYER_COLUMNS,
    PAIR_COLUMNS,
    RepresentationStudy,
    Represented,
    represent,
)
from hesperus.studies.representations.sentences import Sentences, parallel_sentences

__all__ = [
    "AGREEMENT_COLUMNS",
    "LAYER_COLUMNS",
    "PAIR_COLUMNS",
    "PairAgreement",
    "RepresentationStudy",
    "Represented",
    "Sentences",
    "pair_agreement",
    "parallel_sentences",
    "represent",
]
