"""Texts of items made anew, each once: back-translated or rewritten, by a model at the desk or by a translator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hesperus.errors import SenseError
from hesperus.senses import SenseMaker, item_texts, remake_item
from hesperus.studies.asked.answering import Ask, Fault
from hesperus.studies.asked.made_checks import in_place_of
from hesperus.studies.asked.making import made_text, making_request, not_made
from hesperus.studies.evaluating.translating import Translating, Way
from hesperus.types import Item, Request, Settings

Texts = Mapping[str, str | Fault]
"""Original text to made text, or to what kept it from being made."""

Put = Callable[[Item, Mapping[str, str]], Item]
"""Puts an item together from its made texts; raises SenseError where it cannot."""


def texts_of_items(items: Sequence[Item]) -> tuple[str, ...]:
    """The texts of all items, each once."""
    return tuple(dict.fromkeys(text for item in items for text in item_texts(item)))


def making_requests(
    maker: SenseMaker,
    texts: Sequence[str],
    way: tuple[str, str],
    *,
    model: str,
    system: str | None,
    settings: Settings,
) -> list[Request]:
    """The exact requests that make texts, one each.

    Args:
        maker: Translation or naturalisation.
        texts: What is made anew.
        way: Language of the texts, and of what is made.
        model: Who is asked.
        system: System text.
        settings: How replies are drawn.
    """
    return [making_request(maker, text, way, model=model, system=system, settings=settings) for text in texts]


def made_by_model(
    maker: SenseMaker, texts: Sequence[str], requests: Sequence[Request], ask: Ask, *, way: tuple[str, str]
) -> Texts:
    """What a model makes of texts; what fails stays with its reason."""
    return {
        text: made_text(maker, reply, text, way)
        for text, reply in zip(texts, ask(requests) if requests else (), strict=True)
    }


def made_by_translator(
    translating: Translating, texts: Sequence[str], way: tuple[str, str], *, stage: str
) -> Texts:
    """What a translator makes of texts, sentence by sentence, with repair of what degenerates.

    Raises:
        UsageError: The translator does not know the pair.
        ModelError: It failed; what was translated is kept.
    """
    made = translating.texts(list(texts), Way(*way, stage))
    return {
        text: in_place_of(found.text, text, way) or found.text
        if found.text is not None
        else Fault("translation", found.reason)
        for text, found in zip(texts, made, strict=True)
    }


def made_items(items: Sequence[Item], texts: Texts, put: Put) -> dict[str, Item | Fault]:
    """Items from their made texts; one of which a text is missing, or that lost what it needs, is a Fault."""
    whole = {text: made for text, made in texts.items() if isinstance(made, str)}
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


def lost_items(who: str, code: str, items: Mapping[str, Item | Fault]) -> list[str]:
    """Items that could not be made, counted by reason, a line each."""
    return not_made(who, "items", ((code, item) for item in items.values()))
