"""Writing of an evaluator's folder; the package reads it (`hesperus.evaluators.properties.folder`).

Every file takes its name once it is whole. Weights are JSON or safetensors; nothing is pickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from hesperus.evaluators.properties.folder import FORMAT, MANIFEST, VERSION, Manifest
from hesperus.evaluators.properties.tfidf import TermWeights
from hesperus.fingerprint import JSON
from hesperus.records.files import write_content, write_whole


def write_json(path: Path, document: Mapping[str, JSON]) -> None:
    """Write a JSON object."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
    write_content(path, f"{text}\n")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, last of all files: a folder without it is not finished."""
    write_json(folder / MANIFEST, {"format": FORMAT, "version": VERSION, **msgspec.to_builtins(manifest)})


def write_terms(weights: TermWeights, path: Path) -> None:
    """Write a linear classifier over terms as JSON; `TermWeights.read` gives the same numbers."""
    rows: list[JSON] = [[term, idf, coefficient] for term, (idf, coefficient) in weights.weights.items()]
    write_json(path, {"longest": weights.longest, "intercept": weights.intercept, "terms": rows})


def write_tensors(parts: Mapping[str, Any], path: Path) -> None:
    """Write the weights of modules in float32.

    Args:
        parts: Name to torch module; the name comes before that of each weight, unless it is empty.
        path: The safetensors file.
    """
    # Imported here: the baseline needs no torch.
    torch, storage = import_module("torch"), import_module("safetensors.torch")
    held = {
        f"{part}.{key}" if part else key: value.detach().to("cpu", torch.float32, copy=True).contiguous()
        for part, module in parts.items()
        for key, value in module.state_dict().items()
    }
    write_whole(path, lambda partial: storage.save_file(held, partial))
