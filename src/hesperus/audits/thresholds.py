"""The thresholds of an audit, each with its reason; together they are part of its signature."""

from __future__ import annotations

from dataclasses import dataclass, fields

from hesperus.errors import UsageError

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
