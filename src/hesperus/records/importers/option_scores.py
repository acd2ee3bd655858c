"""From log-likelihoods of options to probabilities and an answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

Floats = npt.NDArray[np.float64]

BROKEN, FLAT = "log-likelihood is NaN", "no option has a finite log-likelihood"
"""Why a row of log-likelihoods has no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What log-likelihoods amount to, row by row.

    Attributes:
        best: Place of the likeliest option (the first of equals); -1 if absent.
        probs: Softmax over the options of each row; null if absent.
        broken: Rows with a NaN or +inf.
        flat: Rows in which every option is -inf.
    """

    best: npt.NDArray[np.int64]
    probs: pl.Series
    broken: npt.NDArray[np.bool_]
    flat: npt.NDArray[np.bool_]


_BLOCK = 1 << 14
"""Rows that are computed at once: a dozen arrays of them stay in the processor's cache, and memory is bounded by them."""


def softmax(values: pl.Series) -> Scored:
    """Probabilities over the options of each row: exp(l_c) / sum of exp(l).

    Args:
        values: Log-likelihoods, natural logarithm, a list per row; -inf is probability 0.

    Returns:
        Rows with a NaN, a null, a +inf or no finite value at all have no probabilities and no best option.
    """
    blocks = [_softmax(values.slice(start, _BLOCK)) for start in range(0, max(len(values), 1), _BLOCK)]
    return Scored(
        np.concatenate([block.best for block in blocks]),
        pl.concat([block.probs for block in blocks]),
        np.concatenate([block.broken for block in blocks]),
        np.concatenate([block.flat for block in blocks]),
    )


def _softmax(values: pl.Series) -> Scored:
    lengths = values.list.len().fill_null(0).to_numpy().astype(np.int64)
    kept = np.flatnonzero(lengths > 0)
    flat = values.gather(kept).explode(empty_as_null=False, keep_nulls=False).cast(pl.Float64)
    numbers = flat.fill_null(np.nan).to_numpy().astype(np.float64)
    best = np.full(len(values), -1, dtype=np.int64)
    broken = np.zeros(len(values), dtype=np.bool_)
    empty = lengths == 0
    shares = np.zeros(0)
    if len(kept):
        counts = lengths[kept]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        bad = np.isnan(numbers) | np.isposinf(numbers)
        broken[kept] = np.logical_or.reduceat(bad, starts)
        clean = np.where(bad, -np.inf, numbers)
        top = np.maximum.reduceat(clean, starts)
        empty[kept] = np.isneginf(top)
        top = np.where(np.isneginf(top), 0.0, top)
        weights = np.exp(clean - np.repeat(top, counts))
        total = np.add.reduceat(weights, starts)
        shares = weights / np.repeat(np.where(total > 0, total, 1.0), counts)
        best[kept] = _first_at_top(clean, top, starts, counts)
    best[broken | empty] = -1
    probs = _lists(shares, lengths)
    gone = pl.Series(broken | empty)
    probs = pl.select(pl.when(~gone).then(probs)).to_series()
    return Scored(best, probs, broken, empty & ~broken)


def _first_at_top(
    values: Floats, top: Floats, starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    places = np.arange(len(values)) - np.repeat(starts, counts)
    at_top = np.where(values == np.repeat(top, counts), places, np.iinfo(np.int64).max)
    first: npt.NDArray[np.int64] = np.minimum.reduceat(at_top, starts)
    return first


def _lists(flat: Floats, lengths: npt.NDArray[np.int64]) -> pl.Series:
    """A series of lists from their values in one row and their lengths."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    if len(lengths) and len(flat) and lengths.min() == lengths.max():
        return pl.Series("probs", flat.reshape(len(lengths), -1)).arr.to_list()
    frame = pl.DataFrame({"row": rows, "value": flat}, schema={"row": pl.Int64, "value": pl.Float64})
    lists = frame.group_by("row", maintain_order=True).agg(pl.col("value"))
    every = pl.DataFrame({"row": np.arange(len(lengths))}).join(
        lists, on="row", how="left", maintain_order="left"
    )
    return every["value"].alias("probs")
