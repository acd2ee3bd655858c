"""Records as a data set folder as the Hugging Face hub shows it: plain Parquet, a README with a YAML head, Croissant metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import yaml

from hesperus.errors import UsageError
from hesperus.records.conform import conform
from hesperus.records.exporters.croissant import FILE as CROISSANT
from hesperus.records.exporters.croissant import TaskFile, croissant_text
from hesperus.records.files import write_content, write_whole
from hesperus.records.schema import KEY
from hesperus.version import __version__
from hesperus.wording import parsed

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)

_MEANING = {
    "model": "who answered",
    "task": "what was asked",
    "item": "id of the item, the same in every language",
    "instruction": "sense of the instruction: a language tag, or how it was made",
    "input": "sense of the input, likewise",
    "repeat": "1, 2, …: the same question asked again",
    "outcome": "`answered`, or why there is no answer",
    "answer": "label, the same word in every language; null unless answered",
    "gold": "right label",
    "options": "labels of the item, in order",
    "probs": "probability of each option",
    "reply": "what the model wrote",
}


@dataclass(frozen=True, slots=True)
class DatasetCard:
    """What a person says of a data set; the rest is counted.

    Attributes:
        title: Heading.
        licence: Identifier as the hub knows it, such as ``cc-by-4.0``; None leaves it out.
        text: Paragraphs under the heading.
    """

    title: str = "Answers in several languages"
    licence: str | None = None
    text: str = ""


def write_dataset(records: pl.DataFrame, folder: Path | str, card: DatasetCard | None = None) -> None:
    """Write a data set folder: ``data/TASK.parquet``, a configuration for each task, README.md, and croissant.json.

    ``datasets.load_dataset(FOLDER, TASK)`` reads it, and so does every tool that reads Parquet.

    Raises:
        DataError: The records break their contract.
        UsageError: There are no records, or the folder's name is taken by a file.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file, a data set needs a folder")
    if records.is_empty():
        raise UsageError("there are no records to export")
    ordered = conform(records).sort(KEY)
    files: dict[str, str] = {}
    written: list[TaskFile] = []
    for (task,), rows in ordered.partition_by("task", as_dict=True, maintain_order=True).items():
        name = _file_name(str(task), files)
        files[str(task)] = name
        written.append(TaskFile(name, folder / "data" / f"{name}.parquet", rows))
        _write_parquet(rows, written[-1].path)
    card = card or DatasetCard()
    text = _readme(ordered, files, card)
    write_content(folder / "README.md", text)
    croissant = croissant_text(_one_line(card.title), card.licence, written, _languages(ordered), _MEANING)
    write_content(folder / CROISSANT, croissant)


def _write_parquet(rows: pl.DataFrame, path: Path) -> None:
    write_whole(path, lambda partial: rows.write_parquet(partial, compression="zstd"))


def _file_name(task: str, taken: Mapping[str, str]) -> str:
    """A name that is safe as a file and as a configuration."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", task).strip("-.") or "task"
    name, number = plain, 2
    while name in taken.values():
        name, number = f"{plain}-{number}", number + 1
    return name


def _languages(records: pl.DataFrame) -> list[str]:
    codes = {*records["instruction"].unique(), *records["input"].unique()}
    return sorted({sense.language for code in codes if (sense := parsed(code)) is not None})


def _readme(records: pl.DataFrame, files: Mapping[str, str], card: DatasetCard) -> str:
    head: dict[str, object] = {"language": sorted({tag.split("-")[0] for tag in _languages(records)})}
    if card.licence is not None:
        head["license"] = card.licence
    head |= {
        "pretty_name": card.title,
        "tags": ["evaluation", "multilingual", "consistency"],
        "size_categories": [next((name for most, name in _SIZES if len(records) < most), "n>10M")],
        "configs": [
            {"config_name": name, "data_files": [{"split": "test", "path": f"data/{name}.parquet"}]}
            for name in files.values()
        ],
    }
    lines = ["---", yaml.safe_dump(head, allow_unicode=True, sort_keys=False).rstrip(), "---", ""]
    lines += [f"# {_one_line(card.title)}", ""]
    if card.text:
        lines += [card.text, ""]
    lines += [
        f"{len(records):,} answers of {records['model'].n_unique()} models to {len(files)} tasks, "
        f"in {len(_languages(records))} languages. One row per answer; written by hesperus {__version__}.",
        "",
        "| configuration | task | models | languages | items | rows |",
        "|---|---|---|---|---|---|",
    ]
    for task, name in files.items():
        rows = records.filter(pl.col("task") == task)
        counts = (rows["model"].n_unique(), rows["input"].n_unique(), rows["item"].n_unique(), len(rows))
        lines.append(f"| `{name}` | {_cell(task)} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    lines += ["", "| column | meaning |", "|---|---|"]
    lines += [
        f"| `{_cell(name)}` | {_MEANING.get(name, 'as the source has it')} |" for name in records.columns
    ]
    lines += ["", "```python", "from datasets import load_dataset", ""]
    lines += [f'load_dataset("PATH", "{next(iter(files.values()))}", split="test")', "```", ""]
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    """Names come from files that are not trusted: no table is broken and no markup is made."""
    return _one_line(text).replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
