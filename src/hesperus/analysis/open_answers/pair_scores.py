"""The score of each pair of open answers with its ceiling, the prompts that lose most, and the claims of a pair with their verdicts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.analysis.open_answers.evidence import DETAILS, PAIRS, SENTENCES, Evaluated, homes, read_frame
from hesperus.records import KEY, SCHEMA

_TRANSLATION = "candidate_text"


def scored_pairs(pairs: pl.DataFrame) -> pl.DataFrame:
    """Compared pairs with ``score`` and ``ceiling`` in [0, 1]; the ceiling is null if there is no control.

    The score is F, the harmonic mean of precision and recall, or the agreement of a property.
    """
    compared = pairs.filter(pl.col("state") == "compared")
    has_claims = "precision" in pairs.columns

    def value(prefix: str) -> pl.Expr:
        if not has_claims:
            return pl.col(f"{prefix}agreement").cast(pl.Float64)
        p, r = pl.col(f"{prefix}precision"), pl.col(f"{prefix}recall")
        return pl.when(p + r > 0).then(2 * p * r / (p + r)).otherwise(p + r)

    control = f"ceiling_{'precision' if has_claims else 'agreement'}"
    above = value("ceiling_") if control in pairs.columns else pl.lit(None, pl.Float64)
    return compared.with_columns(score=value(""), ceiling=above)


def with_scores(records: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Records with what an evaluation says of each reply: ``reply_translation``, ``score``, ``ceiling``.

    Pairs that name no record leave the records as they are.
    """
    if not {*KEY} <= {*pairs.columns} & {*records.columns}:
        return records
    held = pairs.with_columns(pl.col("repeat").cast(SCHEMA["repeat"])).unique(
        KEY, keep="first", maintain_order=True
    )
    parts = [scored_pairs(held).select(*KEY, "score", "ceiling")] if "state" in held.columns else []
    if _TRANSLATION in held.columns and "reply_translation" not in records.columns:
        parts.append(held.select(*KEY, pl.col(_TRANSLATION).alias("reply_translation")))
    for part in parts:
        records = records.join(part, on=KEY, how="left", maintain_order="left")
    return records


def first_evaluation(folder: Path, study: Mapping[str, object]) -> Evaluated | None:
    """The first evaluation that a run folder holds, with what there is of its details; None if it holds none.

    Raises:
        DataError: A file of it is broken.
    """
    for what, home in homes(folder, study).items() if study.get("evaluate") else ():
        if (home / PAIRS).is_file():
            files = [home / name for name in (PAIRS, DETAILS, SENTENCES)]
            pairs, details, sentences = (read_frame(f) if f.is_file() else pl.DataFrame() for f in files)
            return Evaluated(what, pairs, details, sentences)
    return None


def pairs_with_loss(pairs: pl.DataFrame) -> pl.DataFrame:
    """Compared pairs with `score`, `ceiling` and `loss`: the ceiling (1 without one) less the score."""
    return scored_pairs(pairs).with_columns(loss=pl.col("ceiling").fill_null(1.0) - pl.col("score"))


def losing_prompts(pairs: pl.DataFrame) -> pl.DataFrame:
    """Prompts that lose anything, those that lose most first: means of `loss`, `score` and `ceiling`, numbers of pairs."""
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


_SUPPORTED = "supported"
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim.

    Attributes:
        text: What is claimed.
        verdict: What the other answer is to it, in the judge's word; None without a verdict.
        reason: Why it is missing.
    """

    text: str
    verdict: str | None
    reason: str = ""

    @property
    def is_supported(self) -> bool | None:
        """Whether the other answer supports it; None without a verdict."""
        return None if self.verdict is None else self.verdict == _SUPPORTED

    @property
    def words(self) -> str:
        """The verdict, or the reason why it is missing."""
        return self.verdict or f"no verdict ({self.reason or 'none given'})"


def details_of(details: pl.DataFrame, pair: Mapping[str, Any]) -> pl.DataFrame:
    """The rows of a pair among what an evaluator wrote of all; its keys are text."""
    if not set(KEY) <= set(details.columns):
        return details.clear()
    same = (pl.col(name).cast(pl.String) == str(pair[name]) for name in KEY)
    return details.filter(*same, pl.col("side_by_side") == "score")


def claims_of(held: pl.DataFrame, side: str) -> tuple[Claim, ...]:
    """The claims of one side, in order; empty if the evaluator extracts no claims.

    A side is ``reference`` or ``candidate``.
    """
    if not {"side", "claim", "verdict"} <= set(held.columns):
        return ()
    rows = held.filter(pl.col("side") == side).sort("number").to_dicts()
    return tuple(
        Claim(
            str(row["claim"]),
            None if row["verdict"] is None else str(row["verdict"]),
            str(row.get("reason") or ""),
        )
        for row in rows
    )


def by_sentence(claims: Sequence[Claim], sentences: Sequence[str]) -> list[list[Claim]]:
    """The claims of each sentence: by the words that they share; those that share none are at the last."""
    bags = [_bag(text) for text in sentences] or [set()]
    placed: list[list[Claim]] = [[] for _ in bags]
    for one in claims:
        said = _bag(one.text)
        shared = [len(said & bag) / (len(said | bag) or 1) for bag in bags]
        best = max(range(len(bags)), key=shared.__getitem__) if max(shared) > 0 else len(bags) - 1
        placed[best].append(one)
    return placed


def _bag(text: str) -> set[str]:
    return set(_WORDS.findall(text.casefold()))
