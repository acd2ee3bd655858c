"""The prompts whose answers lose most, to be read: both answers, the translation, the claims with their verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from hesperus.records import KEY
from hesperus.reports.grids import Column, Grid
from hesperus.reports.item_texts import Text, texts_of
from hesperus.reports.open_answers.findings import Cell, OpenFindings
from hesperus.rounding import cell
from hesperus.untrusted import shortened
from hesperus.wording import MISSING, property_names

MOST_LISTED, MOST_PROMPTS, MOST_ANSWERS, MOST_CLAIMS = 20, 8, 3, 40
"""Prompts in the table and below it to be read, answers of each, claims of a text."""
_LONGEST_CELL = 90

_SUPPORTED = "supported"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of one answer and what the other is to it.

    Attributes:
        text: The claim.
        verdict: In words.
        good: Whether the other answer supports it; None where nobody could say.
    """

    text: str
    verdict: str
    good: bool | None


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer beside the reference's.

    Attributes:
        model: Whose.
        where: Language in words.
        scores: Its numbers, in words.
        reference: The reference's answer.
        reply: The answer as it was given; None where it is not kept.
        translation: The answer in the reference's language.
        ours: Claims of the answer, held against the reference.
        theirs: Claims of the reference, held against the answer.
        unshown: Claims that are not shown.
        levels: Property, its level in the reference's answer and in this one.
    """

    model: str
    where: str
    scores: str
    reference: Text
    reply: Text | None
    translation: Text
    ours: tuple[Claim, ...] = ()
    theirs: tuple[Claim, ...] = ()
    unshown: int = 0
    levels: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LostPrompt:
    """A prompt with the answers that lose most.

    Attributes:
        item: Its id.
        task: Its task.
        told: How much is lost, over how many answers.
        fields: What was asked, in the reference's language, where the run keeps it.
        shown: The answers.
    """

    item: str
    task: str
    told: str
    fields: tuple[tuple[str, Text], ...]
    shown: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Losses:
    """What is lost, prompt by prompt.

    Attributes:
        grid: The prompts that lose most; None where none loses anything.
        prompts: The first of them, to be read.
    """

    grid: Grid | None
    prompts: tuple[LostPrompt, ...]


def losses(found: OpenFindings, replies: pl.DataFrame | None, items: pl.DataFrame | None) -> Losses:
    """Find what loses most, among pairs in which both sides answer.

    The loss of a pair is its ceiling less its score, or 1 less its score where there is no ceiling; that of a prompt is
    the mean over its pairs. Ties go by id, so that the same run shows the same.

    Args:
        found: What was measured.
        replies: The columns of the key and `reply`, for the answers as they were given.
        items: The run's items.
    """
    pairs = _with_loss(found)
    if pairs.is_empty():
        return Losses(None, ())
    by_item = (
        pairs.group_by("task", "item", maintain_order=True)
        .agg(
            pl.len().alias("pairs"),
            pl.col("loss").mean(),
            pl.col("score").mean(),
            pl.col("ceiling").mean(),
            (pl.col("loss") > 0).sum().alias("losing"),
        )
        .filter(pl.col("loss") > 0)
        .sort("loss", "task", "item", descending=[True, False, False], maintain_order=True)
    )
    if by_item.is_empty():
        return Losses(None, ())
    asked = _asked(items, found.reference)
    listed = by_item.head(MOST_LISTED).to_dicts()
    return Losses(
        _grid(listed, asked, total=by_item.height),
        tuple(_prompt(row, found, pairs, replies, asked) for row in listed[:MOST_PROMPTS]),
    )


def _with_loss(found: OpenFindings) -> pl.DataFrame:
    """Compared pairs with `score`, `ceiling` and `loss`."""
    pairs = found.evaluated.pairs.filter(pl.col("state") == "compared")

    def value(prefix: str) -> pl.Expr:
        if not found.is_information:
            return pl.col(f"{prefix}agreement").cast(pl.Float64)
        p, r = pl.col(f"{prefix}precision"), pl.col(f"{prefix}recall")
        return pl.when(p + r > 0).then(2 * p * r / (p + r)).otherwise(p + r)

    there = "ceiling_precision" if found.is_information else "ceiling_agreement"
    above = value("ceiling_") if there in pairs.columns else pl.lit(None, pl.Float64)
    return pairs.with_columns(score=value(""), ceiling=above).with_columns(
        loss=pl.col("ceiling").fill_null(1.0) - pl.col("score")
    )


def _asked(items: pl.DataFrame | None, reference: str) -> Mapping[str, tuple[tuple[str, Text], ...]]:
    """Item id to what was asked in the reference language, as far as the run keeps it."""
    if items is None or not {"item", "language"} <= set(items.columns):
        return {}
    held = items.filter(pl.col("language") == reference)
    if "model" in held.columns:
        held = held.filter(pl.col("model").is_null())
    return {str(row["item"]): texts_of(row, reference)[0] for row in held.to_dicts()}


def _grid(
    listed: Sequence[Mapping[str, Any]], asked: Mapping[str, tuple[tuple[str, Text], ...]], *, total: int
) -> Grid:
    cells = [
        (
            row["item"],
            shortened(" ".join(text.text for _, text in asked.get(row["item"], ())), _LONGEST_CELL)
            or MISSING,
            cell(row["loss"], "share"),
            cell(row["score"], "share"),
            MISSING if row["ceiling"] is None else cell(row["ceiling"], "share"),
            f"{row['losing']:,} of {row['pairs']:,}",
        )
        for row in listed
    ]
    heads = (Column("Item"), Column("Prompt"), Column("Lost", True), Column("Mean score", True), Column("Mean ceiling", True),
             Column("Answers that lose", True))  # fmt: skip
    return Grid(
        f"The prompts that lose most, {len(listed)} of {total:,} that lose anything: mean over models and languages of the "
        "ceiling (1 where there is none) less the score, where both sides answer.",
        heads,
        tuple(cells),
    )


def _prompt(
    row: Mapping[str, Any],
    found: OpenFindings,
    pairs: pl.DataFrame,
    replies: pl.DataFrame | None,
    asked: Mapping[str, tuple[tuple[str, Text], ...]],
) -> LostPrompt:
    own = pairs.filter(
        (pl.col("task") == row["task"]) & (pl.col("item") == row["item"]) & (pl.col("loss") > 0)
    )
    # The worst of each language first, so that a prompt is not shown in one language alone.
    worst = (
        own.sort(
            "loss", "language", "model", "repeat", descending=[True, False, False, False], maintain_order=True
        )
        .with_columns(turn=pl.int_range(pl.len()).over("language"))
        .sort("turn", maintain_order=True)
    )
    told = f"{cell(row['loss'], 'share')} lost, in {row['losing']:,} of {row['pairs']:,} answers"
    shown = tuple(_shown(pair, found, replies) for pair in worst.head(MOST_ANSWERS).to_dicts())
    return LostPrompt(str(row["item"]), str(row["task"]), told, asked.get(str(row["item"]), ()), shown)


def _shown(pair: Mapping[str, Any], found: OpenFindings, replies: pl.DataFrame | None) -> Shown:
    cell: Cell = (pair["model"], pair["task"], pair["language"], pair["instruction"], pair["input"])
    again = f", repeat {pair['repeat']}" if pair["repeat"] != 1 else ""
    held = _details(found.evaluated.details, pair)
    ours, theirs = (_claims(held, side) for side in ("candidate", "reference"))
    return Shown(
        str(pair["model"]),
        found.labels.get(cell, str(pair["language"])) + again,
        _scores(pair, found),
        Text(str(pair["reference_text"]), found.reference),
        _reply(pair, replies),
        Text(str(pair["candidate_text"]), found.reference),
        ours[:MOST_CLAIMS],
        theirs[:MOST_CLAIMS],
        sum(max(0, len(claims) - MOST_CLAIMS) for claims in (ours, theirs)),
        _levels(held, found.properties),
    )


def _scores(pair: Mapping[str, Any], found: OpenFindings) -> str:
    if found.is_information:
        told = f"precision {cell(pair['precision'], 'share')}, recall {cell(pair['recall'], 'share')}"
    elif found.properties:
        told = "same profile" if pair["agreement"] == 1 else "another profile"
    else:
        told = f"equivalence {cell(pair['agreement'], 'share')}"
    return told + ("" if pair["ceiling"] is None else f"; ceiling {cell(pair['ceiling'], 'share')}")


def _details(details: pl.DataFrame, pair: Mapping[str, Any]) -> pl.DataFrame:
    """The rows of a pair; what an evaluator writes of its keys is text."""
    if details.is_empty():
        return details
    same = [pl.col(name).cast(pl.String) == str(pair[name]) for name in KEY]
    return details.filter(pl.all_horizontal(same) & (pl.col("side_by_side") == "score"))


def _claims(held: pl.DataFrame, side: str) -> tuple[Claim, ...]:
    if not {"side", "claim", "verdict"} <= set(held.columns):
        return ()
    return tuple(
        Claim(
            str(row["claim"]),
            str(row["verdict"] or f"no verdict ({row['reason']})"),
            None if row["verdict"] is None else row["verdict"] == _SUPPORTED,
        )
        for row in held.filter(pl.col("side") == side).sort("number").to_dicts()
    )


def _levels(held: pl.DataFrame, properties: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    if held.is_empty():
        return ()
    row = held.row(0, named=True)
    return tuple(
        (
            property_names(name),
            str(row.get(f"reference.{name}") or MISSING),
            str(row.get(f"candidate.{name}") or MISSING),
        )
        for name in properties
    )


def _reply(pair: Mapping[str, Any], replies: pl.DataFrame | None) -> Text | None:
    """The answer as it was given; None where it is not kept, or needed no translation."""
    if replies is None or "reply" not in replies.columns:
        return None
    same = [pl.col(name) == pair[name] for name in KEY]
    held = replies.filter(pl.all_horizontal(same))["reply"].to_list()
    if not held or held[0] is None or held[0] == pair["candidate_text"]:
        return None
    return Text(str(held[0]), str(pair["language"]))
