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
from hesperus.evaluators.properties.profiles import LEFT_OUT, PRESENCE, Profiles, profiled
from hesperus.fingerprint import JSON, fingerprint
from hesperus.version import __version__


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


class TermEvaluator:
    """A trained baseline: a linear classifier over terms for each property.

    It reads the response alone: what the seeker wrote made it no better.

    Args:
        name: Its name.
        classifiers: By property.
        files: Hash of each file, for the signature.
    """

    needs_context = False
    missing = LEFT_OUT

    def __init__(
        self, name: str, classifiers: Mapping[str, TermWeights], *, files: Mapping[str, str]
    ) -> None:
        self.name = name
        self.properties = tuple(classifiers)
        self.levels: Mapping[str, tuple[str, ...]] = dict.fromkeys(self.properties, PRESENCE)
        self._classifiers = dict(classifiers)
        self._files = dict(files)

    def signature(self) -> dict[str, JSON]:
        """The hash of the weights."""
        weights = fingerprint(self._files)
        return {"hesperus": __version__, "evaluator": "tfidf", "name": self.name, "weights": weights}

    def profiles(self, texts: Sequence[str], contexts: Sequence[str] | None = None) -> Profiles:
        """Present where the log odds are above 0."""

        def classify(places: Sequence[int]) -> tuple[npt.NDArray[np.bool_], int]:
            said = [texts[place] for place in places]
            columns = [classifier.decisions(said) > 0.0 for classifier in self._classifiers.values()]
            return np.stack(columns, axis=1), 0

        return profiled(texts, None, self, classify)


def load_terms(folder: Path, manifest: Manifest, *, name: str) -> TermEvaluator:
    """The evaluator of a folder."""
    classifiers = {}
    for each in manifest.properties:
        if f"{each}.json" not in manifest.files:
            raise DataError(f"names no {each}.json", file=folder, field="files")
        classifiers[each] = TermWeights.read(folder / f"{each}.json")
    return TermEvaluator(name, classifiers, files=manifest.files)
