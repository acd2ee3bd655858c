"""Replies in the forms of today's chat models, in every language with a pack, and traps; in the form of tests/languages/replies.

`replies_2026.txt`: bold and boxed answers, options judged one by one, "not A but B", hedges, refusals, numbers with units,
thinking cut off. `traps.txt`: doubt and difference that are denied (no word for yes in them), a case and the other case, sentences
that begin with a word spelt like an option's letter, numbers that are years. `years_and_pairs.txt`: a year beside what a
text does not say, "between B and C, I choose C", "nothing false", option texts with an article, texts that say too little.
`cases_and_contrasts.txt`: answers in one case only, "not A, as many think, but B", "yes and no", numbers explained in brackets.
`steps_and_bounds.txt`: a case before a sentence with the answer, equations in brackets, "more than", "instead of", corrections of
one's own first thought, letters in JSON and tables.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hesperus.answers import read
from hesperus.languages import packs
from languages.replies_file import Line, lines_of, verdict

REPLIES = list(lines_of(Path(__file__).with_name("replies_2026.txt")))
TRAPS = list(lines_of(Path(__file__).with_name("traps.txt")))
YEARS_AND_PAIRS = list(lines_of(Path(__file__).with_name("years_and_pairs.txt")))
CASES_AND_CONTRASTS = list(lines_of(Path(__file__).with_name("cases_and_contrasts.txt")))

STEPS_AND_BOUNDS = list(lines_of(Path(__file__).with_name("steps_and_bounds.txt")))


def test_replies_are_in_every_language_with_a_pack() -> None:
    assert {line.language for line in REPLIES} == set(packs())


@pytest.mark.parametrize(("replies", "most"), [(REPLIES, 0.03), (YEARS_AND_PAIRS, 0.07)])
def test_no_reply_is_read_falsely_and_few_are_missed(replies: list[Line], most: float) -> None:
    false = [str(line) for line in replies if verdict(line) == "false"]
    missed = [str(line) for line in replies if verdict(line) == "missed"]
    assert not false, false
    assert len(missed) <= most * len(replies), missed


@pytest.mark.parametrize("replies", [REPLIES, YEARS_AND_PAIRS])
def test_refusals_are_known(replies: list[Line]) -> None:
    found = Counter(read(line.reader(), line.reply).outcome for line in replies if line.meaning == "R")
    assert found["refused"] >= 0.95 * found.total(), found


def test_traps_give_no_answer() -> None:
    false = [str(line) for line in TRAPS if verdict(line) == "false"]
    assert len(false) <= 2, false


def test_cases_and_contrasts() -> None:
    verdicts = Counter(verdict(line) for line in CASES_AND_CONTRASTS)
    assert verdicts["false"] <= 3, [str(line) for line in CASES_AND_CONTRASTS if verdict(line) == "false"]
    assert verdicts["missed"] <= 0.04 * verdicts.total(), verdicts


def test_steps_and_bounds() -> None:
    verdicts = Counter(verdict(line) for line in STEPS_AND_BOUNDS)
    assert verdicts["false"] <= 6, [str(line) for line in STEPS_AND_BOUNDS if verdict(line) == "false"]
    assert verdicts["missed"] <= 0.08 * verdicts.total(), verdicts
