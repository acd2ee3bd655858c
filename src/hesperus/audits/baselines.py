"""What answers itself: how far one gets with the items alone, knowing nothing.

An item whose right option shares a name with the question, is the longest, or is the right one wherever it occurs tests
no knowledge, and two runs that follow such a hint agree in every language. Each baseline looks at one hint and guesses
by it; where it cannot tell options apart, it shares its guess among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from hesperus.audits.finding import Items
from hesperus.normalization import comparable
from hesperus.tasks.definition import LETTERS
from hesperus.types import Item

BASELINES: Mapping[str, str] = MappingProxyType(
    {
        "shared_string": "the option with the longest string in common with the question's own words",
        "options_only": "the option that is right most often in the other items, without the question",
        "longest_option": "the longest option",
        "majority_label": "always the letter or label that is right most often",
    }
)
"""The baselines, in the order in which they are reported, and what each guesses."""

SAMPLE, USUAL = 100, 0.1
"""A string that is in more than this share of so many questions of the language is no question's own."""


@dataclass(frozen=True, slots=True)
class Guesses:
    """What a baseline guesses in a language.

    Attributes:
        baseline: One of BASELINES.
        language: BCP-47 tag.
        items: Ids of the items that have a gold among their labels, in order.
        labels: For each, the labels that the baseline cannot tell apart, best of all; one where it decides.
        golds: For each, the right label.
        chance: For each, the chance of a blind guess.
    """

    baseline: str
    language: str
    items: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    golds: tuple[str, ...]
    chance: tuple[Fraction, ...]

    @property
    def right(self) -> tuple[Fraction, ...]:
        """For each item, the chance that the guess is right, from 0 to 1."""
        return tuple(
            Fraction(gold in labels, len(labels))
            for labels, gold in zip(self.labels, self.golds, strict=True)
        )


def baseline_guesses(items: Items, labels: Sequence[str] = ()) -> tuple[Guesses, ...]:
    """Guess every item that has a gold, language by language.

    Given back by language, then in the order of BASELINES; nothing of a language without any gold. Items without
    options get the majority label alone; of a language where some have options, those without are left out.
    """
    return tuple(found for tag, many in items.items() for found in _of_language(tag, many, tuple(labels)))


def _of_language(tag: str, many: Sequence[Item], labels: tuple[str, ...]) -> list[Guesses]:
    lettered = [item for item in many if item.options and _place(item) is not None]
    if not lettered:
        return _majority(tag, [item for item in many if item.gold in labels], labels)
    rights = Counter(_key(item, _gold(item)) for item in lettered)
    own = _OwnWords(lettered)
    scores: dict[str, Callable[[Item], list[int]]] = {
        "shared_string": lambda item: [own.shared(option, item) for option in item.options or ()],
        "options_only": lambda item: [
            rights[_key(item, place)] - (_key(item, place) == _key(item, _gold(item)))
            for place in range(len(item.options or ()))
        ],
        "longest_option": lambda item: [len(comparable(option)) for option in item.options or ()],
    }
    return [
        Guesses(
            baseline=name,
            language=tag,
            items=tuple(item.id for item in lettered),
            labels=tuple(_best(score(item)) for item in lettered),
            golds=tuple(LETTERS[_gold(item)] for item in lettered),
            chance=tuple(Fraction(1, len(item.options or ())) for item in lettered),
        )
        for name, score in scores.items()
    ] + _majority(tag, lettered, ())


def _majority(tag: str, many: Sequence[Item], labels: tuple[str, ...]) -> list[Guesses]:
    if not many:
        return []
    golds = tuple(item.gold or "" for item in many)
    counts = Counter(golds)
    most = max(counts.values())
    best = tuple(sorted(label for label, count in counts.items() if count == most))
    return [
        Guesses(
            baseline="majority_label",
            language=tag,
            items=tuple(item.id for item in many),
            labels=(best,) * len(many),
            golds=golds,
            chance=tuple(Fraction(1, len(item.options or labels)) for item in many),
        )
    ]


def _place(item: Item) -> int | None:
    """Place of the right option; None if gold is no letter of the item's options."""
    count = min(len(item.options or ()), len(LETTERS))
    place = LETTERS.find(item.gold) if item.gold and len(item.gold) == 1 else -1
    return place if 0 <= place < count and count > 1 else None


def _gold(item: Item) -> int:
    place = _place(item)
    assert place is not None
    return place


def _key(item: Item, place: int) -> str:
    """The text of an option, as it is compared with those of other items."""
    return comparable((item.options or ())[place])


def _best(scores: Sequence[int]) -> tuple[str, ...]:
    most = max(scores)
    return tuple(letter for letter, score in zip(LETTERS, scores, strict=False) if score == most)


class _OwnWords:
    """What the questions of a language have of their own, besides the words that all of them are put in.

    Args:
        items: The items of the language.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        step = max(1, len(items) // SAMPLE)
        self.others = [_text(item) for item in items[::step]]
        self.most = max(1.0, USUAL * len(self.others))
        self._usual: dict[str, bool] = {}

    def shared(self, option: str, item: Item) -> int:
        """Letters of the longest string that an option has in common with the item's own words."""
        wanted, text, longest = comparable(option), _text(item), 0
        for start in range(len(wanted)):
            size = longest
            while start + size < len(wanted) and wanted[start : start + size + 1] in text:
                size += 1
            if size > longest and not self.usual(wanted[start : start + size]):
                longest = size
        return longest

    def usual(self, string: str) -> bool:
        """Whether a string is in so many questions that it tells nothing of one."""
        if string not in self._usual:
            self._usual[string] = sum(string in text for text in self.others) > self.most
        return self._usual[string]


def _text(item: Item) -> str:
    return "\n".join(map(comparable, item.fields.values()))
