"""The faults of one translation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from hesperus.languages import language
from hesperus.translation.degeneration.facts import english_length
from hesperus.translation.degeneration.foreign import (
    copied_share,
    foreign_share,
    loop,
    other_language,
    repeated_share,
    stray_script,
)
from hesperus.translation.degeneration.numbers import lost_numbers

FaultKind = Literal["empty", "repetition", "length", "copy", "script", "language", "numbers", "verbatim"]
"""What can be wrong; ``verbatim`` is code or an address that a document had to keep and lost."""

FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

_WEIGHTS: dict[FaultKind, int] = {
    "empty": 10, "repetition": 5, "copy": 5, "script": 5, "language": 5, "verbatim": 4, "length": 3, "numbers": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with a translation.

    Attributes:
        kind: One of FAULT_KINDS.
        detail: What was seen, in words; may quote the translation.
    """

    kind: FaultKind
    detail: str


@dataclass(frozen=True, slots=True)
class FaultSettings:
    """From where on something counts as a fault.

    Attributes:
        row: Times that one word must be in a row.
        phrase: Times that a phrase must be said in a row.
        repeated: Share of n-grams said before, in [0, 1].
        length: Largest distance of the log length ratio from the usual one, for a very long text.
        length_short: What is added to it for short ones, over the square root of the source's length in English
            characters.
        copy_share: Share of words taken from the source in runs, in [0, 1].
        copy_words: Such words at least.
        foreign: Share of letters in another script, in [0, 1].
        function_words: Points of small words for another language at least; see ``other_language``.
    """

    row: int = 4
    phrase: int = 3
    repeated: float = 0.3
    length: float = 0.35
    length_short: float = 4.0
    copy_share: float = 0.75
    copy_words: int = 4
    foreign: float = 0.4
    function_words: float = 1.3


STANDARD = FaultSettings()


def severity(found: Sequence[Fault]) -> int:
    """How bad faults are together: 0 means faultless; a lost number weighs least, an empty translation most."""
    return sum(_WEIGHTS[fault.kind] for fault in found)


def faults(
    source: str,
    output: str,
    source_language: str,
    target_language: str,
    *,
    settings: FaultSettings = STANDARD,
) -> tuple[Fault, ...]:
    """Find what is wrong with a translation without knowing the right one.

    Args:
        source: A sentence or a short text.
        output: Its translation.
        source_language: Tag of the source in any style.
        target_language: Tag of the translation.
        settings: From where on something is a fault.

    Returns:
        At most one fault a kind, in the order of FAULT_KINDS; nothing where source and translation are both without
        letters and digits.

    Raises:
        UnknownNameError: No such language.
    """
    if not any(map(str.isalnum, output)):
        lost = any(map(str.isalnum, source))
        return (Fault("empty", "the translation has no letters and no digits"),) if lost else ()
    return tuple(_found(source, output, (source_language, target_language), settings))


def _found(source: str, output: str, pair: tuple[str, str], settings: FaultSettings) -> Iterator[Fault]:
    from_tag, to_tag = pair
    unit = loop(output, source, row=settings.row, phrase=settings.phrase)
    unspaced = not language(to_tag).writes_spaces
    if unit:
        yield Fault("repetition", f"repeats {unit[:60]!r}")
    elif (share := repeated_share(output, source, unspaced=unspaced)) >= settings.repeated:
        yield Fault("repetition", f"{share:.0%} of it was said before")
    if detail := _length(source, output, pair, settings):
        yield Fault("length", detail)
    share, count = copied_share(source, output)
    same = language(from_tag).tag == language(to_tag).tag
    if not same and share >= settings.copy_share and count >= settings.copy_words:
        yield Fault("copy", f"{share:.0%} of its words are the source's, in their order")
    share = foreign_share(source, output, to_tag)
    if share >= settings.foreign:
        yield Fault("script", f"{share:.0%} of its letters belong to other scripts than that of {to_tag}")
    elif stray := stray_script(source, output, to_tag):
        yield Fault(
            "script", f"it holds letters of {stray}, in which neither {to_tag} nor the source is written"
        )
    other = other_language(source, output, to_tag)
    if other and other[1] >= settings.function_words:
        yield Fault("language", f"its small words are those of {other[0]}, not of {to_tag}")
    lost, added = lost_numbers(source, output)
    if lost or added:
        yield Fault("numbers", _numbers(lost, added))


def _numbers(lost: set[str], added: set[str]) -> str:
    parts = [
        f"{word} {', '.join(sorted(found)[:5])}"
        for word, found in (("lost", lost), ("added", added))
        if found
    ]
    return f"numbers {' and '.join(parts)}"


def _length(source: str, output: str, pair: tuple[str, str], settings: FaultSettings) -> str | None:
    """How much shorter or longer than usual, where that is out of range; short texts may be further off."""
    expected, length = english_length(source, pair[0]), english_length(output, pair[1])
    if not expected:
        return None
    off = math.log(length / expected)
    if abs(off) <= settings.length + settings.length_short / math.sqrt(expected):
        return None
    given, made = (sum(not character.isspace() for character in text) for text in (source, output))
    return f"{made} characters from {given}, {math.exp(off):.2f} times what is usual"
