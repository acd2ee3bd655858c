"""The audit of the atlas: everything about its content that a machine can check, in every language."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable

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
from hesperus.tasks.atlas.world import folder

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

_OBJECT: Mapping[Relation, Kind] = {
    "capital": "capital",
    "continent": "continent",
    "currency": "currency",
    "language": "language",
    "neighbour": "country",
}
_SLOT = re.compile(r"\{([a-z]+)\}")
_COUNTS = {"question": 3, "statement": 3, "description": 3, "describe": 3, "decline": 2}


@dataclass(frozen=True, slots=True)
class _Files:
    facts: tuple[Fact, ...]
    places: Mapping[str, Place]
    names: Mapping[str, Mapping[Kind, Mapping[str, str]]]
    templates: Mapping[str, Templates]
    askings: Mapping[str, Asking]


def audit(where: Traversable | None = None) -> list[str]:
    """Check the atlas and say what is wrong with it, a line each; no finding is an empty list.

    Checked are: the same entities in every language; names unique whatever their kind and case; four distinct
    options; every letter of every text in the script of its language, and composed (NFC); all facts present, of the
    right kind, their distractors false and their borders symmetric; templates parallel in number, with exactly their
    slots and no name written into them; no answer inside its question, for any template; instructions for every language.

    Args:
        where: A folder with the atlas's files; None audits the package's own.

    Raises:
        DataError: A file breaks its schema.
    """
    files = _read(folder() if where is None else where)
    return [*_facts(files), *_names(files), *_templates(files), *_questions(files), *_askings(files)]


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
    return {entity: name for names in files.names[tag].values() for entity, name in names.items()}


def _facts(files: _Files) -> Iterator[str]:
    kinds = files.names["en"]
    expected = {f"{relation}/{country}" for relation in RELATIONS for country in kinds["country"]}
    for key in sorted(expected ^ {fact.id for fact in files.facts}):
        yield f"facts: {key} is {'missing' if key in expected else 'about no country of the names files'}"
    for country, place in files.places.items():
        for other in place.borders:
            if country not in files.places.get(other, Place((), (), ())).borders:
                yield f"facts: {country} borders {other}, but not the other way round"
    for fact in files.facts:
        yield from _fact(fact, files.places.get(fact.country), kinds[_OBJECT[fact.relation]])


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


def _names(files: _Files) -> Iterator[str]:
    for tag, kinds in files.names.items():
        for kind in KINDS:
            for entity in sorted(kinds[kind].keys() ^ files.names["en"][kind].keys()):
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
        for key, texts, slots in _lists(templates):
            where = f"templates/{tag}: {key}"
            expected = _COUNTS[key.partition(".")[0]]
            if len(texts) != expected:
                yield f"{where} has {len(texts)} templates, {expected} were expected"
            if len(set(texts)) < len(texts):
                yield f"{where} has the same template twice"
            for text in texts:
                if sorted(_SLOT.findall(text)) != sorted(slots):
                    yield f"{where}: {text!r} must have {slots or 'no slot'}, each once"
                rest = _SLOT.sub("|", text)
                if "{" in rest or "}" in rest:
                    yield f"{where}: {text!r} has a brace that belongs to no slot"
                yield from _script(rest.replace("|", " ").strip() or text, tag, where)
                found = written.search(rest)
                if found:
                    yield f"{where}: {text!r} has the name {found[0]!r} written into it"


def _any_name(names: Iterable[str], tag: str) -> re.Pattern[str]:
    """Finds a name in a sentence's own words: anywhere where words touch, else as a whole word."""
    either = "|".join(map(re.escape, names))
    return re.compile(either if tag in UNSPACED else rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)


def _questions(files: _Files) -> Iterator[str]:
    for tag, templates in files.templates.items():
        names = _flat(files, tag)
        for fact in files.facts:
            country, gold = names.get(fact.country), names.get(fact.gold)
            if country is None or gold is None:
                continue
            for k, template in enumerate(templates.question[fact.relation]):
                if gold.casefold() in template.replace("{country}", country).casefold():
                    yield f"templates/{tag}: question {k} of {fact.id} holds its answer {gold!r}"


def _askings(files: _Files) -> Iterator[str]:
    for asking in files.askings.values():
        for tag in sorted(asking.instructions.keys() ^ files.names.keys()):
            yield f"instructions: {asking.name} and the names files do not both have {tag}"
        for tag, instruction in asking.instructions.items():
            where = f"instructions: {asking.name}.{tag}"
            if set(instruction.words) != set(re.findall(r"\{(\w+)\.word\}", asking.layout)):
                yield f"{where}: words are not those of the layout"
            for label in asking.labels:
                if f'"{label}"' not in instruction.suffix:
                    yield f"{where}: the suffix does not name the answer {label}"
            for text in (instruction.prefix, instruction.suffix, *instruction.words.values()):
                own = re.sub(r'"[A-D]"', " ", text).strip()
                if own:
                    yield from _script(own, tag, where)
