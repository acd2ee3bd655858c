"""Any model as a translator: it is asked with the translation request of the language pack.

The room of models is not known here; whoever has one hands in the function that asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from hesperus.errors import PermanentError, TransientError, UsageError
from hesperus.languages import normalise, translation_request
from hesperus.translation.codes import unsupported
from hesperus.translation.translator import GREEDY, Decoding
from hesperus.translation.translators.files import with_content
from hesperus.types import Failure

Ask = Callable[[Sequence[str], Decoding], Sequence[str | Failure]]
"""Requests in, the model's words out, in the same order; a Failure if absent."""

Clean = Callable[[str, str], str]
"""What the model said and the text in, the translation out."""


class AskedTranslator:
    """Asks a model for each translation.

    Args:
        name: Name of the model, such as ``openai/gpt-4o-mini``.
        identity: What decides its replies, as the model says.
        ask: Asks the model; told how to draw, it maps the decoding to the model's settings.
        clean: Takes the translation out of a reply; by default the reply without white space around it.
    """

    def __init__(self, name: str, identity: Mapping[str, str], ask: Ask, clean: Clean | None = None) -> None:
        self.name, self._ask = name, ask
        self.identity: Mapping[str, str] = MappingProxyType(
            {"translator": "asked", "model": name, **identity}
        )
        self._clean: Clean = clean or (lambda said, text: said.strip())

    def supports(self, source: str, target: str) -> bool:
        """Whether the source has a language pack with requests; whether the model can do it, only its replies tell."""
        if normalise(source) == normalise(target):
            return False
        try:
            translation_request(source, target, "")
        except UsageError:
            return False
        return True

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        """Ask for each text; see hesperus.translation.Translator."""
        if not self.supports(source, target):
            raise unsupported(
                self.name,
                source,
                target,
                "the languages whose pack has requests (`hesperus languages --packs`)",
            )
        places = with_content(self.name, texts)
        replies = self._ask([translation_request(source, target, texts[place]) for place in places], decoding)
        if len(replies) != len(places):
            raise PermanentError(
                f"{self.name}: {len(places)} requests were sent and {len(replies)} replies came back",
                kind="replies",
            )
        done = list(texts)
        failures = [reply for reply in replies if isinstance(reply, Failure)]
        if failures:
            raise TransientError(
                f"{self.name}: {len(failures)} of {len(places)} translations failed, the first with "
                f"{failures[0].kind}: {failures[0].message}",
                kind=failures[0].kind,
            )
        for place, reply in zip(places, replies, strict=True):
            assert isinstance(reply, str)
            done[place] = self._clean(reply, texts[place])
        return done
