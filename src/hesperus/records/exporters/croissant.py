"""Croissant 1.0 metadata of a data set folder, with its vocabulary for responsible AI.

Croissant (Akhtar et al. 2024) is JSON-LD that data set searches and loaders of machine learning read: where the files are, what
their columns mean, and, in the vocabulary RAI 1.0, how the data came about and what they are not fit for. What is said of that
here is counted from the records, or holds for all records of hesperus; nothing is said of what only the publisher knows.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from hesperus.fingerprint import JSON
from hesperus.records.schema import KEY
from hesperus.strict_yaml import read_yaml_as
from hesperus.version import __version__
from hesperus.wording import parsed

FILE = "croissant.json"
_TYPES = (
    (pl.Boolean, "sc:Boolean"), (pl.String, "sc:Text"), (pl.Date, "sc:Date"), (pl.Datetime, "sc:DateTime"), (pl.Time, "sc:Time"),
    (pl.Decimal, "sc:Float"),
)  # fmt: skip


_OF_REPLIES = "rai:dataCollectionRawData"
"""What is said of replies."""


class _Said(msgspec.Struct, forbid_unknown_fields=True):
    """The file of texts."""

    context: dict[str, Any]
    conforms_to: list[Any]
    keywords: list[Any]
    responsible: dict[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The records of a task in a data set folder.

    Attributes:
        name: Of the configuration.
        path: The file, which is written already.
        rows: What it holds.
    """

    name: str
    path: Path
    rows: pl.DataFrame


def croissant_text(
    title: str,
    licence: str | None,
    files: Sequence[TaskFile],
    languages: Sequence[str],
    meaning: Mapping[str, str],
) -> str:
    """The metadata of a data set as JSON-LD; the same files give the same text.

    Args:
        title: Name of the data set.
        licence: Its licence, where it is known.
        files: Its files.
        languages: BCP-47 tags.
        meaning: Column to what it means.
    """
    said = read_yaml_as(importlib.resources.files(__package__) / "croissant.yaml", "text", _Said)
    records = pl.concat([one.rows for one in files], how="diagonal_relaxed")
    document: dict[str, JSON] = {
        "@context": said.context,
        "@type": "sc:Dataset",
        "conformsTo": said.conforms_to,
        "name": title,
        "description": f"Answers of language models to the same questions in {len(languages)} languages, a row an answer.",
        "version": "1.0.0",
        "keywords": said.keywords,
        "inLanguage": list(languages),
        **({"license": licence} if licence else {}),
        **dict(_responsible(said.responsible, records, languages)),
        "distribution": [_distribution(one) for one in files],
        "recordSet": [_record_set(one, meaning) for one in files],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _distribution(one: TaskFile) -> dict[str, JSON]:
    content = one.path.read_bytes()
    place = f"data/{one.path.name}"
    return {
        "@type": "cr:FileObject",
        "@id": place,
        "name": one.path.name,
        "contentUrl": place,
        "encodingFormat": "application/x-parquet",
        "contentSize": f"{len(content)} B",
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _record_set(one: TaskFile, meaning: Mapping[str, str]) -> dict[str, JSON]:
    fields: list[JSON] = [
        {
            "@type": "cr:Field",
            "@id": f"{one.name}/{column}",
            "name": column,
            "description": meaning.get(column, "as the source has it"),
            **_data_type(kind),
            "source": {"fileObject": {"@id": f"data/{one.path.name}"}, "extract": {"column": column}},
        }
        for column, kind in one.rows.schema.items()
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": one.name,
        "name": one.name,
        "description": f"{len(one.rows):,} answers to the task {one.rows['task'][0]}.",
        "key": [{"@id": f"{one.name}/{column}"} for column in KEY],
        "field": fields,
    }


def _data_type(kind: pl.DataType) -> dict[str, JSON]:
    if isinstance(kind, pl.List):
        return {**_data_type(kind.inner), "repeated": True}  # type: ignore[arg-type]  # a type, not a class, once it is in a schema
    if kind.is_integer():
        return {"dataType": "sc:Integer"}
    if kind.is_float():
        return {"dataType": "sc:Float"}
    return {"dataType": next((name for known, name in _TYPES if kind == known), "sc:Text")}


def _responsible(
    texts: Mapping[str, str | list[str]], records: pl.DataFrame, languages: Sequence[str]
) -> Iterator[tuple[str, JSON]]:
    """How the data came about and what they are not fit for, in the vocabulary RAI 1.0."""
    outcomes = {str(name): count for name, count in records["outcome"].value_counts(sort=True).iter_rows()}
    counted = {
        "models": records["model"].n_unique(),
        "items": records.select("task", "item").n_unique(),
        "languages": len(languages),
        "rows": len(records),
        "lost": "; ".join(f"{name}: {count:,}" for name, count in outcomes.items() if name != "answered")
        or "none",
        "made": records.filter(
            pl.col("input").is_in(list(filter(_is_made, records["input"].unique())))
        ).height,
        "answered": _answered(records),
        "version": __version__,
    }
    for name, text in texts.items():
        if name != _OF_REPLIES or records["reply"].null_count() < len(records):
            told: list[JSON] = [one.format(**counted) for one in ([text] if isinstance(text, str) else text)]
            yield name, told[0] if isinstance(text, str) else told


def _is_made(code: str) -> bool:
    sense = parsed(code)
    return sense is not None and not sense.is_original


def _answered(records: pl.DataFrame) -> str:
    shares = (
        records.filter(pl.col("outcome") != "error")
        .group_by("input")
        .agg((pl.col("outcome") == "answered").mean())
        .sort("input")
    )
    return ", ".join(f"{code} {share:.3f}" for code, share in shares.iter_rows()) or "none was asked"
