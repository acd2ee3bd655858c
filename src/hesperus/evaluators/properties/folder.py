"""The folder of a trained evaluator: a manifest, and weights as JSON or safetensors, each with its hash. No pickles."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import JSON

Kind = Literal["bi_encoder", "tfidf"]

KINDS: tuple[Kind, ...] = get_args(Kind)

MANIFEST, SEARCH, REPORT = "evaluator.json", "search.json", "report.json"

RECIPE = "`python -m recipes.empathy` in hesperus's source repository (recipes/README.md)"
"""What trains the evaluators of folders; it is not part of the package."""

FORMAT, VERSION = "hesperus property evaluator", 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder holds.

    Attributes:
        kind: How the properties are found.
        properties: Their names.
        settings: What the kind needs besides weights.
        files: File name, in the folder, to its hash.
        training: What it was trained on and how.
    """

    kind: Kind
    properties: tuple[str, ...]
    settings: Mapping[str, JSON]
    files: Mapping[str, str]
    training: Mapping[str, JSON]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder, and check its files against it.

    Raises:
        UsageError: The folder does not exist, holds no evaluator, or a training that is not finished.
        DataError: The manifest is not one, or a file is missing or not the one that was written.
    """
    path = folder / MANIFEST
    if not path.is_file():
        if (folder / SEARCH).is_file():
            raise UsageError(
                f"{folder}: its training is not finished; run the same `python -m recipes.empathy` again to continue"
            )
        why = f"has no {MANIFEST}" if folder.is_dir() else "is no folder"
        raise UsageError(f"{folder} {why}; the folder of a property evaluator is made by {RECIPE}")
    document = read_json(path)
    if document.get("format") != FORMAT:
        raise DataError("is not the manifest of a property evaluator", file=path)
    if document.get("version") != VERSION:
        raise DataError(
            f"is of version {document.get('version')!r}; this hesperus reads {VERSION}", file=path
        )
    kind = next((known for known in KINDS if known == document.get("kind")), None)
    if kind is None:
        raise DataError(f"is {document.get('kind')!r}, not {' or '.join(KINDS)}", file=path, field="kind")
    names, files = document.get("properties"), _mapping(document, "files", path)
    if not isinstance(names, list) or not names or not all(isinstance(n, str) and n for n in names):
        raise DataError("is not a list of names", file=path, field="properties")
    properties = tuple(str(name) for name in names)
    if len(set(properties)) < len(properties):
        raise DataError("has a name twice", file=path, field="properties")
    hashes = {name: str(digest) for name, digest in files.items()}
    _check(folder, hashes)
    settings, training = _mapping(document, "settings", path), _mapping(document, "training", path)
    return Manifest(kind, properties, settings, hashes, training)


def hashes(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """The hash of each file, by its name in the folder."""
    found = {}
    for name in names:
        with (folder / name).open("rb") as file:
            found[name] = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    return found


def read_json(path: Path) -> dict[str, JSON]:
    """Read a JSON object.

    Raises:
        DataError: It is not a classifier.
    """
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"is no JSON: {error}", file=path) from None
    if not isinstance(document, dict):
        raise DataError("is no JSON object", file=path)
    return document


def _mapping(document: Mapping[str, JSON], field: str, path: Path) -> dict[str, JSON]:
    value = document.get(field)
    if not isinstance(value, dict):
        raise DataError("is no JSON object", file=path, field=field)
    return value


def _check(folder: Path, expected: Mapping[str, str]) -> None:
    root = folder.resolve()
    for name in expected:
        if not (folder / name).resolve().is_relative_to(root):
            raise DataError(f"names {name!r}, outside the folder", file=folder / MANIFEST, field="files")
        if not (folder / name).is_file():
            raise DataError(f"is missing; {MANIFEST} names it", file=folder / name)
    for name, digest in hashes(folder, list(expected)).items():
        if digest != expected[name]:
            raise DataError("is not the file that the training wrote: its hash differs", file=folder / name)
