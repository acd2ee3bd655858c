"""What an audit says: findings, each of a kind, about an item and the languages in which the trouble is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

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
