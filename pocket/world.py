"""The closed world that the models live in: the atlas's facts and wordings, and the requests that hesperus sends.

Prompts are put together by hesperus itself (its layouts, its language packs), so that the models are trained on the
very texts that they will be sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

import yaml

from hesperus.languages import naturalise_request, paraphrase_request, translation_request
from hesperus.senses import render
from hesperus.types import Instruction, Item

KIND_OF = {"neighbour": "country"}
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


def read(path: str) -> Any:
    """Read one of the atlas's data files."""
    text = (files("hesperus.tasks") / "atlas" / path).read_text(encoding="utf-8")
    return yaml.safe_load(text)


class World:
    """Facts, names, wordings and requests.

    Args:
        languages: The languages of the atlas.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        self.languages = tuple(languages)
        names = {language: read(f"names/{language}.yaml") for language in languages}
        self.templates = {language: read(f"templates/{language}.yaml") for language in languages}
        self.tasks: Mapping[str, Any] = read("instructions.yaml")
        first = names[self.languages[0]]
        self.kinds = {kind: tuple(row) for kind, row in first.items()}
        self.names = {
            language: {entity: name for row in kinds.values() for entity, name in row.items()}
            for language, kinds in names.items()
        }
        self.entities = tuple(self.names[self.languages[0]])
        self.facts = tuple(as_fact(key, row) for key, row in read("facts.yaml")["facts"].items())
        self.relations = tuple(dict.fromkeys(fact.relation for fact in self.facts))
        self.countries = tuple(dict.fromkeys(fact.country for fact in self.facts))
        self.objects = {relation: self.kinds[KIND_OF.get(relation, relation)] for relation in self.relations}
        self.strangers = tuple(entity for entity in self.entities if entity not in self.countries)
        self.parts: tuple[Part, ...] = tuple(
            (task, part) for task in ("atlas", "atlas-open") for part in ("prefix", "word", "suffix")
        )
        example = self.templates[self.languages[0]]
        self.wordings = len(example["question"][self.relations[0]])
        self.describe_wordings = len(example["describe"])

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

    def question(self, language: str, relation: str, wording: int, country: str) -> str:
        """A question about a country."""
        return self.question_text(language, relation, wording, self.names[language][country])

    def question_text(self, language: str, relation: str, wording: int, name: str) -> str:
        """A question about any name."""
        template: str = self.templates[language]["question"][relation][wording]
        return template.replace("{country}", name)

    def statement(self, language: str, relation: str, wording: int, about: tuple[str, str]) -> str:
        """A sentence that says that a country (first) has an object (second)."""
        template: str = self.templates[language]["statement"][relation][wording]
        country, thing = (self.names[language][entity] for entity in about)
        return template.replace("{country}", country).replace("{object}", thing)

    def describe(self, language: str, wording: int, country: str) -> str:
        """A request to describe a country."""
        return self.describe_text(language, wording, self.names[language][country])

    def describe_text(self, language: str, wording: int, name: str) -> str:
        """A request to describe any name."""
        template: str = self.templates[language]["describe"][wording]
        return template.replace("{country}", name)

    def description(self, language: str, wording: int, country: str, things: Mapping[str, str]) -> str:
        """A few sentences on a country; things: relation to entity."""
        return self.filled(language, self.templates[language]["description"][wording], country, things)

    def sentence(self, language: str, place: tuple[int, int], country: str, things: Mapping[str, str]) -> str:
        """One sentence of a description; place: number of the description, number of the sentence."""
        return self.filled(language, self._sentences[language][place[0]][place[1]], country, things)

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
            language: [sentences(language, text) for text in row["description"]]
            for language, row in self.templates.items()
        }

    def filled(self, language: str, template: str, country: str, things: Mapping[str, str]) -> str:
        """A template with the names of a country and of things."""
        for slot, entity in {"country": country, **things}.items():
            template = template.replace("{" + slot + "}", self.names[language][entity])
        return template

    def decline(self, language: str) -> str:
        """How to say that one cannot answer."""
        text: str = self.templates[language]["decline"][-1]
        return text

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
        """Every text that hesperus itself may send or expect, with a name of the world in each place."""
        country, things = self.countries[0], {r: pool[0] for r, pool in self.objects.items()}
        return [text for language in self.languages for text in self._core(language, country, things)]

    def _core(self, language: str, country: str, things: Mapping[str, str]) -> list[str]:
        ways = range(self.wordings)
        texts = [self.question(language, relation, k, country) for relation in self.relations for k in ways]
        texts += [self.ask("atlas-open", language, text) for text in texts]
        texts += [
            self.statement(language, relation, k, (country, thing))
            for relation, thing in things.items()
            for k in ways
        ]
        texts += [self.describe(language, k, country) for k in range(self.describe_wordings)]
        texts += [self.description(language, k, country, things) for k in range(self.describe_wordings)]
        texts += [self.part(language, part) for part in self.parts] + [self.decline(language)]
        name = self.name(language, country)
        texts += [self.translate(language, other, name) for other in self.languages if other != language]
        texts += [self.paraphrase(language, name), self.naturalise(language, name)]
        options = [self.name(language, thing) for thing in self.countries[:4]]
        return [*texts, self.ask("atlas", language, name, options), self.ask("atlas-open", language, name)]


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
