"""Which pairs of runs answer which question: within a model, between models, from a pivot, with a partner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np
import numpy.typing as npt

from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.records import Cell

WITHIN, BETWEEN, PIVOT, PARTNER, BETWEEN_OF = (
    "within_model", "between_models", "pivot", "partner", "between_models_of",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Pairs to be averaged.

    Attributes:
        design: Name of the design.
        name: Model or language that the pairs have in common; ``all`` where they have none.
        pairs: Indices into the pairs of the design.
    """

    design: str
    name: str
    pairs: npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Designs:
    """All pairs of all designs, each once.

    Attributes:
        cells: The runs.
        pairs: Indices of runs, [pairs, 2].
        groups: Groups of pairs.
        partners: Model to the model of another family that is nearest in size.
    """

    cells: tuple[Cell, ...]
    pairs: npt.NDArray[np.intp]
    groups: tuple[Group, ...]
    partners: dict[str, str]

    def group(self, design: str, name: str) -> int | None:
        """Index of a group; None if it has no pairs."""
        for index, group in enumerate(self.groups):
            if (group.design, group.name) == (design, name):
                return index
        return None


def sense_of(cell: Cell) -> str:
    """What represents the language of a run: its sense, or both where instruction and input differ."""
    return cell.input if cell.instruction == cell.input else f"{cell.instruction}/{cell.input}"


def designs(cells: Sequence[Cell], settings: SimilaritySettings) -> Designs:
    """Spell out the designs for the first repeats of the runs.

    Within a model: all pairs of its languages; the pivot's pairs among them. Between models: all pairs of models in a
    language, grouped by language and by model; the pairs of partners among them.
    """
    first = [(index, cell) for index, cell in enumerate(cells) if cell.repeat == 1]
    found = partners(dict.fromkeys(cell.model for _, cell in first), settings)
    pairs: list[tuple[int, int]] = []
    members: dict[tuple[str, str], list[int]] = {}

    def into(design: str, name: str) -> None:
        members.setdefault((design, name), []).append(len(pairs) - 1)

    for (i, a), (j, b) in combinations(first, 2):
        if a.model == b.model:
            pairs.append((i, j))
            into(WITHIN, a.model)
            into(WITHIN, "all")
            if settings.pivot in (sense_of(a), sense_of(b)):
                into(PIVOT, a.model)
                into(PIVOT, "all")
        elif (a.instruction, a.input) == (b.instruction, b.input):
            pairs.append((i, j))
            into(BETWEEN, sense_of(a))
            into(BETWEEN, "all")
            for model, other in ((a.model, b.model), (b.model, a.model)):
                into(BETWEEN_OF, model)
                if found.get(model) == other:
                    into(PARTNER, model)
    groups = tuple(
        Group(design, name, np.array(held, dtype=np.intp))
        for (design, name), held in sorted(members.items(), key=_order)
    )
    return Designs(tuple(cells), np.array(pairs, dtype=np.intp).reshape(-1, 2), groups, found)


def partners(models: Sequence[str] | dict[str, None], settings: SimilaritySettings) -> dict[str, str]:
    """For each model of known size and family, the model of another family nearest in size (first by name where equal)."""
    known = sorted(model for model in models if model in settings.sizes and model in settings.families)
    found = {}
    for model in known:
        others = [other for other in known if settings.families[other] != settings.families[model]]
        if others:
            size = settings.sizes[model]
            found[model] = min(others, key=lambda other: (abs(settings.sizes[other] - size), other))
    return found


def log_size(model: str, settings: SimilaritySettings) -> float | None:
    """Natural logarithm of a model's parameters, or None if they are not given."""
    size = settings.sizes.get(model)
    return log(size) if size else None


def _order(entry: tuple[tuple[str, str], list[int]]) -> tuple[int, bool, str]:
    design, name = entry[0]
    return (WITHIN, PIVOT, BETWEEN, BETWEEN_OF, PARTNER).index(design), name == "all", name
