"""The bi-encoder: two encoders read a seeker's post and the response, and the response attends to the post.

As published: the first token of the response attends to all tokens of the post (one head, scaled dot product), what it
finds is added to it, and two layers on top of it decide. The post's encoder is not tuned, unless wished. Two things are
otherwise: padding is not attended to, and there is no second task of marking the words that are the reason.

Reference: Sharma, Miner, Atkins and Althoff (2020), A Computational Approach to Understanding Empathy Expressed in
Text-Based Mental Health Support, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from hesperus.errors import DataError
from hesperus.evaluators.properties.encoders import (
    Place,
    Placing,
    Tensor,
    Tokens,
    batches,
    configuration,
    torch,
    transformers,
)
from hesperus.evaluators.properties.folder import Manifest
from hesperus.evaluators.properties.profiles import PRESENCE, Classifier, Levels
from hesperus.fingerprint import JSON, fingerprint

storage: Any = import_module("safetensors.torch")

ENCODER, SEEKER = "encoder", "seeker.safetensors"
"""Folder of the configuration and the tokenizer; weights of a post's encoder that all properties share."""

_CLASSES = 2
_SPREAD = 0.02
"""Standard deviation of weights before training, as in the encoders' own."""


@dataclass(frozen=True, slots=True)
class Dropout:
    """Shares of numbers that are dropped in training; the published values.

    Attributes:
        found: Of what attention gives.
        attention: Of its weights.
        head: Before each layer of the head.
    """

    found: float = 0.2
    attention: float = 0.1
    head: float = 0.1


NONE_DROPPED = Dropout(0.0, 0.0, 0.0)


def head(width: int, generator: Any) -> Any:
    """Attention and the two layers on top, with weights drawn from the generator.

    `width` is the numbers per token of the encoders.
    """
    layers = torch.nn.ModuleDict(
        {name: torch.nn.Linear(width, width) for name in ("query", "key", "value", "found", "dense")}
    )
    layers["decide"] = torch.nn.Linear(width, _CLASSES)
    for layer in layers.values():
        torch.nn.init.normal_(layer.weight, std=_SPREAD, generator=generator)
        torch.nn.init.zeros_(layer.bias)
    return layers


def logits(layers: Any, response: Tensor, post: Tensor, post_mask: Tensor, dropout: Dropout) -> Tensor:
    """What the head makes of both texts.

    Args:
        layers: See head.
        response: Of the first token, [rows, 1, width].
        post: Of every token, [rows, tokens, width].
        post_mask: 1 if there is a token, [rows, tokens].
        dropout: What to drop.

    Returns:
        Absent and present, [rows, 2].
    """
    drop = torch.nn.functional.dropout
    scores = layers["query"](response) @ layers["key"](post).transpose(1, 2) / sqrt(post.shape[-1])
    scores = scores.float().masked_fill(post_mask[:, None, :] == 0, float("-inf"))
    weights = drop(scores.softmax(dim=-1), dropout.attention, training=dropout.attention > 0.0)
    attended = layers["found"](weights.to(post.dtype) @ layers["value"](post))
    first = (response + drop(attended, dropout.found, training=dropout.found > 0.0))[:, 0]
    dropped = drop(first, dropout.head, training=dropout.head > 0.0)
    inner = torch.relu(layers["dense"](dropped))
    return layers["decide"](drop(inner, dropout.head, training=dropout.head > 0.0)).float()


def read(encoder: Any, ids: Tensor, mask: Tensor) -> Tensor:
    """The last hidden states of an encoder, [rows, tokens, width]."""
    return encoder(input_ids=ids, attention_mask=mask).last_hidden_state


@dataclass(slots=True)
class Network:
    """A classifier of one property.

    Attributes:
        seeker: Encoder of the post; the same object in every network where it was not tuned.
        response: Encoder of the response.
        layers: See head.
    """

    seeker: Any
    response: Any
    layers: Any


