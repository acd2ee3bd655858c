"""Pairs of two runs, prompt by prompt: which count on both sides, and why the others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from hesperus.analysis.open_answers.statistics import UNSEEN, UNSEEN_WORDS
from hesperus.wording import OUTCOME_WORDS

SIDES = ("a", "b")
"""Names of the two sides, the baseline first."""

WAY = "way"
"""Column that says in which of the compared cells (language and sense) a pair stands."""

_KEY = (WAY, "item", "repeat")
_MISSING, _REWORDED = "missing", "reworded"
_WHY = {
    _MISSING: "not asked",
    _REWORDED: "asked in other words",
    **UNSEEN_WORDS,
}


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Pairs that count on both sides.

    Attributes:
        first: Rows of side a, sorted by prompt.
        second: Rows of side b, of the same prompts in the same order.
        excluded: Pairs that are on a side and do not count.
        reason: Why, with their numbers.
    """

    first: pl.DataFrame
    second: pl.DataFrame
    excluded: int
    reason: str

    @property
    def prompts(self) -> int:
        """Different prompts among the pairs."""
        return self.first["item"].n_unique()

    def stacked(self, kept: pl.Series | None = None) -> pl.DataFrame:
        """Both sides in one table, a above b, with prompts numbered so that those of b follow those of a.

        Args:
            kept: Which pairs, [pairs]; all where None.
        """
        sides = [side if kept is None else side.filter(kept) for side in (self.first, self.second)]
        named = [
            side.with_columns(pl.concat_str(pl.lit(f"{name} "), pl.col("item")).alias("item"))
            for name, side in zip(SIDES, sides, strict=True)
        ]
        return pl.concat(named, how="diagonal_relaxed")

    def on_both(self, wanted: pl.Expr) -> pl.Series:
        """True where a condition holds on both sides, [pairs]."""
        first, second = (side.select(wanted.alias("held"))["held"] for side in (self.first, self.second))
        return first & second


def matched(sides: tuple[pl.DataFrame, pl.DataFrame], reworded: Collection[str]) -> Matched:
    """Put the pairs of two runs side by side, by cell, prompt and repeat.

    Args:
        sides: Tables of pairs with the column WAY; in each, a key is once.
        reworded: Prompts with words that differ between the runs.
    """
    marked = [side.with_columns(_trouble(reworded).alias("trouble")) for side in sides]
    every = (
        marked[0]
        .select(*_KEY, "trouble", here=True)
        .join(marked[1].select(*_KEY, "trouble", here=True), on=_KEY, how="full", coalesce=True)
        .with_columns(
            pl.when(pl.col(here).is_null()).then(pl.lit(_MISSING)).otherwise(pl.col(trouble)).alias(trouble)
            for here, trouble in (("here", "trouble"), ("here_right", "trouble_right"))
        )
    )
    counted = pl.col("trouble").is_null() & pl.col("trouble_right").is_null()
    left = every.filter(~counted)
    kept = every.filter(counted).select(_KEY).sort(_KEY)
    first, second = (kept.join(side, on=_KEY, how="left", maintain_order="left") for side in sides)
    counts = Counter(left.select("trouble", "trouble_right").iter_rows())
    return Matched(first, second, left.height, _said(counts))


def silence_said(match: Matched, silent: pl.Expr) -> tuple[int, str]:
    """How many matched pairs have a side without an answer in one of the runs, and what became of those answers.

    Args:
        match: Pairs that count on both sides.
        silent: Which pairs of a run have a side without an answer.
    """
    mute = pl.when(silent).then(
        pl.when(pl.col("state") == "reference_silent")
        .then(pl.col("reference_outcome"))
        .otherwise(pl.col("outcome"))
    )
    found = Counter(
        zip(*(side.select(mute.alias("of"))["of"] for side in (match.first, match.second)), strict=True)
    )
    del found[None, None]
    parts: dict[str, Counter[str]] = {}
    for (a, b), count in found.items():
        where = _where(a is not None, b is not None)
        parts.setdefault(where, Counter())[_outcome(a if a is not None else b)] += count
    told = [
        f"{sum(held.values())} without an answer {where} ({', '.join(f'{n} {word}' for word, n in sorted(held.items()))})"
        for where, held in sorted(parts.items())
    ]
    return sum(found.values()), "; ".join(told)


def _trouble(reworded: Collection[str]) -> pl.Expr:
    """Why a pair of one run has no place in a comparison; null where it has."""
    return (
        pl.when(pl.col("state").is_in(UNSEEN))
        .then(pl.col("state"))
        .when(pl.col("item").is_in(list(reworded)))
        .then(pl.lit(_REWORDED))
    )


def _said(counts: Mapping[tuple[str | None, str | None], int]) -> str:
    told: Counter[str] = Counter()
    for (a, b), count in counts.items():
        if _REWORDED in (a, b):
            told[_WHY[_REWORDED]] += count
        elif a is not None and (b is None or a == b):
            told[f"{_WHY[a]} {_where(True, b is not None)}"] += count
        elif b is not None:
            # With different faults on both sides that of the run that is judged is named.
            told[f"{_WHY[b]} {_where(False, True)}"] += count
    return "; ".join(f"{count} {words}" for words, count in sorted(told.items()))


def _where(a: bool, b: bool) -> str:
    return "on both sides" if a and b else "on side a" if a else "on side b"


def _outcome(name: str | None) -> str:
    """The outcome of a silent side; an answer that makes no claim was an answer all the same."""
    return "no claim" if name in (None, "answered") else OUTCOME_WORDS.get(str(name), str(name))
