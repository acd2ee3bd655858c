"""What a row compares: two sides, and which of the paper's conditions they make."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from hesperus.analysis.table import Row, Table
from hesperus.wording import language_label, parsed, sense_brief, sense_label, target_label

Kind = Literal["T", "I", "X", "repeat", "versions", "other"]

KIND_WORDS = {
    "T": "T: instruction and input",
    "I": "I: instruction only",
    "X": "X: input only",
    "repeat": "same prompt, asked twice",
    "versions": "two whole versions",
    "other": "other pair",
}


# Codes of another tool may hold anything, commas and equal signs among it
_SIDE = re.compile(
    r"instruction=(?P<instruction>.+),input=(?P<input>.+?)(?:,repeat=(?P<repeat>\d+))?", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison, as a row writes it: ``instruction=de_from_en,input=en,repeat=2``."""

    instruction: str
    input: str
    repeat: int = 1

    @classmethod
    def parse(cls, text: str) -> Side:
        """Read a side.

        Raises:
            ValueError: The text is no ``instruction=…,input=…``.
        """
        found = _SIDE.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no side of a comparison: write 'instruction=en,input=de_from_en'")
        return cls(found["instruction"], found["input"], int(found["repeat"] or 1))

    @property
    def label(self) -> str:
        """For people: ``German (de) from English`` or ``instruction …, input …``."""
        if self.instruction == self.input:
            return sense_label(self.input)
        return f"instruction {sense_label(self.instruction)}, input {sense_label(self.input)}"

    @property
    def brief(self) -> str:
        """For narrow terminals: ``German from English``; instruction / input where they differ."""
        if self.instruction == self.input:
            return sense_brief(self.input)
        return f"{sense_brief(self.instruction)} / {sense_brief(self.input)}"

    @property
    def repeated(self) -> str:
        """That it is no first answer: ``, repeat 2``."""
        return f", repeat {self.repeat}" if self.repeat != 1 else ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A comparison.

    Attributes:
        a: The starting point.
        b: What it is compared with.
        kind: T, I or X where ``a`` is an original throughout and ``b`` puts a sense made from it in the place of
            both, the instruction or the input; ``repeat`` for the same prompt asked again; ``versions`` for any other
            two prompts that are each one sense throughout.
        source: The sense that instruction and input of ``a`` share, or None.
        target: The sense that ``b`` puts in its place, or None.
    """

    a: Side
    b: Side
    kind: Kind
    source: str | None
    target: str | None

    @property
    def target_label(self) -> str:
        """The target's language and what sets it apart from a plain translation by the model itself."""
        return target_label(self.target or self.b.input)


@lru_cache(maxsize=65536)
def pair(a: str, b: str) -> Pair:
    """Read the two sides of a row.

    Raises:
        ValueError: See Side.parse.
    """
    left, right = Side.parse(a), Side.parse(b)
    if (left.instruction, left.input) == (right.instruction, right.input):
        return Pair(left, right, "repeat", left.input if left.instruction == left.input else None, None)
    if left.instruction != left.input:
        return Pair(left, right, "other", None, None)
    source = left.input
    if right.instruction == right.input:
        kind: Kind = "T" if _made_from(right.input, source) else "versions"
        return Pair(left, right, kind, source, right.input)
    if right.input == source and _made_from(right.instruction, source):
        return Pair(left, right, "I", source, right.instruction)
    if right.instruction == source and _made_from(right.input, source):
        return Pair(left, right, "X", source, right.input)
    return Pair(left, right, "other", source, None)


def reading_order(code: str) -> tuple[bool, str]:
    """Sort key of senses: originals first, then by the language's name."""
    sense = parsed(code)
    return (sense is None or not sense.is_original, language_label(sense.language) if sense else code)


def _made_from(code: str, source: str) -> bool:
    made, original = parsed(code), parsed(source)
    if made is None or original is None or made.is_original or not original.is_original:
        return False
    return made.origin == original.language


def compared_statistic(table: Table, statistic: str, *kinds: str) -> list[tuple[Pair, Row]]:
    """The rows of a statistic that have a value, with what each compares; of all kinds of pairs where none is named."""
    rows = [row for row in table.rows if row["statistic"] == statistic and row["value"] is not None]
    named = [(pair(str(row["a"]), str(row["b"])), row) for row in rows]
    return [one for one in named if not kinds or one[0].kind in kinds]
