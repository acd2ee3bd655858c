"""The atlas: 200 stable facts about 40 countries, asked in 12 languages of 8 scripts; hesperus's own benchmark."""

from hesperus.tasks.atlas.atlas_audit import audit
from hesperus.tasks.atlas.atlas_files import RELATIONS, Fact, Place, Relation, Templates
from hesperus.tasks.atlas.naming import KINDS, Kind, Names
from hesperus.tasks.atlas.world import (
    LETTERS,
    OBJECTS,
    SEVERAL_RIGHT,
    Form,
    accepted,
    asking,
    askings,
    contained_names,
    description,
    entities,
    entity,
    fact,
    facts,
    filled,
    items,
    kinds,
    languages,
    name,
    names,
    options,
    places,
    question,
    request,
    spellings,
    statement,
    templates,
)  # fmt: skip
from hesperus.tasks.definition import Asking

__all__ = [
    "Asking", "Fact", "Form", "KINDS", "Kind", "LETTERS", "Names", "OBJECTS", "Place", "RELATIONS", "Relation",
    "SEVERAL_RIGHT", "Templates", "accepted", "asking", "askings", "audit", "contained_names", "description", "entities",
    "entity", "fact", "facts", "filled", "items", "kinds", "languages", "name", "names", "options", "places", "question",
    "request", "spellings", "statement", "templates",
]  # fmt: skip
