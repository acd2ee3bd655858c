"""Configuration, tokenizer and weights of a checkpoint in a local folder, and the device they go to.

Importing this loads no library; `hesperus.checkpoints.required` says beforehand which of them is absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from hesperus.checkpoints.places import said
from hesperus.errors import MissingExtraError, UsageError

_FAULTS = (OSError, ValueError, TypeError, KeyError, AttributeError, ImportError, RuntimeError)
_OWN_FAULTS = {"safetensors": "SafetensorError", "huggingface_hub.errors": "StrictDataclassError"}
"""What the libraries raise over files that are damaged, lacking or not theirs; the latter are no kind of the former."""

_FEWEST_WORDS = 8
"""Tokens besides the special ones that even the smallest vocabulary has; those made up without files have up to 2."""


def device_of(name: str) -> Any:
    """The device of that name; ``auto`` takes CUDA, else MPS, else the CPU, and so does ``all`` for where inputs go.

    Raises:
        UsageError: There is no such device here.
    """
    torch: Any = import_module("torch")
    mps = getattr(torch.backends, "mps", None)
    there = {
        "cuda": torch.cuda.is_available(),
        "mps": mps is not None and mps.is_available(),
        "cpu": True,
    }
    if name in ("auto", "all"):
        return torch.device(next(kind for kind, available in there.items() if available))
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UsageError(f"no device {name!r}; write auto, all, cpu, cuda, cuda:1 or mps") from None
    if not there.get(device.type, True):
        raise UsageError(f"this machine (or this build of torch) has no {device.type}; leave the device out")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise UsageError(f"no device {name!r}: there are {torch.cuda.device_count()} of CUDA")
    return device


def load_config(folder: Path, name: str) -> Any:
    """The configuration of a checkpoint.

    Raises:
        UsageError: It has none that can be read.
    """
    with _turned(f"the configuration of {name} cannot be read"):
        return import_module("transformers").AutoConfig.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        )


def load_tokenizer(folder: Path, name: str) -> Any:
    """The tokenizer of a checkpoint.

    Raises:
        MissingExtraError: It needs sentencepiece, which is not installed.
        UsageError: It cannot be loaded, or has no vocabulary.
    """
    failed = f"the tokenizer of {name} cannot be loaded"
    with _turned(failed):
        try:
            tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(
                folder, trust_remote_code=False, local_files_only=True
            )
        except ImportError as error:
            if "sentencepiece" in str(error).lower():
                raise MissingExtraError("sentencepiece", "mt", f"the tokenizer of {name}") from None
            raise
    # Where the files are absent, some architectures get a tokenizer that takes every word for the unknown one.
    if len(tokenizer) - len(set(tokenizer.all_special_ids)) < _FEWEST_WORDS:
        raise UsageError(f"{failed}: no file of it (tokenizer.json, vocab.txt, …) holds a vocabulary")
    return tokenizer


def load_model(
    folder: Path, name: str, *, head: str, dtype: str, config: Any = None, spared: str | None = None, spread: bool = False
) -> Any:  # fmt: skip
    """The model of a checkpoint, on the CPU.

    Args:
        folder: Where it lies.
        name: For messages.
        head: The class of transformers that finds the architecture, such as ``AutoModelForCausalLM``.
        dtype: Name of a type of torch; ``auto`` takes what the checkpoint says.
        config: Configuration to be used in place of the checkpoint's own.
        spared: Part of the names of weights that may be missing, because they are not used.
        spread: Put its layers on all accelerators, and what they have no room for on the CPU.

    Raises:
        UsageError: It cannot be loaded, or lacks weights.
    """
    with _turned(f"{name} cannot be loaded"), _hushed():
        model, found = getattr(import_module("transformers"), head).from_pretrained(
            folder,
            config=config,
            dtype=dtype if dtype == "auto" else getattr(import_module("torch"), dtype),
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
            **({"device_map": "auto"} if spread else {}),
        )
    # Weights that the files lack would be drawn at random, and every number with them.
    lacking = sorted(
        key
        for key in map(str, [*found["missing_keys"], *found["mismatched_keys"]])
        if spared is None or spared not in key
    )
    if lacking:
        raise UsageError(
            f"{name} does not hold the weights that its {type(model).__name__} needs: {len(lacking)} are missing or of "
            f"another shape ({', '.join(lacking[:3])})"
        )
    return model


@contextmanager
def _turned(failed: str) -> Iterator[None]:
    """Turn what the libraries raise into an error of ours that begins with these words."""
    own = (getattr(import_module(place), fault) for place, fault in _OWN_FAULTS.items())
    faults: tuple[type[Exception], ...] = (*_FAULTS, *own)
    try:
        yield
    except faults as error:
        raise UsageError(f"{failed}: {said(error)}") from None


@contextmanager
def _hushed() -> Iterator[None]:
    """Keep progress and warnings of transformers from the terminal."""
    log: Any = import_module("transformers.utils.logging")
    shown, level = log.is_progress_bar_enabled(), log.get_verbosity()
    log.disable_progress_bar()
    # Weights that are there and not needed (a language head) are reported at length, and are no fault.
    log.set_verbosity_error()
    try:
        yield
    finally:
        log.set_verbosity(level)
        if shown:
            log.enable_progress_bar()
