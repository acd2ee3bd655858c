"""Training of the baseline: scikit-learn's TF-IDF and logistic regression, left behind as plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hesperus.errors import DataError, MissingExtraError
from hesperus.evaluators.properties.folder import Kind
from hesperus.evaluators.properties.lookup_text import terms
from hesperus.evaluators.properties.profiles import Levels
from hesperus.evaluators.properties.tfidf import TermWeights
from hesperus.fingerprint import JSON, signature
from recipes.empathy.epitome import Example
from recipes.empathy.search import Point, ProgressCallback
from recipes.empathy.writing import write_terms


@dataclass(frozen=True, slots=True)
class TermWeightsSettings:
    """What the baseline is searched over.

    Attributes:
        strengths: Inverse strengths of the L2 penalty (C).
        longest: Words in the longest term.
        min_documents: Texts in which a term must occur.
        iterations: Steps of the solver at most.
        version: Of how terms are made; rises whenever a prediction may change.
    """

    strengths: tuple[float, ...] = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
    longest: tuple[int, ...] = (1, 2)
    min_documents: int = 2
    iterations: int = 2000
    version: int = 1


class TermWeightsTrainer:
    """Fits the baseline to one property. Classes weigh the same, however rare one is.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """

    kind: Kind = "tfidf"

    def __init__(self, settings: TermWeightsSettings = TermWeightsSettings()) -> None:  # noqa: B008
        self.settings = settings
        try:
            import_module("sklearn")
        except ImportError:
            raise MissingExtraError("scikit-learn", "train", "the baseline classifier") from None
        self._kept: tuple[Sequence[Example], int, tuple[Any, Any]] | None = None
        self.grid: tuple[Point, ...] = tuple(
            {"longest": longest, "C": strength}
            for longest in settings.longest
            for strength in settings.strengths
        )

    def signature(self) -> dict[str, JSON]:
        """The settings."""
        return {"trainer": self.kind, **signature(self.settings)}

    def manifest_settings(self) -> dict[str, JSON]:
        """Nothing: the weights say it all."""
        return {}

    def save_shared(self, folder: Path) -> list[str]:
        """Properties share nothing."""
        return []

    def fit(
        self, examples: Sequence[Example], point: Point, *, seed: int, watch: ProgressCallback | None = None
    ) -> TrainedTermWeights:
        """Fit to examples. The solver draws nothing, so the seed does not matter.

        Raises:
            DataError: No term is in as many texts as wanted.
        """
        linear = import_module("sklearn.linear_model")
        longest = int(point["longest"])
        vectorizer, features = self._features(examples, longest)
        classifier = linear.LogisticRegression(
            C=float(point["C"]), class_weight="balanced", max_iter=self.settings.iterations
        )
        classifier.fit(features, [example.present for example in examples])
        idf, coefficients = vectorizer.idf_.tolist(), classifier.coef_[0].tolist()
        weights = {
            str(term): (float(idf[column]), float(coefficients[column]))
            for term, column in sorted(vectorizer.vocabulary_.items())
        }
        if watch is not None:
            watch("", 1, 1)
        return TrainedTermWeights(TermWeights(longest, weights, float(classifier.intercept_[0])))

    def _features(self, examples: Sequence[Example], longest: int) -> tuple[Any, Any]:
        """The fitted vectorizer and what it made of the examples; kept for the next point on the same ones."""
        if self._kept is not None and self._kept[0] is examples and self._kept[1] == longest:
            return self._kept[2]
        text = import_module("sklearn.feature_extraction.text")
        vectorizer = text.TfidfVectorizer(
            analyzer=lambda said: terms(said, longest), min_df=self.settings.min_documents, sublinear_tf=True
        )
        try:
            features = vectorizer.fit_transform([example.text for example in examples])
        except ValueError as error:
            raise DataError(f"the responses share no words to learn from: {error}") from None
        self._kept = (examples, longest, (vectorizer, features))
        return vectorizer, features


@dataclass(frozen=True, slots=True)
class TrainedTermWeights:
    """A fitted baseline."""

    weights: TermWeights

    def predict(self, examples: Sequence[Example]) -> Levels:
        """Levels of the property, [examples]."""
        levels: Levels = (self.weights.decisions([example.text for example in examples]) > 0).astype(np.int32)
        return levels

    def save(self, folder: Path, property: str) -> list[str]:
        """Write the weights; returns the names of the files."""
        write_terms(self.weights, folder / f"{property}.json")
        return [f"{property}.json"]

    def facts(self) -> Mapping[str, JSON]:
        """What a report says of it."""
        return {"terms": len(self.weights.weights)}
