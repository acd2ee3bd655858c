"""Items made anew from their texts, each text once: back-translated or rewritten, by a model or by a translator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hesperus.errors import SenseError
from hesperus.senses import SenseMaker, item_texts, remake_item
from hesperus.studies.asked.answering import Fault
from hesperus.studies.asked.made_checks import in_place_of
from hesperus.studies.asked.making import made_text, making_request, not_made
from hesperus.studies.asked.planning import Line, making_line
from hesperus.studies.asked.stages import Place, Stage
from hesperus.studies.evaluating.naming import is_translator, translator_named
from hesperus.studies.evaluating.translating import Made, Translating, Way
from hesperus.types import Item, Request, Settings

Texts = Mapping[str, str | Fault]
"""Original text to made text, or to what kept it from being made."""

Remade = Mapping[str, Item | Fault]
"""Item id to the item made anew, or to what kept it from being made."""

Put = Callable[[Item, Mapping[str, str]], Item]
"""Puts an item together from its made texts; raises SenseError where it cannot."""


@dataclass(frozen=True, slots=True)
class MakeItems(Stage[Remade]):
    """Items made anew by a model or a translator.

    Attributes:
        items: What is made anew.
        maker: Translation or naturalisation.
        way: Language of the items, and of what is made.
        by: The model or translator.
        code: The sense that is made.
        put: Puts an item together from its made texts.
        called: What progress is called.
        asking: System text, and how replies are drawn.
        expected: What a plan goes on with.
        is_known: Whether a plan knows the exact items beforehand.
        is_common: Whether all shards need it.
    """

    items: Sequence[Item]
    maker: SenseMaker
    way: tuple[str, str]
    by: str
    code: str
    put: Put
    called: str
    asking: tuple[str | None, Settings]
    expected: Remade
    is_known: bool = True
    is_common: bool = False

    def _requests(self) -> dict[str, Request]:
        """Text to the exact request that makes it."""
        system, settings = self.asking
        return {
            text: making_request(self.maker, text, self.way, model=self.by, system=system, settings=settings)
            for text in texts_of_items(self.items)
        }

    def lines(self) -> Iterator[Line]:
        """A line, where a model makes them."""
        if not is_translator(self.by):
            requests = self._requests()
            yield making_line(
                self.by, self.code, self.way, requests, requests.values(), is_known=self.is_known
            )

    def supposed(self) -> Remade:
        """As given."""
        return self.expected

    def done(self, place: Place) -> Remade:
        """Make them.

        Raises:
            UsageError: The translator does not know the pair.
            ModelError: It failed; what was made is kept.
        """
        called = f"{self.by}: {self.called}"
        if is_translator(self.by):
            named = translator_named(self.by, place.session.models, place.session.ask)
            translating = Translating(named, place.translations(), watch=place.watch)
            texts = list(texts_of_items(self.items))
            done = translating.texts(texts, Way(*self.way, called))
            made: Texts = translated_texts(dict(zip(texts, done, strict=True)), self.way)
        else:
            requests = self._requests()
            replies = place.session.ask(list(requests.values()), called) if requests else ()
            made = {
                text: made_text(self.maker, reply, text, self.way)
                for text, reply in zip(requests, replies, strict=True)
            }
        return remade_items(self.items, made, self.put)


def texts_of_items(items: Sequence[Item]) -> tuple[str, ...]:
    """The texts of all items, each once."""
    return tuple(dict.fromkeys(text for item in items for text in item_texts(item)))


def translated_texts(done: Mapping[str, Made], way: tuple[str, str]) -> dict[str, str | Fault]:
    """What a translator made of texts, but for what is no translation of them."""
    return {
        text: in_place_of(made.text, text, way) or made.text
        if made.text is not None
        else Fault("translation", made.reason)
        for text, made in done.items()
    }


def whole_texts(texts: Texts) -> dict[str, str]:
    """The texts that could be made."""
    return {text: made for text, made in texts.items() if isinstance(made, str)}


def remade_items(items: Sequence[Item], texts: Texts, put: Put) -> dict[str, Item | Fault]:
    """Items from their made texts; one of which a text is missing, or that lost what it needs, is a Fault."""
    whole = whole_texts(texts)
    found: dict[str, Item | Fault] = {}
    for item in items:
        try:
            found[item.id] = put(item, whole)
        except SenseError as error:
            reasons = (texts.get(text) for text in item_texts(item))
            lost = next((reason for reason in reasons if isinstance(reason, Fault)), None)
            found[item.id] = lost or Fault("sense", str(error))
    return found


def put_in(language: str) -> Put:
    """Puts items together in a language."""
    return lambda item, texts: remake_item(item, texts, language)


def lost_items(who: str, code: str, items: Remade) -> list[str]:
    """Items that could not be made, counted by reason, a line each."""
    return not_made(who, "items", ((code, item) for item in items.values()))
