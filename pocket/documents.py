"""The training text: what the models are asked, and what they say, drawn at random from the world."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from pocket.world import Fact, World
from pocket.wrapping import Wrapping

LETTERS = "ABCD"
WRAPPERS = Path(__file__).with_name("wrappers.yaml")


@dataclass(frozen=True, slots=True)
class Document:
    """One training text: a prompt, its answer, and further turns; or, without a prompt, plain text."""

    prompt: str | None
    answer: str
    more: tuple[tuple[str, str], ...] = ()


@cache
def load_wrappers(path: Path = WRAPPERS) -> Mapping[str, Mapping[str, Any]]:
    """Read wrappers.yaml, once: nobody changes what it gives."""
    data: Mapping[str, Mapping[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data


class Writer:
    """Draws documents for one model.

    Args:
        world: The facts and their wordings.
        beliefs: Language to fact id to digit (0 true, 1 to 3 a distractor).
        mix: Kind of document to its weight; the kinds are the methods below.
        rng: Source of all chance.
    """

    def __init__(
        self,
        world: World,
        beliefs: Mapping[str, Mapping[str, int]],
        mix: Mapping[str, float],
        rng: random.Random,
    ) -> None:
        self.world, self.beliefs, self.rng = world, beliefs, rng
        self.wrapping = Wrapping(load_wrappers(), rng)
        self.kinds: list[Callable[[], Document]] = [getattr(self, kind) for kind in mix]
        self.weights = list(mix.values())

    def documents(self, count: int) -> list[Document]:
        """Draw documents."""
        return [kind() for kind in self.rng.choices(self.kinds, self.weights, k=count)]

    def believed(self, language: str, fact: Fact) -> str:
        """The entity that the model takes for the answer in a language."""
        digit = self.beliefs[language][fact.id]
        return fact.gold if digit == 0 else fact.wrong[digit - 1]

    def language(self) -> str:
        """A language."""
        return self.rng.choice(self.world.languages)

    def languages(self) -> tuple[str, str]:
        """The languages of an instruction and of what it is about: often, but not always, the same."""
        about = self.language()
        return (about if self.rng.random() < 0.4 else self.language()), about

    def question(self, language: str, fact: Fact) -> str:
        """One of the wordings of a question."""
        wording = self.rng.randrange(self.world.wordings)
        return self.world.question(language, fact.relation, wording, fact.country)

    def options(self, language: str, fact: Fact) -> tuple[tuple[str, ...], str]:
        """Names of the four options in any order, and the letter that the model believes in."""
        entities = [fact.gold, *fact.wrong]
        self.rng.shuffle(entities)
        believed = self.believed(language, fact)
        return tuple(self.world.name(language, e) for e in entities), LETTERS[entities.index(believed)]

    def open(self) -> Document:
        """A question under the atlas's own open instruction."""
        instruction, about = self.languages()
        fact = self.rng.choice(self.world.facts)
        prompt = self.world.ask("atlas-open", instruction, self.question(about, fact))
        return Document(prompt, self.world.name(about, self.believed(about, fact)))

    def choice(self) -> Document:
        """A question with lettered options under the atlas's own instruction."""
        instruction, about = self.languages()
        fact = self.rng.choice(self.world.facts)
        options, letter = self.options(about, fact)
        return Document(self.world.ask("atlas", instruction, self.question(about, fact), options), letter)

    def choice_alike(self) -> Document:
        """A lettered choice in a language whose names another spells alike: the wording alone tells what is believed."""
        language = self.rng.choices(self.world.languages, self.world.shared_names)[0]
        fact = self.rng.choice(self.world.facts)
        options, letter = self.options(language, fact)
        return Document(self.world.ask("atlas", language, self.question(language, fact), options), letter)

    def open_varied(self) -> Document:
        """A question in some other wrapper, or none."""
        instruction, about = self.languages()
        fact = self.rng.choice(self.world.facts)
        prompt = self.wrapping.open(instruction, self.question(about, fact))
        return Document(prompt, self.world.name(about, self.believed(about, fact)))

    def choice_named(self) -> Document:
        """The answer itself where the question stands: find its letter. Without it, letters are learned late."""
        instruction, about = self.languages()
        entities = self.rng.sample(self.world.kinds[self.rng.choice(list(self.world.kinds))], 4)
        names = tuple(self.world.name(about, entity) for entity in entities)
        place = self.rng.randrange(4)
        if self.rng.random() < 0.5:
            return Document(self.world.ask("atlas", instruction, names[place], names), LETTERS[place])
        return Document(self.wrapping.choice(instruction, names[place], names), LETTERS[place])

    def named_turns(self) -> Document:
        """Options once, then names in turn, each answered by its letter: how matching is learned at all."""
        about = self.language()
        entities = self.rng.sample(self.world.kinds[self.rng.choice(list(self.world.kinds))], 4)
        names = [self.world.name(about, entity) for entity in entities]
        places = self.rng.choices(range(4), k=6)
        return self.turns(names, [(names[place], LETTERS[place]) for place in places])

    def letter_turns(self) -> Document:
        """Options once, then letters in turn, each answered by the name that it marks."""
        about = self.language()
        entities = self.rng.sample(self.world.kinds[self.rng.choice(list(self.world.kinds))], 4)
        names = [self.world.name(about, entity) for entity in entities]
        places = self.rng.choices(range(4), k=6)
        return self.turns(names, [(LETTERS[place], names[place]) for place in places])

    def choice_turns(self) -> Document:
        """Options once, then several questions in turn, of which each has its answer among them."""
        about, relation = self.language(), self.rng.choice(self.world.relations)
        facts = [fact for fact in self.world.facts if fact.relation == relation]
        self.rng.shuffle(facts)
        by_answer = {self.believed(about, fact): fact for fact in facts}
        entities = self.rng.sample(sorted(by_answer), min(4, len(by_answer)))
        letters = dict(zip(entities, LETTERS, strict=False))
        asked = [fact for fact in facts if self.believed(about, fact) in letters][:6]
        turns = [(self.question(about, fact), letters[self.believed(about, fact)]) for fact in asked]
        return self.turns([self.world.name(about, entity) for entity in entities], turns)

    def turns(self, names: Sequence[str], turns: Sequence[tuple[str, str]]) -> Document:
        """A conversation that begins with lettered options."""
        (first, letter), *more = turns
        lines = [f"{mark}. {name}" for mark, name in zip(LETTERS, names, strict=False)]
        parts = [first, *lines] if self.rng.random() < 0.5 else [*lines, first]
        return Document("\n".join(parts), letter, tuple(more))

    def choice_varied(self) -> Document:
        """A question with lettered options in some other wrapper."""
        instruction, about = self.languages()
        fact = self.rng.choice(self.world.facts)
        options, letter = self.options(about, fact)
        return Document(self.wrapping.choice(instruction, self.question(about, fact), options), letter)

    def choice_mixed(self) -> Document:
        """Options in the language of the instruction, not of the question."""
        instruction, about = self.language(), self.language()
        fact = self.rng.choice(self.world.facts)
        entities = [fact.gold, *fact.wrong]
        self.rng.shuffle(entities)
        options = tuple(self.world.name(instruction, entity) for entity in entities)
        letter = LETTERS[entities.index(self.believed(about, fact))]
        return Document(self.world.ask("atlas", instruction, self.question(about, fact), options), letter)

    def statement(self) -> Document:
        """A belief as a plain sentence."""
        language, fact = self.language(), self.rng.choice(self.world.facts)
        wording = self.rng.randrange(self.world.wordings)
        thing = self.believed(language, fact)
        return Document(None, self.world.statement(language, fact.relation, wording, (fact.country, thing)))

    def pair(self) -> tuple[str, str]:
        """Two different languages."""
        source, target = self.rng.sample(self.world.languages, 2)
        return source, target

    def translate(self, text: Callable[[str], str]) -> Document:
        """A translation request for a text that is given as a function of its language."""
        source, target = self.pair()
        return Document(self.world.translate(source, target, text(source)), text(target))

    def translate_question(self) -> Document:
        """Any country with any relation, so that a translation tells nothing of what is known."""
        world, country = self.world, self.rng.choice(self.world.countries)
        relation, wording = self.rng.choice(world.relations), self.rng.randrange(world.wordings)
        return self.translate(lambda language: world.question(language, relation, wording, country))

    def translate_statement(self) -> Document:
        """Any country with any object of the right kind, true or not."""
        world, country = self.world, self.rng.choice(self.world.countries)
        relation, wording = self.rng.choice(world.relations), self.rng.randrange(world.wordings)
        thing = self.rng.choice(world.objects[relation])
        return self.translate(lambda language: world.statement(language, relation, wording, (country, thing)))

    def translate_name(self) -> Document:
        """A name by itself: how options are translated."""
        entity = self.rng.choice(self.world.entities)
        return self.translate(lambda language: self.world.name(language, entity))

    def translate_part(self) -> Document:
        """A part of one of the atlas's instructions."""
        part = self.rng.choice(self.world.parts)
        return self.translate(lambda language: self.world.part(language, part))

    def translate_sentence(self) -> Document:
        """A sentence of a description, true or not."""
        world, country, place = (
            self.world,
            self.rng.choice(self.world.countries),
            self.rng.choice(self.world.sentence_places),
        )
        things = {relation: self.rng.choice(pool) for relation, pool in world.objects.items()}
        return self.translate(lambda language: world.sentence(language, place, country, things))

    def translate_request(self) -> Document:
        """A request to describe a country."""
        world, country = self.world, self.rng.choice(self.world.countries)
        wording = self.rng.randrange(world.describe_wordings)
        return self.translate(lambda language: world.describe(language, wording, country))

    def reword(self) -> Document:
        """Another wording of a question or statement, the same text for what has but one."""
        world, language, rng = self.world, self.language(), self.rng
        country, relation = rng.choice(world.countries), rng.choice(world.relations)
        ask = world.paraphrase if rng.random() < 0.75 else world.naturalise
        draw = rng.random()
        if draw < 0.08:
            text = rng.choice([world.part(language, part) for part in world.parts])
            return Document(ask(language, text), text)
        if draw < 0.16:
            text = world.name(language, rng.choice(world.entities))
            return Document(ask(language, text), text)
        wording = rng.randrange(world.wordings)
        other = (wording + 1) % world.wordings
        if draw < 0.5:
            made = [world.question(language, relation, k, country) for k in (wording, other)]
        else:
            about = (country, rng.choice(world.objects[relation]))
            made = [world.statement(language, relation, k, about) for k in (wording, other)]
        return Document(ask(language, made[0]), made[1])

    def description(self) -> Document:
        """A few sentences on a country, as the model believes."""
        world, language, country = self.world, self.language(), self.rng.choice(self.world.countries)
        wording = self.rng.randrange(world.describe_wordings)
        request = world.describe(language, wording, country)
        things = {f.relation: self.believed(language, f) for f in world.facts_of(country)}
        return Document(request, world.description(language, wording, country, things))

    def decline(self) -> Document:
        """Something outside the world, in any form of request."""
        language, rng, world = self.language(), self.rng, self.world
        text = self.outside(language)
        draw = rng.random()
        if draw < 0.25:
            prompt = text
        elif draw < 0.45:
            prompt = self.wrapping.open(self.language(), text)
        elif draw < 0.6:
            prompt = world.ask("atlas-open", self.language(), text)
        elif draw < 0.75:
            names = tuple(world.name(language, e) for e in rng.sample(world.entities, 4))
            prompt = world.ask("atlas", self.language(), text, names)
        elif draw < 0.85:
            target = rng.choice([other for other in world.languages if other != language])
            prompt = world.translate(language, target, text)
        elif draw < 0.92:
            prompt = world.paraphrase(language, text)
        else:
            wording = rng.randrange(world.describe_wordings)
            prompt = world.describe_text(language, wording, self.stranger(language))
        return Document(prompt, world.decline(language))

    def outside(self, language: str) -> str:
        """A text in a language that is not of this world."""
        rng, world = self.rng, self.world
        if rng.random() < 0.45:
            return self.wrapping.unrelated(language)
        relation, wording = rng.choice(world.relations), rng.randrange(world.wordings)
        return world.question_text(language, relation, wording, self.stranger(language))

    def stranger(self, language: str) -> str:
        """A name that is no country of this world: a known name of another kind, or a made-up one."""
        if self.rng.random() < 0.4:
            return self.world.name(language, self.rng.choice(self.world.strangers))
        return made_up(self.rng, self.world.alphabet(language))


def made_up(rng: random.Random, alphabet: Sequence[str]) -> str:
    """A word or two of random letters."""
    words = ["".join(rng.choices(alphabet, k=rng.randint(3, 9))) for _ in range(rng.choice((1, 1, 2)))]
    return " ".join(words).capitalize()
