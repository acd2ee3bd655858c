"""E2: do people's cue scores go with the tax of the items? Spearman, by group and by model.

Reference: "The Translation Tax Is Not a Scalar", sections 3.2 and 5.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.p_corrections import PERMUTED, tested
from hesperus.analysis.table import ANSWER_COLUMNS, ANSWERED, NewRow, Table, estimate_cells, table
from hesperus.analysis.tax.difference_rows import EVERY
from hesperus.analysis.tax.item_groups import grouped_columns
from hesperus.analysis.tax.paired_records import PairedAnswers
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.errors import DataError
from hesperus.fingerprint import signature
from hesperus.measures import (
    discordant,
    enough_permutations,
    item_signal,
    spearman,
    spearman_p,
    too_few_differ,
)

Floats = npt.NDArray[np.float64]

COLUMNS = (
    "question", "group", "model", "statistic", *ANSWER_COLUMNS, "p", "p_holm", "tied", "positive", "negative", "remark",
)  # fmt: skip
FEW = 10
"""Discordant pairs below which a correlation rests on a handful of items; said, not hidden."""

NOTES = (
    "the tax of an item is the mean over its models of right on the original minus right on the back-translation; most "
    "items are tied at 0, so a correlation rests on the few that are not",
)


def rating_table(
    given: PairedAnswers,
    ratings: pl.DataFrame,
    *,
    settings: TaxSettings | None = None,
) -> Table:
    """Spearman of each item's mean rating with its tax.

    Args:
        given: Original and back-translation, of one task (see sides.compared).
        ratings: Long table: ``unit`` (id of the item, where no column ``item`` has it), ``rater``, ``question``, ``rating``.
        settings: Groups and bootstrap.

    Returns:
        For each question, all models together, each group and each model: ``spearman`` with its item bootstrap, a
        permutation p value, the items tied at no tax, the discordant pairs, and a remark where these are few.

    Raises:
        DataError: A column is missing, no question has numbers, or no rated unit is an item of the records.
    """
    settings = settings or TaxSettings()
    scores = mean_ratings(ratings)
    _refuse_shared_ids(given, scores)
    items = {item for _, item in given.items}
    unmatched: dict[str, int] = {}
    for name, by_item in scores.items():
        unmatched[name] = len(by_item.keys() - items)
        if unmatched[name] == len(by_item):
            shown = ", ".join(list(by_item)[:3])
            raise DataError(
                f"no rated unit is an item of the records; units are called {shown}", field="unit"
            )
    rows = [
        named | row
        for question, by_item in scores.items()
        for named, part in given.by_group()
        for row in _rows(part, question, by_item, settings, questions=len(scores))
    ]
    signed = signature(settings) | {
        "raters": sorted(map(str, ratings["rater"].unique())),
        "tests": tested(rows, PERMUTED, settings.bootstrap, of="all rows"),
        "rated units that are no item": {k: v for k, v in unmatched.items() if v},
        "notes": list(NOTES),
    }
    return table("ratings", grouped_columns(settings.by, COLUMNS), rows=rows, signature=signed)


def _refuse_shared_ids(given: PairedAnswers, scores: Mapping[str, Mapping[str, float]]) -> None:
    """A rated id must be an item of one task only: nothing in the ratings says which is meant."""
    rated = {item for by_item in scores.values() for item in by_item}
    homes: dict[str, str] = {}
    for task, item in given.items:
        if item in rated and homes.setdefault(item, task) != task:
            raise DataError(
                f"is an item of {homes[item]} and of {task}; name the task whose items were rated (--task)",
                item=item,
            )


def mean_ratings(ratings: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Each question with numbers, to the mean rating of each unit over its raters; ratings that were not given do not count.

    Raises:
        DataError: A column is missing, two ratings of one rater for a question of a unit, or no question has numbers.
    """
    for name in ("unit", "rater", "question", "rating"):
        if name not in ratings.columns:
            raise DataError(f"ratings have the columns unit, rater, question, rating; {name!r} is missing")
    given = ratings.filter(pl.col("rating").is_not_null())
    twice = given.filter(pl.struct("unit", "rater", "question").is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        raise DataError(f"{row['rater']} rated {row['question']!r} twice", item=str(row["unit"]))
    found: dict[str, dict[str, float]] = {}
    key = "item" if "item" in ratings.columns else "unit"
    for name in ratings["question"].unique().sort():
        part = given.filter(pl.col("question") == name)
        numbers = part.with_columns(pl.col("rating").cast(pl.Float64, strict=False))
        if not numbers["rating"].null_count():
            means = numbers.group_by(key).agg(pl.col("rating").mean()).sort(key)
            found[str(name)] = {str(unit): float(mean) for unit, mean in means.iter_rows()}
    if not found:
        raise DataError("no question of the ratings has numbers on a scale", field="rating")
    return found


def _rows(
    given: PairedAnswers,
    question: str,
    scores: Mapping[str, float],
    settings: TaxSettings,
    *,
    questions: int,
) -> Iterator[NewRow]:
    cue: Floats = np.array([scores.get(item, np.nan) for _, item in given.items])
    most = given.parts * questions * (1 + len(given.models) + len(settings.grouped(given.models)))
    ceiling = enough_permutations(settings.bootstrap.resamples, most)
    every = list(range(len(given.models)))
    wanted = [(EVERY, EVERY, every)]
    wanted += [(group, EVERY, rows) for group, rows in settings.named_groups(given.models).items()]
    wanted += [(group, model, [row]) for row, model, group in settings.with_groups(given.models)]
    rated = np.isfinite(cue)
    for group, model, rows in wanted:
        pairs = given.pairs.of_models(rows).of_items(rated)
        signal = item_signal(pairs)
        # Items that nobody rated are not missing from the rating: they were never part of it.
        found = spearman(cue[rated], signal[rated], bootstrap=settings.bootstrap)
        said = found.reason.replace("first side", "ratings").replace("second side", "taxes")
        found = replace(found, reason=said)
        both = rated & np.isfinite(signal)
        few = too_few_differ(cue[both], signal[both])
        if few and found.low is not None:
            found = replace(found, low=None, high=None, reason="; ".join(filter(None, (few, found.reason))))
        p = spearman_p(
            cue[rated],
            signal[rated],
            resamples=settings.bootstrap.resamples,
            seed=settings.bootstrap.seed,
            ceiling=ceiling,
        )
        more, fewer = discordant(pairs)
        why = "; ".join(f"{count} {cause}" for cause, count in given.left_out(rows, rated).items())
        # Why there is no value or no interval stands first in the measure's reason; its counts of items are told by cause.
        bare = found.value is None or (found.low is None and settings.bootstrap.resamples > 0)
        told = found.reason.partition("; ")[0] if bare else ""
        found = replace(found, reason="; ".join(filter(None, (told, why))))
        remark = (
            f"{more + fewer} discordant pairs: few to rest a correlation on" if more + fewer < FEW else ""
        )
        yield {
            "question": question, "group": group, "model": model, "statistic": "spearman", **estimate_cells(found),
            ANSWERED: given.answered(rows, rated), "p": p, "p_holm": None, "tied": int((signal[rated] == 0).sum()), "positive": more, "negative": fewer, "remark": remark,
        }  # fmt: skip
