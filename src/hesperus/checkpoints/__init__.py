"""Checkpoints of transformers: where they lie, whether they may be loaded, and how they are loaded.

Weights are taken from safetensors only, no code that comes with a checkpoint is run, and missing weights are an error.
No library is loaded before `load_…` or `device_of` is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.checkpoints.loading import device_of, load_config, load_model, load_tokenizer
    from hesperus.checkpoints.places import Checkpoint, Source, locate, required, source_of

__all__ = [
    "Checkpoint", "Source", "device_of", "load_config", "load_model", "load_tokenizer", "locate", "required",
    "source_of",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
