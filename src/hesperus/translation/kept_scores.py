"""Translations of a run that can be scored, in pairs with their source, and the scores that the run keeps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, first_line
from hesperus.fingerprint import JSON
from hesperus.tables import DAMAGED
from hesperus.translation.quality import PAIR_COLUMNS
from hesperus.types import Sense
from hesperus.wording import parsed

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
    """The scores that a file holds with new ones: new columns win, others stay if they were scored on the same texts."""
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


def how_scored(file: Path) -> list[JSON]:
    """How the scores of a file came about: each signature once, with the `columns` it holds for; empty if it does not say.

    Raises:
        DataError: The file is Parquet and cannot be read.
    """
    found: dict[str, dict[str, JSON]] = {}
    for column, signed in (_signatures(file) if file.suffix.lower() == ".parquet" else {}).items():
        one = found.setdefault(json.dumps(signed, sort_keys=True), {"columns": [], **signed})
        one["columns"] = [*one["columns"], column]  # type: ignore[misc]
    return list(found.values())


def _signatures(file: Path) -> dict[str, Mapping[str, JSON]]:
    """Of each scored column of a Parquet file how its scores came about; nothing of a column that does not say.

    Raises:
        DataError: The file cannot be read.
    """
    try:
        said = json.loads(pl.read_parquet_metadata(file).get(METADATA, "{}"))
    except (*DAMAGED, ValueError) as error:
        raise DataError(f"cannot be read: {first_line(error)}", file=file) from None
    known = said if isinstance(said, dict) else {}
    return {name: held for name, held in known.items() if isinstance(held, dict)}


def _read(file: Path) -> tuple[pl.DataFrame, dict[str, Mapping[str, JSON]]]:
    said = _signatures(file)
    try:
        frame = pl.read_parquet(file)
    except DAMAGED as error:
        raise DataError(f"cannot be read: {first_line(error)}", file=file) from None
    absent = [name for name in KEY if name not in frame.columns]
    if absent:
        raise DataError(f"is no table of scores: it lacks {', '.join(absent)}; move it away", file=file)
    return frame, said


_FIELD = "field:"


def sense_pairs(items: pl.DataFrame, *, task: str) -> pl.DataFrame:
    """Pair every translated field with the benchmark's own wording in that language.

    Args:
        items: The items of a run: ``item``, ``language``, ``input`` (sense code), ``model`` (null for originals), and
            a column ``field:NAME`` for each field.
        task: Name of the task, for the table.

    Returns:
        PAIR_COLUMNS and ``source``. Translations and back-translations into languages of which the run has originals; an
        item that a model did not translate has a null hypothesis, so that it is counted. Empty where nothing can be
        scored: ask for the originals in the target languages as well.

    Raises:
        DataError: A column is missing.
    """
    fields = [name for name in items.columns if name.startswith(_FIELD)]
    absent = [name for name in ("item", "language", "input", "model") if name not in items.columns]
    if absent or not fields:
        raise DataError(f"the items lack columns: {', '.join(absent or ['field:NAME'])}")
    texts = items.unpivot(
        fields, index=["item", "input", "model"], variable_name="field", value_name="text"
    ).with_columns(pl.col("field").str.strip_prefix(_FIELD))
    originals = texts.filter(pl.col("model").is_null() & pl.col("text").is_not_null()).drop("model")
    made = texts.filter(pl.col("model").is_not_null())
    parts = []
    for (model, code), part in made.sort("model", "input").group_by(["model", "input"], maintain_order=True):
        sense = _translated(str(code))
        if sense is not None:
            parts.append(_paired(part, originals, sense).with_columns(pl.lit(model).alias("model")))
    wanted = [*PAIR_COLUMNS, "source"]
    if not parts:
        return pl.DataFrame(schema=dict.fromkeys(wanted, pl.String()))
    return pl.concat(parts).with_columns(pl.lit(task).alias("task")).select(wanted)


def _translated(code: str) -> Sense | None:
    """The sense of a code where it is a translation or a back-translation and nothing else."""
    sense = parsed(code)
    return sense if sense is not None and (sense.source or sense.via) and not sense.variant else None


def _paired(made: pl.DataFrame, originals: pl.DataFrame, sense: Sense) -> pl.DataFrame:
    key = ["item", "field"]
    references = originals.filter(pl.col("input") == sense.language).select(*key, reference="text")
    sources = originals.filter(pl.col("input") == sense.origin).select(*key, source="text")
    return (
        references.join(sources, on=key)
        .join(made.select(*key, hypothesis="text"), on=key, how="left", maintain_order="left")
        .with_columns(pl.lit(sense.code).alias("sense"))
    )
