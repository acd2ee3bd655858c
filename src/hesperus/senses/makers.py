"""Sense-makers: small functions that put a text in another way.

A maker that asks a model has a ``request``: the exact prompt for a text, so that a plan can be printed without
sending it. A maker by rule has none. Both have ``read``: what came back (or the text itself) in, the finished text out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hesperus import languages
from hesperus.errors import SenseError
from hesperus.senses.quotes import trim_quotes
from hesperus.types import Prompt

Complete = Callable[[Sequence[Prompt]], Sequence[str]]
"""Sends prompts to a model and returns the texts of its replies in their order."""


@dataclass(frozen=True, slots=True)
class SenseMaker:
    """One way of putting a text anew.

    Attributes:
        name: The variant in a sense code: ``paraphrase`` makes ``en~paraphrase``.
        request: (text, source tag, target tag) to the prompt that asks a model for it; None for a rule.
        read: (reply, original text) to the finished text; a rule is given the original twice. Raises SenseError
            where nothing can be made of it.
    """

    name: str
    request: Callable[[str, str, str], Prompt] | None
    read: Callable[[str, str], str]


def _translation(text: str, source: str, target: str) -> Prompt:
    return Prompt(languages.translation_request(source, target, text))


def _paraphrase(text: str, source: str, target: str) -> Prompt:
    return Prompt(languages.paraphrase_request(target, text))


def _naturalisation(text: str, source: str, target: str) -> Prompt:
    return Prompt(languages.naturalise_request(target, text))


def _trimmed(reply: str, original: str) -> str:
    """The reply without the quotation marks around it; refuses a reply without a single letter or digit."""
    text = trim_quotes(reply, original)
    if not any(char.isalnum() for char in text) and any(char.isalnum() for char in original):
        raise SenseError(f"nothing came back for {original!r}: {reply!r}")
    return text


translate = SenseMaker("translate", _translation, _trimmed)
"""The model's own translation; the request is written in the source language (the paper's appendix C)."""

paraphrase = SenseMaker("paraphrase", _paraphrase, _trimmed)
"""The same in other words, in the same language."""

naturalise = SenseMaker("natural", _naturalisation, _trimmed)
"""The same as a native speaker would write it, in the same language."""


def requests(maker: SenseMaker, texts: Sequence[str], *, source: str, target: str) -> tuple[Prompt, ...]:
    """The exact prompts that a maker would send, each once, in the order of the texts; none for a rule.

    Args:
        maker: The maker.
        texts: Texts to rephrase.
        source: BCP-47 tag of the texts.
        target: BCP-47 tag of what is to be made; the same for a rewording.
    """
    if maker.request is None:
        return ()
    return tuple(dict.fromkeys(maker.request(text, source, target) for text in texts))


def make_senses(
    maker: SenseMaker, texts: Sequence[str], *, source: str, target: str, complete: Complete | None = None
) -> tuple[str, ...]:
    """Put texts anew, each distinct text once.

    Args:
        maker: The maker.
        texts: Texts to rephrase.
        source: BCP-47 tag of the texts.
        target: BCP-47 tag of what is to be made.
        complete: Asks the model; a maker by rule needs none.

    Returns:
        The made texts in the order of the given ones.

    Raises:
        SenseError: A text could not be made, or the number of replies is not the number of prompts.
    """
    distinct = list(dict.fromkeys(texts))
    if maker.request is None:
        made = {text: maker.read(text, text) for text in distinct}
        return tuple(made[text] for text in texts)
    if complete is None:
        raise SenseError(f"the sense maker {maker.name!r} asks a model; hand in the function that does")
    replies = complete([maker.request(text, source, target) for text in distinct])
    if len(replies) != len(distinct):
        raise SenseError(
            f"{maker.name}: {len(distinct)} prompts were sent and {len(replies)} replies came back"
        )
    made = {text: maker.read(reply, text) for text, reply in zip(distinct, replies, strict=True)}
    return tuple(made[text] for text in texts)
