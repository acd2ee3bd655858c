"""Checkpoints of transformers that read texts: how they are loaded, and how texts become batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from hesperus.checkpoints import device_of, load_config, load_model, load_tokenizer, required
from hesperus.errors import UsageError

required("hf", "a property evaluator with an encoder")
torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

Tensor = Any

DTYPES = ("auto", "float32", "bfloat16")

_OFFSET_POSITIONS = frozenset(
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer"}
)
"""Architectures that count positions from behind the padding token's number."""

_TOKENS_ON_ACCELERATOR, _TOKENS_ON_CPU = 1 << 15, 1 << 12
"""Tokens of a batch, padding included."""


@dataclass(frozen=True, slots=True)
class Placing:
    """Where a model computes, and in which precision.

    Attributes:
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; ``auto`` takes the first of CUDA, MPS and CPU that is there.
        dtype: ``float32``, or ``bfloat16`` for products (weights stay in float32); ``auto`` takes the latter on CUDA.
    """

    device: str = "auto"
    dtype: str = "auto"


class Place:
    """A device with its precision.

    Raises:
        UsageError: There is no such device or dtype.
    """

    def __init__(self, placing: Placing) -> None:
        if placing.dtype not in DTYPES:
            raise UsageError(f"no dtype {placing.dtype!r}; write {', '.join(DTYPES)}")
        self.device = device_of(placing.device)
        on_cuda = self.device.type == "cuda"
        self.dtype = ("bfloat16" if on_cuda else "float32") if placing.dtype == "auto" else placing.dtype
        self.tokens = _TOKENS_ON_CPU if self.device.type == "cpu" else _TOKENS_ON_ACCELERATOR

    def precision(self) -> Any:
        """A context in which products are made in this precision."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.dtype == "bfloat16")

    def padded(self, rows: Sequence[Sequence[int]], padding: int) -> tuple[Tensor, Tensor]:
        """Tokens and mask of rows, filled up on the right, [rows, tokens]."""
        longest = max(map(len, rows))
        ids = [[*row, *[padding] * (longest - len(row))] for row in rows]
        mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
        return torch.tensor(ids, device=self.device), torch.tensor(mask, device=self.device)


class Tokens:
    """Turns texts into tokens of a checkpoint, the special ones included.

    Args:
        folder: The checkpoint.
        config: Its configuration.
        longest: Tokens at most, however many the encoder could read; None leaves that to the encoder.

    Raises:
        UsageError: Its tokenizer cannot be loaded.
    """

    def __init__(self, folder: Path, config: Any, *, longest: int | None = None) -> None:
        self.tokenizer = load_tokenizer(folder, str(folder))
        given = self.tokenizer.pad_token_id
        self.padding = int(given) if given is not None else 0
        bounds = [longest, _positions(config), _sane(self.tokenizer.model_max_length)]
        self.longest = min(bound for bound in (*bounds, 1 << 16) if bound is not None)

    def rows(self, texts: Sequence[str]) -> tuple[list[list[int]], list[bool]]:
        """Tokens of each text, and whether it was cut."""
        if not texts:
            return [], []
        # Cut by the tokenizer, so that the special token at the end stays; one more shows whether it had to.
        whole = self.tokenizer(list(texts), truncation=True, max_length=self.longest + 1)["input_ids"]
        cut = [len(row) > self.longest for row in whole]
        if not any(cut):
            return [list(row) for row in whole], cut
        short = self.tokenizer(list(texts), truncation=True, max_length=self.longest)["input_ids"]
        return [list(row) for row in short], cut


def configuration(folder: Path) -> Any:
    """The configuration of a checkpoint."""
    config = load_config(folder, str(folder))
    if hasattr(config, "reference_compile"):
        # Compiling costs minutes, and there is nothing to gain from it for a few thousand texts.
        config.reference_compile = False
    return config


def load(
    folder: Path, config: Any, *, head: Literal["AutoModel", "AutoModelForSequenceClassification"]
) -> Any:
    """The model of a checkpoint, in float32, on the CPU, in evaluation mode."""
    # A pooler is not used here, and checkpoints of masked language models have none.
    spared = "pooler" if head == "AutoModel" else None
    return load_model(folder, str(folder), head=head, dtype="float32", config=config, spared=spared).eval()


def batches(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Places of texts in batches of like lengths, so many that a batch with its padding has at most so many tokens."""
    ordered = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    made: list[list[int]] = []
    for place in ordered:
        if made and lengths[made[-1][0]] * (len(made[-1]) + 1) <= tokens:
            made[-1].append(place)
        else:
            made.append([place])
    return made


def _positions(config: Any) -> int | None:
    """Tokens that the positions of an architecture reach."""
    given = getattr(config, "max_position_embeddings", None)
    if not isinstance(given, int) or given <= 0:
        return None
    return given - (config.pad_token_id + 1 if config.model_type in _OFFSET_POSITIONS else 0)


def _sane(given: object) -> int | None:
    """Tokenizers without a bound give a huge number."""
    return given if isinstance(given, int) and 0 < given < 1 << 24 else None
