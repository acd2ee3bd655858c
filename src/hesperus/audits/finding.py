"""What every check of an audit starts from and gives: items side by side, thresholds, findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Literal

from hesperus.errors import UsageError
from hesperus.languages import language
from hesperus.types import Item

Severity = Literal["exclude", "review"]
"""``exclude``: the item is not the same question everywhere, or no question; ``review``: a person should look."""

Items = Mapping[str, Sequence[Item]]
"""BCP-47 tag to items, in any order, an id possibly missing or there twice."""

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "missing": "the item is not in every language",
        "duplicate_id": "an id stands twice in a language",
        "duplicate_text": "two ids have the same text",
        "option_count": "the number of options differs between languages, or there is one option",
        "option_order": "the options stand in another order, by the numbers in them",
        "repeated_option": "two options of an item are the same",
        "doubled_label": "an option or a text brings its own letter, so that a prompt would read 'A. A. text'",
        "gold_range": "gold is none of the item's labels",
        "gold_differs": "gold differs between languages",
        "gold_missing": "gold is there in some languages only",
        "known_fault": "the task's own list of faults names it",
        "empty": "a field or an option is empty",
        "placeholder": "a text stands for a text that is not there: NS, nan, TODO",
        "damaged": "characters were lost or escaped on the way",
        "script": "the text is in another script than its language",
        "mixed_script": "letters of two scripts that look alike stand in one word",
        "untranslated": "the text is that of another language, word for word or nearly",
        "language": "the small words of the text are those of another language",
        "length": "the text is much longer or shorter than those of the other languages lead to expect",
        "number_changed": "a number of the other languages is replaced by another",
        "number_lost": "a number of the other languages is not there",
        "answer_leak": "the question holds the text of the right option, in few languages only",
    }
)
"""The kinds of findings, in the order in which they are reported."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or looks wrong, with an item.

    Attributes:
        kind: One of KINDS.
        severity: What to do about it.
        item: Id of the item.
        languages: BCP-47 tags of the languages in which the trouble is.
        detail: What was found; quotes the items' own text, so it must be escaped where it is shown.
    """

    kind: str
    severity: Severity
    item: str
    languages: tuple[str, ...]
    detail: str

    @property
    def reason(self) -> str:
        """Kind and languages, for an exclusion list: ``gold differs in bm, zu``."""
        name = self.kind.replace("_", " ")
        name += "" if self.kind == "gold_differs" or not self.languages else ":"
        joint = " in " if self.kind == "gold_differs" and self.languages else " " if self.languages else ""
        return f"{name}{joint}{', '.join(self.languages)}"


def quoted(text: str, longest: int = 70) -> str:
    """A piece of an item's text for a detail, shortened."""
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= longest else f"{flat[: longest - 1]}…")


_SHARES = frozenset(
    {"foreign_letters", "foreign_clear", "shared_words", "number_share", "leak_share", "leak_languages"}
)


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What counts as suspicious.

    Attributes:
        reference: The language that the others were translated from, where it is among them.
        foreign_letters: Share of letters in another script from which a text is in that script.
        foreign_clear: The same share from which there can be no doubt, if the words are no names.
        fewest_letters: Letters of another script below which nothing is said: names, units and formulas have them.
        identical_words: Words from which two equal texts are no coincidence.
        shared_words: Share of a text's words that are in the reference, too, from which it is nearly equal.
        shared_fewest: Words below which nearly equal texts are not looked for.
        function_words: Small words that are learned from the items of each language.
        function_hits: Different small words of another language from which a text is taken for that language.
        function_items: Items below which no small words are learned.
        length_deviations: Robust standard deviations of a pair's log length ratio from its median.
        length_factor: Times longer or shorter than expected; both must be exceeded.
        length_items: Items below which lengths are not compared.
        number_digits: Digits from which a lost number is reported; small ones are written out in words.
        number_share: Share of the other languages that must have a number that one language lost.
        leak_letters: Letters of the shortest right option that is looked for as a leak.
        leak_share: Share of items whose field holds an option from which it is a text to choose the answer from, and
            is left alone.
        leak_languages: Share of the languages with the leak from which it belongs to the item, not to a translation.
    """

    reference: str = "en"
    foreign_letters: float = 0.5
    foreign_clear: float = 0.9
    fewest_letters: int = 12
    identical_words: int = 5
    shared_words: float = 0.8
    shared_fewest: int = 6
    function_words: int = 100
    function_hits: int = 4
    function_items: int = 50
    length_deviations: float = 5.0
    length_factor: float = 2.0
    length_items: int = 20
    number_digits: int = 2
    number_share: float = 0.8
    leak_letters: int = 4
    leak_share: float = 0.1
    leak_languages: float = 0.5

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            is_share = field.name in _SHARES
            if isinstance(value, int | float) and (value <= 0 or (is_share and value > 1)):
                wanted = "more than 0 and at most 1" if is_share else "more than 0"
                raise UsageError(f"AuditSettings.{field.name} is {value}; it must be {wanted}")


OPTIONS = "options"
"""Name of the part of an item that holds its options, where others are fields."""


# Blanks and punctuation: ASCII, Latin-1, general, Arabic, Indic, Ethiopic, CJK, full width. Not \W, which holds the
# vowel signs of India.
_BETWEEN = re.compile(
    r"[\s!-/:-@\[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20،؛؟۔।॥።፣፤፧]+"
)


def by_id(items: Items) -> dict[str, dict[str, Item]]:
    """Id to language to item, in the order in which ids appear; of an id that is twice, the first."""
    found: dict[str, dict[str, Item]] = {}
    for tag, many in items.items():
        for item in many:
            found.setdefault(item.id, {}).setdefault(tag, item)
    return found


def parts(item: Item) -> Iterator[tuple[str, str]]:
    """The texts of an item by name: its fields, then all options, a line each."""
    yield from item.fields.items()
    if item.options:
        yield OPTIONS, "\n".join(item.options)


def minority(values: Sequence[object], tags: Sequence[str], reference: str) -> tuple[str, ...]:
    """The languages that have another value than most; of equally many, the reference's value is right."""
    own = values[tags.index(reference)] if reference in tags else None
    usual = max(
        dict.fromkeys(values), key=lambda value: (values.count(value), value == own and reference in tags)
    )
    return tuple(tag for value, tag in zip(values, tags, strict=True) if value != usual)


def folded(text: str) -> str:
    """Text without case and punctuation, words parted by one blank."""
    return _BETWEEN.sub(" ", text.casefold()).strip()


def related(one: str, other: str) -> bool:
    """Whether two languages are so near to each other that one sentence may serve both."""
    first, second = language(one), language(other)
    if one.split("-")[0] == other.split("-")[0]:
        return True
    return first.branch is not None and (first.family, first.branch) == (second.family, second.branch)
