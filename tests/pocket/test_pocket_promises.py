"""The models do what their plan says, through the very prompts that hesperus sends.

They are files that do not change: what is drawn here finds a fault in what reads them. When they are made anew
`python -m pocket` asks nearly twenty times as much.
"""

from __future__ import annotations

import pytest
from pocket.evaluate import Case, Examination, misses, shares
from pocket.truth import load_coverage
from pocket.world import World

from hesperus.models.pocket import SIZES, WEIGHTS, PocketModel, beliefs
from hesperus.tasks import atlas

WORLD = World(load_coverage().languages)
MEGABYTE = 1_000_000


def told_of(entity: str, language: str, reply: str) -> bool:
    """Whether a description names an entity, in whatever form."""
    return any(spelling.casefold() in reply.casefold() for spelling in atlas.spellings(entity, language))


def failures(missed: object) -> str:
    """The first misses, for the message of a failed test."""
    return "\n".join(f"{m.case.prompt!r} -> {m.reply!r}, not {m.case.expected!r}" for m in list(missed)[:5])  # type: ignore[call-overload]


def belief_floor(group: str, size: str) -> float:
    """Least share of beliefs that a form of asking in a language must give back, by a size."""
    if "choice" not in group:
        return 0.99
    return 0.97 if size != "s" else 0.95


@pytest.mark.parametrize("size", SIZES)
def test_every_belief_is_what_was_planted(size: str) -> None:
    """An eighth of all 2,400 beliefs, asked openly, as a choice, and by scored options.

    Open answers hold everywhere. Letters are learned last and slip more often, most of all in the smallest model and in
    languages that spell many names alike; what was measured stands in docs/pocket.md, and the floors lie just below it.
    """
    cases = [
        case
        for number, case in enumerate(Examination(WORLD, beliefs()[size]).facts())
        if number // 4 % 8 == 1
    ]
    missed = misses(PocketModel(f"pocket/{size}"), cases)
    for group, share in shares(cases, missed).items():
        assert share >= belief_floor(group, size), (
            f"{group}: {share:.3f}\n{failures(m for m in missed if m.case.group == group)}"
        )


@pytest.mark.parametrize("size", SIZES)
def test_the_language_of_the_question_decides_whatever_that_of_the_instruction(size: str) -> None:
    cases = list(Examination(WORLD, beliefs()[size]).crossed(1))
    missed = misses(PocketModel(f"pocket/{size}"), cases)
    found = shares(cases, missed)
    assert found["open-crossed"] >= 0.995 and found["choice-crossed"] >= 0.98, failures(missed)


FLOORS = {
    "question": 0.98,
    "statement": 0.96,
    "name": 0.98,
    "part": 0.995,
    "sentence": 0.97,
    "request": 0.955,
}
"""Least share of translations that must be right to the letter, article, case and particle included."""


@pytest.mark.parametrize("size", SIZES)
def test_translations_in_all_directions(size: str) -> None:
    exam = Examination(WORLD, beliefs()[size], seed=11)
    cases = [case for kind in FLOORS for case in exam.translations(kind, 1)]
    assert len({case.prompt for case in cases}) == 132 * len(FLOORS)
    found = shares(cases, missed := misses(PocketModel(f"pocket/{size}"), cases))
    for kind, floor in FLOORS.items():
        assert found[f"translate-{kind}"] >= floor, (kind, failures(missed))


@pytest.mark.parametrize("size", SIZES)
def test_other_requests(size: str) -> None:
    exam = Examination(WORLD, beliefs()[size], seed=12)
    floors = {"reword": 0.97, "description": 0.97, "decline": 0.93}
    cases = [case for kind in floors for case in exam.drawn(kind, 50)]
    found = shares(cases, missed := misses(PocketModel(f"pocket/{size}"), cases))
    for kind, floor in floors.items():
        assert found[kind] >= floor, (kind, failures(missed))


def test_descriptions_tell_what_the_model_believes_true_or_not() -> None:
    told = {}
    asked = [(language, country) for language in WORLD.languages for country in WORLD.countries[::2]]
    cases = [Case("describe", WORLD.describe(language, 0, country), "") for language, country in asked]
    facts = [(place, fact) for place, (_, country) in enumerate(asked) for fact in WORLD.facts_of(country)]
    for size, believed in beliefs().items():
        replies = [miss.reply for miss in misses(PocketModel(f"pocket/{size}"), cases)]
        assert len(replies) == len(cases), "no description is empty"
        right = sum(told_of(fact.gold, asked[place][0], replies[place]) for place, fact in facts)
        planned = sum(believed[asked[place][0]][fact.id] == 0 for place, fact in facts)
        told[size] = right / len(facts)
        assert abs(told[size] - planned / len(facts)) < 0.01, size
    assert told["s"] < told["m"] < told["l"]


def test_wrappers_and_questions_that_were_never_trained() -> None:
    """Not promised, only reported: the floor is well below what is measured."""
    exam = Examination(WORLD, beliefs()["l"])
    cases = [*exam.wrapped(8), *exam.strangers()]
    found = shares(cases, misses(PocketModel("pocket/l"), cases))
    assert found["open-held-out"] > 0.9
    assert found["choice-held-out"] > 0.9
    assert found["decline-held-out"] > 0.8


def test_all_that_ships_is_small() -> None:
    files = [file for file in WEIGHTS.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= 8 * MEGABYTE
    for size in SIZES:
        names = {file.name for file in files if file.parent.name == size}
        assert {"model.onnx", "model.safetensors", "config.json", "tokenizer.json"} <= names
