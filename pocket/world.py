"""The closed world that the models live in: the atlas's facts and wordings, and the requests that hesperus sends.

Prompts are put together by hesperus itself (its layouts, its language packs), so that the models are trained on the
very texts that they will be sent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import yaml

from hesperus.languages import naturalise_request, paraphrase_request, translation_request
from hesperus.senses import render
from hesperus.tasks import atlas
from hesperus.tasks.atlas.naming import fill
from hesperus.types import Instruction, Item

SPACELESS = ("zh", "ja", "th", "ko")
"""Languages in which a name may touch other letters."""

Part = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Fact:
    """A country, a relation, the true answer and three wrong ones, as entity ids."""

    id: str
    country: str
    relation: str
    gold: str
    wrong: tuple[str, str, str]


@cache
def read(path: str) -> Any:
    """Read one of the atlas's data files, once: nobody changes what it gives."""
    text = (files("hesperus.tasks") / "atlas" / path).read_text(encoding="utf-8")
    return yaml.safe_load(text)


class World:
    """Facts, names, wordings and requests.

    Args:
        languages: The languages of the atlas.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        self.languages = tuple(languages)
        self.tasks: Mapping[str, Any] = read("instructions.yaml")
        self.kinds = {kind: atlas.entities(kind) for kind in atlas.KINDS}
        self.names = {
            language: {
                entity: name for row in atlas.names(language).kinds.values() for entity, name in row.items()
            }
            for language in languages
        }
        self.entities = tuple(self.names[self.languages[0]])
        self.facts = tuple(as_fact(key, row) for key, row in read("facts.yaml")["facts"].items())
        self.relations = tuple(dict.fromkeys(fact.relation for fact in self.facts))
        self.countries = tuple(dict.fromkeys(fact.country for fact in self.facts))
        self.objects = {relation: self.kinds[atlas.OBJECTS[relation]] for relation in self.relations}
        self.strangers = tuple(entity for entity in self.entities if entity not in self.countries)
        self.parts: tuple[Part, ...] = tuple(
            (task, part) for task in ("atlas", "atlas-open") for part in ("prefix", "word", "suffix")
        )
        example = atlas.templates(self.languages[0])
        self.wordings = len(example.question["capital"])
        self.describe_wordings = len(example.describe)

    def facts_of(self, country: str) -> tuple[Fact, ...]:
        """The facts about a country."""
        return self._by_country[country]

    @cached_property
    def _by_country(self) -> dict[str, tuple[Fact, ...]]:
        return {c: tuple(fact for fact in self.facts if fact.country == c) for c in self.countries}

    def name(self, language: str, entity: str) -> str:
        """What a language calls an entity."""
        return self.names[language][entity]

    def alphabet(self, language: str) -> str:
        """The signs that a language's names are written with."""
        return self._alphabets[language]

    @cached_property
    def _alphabets(self) -> dict[str, str]:
        return {
            language: "".join(
                sorted({sign for name in row.values() for sign in name.lower() if sign.isalpha()})
            )
            for language, row in self.names.items()
        }

    @cached_property
    def shared_names(self) -> tuple[int, ...]:
        """For each language, how many of its names another language spells in the same way."""
        spelt = Counter(name for row in self.names.values() for name in set(row.values()))
        return tuple(sum(spelt[name] > 1 for name in self.names[tag].values()) for tag in self.languages)

    def question(self, language: str, relation: str, wording: int, country: str) -> str:
        """A question about a country."""
        return atlas.filled(self._question(language, relation, wording), {"country": country}, language)

    def question_text(self, language: str, relation: str, wording: int, name: str) -> str:
        """A question about any name."""
        return self._about(self._question(language, relation, wording), language, name)

    def _question(self, language: str, relation: str, wording: int) -> str:
        texts: Mapping[str, Sequence[str]] = dict(atlas.templates(language).question)
        return texts[relation][wording]

    def _about(self, template: str, language: str, name: str) -> str:
        """A template about a country whose name is no name of the atlas."""
        names = atlas.names(language)
        return fill(template, lambda _, form: names.form_of_text(name, "country", form))

    def statement(self, language: str, relation: str, wording: int, about: tuple[str, str]) -> str:
        """A sentence that says that a country (first) has an object (second)."""
        texts: Mapping[str, Sequence[str]] = dict(atlas.templates(language).statement)
        return atlas.filled(texts[relation][wording], {"country": about[0], "object": about[1]}, language)

    def describe(self, language: str, wording: int, country: str) -> str:
        """A request to describe a country."""
        return atlas.request(country, language, wording)

    def describe_text(self, language: str, wording: int, name: str) -> str:
        """A request to describe any name."""
        return self._about(atlas.templates(language).describe[wording], language, name)

    def description(self, language: str, wording: int, country: str, things: Mapping[str, str]) -> str:
        """A few sentences on a country; things: relation to entity."""
        return atlas.filled(
            atlas.templates(language).description[wording], {"country": country, **things}, language
        )

    def sentence(self, language: str, place: tuple[int, int], country: str, things: Mapping[str, str]) -> str:
        """One sentence of a description; place: number of the description, number of the sentence."""
        template = self._sentences[language][place[0]][place[1]]
        return atlas.filled(template, {"country": country, **things}, language)

    @cached_property
    def sentence_places(self) -> tuple[tuple[int, int], ...]:
        """The sentences of the descriptions, as many in every language."""
        counts = {tuple(len(text) for text in row) for row in self._sentences.values()}
        if len(counts) != 1:
            raise ValueError(f"descriptions do not have the same number of sentences everywhere: {counts}")
        return tuple((text, number) for text, count in enumerate(counts.pop()) for number in range(count))

    @cached_property
    def _sentences(self) -> dict[str, list[list[str]]]:
        return {
            language: [sentences(language, text) for text in atlas.templates(language).description]
            for language in self.languages
        }

    def decline(self, language: str) -> str:
        """How to say that one cannot answer."""
        return atlas.templates(language).decline[-1]

    def part(self, language: str, part: Part) -> str:
        """A part of an instruction."""
        task, name = part
        row = self.tasks[task]["instructions"][language]
        text: str = row["words"]["question"] if name == "word" else row[name]
        return text

    def ask(self, task: str, language: str, question: str, options: Sequence[str] | None = None) -> str:
        """A question under an instruction, as hesperus renders it."""
        entry = self.tasks[task]
        row = entry["instructions"][language]
        instruction = Instruction(language, row["prefix"], row["words"], row["suffix"], {})
        item = Item("", language, {"question": question}, options=tuple(options) if options else None)
        return render(entry["layout"], instruction, item)

    def translate(self, source: str, target: str, text: str) -> str:
        """Hesperus's request for a translation."""
        return translation_request(source, target, text)

    def paraphrase(self, language: str, text: str) -> str:
        """Hesperus's request for a paraphrase."""
        return paraphrase_request(language, text)

    def naturalise(self, language: str, text: str) -> str:
        """Hesperus's request for a more natural wording."""
        return naturalise_request(language, text)

    def core_texts(self) -> list[str]:
        """Every text that hesperus itself may send or expect, with every name of the world in each kind of place."""
        return [
            text for language in self.languages for text in (*self._told(language), *self._sent(language))
        ]

    def _told(self, language: str) -> list[str]:
        """Questions, statements and descriptions; names are inflected, so that each is put in every slot."""
        ways = range(self.wordings)
        texts = []
        for number, country in enumerate(self.countries):
            things = {relation: pool[number % len(pool)] for relation, pool in self.objects.items()}
            texts += [
                self.question(language, relation, k, country) for relation in self.relations for k in ways
            ]
            texts += [
                self.statement(language, relation, k, (country, thing))
                for relation, thing in things.items()
                for k in ways
            ]
            texts += [self.describe(language, k, country) for k in range(self.describe_wordings)]
            texts += [self.description(language, k, country, things) for k in range(self.describe_wordings)]
        return texts

    def _sent(self, language: str) -> list[str]:
        """Instructions and requests."""
        country = self.countries[0]
        name = self.name(language, country)
        asked = [
            self.question(language, relation, k, country)
            for relation in self.relations
            for k in range(self.wordings)
        ]
        texts = [self.ask("atlas-open", language, text) for text in (*asked, name)]
        texts += [self.part(language, part) for part in self.parts] + [self.decline(language)]
        texts += [self.translate(language, other, name) for other in self.languages if other != language]
        texts += [self.paraphrase(language, name), self.naturalise(language, name)]
        options = [self.name(language, thing) for thing in self.countries[:4]]
        return [*texts, self.ask("atlas", language, name, options)]


def as_fact(key: str, row: Mapping[str, Any]) -> Fact:
    """A fact from its entry in facts.yaml."""
    relation, country = key.split("/")
    first, second, third = row["distractors"]
    return Fact(key, country, relation, row["gold"], (first, second, third))


def sentences(language: str, text: str) -> list[str]:
    """Cut a description into sentences; Thai marks them by blanks, but for one before "and"."""
    if language == "th":
        return re.split(r" (?!และ)", text)
    return [part for part in re.split(r"(?<=[.।]) |(?<=。)", text) if part]
