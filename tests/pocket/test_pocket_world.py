"""The world of the training is the one that hesperus asks about: same prompts, same facts, to the letter."""

from __future__ import annotations

from pocket.truth import load_coverage
from pocket.world import World

from hesperus.senses import render
from hesperus.tasks import atlas, load_items, task

WORLD = World(load_coverage().languages)


def test_prompts_are_those_that_the_tasks_render() -> None:
    for name in ("atlas", "atlas-open"):
        asked = task(name)
        items = load_items(asked, WORLD.languages)
        for language in WORLD.languages:
            instruction = asked.instructions[language]
            for fact in WORLD.facts[::17]:
                item = next((item for item in items[language] if item.id == fact.id), None)
                if item is None:
                    assert name == "atlas-open" and fact.relation in atlas.SEVERAL_RIGHT
                    continue
                question = WORLD.question(language, fact.relation, 0, fact.country)
                options = item.options if name == "atlas" else None
                assert render(asked.layout, instruction, item) == WORLD.ask(name, language, question, options)


def test_facts_and_sentences_are_those_of_the_atlas() -> None:
    assert [fact.id for fact in WORLD.facts] == [fact.id for fact in atlas.facts()]
    assert set(WORLD.languages) == set(atlas.languages())
    for fact, theirs in zip(WORLD.facts, atlas.facts(), strict=True):
        assert (fact.gold, fact.wrong) == (theirs.gold, tuple(theirs.distractors))
        for language in WORLD.languages:
            for k in range(WORLD.wordings):
                assert WORLD.question(language, fact.relation, k, fact.country) == atlas.question(
                    theirs, language, k
                )
                assert WORLD.statement(
                    language, fact.relation, k, (fact.country, fact.wrong[0])
                ) == atlas.statement(theirs, fact.wrong[0], language, k)


def test_descriptions_are_those_of_the_atlas_and_fall_into_sentences() -> None:
    country = WORLD.countries[0]
    things = {fact.relation: fact.gold for fact in WORLD.facts_of(country)}
    for language in WORLD.languages:
        for k in range(WORLD.describe_wordings):
            assert WORLD.description(language, k, country, things) == atlas.description(
                country, things, language, k
            )
    assert len(WORLD.sentence_places) == 12
