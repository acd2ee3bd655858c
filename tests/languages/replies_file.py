"""Replies with what they mean, one file per language under `replies/`, and how they are read.

`@LANG texts of four options` starts a language; then a line each: task, meaning, reply (`\\n` for a line break). Tasks:
`m` four lettered options, `k` the same in the language's own letters, `x` three letters, `y` yes or no (Y, N), `n`
inference (E, N, C), `t` truth (T, F), `e` sameness (S, D), `s` sentiment (P positive, Q negative, N), `c` correctness
(C, I), `#` a number, `o` an open answer. Meaning `-`: no answer; `R`: declined; `W`: in another language.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hesperus.answers import Reader, read, reader_for
from hesperus.languages import pack

FOLDER = Path(__file__).with_name("replies")
SILENT = ("-", "R", "W")

_TASKS = {
    "y": ("polarity", {"Y": "yes", "N": "no"}),
    "n": ("inference", {"E": "entailment", "N": "neutral", "C": "contradiction"}),
    "t": ("truth", {"T": "true", "F": "false"}),
    "e": ("sameness", {"S": "same", "D": "different"}),
    "s": ("sentiment", {"P": "positive", "Q": "negative", "N": "neutral"}),
    "c": ("correctness", {"C": "correct", "I": "incorrect"}),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A reply to a task, and what it means."""

    file: str
    number: int
    language: str
    options: tuple[str, ...]
    task: str
    meaning: str
    reply: str

    def reader(self) -> Reader:
        """How replies to the task are read; templates are the preferred words of the pack."""
        words = pack(self.language)
        if self.task in "#o":
            return reader_for("number" if self.task == "#" else "text", self.language, answers={})
        if self.task in "mkx":
            letters = words.option_letters if self.task == "k" else tuple("ABCD")
            count = 3 if self.task == "x" else 4
            answers = dict(zip("ABCD"[:count], ((letter,) for letter in letters), strict=False))
            return reader_for("choice", self.language, answers=answers, options=self.options[:count])
        group, meanings = _TASKS[self.task]
        return reader_for(
            "label", self.language,
            answers={meaning: (words.groups[group][label][0],) for meaning, label in meanings.items()},
        )  # fmt: skip

    def __str__(self) -> str:
        answer = read(self.reader(), self.reply)
        found = f"{answer.outcome} {answer.label} ({answer.rule})"
        return f"{self.file}, line {self.number}: {self.task} {self.meaning} {self.reply!r}: {found}"


@cache
def verdict(line: Line) -> str:
    """`right`, `missed` (no answer was read where there is one), `false` (another one, or one where there is none)."""
    answer = read(line.reader(), line.reply)
    if answer.outcome != "answered":
        return "right" if line.meaning in SILENT else "missed"
    return "right" if answer.label == line.meaning else "false"


def lines_of(file: Path) -> Iterator[Line]:
    """The replies of a file."""
    language, options = "", ()
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if text.startswith("@"):
            language, _, texts = text[1:].partition(" ")
            options = tuple(texts.split(","))
        elif text:
            task, meaning, reply = text.split(" ", 2)
            yield Line(file.name, number, language, options, task, meaning, reply.replace("\\n", "\n"))
