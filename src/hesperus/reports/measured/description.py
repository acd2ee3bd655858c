"""What a run folder says of itself, without its records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from hesperus.errors import DataError
from hesperus.records.earlier import warn_of_study
from hesperus.records.reading import RECORDS_FILE


@dataclass(frozen=True, slots=True)
class Described:
    """A run's study and signature.

    Attributes:
        study: The `study.yaml`; empty for a records file.
        signature: The `signature.json`; likewise.
        folder: The run folder; None for a records file.
    """

    study: Mapping[str, object] = field(default_factory=dict)
    signature: Mapping[str, object] = field(default_factory=dict)
    folder: Path | None = None


def described(run: Path) -> Described:
    """Read what a run folder says of itself; nothing where `run` is a records file, or a folder says nothing.

    Raises:
        DataError: A file holds no mapping.
    """
    folder = run if run.is_dir() else None
    study = _mapping(run / "study.yaml")
    if folder is not None:
        warn_of_study(folder, study, folder / RECORDS_FILE)
    return Described(study, _mapping(run / "signature.json"), folder)


def _mapping(file: Path) -> dict[str, object]:
    if not file.is_file():
        return {}
    try:
        text = file.read_text(encoding="utf-8")
        values = json.loads(text) if file.suffix == ".json" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        raise DataError(f"cannot be read: {str(error).splitlines()[0]}", file=file) from None
    if not isinstance(values, dict):
        raise DataError(f"expected a mapping, found {type(values).__name__}", file=file)
    return {str(key): value for key, value in values.items()}
