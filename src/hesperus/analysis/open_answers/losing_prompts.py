"""The prompts of open answers that lose most, and the answers that lose it."""

from __future__ import annotations

import polars as pl

from hesperus.analysis.open_answers.pair_scores import scored_pairs


def pairs_with_loss(pairs: pl.DataFrame) -> pl.DataFrame:
    """Compared pairs with `score`, `ceiling` and `loss`: the ceiling (1 without one) less the score."""
    return scored_pairs(pairs).with_columns(loss=pl.col("ceiling").fill_null(1.0) - pl.col("score"))


def losing_prompts(pairs: pl.DataFrame) -> pl.DataFrame:
    """Prompts that lose anything, those that lose most first: means of `loss`, `score` and `ceiling`, numbers of pairs.

    Args:
        pairs: From pairs_with_loss.
    """
    return (
        pairs.group_by("task", "item", maintain_order=True)
        .agg(
            pl.len().alias("pairs"),
            pl.col("loss", "score", "ceiling").mean(),
            (pl.col("loss") > 0).sum().alias("losing"),
        )
        .filter(pl.col("loss") > 0)
        .sort("loss", "task", "item", descending=[True, False, False], maintain_order=True)
    )


def losing_answers(pairs: pl.DataFrame, task: str, item: str) -> pl.DataFrame:
    """Pairs of a prompt that lose, the worst of each language first: it is not shown in one language alone."""
    own = pairs.filter((pl.col("task") == task) & (pl.col("item") == item) & (pl.col("loss") > 0))
    order = ["loss", "language", "model", "repeat"]
    worst = own.sort(order, descending=[True, False, False, False], maintain_order=True)
    return worst.with_columns(turn=pl.int_range(pl.len()).over("language")).sort("turn", maintain_order=True)
