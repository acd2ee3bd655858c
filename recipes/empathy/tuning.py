"""Training of the bi-encoder: AdamW with a falling learning rate, seeded, on any device."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

from hesperus.checkpoints import locate, source_of
from hesperus.errors import ModelError, UsageError
from hesperus.evaluators.properties.bi_encoder import (
    ENCODER,
    SEEKER,
    Dropout,
    Network,
    Reader,
    head,
    logits,
    read,
    weights_file,
)
from hesperus.evaluators.properties.encoders import (
    Place,
    Placing,
    Tensor,
    Tokens,
    configuration,
    load,
    torch,
)
from hesperus.evaluators.properties.folder import Kind
from hesperus.evaluators.properties.profiles import Levels
from hesperus.fingerprint import JSON, file_hash, fingerprint, signature
from recipes.empathy.epitome import Example
from recipes.empathy.search import Point, ProgressCallback
from recipes.empathy.writing import write_tensors

DEFAULT_ENCODER = "answerdotai/ModernBERT-large"
"""The best of the four encoders that the paper tried."""


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """How a bi-encoder is trained. Rates and epochs are those that the paper searched; the rest is as published.

    Attributes:
        rates: Learning rates to try.
        epochs: Numbers of epochs to try; the rate falls to 0 over each.
        batch_size: Pairs of a step.
        max_tokens: Longest text in tokens; longer ones are cut.
        tune_seeker: Whether the post's encoder learns, too.
        clip: Largest norm of a step's gradient.
        dropout: What is dropped.
        version: Of the procedure; rises whenever it may come out otherwise.
    """

    rates: tuple[float, ...] = (1e-5, 2.5e-5, 5e-5, 7.5e-5, 1e-4)
    epochs: tuple[int, ...] = (5, 10, 15, 20)
    batch_size: int = 32
    max_tokens: int = 512
    tune_seeker: bool = False
    clip: float = 1.0
    dropout: Dropout = Dropout()
    version: int = 1

    def __post_init__(self) -> None:
        if not self.rates or any(not (isfinite(rate) and rate > 0.0) for rate in self.rates):
            raise UsageError(f"learning rates are above 0, not {self.rates}")
        if not self.epochs or min(*self.epochs, self.batch_size) < 1:
            raise UsageError("epochs and the batch size are 1 or more")
        if self.max_tokens < 3:
            raise UsageError(f"texts need 3 tokens or more, two of them special, not {self.max_tokens}")


class BiEncoderTrainer:
    """Fits a bi-encoder to one property.

    Args:
        encoder: Folder or ``ORG/NAME[@REVISION]`` of an encoder of transformers; both texts begin with it.
        settings: How it is trained.
        placing: Device and precision.

    Raises:
        UsageError: There is no such encoder, it cannot be loaded as one, or there is no such device.
    """

    kind: Kind = "bi_encoder"

    def __init__(
        self,
        encoder: str = DEFAULT_ENCODER,
        settings: TuningSettings = TuningSettings(),  # noqa: B008
        *,
        placing: Placing = Placing(),  # noqa: B008
    ) -> None:
        checkpoint = locate(source_of(encoder, prefix="hf/", bare_folders=True))
        self.settings = settings
        self._config = configuration(checkpoint.folder)
        _refuse_decoders(self._config, encoder)
        place = Place(placing)
        tokens = Tokens(checkpoint.folder, self._config, longest=settings.max_tokens)
        self._reader = Reader(tokens, place)
        self._base = load(checkpoint.folder, self._config, head="AutoModel")
        self._seeker = copy.deepcopy(self._base).to(place.device) if not settings.tune_seeker else None
        self._weights = _weights(checkpoint.folder)
        self._source = checkpoint.origin
        self.grid: tuple[Point, ...] = tuple(
            {"rate": rate, "epochs": epochs} for rate in settings.rates for epochs in settings.epochs
        )

    def signature(self) -> dict[str, JSON]:
        """The encoder with the hash of its weights, the settings and the precision."""
        return {
            "trainer": self.kind,
            "encoder": self._source,
            "encoder_weights": self._weights,
            "dtype": self._reader.place.dtype,
            **signature(self.settings),
        }

    def manifest_settings(self) -> dict[str, JSON]:
        """How long texts may be."""
        return {"max_tokens": self._reader.tokens.longest}

    def save_shared(self, folder: Path) -> list[str]:
        """Write configuration and tokenizer, and the post's encoder where all properties share it."""
        self._config.save_pretrained(folder / ENCODER)
        self._reader.tokens.tokenizer.save_pretrained(folder / ENCODER)
        files = sorted(f"{ENCODER}/{path.name}" for path in (folder / ENCODER).iterdir() if path.is_file())
        if self._seeker is not None:
            write_tensors({"": self._seeker}, folder / SEEKER)
            files.append(SEEKER)
        return files

    def fit(
        self, examples: Sequence[Example], point: Point, *, seed: int, watch: ProgressCallback | None = None
    ) -> TrainedBiEncoder:
        """Fit to examples.

        The same seed, machine and device give the same weights on a CPU; other devices add in no fixed order.

        Raises:
            ModelError: The loss is no longer finite.
        """
        device, epochs = self._reader.place.device, int(point["epochs"])
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed(seed)
            network = self._network(seed)
            steps = _Steps(network, self.settings, rate=float(point["rate"]))
            batches = _Batches(self._reader, examples, size=self.settings.batch_size, seed=seed)
            total = epochs * len(batches)
            losses: list[float] = []
            for epoch in range(epochs):
                sums = torch.zeros((), device=device)
                for number, (post, ids, present) in enumerate(batches):
                    with self._reader.place.precision():
                        loss = self._loss(network, post, ids, present)
                    steps.take(loss, share=1.0 - (epoch * len(batches) + number) / total)
                    sums += loss.detach()
                losses.append(float(sums) / len(batches))
                if not isfinite(losses[-1]):
                    raise ModelError(
                        f"the loss is no longer finite at a learning rate of {point['rate']:g}; try lower rates"
                    )
                if watch is not None:
                    watch(f"loss {losses[-1]:.3f}", epoch + 1, epochs)
        for module in (network.response, network.layers, network.seeker):
            module.eval()
        return TrainedBiEncoder(network, self._reader, tuple(losses), self._seeker is None)

    def _network(self, seed: int) -> Network:
        """Both encoders as they came, and a new head."""
        device = self._reader.place.device
        response = copy.deepcopy(self._base).to(device).train()
        seeker = self._seeker if self._seeker is not None else copy.deepcopy(self._base).to(device).train()
        layers = head(int(self._config.hidden_size), torch.Generator().manual_seed(seed))
        return Network(seeker, response, layers.to(device))

    def _loss(
        self, network: Network, post: tuple[Tensor, Tensor], ids: tuple[Tensor, Tensor], present: Tensor
    ) -> Tensor:
        with torch.set_grad_enabled(self._seeker is None):
            seen = read(network.seeker, *post)
        first = read(network.response, *ids)[:, :1]
        made = logits(network.layers, first, seen, post[1], self.settings.dropout)
        return torch.nn.functional.cross_entropy(made, present)


