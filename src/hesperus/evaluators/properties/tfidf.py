"""The baseline at work: weighted words and word pairs, summed. Plain arithmetic on what the training left.

A text's terms are counted, each weighs (1 + log count) · idf, the weights are scaled to length 1, and their product with
the coefficients, with the intercept, is above 0 where the property is present.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from hesperus.errors import DataError
from hesperus.evaluators.properties.folder import Manifest, read_json
from hesperus.evaluators.properties.lookup_text import terms
from hesperus.evaluators.properties.profiles import PRESENCE, Classifier
from hesperus.fingerprint import JSON, fingerprint


class _Terms(msgspec.Struct):
    """The file of a classifier: JSON holds finite numbers only."""

    longest: Annotated[int, msgspec.Meta(ge=1, le=9)]
    intercept: float
    terms: list[tuple[str, float, float]]


@dataclass(frozen=True, slots=True)
class TermWeights:
    """A linear classifier over terms.

    Attributes:
        longest: Words in the longest term.
        weights: Term to its inverse document frequency and its coefficient.
        intercept: What is added.
    """

    longest: int
    weights: Mapping[str, tuple[float, float]]
    intercept: float

    def decisions(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Log odds of the property in each text, [texts]."""
        return np.array([self._decision(text) for text in texts], dtype=np.float64)

    @classmethod
    def read(cls, path: Path) -> TermWeights:
        """Read the JSON that a training wrote."""
        held = read_json(path, _Terms)
        weights = {term: (idf, coefficient) for term, idf, coefficient in held.terms}
        return cls(held.longest, weights, held.intercept)

    def _decision(self, text: str) -> float:
        dot = square = 0.0
        for term, count in Counter(terms(text, self.longest)).items():
            if term in self.weights:
                idf, coefficient = self.weights[term]
                weight = (1.0 + log(count)) * idf
                dot += weight * coefficient
                square += weight * weight
        return self.intercept + (dot / sqrt(square) if square else 0.0)


def load_terms(folder: Path, manifest: Manifest, *, name: str) -> Classifier:
    """The baseline of a folder: a linear classifier over terms for each property, present where its log odds are above 0.

    It reads the response alone: what the seeker wrote made it no better.
    """
    classifiers = {}
    for each in manifest.properties:
        if f"{each}.json" not in manifest.files:
            raise DataError(f"names no {each}.json", file=folder, field="files")
        classifiers[each] = TermWeights.read(folder / f"{each}.json")

    def classify(texts: Sequence[str], _: Sequence[str]) -> tuple[npt.NDArray[np.bool_], int]:
        return np.stack([one.decisions(texts) > 0.0 for one in classifiers.values()], axis=1), 0

    weights = fingerprint(dict(manifest.files))
    identity: dict[str, JSON] = {"evaluator": "tfidf", "name": name, "weights": weights}
    return Classifier(name, dict.fromkeys(classifiers, PRESENCE), identity, classify)
