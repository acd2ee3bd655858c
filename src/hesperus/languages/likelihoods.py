"""How likely a text is in each language, by the model of py3langid (Lui and Baldwin 2012).

py3langid puts all languages of each text in order, and widens the numbers that it needs from half precision every time. Here
only the most likely language and single others are asked for, and the table is widened once.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from hesperus.errors import UnknownNameError
from hesperus.languages.tags import base_tag

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """Log-likelihoods of one text.

    Attributes:
        best: Tag of the most likely language, "zxx" if the text says nothing of its language.
        scores: Log-likelihood in each column of the model.
    """

    best: str
    scores: NDArray[np.float32]

    def lead(self, others: Iterable[str]) -> float:
        """How far the most likely language is ahead of the most likely of some others; infinite if none is known."""
        columns = _columns()
        there = [float(self.scores[place]) for tag in others for place in columns.get(tag, ())]
        return float(self.scores.max()) - max(there, default=-math.inf)


def likelihoods(text: str) -> Likelihoods | None:
    """The log-likelihoods of a text; None if nothing that the model knows occurs in it.

    Args:
        text: Any text; in capitals throughout it counts as one in small letters.
    """
    from py3langid.langid import visit_counts

    model = _model()
    spelt = unicodedata.normalize("NFC", text.lower() if text.isupper() else text)
    visits = visit_counts(
        model.moves, model.rows, model.features, spelt.encode("utf-8", errors="surrogatepass")
    )
    if not visits:
        return None
    places = np.fromiter(visits.keys(), dtype=np.intp, count=len(visits))
    counts = np.fromiter(visits.values(), dtype=np.float32, count=len(visits))
    scores = np.log1p(counts) @ model.table[places] + model.prior
    return Likelihoods(model.tags[int(scores.argmax())], scores)


def known_languages() -> frozenset[str]:
    """Tags of the languages that the model knows, "zxx" (no language) among them."""
    return frozenset(_columns())


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """Multinomial naive Bayes over byte n-grams, which one automaton finds.

    Attributes:
        table: Log-probability of each feature (row) in each language (column).
        prior: Log-probability of each language.
        tags: Tag of each column; one language may have several.
        moves: Next state by state and byte.
        rows: Where the moves of each state begin.
        features: The feature that ends in each state, or -1.
    """

    table: NDArray[np.float32]
    prior: NDArray[np.float32]
    tags: tuple[str, ...]
    moves: object
    rows: list[int]
    features: object


@cache
def _model() -> _Model:
    # Loading it takes half a second and 110 MB, which a command that reads no long text should not spend.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    loaded = LanguageIdentifier.from_model_file(MODEL_FILE)
    return _Model(
        table=loaded.nb_ptc.astype(np.float32),
        prior=loaded.nb_pc,
        tags=tuple(_tag(label) for label in loaded.nb_classes),
        moves=loaded.tk_nextmove,
        rows=[row << 8 for row in loaded.tk_row],
        features=loaded.tk_output,
    )


def _tag(label: str) -> str:
    try:
        return base_tag(label)
    except UnknownNameError:
        return label


@cache
def _columns() -> Mapping[str, tuple[int, ...]]:
    """The columns of each language."""
    found: dict[str, tuple[int, ...]] = {}
    for place, tag in enumerate(_model().tags):
        found[tag] = (*found.get(tag, ()), place)
    return found
