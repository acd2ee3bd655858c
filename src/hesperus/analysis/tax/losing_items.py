"""The items of an audit that lose right answers on the way back, with what people saw in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hesperus.analysis.tax.evidence import Evidence
from hesperus.analysis.tax.paired_records import PairedAnswers, Side, compared
from hesperus.analysis.tax.rating import mean_ratings
from hesperus.measures import item_signal

_MISALIGNED = ("asked on one side only", "without gold", "gold differs between the sides")


@dataclass(frozen=True, slots=True)
class LosingItem:
    """An item, and what became of its answers on the way back.

    Attributes:
        task: Name of the task.
        item: Id.
        models: Models that are compared.
        lost: Those that are right on the original only.
        won: Those that are right on what came back only.
        is_high: Whether it is in the stratum ``high``.
        ratings: What was rated to its mean rating.
    """

    task: str
    item: str
    models: int
    lost: int
    won: int
    is_high: bool
    ratings: Mapping[str, float]


def back_pairs(evidence: Evidence) -> PairedAnswers | None:
    """The original against what came back; None if nothing did."""
    senses = evidence.senses
    if senses.original is None or senses.back is None:
        return None
    quality = evidence.quality if evidence.scores is not None else None
    sides = Side(senses.original), Side(senses.back)
    return compared(evidence.audited, *sides, scores=evidence.scores, quality=quality)


def misaligned_counts(found: PairedAnswers) -> dict[str, int]:
    """How many items cannot be compared, by why; reasons that no item has are left out."""
    causes = {name: int(mask.any(axis=0).sum()) for name, mask in found.causes.items() if name in _MISALIGNED}
    return {name: count for name, count in causes.items() if count}


def losing_items(evidence: Evidence, found: PairedAnswers) -> list[LosingItem]:
    """Items that lose right answers or are in the stratum ``high``: by loss, then by mean rating, then by id."""
    signal = np.nan_to_num(item_signal(found.pairs), nan=-1.0)
    high = set(evidence.strata.get("high", ())) if evidence.strata is not None else set()
    rated = mean_ratings(evidence.ratings) if evidence.ratings is not None else {}
    pairs = found.pairs
    placed = []
    for place, (task, item) in enumerate(found.items):
        if signal[place] <= 0 and item not in high:
            continue
        strict, first, second = (of[:, place] for of in (pairs.strict, pairs.first_right, pairs.second_right))
        lost, won = (int((a & ~b & strict).sum()) for a, b in ((first, second), (second, first)))
        ratings = {name: held[item] for name, held in rated.items() if held.get(item) is not None}
        mean = float(np.mean(list(ratings.values()))) if ratings else 0.0
        one = LosingItem(task, item, int(strict.sum()), lost, won, item in high, ratings)
        placed.append(((-float(signal[place]), -mean, task, item, place), one))
    return [one for _, one in sorted(placed, key=lambda pair: pair[0])]
