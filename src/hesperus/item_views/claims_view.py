"""An open answer next to that of its reference: their sentences, and the claims of both with what the other says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from hesperus.analysis.item_texts import Text
from hesperus.analysis.open_answers.evidence import Evaluated
from hesperus.records import KEY
from hesperus.rounding import cell as rounded
from hesperus.wording import direction

_SUPPORTED = "supported"
_ENDS = re.compile(r"(?<=[.!?।؟])\s+|(?<=[。！？])\s*")
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim, whether the other answer supports it (None: no verdict), and the verdict in words."""

    text: str
    supported: bool | None
    verdict: str


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence as it was compared, as it was written if that is another text, and the claims that are taken from it."""

    text: Text
    written: Text | None
    claims: tuple[ClaimView, ...]


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
    """An answer compared with its reference.

    Attributes:
        code: Sense code of the answer.
        score: In words, with its ceiling.
        reference: The reference's answer.
        answer: The other.
    """

    code: str
    score: str
    reference: ClaimSide
    answer: ClaimSide


def claims_views(evaluated: Evaluated, row: Mapping[str, Any], reference: str) -> Iterator[ClaimsView]:
    """Every answer to a question that was compared by its claims.

    Args:
        evaluated: An evaluation of the run.
        row: Model, task and item.
        reference: Language in which the answers were compared.
    """
    if not {"side", "claim", "verdict", *KEY} <= set(evaluated.details.columns):
        return
    for pair in _of(evaluated.pairs, row).sort("input", "repeat").to_dicts():
        held = _of(evaluated.details, pair, KEY).filter(pl.col("side_by_side") == "score").sort("number")
        if held.is_empty():
            continue
        sentences = _of(evaluated.sentences, pair, KEY)
        if not sentences.is_empty():
            sentences = sentences.filter(pl.col("side_by_side") == "score").sort("sentence")
        theirs = [(text, None) for text in _ENDS.split(str(pair["reference_text"] or ""))]
        ours = [
            (str(one["translation"] or ""), _text(one["source"], str(one["language"])))
            for one in sentences.to_dicts()
        ] or [(text, None) for text in _ENDS.split(str(pair["candidate_text"] or ""))]
        yield ClaimsView(
            str(pair["input"]),
            f"precision {_percent(pair['precision'])}, recall {_percent(pair['recall'])}",
            _side("The reference's answer", theirs, held, "reference", reference),
            _side("This answer", ours, held, "candidate", reference),
        )


def _of(
    frame: pl.DataFrame, row: Mapping[str, Any], names: Sequence[str] = ("model", "task", "item")
) -> pl.DataFrame:
    if not set(names) <= set(frame.columns):
        return frame.clear()
    return frame.filter(pl.col(name).cast(pl.String) == str(row[name]) for name in names)


def _side(
    title: str,
    sentences: Sequence[tuple[str, Text | None]],
    held: pl.DataFrame,
    side: str,
    tag: str,
) -> ClaimSide:
    placed: list[list[ClaimView]] = [[] for _ in sentences] or [[]]
    bags = [_bag(text) for text, _ in sentences] or [set()]
    claims = held.filter(pl.col("side") == side).to_dicts()
    for one in claims:
        said = _bag(str(one["claim"]))
        shared = [len(said & bag) / (len(said | bag) or 1) for bag in bags]
        best = max(range(len(bags)), key=shared.__getitem__) if max(shared) > 0 else len(bags) - 1
        verdict = one["verdict"]
        words = str(verdict) if verdict is not None else f"no verdict ({one.get('reason') or 'none given'})"
        supported = None if verdict is None else verdict == _SUPPORTED
        placed[best].append(ClaimView(str(one["claim"]), supported, words))
    views = tuple(
        SentenceView(Text(text, tag, direction(tag)), written, tuple(found))
        for (text, written), found in zip(sentences, placed, strict=False)
    )
    return ClaimSide(title, views, sum(one["verdict"] == _SUPPORTED for one in claims), len(claims))


def _bag(text: str) -> set[str]:
    return set(_WORDS.findall(text.casefold()))


def _text(text: object, tag: str) -> Text | None:
    return Text(text, tag, direction(tag)) if isinstance(text, str) else None


def _percent(share: float | None) -> str:
    return "not defined" if share is None else f"{rounded(share, 'percentage')} %"
