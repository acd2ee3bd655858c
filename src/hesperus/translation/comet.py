"""COMET scores from a local checkpoint, computed by another Python.

COMET pins old versions of numpy and protobuf, so it lives in an environment of its own; what passes between the two
is JSON. A checkpoint is a pickle that the other Python loads: use only one that you trust.
Reference: Rei et al. 2022, "COMET-22: Unbabel-IST 2022 submission for the metrics shared task" (WMT).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hesperus.errors import ModelError, UsageError
from hesperus.fingerprint import JSON
from hesperus.translation import comet_runner

INSTALL = "'unbabel-comet>=2.2' 'setuptools<81'"
"""What ``pip install`` needs in the other environment; COMET still asks for ``pkg_resources``."""


@dataclass(frozen=True, slots=True)
class CometSettings:
    """Where COMET is, and how it runs.

    Attributes:
        python: The interpreter of the environment that has ``unbabel-comet``.
        checkpoint: The ``model.ckpt`` of a local checkpoint, or the folder that holds ``checkpoints/model.ckpt`` and
            ``hparams.yaml``. The encoder that its ``hparams.yaml`` names must be there without a network as well.
        batch_size: Segments at once; decides speed and memory alone.
        gpus: 0 for the processor.
        timeout: Seconds to wait for all scores, or None for ever.
    """

    python: str
    checkpoint: str
    batch_size: int = 16
    gpus: int = 0
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class CometScores:
    """What COMET said.

    Attributes:
        scores: A score a segment, usually between 0 and 1; None if COMET gave no number.
        version: Version of the package ``unbabel-comet`` there; empty where nothing was scored.
    """

    scores: tuple[float | None, ...]
    version: str = ""


def comet_signature(settings: CometSettings, version: str) -> dict[str, JSON]:
    """What decides the scores: the package's version and the checkpoint by its content, wherever it lies.

    Raises:
        UsageError: There is no such checkpoint.
    """
    _check_there(settings)
    place = Path(settings.checkpoint)
    weights = place / "checkpoints" / "model.ckpt" if place.is_dir() else place
    files = [weights, weights.parent.parent / "hparams.yaml"]
    hashes: dict[str, JSON] = {}
    for file in files:
        if file.is_file():
            with file.open("rb") as held:
                hashes[file.name] = hashlib.file_digest(held, "sha256").hexdigest()
    return {"unbabel-comet": version, "checkpoint": place.name, "sha256": hashes}


def _check_there(settings: CometSettings) -> None:
    if not Path(settings.checkpoint).exists():
        raise UsageError(
            f"no COMET checkpoint at {settings.checkpoint!r}: give the folder of a downloaded snapshot "
            "(hparams.yaml and checkpoints/model.ckpt) or the file itself"
        )


def comet_scores(
    settings: CometSettings,
    *,
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
) -> CometScores:
    """Score every segment; the corpus score of COMET-22 is the plain mean.

    Hand in all segments at once: each call loads the checkpoint.

    Args:
        settings: The environment and the checkpoint.
        sources: What was translated.
        hypotheses: The translations.
        references: The benchmark's own wording in the target language.

    Returns:
        The scores, and the version of COMET that gave them.

    Raises:
        UsageError: Unequal lengths, no such interpreter or checkpoint, or COMET is not installed there.
        ModelError: COMET stopped, ran out of time, or did not follow the protocol.
    """
    lengths = {len(sources), len(hypotheses), len(references)}
    if len(lengths) > 1:
        raise UsageError(
            f"COMET needs a source, a translation and a reference for each segment: {len(sources)}, "
            f"{len(hypotheses)} and {len(references)} were given"
        )
    _check_there(settings)
    if not sources:
        return CometScores(())
    segments = [
        {"src": src, "mt": mt, "ref": ref}
        for src, mt, ref in zip(sources, hypotheses, references, strict=True)
    ]
    job = {
        "checkpoint": settings.checkpoint,
        "batch_size": settings.batch_size,
        "gpus": settings.gpus,
        "segments": segments,
    }
    answer = _answer(settings, json.dumps(job))
    version = answer.get("comet") if isinstance(answer, dict) else None
    return CometScores(tuple(_scores(answer, len(segments))), str(version or "unknown"))


def _answer(settings: CometSettings, job: str) -> object:
    """Run the other Python on one job.

    Raises:
        UsageError, ModelError: See comet_scores.
    """
    try:
        done = subprocess.run(
            [settings.python, str(Path(comet_runner.__file__).resolve())],
            input=job.encode(),
            capture_output=True,
            timeout=settings.timeout,
            check=False,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1"},
        )
    except OSError as error:
        raise UsageError(
            f"COMET's Python cannot be started: {settings.python!r} ({error.strerror}); make an environment with "
            f"`python -m venv comet && comet/bin/pip install {INSTALL}` and give comet/bin/python"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise ModelError(
            f"COMET gave no scores within {settings.timeout:g} s; allow more time or fewer segments",
            kind="comet",
        ) from error
    if done.returncode != 0:
        lines = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
        why = lines[-1].strip() if lines else "no message"
        raise ModelError(f"COMET stopped with exit code {done.returncode}: {why}", kind="comet")
    try:
        answer: object = json.loads(done.stdout)
    except ValueError as error:
        raise ModelError(
            f"COMET's Python answered something that is no JSON: {done.stdout[:80]!r}", kind="comet"
        ) from error
    if isinstance(answer, dict) and "missing" in answer:
        raise UsageError(
            f"COMET is not installed for {settings.python!r} ({answer['missing']}): "
            f"{settings.python} -m pip install {INSTALL}"
        )
    return answer


def _scores(answer: object, wanted: int) -> list[float | None]:
    scores = answer.get("scores") if isinstance(answer, dict) else None
    if not isinstance(scores, list) or len(scores) != wanted:
        raise ModelError(f"COMET's Python did not answer with {wanted} scores", kind="comet")
    return [None if score is None else float(score) for score in scores]
