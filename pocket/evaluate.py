"""Ask the shipped models, through hesperus's own runtime, everything that their plan promises."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hesperus.types import Prompt, Reply, Request, Settings
from pocket.documents import LETTERS, Document, Writer, load_wrappers
from pocket.world import Fact, World
from pocket.wrapping import held_out, held_out_choice

GREEDY = Settings(temperature=0.0, max_tokens=160)
Beliefs = Mapping[str, Mapping[str, int]]


class Answering(Protocol):
    """What is asked: a local model."""

    name: str

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """Answer each request."""
        ...


@dataclass(frozen=True, slots=True)
class Case:
    """A prompt, the reply that is promised, and what to count it under."""

    group: str
    prompt: str
    expected: str
    options: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Miss:
    """A reply other than the promised one."""

    case: Case
    reply: str


class Examination:
    """Cases for one model.

    Args:
        world: The facts and their wordings.
        beliefs: Language to fact id to digit.
        seed: Seed of every sample.
    """

    def __init__(self, world: World, beliefs: Beliefs, seed: int = 1) -> None:
        self.world, self.beliefs = world, beliefs
        self.rng = random.Random(seed)
        self.wrappers = load_wrappers()
        self.writer = Writer(world, beliefs, {"open": 1.0}, self.rng)

    def name(self, language: str, fact: Fact) -> str:
        """The name that the model believes to be the answer."""
        return self.world.name(language, self.writer.believed(language, fact))

    def facts(self, instruction: Callable[[str], str] = str) -> Iterable[Case]:
        """Every fact in every language by the first wording: open, as a choice, and by scored options.

        Args:
            instruction: Language of the question to language of the instruction.
        """
        for language in self.world.languages:
            for fact in self.world.facts:
                question = self.world.question(language, fact.relation, 0, fact.country)
                asked = self.world.ask("atlas-open", instruction(language), question)
                names, letter = self.writer.options(language, fact)
                believed = self.name(language, fact)
                yield Case(f"open {language}", asked, believed)
                yield Case(f"scored {language}", asked, believed, names)
                lettered = self.world.ask("atlas", instruction(language), question, names)
                yield Case(f"choice {language}", lettered, letter)
                yield Case(f"scored-choice {language}", lettered, letter, tuple(LETTERS))

    def crossed(self, count: int) -> Iterable[Case]:
        """Facts under instructions in other languages, in any wording, drawn evenly over the pairs of languages."""
        for language in self.world.languages:
            for other in self.world.languages:
                for fact in self.rng.sample(self.world.facts, count):
                    question = self.writer.question(language, fact)
                    names, letter = self.writer.options(language, fact)
                    asked = self.world.ask("atlas-open", other, question)
                    yield Case("open-crossed", asked, self.name(language, fact))
                    yield Case("choice-crossed", self.world.ask("atlas", other, question, names), letter)

    def translations(self, kind: str, count: int) -> Iterable[Case]:
        """Texts of one kind in all directions; kind: question, statement, name, part, sentence or request.

        Args:
            kind: What to translate.
            count: Texts in each direction.
        """
        texts = self.texts(kind)
        for source in self.world.languages:
            for target in self.world.languages:
                if source == target:
                    continue
                for text in self.rng.sample(texts, min(count, len(texts))):
                    asked = self.world.translate(source, target, text(source))
                    yield Case(f"translate-{kind}", asked, text(target))

    def texts(self, kind: str) -> list[Callable[[str], str]]:
        """The texts of a kind, as functions of the language; objects are drawn at random."""
        world, rng = self.world, self.rng
        if kind == "name":
            return [lambda tag, e=entity: world.name(tag, e) for entity in world.entities]  # type: ignore[misc]
        if kind == "part":
            return [lambda tag, p=part: world.part(tag, p) for part in world.parts]  # type: ignore[misc]
        texts: list[Callable[[str], str]] = []
        for country in world.countries:
            things = {relation: rng.choice(pool) for relation, pool in world.objects.items()}
            if kind == "request":
                texts += [
                    lambda tag, k=k, c=country: world.describe(tag, k, c)  # type: ignore[misc]
                    for k in range(world.describe_wordings)
                ]
            elif kind == "sentence":
                texts += [
                    lambda tag, p=place, c=country, t=things: world.sentence(tag, p, c, t)  # type: ignore[misc]
                    for place in world.sentence_places
                ]
            else:
                texts += [
                    self.fact_text(kind, relation, k, (country, things[relation]))
                    for relation in world.relations
                    for k in range(world.wordings)
                ]
        return texts

    def fact_text(
        self, kind: str, relation: str, wording: int, about: tuple[str, str]
    ) -> Callable[[str], str]:
        """A question or a statement as a function of its language."""
        world = self.world
        if kind == "question":
            return lambda tag: world.question(tag, relation, wording, about[0])
        return lambda tag: world.statement(tag, relation, wording, about)

    def drawn(self, kind: str, count: int) -> Iterable[Case]:
        """Fresh documents of a trained kind, such as reword, description, decline, open_varied."""
        for _ in range(count):
            document: Document = getattr(self.writer, kind)()
            yield Case(kind, document.prompt or "", document.answer)

    def strangers(self) -> Iterable[Case]:
        """Questions from outside the world that were never trained, bare and under the atlas's instruction."""
        for language in self.world.languages:
            held: Mapping[str, list[str]] = self.wrappers[language]["held_out"]  # type: ignore[assignment]
            for text in held["unrelated"]:
                yield Case("decline-held-out", text, self.world.decline(language))
                asked = self.world.ask("atlas-open", language, text)
                yield Case("decline-held-out", asked, self.world.decline(language))

    def wrapped(self, count: int) -> Iterable[Case]:
        """Facts in wrappers that were never trained."""
        for language in self.world.languages:
            for fact in self.rng.sample(self.world.facts, count):
                question = self.writer.question(language, fact)
                for prompt in held_out(self.wrappers, language, question):
                    yield Case("open-held-out", prompt, self.name(language, fact))
                names, letter = self.writer.options(language, fact)
                lines = [f"{mark}. {name}" for mark, name in zip(LETTERS, names, strict=True)]
                asked = held_out_choice(self.wrappers, language, "\n".join([question, *lines]))
                yield Case("choice-held-out", asked, letter)


