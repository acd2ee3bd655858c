"""What tells one checkpoint from every other: hashes of its files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from hesperus.checkpoints import Checkpoint

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
_SHA256 = re.compile(r"[0-9a-f]{64}")


def identity(checkpoint: Checkpoint) -> dict[str, str]:
    """Hashes of what decides a reply: weights and configuration, tokenizer and chat template.

    They are of contents: the same files have the same identity wherever they lie, and no path is told.
    """
    folder = checkpoint.folder
    files = [path for path in folder.iterdir() if path.is_file()]
    tokenizer = [path for path in files if path.name in _TOKENIZER_FILES or path.suffix in _TOKENIZER_ENDINGS]
    model = [folder / "config.json", *checkpoint.weight_files]
    generation = folder / "generation_config.json"
    if generation.is_file():
        model.append(generation)
    return {"weights": _digest(model), "tokenizer": _digest(tokenizer)}


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
