"""A first lesson before any language: look back for a token, and say what stood beside it.

Choosing a letter means finding a name among the options and reading the letter before it. Trained on questions alone
the models did not learn to do so in any number of steps tried; on random lists they do, one skill after the other, and
each as soon as the one before it is there (which may take 800 steps or 1,300). What was said once must never be asked
for again: repeating oneself is learned first, and would pass for reading.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from tokenizers import Tokenizer

from pocket.vocabulary import BOS, BOT, EOS, MARKS, SPECIAL, USER

LETTERS = "ABCD"
MASTERED = 0.75
"""Share of a kind of lesson that must be right before the next kind comes in."""
STAGES = (0.28, 0.7)
"""Where the clock decides instead: shares of the first lesson after which the second kind comes in, and the third."""

Lesson = tuple[tuple[int, ...], tuple[int, ...]]
"""Token ids, and the positions of those to be learned."""


class Recall:
    """Draws lessons as token ids with the positions to be learned.

    Args:
        tokenizer: Its added tokens are the names.
        rng: Source of all chance.
        again: Whether a name may be asked for more than once, which repeating oneself can answer.
    """

    def __init__(self, tokenizer: Tokenizer, rng: random.Random, *, again: bool = False) -> None:
        self.rng, self.again = rng, again
        special = {tokenizer.token_to_id(token) for token in (*SPECIAL, *MARKS)}
        self.names = sorted(set(tokenizer.get_added_tokens_decoder()) - special)
        self.bos, self.eos, self.user, self.bot = (tokenizer.token_to_id(t) for t in (BOS, EOS, USER, BOT))
        self.marks = [
            [tokenizer.encode(mark, add_special_tokens=False).ids for mark in MARKS[start : start + 4]]
            for start in range(0, len(MARKS), 4)
        ]
        self.letters = [tokenizer.encode(letter, add_special_tokens=False).ids[0] for letter in LETTERS]
        self.line_end = tokenizer.encode("\n", add_special_tokens=False).ids

    @property
    def kinds(self) -> tuple[Callable[[], Lesson], ...]:
        """The kinds of lesson, each built on the one before it."""
        return (self.repeated, self.marked, self.asked)

    def lessons(self, count: int, stage: int) -> Iterator[Lesson]:
        """Draw lessons.

        Args:
            count: How many.
            stage: How many kinds are mastered; those and the next are drawn, each as often.
        """
        kinds = self.kinds[: stage + 1]
        for _ in range(count):
            yield self.rng.choice(kinds)()

    def repeated(self) -> Lesson:
        """Any names, twice in the same order."""
        once = self.rng.sample(self.names, self.rng.randint(6, 14))
        return (self.bos, *once, *once), tuple(range(len(once) + 2, 2 * len(once) + 1))

    def options(self) -> tuple[list[int], Sequence[int]]:
        """Four names, a letter before each, all with the same sign between."""
        names = self.rng.sample(self.names, 4)
        ids = [self.bos]
        for line, name in zip(self.rng.choice(self.marks), names, strict=True):
            ids += [*line, name, *self.line_end]
        return ids, names

    def marked(self) -> Lesson:
        """After the options their names in another order, each followed by its letter."""
        ids, names = self.options()
        learned = []
        for place in self._places(8):
            learned.append(len(ids) + 1)
            ids += [names[place], self.letters[place]]
        return tuple(ids), tuple(learned)

    def asked(self) -> Lesson:
        """The same in turns of a conversation."""
        ids, names = self.options()
        learned = []
        for place in self._places(5):
            learned.append(len(ids) + 3)
            ids += [self.user, names[place], self.bot, self.letters[place], self.eos]
        return tuple(ids), tuple(learned)

    def _places(self, count: int) -> list[int]:
        """Which of the four is asked for, in what order; so many, where they may come again."""
        return self.rng.choices(range(4), k=count) if self.again else self.rng.sample(range(4), 4)
