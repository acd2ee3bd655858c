"""Train, dev and test by seeker: all pairs of one post are on one side, the same for every property."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, get_args

from hesperus.errors import DataError
from hesperus.evaluators.properties.epitome import Example, LabelledPairs
from hesperus.measures import wilson
from hesperus.types import Estimate

Side = Literal["train", "dev", "test"]

SIDES: tuple[Side, ...] = get_args(Side)

_ANOTHER = "take another --seed, or more data"


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """How pairs are divided.

    Attributes:
        seed: Another seed gives another split.
        train: Share of the pairs to train on, in (0, 1).
        dev: Share to choose settings on; what is left is for the test.
        version: Of the rule; rises whenever a split may change.
    """

    seed: int = 0
    train: float = 0.75
    dev: float = 0.05
    version: int = 1

    def __post_init__(self) -> None:
        if min(self.train, self.dev) <= 0.0 or self.train + self.dev >= 1.0:
            raise ValueError(
                f"train and dev need shares above 0 and below 1 together, not {self.train}, {self.dev}"
            )


@dataclass(frozen=True, slots=True)
class Balance:
    """How much of a side has a property.

    Attributes:
        side: The side.
        property: The property.
        share: Share of the side's pairs in which it is present, with Wilson's interval.
        present: How many pairs those are.
    """

    side: Side
    property: str
    share: Estimate
    present: int


@dataclass(frozen=True, slots=True)
class Split:
    """Examples by property and side, and how many posts each side holds."""

    examples: Mapping[str, Mapping[Side, tuple[Example, ...]]]
    posts: Mapping[Side, int]

    def balances(self) -> list[Balance]:
        """How much of each side has each property."""
        found = []
        for name, sides in self.examples.items():
            for side in SIDES:
                present = sum(example.present for example in sides[side])
                found.append(Balance(side, name, wilson(present, len(sides[side])), present))
        return found


def split_by_post(pairs: LabelledPairs, settings: SplitSettings = SplitSettings()) -> Split:  # noqa: B008
    """Divide pairs by seeker.

    Posts are put in an order by a hash of the seed and the post, so that neither the order of a file nor another post
    moves them, and the order is cut where the shares of pairs are reached.

    Raises:
        DataError: A side would lack pairs with or without a property.
    """
    weights: Counter[str] = Counter()
    for examples in pairs.examples.values():
        # A post weighs as many pairs as the property has that keeps most of them.
        weights |= Counter(example.post for example in examples)
    ordered = sorted(weights, key=lambda post: _place(post, settings.seed))
    reached = list(accumulate(weights[post] for post in ordered))
    side_of: dict[str, Side] = {}
    for post, pairs_so_far in zip(ordered, reached, strict=True):
        middle = (pairs_so_far - weights[post] / 2) / reached[-1]
        side_of[post] = (
            "train" if middle < settings.train
            else "dev" if middle < settings.train + settings.dev
            else "test"
        )  # fmt: skip
    examples_of = {
        name: {side: tuple(e for e in examples if side_of[e.post] == side) for side in SIDES}
        for name, examples in pairs.examples.items()
    }
    for name, sides in examples_of.items():
        for side in SIDES:
            _refuse_one_class(name, side, sides[side])
    posts = {side: sum(each == side for each in side_of.values()) for side in SIDES}
    return Split(examples_of, posts)


def _place(post: str, seed: int) -> bytes:
    return hashlib.blake2b(f"{seed}\0{post}".encode(), digest_size=16).digest()


def _refuse_one_class(name: str, side: Side, examples: Sequence[Example]) -> None:
    present = sum(example.present for example in examples)
    if 0 < present < len(examples):
        return
    if not examples:
        raise DataError(f"{side} holds no pair for {name}: {_ANOTHER}")
    lacking = "with" if not present else "without"
    raise DataError(
        f"none of the {len(examples)} pairs of {side} is {lacking} {name}, so F1 says nothing there: {_ANOTHER}"
    )
