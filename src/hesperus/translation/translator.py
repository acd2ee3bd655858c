"""The protocol of everything that translates: texts in, translations out, in the same order.

A translator knows nothing of documents, of sentences or of what degenerates; it turns one text into one text. What cuts
and repairs is above it and asks again with another decoding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hesperus.errors import PermanentError


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a translation is drawn.

    Attributes:
        temperature: Softmax temperature (> 0) of sampling; None searches instead, and ``beams`` says how widely.
        top_p: Nucleus mass in (0, 1] of sampling; None keeps all words.
        beams: Width of the search; 1 is greedy.
        seed: Seed of sampling.
    """

    temperature: float | None = None
    top_p: float | None = None
    beams: int = 1
    seed: int = 0


GREEDY = Decoding()
"""The most likely word at every step: the same text always gives the same translation."""


class TextTooLongError(PermanentError):
    """Texts longer than a translator can read. None of the call was translated, for nothing is cut in silence.

    Attributes:
        sizes: Places of the long texts in the call, from 0, and their tokens.
        limit: What the translator can read, in its own tokens.
    """

    def __init__(self, name: str, texts: Sequence[str], sizes: Mapping[int, int], limit: int) -> None:
        self.sizes, self.limit = dict(sizes), limit
        first = min(sizes)
        more = f", and {len(sizes) - 1} more of {len(texts)} texts are too long" if len(sizes) > 1 else ""
        super().__init__(
            f"{name}: text {first + 1} of {len(texts)} has {sizes[first]:,} tokens and the model reads {limit:,} at "
            f"most; cut it into sentences: {texts[first][:60]!r}…{more}",
            kind="text_too_long",
        )


@runtime_checkable
class Translator(Protocol):
    """What every translator does.

    Attributes:
        name: What is in records and reports, e.g. ``apertium`` or ``ct2/nllb-200-600M``.
        identity: All that decides the output besides text, languages and decoding; it enters keys and signatures.
    """

    @property
    def name(self) -> str:
        """What is in records and reports."""
        ...

    @property
    def identity(self) -> Mapping[str, str]:
        """All that decides the output besides text, languages and decoding."""
        ...

    def supports(self, source: str, target: str) -> bool:
        """Whether this pair of BCP-47 tags can be translated."""
        ...

    def translate(
        self, texts: Sequence[str], source: str, target: str, decoding: Decoding = GREEDY
    ) -> Sequence[str]:
        """Translate each text; the n-th result belongs to the n-th text.

        Args:
            texts: What to translate, usually one sentence each; an empty text gives an empty translation.
            source: BCP-47 tag of the texts.
            target: BCP-47 tag of the translations.
            decoding: How to draw; translators that cannot draw otherwise give the same text again.

        Raises:
            UsageError: The pair is not supported; the message names what would do it.
            TextTooLongError: A text is longer than the model can read.
            TransientError: Worth another try.
            PermanentError: Not worth one.
        """
        ...
