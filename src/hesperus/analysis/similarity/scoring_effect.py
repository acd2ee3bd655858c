"""The same items answered by a generated label and by option probabilities: how often the two differ, and at what cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hesperus.analysis.similarity.run_arrays import LaidRuns
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, estimate_cells
from hesperus.measures import (
    FAILED,
    INVALID,
    MISSING,
    Statistic,
    account,
    accuracy_statistic,
    consistency_statistic,
    difference,
    estimates,
    replied,
)

SCORING_COLUMNS = ("model", "task", "instruction", "input", "repeat", "statistic", *ESTIMATE_COLUMNS)


def scoring_rows(runs: LaidRuns, task: str, settings: SimilaritySettings) -> list[NewRow]:
    """Labels against the most probable option, of every run.

    ``disagreement``: share of items in which they differ (an invalid label differs from every option, unless the
    rule drops it); ``accuracy_label``, ``accuracy_probs`` and the first less the second, ``accuracy_difference``, over
    the items that have both. Where labels were read off the probabilities, nothing differs.
    """
    heads: list[NewRow] = []
    statistics: list[Statistic] = []
    assert runs.probs is not None
    for index, cell in enumerate(runs.cells):
        scored = np.isfinite(runs.probs[index]).all(axis=1)
        best = runs.probs[index].argmax(axis=1)
        most = np.where(scored, runs.options[np.arange(len(best)), best], MISSING).astype(np.int32)
        label = np.where(scored, runs.codes[index], MISSING).astype(np.int32)
        if not scored.any():
            continue
        codes = runs.codes[index]
        lost = {
            "without a reply (error)": int(((codes == FAILED) & ~scored).sum()),
            "without probabilities of the options": int((replied(codes) & ~scored).sum()),
        }
        same = consistency_statistic(label, most, invalid=settings.invalid)
        agree, counted = (column > 0 for column in same.columns)
        apart = Statistic(
            (counted & ~agree, counted),
            same.reduce,
            same.corners,
            same.n,
            same.excluded,
            same.reason,
            same.undefined,
        )
        gold = np.where(counted, runs.key.gold, INVALID).astype(np.int32)
        first, second = accuracy_statistic(label, gold), accuracy_statistic(most, gold)
        named = (
            ("disagreement", apart), ("accuracy_label", first), ("accuracy_probs", second),
            ("accuracy_difference", difference(first, second)),
        )  # fmt: skip
        for name, statistic in named:
            heads.append({
                "model": cell.model, "task": task, "instruction": cell.instruction, "input": cell.input,
                "repeat": cell.repeat, "statistic": name,
            })  # fmt: skip
            reason = "; ".join(filter(None, (statistic.reason, account(lost))))
            statistics.append(
                replace(statistic, excluded=statistic.excluded + sum(lost.values()), reason=reason)
            )
    numbers = estimates(statistics, settings.bootstrap)
    return [{**head, **estimate_cells(number)} for head, number in zip(heads, numbers, strict=True)]
