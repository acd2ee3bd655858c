"""What a run leaves behind: records, items in every sense, and a line for whatever could not be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel

from hesperus.asking.shards import ShardResult
from hesperus.errors import ModelError
from hesperus.fingerprint import fingerprint
from hesperus.frames import frame_of
from hesperus.records import SCHEMA, Run
from hesperus.records.files import write_part
from hesperus.records.packed import rows_of
from hesperus.studies.asked.answering import Senses
from hesperus.studies.asked.declaring import DOES_NOT_DECIDE, OF_THIS_MACHINE
from hesperus.studies.asked.exclusions import Excluded, dropped_by_alignment
from hesperus.studies.asked.material import LoadedItems, originals_of
from hesperus.studies.asked.study_files import keep_endpoint, with_masked_endpoint, with_relative_files
from hesperus.tasks import items_frame
from hesperus.types import Item

_SCHEMA = {
    **SCHEMA,
    "rule": pl.String(),
    "note": pl.String(),
    "reply_language": pl.String(),
    "reasoning": pl.String(),
    "reasoning_language": pl.String(),
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
}


_ITEMS_AT_ONCE = 1 << 11

_FEW, _SMALL = 1 << 15, 1 << 23
"""Rows, and their bytes, that are held in memory until they are written; more of them are in one file."""


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A finished run.

    Attributes:
        run: Records, items, study and signature, as they are in the folder.
        folder: Where.
        faults: What could not be asked, each as one line for people.
        excluded: What a list of exclusions did, or None if there was none.
        shard: Where only a part of the study was asked: which, and where its replies are. There are no records then.
    """

    run: Run
    folder: Path
    faults: tuple[str, ...]
    excluded: Excluded | None = None
    shard: ShardResult | None = None

    @property
    def dropped(self) -> str:
        """What alignment excluded before anything was asked, as one line for people; empty where nothing was."""
        found = self.run.signature.get("dropped")
        listed = found if isinstance(found, Sequence) else ()
        reasons = [str(drop.get("reason")) for drop in listed if isinstance(drop, Mapping)]
        kept = self.records["item"].n_unique()
        return dropped_by_alignment(reasons, kept, sampled=bool(self.run.study.get("sample")))

    @property
    def cut_off(self) -> str:
        """Replies that ended before any answer, as one line for people; empty if absent.

        Some endpoints show what the model thought by then, others say only that it reached the limit of tokens.
        """
        rows = rows_of(self.run)
        if "reasoning" not in rows.collect_schema():
            return ""
        has_no_text = pl.col("reply").str.strip_chars() == ""
        thought = pl.col("reasoning").is_not_null()
        short = rows.filter(has_no_text & (thought | (pl.col("outcome") == "truncated")))
        count = short.select(pl.len()).collect(engine="streaming").item()
        if not count:
            return ""
        return (
            f"{count:,} of {self.records.height:,} replies ended before any answer, in thinking or at the limit of tokens; "
            "--max-tokens-again 16000 asks these, and no others, again with more tokens"
        )

    @property
    def records(self) -> pl.DataFrame:
        """The records table."""
        return self.run.records

    def raise_if_incomplete(self) -> None:
        """As refuse_incomplete, of this run."""
        refuse_incomplete(self.faults)


def refuse_incomplete(faults: Sequence[str]) -> None:
    """Raise where records are missing, so that a script notices.

    Raises:
        ModelError: Some questions got no answer; the message says how many and why.
    """
    if faults:
        shown = "\n  ".join(faults[:8])
        more = f"\n  … and {len(faults) - 8} more kinds" if len(faults) > 8 else ""
        raise ModelError(
            f"the run is incomplete; these rows have the outcome `error`, run again to complete it:\n  {shown}{more}"
        )


def default_store(folder: Path) -> Path:
    """The reply store next to a run folder, shared by all runs next to it."""
    return folder.parent / "replies.sqlite"


def decided(study: BaseModel) -> str:
    """The fingerprint of all that decides what comes out of a study."""
    return fingerprint(with_masked_endpoint(study.model_dump(mode="json", exclude=set(DOES_NOT_DECIDE))))


def as_kept(study: BaseModel, folder: Path) -> dict[str, Any]:
    """The keys of a study as its run folder has them, which is passed on: no absolute path, no address of an endpoint, no cluster.

    The address is kept next to the folder (see endpoints).
    """
    values = study.model_dump(mode="json", exclude=set(OF_THIS_MACHINE))
    keep_endpoint(values.get("base_url"), folder)
    return with_relative_files(with_masked_endpoint(values), folder)


