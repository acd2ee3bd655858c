"""One value of a bundle changed, with or without the hashes of the manifest made to fit."""

from __future__ import annotations

import hashlib
import json
import random
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hesperus.api.bundling import Bundled
from hesperus.evidence.archive import unpack

MakeBundle = Callable[..., Bundled]

FEW = {"resamples": 10}
"""Of intervals a bundle needs some: that they come out again is seen on the first as on the last."""

TABLE_OF_CLAIMS = "numbers.json"


def refitted(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files with a manifest that has their hashes, as somebody would write who hides a change."""
    held = dict(files)
    manifest = json.loads(held["manifest.json"])
    manifest["files"] = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in held.items()
        if name != "manifest.json"
    }
    held["manifest.json"] = json.dumps(manifest).encode()
    return held


def save(files: Mapping[str, bytes], path: Path) -> Path:
    """Write a bundle, uncompressed: a reader takes both, and thousands are written."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def opened(path: Path) -> dict[str, bytes]:
    return unpack(path)


def another(value: Any, draw: random.Random) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.choice((-1, 1))
    if isinstance(value, float):
        return value + draw.choice((-1, 1)) * 10.0 ** draw.uniform(-6, 0)
    if isinstance(value, str):
        place = draw.randrange(len(value) + 1)
        return value[:place] + draw.choice("xyz0") + value[place:]
    return draw.choice(("x", 1))  # of nothing, or of an empty list


def change_leaf(tree: Any, draw: random.Random) -> str:
    """Change one leaf of a tree of lists and mappings in place; returns where."""
    where = ""
    while True:
        key = draw.choice(list(tree)) if isinstance(tree, dict) else draw.randrange(len(tree))
        where += f"/{key}"
        inner = tree[key]
        if isinstance(inner, dict | list) and inner:
            tree = inner
            continue
        tree[key] = another(inner, draw)
        return where


def changed(files: Mapping[str, bytes], name: str, draw: random.Random) -> tuple[dict[str, bytes], str]:
    """The files with one value of one of them changed, and where."""
    held = dict(files)
    if name.endswith(".jsonl"):
        lines = held[name].splitlines()
        number = draw.randrange(len(lines))
        row = json.loads(lines[number])
        where = change_leaf(row, draw)
        lines[number] = json.dumps(row, ensure_ascii=False).encode()
        held[name] = b"\n".join(lines) + b"\n"
        return held, f"{name}:{number + 1}{where}"
    if name.endswith(".json"):
        tree = json.loads(held[name])
        where = change_leaf(tree, draw)
        held[name] = json.dumps(tree, ensure_ascii=False).encode()
        return held, name + where
    content = bytearray(held[name])
    place = draw.randrange(len(content))
    content[place] ^= 1 << draw.randrange(7)
    held[name] = bytes(content)
    return held, f"{name}@{place}"
