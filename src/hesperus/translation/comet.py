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
from dataclasses import dataclass, field
from pathlib import Path

from hesperus.errors import ModelError, UsageError
from hesperus.fingerprint import JSON
from hesperus.translation import comet_runner

INSTALL = "'unbabel-comet>=2.2' 'setuptools<81'"
"""What ``pip install`` needs in the other environment; COMET still asks for ``pkg_resources``."""


@dataclass(slots=True)
class CometScorer:
    """COMET in another Python, as a scorer of segments that remembers which version answered.

    Attributes:
        python: The interpreter of the environment that has ``unbabel-comet``.
        checkpoint: The ``model.ckpt`` of a local checkpoint, or the folder that holds ``checkpoints/model.ckpt`` and
            ``hparams.yaml``. The encoder that its ``hparams.yaml`` names must be there without a network as well.
        version: Version of the package ``unbabel-comet`` there; empty until something was scored.
    """

    python: str
    checkpoint: str
    version: str = field(default="", init=False)

    def __call__(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]
    ) -> list[float | None]:
        """Score every segment; the corpus score of COMET-22 is the plain mean.

        Hand in all segments at once: each call loads the checkpoint.

        Args:
            sources: What was translated.
            hypotheses: The translations.
            references: The benchmark's own wording in the target language.

        Returns:
            A score for each, usually between 0 and 1; None if COMET gave no number.

        Raises:
            UsageError: Unequal lengths, no such interpreter or checkpoint, or COMET is not installed there.
            ModelError: COMET stopped, or did not follow the protocol.
        """
        lengths = {len(sources), len(hypotheses), len(references)}
        if len(lengths) > 1:
            raise UsageError(
                f"COMET needs a source, a translation and a reference for each segment: {len(sources)}, "
                f"{len(hypotheses)} and {len(references)} were given"
            )
        self._check_there()
        if not sources:
            return []
        segments = [
            {"src": src, "mt": mt, "ref": ref}
            for src, mt, ref in zip(sources, hypotheses, references, strict=True)
        ]
        answer = self._answer(json.dumps({"checkpoint": self.checkpoint, "segments": segments}))
        self.version = str(answer.get("comet") or "unknown") if isinstance(answer, dict) else "unknown"
        return _scores(answer, len(segments))

    def signature(self) -> dict[str, JSON]:
        """What decides the scores: the package's version and the checkpoint by its content, wherever it lies."""
        self._check_there()
        place = Path(self.checkpoint)
        weights = place / "checkpoints" / "model.ckpt" if place.is_dir() else place
        hashes: dict[str, JSON] = {}
        for file in (weights, weights.parent.parent / "hparams.yaml"):
            if file.is_file():
                with file.open("rb") as held:
                    hashes[file.name] = hashlib.file_digest(held, "sha256").hexdigest()
        return {"unbabel-comet": self.version, "checkpoint": place.name, "sha256": hashes}

    def _check_there(self) -> None:
        if not Path(self.checkpoint).exists():
            raise UsageError(
                f"no COMET checkpoint at {self.checkpoint!r}: give the folder of a downloaded snapshot "
                "(hparams.yaml and checkpoints/model.ckpt) or the file itself"
            )

    def _answer(self, job: str) -> object:
        """Run the other Python on one job."""
        try:
            done = subprocess.run(
                [self.python, str(Path(comet_runner.__file__).resolve())],
                input=job.encode(),
                capture_output=True,
                check=False,
                env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1"},
            )
        except OSError as error:
            raise UsageError(
                f"COMET's Python cannot be started: {self.python!r} ({error.strerror}); make an environment with "
                f"`python -m venv comet && comet/bin/pip install {INSTALL}` and give comet/bin/python"
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
                f"COMET is not installed for {self.python!r} ({answer['missing']}): "
                f"{self.python} -m pip install {INSTALL}"
            )
        return answer


def _scores(answer: object, wanted: int) -> list[float | None]:
    scores = answer.get("scores") if isinstance(answer, dict) else None
    if not isinstance(scores, list) or len(scores) != wanted:
        raise ModelError(f"COMET's Python did not answer with {wanted} scores", kind="comet")
    return [None if score is None else float(score) for score in scores]
