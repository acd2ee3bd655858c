"""A Hugging Face checkpoint to a folder that CTranslate2 runs, with tokenizer and a note of what it is."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hesperus.checkpoints import load_model, load_tokenizer, locate, required, source_of
from hesperus.errors import DataError, MissingExtraError, UsageError
from hesperus.translation.translators.checkpoint import NOTE, Checkpoint, Hints, describe, note
from hesperus.translation.translators.ctranslate2 import read_vocabulary
from hesperus.translation.translators.pieces import PIECE_FILES, read_pieces

QUANTIZATIONS = (
    "int8",
    "int8_float16",
    "int8_float32",
    "int8_bfloat16",
    "int16",
    "float16",
    "bfloat16",
    "float32",
)
"""How weights can be stored; without one they are stored as they are."""


def convert(
    checkpoint: str, out: Path, *, quantization: str | None = None, hints: Hints | None = None
) -> Checkpoint:
    """Convert a checkpoint of NLLB, M2M-100, MADLAD-400 or Opus.

    The folder appears whole or not at all. Only safetensors are read, and no code of the checkpoint is run.

    Args:
        checkpoint: A folder, or a name of the Hugging Face hub.
        out: The folder to make; it must not exist.
        quantization: One of QUANTIZATIONS, or None.
        hints: What the checkpoint does not say of itself.

    Returns:
        What was converted.

    Raises:
        UsageError: ``out`` exists, the quantization is unknown, there is no such checkpoint, it has no safetensors or
            lacks weights, or an Opus model's languages cannot be told.
        DataError: The checkpoint has no tokenizer, or no architecture that CTranslate2 knows.
        MissingExtraError: A package of the extras ``mt`` and ``hf`` is absent.
    """
    if quantization is not None and quantization not in QUANTIZATIONS:
        raise UsageError(f"quantization {quantization!r} is not one of {', '.join(QUANTIZATIONS)}")
    if out.exists():
        raise UsageError(f"{out} is there already; name another folder, or remove it")
    required("hf", "reading a Hugging Face checkpoint")
    source = source_of(checkpoint, bare_folders=True)
    folder = locate(source).folder
    read_pieces(folder)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", suffix=".partial", dir=out.parent) as beside:
        made = Path(beside) / out.name
        _converted(folder, checkpoint, made, quantization)
        for name in PIECE_FILES:
            if (folder / name).is_file():
                shutil.copyfile(folder / name, made / name)
        origin = source.folder.resolve().name if source.folder else checkpoint
        described = describe(folder, read_vocabulary(made), hints or Hints(), name=origin)
        (made / NOTE).write_text(note(described, origin), encoding="utf-8")
        made.rename(out)
    return described


def _converted(folder: Path, name: str, made: Path, quantization: str | None) -> None:
    try:
        from ctranslate2.converters import TransformersConverter
    except ImportError as error:
        raise MissingExtraError("ctranslate2", "mt", "converting a checkpoint") from error

    class _SafeConverter(TransformersConverter):  # type: ignore[misc]
        """Reads safetensors only, and refuses what lacks weights."""

        def load_model(self, model_class: Any, model_name_or_path: str, **kwargs: Any) -> Any:
            # Where a checkpoint does not say its numbers' type, the converter takes it for the widest.
            dtype = str(kwargs["dtype"] or "float32").removeprefix("torch.")
            return load_model(folder, name, head=model_class.__name__, dtype=dtype, config=kwargs["config"])

        def load_tokenizer(self, tokenizer_class: Any, model_name_or_path: str, **kwargs: Any) -> Any:
            tokenizer = load_tokenizer(folder, name)
            languages = getattr(tokenizer, "lang_token_to_id", None)
            return _WithLanguages(tokenizer, list(languages)) if languages else tokenizer

    try:
        _SafeConverter(str(folder)).convert(str(made), quantization=quantization)
    except (ValueError, OSError, KeyError, AttributeError) as error:
        raise DataError(f"cannot be converted: {error}", file=folder) from error


class _WithLanguages:
    """An M2M-100 tokenizer as the converter expects it: newer transformers no longer list its languages as special."""

    def __init__(self, tokenizer: Any, languages: list[str]) -> None:
        self._tokenizer = tokenizer
        self.special_tokens_map = {**tokenizer.special_tokens_map, "additional_special_tokens": languages}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tokenizer, name)
