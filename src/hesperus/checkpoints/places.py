"""Where a checkpoint lies, and whether it may be loaded. Loads nothing.

Weights are taken from safetensors files only: the older ``*.bin`` are pickles, and to load a pickle is to run it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hesperus.errors import DataError, MissingExtraError, UsageError
from hesperus.text_files import read_mapping

_LONGEST = 300
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_KEYS = re.compile(r"(?i)\bbearer\s+\S+|\bhf_(?!hub_|home)\w{6,}")
"""The hub's keys; its variables, such as HF_HUB_OFFLINE, begin like them and belong into messages."""


def said(error: BaseException) -> str:
    """What an error says, in one printable line of 300 characters at most, keys of the hub cut out."""
    line = " ".join(_CONTROLS.sub(" ", _KEYS.sub("[key]", str(error))).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


WEIGHTS, INDEX, CONFIG = "model.safetensors", "model.safetensors.index.json", "config.json"

_PACKAGES = ("torch", "transformers", "safetensors")
_WANTED = ("*.json", "*.jinja", "*.model", "*.spm", "*.tiktoken", "*.txt", "model*.safetensors")
_UNWANTED = ("*/*",)
"""Folders of a repository hold the same weights for other programs."""

_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")

_LOCAL = re.compile(r"~?/|\.\.?(?:/|$)|[A-Za-z]:[\\/]|\\\\")
_HUB = re.compile(
    r"(?P<repository>[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?)(?:@(?P<revision>[\w][\w./-]*))?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a name points.

    Attributes:
        name: What was given, for messages.
        folder: Local folder; None if it is a repository of the hub.
        repository: Repository of the hub.
        revision: Branch, tag or commit of it; None takes its main branch.
        prefix: What is before such names, for messages.
    """

    name: str
    folder: Path | None
    repository: str = ""
    revision: str | None = None
    prefix: str = ""


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
    def origin(self) -> str:
        """``ORG/NAME@COMMIT`` where it came from the hub, else the folder's name."""
        return self.served_by or self.folder.resolve().name

    @property
    def config(self) -> Mapping[str, Any]:
        """Its ``config.json``."""
        return read_mapping(self.folder / CONFIG)

    @property
    def weight_files(self) -> tuple[Path, ...]:
        """The files that hold its weights."""
        index = self.folder / INDEX
        if not index.is_file():
            return (self.folder / WEIGHTS,)
        shards = read_mapping(index).get("weight_map")
        names = set(shards.values()) if isinstance(shards, dict) else set()
        if not names or not all(isinstance(name, str) and Path(name).name == name for name in names):
            raise DataError("does not say which files hold the weights", file=index, field="weight_map")
        return tuple(self.folder / name for name in sorted(names))


def required(extra: str, purpose: str) -> None:
    """Refuse where a package that loads checkpoints is absent; imports none.

    Args:
        extra: The extra of hesperus that brings it.
        purpose: What it is needed for.

    Raises:
        MissingExtraError: torch, transformers or safetensors is not installed.
    """
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtraError(package, extra, purpose)


def source_of(name: str, *, prefix: str = "", bare_folders: bool = False) -> Source:
    """Read ``ORG/NAME``, ``ORG/NAME@REVISION``, ``./folder``, ``~/folder`` or ``/absolute/folder``.

    Args:
        name: What is given.
        prefix: What may be before all of these, such as ``hf/``, and is no part of them.
        bare_folders: Whether ``folder`` and ``some/folder`` mean a folder too, if there is one.

    Raises:
        UsageError: It is not one of these, or there is no such folder.
    """
    rest = name.removeprefix(prefix)
    folder = Path(rest).expanduser() if rest.startswith("~/") else Path(rest)
    if bare_folders and rest and folder.is_dir():
        return Source(name, folder)
    if _LOCAL.match(rest):
        if not folder.is_dir():
            raise UsageError(f"{name}: no folder {str(folder)!r}")
        return Source(name, folder)
    before = prefix if name.startswith(prefix) else ""
    match = _HUB.fullmatch(rest)
    if match is None:
        raise UsageError(
            f"{name}: write {before}ORG/NAME, {before}ORG/NAME@REVISION, or {before}./FOLDER for a local one"
        )
    return Source(name, None, match["repository"], match["revision"], before)


def locate(source: Source, *, more: Sequence[str] = ()) -> Checkpoint:
    """The folder of a checkpoint, fetched from the hub where it is not in its cache yet.

    The hub's own switches hold: ``HF_HOME`` says where the cache is, ``HF_TOKEN`` holds the key, ``HF_HUB_OFFLINE=1``
    keeps it from the network.

    Args:
        source: See source_of.
        more: Patterns of files to fetch besides configuration, tokenizer and weights.

    Raises:
        UsageError: The hub (or, offline, the cache) does not have it; or it cannot be loaded safely.
        DataError: A file of it cannot be read.
    """
    if source.folder is not None:
        return _checked(Checkpoint(source.folder), source.name)
    try:
        folder = Path(
            import_module("huggingface_hub").snapshot_download(
                source.repository,
                revision=source.revision,
                allow_patterns=[*_WANTED, *more],
                ignore_patterns=list(_UNWANTED),
            )
        )
    except (OSError, ValueError) as error:
        folderless = not Path(source.name.removeprefix(source.prefix)).is_dir()
        raise UsageError(
            f"{source.name}: {'there is no such folder, and ' if folderless else ''}the hub could not give it: "
            f"{said(error)}. Without a network, write {source.prefix}./FOLDER for a local copy, or bring the cache of "
            "another machine (HF_HOME) and set HF_HUB_OFFLINE=1"
        ) from None
    # The folder of a snapshot is named by its commit.
    return _checked(Checkpoint(folder, f"{source.repository}@{folder.name}"), source.name)


def _checked(checkpoint: Checkpoint, name: str) -> Checkpoint:
    """Refuse what cannot be loaded, or not safely."""
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
