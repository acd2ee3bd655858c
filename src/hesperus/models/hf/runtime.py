"""A loaded model: where it lies, how long its texts may be, and its forward passes: over a tree of rows, or with padding.

Whether an architecture holds to a mask is tried once, on its own weights. One that takes any mask computes rows as a tree
(`hesperus.models.hf.trees`). Others get rows that are padded on the left, so that what is asked of a row is at its end; and
those that do not hold to that mask either get rows of one length only.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from hesperus.checkpoints import Checkpoint, device_of, load_model, load_tokenizer
from hesperus.errors import UsageError
from hesperus.models.hf.caches import Kept, kept_cache, picked
from hesperus.models.hf.memory import Room, is_out_of_memory
from hesperus.models.hf.tree_attention import GIVEN, Rows, rows_of, use
from hesperus.models.hf.trees import Integers, Tokens, Tree, common, tree
from hesperus.models.protocol import Loading

torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

Tensor = Any
Cache = Any

DTYPES = ("auto", "bfloat16", "float16", "float32")

_ON_ACCELERATOR, _ON_CPU = (1 << 15, 512), (1 << 12, 64)
"""Tokens of a pass, padding included, and replies that are written at a time, to begin with."""

_FULL, _SLIDING = "full_attention", "sliding_attention"
"""Kinds of layers, as configurations name them."""

_NEAR, _NEAR_IN_HALF = 1e-4, 0.2
"""Largest difference of logits that rounding makes with and without padding: in single precision, in parts of the largest
logit; in half precision, where deep models round by several hundredths, in parts of what lies between two texts. A mask that is not
held to makes about as much as that."""


_LEAST_PACK, _LEAST_PACK_ON_ACCELERATOR, _PACK_BY_ROWS = 512, 2048, 1 << 14
"""New tokens of a tree, where the model is no wider. Attention is computed between all of them, which at as many tokens as the
model is wide is a sixth of the work; where each row has its own, many more keep an accelerator busy."""


@dataclass(slots=True)
class Grown:
    """What a pass over a tree gave.

    Attributes:
        logits: Of the tokens that were asked for, each once, [kept, vocabulary], float32.
        spots: For each row, where in the logits its tokens from the first wanted one are.
        paths: For each row, where in the cache its tokens are.
        cache: Keys and values of the tree, all rows of it in one.
    """

    logits: Tensor
    spots: list[Integers]
    paths: list[Integers]
    cache: Cache


class Runtime:
    """A model of transformers on its device.

    Args:
        checkpoint: What to load.
        loading: Where to, and in which precision.
        name: For messages.

    Attributes:
        by_rows: Whether attention over a tree is computed row by row, without a mask between all of its tokens.
        spine: The last row of the last tree; its keys and values are kept for the next.

    Raises:
        UsageError: It cannot be loaded: unknown architecture, missing weights, no such device, no room.
    """

    def __init__(self, checkpoint: Checkpoint, loading: Loading, name: str) -> None:
        self.name = name
        self.device = device_of(loading.device)
        self.tokenizer = load_tokenizer(checkpoint.folder, name)
        if loading.dtype not in DTYPES:
            raise UsageError(f"no dtype {loading.dtype!r}; write {', '.join(DTYPES)}")
        spread = loading.device == "all"
        self.model = load_model(
            checkpoint.folder, name, head="AutoModelForCausalLM", dtype=loading.dtype, spread=spread
        )
        config = self.model.config
        self.text_config = config.get_text_config() if hasattr(config, "get_text_config") else config
        try:
            (self.model if spread else self.model.to(self.device)).eval()
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
            raise UsageError(
                f"{name} does not fit into the memory of {self.device}; device all spreads it over several"
            ) from None
        on_cpu = self.device.type == "cpu"
        self.room = Room(*(_ON_CPU if on_cpu else _ON_ACCELERATOR), name)
        self.stops = self._stops()
        # The checkpoint's own sampling defaults would be mixed into ours.
        self.model.generation_config = transformers.GenerationConfig()
        self.by_rows = False
        self.spine: Tokens = ()
        self._spine_states: list[Kept] = []
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
    def branches(self) -> bool:
        """Whether rows can be computed as a tree. If so, it is tried whether they can be without a mask too (`by_rows`)."""
        found = "position_ids" in self._takes and bool(self._windows) and self._alike(self._probe_tree)
        if found and self._is_half and self.device.type == "cuda":
            self._try_by_rows()
        return found

    def _try_by_rows(self) -> None:
        try:
            undo = use(self.model)
        except NotImplementedError:
            return
        self.by_rows = True
        self.by_rows = self._alike(self._probe_tree)
        if not self.by_rows:
            undo()

    @property
    def pack(self) -> int:
        """New tokens of a tree."""
        if self.by_rows:
            return _PACK_BY_ROWS
        least = _LEAST_PACK if self.device.type == "cpu" else _LEAST_PACK_ON_ACCELERATOR
        return max(least, int(getattr(self.text_config, "hidden_size", 0) or 0))

    def forward(self, ids: Tensor, mask: Tensor, *, keep: int) -> Tensor:
        """Logits of padded rows, [rows, kept, vocabulary], float32.

        Args:
            ids: Tokens, [rows, tokens].
            mask: 1 if there is a token, of the same shape.
            keep: Tokens at the end to keep the logits of.
        """
        given: dict[str, Any] = {"input_ids": ids, "attention_mask": mask, "use_cache": False}
        if "position_ids" in self._takes:
            given["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)
        if "logits_to_keep" in self._takes:
            given["logits_to_keep"] = keep
        with torch.inference_mode(), self._kernels():
            return self.model(**given).logits[:, -keep:].float()

    def grow(self, rows: Sequence[Tokens], first: Sequence[int]) -> Grown:
        """One pass over the tree of rows. What the last row before began with too is not computed again.

        Args:
            rows: In the order of `hesperus.models.hf.trees.in_order` after `spine`.
            first: For each row the first token with wanted logits; those of all later tokens are wanted too.
        """
        known = self.spine[: min(common(self.spine, rows[0]), *first)]
        made: Tree = tree(known, rows)
        wanted = np.unique(
            np.concatenate([path[start:] for path, start in zip(made.paths, first, strict=True)])
        )
        cache = kept_cache(picked(self._spine_states, slice(len(known))))
        # Until the pass is over nothing is known: it may end for want of memory.
        self.spine, self._spine_states = (), []
        seen = rows_of(made).on(self.device) if self.by_rows else lambda window: made.seen(window)[None, None]
        logits = self.attended(
            made.ids[None], made.positions[None, len(known) :], seen, cache, keep=wanted - len(known)
        )
        self.spine = rows[-1]
        self._spine_states = picked(cache.layers, made.paths[-1])
        spots = [np.searchsorted(wanted, path[start:]) for path, start in zip(made.paths, first, strict=True)]
        return Grown(logits[0], spots, made.paths, cache)

    def attended(
        self,
        ids: Integers,
        positions: Integers,
        seen: Callable[[int | None], Any] | Rows,
        cache: Cache,
        *,
        keep: Integers,
    ) -> Tensor:
        """Logits of tokens behind a cache, which they enter, [rows, kept, vocabulary], float32.

        Args:
            ids: Tokens, [rows, tokens].
            positions: Position of each token in its text, of the same shape.
            seen: What each token sees of cached and new ones with a window of so many, [rows, 1, tokens, cached + tokens];
                or the rows of a tree.
            cache: Keys and values of `kept_cache`.
            keep: Which tokens to keep the logits of.
        """
        masks = {
            kind: self._no_mask() if isinstance(seen, Rows) else self._mask(seen(window))
            for kind, window in self._windows.items()
        }
        kept = torch.as_tensor(keep)  # the last layer may be on another device than the first
        given: dict[str, Any] = {"logits_to_keep": kept} if "logits_to_keep" in self._takes else {}
        if isinstance(seen, Rows):
            given[GIVEN] = seen
        with torch.inference_mode(), self._kernels():
            logits = self.model(
                input_ids=torch.as_tensor(ids, device=self.device),
                position_ids=torch.as_tensor(positions, device=self.device),
                attention_mask=masks if len(masks) > 1 else next(iter(masks.values())),
                past_key_values=cache,
                use_cache=True,
                **given,
            ).logits
            return (logits if "logits_to_keep" in given else logits[:, kept]).float()

    def _mask(self, seen: Any) -> Tensor:
        seen = torch.as_tensor(seen, device=self.device)
        lowest = torch.finfo(self.model.dtype).min
        return torch.zeros(seen.shape, dtype=self.model.dtype, device=self.device).masked_fill_(~seen, lowest)

    def _kernels(self) -> AbstractContextManager[Any]:
        """Attention without cuDNN, which plans for every shape anew, for longer than it computes; hardly two passes here have one shape."""
        if self.device.type != "cuda":
            return nullcontext()
        attention: Any = import_module("torch.nn.attention")
        kinds = attention.SDPBackend
        found: AbstractContextManager[Any] = attention.sdpa_kernel(
            [kinds.FLASH_ATTENTION, kinds.EFFICIENT_ATTENTION, kinds.MATH]
        )
        return found

    def _no_mask(self) -> Tensor:
        """Stands where a mask would. Who looks at it though gets no number."""
        return torch.full((1, 1, 1, 1), float("nan"), dtype=self.model.dtype, device=self.device)

    @property
    def _is_half(self) -> bool:
        return self.model.dtype in (torch.float16, torch.bfloat16)

    @cached_property
    def _windows(self) -> Mapping[str, int | None]:
        """How far back each kind of layer sees; None if to the beginning. Empty if there are layers of other kinds."""
        window = getattr(self.text_config, "sliding_window", None)
        known = {_FULL: None, _SLIDING: window}
        kinds = set(getattr(self.text_config, "layer_types", None) or [_SLIDING if window else _FULL])
        return {kind: known[kind] for kind in sorted(kinds)} if kinds <= set(known) else {}

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

    def close(self) -> None:
        """Give the memory back."""
        self.model, self.spine, self._spine_states = None, (), []
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
        return largest <= (_NEAR_IN_HALF * self._apart if self._is_half else _NEAR)

    @cached_property
    def _apart(self) -> float:
        """How far the logits of two texts are apart, as `_gap` measures it."""
        short, long = self._probes()
        return self._gap(self.forward(*self.rows([long]), keep=1)[0], short)

    def _probe_padding(self) -> float:
        """How far the logits of a short row next to a longer one are from those that it has alone."""
        short, long = self._probes()
        return self._gap(self.forward(*self.rows([short, long]), keep=1)[0], short)

    def _probe_tree(self) -> float:
        """The same of rows with common beginnings, and of one that goes on where an earlier pass ended."""
        short, long = map(tuple, self._probes())
        rows = [short + long[1:3], short + long[3:4], long[:1] + short]
        gaps = []
        for batch in (rows, [rows[-1] + long[4:6], long]):
            grown = self.grow(batch, [len(row) - 1 for row in batch])
            gaps += [
                self._gap(grown.logits[spots[-1]], row) for spots, row in zip(grown.spots, batch, strict=True)
            ]
        return max(gaps)

    def _gap(self, found: Tensor, alone: Sequence[int]) -> float:
        """Largest difference from the last logits of a row by itself, in parts of the largest of them."""
        right = self.forward(*self.rows([alone]), keep=1)[0, 0]
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
