"""The atlas's files as values: reads YAML and refuses what breaks the schema at the head of each file.

Whether the content is *right* (names unique, distractors false, …) is asked by the audit, not here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Literal, get_args

from hesperus.errors import DataError, UsageError
from hesperus.strict_yaml import read_yaml_file
from hesperus.tasks.atlas.naming import KINDS, Kind, Names
from hesperus.types import Instruction

Relation = Literal["capital", "continent", "currency", "language", "neighbour"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)


@dataclass(frozen=True, slots=True)
class Fact:
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


@dataclass(frozen=True, slots=True)
class Place:
    """What else is true of a country, and so may not be a distractor there."""

    borders: tuple[str, ...]
    languages: tuple[str, ...]
    currencies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Templates:
    """The sentences of one language; template k translates template k of every other language."""

    question: Mapping[Relation, tuple[str, ...]]
    statement: Mapping[Relation, tuple[str, ...]]
    description: tuple[str, ...]
    describe: tuple[str, ...]
    decline: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asking:
    """How a task of the atlas is asked.

    Attributes:
        name: ``atlas``, ``atlas-open`` or ``atlas-describe``.
        form: ``choice`` (a letter) or ``text``.
        fields: Field names of its items, in order.
        labels: Canonical labels; empty for free text.
        layout: Text with ``{prefix}``, ``{suffix}``, ``{field.word}``, ``{field}`` and ``{option.A}`` to fill in.
        instructions: Language tag to instruction.
    """

    name: str
    form: Literal["choice", "text"]
    fields: tuple[str, ...]
    labels: tuple[str, ...]
    layout: str
    instructions: Mapping[str, Instruction]


def read_facts(folder: Traversable) -> tuple[tuple[Fact, ...], Mapping[str, Place]]:
    """Read ``facts.yaml``.

    Raises:
        DataError: A key is missing, unknown or of the wrong type.
    """
    file = folder / "facts.yaml"
    table = _table(_load(file), file, "the file", ("world", "facts"))
    places = {}
    for country, entry in _mapping(table["world"], file, "world").items():
        parts = _table(entry, file, f"world.{country}", ("borders", "languages", "currencies"))
        lists = {key: _texts(value, file, f"world.{country}.{key}") for key, value in parts.items()}
        places[country] = Place(lists["borders"], lists["languages"], lists["currencies"])
    facts = tuple(_fact(key, entry, file) for key, entry in _mapping(table["facts"], file, "facts").items())
    return facts, places


def read_names(folder: Traversable, language: str) -> Names:
    """Read ``names/<language>.yaml``.

    Raises:
        DataError: A part is missing or unknown, a name is no text, or a form is given for no kind or entity.
    """
    file = folder / "names" / f"{language}.yaml"
    table = _table(_load(file), file, "the file", (*KINDS, "forms", "exceptions", "optional", "aliases"))
    kinds: dict[Kind, Mapping[str, str]] = {kind: _row(table[kind], file, kind) for kind in KINDS}
    known = {entity for row in kinds.values() for entity in row}
    forms = _rows(table["forms"], file, "forms", KINDS)
    return Names(
        language=language,
        kinds=kinds,
        forms={kind: forms.get(kind, {}) for kind in KINDS},
        exceptions=_rows(table["exceptions"], file, "exceptions", known),
        optional={
            kind: text for kind in KINDS if (text := _row(table["optional"], file, "optional").get(kind))
        },
        aliases={
            entity: _texts(given, file, f"aliases.{entity}")
            for entity, given in _only(_mapping(table["aliases"], file, "aliases"), known, file, "aliases")
        },
    )


def read_templates(folder: Traversable, language: str) -> Templates:
    """Read ``templates/<language>.yaml``.

    Raises:
        DataError: A list is missing, unknown or holds something else than text.
    """
    file = folder / "templates" / f"{language}.yaml"
    table = _table(
        _load(file), file, "the file", ("question", "statement", "description", "describe", "decline")
    )

    def by_relation(key: str) -> Mapping[Relation, tuple[str, ...]]:
        lists = _table(table[key], file, key, RELATIONS)
        return {relation: _texts(lists[relation], file, f"{key}.{relation}") for relation in RELATIONS}

    return Templates(
        question=by_relation("question"),
        statement=by_relation("statement"),
        description=_texts(table["description"], file, "description"),
        describe=_texts(table["describe"], file, "describe"),
        decline=_texts(table["decline"], file, "decline"),
    )


def read_askings(folder: Traversable) -> Mapping[str, Asking]:
    """Read ``instructions.yaml``: task name to how it is asked.

    Raises:
        DataError: A key is missing, unknown or of the wrong type.
    """
    file = folder / "instructions.yaml"
    keys = ("form", "fields", "labels", "layout", "instructions")
    askings = {}
    for name, entry in _mapping(_load(file), file, "the file").items():
        table = _table(entry, file, name, keys)
        if table["form"] not in ("choice", "text"):
            raise DataError(
                f"{table['form']!r} is no form; write choice or text", file=file, field=f"{name}.form"
            )
        labels = _texts(table["labels"], file, f"{name}.labels")
        instructions = _mapping(table["instructions"], file, f"{name}.instructions")
        askings[name] = Asking(
            name=name,
            form=table["form"],
            fields=_texts(table["fields"], file, f"{name}.fields"),
            labels=labels,
            layout=_text(table["layout"], file, f"{name}.layout"),
            instructions={tag: _instruction(tag, parts, labels, file) for tag, parts in instructions.items()},
        )
    return askings


def _instruction(tag: str, parts: object, labels: tuple[str, ...], file: Traversable) -> Instruction:
    table = _table(parts, file, f"instructions.{tag}", ("prefix", "words", "suffix"))
    words = _mapping(table["words"], file, f"instructions.{tag}.words")
    return Instruction(
        language=tag,
        prefix=_text(table["prefix"], file, f"instructions.{tag}.prefix"),
        words={key: _text(word, file, f"instructions.{tag}.words.{key}") for key, word in words.items()},
        suffix=_text(table["suffix"], file, f"instructions.{tag}.suffix"),
        answers={label: (label,) for label in labels},
    )


def _fact(key: str, entry: object, file: Traversable) -> Fact:
    relation, _, country = key.partition("/")
    if relation not in RELATIONS or not country:
        raise DataError(
            f"write RELATION/COUNTRY with a relation of {', '.join(RELATIONS)}", file=file, field=key
        )
    table = _table(entry, file, key, ("gold", "distractors"))
    distractors = _texts(table["distractors"], file, f"{key}.distractors")
    if len(distractors) != 3:
        raise DataError(f"expected three distractors, found {len(distractors)}", file=file, field=key)
    return Fact(
        id=key,
        relation=relation,
        country=country,
        gold=_text(table["gold"], file, f"{key}.gold"),
        distractors=distractors,
    )


def _row(value: object, file: Traversable, field: str) -> Mapping[str, str]:
    return {key: _text(text, file, f"{field}.{key}") for key, text in _mapping(value, file, field).items()}


def _rows(
    value: object, file: Traversable, field: str, known: Collection[str]
) -> Mapping[str, Mapping[str, str]]:
    entries = _only(_mapping(value, file, field), known, file, field)
    return {key: _row(row, file, f"{field}.{key}") for key, row in entries}


def _only(
    table: Mapping[str, object], known: Collection[str], file: Traversable, field: str
) -> Iterable[tuple[str, object]]:
    for key in table:
        if key not in known:
            raise DataError(f"{key!r} is no kind or entity of this file", file=file, field=f"{field}.{key}")
    return table.items()


def _load(file: Traversable) -> object:
    try:
        return read_yaml_file(file, "file").value
    except UsageError as error:
        raise DataError("the file is missing", file=file) from error


def _mapping(value: object, file: Traversable, field: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise DataError(f"expected a mapping, found {type(value).__name__}", file=file, field=field)
    return value


def _table(value: object, file: Traversable, field: str, keys: tuple[str, ...]) -> Mapping[str, object]:
    table = _mapping(value, file, field)
    missing = [key for key in keys if key not in table]
    unknown = [key for key in table if key not in keys]
    if missing or unknown:
        parts = [f"missing {', '.join(missing)}"] if missing else []
        parts += [f"unknown {', '.join(unknown)}"] if unknown else []
        raise DataError(f"{' and '.join(parts)}; the keys are {', '.join(keys)}", file=file, field=field)
    return table


def _text(value: object, file: Traversable, field: str) -> str:
    if not isinstance(value, str):
        raise DataError(
            f"expected text, found {type(value).__name__} {value!r}; quote it", file=file, field=field
        )
    return value


def _texts(value: object, file: Traversable, field: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise DataError(f"expected a list of texts, found {type(value).__name__}", file=file, field=field)
    return tuple(_text(item, file, f"{field}[{number}]") for number, item in enumerate(value))
