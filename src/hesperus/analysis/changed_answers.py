"""Items with an answer that changed, with what was asked and what came back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from hesperus.analysis.item_texts import Text, of_task, row_in, texts_of
from hesperus.wording import OUTCOME_WORDS, parsed, sense_sentence

_JOIN = ["model", "task", "item"]
_KEEP = ["outcome", "answer", "reply"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One side of an example.

    Attributes:
        sense: In words.
        code: As in the records.
        fields: Field name to text, where the run keeps its items.
        options: Texts of the options, likewise.
        reply: What the model wrote, or None if it is not kept.
        answer: The label, or the outcome in words.
        right: Whether the answer is the gold label; None if absent.
    """

    sense: str
    code: str
    fields: tuple[tuple[str, Text], ...]
    options: tuple[Text, ...]
    reply: Text | None
    answer: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class Example:
    """An item on which two senses got different answers."""

    model: str
    task: str
    item: str
    gold: str | None
    a: Asked
    b: Asked


@dataclass(frozen=True, slots=True)
class Examples:
    """What is shown, and of how many.

    Attributes:
        shown: The examples, by model, task and sense.
        total: All changed answers of the compared senses.
    """

    shown: tuple[Example, ...]
    total: int


def inconsistent_examples(
    records: pl.DataFrame,
    items: pl.DataFrame | None = None,
    *,
    each: int = 3,
    most: int = 36,
    own: Collection[str] = (),
) -> Examples:
    """Find items whose answer in a made sense differs from that in its original, instruction and input alike.

    Which items are shown depends on nothing but the records: for every model, task and sense the most frequent change
    of answer first, then the next; within a change by item id. Where nothing was made, other originals are compared.

    Args:
        records: The records table.
        items: The run's items, with ``item``, ``language``, ``options``, one column a field, and, where senses were
            made, ``input`` (sense code) and ``model``.
        each: Examples a model, task and sense.
        own: Senses that are known to be made by the answering model itself.
        most: Examples in all.
    """
    whole = records.filter((pl.col("instruction") == pl.col("input")) & (pl.col("repeat") == 1))
    if "reply" not in whole.columns:
        whole = whole.with_columns(pl.lit(None, pl.String).alias("reply"))
    codes = whole["input"].unique(maintain_order=True).to_list()
    shown: list[dict[str, Any]] = []
    total = 0
    for source, target in _compared(codes):
        changed = _changed(whole, source, target)
        total += changed.height
        per_cell = changed.with_columns(rank=pl.int_range(pl.len()).over("model", "task"))
        shown += per_cell.filter(pl.col("rank") < each).to_dicts()
    shown.sort(key=lambda row: (row["rank"], row["model"], row["task"], row["b"]))
    kept = sorted(shown[:most], key=lambda row: (row["model"], row["task"], row["b"], row["rank"]))
    return Examples(tuple(_example(row, items, own) for row in kept), total)


def _compared(codes: Sequence[str]) -> list[tuple[str, str]]:
    originals = [code for code in codes if (sense := parsed(code)) and sense.is_original]
    made = [(sense.origin, code) for code in codes if (sense := parsed(code)) and not sense.is_original]
    pairs = [(origin, code) for origin, code in made if origin in originals]
    return sorted(pairs or [(originals[0], code) for code in originals[1:]])


def _changed(whole: pl.DataFrame, source: str, target: str) -> pl.DataFrame:
    """Items that changed, the most frequent change spread first."""
    left = whole.filter(pl.col("input") == source).select(*_JOIN, "gold", *_KEEP)
    right = whole.filter(pl.col("input") == target).select(*_JOIN, *_KEEP)
    joined = left.join(right, on=_JOIN, suffix="_b")
    same = pl.col("answer").eq_missing(pl.col("answer_b")) & pl.col("outcome").eq_missing(pl.col("outcome_b"))
    change = ["answer", "outcome", "answer_b", "outcome_b"]
    return (
        joined.filter(~same)
        .with_columns(pl.len().over(*_JOIN[:2], *change).alias("frequency"))
        .sort("item")
        .with_columns(pl.int_range(pl.len()).over(*_JOIN[:2], *change).alias("turn"))
        .sort("turn", "frequency", "item", descending=[False, True, False], maintain_order=True)
        .with_columns(pl.lit(source).alias("a"), pl.lit(target).alias("b"))
    )


def _example(row: Mapping[str, Any], items: pl.DataFrame | None, own: Collection[str]) -> Example:
    return Example(
        row["model"],
        row["task"],
        row["item"],
        row["gold"],
        _asked(row, "a", "", items, own),
        _asked(row, "b", "_b", items, own),
    )


def _asked(
    row: Mapping[str, Any], side: str, suffix: str, items: pl.DataFrame | None, own: Collection[str]
) -> Asked:
    code = row[side]
    sense = parsed(code)
    tag = sense.language if sense else None
    answer, outcome, reply = row[f"answer{suffix}"], row[f"outcome{suffix}"], row[f"reply{suffix}"]
    fields, options = _texts(row, code, tag, items)
    return Asked(
        sense_sentence(code, own),
        code,
        fields,
        options,
        None if reply is None else Text(reply, tag),
        answer if answer is not None else OUTCOME_WORDS.get(outcome, outcome),
        None if row["gold"] is None else answer == row["gold"],
    )


def _texts(
    row: Mapping[str, Any], code: str, tag: str | None, items: pl.DataFrame | None
) -> tuple[tuple[tuple[str, Text], ...], tuple[Text, ...]]:
    """What was asked, as far as the run keeps it."""
    held = (
        None
        if items is None or tag is None
        else row_in(of_task(items, row["task"]), row["item"], code, row["model"])
    )
    return ((), ()) if held is None or tag is None else texts_of(held, tag)
