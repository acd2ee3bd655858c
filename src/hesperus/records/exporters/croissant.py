"""Croissant 1.0 metadata of a data set folder, with its vocabulary for responsible AI.

Croissant (Akhtar et al. 2024) is JSON-LD that data set searches and loaders of machine learning read: where the files are, what
their columns mean, and, in the vocabulary RAI 1.0, how the data came about and what they are not fit for. What is said of that
here is counted from the records, or holds for all records of hesperus; nothing is said of what only the publisher knows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.fingerprint import JSON
from hesperus.records.schema import KEY
from hesperus.version import __version__
from hesperus.wording import parsed

FILE = "croissant.json"
_CONFORMS = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
_TERMS = (
    "citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes", "isLiveDataset",
    "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "separator",
    "source", "subField", "transform",
)  # fmt: skip
_TYPES = (
    (pl.Boolean, "sc:Boolean"), (pl.String, "sc:Text"), (pl.Date, "sc:Date"), (pl.Datetime, "sc:DateTime"), (pl.Time, "sc:Time"),
    (pl.Decimal, "sc:Float"),
)  # fmt: skip


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
    document: dict[str, JSON] = {
        "@context": _context(),
        "@type": "sc:Dataset",
        "conformsTo": list(_CONFORMS),
        "name": title,
        "description": f"Answers of language models to the same questions in {len(languages)} languages, a row an answer.",
        "version": "1.0.0",
        "keywords": ["evaluation", "language models", "multilingual", "consistency"],
        "inLanguage": list(languages),
        **({"license": licence} if licence else {}),
        **dict(_responsible(pl.concat([one.rows for one in files], how="diagonal_relaxed"), languages)),
        "distribution": [_distribution(one) for one in files],
        "recordSet": [_record_set(one, meaning) for one in files],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _context() -> dict[str, JSON]:
    """The context that the specification gives for version 1.0."""
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "sc": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "equivalentProperty": "cr:equivalentProperty",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "samplingRate": "cr:samplingRate",
        **{term: f"cr:{term}" for term in _TERMS},
    }


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


def _responsible(records: pl.DataFrame, languages: Sequence[str]) -> Iterator[tuple[str, JSON]]:
    """How the data came about and what they are not fit for, in the vocabulary RAI 1.0."""
    models, items = records["model"].n_unique(), records.select("task", "item").n_unique()
    outcomes = {str(name): count for name, count in records["outcome"].value_counts(sort=True).iter_rows()}
    lost = "; ".join(f"{name}: {count:,}" for name, count in outcomes.items() if name != "answered") or "none"
    yield (
        "rai:dataCollection",
        (
            f"{items:,} questions were put to {models} language models in {len(languages)} languages by a program; each row is one "
            "reply and the answer that was read from it."
        ),
    )
    yield "rai:dataCollectionType", ["Experiments", "Software Collection"]
    yield (
        "rai:dataCollectionMissingData",
        (
            f"Of {len(records):,} rows, without an answer by outcome: {lost}. The outcome `error` means that there is no reply; the "
            "others are the behavior of the model."
        ),
    )
    if records["reply"].null_count() < len(records):
        yield "rai:dataCollectionRawData", "The column `reply` holds what the model wrote, unchanged."
    yield "rai:machineAnnotationTools", [f"hesperus {__version__}: rules that read an answer from a reply"]
    yield (
        "rai:dataAnnotationProtocol",
        (
            "The column `gold` is the right label of the benchmark. Answers were read by rules, not by people; a reply from which no "
            "answer could be read has the outcome `invalid` and no answer."
        ),
    )
    made = records.filter(pl.col("input").is_in(list(filter(_is_made, records["input"].unique())))).height
    yield (
        "rai:dataPreprocessingProtocol",
        (
            f"Inputs of {made:,} rows were made from another language or wording, by the model itself or by a translator, as the code "
            "in `input` says (`de_from_en`, `de_from_en@nllb`); the others are as the benchmark has them."
        ),
    )
    yield "rai:dataBiases", f"Share of questions answered by language of the input: {_answered(records)}."
    yield (
        "rai:dataLimitations",
        (
            "Answers of the models as they were asked once; a model behind an API may have changed since. Errors of the benchmark, of "
            "its translations and of reading the replies are part of the data. Languages that are not listed are not covered."
        ),
    )
    yield (
        "rai:dataUseCases",
        (
            "Measuring how accurate language models are in each language and whether they answer alike; comparing such measures. Not "
            "meant for training models: the benchmark would then measure nothing."
        ),
    )
    yield (
        "rai:dataSocialImpact",
        (
            "Shows in which languages models serve speakers worse. A ranking of languages or of their speakers does not follow from it."
        ),
    )
    yield (
        "rai:personalSensitiveInformation",
        (
            "No data of people were collected. Texts of the benchmark and replies of models were not screened for names or sensitive "
            "content."
        ),
    )


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