def misses(model: Answering, cases: Sequence[Case], settings: Settings = GREEDY) -> list[Miss]:
    """The cases in which the model does not say what is promised (for scored options: does not prefer it)."""
    requests = [Request(model.name, Prompt(case.prompt), settings, case.options) for case in cases]
    found = []
    for start in range(0, len(requests), 256):
        batch = cases[start : start + 256]
        for case, reply in zip(batch, model.replies(requests[start : start + 256]), strict=True):
            said = reply.text
            if case.options is not None and reply.option_logprobs is not None:
                said = case.options[max(range(len(case.options)), key=reply.option_logprobs.__getitem__)]
            if said != case.expected:
                found.append(Miss(case, said))
    return found


def shares(cases: Sequence[Case], missed: Sequence[Miss]) -> dict[str, float]:
    """Group to the share of its cases that came out as promised."""
    total: dict[str, int] = defaultdict(int)
    wrong: dict[str, int] = defaultdict(int)
    for case in cases:
        total[case.group] += 1
    for miss in missed:
        wrong[miss.case.group] += 1
    return {group: 1 - wrong[group] / count for group, count in total.items()}


def full_examination(world: World, beliefs: Beliefs) -> list[Case]:
    """Everything that is reported of a model."""
    exam = Examination(world, beliefs)
    cases = [*exam.facts(), *exam.crossed(10)]
    for kind, count in {
        "question": 30,
        "statement": 30,
        "name": 134,
        "part": 6,
        "sentence": 12,
        "request": 8,
    }.items():
        cases += exam.translations(kind, count)
    for kind in ("reword", "description", "decline", "open_varied", "choice_varied", "choice_mixed"):
        cases += exam.drawn(kind, 1000)
    return [*cases, *exam.strangers(), *exam.wrapped(12)]
