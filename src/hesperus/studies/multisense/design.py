"""Which senses must be made and which cells asked: the design, spelled out before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass

from hesperus.studies.asked.study_cells import Cell
from hesperus.studies.multisense.multisense_study import MultisenseStudy
from hesperus.types import Sense


@dataclass(frozen=True, slots=True)
class Design:
    """All that a study asks of one model.

    Attributes:
        originals: Languages whose own version of the benchmark is read.
        made: Senses to make, in the order in which they are made.
        cells: Columns of answers, each once.
    """

    originals: tuple[str, ...]
    made: tuple[Sense, ...]
    cells: tuple[Cell, ...]


def design(study: MultisenseStudy) -> Design:
    """Spell out the conditions of the paper (section 4.1 and 4.2) for every pair of the study.

    For source s and made sense m: the source is (s, s); T is (m, m), I is (m, s), X is (s, m). Where the study names a
    language of instructions, it is in place of s as an instruction: English around German questions is (en, de). A sense that only
    some rule of the input makes (``~variant`` without a wording of its own) is the study's to restrict to X.
    """
    made: dict[Sense, None] = {}
    for source in study.source:
        for target in study.target:
            if target != source:
                made.setdefault(Sense(target, source=source))
    for code in study.senses:
        made.setdefault(Sense.parse(code))

    starts = dict.fromkeys([*study.source, *(sense.origin for sense in made)])
    cells: dict[Cell, None] = {}
    for language in starts:
        start = Sense(language)
        for repeat in range(1, study.repeats + 1):
            cells.setdefault(Cell(study.under(language), start, repeat))
    if study.originals:
        for language in study.target:
            cells.setdefault(Cell(study.under(language), Sense(language)))
    for sense in made:
        start = Sense(sense.origin)
        for condition in study.conditions:
            instruction = study.under(sense.origin) if condition == "X" else sense
            input_ = start if condition == "I" else sense
            cells.setdefault(Cell(instruction, input_))

    asked = dict.fromkeys([*starts, *(study.target if study.originals else ())])
    return Design(originals=tuple(asked), made=tuple(made), cells=tuple(cells))
