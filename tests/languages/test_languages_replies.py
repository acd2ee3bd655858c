"""Realistic replies in the languages of the packs, with what they mean: few are missed, and next to none read falsely."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hesperus.answers import read
from hesperus.languages import pack
from languages.replies_file import FOLDER, lines_of, verdict

FEWEST = 12
MOST_FALSE, MOST_MISSED = 0.015, 0.15
FEWEST_KNOWN = 0.9
FILES = sorted(FOLDER.glob("*.txt"))


def test_every_file_is_of_a_language_with_a_pack_and_holds_enough() -> None:
    for file in FILES:
        lines = list(lines_of(file))
        assert {line.language for line in lines} == {pack(file.stem).tag} == {file.stem}
        assert len(lines) >= FEWEST
        assert {line.meaning for line in lines} >= {"-", "R", "W"}, file


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_replies_of_a_language(file: Path) -> None:
    """Of so few replies one may be read falsely; a quarter may be missed."""
    lines = list(lines_of(file))
    false = [str(line) for line in lines if verdict(line) == "false"]
    missed = [str(line) for line in lines if verdict(line) == "missed"]
    assert len(false) <= 1, false
    assert len(missed) <= len(lines) / 4, missed


def test_replies_of_all_languages_together() -> None:
    verdicts = Counter(verdict(line) for file in FILES for line in lines_of(file))
    assert verdicts["false"] <= MOST_FALSE * verdicts.total(), verdicts
    assert verdicts["missed"] <= MOST_MISSED * verdicts.total(), verdicts


@pytest.mark.parametrize(("meaning", "outcome"), [("R", "refused"), ("W", "wrong_language")])
def test_why_there_is_no_answer_is_known(meaning: str, outcome: str) -> None:
    lines = [line for file in FILES for line in lines_of(file) if line.meaning == meaning]
    unknown = [str(line) for line in lines if read(line.reader(), line.reply).outcome != outcome]
    assert len(unknown) <= (1 - FEWEST_KNOWN) * len(lines), unknown
