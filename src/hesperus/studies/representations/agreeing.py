"""κ_p between the languages of one model, from records of its answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import Key, hard_pairs, soft_pairs
from hesperus.records import INVALID, Cell, Codes, answer_arrays

_NEEDED = 3
"""Languages below which no permutation of them can tell anything."""


def agreement_matrix(
    records: pl.DataFrame, languages: Sequence[str], *, model: str, task: str | None = None
) -> npt.NDArray[np.float64]:
    """κ_p of every pair of languages: of probabilities where every answer has them, else of labels.

    Items whose gold differs between the languages are left out.

    Args:
        records: Answers (see hesperus.records.read_records).
        languages: Language tags; answers are looked up where instruction and input are both in the language.
        model: Whose answers.
        task: Of which task; None where the records have one.

    Returns:
        [languages, languages]; NaN on the diagonal, where a language has no answers, and where κ_p is undefined.

    Raises:
        UnknownNameError: No such model or task in the records.
        UsageError: Several tasks and none named.
        DataError: Answers in fewer than three of the languages.
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
    if probs is not None and _scored(probs, codes):
        found = soft_pairs(probs, key=key).kappa_p
    else:
        found = hard_pairs(codes, key=key).kappa_p
    table = np.full((len(languages), len(languages)), np.nan)
    places = [place for place, row in enumerate(spots) if row is not None]
    table[np.ix_(places, places)] = found
    np.fill_diagonal(table, np.nan)
    return table


def _scored(probs: npt.NDArray[np.float64], codes: Codes) -> bool:
    """Whether every answer has probabilities."""
    whole = np.asarray(np.isfinite(probs).all(axis=2))
    return bool(whole[codes >= INVALID].all())
