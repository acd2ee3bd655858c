"""A model begins from the weights of the version before: layers as they were, vectors by token."""

from __future__ import annotations

import pytest
import torch
from pocket.building import load_recipe, make_tokenizer
from pocket.network import Network, Shape
from pocket.starting import EMBEDDING, START, start_from
from pocket.truth import load_coverage
from pocket.world import World
from safetensors.torch import load
from tokenizers import Tokenizer

from hesperus.models.pocket import SIZES, WEIGHTS


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return make_tokenizer(World(load_coverage().languages), load_recipe())


@pytest.mark.parametrize("size", SIZES)
def test_the_tokenizer_that_ships_is_the_one_that_is_made(size: str, tokenizer: Tokenizer) -> None:
    shipped = Tokenizer.from_file(str(WEIGHTS / size / "tokenizer.json"))
    assert shipped.to_str() == tokenizer.to_str()


@pytest.mark.parametrize("size", SIZES)
def test_layers_and_known_tokens_are_taken_over(size: str, tokenizer: Tokenizer) -> None:
    recipe = load_recipe()
    shape = Shape(vocab_size=tokenizer.get_vocab_size(), **recipe.shapes[size])
    fresh, network = Network(shape, recipe.seed), Network(shape, recipe.seed)
    kept = start_from(network, tokenizer, size)
    before = load((START / size / "model.safetensors").read_bytes())
    old = Tokenizer.from_file(str(START / "tokenizer.json"))
    assert 2000 < kept < tokenizer.get_vocab_size()
    for name, tensor in network.state_dict().items():
        if name != EMBEDDING:
            assert torch.equal(tensor, before[name].float()), name
    vectors, first = network.state_dict()[EMBEDDING], fresh.state_dict()[EMBEDDING]
    chile, renamed = tokenizer.token_to_id("Chile"), tokenizer.token_to_id("盾")
    assert torch.equal(vectors[chile], before[EMBEDDING][old.token_to_id("Chile")].float())
    assert old.token_to_id("盾") is None and torch.equal(vectors[renamed], first[renamed])
