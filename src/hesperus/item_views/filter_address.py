"""Filters of items as the query of an address: the same words in the explorer, in a page and on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote, urlencode

from hesperus.analysis.item_filter import IN_A_SENSE, LOST, ItemFilter, filter_of
from hesperus.analysis.item_matrix import ItemMatrix
from hesperus.errors import UsageError
from hesperus.records import Selection
from hesperus.wording import sense_brief

SEVERAL = ("run", "model", "task", *IN_A_SENSE, "anywhere")
"""Conditions that may be given more than once, each under its own name."""

NO_REFERENCES: Mapping[str, str] = {}
_GROUP, _VERSUS = "group.", " vs "


def filter_pairs(wanted: ItemFilter) -> tuple[tuple[str, str], ...]:
    """A filter as name and value of a query; those that say nothing are left out."""
    pairs = [(name, value) for name in SEVERAL for value in getattr(wanted, name)]
    pairs += [(f"{_GROUP}{name}", value) for name, values in wanted.groups.items() for value in values]
    pairs += [("differs", _VERSUS.join(pair)) for pair in wanted.differs]
    for name in ("at_least", "at_most"):
        if (value := getattr(wanted, name)) is not None:
            pairs.append((name, f"{value:g}"))
    return (*pairs, ("text", wanted.text)) if wanted.text else tuple(pairs)


def filter_query(wanted: ItemFilter) -> str:
    """A filter as the query of an address: ``model=pocket/l&changed=sw_from_en``."""
    return urlencode(filter_pairs(wanted), quote_via=quote, safe="/~,")


def items_anchor(**conditions: object) -> str:
    """The link within a page to the items that meet conditions (see hesperus.analysis.item_filter.filter_of)."""
    return f"#items?{filter_query(filter_of(conditions))}"


def filter_of_pairs(values: Mapping[str, Sequence[str]]) -> ItemFilter:
    """The filter that the names and values of a query describe; names that are no condition are left alone.

    Raises:
        UsageError: A value that cannot be: no number, or no pair.
    """
    return ItemFilter(
        **{name: tuple(values.get(name, ())) for name in SEVERAL},
        groups={n.removeprefix(_GROUP): tuple(v) for n, v in values.items() if n.startswith(_GROUP)},
        differs=tuple(_pair(text) for text in values.get("differs", ())),
        at_least=_share(values, "at_least"),
        at_most=_share(values, "at_most"),
        text=next(reversed(values.get("text", ())), ""),
    )


def references_of(matrix: ItemMatrix) -> dict[str, str]:
    """Key of each sense to that of the one that it is compared with."""
    keys = {column.number: column.key for column in matrix.columns}
    return {column.key: keys[column.reference] for column in matrix.columns if column.reference in keys}


def sense_words(key: str) -> str:
    """A sense as a condition names it: ``Swahili``, ``Swahili from English``, ``instruction Swahili, input English``."""
    if not key.startswith("instruction="):
        return sense_brief(key)
    try:
        cell = Selection.parse(key)
    except ValueError:
        return key
    parts = [
        f"{name} {sense_brief(code)}"
        for name, code in (("instruction", cell.instruction), ("input", cell.input))
        if code
    ]
    return ", ".join([*parts, *([f"ask {cell.repeat}"] if cell.repeat else [])])


def lost_words(key: str, references: Mapping[str, str]) -> str:
    """What it is to be lost in a sense: ``right in English, wrong in Swahili``."""
    if (reference := references.get(key)) is None:
        return f"wrong in {sense_words(key)}, though its reference is right"
    return f"right in {sense_words(reference)}, wrong in {sense_words(key)}"


def condition_words(
    pairs: Sequence[tuple[str, str]], references: Mapping[str, str] = NO_REFERENCES
) -> Iterator[str]:
    """Each condition in words, in the order of filter_pairs."""
    words = {"anywhere": "{} in some sense", "run": "run {}", "model": "model {}", "task": "task {}",
             "unanswered": "no answer in {}", "at_least": "confidence at least {}", "at_most": "confidence at most {}",
             "text": "mentions “{}”"}  # fmt: skip
    for name, value in pairs:
        if name.startswith(_GROUP):
            yield f"{name.removeprefix(_GROUP)}: {value}"
        elif name == "differs":
            yield f"{' and '.join(map(sense_words, value.split(_VERSUS)))} differ"
        elif name == LOST:
            yield lost_words(value, references)
        elif name in IN_A_SENSE:
            yield words.get(name, f"{name} in {{}}").format(sense_words(value))
        else:
            yield words[name].format(value.replace("_", " ") if name == "anywhere" else value)


def _pair(text: str) -> tuple[str, str]:
    a, versus, b = text.partition(_VERSUS)
    if not versus or not a or not b:
        raise UsageError(f"differs takes two senses, as in 'en vs sw', not {text[:80]!r}")
    return a, b


def _share(values: Mapping[str, Sequence[str]], name: str) -> float | None:
    given = next(reversed(values.get(name, ())), None)
    if given is None:
        return None
    try:
        share = float(given)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"{name} is a probability between 0 and 1, not {given[:40]!r}")
    return share
