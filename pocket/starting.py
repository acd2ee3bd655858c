"""Begin from the weights of the version before: what a model can do stays, what it is shown of the world is new.

Reading options, copying a name, translating and rewording are most of what takes long to learn, and none of it depends
on the facts. The layers are taken as they are; a token that both vocabularies hold keeps its vector; every other token
begins as in a fresh network. What was believed before is overwritten by the training, which the tests examine.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load
from tokenizers import Tokenizer

from pocket.network import Network

START = Path(__file__).with_name("start")
EMBEDDING = "model.embed_tokens.weight"


@torch.no_grad()
def start_from(network: Network, tokenizer: Tokenizer, size: str, folder: Path = START) -> int:
    """Take over the weights of the version before, in place.

    Args:
        network: A fresh network of the same shape but for its vocabulary.
        tokenizer: Its tokenizer.
        size: The model's size.
        folder: Holds ``tokenizer.json`` and, for each size, ``model.safetensors``.

    Returns:
        How many tokens kept their vectors.
    """
    before = load((folder / size / "model.safetensors").read_bytes())
    known = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
    pairs = sorted((index, known[token]) for token, index in tokenizer.get_vocab().items() if token in known)
    here, there = (torch.tensor(column) for column in zip(*pairs, strict=True))
    for name, parameter in network.state_dict().items():
        if name == EMBEDDING:
            parameter[here] = before[name][there].to(parameter.dtype)
        else:
            parameter.copy_(before[name])
    return len(pairs)
