"""Which sense every sense of a run is compared with: what it was made from, its first ask, or the reference of the study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hesperus.wording import parsed

SenseCell = tuple[str, str, int]
"""Sense codes of instruction and input, and the repeat."""


def sense_references(
    senses: Sequence[SenseCell], studies: Iterable[Mapping[str, object]]
) -> dict[SenseCell, SenseCell]:
    """Each sense with its reference, which of the main reference is itself.

    The main reference is what a study declares (`reference`, `source`, `comparison.pivot`), else ``en``, else the first
    original.

    Returns:
        The senses in reading order: the main reference, then whole originals, whole made senses, mixed ones, repeats.
    """
    main = _main(senses, studies)
    ordered = dict.fromkeys(sorted(senses, key=lambda sense: _place(sense, main)))
    return {sense: _reference(sense, ordered, main) for sense in ordered}


def _place(sense: SenseCell, main: SenseCell) -> tuple[object, ...]:
    """The main reference, then whole originals, whole made senses, mixed ones, repeats."""
    instruction, given, repeat = sense
    made = any((read := parsed(code)) is not None and not read.is_original for code in (instruction, given))
    return sense != main, repeat, instruction != given, made, given, instruction


def _reference(sense: SenseCell, known: Mapping[SenseCell, object], main: SenseCell) -> SenseCell:
    instruction, given, repeat = sense
    if repeat > 1 and (instruction, given, 1) in known:
        return instruction, given, 1
    origin = (_origin(instruction), _origin(given), 1)
    return origin if origin != sense and origin in known else main


def _origin(code: str) -> str:
    sense = parsed(code)
    return code if sense is None or sense.is_original else sense.origin


def _main(senses: Sequence[SenseCell], studies: Iterable[Mapping[str, object]]) -> SenseCell:
    whole = sorted(sense for sense in senses if sense[0] == sense[1] and sense[2] == 1)
    named = {sense[0]: sense for sense in whole}
    for code in (*_declared(studies), "en"):
        if code in named:
            return named[code]
    originals = [sense for sense in whole if (read := parsed(sense[0])) is not None and read.is_original]
    return next(iter([*originals, *whole, *sorted(senses)]))


def _declared(studies: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """What the studies compare with, as they declare it."""
    for study in studies:
        comparison = study.get("comparison")
        pivot = comparison.get("pivot") if isinstance(comparison, Mapping) else None
        for value in (study.get("reference"), study.get("source"), pivot):
            if isinstance(value, str):
                yield value
            elif isinstance(value, list | tuple) and value and isinstance(value[0], str):
                yield value[0]
