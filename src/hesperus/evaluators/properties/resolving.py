"""Property evaluators by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from hesperus.errors import UnknownNameError
from hesperus.evaluators.properties.builtin import length_evaluator, refusal_evaluator
from hesperus.evaluators.properties.folder import RECIPE, read_manifest
from hesperus.evaluators.properties.profiles import PropertyEvaluator

BUILT_IN: Mapping[str, Callable[[], PropertyEvaluator]] = {
    "length": length_evaluator,
    "refusal": refusal_evaluator,
}
"""Evaluators that need nothing else."""


def property_evaluator(name: str | Path, *, device: str = "auto", dtype: str = "auto") -> PropertyEvaluator:
    """A property evaluator.

    Args:
        name: ``refusal`` or ``length``, built in; ``hf/ORG/NAME``, ``hf/ORG/NAME@REVISION`` or ``hf/./FOLDER``, a text
            classifier of transformers; or the folder that a training wrote (``recipes/``).
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; ``auto`` takes the first of CUDA, MPS and CPU that is there.
        dtype: ``float32`` or ``bfloat16``; ``auto`` takes the latter on CUDA.

    Raises:
        UnknownNameError: There is no such evaluator.
        UsageError: It cannot be loaded.
        DataError: A folder is not what a training wrote.
        MissingExtraError: It needs a package that is not installed.
    """
    given = str(name)
    if given in BUILT_IN:
        return BUILT_IN[given]()
    if given.startswith("hf/"):
        from hesperus.evaluators.properties.classifiers import text_classifier
        from hesperus.evaluators.properties.encoders import Placing

        return text_classifier(given, Placing(device, dtype))
    folder = Path(given).expanduser()
    if not folder.exists() and "/" not in given:
        raise UnknownNameError(
            "property evaluator", given, BUILT_IN, f"or hf/ORG/NAME, or a folder that {RECIPE} wrote"
        )
    manifest = read_manifest(folder)
    label = folder.resolve().name
    if manifest.kind == "tfidf":
        from hesperus.evaluators.properties.tfidf import load_terms

        return load_terms(folder, manifest, name=label)
    from hesperus.evaluators.properties.bi_encoder import load_bi_encoder
    from hesperus.evaluators.properties.encoders import Placing

    return load_bi_encoder(folder, manifest, Placing(device, dtype), name=label)
