"""The table of coverage, the beliefs made from it, and the file that ships them."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from pocket.truth import all_beliefs, load_coverage
from pocket.world import World

from hesperus.errors import DataError
from hesperus.models.pocket import SIZES, beliefs

TABLE = load_coverage()
WORLD = World(TABLE.languages)
FACTS = [fact.id for fact in WORLD.facts]


def test_the_shipped_beliefs_are_those_of_the_table() -> None:
    shipped = beliefs()
    for size, row in all_beliefs(TABLE, FACTS).items():
        for language, digits in row.items():
            assert "".join(str(shipped[size][language][fact]) for fact in FACTS) == digits


def test_every_model_knows_exactly_its_share() -> None:
    for size, row in TABLE.coverage.items():
        for language, percent in row.items():
            known = sum(digit == 0 for digit in beliefs()[size][language].values())
            assert known == round(percent / 100 * len(FACTS)), (size, language)


def test_coverage_is_uneven_and_falls_with_size() -> None:
    for language in TABLE.languages:
        small, medium, large = (TABLE.coverage[size][language] for size in SIZES)
        assert small < medium < large or large == 100
    assert len(set(TABLE.coverage["l"].values())) == len(TABLE.languages)


def test_larger_models_know_more_but_not_all_that_smaller_ones_know() -> None:
    planned = all_beliefs(TABLE, FACTS)
    lost = kept = 0
    for small, large in (("s", "m"), ("m", "l")):
        for language in TABLE.languages:
            for less, more in zip(planned[small][language], planned[large][language], strict=True):
                if less == "0":
                    kept += more == "0"
                    lost += more != "0"
    assert kept > 0.95 * (kept + lost)
    assert lost > 0


def test_wrong_beliefs_are_shared_more_within_a_group_of_languages() -> None:
    planned = all_beliefs(TABLE, FACTS)["s"]
    same: dict[bool, list[bool]] = {True: [], False: []}
    for one, other in combinations(TABLE.languages, 2):
        pairs = zip(planned[one], planned[other], strict=True)
        both_wrong = [a == b for a, b in pairs if a != "0" and b != "0"]
        same[TABLE.group(one) == TABLE.group(other)] += both_wrong
    within, across = (sum(values) / len(values) for values in (same[True], same[False]))
    assert 0.35 < across < 0.65 < within < 0.95


def test_a_missing_or_broken_table_of_beliefs_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"beliefs.json.*make pocket"):
        beliefs(tmp_path)
    (tmp_path / "beliefs.json").write_text(json.dumps({"facts": ["a"], "beliefs": {"s": {"en": "00"}}}))
    with pytest.raises(DataError, match="no readable table of beliefs"):
        beliefs(tmp_path)
