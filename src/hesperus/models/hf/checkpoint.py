"""Where a checkpoint lies, whether it may be loaded, and what tells it from every other. Loads nothing.

Weights are taken from safetensors files only: the older ``*.bin`` are pickles, and to load a pickle is to run it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from hesperus.errors import DataError, UsageError
from hesperus.models.faults import excerpt

WEIGHTS, INDEX, CONFIG = "model.safetensors", "model.safetensors.index.json", "config.json"

_WANTED = ("*.json", "*.jinja", "*.model", "*.tiktoken", "*.txt", "model*.safetensors")
_UNWANTED = ("*/*",)
"""Folders of a repository hold the same weights for other programs."""

_TOKENIZER_FILES = frozenset(
    {
        "added_tokens.json",
        "chat_template.jinja",
        "chat_template.json",
        "merges.txt",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.json",
        "vocab.txt",
    }
)
_TOKENIZER_ENDINGS = (".model", ".tiktoken")
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")

_LOCAL = re.compile(r"~?/|\.\.?(?:/|$)|[A-Za-z]:[\\/]|\\\\")
_HUB = re.compile(
    r"(?P<repository>[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?)(?:@(?P<revision>[\w][\w./-]*))?", re.ASCII
)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name points.

    Attributes:
        folder: Local folder; None where it is a repository of the hub.
        repository: Repository of the hub.
        revision: Branch, tag or commit of it; None takes its main branch.
    """

    folder: Path | None
    repository: str = ""
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder that has everything to load.

    Attributes:
        folder: Where it lies.
        served_by: ``ORG/NAME@COMMIT`` where it came from the hub.
    """

    folder: Path
    served_by: str | None = None

    @property
    def config(self) -> Mapping[str, Any]:
        """Its ``config.json``."""
        return _mapping(self.folder / CONFIG)

    @property
    def weight_files(self) -> tuple[Path, ...]:
        """The files that hold its weights."""
        index = self.folder / INDEX
        if not index.is_file():
            return (self.folder / WEIGHTS,)
        shards = _mapping(index).get("weight_map")
        names = set(shards.values()) if isinstance(shards, dict) else set()
        if not names or not all(isinstance(name, str) and Path(name).name == name for name in names):
            raise DataError("does not say which files hold the weights", file=index, field="weight_map")
        return tuple(self.folder / name for name in sorted(names))

    def identity(self) -> dict[str, str]:
        """Hashes of what decides a reply: weights and configuration, tokenizer and chat template.

        They are of contents: the same files have the same identity wherever they lie, and no path is told.
        """
        files = [path for path in self.folder.iterdir() if path.is_file()]
        tokenizer = [
            path for path in files if path.name in _TOKENIZER_FILES or path.suffix in _TOKENIZER_ENDINGS
        ]
        model = [self.folder / CONFIG, *self.weight_files]
        generation = self.folder / "generation_config.json"
        if generation.is_file():
            model.append(generation)
        return {"weights": _digest(model), "tokenizer": _digest(tokenizer)}


def place(name: str) -> Place:
    """Read ``hf/ORG/NAME``, ``hf/ORG/NAME@REVISION``, ``hf/./folder`` or ``hf//absolute/folder``.

    Raises:
        UsageError: It is none of these, or there is no such folder.
    """
    rest = name.partition("/")[2]
    if _LOCAL.match(rest):
        folder = Path(rest).expanduser()
        if not folder.is_dir():
            raise UsageError(f"{name}: no folder {str(folder)!r}")
        return Place(folder)
    match = _HUB.fullmatch(rest)
    if match is None:
        raise UsageError(f"{name}: write hf/ORG/NAME, hf/ORG/NAME@REVISION, or hf/./FOLDER for a local one")
    return Place(None, match["repository"], match["revision"])


def locate(where: Place, name: str) -> Checkpoint:
    """The folder of a checkpoint, fetched from the hub where it is not in its cache yet.

    The hub's own switches hold: ``HF_HOME`` says where the cache is, ``HF_TOKEN`` holds the key, ``HF_HUB_OFFLINE=1``
    keeps it from the network.

    Raises:
        UsageError: The hub (or, offline, the cache) does not have it; or it cannot be loaded safely.
    """
    if where.folder is not None:
        return checked(Checkpoint(where.folder), name)
    try:
        folder = Path(
            import_module("huggingface_hub").snapshot_download(
                where.repository,
                revision=where.revision,
                allow_patterns=list(_WANTED),
                ignore_patterns=list(_UNWANTED),
            )
        )
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{name}: the hub could not give it: {excerpt(str(error))}. Without a network, write hf/./FOLDER for a local "
            "copy, or bring the cache of another machine (HF_HOME) and set HF_HUB_OFFLINE=1"
        ) from None
    # The folder of a snapshot is named by its commit.
    return checked(Checkpoint(folder, f"{where.repository}@{folder.name}"), name)


def checked(checkpoint: Checkpoint, name: str) -> Checkpoint:
    """Refuse what cannot be loaded, or not safely.

    Raises:
        UsageError: No configuration, no safetensors weights, or an adapter.
        DataError: A file that cannot be read.
    """
    folder = checkpoint.folder
    if (folder / "adapter_config.json").is_file():
        raise UsageError(
            f"{name} is an adapter; merge it into its base model, save that, and name the result"
        )
    if not (folder / CONFIG).is_file():
        raise UsageError(f"{name} has no {CONFIG}; a checkpoint of transformers is a folder that has one")
    if not (folder / INDEX).is_file() and not (folder / WEIGHTS).is_file():
        pickles = sorted(path.name for path in folder.iterdir() if path.suffix in _PICKLES)
        held = f"; it holds {', '.join(pickles[:3])}, and pickles are never loaded" if pickles else ""
        raise UsageError(
            f"{name} has no safetensors weights ({WEIGHTS} or {INDEX}){held}. Load it where you trust it and save it again "
            "with save_pretrained(FOLDER), which writes safetensors"
        )
    missing = [path.name for path in checkpoint.weight_files if not path.is_file()]
    if missing:
        raise UsageError(f"{name} lacks {len(missing)} of its files of weights: {', '.join(missing[:3])}")
    if not checkpoint.config:
        raise DataError("is empty", file=folder / CONFIG)
    return checkpoint


def _mapping(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read as JSON: {error}", file=path) from None
    if not isinstance(value, dict):
        raise DataError(f"expected a mapping, found {type(value).__name__}", file=path)
    return value


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda file: file.name):
        held = path.resolve()
        # The hub's cache names a large file by the very hash that is wanted.
        known = held.parent.name == "blobs" and _SHA256.fullmatch(held.name)
        status = held.stat()
        content = held.name if known else _content(str(held), status.st_size, status.st_mtime_ns)
        digest.update(f"{path.name}\0{content}\n".encode())
    return digest.hexdigest()[:32]


@lru_cache(maxsize=256)
def _content(path: str, size: int, changed: int) -> str:
    """SHA-256 of a file; size and time of change are asked for so that a changed file is read again."""
    del size, changed
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
