"""The claims of two compared answers, each with what the other answer is to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from hesperus.records import KEY

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

    Args:
        held: From details_of.
        side: ``reference`` or ``candidate``.
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
