"""Rows of a comparison: the pairs of two runs side by side, and every statistic of them with its ceiling on each side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from hesperus.analysis.answered import coverage_of_pairs
from hesperus.analysis.open_answers.differences import Difference, paired_differences
from hesperus.analysis.open_answers.statistics import (
    MUTE,
    NO_SHARE,
    RIGHT_LANGUAGE,
    SILENT,
    UNSEEN_WORDS,
    WHERE_ANSWERED,
    has_ceiling,
    in_wrong_language,
    mute,
    over_ceiling,
    statistics_of,
)
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, estimate_cells
from hesperus.measures import Bootstrap, Statistic
from hesperus.wording import OUTCOME_WORDS

WAY = "way"
"""Column that says in which of the compared cells (language and sense) a pair stands."""

TESTED = ("p", "p_holm", "p_bh", "detectable")
OVER = ("relative_a", "relative_b", "relative", "relative_low", "relative_high")
"""Score over ceiling on both sides, and its difference."""

ANSWERED_SIDES = ("answered_a", "answered_b")
"""Share of the replies behind the pairs of either side that are answers."""

CONTRAST_COLUMNS = (
    "statistic", "value_a", "value_b", *ANSWERED_SIDES, *ESTIMATE_COLUMNS[:3], *TESTED, "n", "prompts", "excluded", "reason",
    "ceiling_a", "ceiling_b", *OVER,
)  # fmt: skip

_KEY = (WAY, "item", "repeat")
_REWORDED = "asked in other words"
_POINTS = Bootstrap(resamples=0)


class _Matched(NamedTuple):
    """Pairs that count on both sides, in the same order; how many others there are, and why they do not count."""

    first: pl.DataFrame
    second: pl.DataFrame
    excluded: int
    reason: str

    def stacked(self, kept: pl.Series) -> pl.DataFrame:
        """Some pairs of both sides in one table, a above b, with prompts named so that those of b follow those of a."""
        named = [
            side.filter(kept).with_columns(pl.concat_str(pl.lit(f"{name} "), pl.col("item")).alias("item"))
            for name, side in zip("ab", self[:2], strict=True)
        ]
        return pl.concat(named, how="diagonal_relaxed")

    def on_sides(self, value: Callable[[pl.DataFrame], pl.Expr]) -> pl.DataFrame:
        """A value of every pair in the first run (`a`) and in the second (`b`), from the pairs of a run."""
        ends = {
            name: side.with_columns(value(side).alias("of"))["of"]
            for name, side in zip("ab", self[:2], strict=True)
        }
        return pl.DataFrame(ends)


def contrast_rows(
    sides: tuple[pl.DataFrame, pl.DataFrame],
    *,
    reworded: Collection[str],
    bootstrap: Bootstrap,
    remark: str = "",
) -> Iterator[NewRow]:
    """A row for each statistic: by the rule, of pairs answered on all sides, of pairs in the right language on all sides.

    The second and third have the endings WHERE_ANSWERED and RIGHT_LANGUAGE.

    Args:
        sides: Pairs of side a and of side b, with the column WAY; in each, a way, prompt and repeat is once.
        reworded: Prompts that are excluded since their words differ.
        bootstrap: How prompts are resampled.
        remark: What to say in every row.

    Raises:
        DataError: The tables have the values of no evaluator.
    """
    match = _matched(sides, reworded)
    everything = pl.repeat(True, match.first.height, dtype=pl.Boolean, eager=True)
    answered, wrong = (
        match.on_sides(lambda _: pl.col("state") == "compared"),
        match.on_sides(in_wrong_language),
    )
    parts = [
        ("", everything, 0, ""),
        (WHERE_ANSWERED, answered["a"] & answered["b"], *_silence(match)),
        (RIGHT_LANGUAGE, ~(wrong["a"] | wrong["b"]), *_in_another_language(wrong)),
    ]
    if mute(match.first) or mute(match.second):
        lost = match.first.height
        reason = _joined(match.reason, f"{lost} {MUTE}")
        match = match._replace(excluded=match.excluded + lost, reason=reason)
        parts = [(ending, ~everything, 0, "") for ending, *_ in parts]
    shares = dict(zip(ANSWERED_SIDES, (coverage_of_pairs(side).share for side in sides), strict=True))
    by_rule: list[NewRow] = []
    for ending, kept, excluded, said in parts:
        made = by_rule  # where no reply is in another language, the numbers of the pairs that are in the right one
        if ending != RIGHT_LANGUAGE or not kept.equals(parts[0][1]):
            counted = match._replace(
                excluded=match.excluded + excluded, reason=_joined(match.reason, said, remark)
            )
            made = list(_rows_of(counted, kept, bootstrap, answered=ending == WHERE_ANSWERED))
        by_rule = by_rule or made
        yield from ({**row, **shares, "statistic": f"{row['statistic']}{ending}"} for row in made)


def _rows_of(match: _Matched, kept: pl.Series, bootstrap: Bootstrap, *, answered: bool) -> Iterator[NewRow]:
    """A row for each statistic of some of the pairs, with what is excluded of all."""
    found = {
        name: replace(_of_pairs(one), excluded=match.excluded, reason=match.reason)
        for name, one in statistics_of(match.stacked(kept), "").items()
    }
    ceilings, over = _beside(match, kept, bootstrap, answered=answered)
    prompts = match.first.filter(kept)["item"].n_unique()
    for name, apart in paired_differences(found, bootstrap).items():
        ceiling = ceilings.get(name)
        yield {
            "statistic": name, "value_a": apart.first, "value_b": apart.second, **estimate_cells(apart.estimate),
            "p": apart.p, "p_holm": None, "p_bh": None, "detectable": apart.detectable, "prompts": prompts,
            "ceiling_a": ceiling.first if ceiling else None, "ceiling_b": ceiling.second if ceiling else None,
            **_over_cells(over.get(name)),
        }  # fmt: skip


def _matched(sides: tuple[pl.DataFrame, pl.DataFrame], reworded: Collection[str]) -> _Matched:
    """The pairs of two runs side by side, by cell, prompt and repeat."""
    trouble = (
        pl.when(pl.col("state").is_in(list(UNSEEN_WORDS)))
        .then(pl.col("state").replace(UNSEEN_WORDS))
        .when(pl.col("item").is_in(list(reworded)))
        .then(pl.lit(_REWORDED))
    )
    first, second = (side.select(*_KEY, trouble.alias("trouble"), asked=True) for side in sides)
    absent = [
        pl.when(pl.col(f"asked{end}").is_null()).then(pl.lit("not asked")).otherwise(f"trouble{end}").alias(name)
        for name, end in (("a", ""), ("b", "_b"))
    ]  # fmt: skip
    every = first.join(second, on=_KEY, how="full", coalesce=True, suffix="_b").select(*_KEY, *absent)
    a, b = pl.col("a"), pl.col("b")
    # With different faults on both sides that of the run that is judged is named.
    why = (
        pl.when(pl.any_horizontal((side == _REWORDED).fill_null(False) for side in (a, b)))
        .then(pl.lit(_REWORDED))
        .when(a.is_not_null() & (b.is_null() | (a == b)))
        .then(pl.format("{} {}", a, _where(a.is_not_null(), b.is_not_null())))
        .when(b.is_not_null())
        .then(pl.format("{} on side b", b))
    )
    told = every.select(*_KEY, why=why)
    kept = told.filter(pl.col("why").is_null()).select(_KEY).sort(_KEY)
    matched = [kept.join(side, on=_KEY, how="left", maintain_order="left") for side in sides]
    left = told["why"].drop_nulls()
    return _Matched(matched[0], matched[1], len(left), "; ".join(_counted(left)))


def _where(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    where = pl.when(a & b).then(pl.lit("on both sides"))
    return where.when(a).then(pl.lit("on side a")).otherwise(pl.lit("on side b"))


def _counted(words: pl.Series) -> list[str]:
    """How often each word occurs, by word: ``3 not asked on side a``."""
    counts = words.alias("word").value_counts().sort("word")
    return [f"{count} {word}" for word, count in counts.iter_rows()]


def _silence(match: _Matched) -> tuple[int, str]:
    """How many matched pairs have a side without an answer in one of the runs, and what became of those answers."""
    is_reference = pl.col("state") == "reference_silent"
    outcome = pl.when(is_reference).then(pl.col("reference_outcome")).otherwise(pl.col("outcome"))
    ends = match.on_sides(lambda _: pl.when(pl.col("state").is_in(SILENT)).then(outcome))
    there = [pl.col(side).is_not_null() for side in "ab"]
    # An answer that makes no claim was an answer all the same.
    words = pl.coalesce("a", "b").replace({**OUTCOME_WORDS, "answered": "no claim"})
    held = ends.filter(pl.any_horizontal(there)).select(where=_where(*there), word=words)
    told = [
        f"{part.height} without an answer {where} ({', '.join(_counted(part['word']))})"
        for (where,), part in sorted(held.partition_by("where", as_dict=True).items())
    ]
    return held.height, "; ".join(told)


def _in_another_language(wrong: pl.DataFrame) -> tuple[int, str]:
    """How many pairs have a reply in another language than the one asked for in one of the runs, and in which."""
    held = wrong.filter(pl.any_horizontal("a", "b")).select(where=_where(pl.col("a"), pl.col("b")))["where"]
    told = _counted(pl.select(pl.format("with a reply in another language {}", held)).to_series())
    return len(held), "; ".join(told)


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _beside(
    match: _Matched, kept: pl.Series, bootstrap: Bootstrap, *, answered: bool
) -> tuple[Mapping[str, Difference], Mapping[str, Difference]]:
    """Ceilings, and scores over them, of the pairs that have a ceiling on both sides."""
    there = match.on_sides(lambda side: has_ceiling(side, answered=answered))
    rows = match.stacked(kept & there["a"] & there["b"])
    if rows.is_empty():
        return {}, {}
    ceilings = {name: _of_pairs(one) for name, one in statistics_of(rows, "ceiling_").items()}
    scores = statistics_of(rows, "")
    over = {
        name: over_ceiling(scores[name], one)
        for name, one in ceilings.items()
        if name in scores and not name.startswith(NO_SHARE)
    }
    return (
        paired_differences(ceilings, _POINTS, tested=False),
        paired_differences(over, bootstrap, tested=False),
    )


def _of_pairs(one: Statistic) -> Statistic:
    """A statistic of stacked sides counts each pair twice."""
    return replace(one, n=one.n // 2)


def _over_cells(found: Difference | None) -> NewRow:
    if found is None:
        return dict.fromkeys(OVER)
    apart = found.estimate
    return dict(zip(OVER, (found.first, found.second, apart.value, apart.low, apart.high), strict=True))
