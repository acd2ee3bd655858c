"""From documents to weights: batches of like length, AdamW, a fixed number of steps."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from pocket.documents import Document, Writer
from pocket.network import Network
from pocket.recall import MASTERED, STAGES, Recall
from pocket.vocabulary import BOS, BOT, EOS, PAD, USER

POOL = 6000
WARM_UP = 100
FLOOR = 0.02
EXAMINED = 60
"""Lessons on which a skill is examined."""


@dataclass(frozen=True, slots=True)
class Training:
    """Settings of one training.

    Attributes:
        steps: Number of updates.
        rate: Highest learning rate.
        tokens: Most tokens in a batch, padding included.
        first: Most updates of the first lesson (see recall.py), among the steps.
        timed: Whether the lesson's kinds come in by the clock, and not each when the one before is mastered. The
            narrowest model learned its letters so, and not the other way.
        kept_up: Afterwards one lesson for so many documents: what is never practised again is lost.
    """

    steps: int
    rate: float
    tokens: int
    first: int = 0
    timed: bool = False
    kept_up: int = 12


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids, and the positions of those that are to be learned."""

    ids: tuple[int, ...]
    learned: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Right-padded ids (rows, time), and for each answer token its flat place, its id and its row."""

    ids: Tensor
    places: Tensor
    targets: Tensor
    rows: Tensor


class Encoder:
    """Turns documents into examples."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.pad, self.bos, self.eos, self.user, self.bot = (
            tokenizer.token_to_id(token) for token in (PAD, BOS, EOS, USER, BOT)
        )

    def examples(self, documents: Sequence[Document]) -> list[Example]:
        """Encode documents; the loss counts the answer alone, or all of a plain text."""
        turns = [[(document.prompt or "", document.answer), *document.more] for document in documents]
        texts = [text for turn in turns for pair in turn for text in pair]
        codes = iter(self.tokenizer.encode_batch_fast(texts, add_special_tokens=False))
        found = []
        for document, turn in zip(documents, turns, strict=True):
            ids, learned = [self.bos], []
            for _ in turn:
                prompt, answer = next(codes).ids, next(codes).ids
                if document.prompt is not None:
                    ids += [self.user, *prompt, self.bot]
                learned += range(len(ids), len(ids) + len(answer) + 1)
                ids += [*answer, self.eos]
            found.append(Example(tuple(ids), tuple(learned)))
        return found

    def batch(self, examples: Sequence[Example]) -> Batch:
        """Stack examples, padding on the right, where causal attention never looks."""
        width = max(len(example.ids) for example in examples) - 1
        ids = torch.full((len(examples), width), self.pad)
        places, targets, rows = [], [], []
        for row, example in enumerate(examples):
            ids[row, : len(example.ids) - 1] = torch.tensor(example.ids[:-1])
            places += [row * width + position - 1 for position in example.learned]
            targets += [example.ids[position] for position in example.learned]
            rows += [row] * len(example.learned)
        return Batch(ids, torch.tensor(places), torch.tensor(targets), torch.tensor(rows))


