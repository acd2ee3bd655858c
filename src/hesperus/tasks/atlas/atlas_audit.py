"""The audit of the atlas: everything about its content that a machine can check, in every language."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable

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
from hesperus.tasks.atlas.naming import KINDS, Kind, Names, fill, slots
from hesperus.tasks.atlas.world import OBJECTS, folder
from hesperus.tasks.definition import Asking

SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "ar": ("ARABIC",),
    "hi": ("DEVANAGARI",),
    "ja": ("CJK UNIFIED", "HIRAGANA", "KATAKANA"),
    "ko": ("HANGUL",),
    "ru": ("CYRILLIC",),
    "th": ("THAI",),
    "zh": ("CJK UNIFIED",),
}
"""How the Unicode names of a language's letters begin; a language that is not listed is written in Latin."""

UNSPACED = ("ja", "ko", "th", "zh")
"""Languages in which a name may touch its neighbours, so that a name can hide anywhere in a sentence."""

MOST = 0.15
"""Largest share of a relation's facts that one entity may be the answer of, and of its options that it may be; a
relation with too few entities to keep to it (continents) is left out."""

_COUNTS = {"question": 3, "statement": 3, "description": 3, "describe": 3, "decline": 2}


@dataclass(frozen=True, slots=True)
class _Files:
    facts: tuple[Fact, ...]
    places: Mapping[str, Place]
    names: Mapping[str, Names]
    templates: Mapping[str, Templates]
    askings: Mapping[str, Asking]


def audit(where: Traversable | None = None) -> list[str]:
    """Check the atlas and say what is wrong with it, a line each; no finding is an empty list.

    Checked are: the same entities in every language; names unique whatever their kind and case; four distinct
    options; every letter of every text in the script of its language, and composed (NFC); all facts present, of the
    right kind, their distractors false and their borders symmetric, no entity the answer or an option of too many;
    templates parallel in number, with exactly their slots, each form there for every entity, and no name written into
    them; no answer inside its question, for any template; no other name that represents two entities of a kind;
    instructions for every language.

    Args:
        where: A folder with the atlas's files; None audits the package's own.

    Raises:
        DataError: A file breaks its schema.
    """
    files = _read(folder() if where is None else where)
    return [
        *_facts(files),
        *_shares(files),
        *_names(files),
        *_aliases(files),
        *_templates(files),
        *_questions(files),
        *_askings(files),
    ]


def _read(where: Traversable) -> _Files:
    tags = sorted(file.name.removesuffix(".yaml") for file in (where / "names").iterdir())
    facts, places = read_facts(where)
    return _Files(
        facts=facts,
        places=places,
        names={tag: read_names(where, tag) for tag in tags},
        templates={tag: read_templates(where, tag) for tag in tags},
        askings=read_askings(where),
    )


def _flat(files: _Files, tag: str) -> dict[str, str]:
    return {entity: name for row in files.names[tag].kinds.values() for entity, name in row.items()}


def _facts(files: _Files) -> Iterator[str]:
    kinds = files.names["en"].kinds
    expected = {f"{relation}/{country}" for relation in RELATIONS for country in kinds["country"]}
    for key in sorted(expected ^ {fact.id for fact in files.facts}):
        yield f"facts: {key} is {'missing' if key in expected else 'about no country of the names files'}"
    for country, place in files.places.items():
        for other in place.borders:
            if country not in files.places.get(other, Place((), (), ())).borders:
                yield f"facts: {country} borders {other}, but not the other way round"
    for fact in files.facts:
        yield from _fact(fact, files.places.get(fact.country), kinds[OBJECTS[fact.relation]])


def _fact(fact: Fact, place: Place | None, kind: Mapping[str, str]) -> Iterator[str]:
    four = (fact.gold, *fact.distractors)
    for entity in four:
        if entity not in kind:
            yield f"facts: {fact.id} names {entity}, which is no entity of its kind"
    if len(set(four)) < len(four):
        yield f"facts: {fact.id} has fewer than four distinct options"
    if place is None:
        yield f"facts: {fact.country} has no entry in the world"
        return
    also: Mapping[Relation, tuple[str, ...]] = {
        "neighbour": (*place.borders, fact.country),
        "language": place.languages,
        "currency": place.currencies,
    }
    for entity in fact.distractors:
        if entity in also.get(fact.relation, ()):
            yield f"facts: {fact.id} has the distractor {entity}, which is true"
    if fact.relation == "neighbour" and fact.gold not in place.borders:
        yield f"facts: {fact.id} has the gold {fact.gold}, which is no neighbour"


def _shares(files: _Files) -> Iterator[str]:
    for relation in RELATIONS:
        facts = [fact for fact in files.facts if fact.relation == relation]
        if len(files.names["en"].kinds[OBJECTS[relation]]) < 1 / MOST:
            continue
        golds = Counter(fact.gold for fact in facts)
        shown = Counter(entity for fact in facts for entity in (fact.gold, *fact.distractors))
        for entity, count in golds.items():
            if count > MOST * len(facts):
                yield f"facts: {entity} is the answer to {count} of {len(facts)} facts of {relation}"
        for entity, count in shown.items():
            if count > MOST * 4 * len(facts):
                yield f"facts: {entity} is {count} of {4 * len(facts)} options of {relation}"


def _aliases(files: _Files) -> Iterator[str]:
    for tag, names in files.names.items():
        for kind, row in names.kinds.items():
            owners: dict[str, set[str]] = {}
            for entity in row:
                for text in names.accepted(kind, entity):
                    owners.setdefault(text.casefold(), set()).add(entity)
                for text in names.aliases.get(entity, ()):
                    if text.strip() != text or not text or text != unicodedata.normalize("NFC", text):
                        yield f"names/{tag}: {text!r} ({entity}) is empty, not composed, or has blanks around it"
            for text, entities in owners.items():
                if len(entities) > 1:
                    yield f"names/{tag}: {text!r} stands for {' and '.join(sorted(entities))}"