def records_of(model: str, rows: Sequence[Mapping[str, object]], groups: ItemGroups) -> pl.DataFrame:
    """Rows of one model as the records table, with the groups of the items as further columns."""
    columns: dict[str, list[Any]] = {
        name: [model] * len(rows) if name == "model" else [row.get(name) for row in rows] for name in _SCHEMA
    }
    schema = {**_SCHEMA, **dict.fromkeys(groups.names, pl.String())}
    return frame_of(columns | groups.columns(columns["item"]), schema)


def set_apart(frames: Iterable[pl.DataFrame], folder: Path) -> pl.LazyFrame:
    """Rows that come part by part, in their order: in memory while they are few, else in files of a folder.

    Args:
        frames: Parts; a column that one of them lacks is null there.
        folder: Where the files are made; they are needed as long as the rows are.
    """
    held = [_set_apart(alike, folder) for _, alike in groupby(frames, key=lambda frame: frame.schema)]
    return held[0] if len(held) == 1 else pl.concat(held, how="diagonal_relaxed")


def _set_apart(frames: Iterator[pl.DataFrame], folder: Path) -> pl.LazyFrame:
    few, paths = list[pl.DataFrame](), list[Path]()
    for frame in frames:
        few.append(frame)
        if sum(map(len, few)) > _FEW or sum(one.estimated_size() for one in few) > _SMALL:
            paths.append(folder / f"{len(list(folder.iterdir())):06}.parquet")
            write_part(pl.concat(few), paths[-1])
            few = []
    parts = ([pl.scan_parquet(paths)] if paths else []) + [frame.lazy() for frame in few]
    return parts[0] if len(parts) == 1 else pl.concat(parts)


def no_records() -> pl.DataFrame:
    """A records table without a row."""
    return pl.DataFrame(schema=_SCHEMA)


def items_of(material: LoadedItems) -> Iterator[pl.DataFrame]:
    """The original items in every language that was read, some at a time; `model` is null."""
    for language, items in material.items.items():
        for start in range(0, max(len(items), 1), _ITEMS_AT_ONCE):
            frame = items_frame({language: items[start : start + _ITEMS_AT_ONCE]})
            yield frame.with_columns(
                pl.col("language").alias("input"), pl.lit(None, pl.String()).alias("model")
            )


def made_items_of(model: str, senses: Senses) -> list[pl.DataFrame]:
    """What a model made of the items, laid out as the originals are."""
    frames = []
    for sense, items in senses.inputs.items():
        whole = tuple(item for item in items.values() if isinstance(item, Item))
        if whole and not sense.is_original:
            frame = items_frame({sense.language: whole})
            frames.append(frame.with_columns(pl.lit(sense.code).alias("input"), pl.lit(model).alias("model")))
    return frames


def lost_questions(records: pl.LazyFrame) -> list[str]:
    """Rows without a reply, counted by cell, each kind of reason by its first message."""
    told = [name for name in ("model", "instruction", "input", "note") if name in records.collect_schema()]
    lost = records.filter(pl.col("outcome") == "error").select(told).collect(engine="streaming")
    if "note" not in told:  # answers that were asked elsewhere
        lost = lost.with_columns(pl.lit("no reason given").alias("note"))
    grouped = lost.group_by("model", "instruction", "input", maintain_order=True).agg(
        pl.len().alias("rows"), pl.col("note").fill_null("no reason given")
    )
    return [
        f"{row['model']}, instruction={row['instruction']},input={row['input']}: {row['rows']} questions unanswered "
        f"({_reasons(row['note'])})"
        for row in grouped.iter_rows(named=True)
    ]


def _reasons(notes: Sequence[str]) -> str:
    by_kind: dict[str, list[str]] = {}
    for note in notes:
        by_kind.setdefault(note.partition(":")[0], []).append(note)
    if len(by_kind) == 1:
        return notes[0]
    most = sorted(by_kind.values(), key=len, reverse=True)
    other = sum(map(len, most[3:]))
    more = f"; and {other} of other kinds" if other else ""
    return "; ".join(f"{len(alike)} × {alike[0]}" for alike in most[:3]) + more


@dataclass(frozen=True, slots=True)
class ItemGroups:
    """Columns of groups, which are of the item in every language.

    Attributes:
        names: Their names; one that the records have already is excluded.
        items: The items of the first language by id.
    """

    names: tuple[str, ...]
    items: Mapping[str, Item]

    @classmethod
    def of(cls, material: LoadedItems) -> ItemGroups:
        """The groups of the items of a study."""
        items = originals_of(material, next(iter(material.items)))
        names = dict.fromkeys(name for item in items.values() for name in item.groups if name not in _SCHEMA)
        return cls(tuple(names), items)

    def columns(self, asked: Sequence[str]) -> dict[str, list[str | None]]:
        """The groups of some items, by column; null where an item is not among the first language's."""
        if not self.names:
            return {}
        found = [item.groups if (item := self.items.get(name)) is not None else {} for name in asked]
        return {name: [groups.get(name) for groups in found] for name in self.names}
