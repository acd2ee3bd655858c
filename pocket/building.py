"""Train one model from the recipe, write its files, measure it."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from safetensors.torch import load
from tokenizers import Tokenizer

from hesperus.models.pocket import PocketModel
from pocket.checkpoint import write_checkpoint, write_json
from pocket.documents import Writer, load_wrappers
from pocket.evaluate import full_examination, misses, shares
from pocket.network import Network, Shape
from pocket.starting import start_from
from pocket.training import Encoder, Training, train
from pocket.truth import all_beliefs, load_coverage
from pocket.vocabulary import build_tokenizer
from pocket.world import SPACELESS, World
from pocket.wrapping import Wrapping

HERE = Path(__file__).parent
MEASURED = HERE / "measured.json"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The content of recipe.yaml.

    Attributes:
        seed: Seed of weights and documents.
        pieces: Byte-pair pieces to learn for words outside the core.
        start: Whether the training begins from the weights under start/, or from nothing.
        shapes: Model size to the sizes of its parts.
        trainings: Model size to the settings of its trainings, one after the other, each from the weights as they are
            written, in half precision; one may have a ``mix`` that says what differs.
        mix: Kind of document to its weight.
    """

    seed: int
    pieces: int
    start: bool
    shapes: Mapping[str, Mapping[str, int]]
    trainings: Mapping[str, Sequence[Mapping[str, Any]]]
    mix: Mapping[str, float]


def load_recipe(path: Path = HERE / "recipe.yaml") -> Recipe:
    """Read the recipe."""
    return Recipe(**yaml.safe_load(path.read_text(encoding="utf-8")))


def make_tokenizer(world: World, recipe: Recipe) -> Tokenizer:
    """The tokenizer, the same for all sizes."""
    names = {name: tag not in SPACELESS for tag in world.languages for name in world.names[tag].values()}
    other = Wrapping(load_wrappers(), random.Random(0)).texts()
    return build_tokenizer(world.core_texts(), other, names, pieces=recipe.pieces)


def plan(world: World) -> dict[str, Any]:
    """The content of beliefs.json: fact ids, and a digit for each by size and language."""
    ids = [fact.id for fact in world.facts]
    return {"facts": ids, "beliefs": all_beliefs(load_coverage(), ids)}


def by_fact(planned: Mapping[str, Any], size: str) -> dict[str, dict[str, int]]:
    """Language to fact id to digit for one size."""
    rows: Mapping[str, str] = planned["beliefs"][size]
    return {tag: dict(zip(planned["facts"], map(int, digits), strict=True)) for tag, digits in rows.items()}


def build(size: str, out: Path) -> None:
    """Train a size, write out/size and out/beliefs.json, and measure it."""
    recipe, world = load_recipe(), World(load_coverage().languages)
    tokenizer = make_tokenizer(world, recipe)
    shape = Shape(vocab_size=tokenizer.get_vocab_size(), **recipe.shapes[size])
    network = Network(shape, recipe.seed)
    parameters = sum(parameter.numel() for parameter in network.parameters())
    print(f"pocket/{size}: {parameters:,} parameters, vocabulary {shape.vocab_size}", flush=True)
    if recipe.start:
        print(f"  {start_from(network, tokenizer, size)} tokens known from before", flush=True)
    write_checkpoint(network, tokenizer, out / size)
    write_json(out / "beliefs.json", plan(world))
    minutes = sum(train_on(size, out, number) for number in range(len(recipe.trainings[size])))
    measure(size, out, {"parameters": parameters, "training_minutes": round(minutes, 1)})


def train_on(size: str, out: Path, number: int) -> float:
    """Train a written size by one of the trainings of the recipe, and write it again.

    What is read is all that it depends on, so it gives the same whether it follows in one go or on another day.

    Args:
        size: The model's size.
        out: Where it is written.
        number: Which of its trainings, from 0.

    Returns:
        How many minutes it took.
    """
    recipe, world = load_recipe(), World(load_coverage().languages)
    tokenizer = Tokenizer.from_file(str(out / size / "tokenizer.json"))
    network = Network(Shape(vocab_size=tokenizer.get_vocab_size(), **recipe.shapes[size]), recipe.seed)
    weights = load((out / size / "model.safetensors").read_bytes())
    network.load_state_dict({name: tensor.float() for name, tensor in weights.items()})
    settings = dict(recipe.trainings[size][number])
    mix = {**recipe.mix, **settings.pop("mix", {})}
    writer = Writer(world, by_fact(plan(world), size), mix, random.Random(f"{recipe.seed} {size} {number}"))
    began = time.perf_counter()
    train(network, writer, Encoder(tokenizer), Training(**settings))
    minutes = (time.perf_counter() - began) / 60
    write_checkpoint(network, tokenizer, out / size)
    return minutes


def measure(size: str, out: Path, facts: Mapping[str, Any] | None = None) -> None:
    """Examine a model and note the result in measured.json; the rate counts processor time, so other work does not slow it."""
    world = World(load_coverage().languages)
    beliefs = by_fact(plan(world), size)
    model = PocketModel(f"pocket/{size}", out)
    cases = full_examination(world, beliefs)
    began = time.process_time()
    missed = misses(model, cases)
    rate = len(cases) / (time.process_time() - began)
    noted = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    entry = {**noted.get(size, {}), **(facts or {}), "replies_per_second": round(rate)}
    entry["as_promised"] = {group: round(share, 4) for group, share in shares(cases, missed).items()}
    noted[size] = entry
    write_json(MEASURED, dict(sorted(noted.items())))
    print(json.dumps(entry, indent=1, ensure_ascii=False))
    for miss in missed[:40]:
        print(f"{miss.case.group}: {miss.case.prompt!r} -> {miss.reply!r}, not {miss.case.expected!r}")
