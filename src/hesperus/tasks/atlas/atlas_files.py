"""The atlas's files as values: reads YAML and refuses what breaks the schema at the head of each file.

Whether the content is *right* (names unique, distractors false, …) is asked by the audit, not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Literal, TypeVar, get_args

import msgspec

from hesperus.errors import DataError, UsageError
from hesperus.strict_yaml import read_yaml_as
from hesperus.tasks.atlas.naming import KINDS, Kind, Names
from hesperus.tasks.definition import Asking
from hesperus.types import Instruction

Relation = Literal["capital", "continent", "currency", "language", "neighbour"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)

_Texts = tuple[str, ...]
T = TypeVar("T")


class Fact(msgspec.Struct, frozen=True):
    """One fact of the world and three things that are false in its place.

    Attributes:
        id: ``relation/country``, the item's id in every language.
        relation: One of RELATIONS.
        country: Entity that the fact is about.
        gold: Entity that makes it true.
        distractors: Three entities of the gold's kind, in the fixed order of the file.
    """

    id: str
    relation: Relation
    country: str
    gold: str
    distractors: tuple[str, str, str]


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What else is true of a country, and so may not be a distractor there."""

    borders: _Texts
    languages: _Texts
    currencies: _Texts


class Templates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of one language; template k translates template k of every other language."""

    question: dict[Relation, _Texts]
    statement: dict[Relation, _Texts]
    description: _Texts
    describe: _Texts
    decline: _Texts


class _Gold(msgspec.Struct, forbid_unknown_fields=True):
    gold: str
    distractors: tuple[str, str, str]


class _Facts(msgspec.Struct, forbid_unknown_fields=True):
    world: dict[str, Place]
    facts: dict[str, _Gold]


class _Names(msgspec.Struct, forbid_unknown_fields=True):
    country: dict[str, str]
    capital: dict[str, str]
    continent: dict[str, str]
    currency: dict[str, str]
    language: dict[str, str]
    forms: dict[Kind, dict[str, str]]
    exceptions: dict[str, dict[str, str]]
    optional: dict[Kind, str]
    aliases: dict[str, _Texts]


class _Instruction(msgspec.Struct, forbid_unknown_fields=True):
    prefix: str
    words: dict[str, str]
    suffix: str


class _Asking(msgspec.Struct, forbid_unknown_fields=True):
    form: Literal["choice", "text"]
    fields: _Texts
    labels: _Texts
    layout: str
    instructions: dict[str, _Instruction]


def read_facts(folder: Traversable) -> tuple[tuple[Fact, ...], Mapping[str, Place]]:
    """Read ``facts.yaml``.

    Raises:
        DataError: A key is missing, unknown or of the wrong type; so for all of these files.
    """
    file = folder / "facts.yaml"
    read = _read(file, _Facts)
    facts = []
    for key, one in read.facts.items():
        relation, _, country = key.partition("/")
        if relation not in RELATIONS or not country:
            said = f"write RELATION/COUNTRY with a relation of {', '.join(RELATIONS)}"
            raise DataError(said, file=file, field=key)
        facts.append(Fact(key, relation, country, one.gold, one.distractors))
    return tuple(facts), read.world


def read_names(folder: Traversable, language: str) -> Names:
    """Read ``names/<language>.yaml``."""
    file = folder / "names" / f"{language}.yaml"
    read = _read(file, _Names)
    kinds: dict[Kind, Mapping[str, str]] = {kind: getattr(read, kind) for kind in KINDS}
    known = {entity for row in kinds.values() for entity in row}
    for key, entities in (("exceptions", read.exceptions), ("aliases", read.aliases)):
        for entity in entities.keys() - known:
            raise DataError(f"{entity!r} is no entity of this file", file=file, field=key)
    forms = {kind: read.forms.get(kind, {}) for kind in KINDS}
    return Names(language, kinds, forms, read.exceptions, read.optional, read.aliases)


def read_templates(folder: Traversable, language: str) -> Templates:
    """Read ``templates/<language>.yaml``."""
    file = folder / "templates" / f"{language}.yaml"
    templates = _read(file, Templates)
    for key, lists in (("question", templates.question), ("statement", templates.statement)):
        if missing := [relation for relation in RELATIONS if relation not in lists]:
            raise DataError(f"no templates for {', '.join(missing)}", file=file, field=key)
    return templates


def read_askings(folder: Traversable) -> Mapping[str, Asking]:
    """Read ``instructions.yaml``: task name to how it is asked."""
    askings = {}
    for name, one in _read(folder / "instructions.yaml", dict[str, _Asking]).items():
        answers = {label: (label,) for label in one.labels}
        instructions = {
            tag: Instruction(tag, part.prefix, part.words, part.suffix, answers)
            for tag, part in one.instructions.items()
        }
        askings[name] = Asking(name, one.form, one.fields, one.labels, one.layout, instructions)
    return askings


def _read(file: Traversable, kind: type[T]) -> T:
    try:
        return read_yaml_as(file, "file", kind)
    except UsageError as error:
        raise DataError("the file is missing", file=file) from error