def batches(
    writer: Writer, encoder: Encoder, settings: Training, right: Callable[[Sequence[Example]], float]
) -> Iterator[Batch]:
    """Endless batches: the first lesson, then documents in pools, put together by length, and shuffled.

    Args:
        writer: Writes the documents.
        encoder: Encodes them.
        settings: Says how long the first lesson may take; it ends when its last kind is mastered.
        right: Share of the learned tokens of some examples that the network, as it is now, gets right.
    """
    recall = Recall(encoder.tokenizer, writer.rng, again=settings.timed)
    done, stage = 0, 0 if settings.first else len(recall.kinds)
    while True:
        if settings.timed and settings.first:
            stage = sum(done >= share * settings.first for share in STAGES)
        if stage < len(recall.kinds) and done < settings.first:
            pool = [Example(*lesson) for lesson in recall.lessons(POOL // 4, stage)]
        else:
            pool = encoder.examples(writer.documents(POOL))
            pool += [
                Example(*lesson) for lesson in recall.lessons(POOL // settings.kept_up, len(recall.kinds))
            ]
        pool.sort(key=lambda example: len(example.ids))
        cut: list[list[Example]] = [[]]
        for example in pool:
            if (len(cut[-1]) + 1) * len(example.ids) > settings.tokens and cut[-1]:
                cut.append([])
            cut[-1].append(example)
        writer.rng.shuffle(cut)
        for examples in cut:
            yield encoder.batch(examples)
        done += len(cut)
        if not settings.timed and stage < len(recall.kinds) and done < settings.first:
            share = right([Example(*recall.kinds[stage]()) for _ in range(EXAMINED)])
            if share >= MASTERED:
                print(
                    f"  {recall.kinds[stage].__name__} mastered after {done} steps: {share:.3f}", flush=True
                )
                stage += 1


def rate_at(step: int, settings: Training) -> float:
    """Learning rate: a short rise, then a cosine down to a fiftieth."""
    if step < WARM_UP:
        return settings.rate * (step + 1) / WARM_UP
    done = (step - WARM_UP) / max(1, settings.steps - WARM_UP)
    return settings.rate * (FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * done)))


def train(network: Network, writer: Writer, encoder: Encoder, settings: Training) -> None:
    """Train in place, and report on the way."""
    torch.set_num_threads(1)
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=settings.rate, betas=(0.9, 0.98), weight_decay=0.05, fused=True
    )
    source = batches(writer, encoder, settings, lambda examples: share_right(network, encoder, examples))
    began, seen, total = time.perf_counter(), 0, 0.0
    for step in range(settings.steps):
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, settings)
        batch = next(source)
        loss = network.loss(batch.ids, batch.places, batch.targets)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0, foreach=True)
        optimiser.step()
        seen, total = seen + batch.ids.numel(), total + loss.item()
        if (step + 1) % 500 == 0:
            spent = time.perf_counter() - began
            print(
                f"step {step + 1} loss {total / 500:.4f} tokens {seen / 1e6:.1f}M {spent / 60:.1f} min",
                flush=True,
            )
            total = 0.0
        if (step + 1) % 2000 == 0 or step + 1 == settings.steps:
            print("  exact: " + summary(exact_by_kind(network, writer, encoder)), flush=True)


@torch.no_grad()
def share_right(network: Network, encoder: Encoder, examples: Sequence[Example]) -> float:
    """Share of the learned tokens that are the likeliest where they stand."""
    batch = encoder.batch(examples)
    states = network.hidden(batch.ids).flatten(0, 1)[batch.places]
    likeliest = (states @ network.model.embed_tokens.weight.T).argmax(-1)
    return float((likeliest == batch.targets).float().mean())


@torch.no_grad()
def exact_by_kind(
    network: Network, writer: Writer, encoder: Encoder, count: int = 240
) -> Mapping[str, float]:
    """Share of fresh documents of each kind whose whole answer greedy decoding would get right."""
    checker = Writer(writer.world, writer.beliefs, {"open": 1.0}, random.Random(writer.rng.random()))
    result = {}
    for kind in writer.kinds:
        make = getattr(checker, kind.__name__)
        right = 0
        for _ in range(count // 60):
            batch = encoder.batch(encoder.examples([make() for _ in range(60)]))
            states = network.hidden(batch.ids).flatten(0, 1)[batch.places]
            missed = (states @ network.model.embed_tokens.weight.T).argmax(-1) != batch.targets
            right += 60 - len(batch.rows[missed].unique())
        result[kind.__name__] = right / (60 * (count // 60))
    return result


def summary(shares: Mapping[str, float]) -> str:
    """Shares on one line."""
    return " ".join(f"{name} {share:.3f}" for name, share in shares.items())
