"""What a run folder says of itself, without its records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hesperus.records.runs import SIGNATURE_FILE, STUDY_FILE, mapping_in


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
        DataError: A file cannot be read or holds no mapping; or a key of the study is refused (check_study).
    """
    folder = run if run.is_dir() else None
    study, signature = (
        mapping_in(file) if file.is_file() else {} for file in (run / STUDY_FILE, run / SIGNATURE_FILE)
    )
    return Described(study, signature, folder)
