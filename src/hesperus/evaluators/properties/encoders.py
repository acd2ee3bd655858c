"""Checkpoints of transformers that read texts: where they lie, how they are loaded, how texts become batches.

Weights are taken from safetensors files only, and no code that comes with a checkpoint is run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from hesperus.errors import MissingExtraError, UsageError

try:
    torch: Any = import_module("torch")
    transformers: Any = import_module("transformers")
except ImportError as _error:
    raise MissingExtraError(str(_error.name), "train", "a property evaluator with an encoder") from None

Tensor = Any

DTYPES = ("auto", "float32", "bfloat16")

_HUB = re.compile(r"(?P<repository>[\w.-]+(?:/[\w.-]+)?)(?:@(?P<revision>[\w./-]+))?")
_WANTED = ("*.json", "*.txt", "*.model", "model*.safetensors")
_OFFSET_POSITIONS = frozenset(
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer"}
)
"""Architectures that count positions from behind the padding token's number."""

_TOKENS_ON_ACCELERATOR, _TOKENS_ON_CPU = 1 << 15, 1 << 12
"""Tokens of a batch, padding included."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder of a checkpoint.

    Attributes:
        folder: Where it lies.
        source: ``ORG/NAME@commit``, or the folder's name.
    """

    folder: Path
    source: str


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
        self.device = _device(placing.device)
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
        try:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, trust_remote_code=False, local_files_only=True
            )
        except (OSError, ValueError, TypeError, KeyError, AttributeError, ImportError) as error:
            raise UsageError(f"the tokenizer of {folder} cannot be loaded: {_excerpt(error)}") from None
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


def locate(name: str) -> Checkpoint:
    """The checkpoint of a folder, or of a repository ``ORG/NAME[@REVISION]``, fetched where the cache lacks it.

    Raises:
        UsageError: Neither exists, the hub cannot be reached, or there are no safetensors weights.
    """
    bare = name.removeprefix("hf/")
    folder = Path(bare).expanduser()
    if folder.is_dir():
        return _checked(Checkpoint(folder, folder.resolve().name), name)
    match = _HUB.fullmatch(bare)
    if match is None or bare.startswith((".", "~")):
        raise UsageError(f"no encoder {name!r}: there is no such folder; write ORG/NAME for one of the hub")
    try:
        fetched = Path(
            import_module("huggingface_hub").snapshot_download(
                match["repository"],
                revision=match["revision"],
                allow_patterns=list(_WANTED),
                ignore_patterns=["*/*"],
            )
        )
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no encoder {name!r}: there is no such folder, and the hub could not give it: {_excerpt(error)}. Without a "
            "network, name the folder of a local copy"
        ) from None
    return _checked(Checkpoint(fetched, f"{match['repository']}@{fetched.name}"), name)


def configuration(folder: Path) -> Any:
    """The configuration of a checkpoint.

    Raises:
        UsageError: It has none that can be read.
    """
    try:
        config = transformers.AutoConfig.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"the configuration of {folder} cannot be read: {_excerpt(error)}") from None
    if hasattr(config, "reference_compile"):
        # Compiling costs minutes, and there is nothing to gain from it for a few thousand texts.
        config.reference_compile = False
    return config


def load(
    folder: Path, config: Any, *, head: Literal["AutoModel", "AutoModelForSequenceClassification"]
) -> Any:
    """The model of a checkpoint, in float32, on the CPU, in evaluation mode.

    Raises:
        UsageError: It cannot be loaded, or lacks weights.
    """
    broken = import_module("safetensors").SafetensorError
    log = transformers.utils.logging
    shown, level = log.is_progress_bar_enabled(), log.get_verbosity()
    log.disable_progress_bar()
    # Weights that are there and not needed (a language head) are reported at length, and are no fault.
    log.set_verbosity_error()
    try:
        model, found = getattr(transformers, head).from_pretrained(
            folder,
            config=config,
            dtype=torch.float32,
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        )
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        ImportError,
        RuntimeError,
        broken,
    ) as error:
        raise UsageError(f"{folder} cannot be loaded: {_excerpt(error)}") from None
    finally:
        log.set_verbosity(level)
        if shown:
            log.enable_progress_bar()
    # A pooler is not used here, and checkpoints of masked language models have none.
    lacking = sorted(
        key for key in map(str, [*found["missing_keys"], *found["mismatched_keys"]])
        if head != "AutoModel" or "pooler" not in key
    )  # fmt: skip
    if lacking:
        raise UsageError(
            f"{folder} does not hold the weights that its {type(model).__name__} needs: {len(lacking)} are missing or of "
            f"another shape ({', '.join(lacking[:3])})"
        )
    return model.eval()


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


def _checked(checkpoint: Checkpoint, name: str) -> Checkpoint:
    folder = checkpoint.folder
    if not (folder / "config.json").is_file():
        raise UsageError(f"{name} has no config.json; a checkpoint of transformers is a folder that has one")
    if not any(folder.glob("model*.safetensors")):
        raise UsageError(
            f"{name} has no safetensors weights, and pickles (.bin) are never loaded; load it where you trust it and save "
            "it again with save_pretrained"
        )
    return checkpoint


def _device(name: str) -> Any:
    mps = getattr(torch.backends, "mps", None)
    there = {"cuda": torch.cuda.is_available(), "mps": mps is not None and mps.is_available(), "cpu": True}
    if name == "auto":
        return torch.device(next(kind for kind, available in there.items() if available))
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UsageError(f"no device {name!r}; write auto, cpu, cuda, cuda:1 or mps") from None
    if not there.get(device.type, True):
        raise UsageError(f"this machine (or this build of torch) has no {device.type}; leave the device out")
    return device


def _positions(config: Any) -> int | None:
    """Tokens that the positions of an architecture reach."""
    given = getattr(config, "max_position_embeddings", None)
    if not isinstance(given, int) or given <= 0:
        return None
    return given - (config.pad_token_id + 1 if config.model_type in _OFFSET_POSITIONS else 0)


def _sane(given: object) -> int | None:
    """Tokenizers without a bound give a huge number."""
    return given if isinstance(given, int) and 0 < given < 1 << 24 else None


def _excerpt(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return said if len(said) <= 300 else f"{said[:300]}…"
