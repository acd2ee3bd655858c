"""A loaded model: where it lies, how long its texts may be, and one forward pass with padding.

Padding is on the left, so that what is asked of a row (its last token, its option, its reply) is at the end of
every row. Whether an architecture holds to its attention mask is tried once, on its own weights: one that does not is
given rows of one length only.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from hesperus.checkpoints import Checkpoint, device_of, load_model, load_tokenizer
from hesperus.errors import UsageError
from hesperus.models.hf.memory import Room, is_out_of_memory
from hesperus.models.protocol import Loading

torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

Tensor = Any
Cache = Any

DTYPES = ("auto", "bfloat16", "float16", "float32")

_TOKENS_ON_ACCELERATOR, _TOKENS_ON_CPU = 1 << 15, 1 << 12
"""Tokens of a batch, padding included, to begin with."""

_NEAR, _NEAR_IN_HALF = 1e-4, 3e-2
"""Largest difference of logits, in parts of the largest logit, that rounding makes with and without padding, in single
and in half precision; a mask that is not held to makes more."""


@dataclass(slots=True)
class Pass:
    """What a forward pass gave.

    Attributes:
        logits: Of the last tokens asked for, [rows, kept, vocabulary], float32.
        cache: Keys and values of the rows; None if the architecture keeps none that can be continued.
    """

    logits: Tensor
    cache: Cache


class Runtime:
    """A model of transformers on its device.

    Args:
        checkpoint: What to load.
        loading: Where to, and in which precision.
        name: For messages.

    Raises:
        UsageError: It cannot be loaded: unknown architecture, missing weights, no such device, no room.
    """

    def __init__(self, checkpoint: Checkpoint, loading: Loading, name: str) -> None:
        self.name = name
        self.device = device_of(loading.device)
        self.tokenizer = load_tokenizer(checkpoint.folder, name)
        if loading.dtype not in DTYPES:
            raise UsageError(f"no dtype {loading.dtype!r}; write {', '.join(DTYPES)}")
        self.model = load_model(checkpoint.folder, name, head="AutoModelForCausalLM", dtype=loading.dtype)
        config = self.model.config
        self.text_config = config.get_text_config() if hasattr(config, "get_text_config") else config
        try:
            self.model.to(self.device).eval()
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
            raise UsageError(f"{name} does not fit into the memory of {self.device}") from None
        on_cpu = self.device.type == "cpu"
        self.room = Room(_TOKENS_ON_CPU if on_cpu else _TOKENS_ON_ACCELERATOR, name)
        self.stops = self._stops()
        # The checkpoint's own sampling defaults would be mixed into ours.
        self.model.generation_config = transformers.GenerationConfig()
        self._takes = frozenset(inspect.signature(self.model.forward).parameters)

    @property
    def context(self) -> int | None:
        """Longest text in tokens; None if the architecture sets no end."""
        longest = getattr(self.text_config, "max_position_embeddings", None)
        return longest if isinstance(longest, int) and longest > 0 else None

    @property
    def padding(self) -> int:
        """The token that fills rows up. It is masked, so any will do if absent."""
        given = self.tokenizer.pad_token_id
        return int(given) if given is not None and given < self.vocabulary else 0

    @property
    def vocabulary(self) -> int:
        """Width of the logits."""
        return int(self.model.get_input_embeddings().weight.shape[0])

    @cached_property
    def pads(self) -> bool:
        """Whether rows of different lengths give what each gives alone."""
        return self._alike(self._probe_padding)

    @cached_property
    def continues(self) -> bool:
        """Whether a row can be continued from the cache of its beginning, in several ways."""
        return self.pads and self._alike(self._probe_cache)

    def forward(
        self, ids: Tensor, mask: Tensor, *, keep: int, cache: Cache = None, caching: bool = False
    ) -> Pass:
        """One pass over padded rows.

        Args:
            ids: Tokens, [rows, tokens].
            mask: 1 if there is a token, over the cache and then the ids, [rows, cached + tokens].
            keep: Tokens at the end to keep the logits of.
            cache: What an earlier pass gave.
            caching: Whether the cache is wanted.
        """
        given: dict[str, Any] = {"input_ids": ids, "attention_mask": mask, "use_cache": caching}
        if "position_ids" in self._takes:
            given["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        if "logits_to_keep" in self._takes:
            given["logits_to_keep"] = keep
        if cache is not None:
            given["past_key_values"] = cache
        with torch.inference_mode():
            out = self.model(**given)
            return Pass(out.logits[:, -keep:].float(), out.get("past_key_values"))

    def body(self, ids: Tensor, mask: Tensor) -> Any:
        """What the layers below the output head give, hidden states included; arguments as of `forward`."""
        body = self.model.base_model
        given: dict[str, Any] = {"attention_mask": mask, "use_cache": False, "output_hidden_states": True}
        if "position_ids" in inspect.signature(body.forward).parameters:
            given["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)
        return body(input_ids=ids, **given)

    def rows(self, many: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Tokens and mask of rows, padded on the left."""
        longest = max(map(len, many))
        ids = [[self.padding] * (longest - len(row)) + list(row) for row in many]
        mask = [[0] * (longest - len(row)) + [1] * len(row) for row in many]
        return torch.tensor(ids, device=self.device), torch.tensor(mask, device=self.device)

    def tails(self, many: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Tokens and mask of what continues cached rows, filled up on the right: it must follow without a gap."""
        longest = max(map(len, many))
        ids = [list(row) + [self.padding] * (longest - len(row)) for row in many]
        mask = [[1] * len(row) + [0] * (longest - len(row)) for row in many]
        return torch.tensor(ids, device=self.device), torch.tensor(mask, device=self.device)

    def close(self) -> None:
        """Give the memory back."""
        self.model = None
        if self.device.type != "cpu":
            # Parts of a model may refer to each other, and the next one needs the room now.
            gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def _alike(self, differences: Callable[[], float]) -> bool:
        try:
            largest = differences()
        except (AttributeError, IndexError, KeyError, NotImplementedError, TypeError, ValueError):
            return False
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            return False
        halved = self.model.dtype in (torch.float16, torch.bfloat16)
        return largest <= (_NEAR_IN_HALF if halved else _NEAR)

    def _probe_padding(self) -> float:
        """How far the logits of a short row next to a longer one are from those that it has alone."""
        short, long = self._probes()
        return self._gap(self.forward(*self.rows([short, long]), keep=1).logits[0], short)

    def _probe_cache(self) -> float:
        """The same of rows that continue two cached ones, one of them in two ways."""
        short, long = self._probes()
        ids, mask = self.rows([short, long])
        cache = self.forward(ids, mask, keep=1, caching=True).cache
        origins, ways = [0, 0, 1], [long[1:3], long[3:4], long[:2]]
        cache.batch_select_indices(torch.tensor(origins, device=self.device))
        more, there = self.tails(ways)
        found = self.forward(more, torch.cat([mask[origins], there], dim=1), keep=2, cache=cache).logits
        whole = [(short, long)[origin] + way for origin, way in zip(origins, ways, strict=True)]
        return max(self._gap(found[row, len(ways[row]) - 1], whole[row]) for row in range(len(ways)))

    def _gap(self, found: Tensor, alone: Sequence[int]) -> float:
        """Largest difference from the last logits of a row by itself, in parts of the largest of them."""
        right = self.forward(*self.rows([alone]), keep=1).logits[0, 0]
        return float((found.reshape(-1) - right).abs().max() / right.abs().max().clamp(min=1e-12))

    def _probes(self) -> tuple[list[int], list[int]]:
        """A short and a longer row of tokens that are not special, as far as there are so many."""
        special = set(self.tokenizer.all_special_ids)
        plain = [token for token in range(min(self.vocabulary, 4096)) if token not in special]
        spread = [plain[len(plain) * step // 9] for step in range(9)] if plain else [0] * 9
        return spread[:3], spread

    def _stops(self) -> tuple[int, ...]:
        """Tokens that end a reply, by the checkpoint's generation settings and by its tokenizer."""
        found: list[int] = []
        for given in (self.model.generation_config.eos_token_id, self.tokenizer.eos_token_id):
            found += [given] if isinstance(given, int) else list(given or ())
        return tuple(dict.fromkeys(found))
