"""The world of the atlas and its wording in each language; files are read when first asked for.

What the atlas lacks (a language, an entity, a form, a fact) is refused with UnknownNameError, a template that is none of the
numbers 0, 1 and 2 with IndexError. Items use template 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from hesperus.errors import UnknownNameError
from hesperus.tasks.atlas.atlas_files import (
    RELATIONS,
    Fact,
    Place,
    Relation,
    Templates,
    read_askings,
    read_facts,
    read_names,
    read_templates,
)
from hesperus.tasks.atlas.naming import KINDS, Kind, Names, fill
from hesperus.tasks.definition import Asking
from hesperus.types import Item

OBJECTS: Mapping[str, Kind] = {
    "capital": "capital",
    "continent": "continent",
    "currency": "currency",
    "language": "language",
    "neighbour": "country",
}
"""Relation to the kind of what it holds of a country."""

SEVERAL_RIGHT: frozenset[str] = frozenset({"neighbour"})
"""Relations of which a country has several: an open question would have more right answers than one gold."""

LETTERS = ("A", "B", "C", "D")
"""Labels of the four options, in every language."""

Form = Literal["choice", "open", "describe"]


def folder() -> Traversable:
    """Where the data files of the package are."""
    return files("hesperus.tasks.atlas")


@cache
def languages() -> tuple[str, ...]:
    """Tags of the languages of the atlas, in alphabetical order."""
    found = (file.name for file in (folder() / "names").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in found if name.endswith(".yaml")))


@cache
def facts() -> tuple[Fact, ...]:
    """All facts: relation by relation, the countries in the same order in each."""
    return read_facts(folder())[0]


@cache
def places() -> Mapping[str, Place]:
    """Country to what else is true of it."""
    return read_facts(folder())[1]


def fact(key: str) -> Fact:
    """The fact of an id such as ``capital/france``."""
    _known("fact of the atlas", key, _facts_by_id())
    return _facts_by_id()[key]


def entities(kind: Kind) -> tuple[str, ...]:
    """Ids of all entities of a kind, distractors included, in the order of the files."""
    _known("kind of entity", kind, KINDS)
    return tuple(names("en").kinds[kind])


def name(entity: str, language: str) -> str:
    """The entity's name in a language, in base form."""
    table = _name_table(language)
    _known("entity of the atlas", entity, table)
    return table[entity]


@cache
def names(language: str) -> Names:
    """All that a language calls the entities."""
    return read_names(folder(), _language(language))


def accepted(entity: str, language: str) -> tuple[str, ...]:
    """Every text that is read as the entity in a language: the name that is shown, then its other names."""
    known = names(language)
    _known("entity of the atlas", entity, kinds())
    return known.accepted(kinds()[entity], entity)


def spellings(entity: str, language: str) -> tuple[str, ...]:
    """How running text may spell the entity: its name, and the forms that sentences give it, whatever their case."""
    known = names(language)
    _known("entity of the atlas", entity, kinds())
    return known.spellings(kinds()[entity], entity)


def entity(text: str, language: str, kind: Kind | None = None) -> str | None:
    """The entity that a text names in a language, whatever its case; None if it names nothing.

    Another name may represent entities of two kinds (in Thai a language without the word for it is the country):
    without a kind only names that are shown are read, and others that are unambiguous.
    """
    found = _readings(language).get(text.strip().casefold(), ())
    if kind is not None:
        found = tuple(entity for entity in found if kinds()[entity] == kind)
    shown = [entity for entity in found if name(entity, language).casefold() == text.strip().casefold()]
    either = shown or found
    return either[0] if len(either) == 1 else None


@cache
def templates(language: str) -> Templates:
    """The sentences of a language, with their slots open."""
    return read_templates(folder(), _language(language))


def question(fact: Fact, language: str, k: int = 0) -> str:
    """The fact as a question, by template ``k``."""
    return filled(templates(language).question[fact.relation][k], {"country": fact.country}, language)


def statement(fact: Fact, object_entity: str, language: str, k: int = 0) -> str:
    """A sentence that says of the fact's country that ``object_entity`` is its capital, continent, …: true or not."""
    template = templates(language).statement[fact.relation][k]
    return filled(template, {"country": fact.country, "object": object_entity}, language)


def description(country: str, objects: Mapping[Relation, str], language: str, k: int = 0) -> str:
    """A few sentences about a country, with the objects given for each relation: true or not.

    Args:
        country: Entity id.
        objects: An entity for each of the five relations.
        language: Tag of a language of the atlas.
        k: Template.
    """
    for relation in RELATIONS:
        _known("relation given an object", relation, objects)
    slots: dict[str, str] = {relation: objects[relation] for relation in RELATIONS}
    return filled(templates(language).description[k], {"country": country, **slots}, language)


def request(country: str, language: str, k: int = 0) -> str:
    """A request to describe a country, by template ``k``."""
    return filled(templates(language).describe[k], {"country": country}, language)


