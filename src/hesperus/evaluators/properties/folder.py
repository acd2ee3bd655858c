"""The folder of a trained evaluator: a manifest, and weights as JSON or safetensors, each with its hash. No pickles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec

from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import file_hash

Kind = Literal["bi_encoder", "tfidf"]

KINDS: tuple[Kind, ...] = get_args(Kind)

MANIFEST, SEARCH, REPORT = "evaluator.json", "search.json", "report.json"

RECIPE = "`python -m recipes.empathy` in hesperus's source repository (recipes/README.md)"
"""What trains the evaluators of folders; it is not part of the package."""

FORMAT, VERSION = "hesperus property evaluator", 1

T = TypeVar("T")


class _Head(msgspec.Struct):
    format: str = ""
    version: Any = None


class Manifest(msgspec.Struct, frozen=True):
    """What a folder holds.

    Attributes:
        kind: How the properties are found.
        properties: Their names.
        settings: What the kind needs besides weights.
        files: File name, in the folder, to its hash.
        training: What it was trained on and how.
    """

    kind: Kind
    properties: Annotated[tuple[Annotated[str, msgspec.Meta(min_length=1)], ...], msgspec.Meta(min_length=1)]
    settings: dict[str, Any]
    files: dict[str, str]
    training: dict[str, Any]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder, and check its files against it."""
    path = folder / MANIFEST
    if not path.is_file():
        if (folder / SEARCH).is_file():
            raise UsageError(
                f"{folder}: its training is not finished; run the same `python -m recipes.empathy` again to continue"
            )
        why = f"has no {MANIFEST}" if folder.is_dir() else "is no folder"
        raise UsageError(f"{folder} {why}; the folder of a property evaluator is made by {RECIPE}")
    head = read_json(path, _Head)
    if head.format != FORMAT:
        raise DataError("is not the manifest of a property evaluator", file=path)
    if head.version != VERSION:
        raise DataError(f"is of version {head.version!r}; this hesperus reads {VERSION}", file=path)
    manifest = read_json(path, Manifest)
    if len(set(manifest.properties)) < len(manifest.properties):
        raise DataError("has a name twice", file=path, field="properties")
    _check(folder, manifest.files)
    return manifest


def read_json(path: Path, kind: type[T]) -> T:
    """Read a JSON file of a folder."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError, RecursionError) as error:
        raise DataError(f"is not what a training wrote: {error}", file=path) from None


def _check(folder: Path, expected: dict[str, str]) -> None:
    root = folder.resolve()
    for name, digest in expected.items():
        path = folder / name
        if not path.resolve().is_relative_to(root):
            raise DataError(f"names {name!r}, outside the folder", file=folder / MANIFEST, field="files")
        if not path.is_file():
            raise DataError(f"is missing; {MANIFEST} names it", file=path)
        if file_hash(path) != digest:
            raise DataError("is not the file that the training wrote: its hash differs", file=path)
