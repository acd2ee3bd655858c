"""An open answer next to that of its reference: their sentences, and the claims of both with what the other says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from hesperus.analysis.item_texts import Text
from hesperus.analysis.open_answers.evidence import Evaluated
from hesperus.analysis.open_answers.pair_scores import Claim, by_sentence, claims_of, details_of
from hesperus.rounding import cell as rounded
from hesperus.wording import direction

_ENDS = re.compile(r"(?<=[.!?।؟])\s+|(?<=[。！？])\s*")


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence as it was compared, as it was written if that is another text, and the claims that are taken from it."""

    text: Text
    written: Text | None
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class ClaimSide:
    """One of two answers.

    Attributes:
        title: Model and language of the answer.
        sentences: In order; claims that share no word with any of them are at the last.
        supported: Claims that the other answer supports.
        claims: All claims.
    """

    title: str
    sentences: tuple[SentenceView, ...]
    supported: int
    claims: int


@dataclass(frozen=True, slots=True)
class ClaimsView:
    """An answer compared with its reference."""

    code: str
    score: str
    reference: ClaimSide
    answer: ClaimSide


def claims_views(evaluated: Evaluated, row: Mapping[str, Any], reference: str) -> Iterator[ClaimsView]:
    """Every answer to a question that was compared by its claims."""
    same = (pl.col(name).cast(pl.String) == str(row[name]) for name in ("model", "task", "item"))
    for pair in evaluated.pairs.filter(*same).sort("input", "repeat").to_dicts():
        held = details_of(evaluated.details, pair)
        if held.is_empty() or not {"side", "claim", "verdict"} <= set(held.columns):
            continue
        written = details_of(evaluated.sentences, pair)
        theirs = [(text, None) for text in _ENDS.split(str(pair["reference_text"] or ""))]
        ours = [
            (
                str(one["translation"] or ""),
                Text(one["source"], tag, direction(tag)) if isinstance(one["source"], str) else None,
            )
            for one in (written if written.is_empty() else written.sort("sentence")).to_dicts()
            for tag in [str(one["language"])]
        ] or [(text, None) for text in _ENDS.split(str(pair["candidate_text"] or ""))]
        yield ClaimsView(
            str(pair["input"]),
            f"precision {_percent(pair['precision'])}, recall {_percent(pair['recall'])}",
            _side("The reference's answer", theirs, claims_of(held, "reference"), reference),
            _side("This answer", ours, claims_of(held, "candidate"), reference),
        )


def _side(
    title: str, sentences: Sequence[tuple[str, Text | None]], claims: Sequence[Claim], tag: str
) -> ClaimSide:
    views = tuple(
        SentenceView(Text(text, tag, direction(tag)), written, tuple(found))
        for (text, written), found in zip(
            sentences, by_sentence(claims, [text for text, _ in sentences]), strict=False
        )
    )
    return ClaimSide(title, views, sum(one.is_supported is True for one in claims), len(claims))


def _percent(share: float | None) -> str:
    return "not defined" if share is None else f"{rounded(share, 'percentage')} %"