def filled(template: str, entities: Mapping[str, str], language: str) -> str:
    """A template with names in its slots, each in the form that the slot asks for.

    Args:
        template: A template of that language.
        entities: Slot to entity.
        language: Tag of a language of the atlas.
    """
    known = names(language)

    def text(slot: str, form: str) -> str:
        entity = entities[slot]
        _known("entity of the atlas", entity, kinds())
        found = known.form(kinds()[entity], entity, form)
        if found is None:
            raise UnknownNameError(f"form of {entity} in {language}", form, known.exceptions.get(entity, {}))
        return found

    return fill(template, text)


def options(fact: Fact) -> tuple[str, str, str, str]:
    """Four entities in label order.

    Within a relation the facts are ranked by a hash of their ids, and the gold takes the place that its rank leaves
    modulo 4: every letter is right equally often in every relation, and neither the order of the file nor the names
    tell where. The distractors follow in an order of their own hashes.
    """
    known = _gold_places()
    _known("fact of the atlas", fact.id, known)
    place = known[fact.id]
    wrong = sorted(fact.distractors, key=lambda entity: _hash(f"{fact.id} {entity}"))
    order = [*wrong[:place], fact.gold, *wrong[place:]]
    return order[0], order[1], order[2], order[3]


@cache
def items(form: Form, language: str) -> tuple[Item, ...]:
    """The atlas as items, aligned by id over the languages.

    ``choice`` asks the 200 facts by question template 0, ``open`` the 160 that have one right answer; both carry the
    options' names in label order. The gold of ``choice`` is a letter, that of ``open`` the English name of the right
    entity, which the item accepts under every name that the language has for it. ``describe`` asks for a description of
    each country and has no gold.
    """
    _known("form of the atlas", form, ("choice", "open", "describe"))
    if form == "describe":
        return tuple(
            Item(
                id=f"describe/{country}",
                language=language,
                fields={"request": request(country, language)},
                groups={"country": country},
            )
            for country in entities("country")
        )
    asked = facts() if form == "choice" else [fact for fact in facts() if fact.relation not in SEVERAL_RIGHT]
    return tuple(_item(fact, form, language) for fact in asked)


def asking(task: str) -> Asking:
    """How a task of the atlas is asked: its layout, labels and the instruction in each language."""
    _known("task of the atlas", task, askings())
    return askings()[task]


@cache
def askings() -> Mapping[str, Asking]:
    """Task name to how it is asked."""
    return read_askings(folder())


def contained_names(language: str) -> tuple[tuple[str, str], ...]:
    """Pairs of names of which the first is inside the second, such as Nepal in Nepali.

    They are no fault, but whoever looks for names in running text must prefer the longer one.
    """
    shown = _name_table(language).values()
    return tuple(
        (one, other)
        for one in shown
        for other in shown
        if one != other and one.casefold() in other.casefold()
    )


def _item(fact: Fact, form: Form, language: str) -> Item:
    order = options(fact)
    gold = LETTERS[order.index(fact.gold)] if form == "choice" else name(fact.gold, "en")
    return Item(
        id=fact.id,
        language=language,
        fields={"question": question(fact, language)},
        gold=gold,
        options=tuple(name(entity, language) for entity in order),
        groups={"relation": fact.relation, "country": fact.country},
        accepted={name(entity, "en"): accepted(entity, language) for entity in order}
        if form == "open"
        else {},
    )


def _known(kind: str, given: str, known: Iterable[str]) -> None:
    if given not in known:
        raise UnknownNameError(kind, given, known)


def _language(tag: str) -> str:
    _known("language of the atlas", tag, languages())
    return tag


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


@cache
def _facts_by_id() -> Mapping[str, Fact]:
    return {fact.id: fact for fact in facts()}


@cache
def _gold_places() -> Mapping[str, int]:
    """Fact id to the place of the gold among its options, 0 to 3."""
    ranked = [sorted((f.id for f in facts() if f.relation == relation), key=_hash) for relation in RELATIONS]
    return {key: rank % len(LETTERS) for ids in ranked for rank, key in enumerate(ids)}


@cache
def kinds() -> Mapping[str, Kind]:
    """Entity to its kind."""
    return {entity: kind for kind, row in names("en").kinds.items() for entity in row}


@cache
def _name_table(language: str) -> Mapping[str, str]:
    return {entity: name for row in names(language).kinds.values() for entity, name in row.items()}


@cache
def _readings(language: str) -> Mapping[str, tuple[str, ...]]:
    """Folded text to the entities that it may name."""
    found: dict[str, tuple[str, ...]] = {}
    for kind, row in names(language).kinds.items():
        for entity in row:
            for text in names(language).accepted(kind, entity):
                found[text.casefold()] = (*found.get(text.casefold(), ()), entity)
    return found