@dataclass(frozen=True, slots=True)
class Reader:
    """What reads pairs of texts: tokens and a place to compute."""

    tokens: Tokens
    place: Place

    def predict(
        self, networks: Sequence[Network], posts: Sequence[str], responses: Sequence[str]
    ) -> tuple[Levels, int]:
        """Levels of each network's property, [pairs, networks], and how many pairs were cut."""
        post_rows, post_cut = self.tokens.rows(posts)
        rows, cut = self.tokens.rows(responses)
        found: Levels = np.zeros((len(rows), len(networks)), dtype=np.int32)
        lengths = [len(a) + len(b) for a, b in zip(post_rows, rows, strict=True)]
        for batch in batches(lengths, self.place.tokens):
            post = self.place.padded([post_rows[place] for place in batch], self.tokens.padding)
            ids = self.place.padded([rows[place] for place in batch], self.tokens.padding)
            with torch.inference_mode(), self.place.precision():
                seen: dict[int, Tensor] = {}
                for column, network in enumerate(networks):
                    shared = id(network.seeker)
                    if shared not in seen:
                        seen[shared] = read(network.seeker, *post)
                    first = read(network.response, *ids)[:, :1]
                    made = logits(network.layers, first, seen[shared], post[1], NONE_DROPPED)
                    found[batch, column] = made.argmax(dim=-1).cpu().numpy()
        return found, sum(a or b for a, b in zip(post_cut, cut, strict=True))


def load_bi_encoder(folder: Path, manifest: Manifest, placing: Placing, *, name: str) -> Classifier:
    """The bi-encoder of a folder: which properties each text has as a response to its context."""
    longest = manifest.settings.get("max_tokens")
    if not isinstance(longest, int) or longest < 1:
        raise DataError("is no number of tokens", file=folder, field="settings.max_tokens")
    lacking = [
        f
        for f in (*map(weights_file, manifest.properties), f"{ENCODER}/config.json")
        if f not in manifest.files
    ]
    if lacking:
        raise DataError(f"names no {', '.join(lacking)}", file=folder, field="files")
    config = configuration(folder / ENCODER)
    place = Place(placing)
    tokens = Tokens(folder / ENCODER, config, longest=longest)
    shared = _empty(config) if SEEKER in manifest.files else None
    if shared is not None:
        _take(shared, _tensors(folder / SEEKER), folder / SEEKER)
        shared.to(place.device)
    networks = {}
    for each in manifest.properties:
        path = folder / weights_file(each)
        held = _tensors(path)
        network = Network(shared or _empty(config), _empty(config), head(_width(config), torch.Generator()))
        parts = {"response": network.response, "layers": network.layers}
        for part, module in (parts if shared is not None else {**parts, "seeker": network.seeker}).items():
            own = {k.removeprefix(f"{part}."): v for k, v in held.items() if k.startswith(f"{part}.")}
            _take(module, own, path)
            module.to(place.device).eval()
        networks[each] = network
    reader = Reader(tokens, place)
    identity: dict[str, JSON] = {
        "evaluator": "bi_encoder", "name": name, "weights": fingerprint(dict(manifest.files)), "dtype": place.dtype,
        "max_tokens": tokens.longest,
    }  # fmt: skip
    return Classifier(
        name, dict.fromkeys(networks, PRESENCE), identity,
        lambda texts, posts: reader.predict(list(networks.values()), posts, texts), needs_context=True,
    )  # fmt: skip


def weights_file(property: str) -> str:
    """Name of the file with the weights of a property."""
    return f"{property}.safetensors"


def _width(config: Any) -> int:
    return int(config.hidden_size)


def _empty(config: Any) -> Any:
    """An encoder of the configuration, to be filled with weights."""
    return transformers.AutoModel.from_config(config, trust_remote_code=False).float().eval()


def _tensors(path: Path) -> dict[str, Tensor]:
    broken = import_module("safetensors").SafetensorError
    try:
        held: dict[str, Tensor] = storage.load_file(path)
    except (OSError, ValueError, broken) as error:
        raise DataError(f"cannot be read: {error}", file=path) from None
    return held


def _take(module: Any, held: Mapping[str, Tensor], path: Path) -> None:
    try:
        module.load_state_dict(held, strict=True)
    except RuntimeError as error:
        raise DataError(
            f"does not fit the encoder of its folder: {' '.join(str(error).split())[:300]}", file=path
        ) from None
