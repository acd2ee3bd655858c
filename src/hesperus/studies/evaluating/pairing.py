"""Each reply next to the reply to the same item in the reference language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import language, normalise
from hesperus.records import KEY

CELL = ("model", "task", "instruction", "input")
"""What a column of answers belongs to."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Replies in pairs.

    Attributes:
        reference: The language with which the others are compared.
        pairs: The columns of the key, `language`, `outcome`, `reply`, `reference_outcome`, `reference_reply`; `asked` and
            `reference_asked` say whether the item is in the file at all.
    """

    reference: str
    pairs: pl.DataFrame


def paired(replies: pl.DataFrame, reference: str, languages: Sequence[str] = ()) -> Paired:
    """Put each reply next to the same model's reply to the same item, and repeat, in the reference language.

    Args:
        replies: From read_replies.
        reference: Language of the replies that the others are compared with.
        languages: Only these others; all where empty.

    Raises:
        UnknownNameError: No reply is in one of the languages.
        UsageError: A language is the reference itself.
        DataError: There is no reply in another language, or the reference was put in several ways.
    """
    wanted = normalise(reference)
    known = replies["language"].unique().sort().to_list()
    if wanted not in known:
        raise UnknownNameError(
            "reference language of the replies", wanted, known, "--reference names another"
        )
    others = [normalise(tag) for tag in languages]
    for tag in others:
        if tag == wanted:
            raise UsageError(f"{tag} is the reference itself; name other languages")
        if tag not in known:
            raise UnknownNameError("language of the replies", tag, known)
    held = _reference_rows(replies.filter(pl.col("language") == wanted))
    candidates = replies.filter(pl.col("language") != wanted)
    if others:
        candidates = candidates.filter(pl.col("language").is_in(others))
    if candidates.is_empty():
        raise DataError(
            f"nothing to compare: all replies are in {language(wanted).name} ({wanted}), and consistency needs another "
            "language"
        )
    return Paired(wanted, _joined(candidates, held))


def _reference_rows(replies: pl.DataFrame) -> pl.DataFrame:
    """One reference for each model and task: the original if there are several ways of putting it."""
    cells = replies.select(CELL).unique(maintain_order=True)
    chosen = []
    for (model, task), ways in cells.group_by("model", "task", maintain_order=True):
        originals = ways.filter(
            (pl.col("instruction") == pl.col("input")) & ~pl.col("input").str.contains("[_~@]")
        )
        found = ways if ways.height == 1 else originals
        if found.height != 1:
            shown = "; ".join(f"instruction={row[2]},input={row[3]}" for row in ways.head(6).iter_rows())
            raise DataError(
                f"{model} answered {task} in the reference language in {ways.height} ways ({shown}); leave one"
            )
        chosen.append(found)
    return replies.join(pl.concat(chosen), on=list(CELL), how="semi", maintain_order="left")


def _joined(candidates: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """Pairs by model, task, item and repeat; an item that only one side was asked is there with half a pair."""
    on = ["model", "task", "item", "repeat"]
    theirs = held.select(
        *on,
        pl.col("outcome").alias("reference_outcome"),
        pl.col("reply").alias("reference_reply"),
        pl.lit(True).alias("reference_asked"),
    )
    cells = candidates.select(*CELL, "language").unique(maintain_order=True)
    wanted = cells.join(theirs.select(on), on=["model", "task"], how="inner", maintain_order="left")
    ours = candidates.with_columns(pl.lit(True).alias("asked"))
    keys = [*KEY, "language"]
    every = pl.concat([ours.select(keys), wanted.select(keys)]).unique(maintain_order=True, keep="first")
    joined = every.join(ours, on=keys, how="left", maintain_order="left").join(
        theirs, on=on, how="left", maintain_order="left"
    )
    order = {cell: place for place, cell in enumerate(cells.select(CELL).iter_rows())}
    ranks = pl.Series("rank", [order[row] for row in joined.select(CELL).iter_rows()])
    return (
        joined.with_columns(pl.col("asked", "reference_asked").fill_null(False), ranks)
        .sort("rank", maintain_order=True)
        .drop("rank")
    )
