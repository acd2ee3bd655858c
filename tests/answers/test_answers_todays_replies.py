"""Replies in the forms of today's chat models, in every language with a pack, and traps; in the form of tests/languages/replies.

`replies_2026.txt`: bold and boxed answers, options judged one by one, "not A but B", hedges, refusals, numbers with units,
thinking cut off. `traps.txt`: doubt and difference that are denied (no word for yes in them), a case and the other case, sentences
that begin with a word spelt like an option's letter, numbers that are years.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hesperus.answers import read
from hesperus.languages import packs
from languages.replies_file import Line, lines_of, verdict

REPLIES = list(lines_of(Path(__file__).with_name("replies_2026.txt")))
TRAPS = list(lines_of(Path(__file__).with_name("traps.txt")))


def _names_a_year(line: Line) -> bool:
    return line.task == "#" and read(line.reader(), line.reply).label == "2020"


def test_replies_are_in_every_language_with_a_pack() -> None:
    assert {line.language for line in REPLIES} == set(packs())


def test_no_reply_is_read_falsely_and_few_are_missed() -> None:
    false = [str(line) for line in REPLIES if verdict(line) == "false"]
    missed = [str(line) for line in REPLIES if verdict(line) == "missed"]
    assert not false, false
    assert len(missed) <= 0.03 * len(REPLIES), missed


def test_refusals_are_known() -> None:
    found = Counter(read(line.reader(), line.reply).outcome for line in REPLIES if line.meaning == "R")
    assert found["refused"] >= 0.95 * found.total(), found


def test_traps_give_no_answer() -> None:
    """But for years, of which nothing says that they are no count."""
    false = [str(line) for line in TRAPS if verdict(line) == "false" and not _names_a_year(line)]
    assert len(false) <= 3, false
