"""What translators that run a sequence-to-sequence checkpoint in this process have in common, whatever runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Generic, TypeVar

from hesperus.translation.translator import GREEDY, Decoding, TextTooLongError
from hesperus.translation.translators.checkpoint import Checkpoint
from hesperus.translation.translators.files import with_content
from hesperus.translation.translators.translator_options import TranslatorOptions

Token = TypeVar("Token", str, int)
"""How a library takes tokens: as words of the vocabulary, or as their numbers."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote.

    Attributes:
        texts: The translations.
        cut: How many of them reached the longest output.
    """

    texts: list[str]
    cut: int


class Seq2SeqTranslator(ABC, Generic[Token]):
    """Puts texts to a checkpoint as it was trained to read them; how it is run is left to who derives from this.

    Args:
        name: The translator.
        checkpoint: What the model is.
        options: See TranslatorOptions.
    """

    def __init__(self, name: str, checkpoint: Checkpoint, options: TranslatorOptions) -> None:
        self.name, self._checkpoint, self._options = name, checkpoint, options
        self._counts = {"texts": 0, "cut": 0}

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Hashes of the model's files, and what of the options decides the output."""
        return MappingProxyType(
            {
                **self._files(),
                "device": self._options.device,
                "compute_type": self._options.compute_type,
                "max_output_tokens": str(self._options.max_output_tokens),
            }
        )

    @property
    def counts(self) -> Mapping[str, int]:
        """What happened so far: texts, and translations that reached the longest output and were cut there."""
        return MappingProxyType(dict(self._counts))

    def supports(self, source: str, target: str) -> bool:
        """Whether the model does this pair."""
        return self._checkpoint.codes(source, target) is not None

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        """Translate each text; see hesperus.translation.Translator."""
        codes = self._checkpoint.pair(self.name, source, target)
        places = with_content(self.name, texts)
        done = list(texts)
        if places:
            put = self._put([texts[place] for place in places], codes)
            limit = self._checkpoint.limit
            sizes = {
                place: len(tokens) for place, tokens in zip(places, put, strict=True) if len(tokens) > limit
            }
            if sizes:
                raise TextTooLongError(self.name, texts, sizes, limit)
            longest = self._checkpoint.longest(self._options.max_output_tokens, codes)
            written = self._written(put, codes, longest, decoding)
            for place, text in zip(places, written.texts, strict=True):
                done[place] = text
            self._counts["cut"] += written.cut
        self._counts["texts"] += len(texts)
        return done

    @abstractmethod
    def _files(self) -> Mapping[str, str]:
        """The kind of translator, the library's version, and hashes of the model's files."""

    @abstractmethod
    def _put(self, texts: Sequence[str], codes: tuple[str, str]) -> list[list[Token]]:
        """Texts as the tokens that the model reads, those that name languages included; none is cut off."""

    @abstractmethod
    def _written(
        self, put: list[list[Token]], codes: tuple[str, str], longest: int, decoding: Decoding
    ) -> Written:
        """Translations of what was put, in its order.

        None has more than `longest` tokens, without those with which it begins.
        """
