"""κ_p between the languages of one model, from records of its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import (
    Bootstrap,
    Key,
    agreement_statistics,
    estimate,
    hard_pairs,
    kappa_p_statistic,
    soft_pairs,
)
from hesperus.records import INVALID, Cell, Codes, answer_arrays
from hesperus.types import Estimate

_NEEDED = 3
"""Languages below which no permutation of them can tell anything."""


@dataclass(frozen=True, slots=True, eq=False)
class PairAgreement:
    """κ_p between the languages of one model.

    Attributes:
        values: [languages, languages]; NaN on the diagonal, where a language has no answers, and where κ_p is undefined.
        estimates: κ_p of two languages with its interval, in either order; none if one of them has no answers.
    """

    values: npt.NDArray[np.float64]
    estimates: Mapping[tuple[str, str], Estimate]


def pair_agreement(
    records: pl.DataFrame,
    languages: Sequence[str],
    *,
    model: str,
    task: str | None = None,
    bootstrap: Bootstrap | None = None,
) -> PairAgreement:
    """κ_p of every pair of languages: of probabilities where every answer has them, else of labels.

    Items with gold that differs between the languages are left out.

    Answers are looked up where instruction and input are both in the language; fewer than three languages are
    refused. Without a bootstrap there are no intervals.
    """
    held = records.filter(
        pl.col("instruction") == pl.col("input"),
        pl.col("input").is_in(list(languages)),
        pl.col("repeat") == 1,
    )
    for name, column in ((model, "model"), (task, "task")):
        known = held[column].unique().sort().to_list()
        if name is None and len(known) > 1:
            raise UsageError(f"the records have the tasks {', '.join(known)}; name one")
        if name is not None and name not in known:
            raise UnknownNameError(f"{column} of the records", name, known)
        held = held if name is None else held.filter(pl.col(column) == name)
    arrays = answer_arrays(held, probs=True)
    rows = {cell: row for row, cell in enumerate(arrays.cells)}
    spots = [rows.get(Cell(model, language, language)) for language in languages]
    there = [row for row in spots if row is not None]
    if len(there) < _NEEDED:
        raise DataError(
            f"the records have answers of {model} in {len(there)} of these languages; {_NEEDED} are needed: "
            f"{', '.join(languages)}"
        )
    codes, gold = arrays.answers[there], arrays.gold[there]
    highest = gold.max(axis=0)
    known_gold = np.where(gold >= 0, gold, highest)
    kept = (highest >= 0) & (known_gold == highest).all(axis=0)
    key = Key(highest[kept], arrays.options[kept])
    probs = None if arrays.probs is None else arrays.probs[there][:, kept]
    codes = codes[:, kept]
    soft = probs if probs is not None and _scored(probs, codes) else None
    found = hard_pairs(codes, key=key).kappa_p if soft is None else soft_pairs(soft, key=key).kappa_p
    table = np.full((len(languages), len(languages)), np.nan)
    places = [place for place, row in enumerate(spots) if row is not None]
    table[np.ix_(places, places)] = found
    np.fill_diagonal(table, np.nan)
    estimates = {}
    left = int(arrays.gold.shape[1]) - int(kept.sum())
    for (i, a), (j, b) in combinations(enumerate(places), 2):
        if soft is None:
            statistic = agreement_statistics(codes[i], codes[j], key=key)["kappa_p"]
        else:
            statistic = kappa_p_statistic(soft[i], soft[j], key=key)
        one = estimate(statistic, bootstrap)
        one = replace(one, excluded=one.excluded + left)
        if left:
            one = replace(
                one, reason="; ".join(filter(None, (one.reason, f"{left} whose gold differs or lacks")))
            )
        estimates[languages[a], languages[b]] = estimates[languages[b], languages[a]] = one
    return PairAgreement(table, estimates)


def _scored(probs: npt.NDArray[np.float64], codes: Codes) -> bool:
    """Whether every answer has probabilities."""
    whole = np.asarray(np.isfinite(probs).all(axis=2))
    return bool(whole[codes >= INVALID].all())
