"""Ways of putting a question other than the atlas's own, trained and held out."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

LETTERS = "ABCD"
MARKS = (". ", ") ", ": ")
NOISE = "abcdefghijklmnopqrstuvwxyz0123456789éßøñжщ中の한กكअ!?*#%&@~^ "


class Wrapping:
    """Draws wrappers from wrappers.yaml.

    Args:
        wrappers: Its content.
        rng: Source of all chance.
    """

    def __init__(self, wrappers: Mapping[str, Mapping[str, Any]], rng: random.Random) -> None:
        self.wrappers, self.rng = wrappers, rng
        self.words = {
            language: sorted(
                {w for key in ("leads", "tails", "unrelated") for t in row[key] for w in t.split()}
            )
            for language, row in wrappers.items()
        }

    def texts(self) -> list[str]:
        """Every trained wording, once."""
        keys = ("pair", "leads", "tails", "choose", "unrelated")
        return [text for row in self.wrappers.values() for key in keys for text in row[key]]

    def open(self, language: str, question: str) -> str:
        """A question with a lead, a tail, both, announced by a word, or bare."""
        row, rng = self.wrappers[language], self.rng
        question = self.roughened(question)
        draw = rng.random()
        if draw < 0.2:
            return question
        if draw < 0.4:
            return self.joined(rng.choice(row["leads"]), question)
        if draw < 0.55:
            return self.joined(question, rng.choice(row["tails"]))
        if draw < 0.65:
            return self.joined(rng.choice(row["leads"]), question, rng.choice(row["tails"]))
        if draw < 0.8:
            first, last = row["pair"]
            return f"{first}: {question}\n{last}:"
        return self.joined(self.noise(language), question, self.noise(language))

    def choice(self, language: str, question: str, options: Sequence[str]) -> str:
        """A question with lettered options, marked in one of several ways, with or without a hint."""
        row, rng = self.wrappers[language], self.rng
        mark = rng.choice(MARKS)
        lines = [letter + mark + text for letter, text in zip(LETTERS, options, strict=True)]
        first, last = row["pair"]
        lead = rng.choice(("", "", rng.choice(row["leads"]), rng.choice(row["choose"]), self.noise(language)))
        tail = rng.choice(("", f"{last}:", rng.choice(row["choose"]), self.noise(language)))
        asked = f"{first}: {question}" if rng.random() < 0.5 else self.roughened(question)
        return "\n".join(part for part in (lead, asked, *lines, tail) if part)

    def unrelated(self, language: str) -> str:
        """A question about something else, sometimes in disorder."""
        if self.rng.random() < 0.7:
            return self.roughened(self.rng.choice(self.wrappers[language]["unrelated"]))
        return self.jumble(language)

    def jumble(self, language: str) -> str:
        """A few words of a language in random order."""
        return " ".join(self.rng.choices(self.words[language], k=self.rng.randint(2, 8)))

    def noise(self, language: str) -> str:
        """Nothing, words in disorder, or random signs: a wrapper that says nothing."""
        draw = self.rng.random()
        if draw < 0.3:
            return ""
        if draw < 0.7:
            return self.jumble(language) + self.rng.choice(("", ".", ":", "…"))
        return "".join(self.rng.choices(NOISE, k=self.rng.randint(2, 16))).strip()

    def roughened(self, text: str) -> str:
        """A text as someone types it: now and then without its mark, or with more of them."""
        draw = self.rng.random()
        if draw < 0.1:
            return text.rstrip("?？؟.。।")
        if draw < 0.14:
            return text + self.rng.choice("!?")
        if draw < 0.18:
            return f" {text} "
        return text

    def joined(self, *parts: str) -> str:
        """Parts in a row, set apart by a blank or a line break."""
        return self.rng.choice((" ", "\n", "\n\n")).join(part for part in parts if part)


def held_out(wrappers: Mapping[str, Mapping[str, Any]], language: str, question: str) -> tuple[str, ...]:
    """The wrappers that are never trained, around a question."""
    row = wrappers[language]["held_out"]
    return (
        f"{row['lead']} {question}",
        f"{question}\n{row['tail']}",
        f"{row['lead']}\n{question}\n{row['tail']}",
    )


def held_out_choice(wrappers: Mapping[str, Mapping[str, Any]], language: str, asked: str) -> str:
    """The hint that is never trained, under a question with its options."""
    return f"{asked}\n{wrappers[language]['held_out']['choose']}"
