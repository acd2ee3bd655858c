"""The world of the atlas and its wording in each language; files are read when first asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from hesperus.errors import UnknownNameError
from hesperus.tasks.atlas.reading import (
    KINDS,
    RELATIONS,
    Asking,
    Fact,
    Kind,
    Place,
    Relation,
    Templates,
    read_askings,
    read_facts,
    read_names,
    read_templates,
)
from hesperus.types import Item

LETTERS = ("A", "B", "C", "D")
"""Labels of the four options, in every language."""

Form = Literal["choice", "open", "describe"]


def folder() -> Traversable:
    """Where the data files of the package stand."""
    return files("hesperus.tasks.atlas")


@cache
def languages() -> tuple[str, ...]:
    """Tags of the languages of the atlas, in alphabetical order."""
    names = (file.name for file in (folder() / "names").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


@cache
def facts() -> tuple[Fact, ...]:
    """All facts: relation by relation, the countries in the same order in each."""
    return read_facts(folder())[0]


@cache
def places() -> Mapping[str, Place]:
    """Country to what else is true of it."""
    return read_facts(folder())[1]


def fact(key: str) -> Fact:
    """The fact of an id such as ``capital/france``.

    Raises:
        UnknownNameError: There is no such fact.
    """
    found = _facts_by_id().get(key)
    if found is None:
        raise UnknownNameError("fact of the atlas", key, _facts_by_id())
    return found


def entities(kind: Kind) -> tuple[str, ...]:
    """Ids of all entities of a kind, distractors included, in the order of the files.

    Raises:
        UnknownNameError: There is no such kind.
    """
    _known("kind of entity", kind, KINDS)
    return tuple(_names("en")[kind])


def name(entity: str, language: str) -> str:
    """The entity's name in a language, in base form.

    Raises:
        UnknownNameError: The atlas lacks the language or the entity.
    """
    table = _name_table(_language(language))
    _known("entity of the atlas", entity, table)
    return table[entity]


def entity(text: str, language: str) -> str | None:
    """The entity that a name stands for in a language, whatever its case; None where it names nothing.

    Raises:
        UnknownNameError: The atlas lacks the language.
    """
    return _entity_table(_language(language)).get(text.strip().casefold())


def templates(language: str) -> Templates:
    """The sentences of a language, with their slots open.

    Raises:
        UnknownNameError: The atlas lacks the language.
    """
    return _templates(_language(language))


def question(fact: Fact, language: str, k: int = 0) -> str:
    """The fact as a question, by template ``k`` (0, 1 or 2); items use template 0.

    Raises:
        UnknownNameError: The atlas lacks the language.
        IndexError: There is no template ``k``.
    """
    template = templates(language).question[fact.relation][k]
    return template.format(country=name(fact.country, language))


def statement(fact: Fact, object_entity: str, language: str, k: int = 0) -> str:
    """A sentence that says of the fact's country that ``object_entity`` is its capital, continent, …: true or not.

    Raises:
        UnknownNameError: The atlas lacks the language or the entity.
        IndexError: There is no template ``k`` (0, 1 or 2).
    """
    template = templates(language).statement[fact.relation][k]
    return template.format(country=name(fact.country, language), object=name(object_entity, language))


def description(country: str, objects: Mapping[Relation, str], language: str, k: int = 0) -> str:
    """A few sentences about a country, with the objects given for each relation: true or not.

    Args:
        country: Entity id.
        objects: An entity for each of the five relations.
        language: Tag of a language of the atlas.
        k: Template: 0, 1 or 2.

    Raises:
        UnknownNameError: The atlas lacks the language or an entity, or a relation has no object.
        IndexError: There is no template ``k``.
    """
    for relation in RELATIONS:
        _known("relation given an object", relation, objects)
    slots = {relation: name(objects[relation], language) for relation in RELATIONS}
    return templates(language).description[k].format(country=name(country, language), **slots)


def options(fact: Fact) -> tuple[str, str, str, str]:
    """Four entities in label order.

    Within a relation the facts are ranked by a hash of their ids, and the gold takes the place that its rank leaves
    modulo 4: every letter is right equally often in every relation, and neither the order of the file nor the names
    tell where. The distractors follow in an order of their own hashes.

    Raises:
        UnknownNameError: The fact is not one of the atlas.
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

    ``choice`` and ``open`` ask the 200 facts by question template 0; both carry the options' names in label order.
    The gold of ``choice`` is a letter, that of ``open`` the English name of the right entity. ``describe`` asks for
    a description of each country and has no gold.

    Raises:
        UnknownNameError: The atlas lacks the form or the language.
    """
    _known("form of the atlas", form, ("choice", "open", "describe"))
    if form == "describe":
        ask = templates(language).describe[0]
        return tuple(
            Item(
                id=f"describe/{country}",
                language=language,
                fields={"request": ask.format(country=name(country, language))},
                groups={"country": country},
            )
            for country in entities("country")
        )
    return tuple(_item(fact, form, language) for fact in facts())


def asking(task: str) -> Asking:
    """How a task of the atlas is asked: its layout, labels and the instruction in each language.

    Raises:
        UnknownNameError: No such task; there are ``atlas``, ``atlas-open`` and ``atlas-describe``.
    """
    _known("task of the atlas", task, askings())
    return askings()[task]


@cache
def askings() -> Mapping[str, Asking]:
    """Task name to how it is asked."""
    return read_askings(folder())


def contained_names(language: str) -> tuple[tuple[str, str], ...]:
    """Pairs of names of which the first stands inside the second, such as Nepal in Nepali.

    They are no fault, but whoever looks for names in running text must prefer the longer one.
    """
    names = _name_table(_language(language)).values()
    return tuple(
        (one, other)
        for one in names
        for other in names
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
        accepted={name(entity, "en"): (name(entity, language),) for entity in order}
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
def _names(language: str) -> Mapping[Kind, Mapping[str, str]]:
    return read_names(folder(), language)


@cache
def _name_table(language: str) -> Mapping[str, str]:
    return {entity: name for names in _names(language).values() for entity, name in names.items()}


@cache
def _entity_table(language: str) -> Mapping[str, str]:
    return {name.casefold(): entity for entity, name in _name_table(language).items()}


@cache
def _templates(language: str) -> Templates:
    return read_templates(folder(), language)
