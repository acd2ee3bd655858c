"""Scores segments with COMET; executed by the Python of an environment that has it, never imported by hesperus.

One JSON document in on standard input, ``{"checkpoint", "segments": [{"src", "mt", "ref"}]}``;
one out on standard output, ``{"scores", "comet"}`` or ``{"missing"}``. Whatever COMET prints goes to standard error.
Only the standard library is imported up to the point where COMET is needed, so that any Python can run this file.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
from importlib.metadata import version
from pathlib import Path


def main() -> int:
    """Answer one request; the exit code is 0 where a document was written."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answer:
        os.dup2(2, 1)  # progress bars and notices would break the document
        answer.write(json.dumps(_score(json.load(sys.stdin)), allow_nan=False))
    return 0


def _score(job: dict[str, object]) -> dict[str, object]:
    try:
        comet = importlib.import_module("comet")
    except ImportError as error:
        return {"missing": str(error)}
    model = comet.load_from_checkpoint(str(_checkpoint(str(job["checkpoint"]))), local_files_only=True)
    found = model.predict(job["segments"], batch_size=16, gpus=0, progress_bar=False, num_workers=0)
    scores = [float(score) for score in found["scores"]]
    return {
        "scores": [score if math.isfinite(score) else None for score in scores],
        "comet": version("unbabel-comet"),
    }


def _checkpoint(path: str) -> Path:
    """A snapshot's folder represents the file that COMET keeps in it."""
    return Path(path) / "checkpoints" / "model.ckpt" if Path(path).is_dir() else Path(path)


if __name__ == "__main__":
    # Python puts this folder first on the path, where our files would stand before packages of the same names
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    sys.exit(main())
