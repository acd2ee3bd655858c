"""What benchmarks of models in this process are made of: a checkpoint, questions, the time that work takes, and what it computes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from hesperus.types import Prompt, Request

WORDS, ENDS = 32000, 800
"""Tokens, each a word, and how many of them end a reply."""

SHAPES = {"small": (512, 1376, 8, 8, 4), "1b": (2048, 8192, 16, 32, 8), "8b": (4096, 14336, 32, 32, 8)}
"""Width, inner width, layers, heads, heads of keys and values."""


@dataclass(frozen=True)
class Case:
    """Questions of one kind.

    Attributes:
        name: Of the kind.
        before: Tokens that all questions begin with.
        options: How many each has.
        tokens: Fewest and most tokens of an option.
    """

    name: str
    before: int
    options: int
    tokens: tuple[int, int]

    def requests(self, count: int, rng: np.random.Generator) -> list[Request]:
        """Questions of the kind."""
        begun = words(self.before, rng)
        letters = tuple(f" w{1 + n}" for n in range(self.options))
        made = []
        for _ in range(count):
            text = f"{begun} {words(int(rng.integers(40, 160)), rng)}"
            lengths = rng.integers(self.tokens[0], self.tokens[1] + 1, self.options)
            options = letters if self.tokens[1] == 1 else tuple(f" {words(int(n), rng)}" for n in lengths)
            made.append(Request("x", Prompt(text), options=options))
        return made


CASES = (
    Case("4 letters", 30, 4, (1, 1)),
    Case("4 letters after five examples", 400, 4, (1, 1)),
    Case("4 texts", 30, 4, (2, 12)),
    Case("10 texts after five examples", 400, 10, (2, 12)),
)


def words(count: int, rng: np.random.Generator) -> str:
    """Words of no meaning, none of which ends a reply."""
    return " ".join(f"w{n}" for n in rng.integers(20, WORDS - ENDS, count))


def checkpoint(folder: Path, shape: str, device: str, dtype: str) -> Path:
    """A Llama of random weights whose tokens are whole words; the last of them end a reply."""
    raw = Tokenizer(
        models.WordLevel({f"w{n}": n for n in range(WORDS)} | {"<unk>": WORDS}, unk_token="<unk>")
    )
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    held = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="<unk>", pad_token="<unk>", eos_token=f"w{WORDS - 1}"
    )
    held.save_pretrained(folder)
    torch.manual_seed(0)
    width, inner, layers, heads, kept = SHAPES[shape]
    config = transformers.LlamaConfig(
        vocab_size=WORDS + 1, hidden_size=width, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=kept, max_position_embeddings=2048, initializer_range=0.05, eos_token_id=None, bos_token_id=None,
    )  # fmt: skip
    torch.set_default_dtype(getattr(torch, dtype))
    with torch.device(device):
        made = transformers.LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    made.generation_config.eos_token_id = list(range(WORDS - ENDS, WORDS))
    made.save_pretrained(folder)
    return folder


def timed(work: Callable[[], Any], device: str) -> tuple[float, float, Any]:
    """Seconds of the processor and of the clock, and what came out."""
    done = getattr(torch, device.partition(":")[0]).synchronize
    done()
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    done()
    return time.process_time() - cpu, time.perf_counter() - wall, found


def matrix_rate(device: str, dtype: str) -> float:
    """Operations a second of the product of two large matrices: the best of five."""
    size = 1024 if device == "cpu" else 8192
    one, other = torch.randn(2, size, size, device=device, dtype=getattr(torch, dtype))
    best = min(timed(lambda: one @ other, device)[1] for _ in range(6))
    return float(2 * size**3 / best)


class Counted:
    """Tokens that go through a model, and through its output head.

    Args:
        model: Of transformers.
    """

    def __init__(self, model: Any) -> None:
        self._body, self._head = 0, 0
        head = model.get_output_embeddings()
        self._of_head = head.weight.numel()
        inside = sum(weight.numel() for weight in model.parameters())
        self._of_body = inside - self._of_head - model.get_input_embeddings().weight.numel()
        model.get_input_embeddings().register_forward_pre_hook(self._read)
        head.register_forward_pre_hook(self._wrote)

    def _read(self, module: Any, given: tuple[Any, ...]) -> None:
        self._body += given[0].numel()

    def _wrote(self, module: Any, given: tuple[Any, ...]) -> None:
        self._head += given[0].shape[:-1].numel()

    def taken(self) -> float:
        """Operations of the products of weights and tokens since the last time."""
        found = 2.0 * (self._of_body * self._body + self._of_head * self._head)
        self._body, self._head = 0, 0
        return found
