"""What a run leaves behind: records, items in every sense, and a line for whatever could not be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hesperus.records import SCHEMA
from hesperus.studies.multisense.answering import Senses
from hesperus.studies.multisense.making import Fault, Made
from hesperus.studies.multisense.material import Material
from hesperus.tasks import items_frame
from hesperus.types import Item

_SCHEMA = {
    **SCHEMA,
    "rule": pl.String(),
    "note": pl.String(),
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
}


def records_of(model: str, rows: Sequence[Mapping[str, object]], material: Material) -> pl.DataFrame:
    """Rows of one model as the records table, with the groups of the items as further columns."""
    columns: dict[str, list[object]] = {
        name: [model] * len(rows) if name == "model" else [row.get(name) for row in rows] for name in _SCHEMA
    }
    frame = pl.DataFrame(columns, schema=_SCHEMA)
    groups = _groups(material)
    return frame if groups is None else frame.join(groups, on="item", how="left", maintain_order="left")


def items_of(material: Material) -> pl.DataFrame:
    """The original items in every language that was read; `model` is null."""
    frame = items_frame(material.items)
    return frame.with_columns(pl.col("language").alias("input"), pl.lit(None, pl.String()).alias("model"))


def made_items_of(model: str, senses: Senses) -> list[pl.DataFrame]:
    """What a model made of the items, laid out as the originals are."""
    frames = []
    for sense, items in senses.inputs.items():
        whole = tuple(item for item in items.values() if isinstance(item, Item))
        if whole and not sense.is_original:
            frame = items_frame({sense.language: whole})
            frames.append(frame.with_columns(pl.lit(sense.code).alias("input"), pl.lit(model).alias("model")))
    return frames


def lost_texts(model: str, made: Made) -> list[str]:
    """Texts that could not be made, counted by sense and reason."""
    counts: dict[tuple[str, str], list[str]] = {}
    for (sense, _), result in made.items():
        if isinstance(result, Fault):
            counts.setdefault((sense.code, result.kind), []).append(result.message)
    return [
        f"{model}, {code}: {len(messages)} texts were not made ({kind}: {messages[0]})"
        for (code, kind), messages in counts.items()
    ]


def lost_questions(records: pl.DataFrame) -> list[str]:
    """Rows without a reply, counted by cell."""
    lost = records.filter(pl.col("outcome") == "error")
    grouped = lost.group_by("model", "instruction", "input", maintain_order=True).agg(
        pl.len().alias("rows"), pl.col("note").first()
    )
    return [
        f"{row['model']}, instruction={row['instruction']},input={row['input']}: {row['rows']} questions unanswered "
        f"({row['note']})"
        for row in grouped.iter_rows(named=True)
    ]


def _groups(material: Material) -> pl.DataFrame | None:
    """Group columns by item; a name that the records have already is left out."""
    items = next(iter(material.items.values()))
    names = [name for name in dict.fromkeys(n for item in items for n in item.groups) if name not in _SCHEMA]
    if not names:
        return None
    columns: dict[str, list[str | None]] = {"item": [item.id for item in items]}
    columns |= {name: [item.groups.get(name) for item in items] for name in names}
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String()))
