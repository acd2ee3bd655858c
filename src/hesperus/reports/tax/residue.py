"""The items with most residue, for reading: what was asked in each condition, and what each model replied."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from hesperus.analysis.item_texts import rows_in, texts_of
from hesperus.analysis.tax.audit_evidence import Evidence, LosingItem, losing_items
from hesperus.analysis.tax.paired_records import PairedAnswers
from hesperus.reports.blocks import Block, Fold, Item, Reading, Replies, Side, note
from hesperus.rounding import cell
from hesperus.wording import counted, parsed, sense_sentence

MOST = 12
"""Items that are shown."""
_VERSIONS = 4
"""Back-translations of an item that are shown, where every model made its own."""


def residue_blocks(
    evidence: Evidence, found: PairedAnswers | None, items: pl.DataFrame | None
) -> Iterator[Block]:
    """Items for reading, those that lose most on the way back first (see losing_items)."""
    if found is None:
        yield note("Nothing came back, so no item can be said to lose anything.")
        return
    picked = losing_items(evidence, found)
    if not picked:
        yield note("No item loses a right answer on the way back, and none stands in the stratum high.")
        return
    yield note(
        "Items that lose right answers on the way back, or stand in the stratum high; those that lose most first "
        f"({min(MOST, len(picked))} of {len(picked)}). Control characters are written as their codes."
    )
    for one in picked[:MOST]:
        yield _item(evidence, items, one.task, one.item, why="; ".join(_why(one)))


def _why(one: LosingItem) -> Iterator[str]:
    won = f", {one.won} on what came back only" if one.won else ""
    yield f"{one.lost} of {counted(one.models, 'model')} right on the original only{won}"
    if one.is_high:
        yield "stratum high"
    for name, value in one.ratings.items():
        yield f"{name} rated {cell(value, 'score')}"


def _item(evidence: Evidence, items: pl.DataFrame | None, task: str, item: str, *, why: str) -> Fold:
    conditions = ("original", "translated", "natural", "back")
    wanted = {name: code for name in conditions if (code := getattr(evidence.senses, name)) is not None}
    versions: list[Side] = []
    more = 0
    for code in wanted.values():
        found = list(_versions(items, item, code, evidence.own))
        versions += found[:_VERSIONS]
        more += len(found[_VERSIONS:])
    asked = evidence.audited.filter(
        pl.col("input").is_in(list(wanted.values())), task=task, item=item, repeat=1
    )
    wanted = {name: code for name, code in wanted.items() if (asked["input"] == code).any()}
    rows = asked.to_dicts()
    replies = tuple(
        (model, tuple(_answered([r for r in rows if (r["model"], r["input"]) == (model, code)]) for code in wanted.values()))
        for model in sorted({row["model"] for row in rows})
    )  # fmt: skip
    gold = next((row["gold"] for row in rows if row["gold"] is not None), None)
    notes = [] if versions else ["Its texts are not kept."]
    notes += [f"{more} other versions are not shown."] if more else []
    heads = tuple("came back" if name == "back" else name for name in wanted)
    right = "" if gold is None else f", right answer: {gold}"
    shown = Item(f"{task}, {item}", tuple(versions), tuple(notes), replies=Replies(heads, replies))
    return Fold(f"{task}, {item}{right}: {why}", (shown,))


def _versions(items: pl.DataFrame | None, item: str, code: str, own: Collection[str]) -> Iterator[Side]:
    """The item's texts in a sense; makers who made the same text are together."""
    sense = parsed(code)
    if items is None or sense is None:
        return
    made: dict[tuple[Any, ...], list[str]] = {}
    for row in rows_in(items, item, code).to_dicts():
        maker = row.get("model")
        made.setdefault(texts_of(row, sense.language), []).extend([maker] if isinstance(maker, str) else [])
    for (fields, options), makers in made.items():
        # A maker that the sense names already is not named twice.
        named = f" ({', '.join(sorted(set(makers)))})" if makers and sense.maker is None else ""
        yield Side(sense_sentence(code, own) + named, texts=fields, options=options)


def _answered(rows: Sequence[Mapping[str, Any]]) -> Reading | None:
    """The reply under the instruction in the input's own language, if there are several."""
    if not rows:
        return None
    sense = parsed(rows[0]["input"])
    tag = None if sense is None else sense.language
    row = next((row for row in rows if row["instruction"] in (tag, row["input"])), rows[0])
    return Reading.of(row, row["gold"])
