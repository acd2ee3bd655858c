"""Scores of translations that a run keeps: another way of scoring adds columns, and takes none away."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.errors import DataError
from hesperus.fingerprint import JSON
from hesperus.tables import DAMAGED

KEY = ("model", "task", "item", "sense")
METADATA = "hesperus.scores"
"""Key of the file's metadata under which each column has its signature."""

Signatures = Mapping[str, Mapping[str, JSON]]


@dataclass(frozen=True, slots=True)
class KeptScores:
    """Scores of items, and how each column came about.

    Attributes:
        items: One row a model, task, item and sense; columns of scores.
        signatures: Column to its signature, as far as that is known.
        dropped: Columns of before that were scored on other texts than the run holds now.
    """

    items: pl.DataFrame
    signatures: Signatures
    dropped: tuple[str, ...] = ()


def texts_hash(pairs: pl.DataFrame) -> str:
    """What was scored, as a hash: translations and references, in any order."""
    names = [*KEY, "field", "hypothesis", "reference"]
    return hashlib.blake2b(pairs.select(names).sort(names).write_csv().encode(), digest_size=16).hexdigest()


def added_to(file: Path, new: pl.DataFrame, signed: Mapping[str, JSON], *, texts: str) -> KeptScores:
    """The scores that a file holds with new ones: new columns win, others stay if they were scored on the same texts.

    Args:
        file: Where scores are kept; need not be there.
        new: Item scores with the columns of KEY.
        signed: Signature of the new columns.
        texts: See texts_hash.

    Raises:
        DataError: The file cannot be read, or is no table of scores.
    """
    columns = [name for name in new.columns if name not in KEY]
    own: Mapping[str, JSON] = {**signed, "texts": texts}
    signatures: dict[str, Mapping[str, JSON]] = dict.fromkeys(columns, own)
    if not file.is_file():
        return KeptScores(new, signatures)
    old, before = _read(file)
    stale = tuple(
        name for name, said in before.items()
        if name in old.columns and name not in columns and said.get("texts") not in (None, texts)
    )  # fmt: skip
    kept = old.drop(*stale, *(name for name in columns if name in old.columns))
    if old.select(KEY).join(new.select(KEY), on=list(KEY), how="anti").height:
        # Rows of other senses (an audit's way back) keep their scores under the same names.
        others = old.drop(stale).join(new.select(KEY), on=list(KEY), how="anti")
        merged = pl.concat([new.join(kept, on=list(KEY), how="left"), others], how="diagonal_relaxed")
    else:
        merged = new.join(kept, on=list(KEY), how="left")
    signatures |= {name: said for name, said in before.items() if name in kept.columns}
    return KeptScores(merged.sort(KEY), signatures, stale)


def metadata_of(signatures: Signatures) -> dict[str, str]:
    """The signatures as the metadata of a Parquet file."""
    return {METADATA: json.dumps(signatures, ensure_ascii=False, sort_keys=True)}


def _read(file: Path) -> tuple[pl.DataFrame, dict[str, Mapping[str, JSON]]]:
    try:
        frame = pl.read_parquet(file)
        said = json.loads(pl.read_parquet_metadata(file).get(METADATA, "{}"))
    except (*DAMAGED, ValueError) as error:
        raise DataError(f"cannot be read: {str(error).splitlines()[0]}", file=file) from None
    absent = [name for name in KEY if name not in frame.columns]
    if absent:
        raise DataError(f"is no table of scores: it lacks {', '.join(absent)}; move it away", file=file)
    known = said if isinstance(said, dict) else {}
    return frame, {name: held for name, held in known.items() if isinstance(held, dict)}