def _names(files: _Files) -> Iterator[str]:
    for tag, told in files.names.items():
        for kind in KINDS:
            for entity in sorted(told.kinds[kind].keys() ^ files.names["en"].kinds[kind].keys()):
                yield f"names/{tag}: {kind} {entity} is not in every language"
        names = _flat(files, tag)
        seen = Counter(name.casefold() for name in names.values())
        for entity, name in names.items():
            if seen[name.casefold()] > 1:
                yield f"names/{tag}: {name!r} ({entity}) stands for more than one entity"
            yield from _script(name, tag, f"names/{tag}: {entity}")
        for fact in files.facts:
            four = {names.get(entity, entity) for entity in (fact.gold, *fact.distractors)}
            if len(four) < 4:
                yield f"names/{tag}: the options of {fact.id} are not four distinct names"


def _script(text: str, tag: str, where: str) -> Iterator[str]:
    if text != unicodedata.normalize("NFC", text):
        yield f"{where}: {text!r} is not composed (NFC)"
    if not text.strip() or text != text.strip():
        yield f"{where}: {text!r} is empty or has blanks around it"
    scripts = SCRIPTS.get(tag, ("LATIN",))
    for letter in text:
        if unicodedata.category(letter)[0] in "LM" and not unicodedata.name(letter, "").startswith(scripts):
            yield f"{where}: {text!r} has {letter!r}, which is not of the language's script"
            return


def _lists(templates: Templates) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Name of each list, its templates and the slots that each of them must have."""
    for relation in RELATIONS:
        yield f"question.{relation}", templates.question[relation], ("country",)
        yield f"statement.{relation}", templates.statement[relation], ("country", "object")
    yield "description", templates.description, ("country", *RELATIONS)
    yield "describe", templates.describe, ("country",)
    yield "decline", templates.decline, ()


def _templates(files: _Files) -> Iterator[str]:
    for tag, templates in files.templates.items():
        written = _any_name(_flat(files, tag).values(), tag)
        for key, texts, expected_slots in _lists(templates):
            where = f"templates/{tag}: {key}"
            expected = _COUNTS[key.partition(".")[0]]
            if len(texts) != expected:
                yield f"{where} has {len(texts)} templates, {expected} were expected"
            if len(set(texts)) < len(texts):
                yield f"{where} has the same template twice"
            kind_of = {"country": "country", "object": OBJECTS.get(key.partition(".")[2]), **OBJECTS}
            for text in texts:
                if sorted(slot for slot, _ in slots(text)) != sorted(expected_slots):
                    yield f"{where}: {text!r} must have {expected_slots or 'no slot'}, each once"
                for slot, form in slots(text):
                    kind = kind_of.get(slot)
                    yield from _form(files.names[tag], kind, form, where) if kind else ()
                rest = fill(text, lambda *_: "|")
                if "{" in rest or "}" in rest:
                    yield f"{where}: {text!r} has a brace that belongs to no slot"
                yield from _script(rest.replace("|", " ").strip() or text, tag, where)
                found = written.search(rest)
                if found:
                    yield f"{where}: {text!r} has the name {found[0]!r} written into it"


def _form(names: Names, kind: Kind, form: str, where: str) -> Iterator[str]:
    """A form that a template asks for and that some name of the kind lacks, or has without being it."""
    for entity in names.kinds[kind]:
        found = names.form(kind, entity, form)
        if found is None:
            yield f"{where} asks for the form {form!r}, which names/{names.language} lacks for {entity}"
            return
        yield from _script(found, names.language, f"names/{names.language}: {entity}.{form}")


def _any_name(names: Iterable[str], tag: str) -> re.Pattern[str]:
    """Finds a name in a sentence's own words: anywhere where words touch, else as a whole word."""
    either = "|".join(map(re.escape, names))
    return re.compile(either if tag in UNSPACED else rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)


def _questions(files: _Files) -> Iterator[str]:
    for tag, templates in files.templates.items():
        told = files.names[tag]
        for fact in files.facts:
            gold = _flat(files, tag).get(fact.gold)
            if fact.country not in told.kinds["country"] or gold is None:
                continue
            for k, template in enumerate(templates.question[fact.relation]):
                asked = _about(template, told, fact.country)
                if gold.casefold() in asked.casefold():
                    yield f"templates/{tag}: question {k} of {fact.id} holds its answer {gold!r}"


def _about(template: str, names: Names, country: str) -> str:
    """A question about a country; a form that is missing is found elsewhere."""
    return fill(template, lambda _, form: names.form("country", country, form) or "")


def _askings(files: _Files) -> Iterator[str]:
    for asking in files.askings.values():
        for tag in sorted(asking.instructions.keys() ^ files.names.keys()):
            yield f"instructions: {asking.name} and the names files do not both have {tag}"
        for tag, instruction in asking.instructions.items():
            where = f"instructions: {asking.name}.{tag}"
            if set(instruction.words) != set(re.findall(r"\{(\w+)\.word\}", asking.layout)):
                yield f"{where}: words are not those of the layout"
            for label in asking.labels:
                if not re.search(rf"[^\w\s]\s?{label}\s?[^\w\s]", instruction.suffix):
                    yield f"{where}: the suffix does not name the answer {label}"
            for text in (instruction.prefix, instruction.suffix, *instruction.words.values()):
                own = re.sub(r"[^\w\s]\s?[A-D]\s?(?=[^\w\s])", " ", text).strip()
                if own:
                    yield from _script(own, tag, where)