@dataclass(frozen=True, slots=True)
class TrainedBiEncoder:
    """A fitted bi-encoder.

    Attributes:
        network: Its weights.
        reader: Reads pairs.
        losses: Mean loss of each epoch.
        own_seeker: Whether the post's encoder was tuned, so that it is saved with the rest.
    """

    network: Network
    reader: Reader
    losses: tuple[float, ...]
    own_seeker: bool

    def predict(self, examples: Sequence[Example]) -> Levels:
        """Levels of the property, [examples]."""
        posts, texts = [example.context for example in examples], [example.text for example in examples]
        found, _ = self.reader.predict([self.network], posts, texts)
        return found[:, 0]

    def save(self, folder: Path, property: str) -> list[str]:
        """Write the weights; returns the names of the files."""
        parts = {"response": self.network.response, "layers": self.network.layers}
        if self.own_seeker:
            parts["seeker"] = self.network.seeker
        write_tensors(parts, folder / weights_file(property))
        return [weights_file(property)]

    def facts(self) -> Mapping[str, JSON]:
        """The loss of each epoch."""
        return {"losses": [round(loss, 6) for loss in self.losses]}


class _Batches:
    """Batches of examples in a new order for every pass, drawn from the seed."""

    def __init__(self, reader: Reader, examples: Sequence[Example], *, size: int, seed: int) -> None:
        self._reader, self._size = reader, size
        self._posts, _ = reader.tokens.rows([example.context for example in examples])
        self._rows, _ = reader.tokens.rows([example.text for example in examples])
        self._present = [example.present for example in examples]
        self._generator = torch.Generator().manual_seed(seed)

    def __len__(self) -> int:
        return -(-len(self._rows) // self._size)

    def __iter__(self) -> Iterator[tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor], Tensor]]:
        order = torch.randperm(len(self._rows), generator=self._generator).tolist()
        place, padding = self._reader.place, self._reader.tokens.padding
        for start in range(0, len(order), self._size):
            batch = order[start : start + self._size]
            yield (
                place.padded([self._posts[row] for row in batch], padding),
                place.padded([self._rows[row] for row in batch], padding),
                torch.tensor([self._present[row] for row in batch], device=place.device),
            )


class _Steps:
    """Steps of AdamW on what learns of a network."""

    def __init__(self, network: Network, settings: TuningSettings, *, rate: float) -> None:
        learning = [network.response, network.layers, *([network.seeker] if settings.tune_seeker else [])]
        self._weights = [weight for module in learning for weight in module.parameters()]
        self._rate, self._clip = rate, settings.clip
        self._optimizer: Any = torch.optim.AdamW(self._weights, lr=rate, eps=1e-8, weight_decay=0.0)

    def take(self, loss: Tensor, *, share: float) -> None:
        """One step, at that share of the learning rate."""
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * share
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._weights, self._clip)
        self._optimizer.step()


def _refuse_decoders(config: Any, name: str) -> None:
    """The first token of a response must see the rest of it."""
    auto = import_module("transformers.models.auto.modeling_auto")
    kind = config.model_type
    causal = kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    masked = kind in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    if getattr(config, "is_encoder_decoder", False) or (causal and not masked):
        raise UsageError(
            f"{name} ({kind}) is a decoder, whose first token sees nothing of the rest; take an encoder such as "
            f"{DEFAULT_ENCODER} or FacebookAI/roberta-base"
        )


def _weights(folder: Path) -> str:
    """A hash of the weights that a training begins with."""
    return fingerprint({path.name: file_hash(path) for path in sorted(folder.glob("model*.safetensors"))})
