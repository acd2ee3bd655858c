"""Is it the translation? An item's translation score next to whether its answers agree: over all items, and by bins of the score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.answered import with_answered
from hesperus.analysis.p_corrections import PERMUTED, tested
from hesperus.analysis.settings import DEFAULT, MeasureSettings, resolve
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, Table, table
from hesperus.analysis.views import View, estimated, view_rows, views
from hesperus.errors import DataError, UsageError, first_line
from hesperus.fingerprint import JSON
from hesperus.measures import (
    Bootstrap,
    InvalidRule,
    Statistic,
    above_statistics,
    compare,
    consistency_statistic,
    enough_permutations,
    mean_statistic,
    pearson_p,
    pearson_statistic,
    too_few_differ,
)
from hesperus.measures.statistic import ratio, share_corners
from hesperus.records import CellPair, implied_pairs

DEFAULT_THRESHOLD = 50.0
"""BLEU above which the paper counts translations as good."""

DEFAULT_COMET_THRESHOLD = 0.8
"""A convention of ours; the paper sets a threshold for BLEU alone."""

_TESTED = ("p", "p_holm")
_Sides = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]
"""The two sides of a correlation, over the items that count."""

_NAMES = ("task", "model", "sense", "item")

SCORES_FILE = "scores.parquet"
"""Item scores of translations in a run folder."""


def read_scores(path: Path | str) -> pl.DataFrame:
    """Read item scores of translations: Parquet, CSV or JSON lines.

    Args:
        path: A table with the columns `sense` (such as de_from_en), `item`, at least one column of numbers (bleu,
            chrf, comet, …), and if there are several a `task` and a `model`.

    Raises:
        UsageError: There is no such file, or its ending is not known.
        DataError: The table cannot be read, or lacks a column.
    """
    file = Path(path)
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".parquet": pl.read_parquet,
        ".csv": pl.read_csv,
        ".jsonl": pl.read_ndjson,
    }
    if not file.is_file() or file.suffix.lower() not in readers:
        raise UsageError(f"{file}: no such file of scores; expected one ending in {', '.join(readers)}")
    try:
        frame = readers[file.suffix.lower()](file)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"cannot be read: {first_line(error)}", file=file) from error
    return check_scores(frame, file=file)


def run_scores(run: Path | str) -> pl.DataFrame | None:
    """The item scores of translations that `hesperus score` left in a run folder; None if absent.

    Raises:
        DataError: The file of scores breaks its contract.
    """
    file = Path(run) / SCORES_FILE
    return read_scores(file) if file.is_file() else None


def check_scores(frame: pl.DataFrame, *, file: object = None) -> pl.DataFrame:
    """Hold a table of scores to its shape, with names as text and scores as floats.

    Raises:
        DataError: A column is missing, there is no column of numbers, or a row is doubled.
    """
    absent = [name for name in ("sense", "item") if name not in frame.columns]
    if absent:
        raise DataError(f"scores need the columns sense and item; no {' and no '.join(absent)}", file=file)
    keys = [name for name in _NAMES if name in frame.columns]
    scores = [name for name, kind in frame.schema.items() if name not in _NAMES and kind.is_numeric()]
    if not scores:
        raise DataError("no column of numbers; a score is a column such as bleu or chrf", file=file)
    found = frame.select(
        *(pl.col(name).cast(pl.String) for name in keys), *(pl.col(name).cast(pl.Float64) for name in scores)
    )
    doubled = found.select(pl.struct(keys).is_duplicated()).to_series()
    if doubled.any():
        row = int(doubled.arg_max() or 0)
        given = ", ".join(f"{name}={found[name][row]}" for name in keys)
        raise DataError(f"more than one score for {given}", file=file, line=row + 1)
    return found


def translation_table(
    records: pl.DataFrame, scores: pl.DataFrame, settings: MeasureSettings = DEFAULT
) -> Table:
    """Whether inconsistency comes with bad translations, for every made input that was answered (X).

    Args:
        records: The records table.
        scores: Item scores (see read_scores).
        settings: How it is measured. Scores from 0 to 100 strictly above the threshold (the paper's is BLEU 50) count as
            good; ROUGE, which lies between 0 and 1, takes a hundredth of it, and COMET has one of its own.

    Returns:
        For each pair (s, s) with (s, m) and each score: ``mean``; ``correlation`` with agreement and
        ``correlation_correct`` with being right on the made input (Pearson); ``consistency``, ``consistency_above``
        the threshold, and ``share_above``. Correlations have a `p` of permuted items, corrected over all of them
        (`p_holm`), and no interval where fewer than 10 items (dis)agree: there it would exclude 0 by chance.

    Raises:
        DataError: The scores have the wrong shape, or none of them belongs to the records.
        UnknownNameError: A group column that the records do not have.
    """
    settings = replace(
        settings,
        a=None,
        b=None,
        threshold=float(resolve(settings.threshold, None, DEFAULT_THRESHOLD)),
        comet_threshold=float(resolve(settings.comet_threshold, None, DEFAULT_COMET_THRESHOLD)),
    )
    checked = check_scores(scores)
    names = [name for name in checked.columns if name not in _NAMES]
    sides: list[_Sides | None] = []

    def measured(view: View) -> Iterator[tuple[NewRow, Statistic]]:
        for pair in implied_pairs(view.arrays.cells):
            for name in names if pair.condition == "X" else ():
                score = item_scores(view, pair.b.input, checked, name)
                for kind, statistic, own in _measured(
                    view, pair, score, settings, threshold_of(name, settings)
                ):
                    sides.append(own)
                    yield (
                        {"a": pair.labels[0], "b": pair.labels[1], "score": name, "statistic": kind},
                        statistic,
                    )

    rows = view_rows(records, settings, measured)
    if not rows:
        raise DataError(
            "no score belongs to a made input of these records; scores are joined by sense and item"
        )
    tests = _tests(rows, sides, settings.bootstrap)
    columns = ("model", "task", *settings.by, "a", "b", "score", "statistic", *ESTIMATE_COLUMNS, *_TESTED)
    signed = settings.signed() | {"tests": tests}
    return with_answered(table("translation", columns, rows=rows, signature=signed), records, settings.by)


def _tests(rows: Sequence[NewRow], sides: Sequence[_Sides | None], bootstrap: Bootstrap) -> dict[str, JSON]:
    """Test the correlations by permuting items, and withhold intervals that say too little; what the signature says of it."""
    ceiling = enough_permutations(bootstrap.resamples, sum(own is not None for own in sides))
    for row, own in zip(rows, sides, strict=True):
        row |= dict.fromkeys(_TESTED)
        if own is None or row["value"] is None:
            continue
        if row["low"] is not None and (few := too_few_differ(*own)):
            reason = "; ".join(text for text in (few, str(row["reason"] or "")) if text)
            row |= {"low": None, "high": None, "reason": reason}
        row["p"] = pearson_p(*own, resamples=bootstrap.resamples, seed=bootstrap.seed, ceiling=ceiling)
    return tested(rows, PERMUTED, bootstrap, of="the correlations")


def item_scores(view: View, sense: str, scores: pl.DataFrame, name: str) -> npt.NDArray[np.float64]:
    """The score of each item of a view in a made sense.

    Returns:
        [items], NaN if absent.
    """
    here = {"sense": sense, "task": view.task, "model": view.model}
    own = scores.filter([pl.col(key) == value for key, value in here.items() if key in scores.columns])
    items = pl.DataFrame({"item": view.arrays.items}, schema={"item": pl.String})
    joined = items.join(own.select("item", name), on="item", how="left", maintain_order="left")
    return joined[name].fill_null(float("nan")).to_numpy().astype(np.float64)


def threshold_of(name: str, settings: MeasureSettings) -> float:
    """The threshold of a score, on the scale of that score."""
    if name.startswith("comet"):
        return resolve(settings.comet_threshold, None, DEFAULT_COMET_THRESHOLD)
    threshold = resolve(settings.threshold, None, DEFAULT_THRESHOLD)
    return threshold / 100.0 if name.startswith("rouge") else threshold


def _measured(
    view: View, pair: CellPair, score: npt.NDArray[np.float64], settings: MeasureSettings, threshold: float
) -> Iterator[tuple[str, Statistic, _Sides | None]]:
    """Each statistic by its name; of a correlation also its two sides, over the items that count."""
    if not np.isfinite(score).any():
        return
    source, other = view.answers(pair.a), view.answers(pair.b)
    both = compare(source, other, invalid=settings.invalid)
    scored = both.counted & np.isfinite(score)
    gold = view.gold(pair.b)
    yield "mean", mean_statistic(score, scored, excluded=both.n - int(scored.sum())), None
    for name, told, counted in (
        ("correlation", both.agree, both.counted),
        ("correlation_correct", other == gold, both.counted & (gold >= 0)),
    ):
        kept = counted & np.isfinite(score)
        yield name, pearson_statistic(score, told, counted=counted), (score[kept], told[kept])
    yield "consistency", consistency_statistic(source, other, invalid=settings.invalid), None
    inside, share = above_statistics(both.agree, both.counted, score=score, threshold=threshold)
    yield "consistency_above", inside, None
    yield "share_above", share, None


ALL_SENSES = "all"
"""Stands in the column ``sense`` where all made senses of a model are taken together."""

BIN_COLUMNS = ("model", "task", "sense", "score", "from", "to", "answers", "statistic", *ESTIMATE_COLUMNS)
_BINS = 10

Floats = npt.NDArray[np.float64]


def translation_bins(
    records: pl.DataFrame,
    scores: pl.DataFrame,
    *,
    invalid: InvalidRule = "disagree",
    bootstrap: Bootstrap | None = None,
) -> Table:
    """Share of same answers, original against translated input (X), by bin of the item's translation score.

    Scores from 0 to 100 (BLEU, chrF) or 0 to 1 (ROUGE) fall into ten bins of one width; others (COMET) into five that
    hold as many items each. A bin takes in its lower edge, the last its upper one too. Intervals resample items: the
    answers to an item in all languages travel together.

    Returns:
        A row a model, task, sense (and ``all`` of them), score and bin that has answers.

    Raises:
        DataError: The scores have the wrong shape, or none of them belongs to the records.
    """
    settings = MeasureSettings(invalid=invalid, bootstrap=bootstrap or Bootstrap())
    checked = check_scores(scores)
    # Those of single fields are left out.
    names = [
        name for name in checked.columns if name not in ("task", "model", "sense", "item") and ":" not in name
    ]
    rows: list[NewRow] = []
    for view in views(records):
        for name in names:
            rows += _rows(view, checked, name, settings)
    if not rows:
        raise DataError(
            "no score belongs to a made input of these records; scores are joined by sense and item"
        )
    return table("consistency by translation score", BIN_COLUMNS, rows=rows, signature=settings.signed())


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """One sense: the items on which the answers agree, and their scores (NaN where an item does not count)."""

    sense: str
    agree: npt.NDArray[np.bool_]
    score: Floats


def _rows(view: View, scores: pl.DataFrame, name: str, settings: MeasureSettings) -> Iterator[NewRow]:
    senses = [
        scored
        for made in implied_pairs(view.arrays.cells)
        if made.condition == "X"
        and np.isfinite((scored := _scored(view, made, scores, name, settings.invalid)).score).any()
    ]
    if not senses:
        return
    held = np.concatenate([one.score for one in senses])
    edges = _edges(held[np.isfinite(held)])
    groups = [(one.sense, [one]) for one in senses] + ([(ALL_SENSES, senses)] if len(senses) > 1 else [])

    def found() -> Iterator[tuple[NewRow, Statistic]]:
        for sense, members in groups:
            for low, high in pairwise(edges):
                statistic = _share(members, low, high, is_last=high == edges[-1])
                if answers := int(np.sum(statistic.columns[1])):
                    head = {"sense": sense, "score": name, "from": low, "to": high, "answers": answers}
                    yield {**head, "statistic": "consistency"}, statistic

    yield from estimated({"model": view.model, "task": view.task}, found(), settings.bootstrap)


def _scored(view: View, made: CellPair, scores: pl.DataFrame, name: str, invalid: InvalidRule) -> _Scored:
    score = item_scores(view, made.b.input, scores, name)
    both = compare(view.answers(made.a), view.answers(made.b), invalid=invalid)
    return _Scored(made.b.input, both.agree, np.where(both.counted & np.isfinite(score), score, np.nan))


def _edges(held: Floats) -> list[float]:
    """Where one bin ends and the next begins, with both ends."""
    low, high = float(held.min()), float(held.max())
    if low >= 0 and high <= 100.0001:
        top = 1.0 if high <= 1.0001 else 100.0
        return [round(top * step / _BINS, 6) for step in range(_BINS + 1)]
    edges = sorted({float(edge) for edge in np.quantile(held, np.linspace(0, 1, 6))})
    return edges if len(edges) > 1 else edges * 2


def _share(members: Sequence[_Scored], low: float, high: float, *, is_last: bool) -> Statistic:
    """Agreeing over counted answers of a bin, item by item over all members."""
    # chrF of a perfect text may be a rounding above 100
    inside = [(one.score >= low) & ((one.score < high) | is_last) for one in members]
    counted = np.stack(inside).sum(axis=0, dtype=np.float64)
    same = np.stack([one.agree & mask for one, mask in zip(members, inside, strict=True)])
    agree = same.sum(axis=0, dtype=np.float64)
    return Statistic((agree, counted), ratio, share_corners(counted), int((counted > 0).sum()))
