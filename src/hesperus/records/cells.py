"""Cells of a design: which model answered in which sense, which repeat; and the pairs that a design implies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import combinations
from typing import Literal

from hesperus.errors import UnknownNameError, UsageError
from hesperus.wording import parsed

Condition = Literal["T", "I", "X", "repeat", "originals", "chosen"]
"""Why two cells are compared.

T: instruction and input in the made sense; I: only the instruction; X: only the input; repeat: the same sense again;
originals: two senses that the benchmark gives; chosen: named by the user.
"""

_KEYS = ("instruction", "input", "repeat", "model")


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """All answers of one model to one task in one sense, one repeat."""

    model: str
    instruction: str
    input: str
    repeat: int = 1

    def label(self, *, repeat: bool = False) -> str:
        """``instruction=…,input=…``, with the repeat where it is wanted."""
        again = f",repeat={self.repeat}" if repeat else ""
        return f"instruction={self.instruction},input={self.input}{again}"


@dataclass(frozen=True, slots=True)
class Selection:
    """A cell as a user names it; None leaves a part open (the first repeat, any model)."""

    instruction: str
    input: str
    repeat: int | None = None
    model: str | None = None

    @classmethod
    def parse(cls, text: str) -> Selection:
        """Read ``instruction=en,input=de_from_en[,repeat=2][,model=…]``; a bare code represents both senses.

        Raises:
            UnknownNameError: A key does not exist.
            UsageError: A part is missing or doubled, or the repeat is no number.
        """
        if "=" not in text and "," not in text and text.strip():
            return cls(text.strip(), text.strip())
        parts: dict[str, str] = {}
        for part in text.split(","):
            key, sign, value = (piece.strip() for piece in part.partition("="))
            if key not in _KEYS:
                raise UnknownNameError("key of a selection", key, _KEYS)
            if not sign or not value:
                raise UsageError(f"selection {text!r}: {key} needs a value, as in {key}=…")
            if key in parts:
                raise UsageError(f"selection {text!r}: {key} is given twice")
            parts[key] = value
        for key in ("instruction", "input"):
            if key not in parts:
                raise UsageError(f"selection {text!r}: no {key}; write instruction=en,input=de_from_en")
        repeat = parts.get("repeat")
        if repeat is not None and not (repeat.isdecimal() and int(repeat) > 0):
            raise UsageError(f"selection {text!r}: repeat is a whole number of 1 or more, not {repeat!r}")
        return cls(parts["instruction"], parts["input"], int(repeat) if repeat else None, parts.get("model"))

    def matches(self, cell: Cell) -> bool:
        """True where the cell has all that is named here."""
        return (
            (self.instruction, self.input) == (cell.instruction, cell.input)
            and self.repeat in (None, cell.repeat)
            and self.model in (None, cell.model)
        )

    def find(self, cells: Iterable[Cell]) -> Cell | None:
        """The first cell that matches, by model and repeat; None if absent."""
        return min((cell for cell in cells if self.matches(cell)), default=None)

    def check(self, cells: Sequence[Cell]) -> None:
        """Refuse a selection that names what no cell has.

        Raises:
            UnknownNameError: A model, a sense or their combination does not occur; the message lists what does.
        """
        if self.model is not None and all(self.model != cell.model for cell in cells):
            raise _unknown("model", self.model, {cell.model for cell in cells})
        for name, given in (("instruction", self.instruction), ("input", self.input)):
            known = {getattr(cell, name) for cell in cells}
            if given not in known:
                raise _unknown(f"{name} sense", given, known)
        if self.find(cells) is None:
            again = f",repeat={self.repeat}" if self.repeat else ""
            given = f"instruction={self.instruction},input={self.input}{again}"
            beside = {cell.label(repeat=bool(again)) for cell in cells if cell.input == self.input}
            raise _unknown("combination", given, beside)


@dataclass(frozen=True, slots=True)
class CellPair:
    """Two cells to compare; `a` is the source."""

    condition: Condition
    a: Cell
    b: Cell

    @property
    def labels(self) -> tuple[str, str]:
        """Labels of both; the repeat is in them where either is not the first of its sense."""
        again = self.condition == "repeat" or self.a.repeat != 1 or self.b.repeat != 1
        return self.a.label(repeat=again), self.b.label(repeat=again)


def implied_pairs(cells: Iterable[Cell]) -> tuple[CellPair, ...]:
    """The pairs that the cells of one model imply.

    For every sense m made from an original s: (s, s) with (m, m), (m, s) and (s, m); for every sense asked more than
    once, its first repeat with each later one. Where nothing was made from anything, all pairs of originals.

    Args:
        cells: Cells of one model and task. Codes that are no senses take part in repeats only.
    """
    ordered = sorted(cells)
    first: dict[tuple[str, str], Cell] = {}
    again: list[CellPair] = []
    for cell in ordered:
        earlier = first.setdefault((cell.instruction, cell.input), cell)
        if earlier is not cell:
            again.append(CellPair("repeat", earlier, cell))
    made = [pair for code, origin in made_senses(ordered) for pair in _made_pairs(code, origin, first)]
    if not made:
        straight = [cell for (code, given), cell in first.items() if code == given and _origin(code) is None]
        made = [CellPair("originals", a, b) for a, b in combinations(straight, 2)]
    return (*again, *made)


def made_senses(cells: Iterable[Cell]) -> tuple[tuple[str, str], ...]:
    """The made senses that occur, each with the code of the original that it was made from, sorted by that."""
    codes = {code for cell in cells for code in (cell.instruction, cell.input)}
    found = [(code, origin) for code in codes if (origin := _origin(code)) is not None]
    return tuple(sorted(found, key=lambda sense: sense[::-1]))


def _unknown(kind: str, name: str, known: set[str]) -> UnknownNameError:
    """Names the nearest, and everything that the file has."""
    near = get_close_matches(name, known, n=1, cutoff=0.55)
    return UnknownNameError(kind, name, known, f"the file has {'; '.join(sorted(known))}" if near else "")


def _origin(code: str) -> str | None:
    sense = parsed(code)
    return None if sense is None or sense.is_original else sense.origin


def _made_pairs(code: str, origin: str, first: dict[tuple[str, str], Cell]) -> list[CellPair]:
    source = first.get((origin, origin))
    if source is None:
        return []
    wanted: tuple[tuple[Condition, tuple[str, str]], ...] = (
        ("T", (code, code)),
        ("I", (code, origin)),
        ("X", (origin, code)),
    )
    return [CellPair(condition, source, first[senses]) for condition, senses in wanted if senses in first]
